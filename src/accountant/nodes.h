/* The privacy loss of one release as quadrature nodes, for its cumulant generating function
 * K(λ) = log E_P[e^{λL}] = λ D_{1+λ}(P‖Q). */
#ifndef DP2DPI_ACCOUNTANT_NODES_H
#define DP2DPI_ACCOUNTANT_NODES_H

#include <stddef.h>

#include "accountant/loss.h"

typedef struct dp2dpi_nodes {
    dp2dpi_loss loss;
    double order_max; /* K is accurate for −1 ≤ λ ≤ order_max */
    double infinity;  /* P-mass at +∞, left out of K; the caller charges it to δ */
    size_t n;         /* 0 for the Gaussian, whose K has a closed form */
    double *log_weight;
    double *value;
} dp2dpi_nodes;

/* Nodes accurate up to order_max (lowered if that would take too many). With upper_limit > 0 the
 * loss is cut off where P has at most that much mass above, as its pmf will be; K then describes
 * the rest, and few nodes serve any order. Ownership: free with dp2dpi_nodes_free. */
dp2dp_status dp2dpi_nodes_new(const dp2dpi_loss *loss, double order_max, double upper_limit,
                              dp2dpi_nodes *out, dp2dp_error *error);
/* For one order that will be reported: enough nodes for the proven error of the rule. */
dp2dp_status dp2dpi_nodes_new_fine(const dp2dpi_loss *loss, double order, dp2dpi_nodes *out,
                                   dp2dp_error *error);
void dp2dpi_nodes_free(dp2dpi_nodes *nodes);

/* K, and under the tilted measure the mean, the variance and E|L| of one release. */
typedef struct dp2dpi_cumulants {
    double k, mean, variance, magnitude;
} dp2dpi_cumulants;

/* K with an absolute error of a few 1e-16 or, slower, with a relative one. */
double dp2dpi_nodes_cgf(const dp2dpi_nodes *nodes, double lambda);
double dp2dpi_nodes_cgf_accurate(const dp2dpi_nodes *nodes, double lambda);
dp2dpi_cumulants dp2dpi_nodes_cumulants(const dp2dpi_nodes *nodes, double lambda);

#endif
