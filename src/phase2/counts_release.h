/* The two releases of solver `counts`: the group counts once, the table of decisions `steps` times.
 * Both are counts; epsilon = INFINITY gives them no noise. J is the number of groups, K the number
 * of classes. If the source leaves records out, both have one more cell at the end for them, with
 * noise like any other: the sensitivity stays √2 (docs/proofs/left-out.md). */
#ifndef DP2DPI_PHASE2_COUNTS_RELEASE_H
#define DP2DPI_PHASE2_COUNTS_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/release.h"

typedef struct dp2dpi_counts_releases {
    const dp2dp_source *source;
    dp2dpi_release release;
    float *offsets; /* scratch: J × K */
} dp2dpi_counts_releases;

/* Calibrates the noise and charges it to options->ledger first, then to *own, the model's ledger.
 * Ownership: free with dp2dpi_counts_releases_free, also after failure. */
dp2dp_status dp2dpi_counts_releases_new(const dp2dp_source *source,
                                        const dp2dp_fit_options *options, dp2dp_ledger *own,
                                        dp2dpi_counts_releases *out, dp2dp_error *error);
void dp2dpi_counts_releases_free(dp2dpi_counts_releases *releases);

/* Writes the precision (1/variance) of one released total, and of the sum of the K cells of one row
 * of a released table. Both are 0 without noise. */
void dp2dpi_counts_precision(const dp2dpi_counts_releases *r, double *totals, double *row_sum);

/* Releases the number of records of each stratum. */
dp2dp_status dp2dpi_counts_totals(dp2dpi_counts_releases *r, double *totals, dp2dp_error *error);
/* Releases the number of records of each stratum that get each class under offsets. */
dp2dp_status dp2dpi_counts_table(dp2dpi_counts_releases *r, const double *offsets, double *table,
                                 dp2dp_error *error);

#endif
