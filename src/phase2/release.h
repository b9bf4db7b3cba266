/* Count tables as Phase 2 sees them: in people, with the noise that was paid for, or bare. */
#ifndef DP2DPI_PHASE2_RELEASE_H
#define DP2DPI_PHASE2_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/mechanism.h"
#include "rng/rng.h"

/* The two charges of a fit: the event totals once, the table options->steps times. */
typedef struct dp2dpi_releases {
    const dp2dp_source *source;
    dp2dpi_rng *rng;       /* NULL: no noise */
    dp2dpi_charge *totals; /* NULL without noise */
    dp2dpi_charge *tables;
    int grid_bits;
    float *offsets;  /* scratch: J × K */
    int64_t *counts; /* scratch: J × K */
    int64_t *noisy;  /* scratch: J × K */
} dp2dpi_releases;

/* Calibrates and charges. *ledger is the model's own, and options->ledger is charged first.
 * Ownership: free with dp2dpi_releases_free, also after failure. */
dp2dp_status dp2dpi_releases_new(const dp2dp_source *source, const dp2dp_fit_options *options,
                                 dp2dp_ledger *ledger, dp2dpi_releases *out, dp2dp_error *error);
void dp2dpi_releases_free(dp2dpi_releases *releases);

/* 1/variance of one released total, and of the sum of one row of a released table; 0 without noise.
 */
void dp2dpi_releases_precision(const dp2dpi_releases *r, double *totals, double *row_sum);

/* Records of each event. */
dp2dp_status dp2dpi_releases_totals(dp2dpi_releases *r, double *totals, dp2dp_error *error);
/* Records of each event given each class under offsets. */
dp2dp_status dp2dpi_releases_table(dp2dpi_releases *r, const double *offsets, double *table,
                                   dp2dp_error *error);

#endif
