/* Composes releases: computes ε and δ of a list of losses, each repeated `count` times. The
 * functions with rdp in their name use Rényi divergences, those with pld use privacy-loss
 * distributions. Both methods round up. */
#ifndef DP2DPI_ACCOUNTANT_COMPOSE_H
#define DP2DPI_ACCOUNTANT_COMPOSE_H

#include <stddef.h>

#include "accountant/loss.h"

/* Releases about the same people, in one direction of the adjacency (event.h). If the noise is on a
 * grid, δ is larger by slack × (1 + e^ε) than for continuous noise. The functions below assume
 * continuous noise and ignore slack; the functions of backend.h add the slack. */
typedef struct dp2dpi_composition {
    const dp2dpi_loss *losses;
    size_t n;
    double slack;
    int exposed; /* 1 if something was released without noise, so no bound exists */
} dp2dpi_composition;

/* Computes the smallest ε ≥ 0 that Rényi accounting certifies at delta; sets *epsilon to INFINITY
 * if the probability of an infinite loss is delta or more. Fails with NO_BOUND if a divergence
 * cannot be bounded. */
dp2dp_status dp2dpi_rdp_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                dp2dp_error *error);
/* Computes the smallest ε ≥ 0 that PLD accounting certifies at delta. *renyi is an estimate of the
 * Rényi bound on ε; INFINITY if there is no estimate. */
dp2dp_status dp2dpi_pld_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                double *renyi, dp2dp_error *error);
/* Computes a cheap upper bound on δ(0), the total variation distance, from the KL divergence. */
dp2dp_status dp2dpi_rdp_total_variation(const dp2dpi_composition *c, double *bound,
                                        dp2dp_error *error);
/* Compute the smallest δ ≤ 1 that Rényi accounting (_rdp_) or PLD accounting (_pld_) certifies at
 * epsilon ≥ 0. */
dp2dp_status dp2dpi_rdp_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error);
dp2dp_status dp2dpi_pld_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error);

#endif
