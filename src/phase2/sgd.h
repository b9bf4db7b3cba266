/* Solver `sgd`: Algorithm 1 of the paper with a sound privacy proof. It takes projected gradient
 * steps on the smoothed dual. Every gradient is a released sum over a Poisson sample at a public
 * rate. */
#ifndef DP2DPI_PHASE2_SGD_H
#define DP2DPI_PHASE2_SGD_H

#include <dp2dp/fit.h>

#include "decide/model.h"

enum {
    DP2DPI_SGD_STEPS = 100
};

dp2dp_status dp2dpi_sgd_fit(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                            dp2dp_model *model, dp2dp_error *error);

/* Takes one step of length η for two groups, then writes ν for each group:
 *     λ¹ ← Π(λ¹ − η (ρ − v)),   λ² ← Π(λ² − η (ρ + w)),   ν = s (λ¹ − λ²).
 * lambda holds the multipliers λ¹ and λ², and ρ is the tolerance. Π clamps to [0, lambda_max]. s is
 * −1 for the first group and +1 for the second. v and w are released differences between the
 * groups' rates, with one number per class. Solver sgd passes the same numbers as v and as w. */
void dp2dpi_sgd_step(double *lambda, const double *v, const double *w, size_t classes, double eta,
                     const dp2dp_fit_options *options, double *nu);

/* Divides ν by the shares to get the offsets. If a group has an offset outside ±bound, shifts all
 * offsets of the group until the lowest is −bound, and reduces offsets above bound to bound. If
 * bound ≥ 1, this step changes no decision: a reduced offset still exceeds the lowest offset by 2
 * or more, and scores with their dither are from 0 to 2. */
void dp2dpi_sgd_offsets(double *nu, const double *shares, size_t strata, size_t classes,
                        double bound);

#endif
