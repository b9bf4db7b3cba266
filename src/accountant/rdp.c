/* The Rényi back-end: one order, chosen by search, then every divergence at that order as
 * accurately as it can be had. */
#include <math.h>

#include "accountant/cgf.h"
#include "accountant/compose.h"
#include "accountant/renyi.h"
#include "num/elementary.h"

/* (α−1) D_α of the whole composition at order α = 1 + λ, rounded up; mass at infinity is left to
 * the caller. */
static dp2dp_status total_cgf(const dp2dpi_cgf *cgf, double lambda, double *out,
                              dp2dp_error *error) {
    double sum = 0.0;
    for (size_t i = 0; i < cgf->n; i++) {
        const dp2dpi_nodes *nodes = &cgf->nodes[i];
        double one;
        if (nodes->infinity > 0.0) {
            one = dp2dpi_nodes_cgf_accurate(nodes, lambda) * (1.0 + 1e-12);
        } else {
            dp2dp_status status = dp2dpi_renyi_cgf(&nodes->loss, 1.0 + lambda, &one, error);
            if (status != DP2DP_STATUS_OK) {
                return status;
            }
        }
        sum += nodes->loss.count * one;
    }
    *out = sum;
    return DP2DP_STATUS_OK;
}

/* Near order 1 the divergence is the KL divergence, whose bound on δ at ε = 0, √(1 − e^{−KL}),
 * needs no order at all. */
dp2dp_status dp2dpi_rdp_total_variation(const dp2dpi_composition *c, double *bound,
                                        dp2dp_error *error) {
    const double lambda = 1e-3;
    dp2dpi_cgf cgf;
    double total = 0.0;
    dp2dp_status status = dp2dpi_cgf_new(c, lambda, 0.0, &cgf, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    status = total_cgf(&cgf, lambda, &total, error);
    if (status == DP2DP_STATUS_OK) {
        double distance = sqrt(-dp2dpi_expm1(-total / lambda)) * (1.0 + 1e-14) + cgf.infinity;
        *bound = distance < 1.0 ? distance : 1.0;
    }
    dp2dpi_cgf_free(&cgf);
    return status;
}

dp2dp_status dp2dpi_rdp_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                dp2dp_error *error) {
    dp2dpi_cgf cgf;
    double lambda, log_delta = dp2dpi_log(delta), distance;
    *epsilon = INFINITY;
    dp2dp_status status = dp2dpi_rdp_total_variation(c, &distance, error);
    if (status != DP2DP_STATUS_OK || distance <= delta) {
        *epsilon = 0.0;
        return status;
    }
    status = dp2dpi_cgf_best_order(c, dp2dpi_objective_epsilon, &log_delta, &cgf, &lambda, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    double total, room = (delta - cgf.infinity) * (1.0 - 4.0 * DP2DPI_ULP);
    if (room > 0.0 && (status = total_cgf(&cgf, lambda, &total, error)) == DP2DP_STATUS_OK) {
        *epsilon = dp2dpi_renyi_to_epsilon(lambda, total / lambda, room);
    }
    dp2dpi_cgf_free(&cgf);
    return status;
}

dp2dp_status dp2dpi_rdp_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error) {
    dp2dpi_cgf cgf;
    double lambda, total, distance;
    dp2dp_status status =
        dp2dpi_cgf_best_order(c, dp2dpi_objective_log_delta, &epsilon, &cgf, &lambda, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    status = total_cgf(&cgf, lambda, &total, error);
    if (status == DP2DP_STATUS_OK &&
        (status = dp2dpi_rdp_total_variation(c, &distance, error)) == DP2DP_STATUS_OK) {
        double order = 1.0 + lambda;
        double log_delta =
            total - lambda * epsilon + lambda * dp2dpi_log(lambda / order) - dp2dpi_log(order);
        double found =
            dp2dpi_exp(log_delta + 8.0 * DP2DPI_ULP * (fabs(total) + lambda * epsilon + 1.0));
        found = found + cgf.infinity < distance ? found + cgf.infinity : distance;
        *delta = found < 1.0 ? dp2dpi_round_up(found, 2) : 1.0;
    }
    dp2dpi_cgf_free(&cgf);
    return status;
}
