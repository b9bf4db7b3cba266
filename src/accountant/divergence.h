/* Upper bounds on K(λ) = log E_P[e^{λL}], the cumulant generating function of the loss L, by
 * quadrature. K(λ) is λ times the Rényi divergence of order 1 + λ. Bounds on all errors of
 * quadrature and rounding are added to the result (docs/proofs/renyi.md). */
#ifndef DP2DPI_ACCOUNTANT_DIVERGENCE_H
#define DP2DPI_ACCOUNTANT_DIVERGENCE_H

#include "accountant/nodes.h"

/* Computes log E_P[e^{λL}] of one release. Fails with NO_BOUND if too many nodes would be needed,
 * or if an infinite loss has positive probability. */
dp2dp_status dp2dpi_divergence_cgf(const dp2dpi_loss *loss, double lambda, double *out,
                                   dp2dp_error *error);
/* Returns log E_P[e^{λL}] for the point masses that describe a declared guarantee or sampling with
 * replacement. Leaves out the probability of an infinite loss, which the caller adds to δ. */
double dp2dpi_divergence_of_masses(const dp2dpi_nodes *nodes, double lambda);
double dp2dpi_divergence_from_excess(double log_excess);

#endif
