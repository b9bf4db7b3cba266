/* Makes the two kinds of release of solver `sgd`: once the group counts, and in every step a sum of
 * gradients over a Poisson sample of the records. */
#ifndef DP2DPI_PHASE2_SGD_RELEASE_H
#define DP2DPI_PHASE2_SGD_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/release.h"
#include "phase2/sgd_sum.h"

enum {
    DP2DPI_SGD_TOTALS,
    DP2DPI_SGD_SUMS,
    DP2DPI_SGD_EVENTS
};

typedef struct dp2dpi_sgd_releases {
    const dp2dp_pool *pool;
    dp2dpi_release release;
    double beta;
    uint8_t *mask; /* scratch: one byte per record */
} dp2dpi_sgd_releases;

/* Calibrates the noise of the releases. Charges them before any record is read, first to
 * options->ledger, then to *own, the model's ledger. The options must be resolved: steps at least
 * 1, and batch at most the number of records. Ownership: free with dp2dpi_sgd_releases_free, also
 * after failure. */
dp2dp_status dp2dpi_sgd_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                     dp2dp_ledger *own, dp2dpi_sgd_releases *out,
                                     dp2dp_error *error);
void dp2dpi_sgd_releases_free(dp2dpi_sgd_releases *releases);

/* Releases the sum that dp2dpi_sgd_sum computes over a new Poisson sample, multiplied by the sum's
 * unit C (sgd_sum.h) and divided by the expected batch size. */
dp2dp_status dp2dpi_sgd_gradient(dp2dpi_sgd_releases *r, const double *shares, const double *nu,
                                 double *out, dp2dp_error *error);

/* The solvers sgd and sgd-as-published share the functions below. */

/* Computes the noise σ of a Gaussian release of sensitivity 1 that spends the fraction share_budget
 * of μ². μ is the largest ratio of sensitivity to σ that (ε, δ) allows one Gaussian release. */
dp2dp_status dp2dpi_sgd_totals_sigma(const dp2dp_fit_options *options, double *sigma,
                                     dp2dp_error *error);
/* Releases the number of records of each group and, if records may be left out, the number of
 * records left out. Uses the event DP2DPI_SGD_TOTALS. */
dp2dp_status dp2dpi_sgd_totals(const dp2dp_pool *pool, dp2dpi_release *release, double *totals,
                               dp2dp_error *error);

#endif
