/* Computes the cumulant generating function (cgf) of a composition, K(λ) = Σ_i T_i K_i(λ). T_i
 * counts how often release i occurs, and nodes.h computes K_i. Also searches for the λ that gives
 * the best bound on ε or δ. */
#ifndef DP2DPI_ACCOUNTANT_CGF_H
#define DP2DPI_ACCOUNTANT_CGF_H

#include "accountant/compose.h"
#include "accountant/nodes.h"

typedef struct dp2dpi_cgf {
    size_t n;
    dp2dpi_nodes *nodes;
    double order_max;
    double infinity; /* probability of an infinite loss, summed over all releases */
} dp2dpi_cgf;

/* Makes the quadrature nodes (nodes.h) of every loss. The nodes are accurate up to λ =
 * out->order_max, which is `order_max` or less. If upper_limit > 0, cuts off the largest losses of
 * each release (nodes.h). The probability of these losses, summed over all releases, is at most
 * upper_limit. */
dp2dp_status dp2dpi_cgf_new(const dp2dpi_composition *c, double order_max, double upper_limit,
                            dp2dpi_cgf *out, dp2dp_error *error);
void dp2dpi_cgf_free(dp2dpi_cgf *cgf);

double dp2dpi_cgf_at(const dp2dpi_cgf *cgf, double lambda);
/* Returns the cumulant generating function at λ, and mean and variance of the loss tilted by
 * e^{λL}, each summed over all releases. The field `magnitude` is always 0. */
dp2dpi_cumulants dp2dpi_cgf_cumulants(const dp2dpi_cgf *cgf, double lambda);

/* dp2dpi_cgf_minimise returns the λ in (origin + low, origin + high) that minimises a quasi-convex
 * objective. It uses golden-section search in log(λ − origin), until the interval of these
 * logarithms is at most `tolerance` wide. */
typedef double (*dp2dpi_objective)(const dp2dpi_cgf *cgf, double lambda, const void *context);
typedef struct dp2dpi_range {
    double origin, low, high, tolerance;
} dp2dpi_range;
double dp2dpi_cgf_minimise(const dp2dpi_cgf *cgf, dp2dpi_range range, dp2dpi_objective objective,
                           const void *context);

/* Builds the cgf and finds the λ > 0 that minimises the objective. If this λ is close to order_max,
 * builds the cgf again with a larger order_max, as long as order_max can be raised. */
dp2dp_status dp2dpi_cgf_best_order(const dp2dpi_composition *c, dp2dpi_objective objective,
                                   const void *context, dp2dpi_cgf *cgf, double *lambda,
                                   dp2dp_error *error);

/* Objectives for dp2dpi_cgf_minimise that convert Rényi divergences: dp2dpi_objective_epsilon
 * returns ε at log δ = *context, and dp2dpi_objective_log_delta returns log δ at ε = *context. The
 * result may be below 0. */
double dp2dpi_objective_epsilon(const dp2dpi_cgf *cgf, double lambda, const void *context);
double dp2dpi_objective_log_delta(const dp2dpi_cgf *cgf, double lambda, const void *context);

#endif
