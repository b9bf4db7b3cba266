/* The releases of Algorithm 1 as it is printed, and what they cost: by the paper's accounting, and
 * soundly. For reproduction. */
#ifndef DP2DPI_PHASE2_PUBLISHED_RELEASE_H
#define DP2DPI_PHASE2_PUBLISHED_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/mechanism.h"
#include "phase2/sgd_sum.h"
#include "rng/rng.h"

typedef struct dp2dpi_published_releases {
    const dp2dp_pool *pool;
    dp2dpi_rng *rng;
    dp2dp_ledger *drawn; /* what hands out the noise; the price is in the ledgers of the fit */
    dp2dpi_charge *totals;
    dp2dpi_charge *sums;
    int noisy;
    int grid_bits;
    uint64_t batch;
    double beta;
    double count_least; /* noisy counts below this end the fit; −∞: no bound depends on them */
    double epsilon_claimed;
    int bounded;  /* 0: no sound bound but that of a batch replaced as a whole */
    int64_t *sum; /* scratch: 2 K */
    double *x;    /* scratch: K */
} dp2dpi_published_releases;

/* Calibrates by the paper's accounting, prices the result soundly, and charges that: to
 * options->ledger, which may refuse, then to *ledger, the model's own. options are as used: steps
 * at least 1, batch at most N. Ownership: free with dp2dpi_published_releases_free, also after
 * failure. */
dp2dp_status dp2dpi_published_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                           dp2dp_ledger *ledger, dp2dpi_published_releases *out,
                                           dp2dp_error *error);
void dp2dpi_published_releases_free(dp2dpi_published_releases *releases);

/* N π̄_s with independent noise on each. NO_BOUND if one of them is too low for the public bound on
 * group sizes: what was charged stays charged. */
dp2dp_status dp2dpi_published_totals(dp2dpi_published_releases *r, double *totals,
                                     dp2dp_error *error);
/* (1/b)(Σ_j u(x̄_j, s̄_j) − ρ + Z), 2K numbers with noise of their own: b times a group by a fair
 * coin, then one of its members, with replacement. An empty group adds nothing. */
dp2dp_status dp2dpi_published_gradient(dp2dpi_published_releases *r, const double *shares,
                                       const double *nu, double *out, dp2dp_error *error);

#endif
