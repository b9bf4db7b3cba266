#include "phase2/sgd_as_published.h"

#include <math.h>

#include "base/alloc.h"
#include "phase2/sgd.h"
#include "phase2/sgd_as_published_release.h"

/* Takes all steps. u is the released gradient without ρ; u¹ and u² are its two halves. The
 * gradients with respect to the two multipliers are ρ + u¹ and ρ + u², so dp2dpi_sgd_step gets v =
 * −u¹ and w = u². */
static dp2dp_status iterate(dp2dpi_published_releases *r, const dp2dp_fit_options *options,
                            const double *shares, double *nu, double *u, double *lambda,
                            dp2dp_error *error) {
    size_t classes = r->pool->classes;
    for (uint64_t t = 1; t <= options->steps; t++) {
        DP2DPI_TRY(dp2dpi_published_gradient(r, shares, nu, u, error));
        for (size_t k = 0; k < classes; k++) {
            u[k] = -u[k];
        }
        dp2dpi_sgd_step(lambda, u, u + classes, classes, options->step_size / sqrt((double)t),
                        options, nu);
        DP2DPI_TRY(dp2dpi_fit_progress(options, t, options->steps, error));
    }
    return DP2DP_STATUS_OK;
}

/* Releases the group counts and computes the offsets. Shares below share_floor are raised to
 * share_floor, because dp2dpi_sgd_offsets divides by the shares (in the paper, the rule does not).
 */
static dp2dp_status solve(dp2dpi_published_releases *r, const dp2dp_fit_options *options, double *u,
                          double *offsets, double *shares, dp2dp_error *error) {
    size_t classes = r->pool->classes;
    double totals[2], *lambda = u + 2 * classes;
    DP2DPI_TRY(dp2dpi_published_totals(r, totals, error));
    for (size_t e = 0; e < 2; e++) {
        double share = totals[e] / (double)r->pool->records;
        shares[e] = share > options->share_floor ? share : options->share_floor;
    }
    DP2DPI_TRY(iterate(r, options, shares, offsets, u, lambda, error));
    dp2dpi_sgd_offsets(offsets, shares, 2, classes, options->offset_max);
    double sum = shares[0] + shares[1]; /* in the algorithm as printed, the shares need not sum to
                                           1 */
    shares[0] /= sum;
    shares[1] /= sum;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_published_fit(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                  dp2dp_model *model, dp2dp_error *error) {
    dp2dpi_published_releases releases;
    double *u;
    dp2dp_status status = DP2DP_STATUS_OK;
    /* All memory is allocated first, because a failure after the charge would waste budget. */
    DP2DPI_TRY(DP2DPI_ALLOC(u, 4 * pool->classes, "a solver", error));
    DP2DPI_TRY_OR_DONE(
        dp2dpi_published_releases_new(pool, options, model->ledger, &releases, error));
    model->info.epsilon_claimed = releases.epsilon_claimed;
    if (releases.release.noisy && !releases.price.bounded) {
        model->info.not_private_because |= DP2DP_NOT_PRIVATE_NO_BOUND;
    }
    DP2DPI_TRY_OR_DONE(solve(&releases, options, u, model->offsets, model->shares, error));
done:
    dp2dpi_published_releases_free(&releases);
    dp2dpi_free(u);
    return status;
}
