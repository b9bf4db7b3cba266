/* What every solver returns, and the steps they share. */
#ifndef DP2DPI_PHASE2_RULE_H
#define DP2DPI_PHASE2_RULE_H

#include <stddef.h>

/* Group shares from noisy counts (spec of the release): the excess over N is taken off equally,
 * then a floor, then division by the sum. */
void dp2dpi_rule_shares(const double *counts, size_t events, double records, double floor_share,
                        double *shares);

/* The proximal step of (ρ/2) Σ π_g |θ_gk| under Σ_g π_g θ_gk = 0, for one class: θ_g = soft(x_g −
 * τ, κ) with τ such that the weighted sum is 0. stride is the distance between groups in x. */
void dp2dpi_rule_prox(double *x, size_t events, size_t stride, const double *shares, double kappa,
                      double offset_max);

#endif
