/* Makes the two kinds of release of solver `counts`: once the group counts, and in every step a
 * table that counts the decisions. epsilon = INFINITY means no noise.
 *
 * If the source leaves records out, every release has one more noisy cell at the end, which counts
 * the records left out. The sensitivity stays √2 (docs/proofs/left-out.md). */
#ifndef DP2DPI_PHASE2_COUNTS_RELEASE_H
#define DP2DPI_PHASE2_COUNTS_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/release.h"

typedef struct dp2dpi_counts_releases {
    const dp2dp_source *source;
    dp2dpi_release release;
    float *offsets; /* scratch: strata × classes */
    int64_t *first; /* the exact table at offsets 0, then the number of records left out; private */
} dp2dpi_counts_releases;

/* Call the functions below in this order: prepare, ask for the first table, charge, then release.
 * Before the charge, nothing is revealed except whether the source failed (docs/proofs/source.md).
 *
 * dp2dpi_counts_prepare calibrates the noise, allocates all memory and checks that options->ledger
 * would accept the charge. Ownership: *out borrows the source; free it with
 * dp2dpi_counts_releases_free, also after failure. */
dp2dp_status dp2dpi_counts_prepare(const dp2dp_source *source, const dp2dp_fit_options *options,
                                   dp2dp_ledger *own, dp2dpi_counts_releases *out,
                                   dp2dp_error *error);
/* Asks the source for the table at offsets 0. */
dp2dp_status dp2dpi_counts_ask_first(dp2dpi_counts_releases *releases, dp2dp_error *error);
/* Charges the releases: first to options->ledger, then to *own, the model's ledger. */
dp2dp_status dp2dpi_counts_charge(dp2dpi_counts_releases *releases, dp2dp_error *error);
/* Charges to options->ledger what a fit would charge. Does not ask the source. */
dp2dp_status dp2dpi_counts_plan(const dp2dp_source *source, const dp2dp_fit_options *options,
                                dp2dp_error *error);
void dp2dpi_counts_releases_free(dp2dpi_counts_releases *releases);

/* Writes the precision (1/variance) of one released total, and of the sum of one row of a released
 * table. Both are 0 if there is no noise. */
void dp2dpi_counts_precision(const dp2dpi_counts_releases *r, double *totals, double *row_sum);

/* Releases the number of records in each stratum (group, or group and label), from the first
 * table. */
dp2dp_status dp2dpi_counts_totals(dp2dpi_counts_releases *r, double *totals, dp2dp_error *error);
/* Releases, for each stratum and class, the number of records that get the class under these
 * offsets. If offsets is NULL, all offsets are 0. The function then releases the first table and
 * does not ask the source again. */
dp2dp_status dp2dpi_counts_table(dp2dpi_counts_releases *r, const double *offsets, double *table,
                                 dp2dp_error *error);

#endif
