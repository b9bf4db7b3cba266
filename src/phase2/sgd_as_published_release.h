/* Makes the releases of Algorithm 1 as printed, with the cost that the paper claims and a sound
 * cost. Use it only to reproduce the paper. */
#ifndef DP2DPI_PHASE2_SGD_AS_PUBLISHED_RELEASE_H
#define DP2DPI_PHASE2_SGD_AS_PUBLISHED_RELEASE_H

#include <dp2dp/fit.h>

#include "mechanism/release.h"
#include "phase2/sgd_as_published_price.h"
#include "phase2/sgd_sum.h"

typedef struct dp2dpi_published_releases {
    const dp2dp_pool *pool;
    const dp2dp_fit_options *options; /* used only by dp2dpi_published_releases_new */
    /* The events have the indices of sgd_release.h. The generator release.rng draws the batches as
     * well as the noise. */
    dp2dpi_release release;
    dp2dpi_published_price price;
    uint64_t batch;
    double beta;
    double epsilon_claimed;
} dp2dpi_published_releases;

/* Calibrates the noise by the paper's accounting and computes the sound cost of this noise. Charges
 * the sound cost first to options->ledger, which may refuse the charge, and then to *own, the
 * model's ledger. The options must be resolved: steps at least 1, and batch at most the number of
 * records.
 *
 * Fails with ARGUMENT if no privacy bound is known for this pool or these options. Ownership: free
 * with dp2dpi_published_releases_free, also after failure. */
dp2dp_status dp2dpi_published_releases_new(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                           dp2dp_ledger *own, dp2dpi_published_releases *out,
                                           dp2dp_error *error);
void dp2dpi_published_releases_free(dp2dpi_published_releases *releases);

/* Releases the group sizes with independent noise. Fails with NO_BOUND if a noisy size is below
 * price.count_least; the charge then stays in the ledger. */
dp2dp_status dp2dpi_published_totals(dp2dpi_published_releases *r, double *totals,
                                     dp2dp_error *error);
/* Releases the noisy mean gradient, with two numbers per class: (1/b)(Σ_j (u_j − ρ) + Z). u_j is
 * the gradient of draw j as printed in the paper, b the batch size, ρ the tolerance and Z
 * independent noise. Each draw flips a fair coin to pick a group, and then picks a member of this
 * group, with replacement. An empty group adds nothing. */
dp2dp_status dp2dpi_published_gradient(dp2dpi_published_releases *r, const double *shares,
                                       const double *nu, double *out, dp2dp_error *error);

#endif
