/* The Rényi back-end: searches for the best order with quadrature nodes (nodes.h), then computes an
 * upper bound on the divergence at that order. */
#include <math.h>

#include "accountant/cgf.h"
#include "accountant/compose.h"
#include "accountant/divergence.h"
#include "accountant/renyi.h"
#include "num/elementary.h"

/* Computes the Rényi divergence of order α = 1 + λ of the whole composition, times λ, rounded up.
 * Leaves out the probability of an infinite loss, which the caller adds to δ. */
static dp2dp_status total_cgf(const dp2dpi_cgf *cgf, double lambda, double *out,
                              dp2dp_error *error) {
    double sum = 0.0;
    for (size_t i = 0; i < cgf->n; i++) {
        const dp2dpi_nodes *nodes = &cgf->nodes[i];
        double one;
        if (nodes->infinity > 0.0) {
            one = dp2dpi_divergence_of_masses(nodes, lambda);
        } else {
            DP2DPI_TRY(dp2dpi_renyi_cgf(&nodes->loss, 1.0 + lambda, &one, error));
        }
        sum += nodes->loss.count * one;
    }
    *out = sum * (1.0 + DP2DPI_ULP * ((double)cgf->n + 2.0));
    return DP2DP_STATUS_OK;
}

/* Bounds the total variation distance δ(0) by √(1 − e^{−KL}), where KL is the KL divergence. KL is
 * at most the Rényi divergence of any order above 1, so an order close to 1 is good enough and
 * needs no search. */
dp2dp_status dp2dpi_rdp_total_variation(const dp2dpi_composition *c, double *bound,
                                        dp2dp_error *error) {
    const double lambda = 1e-3;
    dp2dpi_cgf cgf;
    double total = 0.0;
    DP2DPI_TRY(dp2dpi_cgf_new(c, lambda, 0.0, &cgf, error));
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(total_cgf(&cgf, lambda, &total, error));
    double distance = sqrt(-dp2dpi_expm1(-total / lambda)) * (1.0 + 1e-14) + cgf.infinity;
    *bound = distance < 1.0 ? distance : 1.0;
done:
    dp2dpi_cgf_free(&cgf);
    return status;
}

dp2dp_status dp2dpi_rdp_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                dp2dp_error *error) {
    dp2dpi_cgf cgf;
    double lambda, log_delta = dp2dpi_log(delta), distance;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_rdp_total_variation(c, &distance, error));
    if (distance <= delta) {
        *epsilon = 0.0;
        return DP2DP_STATUS_OK;
    }
    *epsilon = INFINITY;
    DP2DPI_TRY(
        dp2dpi_cgf_best_order(c, dp2dpi_objective_epsilon, &log_delta, &cgf, &lambda, error));
    double total, delta_left = (delta - cgf.infinity) * (1.0 - 4.0 * DP2DPI_ULP);
    if (delta_left > 0.0) {
        DP2DPI_TRY_OR_DONE(total_cgf(&cgf, lambda, &total, error));
        *epsilon = dp2dpi_renyi_to_epsilon(lambda, total / lambda, delta_left);
    }
done:
    dp2dpi_cgf_free(&cgf);
    return status;
}

dp2dp_status dp2dpi_rdp_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error) {
    dp2dpi_cgf cgf;
    double lambda, total, distance;
    DP2DPI_TRY(
        dp2dpi_cgf_best_order(c, dp2dpi_objective_log_delta, &epsilon, &cgf, &lambda, error));
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(total_cgf(&cgf, lambda, &total, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_rdp_total_variation(c, &distance, error));
    double order = 1.0 + lambda;
    double log_delta =
        total - lambda * epsilon + lambda * dp2dpi_log(lambda / order) - dp2dpi_log(order);
    double found =
        dp2dpi_exp(log_delta + 8.0 * DP2DPI_ULP * (fabs(total) + lambda * epsilon + 1.0));
    found = found + cgf.infinity < distance ? found + cgf.infinity : distance;
    *delta = found < 1.0 ? dp2dpi_round_up(found, 2) : 1.0;
done:
    dp2dpi_cgf_free(&cgf);
    return status;
}
