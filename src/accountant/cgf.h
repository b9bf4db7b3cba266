/* Adds up the nodes of all losses of a composition, K(λ) = Σ T K_i(λ), and searches over λ. */
#ifndef DP2DPI_ACCOUNTANT_CGF_H
#define DP2DPI_ACCOUNTANT_CGF_H

#include "accountant/compose.h"
#include "accountant/nodes.h"

typedef struct dp2dpi_cgf {
    size_t n;
    dp2dpi_nodes *nodes;
    double order_max;
    double infinity; /* total P-mass at +∞ */
} dp2dpi_cgf;

/* Nodes for every loss, accurate up to order_max if possible; with upper_limit > 0, cut off so that
 * all releases together leave out at most that much mass (see nodes.h). */
dp2dp_status dp2dpi_cgf_new(const dp2dpi_composition *c, double order_max, double upper_limit,
                            dp2dpi_cgf *out, dp2dp_error *error);
void dp2dpi_cgf_free(dp2dpi_cgf *cgf);

double dp2dpi_cgf_at(const dp2dpi_cgf *cgf, double lambda);
/* Sums over all releases of K, mean, variance of the tilted loss. */
dp2dpi_cumulants dp2dpi_cgf_cumulants(const dp2dpi_cgf *cgf, double lambda);

/* Minimum over λ in (origin + low, origin + high) of a quasi-convex objective. It uses golden
 * section in log(λ − origin), to the given tolerance. */
typedef double (*dp2dpi_objective)(const dp2dpi_cgf *cgf, double lambda, const void *context);
typedef struct dp2dpi_range {
    double origin, low, high, tolerance;
} dp2dpi_range;
double dp2dpi_cgf_minimise(const dp2dpi_cgf *cgf, dp2dpi_range range, dp2dpi_objective objective,
                           const void *context);

/* Builds the cgf and finds the λ > 0 that minimises the objective, growing the cgf until the
 * optimum is well inside it. */
dp2dp_status dp2dpi_cgf_best_order(const dp2dpi_composition *c, dp2dpi_objective objective,
                                   const void *context, dp2dpi_cgf *cgf, double *lambda,
                                   dp2dp_error *error);

/* Objectives: ε of the Rényi conversion at log δ = *context, and log δ at ε = *context; without the
 * floor at 0. */
double dp2dpi_objective_epsilon(const dp2dpi_cgf *cgf, double lambda, const void *context);
double dp2dpi_objective_log_delta(const dp2dpi_cgf *cgf, double lambda, const void *context);

#endif
