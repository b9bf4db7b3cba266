/* Composes releases: ε and δ of a list of losses, each repeated `count` times.
 *
 * RDP and PLD answer the same question independently; both round up. */
#ifndef DP2DPI_ACCOUNTANT_COMPOSE_H
#define DP2DPI_ACCOUNTANT_COMPOSE_H

#include <stddef.h>

#include "accountant/loss.h"

/* Releases on the same people, one direction of the adjacency, with ideal noise. */
typedef struct dp2dpi_composition {
    const dp2dpi_loss *losses;
    size_t n;
} dp2dpi_composition;

/* Smallest certified ε ≥ 0 at delta; INFINITY (status OK) if this method has none. */
dp2dp_status dp2dpi_rdp_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                dp2dp_error *error);
/* *renyi: roughly the Rényi bound over cheap orders; INFINITY if there is none. */
dp2dp_status dp2dpi_pld_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                double *renyi, dp2dp_error *error);
/* Upper bound on δ(0), the total variation distance, from the KL divergence; cheap. */
dp2dp_status dp2dpi_rdp_total_variation(const dp2dpi_composition *c, double *bound,
                                        dp2dp_error *error);
/* Smallest certified δ ≤ 1 at epsilon ≥ 0. */
dp2dp_status dp2dpi_rdp_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error);
dp2dp_status dp2dpi_pld_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error);

#endif
