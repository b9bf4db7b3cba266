/* Solver `sgd`: Algorithm 1 of the paper made sound. It takes projected gradient steps on the
 * smoothed dual. Every gradient is a released sum over a Poisson sample of one public rate. */
#ifndef DP2DPI_PHASE2_SGD_H
#define DP2DPI_PHASE2_SGD_H

#include <dp2dp/fit.h>

#include "phase2/model.h"

enum {
    DP2DPI_SGD_STEPS = 100
};

/* Writes the offsets, shares and ledger of *model. */
dp2dp_status dp2dpi_sgd_fit(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                            dp2dp_model *model, dp2dp_error *error);

/* Takes one step of length η for two groups: λ¹ ← Π(λ¹ − η (ρ − v)) and λ² ← Π(λ² − η (ρ + w)). λ¹
 * and λ² are the multipliers, v and w released differences between the groups' rates (K numbers
 * each), ρ is the tolerance, and Π projects onto [0, λ_max]^K. Solver sgd releases v once and
 * passes it as w too. Then writes ν = s (λ¹ − λ²), 2 × K, with s = −1 for the first group and +1
 * for the second. */
void dp2dpi_sgd_step(double *lambda, const double *v, const double *w, size_t classes, double eta,
                     const dp2dp_fit_options *options, double *nu);

/* Replaces ν by the offsets θ = ν/π̄, where π̄ are the shares. If a group has an offset outside
 * ±bound, all its offsets are shifted until the lowest is −bound, and those above bound are cut to
 * bound. This changes no decision if bound ≥ 1, since scores, dither included, are from 0 to 2. */
void dp2dpi_sgd_offsets(double *nu, const double *shares, size_t strata, size_t classes,
                        double bound);

#endif
