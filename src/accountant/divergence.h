/* Upper bounds on (α−1) D_α = K(λ) = log E_P[e^{λL}], λ = α − 1, by quadrature. Every error of the
 * quadrature and of rounding is charged (docs/proofs/renyi.md). */
#ifndef DP2DPI_ACCOUNTANT_DIVERGENCE_H
#define DP2DPI_ACCOUNTANT_DIVERGENCE_H

#include "accountant/nodes.h"

/* Computes K(λ) of one release. Fails with NO_BOUND if too many nodes would be needed, or if P has
 * mass at infinity. */
dp2dp_status dp2dpi_divergence_cgf(const dp2dpi_loss *loss, double lambda, double *out,
                                   dp2dp_error *error);
/* Returns K(λ) of the point masses of a declared guarantee or of sampling with replacement. Leaves
 * out the mass at infinity, which the caller charges to δ. */
double dp2dpi_divergence_of_masses(const dp2dpi_nodes *nodes, double lambda);
/* Returns log(1 + e^log_excess), rounded up. */
double dp2dpi_divergence_from_excess(double log_excess);

#endif
