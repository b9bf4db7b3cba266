/* The releases of Algorithm 1 as printed, and their cost: by the paper's accounting, and soundly.
 * For reproduction. */
#ifndef DP2DPI_PHASE2_PUBLISHED_RELEASE_H
#define DP2DPI_PHASE2_PUBLISHED_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/release.h"
#include "phase2/published_price.h"
#include "phase2/sgd_sum.h"

typedef struct dp2dpi_published_releases {
    const dp2dp_pool *pool;
    const dp2dp_fit_options *options; /* used only while it is being made */
    dp2dpi_release release;           /* the events of sgd_release.h; it also draws the batches */
    dp2dpi_published_price price;
    uint64_t batch;
    double beta;
    double epsilon_claimed;
    double *x; /* scratch: K */
} dp2dpi_published_releases;

/* Calibrates by the paper's accounting, computes the sound cost of the result, and charges that: to
 * options->ledger, which may refuse, then to *own, the model's ledger. options are as used: steps
 * at least 1, batch at most N. Ownership: free with dp2dpi_published_releases_free, also after
 * failure. */
dp2dp_status dp2dpi_published_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                           dp2dp_ledger *own, dp2dpi_published_releases *out,
                                           dp2dp_error *error);
void dp2dpi_published_releases_free(dp2dpi_published_releases *releases);

/* N π̄_s with independent noise on each. NO_BOUND if one is too low for the public bound on group
 * sizes: what was charged stays charged. */
dp2dp_status dp2dpi_published_totals(dp2dpi_published_releases *r, double *totals,
                                     dp2dp_error *error);
/* (1/b)(Σ_j u(x̄_j, s̄_j) − ρ + Z), 2K numbers with independent noise. b times, a fair coin picks a
 * group and then one of its members is drawn, with replacement. An empty group adds nothing. */
dp2dp_status dp2dpi_published_gradient(dp2dpi_published_releases *r, const double *shares,
                                       const double *nu, double *out, dp2dp_error *error);

#endif
