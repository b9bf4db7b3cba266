/* Computes the privacy cost of Algorithm 1 as printed: the cost that the paper claims, and a sound
 * cost. docs/paper-notes/as-published.md explains both. */
#ifndef DP2DPI_PHASE2_SGD_AS_PUBLISHED_PRICE_H
#define DP2DPI_PHASE2_SGD_AS_PUBLISHED_PRICE_H

#include <dp2dp/fit.h>

#include "base/error.h"

enum {
    DP2DPI_PUBLISHED_ENTRIES = 3
};

/* The cost by the paper's accounting. The paper uses Rényi divergences between data sets that
 * differ by one added or removed record. It assumes sensitivity 1 for the group counts. For the
 * gradients, it assumes sensitivity 4 and Poisson sampling at rate (batch size)/(number of
 * records). */
typedef struct dp2dpi_published_claim {
    double sigma_totals, sigma_sums;
    double epsilon;
} dp2dpi_published_claim;

/* Finds the noise for which the paper's accounting claims options->epsilon at options->delta. */
dp2dp_status dp2dpi_published_calibrate(const dp2dp_fit_options *options, uint64_t records,
                                        dp2dpi_published_claim *claim, dp2dp_error *error);
/* Computes claim->epsilon from the two sigmas of the claim, by the paper's accounting. */
dp2dp_status dp2dpi_published_claimed(const dp2dp_fit_options *options, uint64_t records,
                                      dp2dpi_published_claim *claim, dp2dp_error *error);

/* The sound privacy cost, as the entries to charge to a ledger. */
typedef struct dp2dpi_published_price {
    dp2dp_event entries[DP2DPI_PUBLISHED_ENTRIES];
    size_t size;
    /* If a noisy group count is below this number, the fit must stop, because the cost is then not
     * valid. */
    double count_least;
    int bounded; /* 1 if a useful bound is known. If 0, the cost assumes that one person changes the
                    whole batch, which is sound but useless */
} dp2dpi_published_price;

/* Computes the sound cost. `totals` is the event of the group counts and `sums` the event of the
 * gradient sums; both state the noise that will be drawn. The function ignores the sensitivities of
 * these events. */
dp2dp_status dp2dpi_published_price_of(const dp2dp_fit_options *options, uint64_t records,
                                       const dp2dp_event *totals, const dp2dp_event *sums,
                                       dp2dpi_published_price *out, dp2dp_error *error);

#endif
