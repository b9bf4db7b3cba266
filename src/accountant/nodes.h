/* The privacy loss of one release as quadrature nodes: points with a loss value and a weight. With
 * the nodes, the cumulant generating function K(λ) = log E_P[e^{λL}] = λ D_{1+λ}(P‖Q) is the
 * logarithm of a finite sum. Nodes serve to search for the best λ and to plan grids. So an error in
 * a node can make the final bound larger than necessary, but not wrong. */
#ifndef DP2DPI_ACCOUNTANT_NODES_H
#define DP2DPI_ACCOUNTANT_NODES_H

#include <stddef.h>

#include "accountant/loss.h"

typedef struct dp2dpi_nodes {
    dp2dpi_loss loss;
    double order_max; /* the nodes are accurate for −1 ≤ λ ≤ order_max */
    double infinity;  /* probability of an infinite loss, which the nodes leave out; the caller adds
                         it to δ */
    size_t n;         /* number of nodes; 0 for the Gaussian kind, which has a closed form */
    double *log_weight;
    double *value;
} dp2dpi_nodes;

/* Makes nodes that are accurate up to λ = out->order_max. out->order_max equals the argument
 * `order_max`, or is smaller if `order_max` would take too many nodes. If upper_limit > 0, leaves
 * out the largest losses, whose probability is at most upper_limit, as pld_pmf.h does. The nodes
 * then describe only the smaller losses, and few nodes are enough for any λ. Ownership: free with
 * dp2dpi_nodes_free. */
dp2dp_status dp2dpi_nodes_new(const dp2dpi_loss *loss, double order_max, double upper_limit,
                              dp2dpi_nodes *out, dp2dp_error *error);
void dp2dpi_nodes_free(dp2dpi_nodes *nodes);

/* The cumulant generating function k = log E_P[e^{λL}] of the loss L of one release, and mean,
 * variance and E|L| (magnitude) of the loss tilted by e^{λL}. */
typedef struct dp2dpi_cumulants {
    double k, mean, variance, magnitude;
} dp2dpi_cumulants;

/* Returns an estimate of log E_P[e^{λL}] of one release. Use it only to search and to plan;
 * divergence.h computes an upper bound. */
double dp2dpi_nodes_cgf(const dp2dpi_nodes *nodes, double lambda);
dp2dpi_cumulants dp2dpi_nodes_cumulants(const dp2dpi_nodes *nodes, double lambda);

#endif
