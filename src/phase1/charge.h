/* What a training run pays, before anything is summed over rows. */
#ifndef DP2DPI_PHASE1_CHARGE_H
#define DP2DPI_PHASE1_CHARGE_H

#include <dp2dp/train.h>

#include "mechanism/mechanism.h"
#include "rng/rng.h"

typedef struct dp2dpi_paid {
    dp2dpi_rng *rng;
    dp2dp_ledger *unpaid; /* without noise: holds the charge whose mask samples all the same */
    dp2dpi_charge *charge;
    int grid_bits;
    int noisy;
} dp2dpi_paid;

/* Calibrates the event's σ, the rest of which is given, to (ε, δ) and charges it. `most` bounds the
 * sum that is released. The grid has at least least_bits bits. ε = INFINITY: nothing is charged and
 * nothing noisy is drawn. Ownership: free with dp2dpi_paid_free, also after failure. */
dp2dp_status dp2dpi_paid_new(const dp2dp_train_options *options, const dp2dp_event *event,
                             double most, int least_bits, dp2dp_ledger *own, dp2dpi_paid *out,
                             dp2dp_error *error);
void dp2dpi_paid_free(dp2dpi_paid *paid);

/* sum + noise, in place; n = event.coordinates. Then out = sum · scale / 2^grid_bits. */
dp2dp_status dp2dpi_paid_release(dp2dpi_paid *paid, size_t n, int64_t *sum, double scale,
                                 double *out, dp2dp_error *error);

/* σ of one Gaussian release of sensitivity 1 at (ε, δ): 1/μ. */
dp2dp_status dp2dpi_paid_unit_sigma(const dp2dp_train_options *options, double *sigma,
                                    dp2dp_error *error);

#endif
