/* Solver `sgd`: Algorithm 1 of the paper made sound. Projected gradient steps on the smoothed dual,
 * every gradient a released sum over a Poisson sample of one public rate. */
#ifndef DP2DPI_PHASE2_SGD_H
#define DP2DPI_PHASE2_SGD_H

#include <dp2dp/fit.h>

#include "phase2/model.h"

enum {
    DP2DPI_SGD_STEPS = 100
};

/* Writes offsets, shares, ledger and the options as used. ARGUMENT unless the source is a pool. */
dp2dp_status dp2dpi_sgd_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                            dp2dp_model *model, dp2dp_error *error);

/* The pool behind the source, for the solver called name; ARGUMENT if the source is not a pool. */
dp2dp_status dp2dpi_solver_pool(const dp2dp_source *source, const char *name,
                                const dp2dp_pool **pool, dp2dp_error *error);

/* λ ← Π(λ − η (ρ ∓ v)) on [0, λ_max]^2K for two groups: v enters ∇_λ¹ as ρ − v, and w enters ∇_λ²
 * as ρ + w; sgd releases v once and uses it for both. Then ν, 2 × K: s (λ¹ − λ²), s = −1 and +1. */
void dp2dpi_sgd_step(double *lambda, const double *v, const double *w, size_t classes, double eta,
                     const dp2dp_fit_options *options, double *nu);

/* θ = ν/π̄ in place. If an offset of a group is beyond ±bound, the whole group is shifted and cut
 * at 2·bound above its lowest offset. This changes no decision if bound ≥ 1, since scores, dither
 * included, are from 0 to 2. */
void dp2dpi_sgd_offsets(double *nu, const double *shares, size_t strata, size_t classes,
                        double bound);

#endif
