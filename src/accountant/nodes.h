/* The privacy loss of one release as quadrature nodes, for its cumulant generating function
 * K(λ) = log E_P[e^{λL}] = λ D_{1+λ}(P‖Q). Nodes serve searches and plans, where an error costs
 * tightness only. */
#ifndef DP2DPI_ACCOUNTANT_NODES_H
#define DP2DPI_ACCOUNTANT_NODES_H

#include <stddef.h>

#include "accountant/loss.h"

typedef struct dp2dpi_nodes {
    dp2dpi_loss loss;
    double order_max; /* K is accurate for −1 ≤ λ ≤ order_max */
    double infinity; /* probability of L = +∞ under P, left out of K; the caller charges it to δ */
    size_t n;        /* 0 for the Gaussian, whose K has a closed form */
    double *log_weight;
    double *value;
} dp2dpi_nodes;

/* Makes nodes that are accurate up to λ = order_max, or up to a lower λ if order_max would take too
 * many nodes; out->order_max says which. If upper_limit > 0, the loss is cut off where at most
 * upper_limit of P-mass lies above, as pld_pmf.h does; K then describes the rest, and few nodes are
 * enough for any λ. Ownership: free with dp2dpi_nodes_free. */
dp2dp_status dp2dpi_nodes_new(const dp2dpi_loss *loss, double order_max, double upper_limit,
                              dp2dpi_nodes *out, dp2dp_error *error);
void dp2dpi_nodes_free(dp2dpi_nodes *nodes);

/* K(λ); and mean, variance and E|L| of the loss L of one release after tilting by e^{λL}. */
typedef struct dp2dpi_cumulants {
    double k, mean, variance, magnitude;
} dp2dpi_cumulants;

/* Returns K(λ) of one release, for searches and plans. divergence.h has an upper bound. */
double dp2dpi_nodes_cgf(const dp2dpi_nodes *nodes, double lambda);
dp2dpi_cumulants dp2dpi_nodes_cumulants(const dp2dpi_nodes *nodes, double lambda);

#endif
