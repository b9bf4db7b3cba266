#ifndef DP2DPI_ACCOUNTANT_RENYI_H
#define DP2DPI_ACCOUNTANT_RENYI_H

#include "accountant/loss.h"

/* Returns an ε that holds at δ = delta if the Rényi divergence D of order α = 1 + lambda is at most
 * `divergence`: ε = D + log(1 − 1/α) − log(δα)/(α − 1). The result is rounded up and at least 0. It
 * is INFINITY if ε overflows. */
double dp2dpi_renyi_to_epsilon(double lambda, double divergence, double delta);

/* Returns (α−1) D_α for α = order, where D_α is the Rényi divergence of Poisson sampling at rate q
 * under add/remove adjacency (mixture against normal). For an integer order, sums a finite binomial
 * series; for a fractional order, two infinite series with alternating tails. Returns NAN if the
 * series cannot be summed. */
double dp2dpi_renyi_series(double shift, double q, double order);

/* Computes (α−1) D_α of one release at order α, rounded up, by closed form, series or quadrature.
 * D_α is the Rényi divergence. Fails with NO_BOUND for a declared δ > 0. */
dp2dp_status dp2dpi_renyi_cgf(const dp2dpi_loss *loss, double order, double *out,
                              dp2dp_error *error);

#endif
