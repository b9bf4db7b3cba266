#include "accountant/cgf.h"

#include <math.h>

#include "base/alloc.h"
#include "num/elementary.h"

static const double order_limit = 1e9;

dp2dp_status dp2dpi_cgf_new(const dp2dpi_composition *c, double order_max, double upper_limit,
                            dp2dpi_cgf *out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = (dp2dpi_cgf) {.order_max = order_max};
    DP2DPI_TRY(DP2DPI_ALLOC(out->nodes, c->n, "loss distributions", error));
    for (; out->n < c->n; out->n++) {
        const dp2dpi_loss *loss = &c->losses[out->n];
        dp2dpi_nodes *nodes = &out->nodes[out->n];
        double limit = upper_limit / (loss->count * (double)c->n);
        DP2DPI_TRY_OR_DONE(dp2dpi_nodes_new(loss, order_max, limit, nodes, error));
        out->infinity += loss->count * nodes->infinity;
        out->order_max = nodes->order_max < out->order_max ? nodes->order_max : out->order_max;
    }
    return DP2DP_STATUS_OK;
done:
    dp2dpi_cgf_free(out);
    return status;
}

void dp2dpi_cgf_free(dp2dpi_cgf *cgf) {
    for (size_t i = 0; i < cgf->n; i++) {
        dp2dpi_nodes_free(&cgf->nodes[i]);
    }
    dp2dpi_free(cgf->nodes);
    *cgf = (dp2dpi_cgf) {0};
}

/* Guesses an order that is above the best Rényi order. The guess may be too low; the caller then
 * tries a larger order. */
static double order_guess(const dp2dpi_composition *c) {
    double guess = 8.0;
    for (size_t i = 0; i < c->n; i++) {
        double shift = c->losses[i].shift;
        if (shift > 0.0 && 12.0 / shift > guess) {
            guess = 12.0 / shift;
        }
    }
    return guess < order_limit ? guess : order_limit;
}

double dp2dpi_cgf_at(const dp2dpi_cgf *cgf, double lambda) {
    double sum = 0.0;
    for (size_t i = 0; i < cgf->n; i++) {
        sum += cgf->nodes[i].loss.count * dp2dpi_nodes_cgf(&cgf->nodes[i], lambda);
    }
    return sum;
}

dp2dpi_cumulants dp2dpi_cgf_cumulants(const dp2dpi_cgf *cgf, double lambda) {
    dp2dpi_cumulants total = {0};
    for (size_t i = 0; i < cgf->n; i++) {
        double count = cgf->nodes[i].loss.count;
        dp2dpi_cumulants one = dp2dpi_nodes_cumulants(&cgf->nodes[i], lambda);
        total.k += count * one.k;
        total.mean += count * one.mean;
        total.variance += count * one.variance;
    }
    return total;
}

double dp2dpi_cgf_minimise(const dp2dpi_cgf *cgf, dp2dpi_range range, dp2dpi_objective objective,
                           const void *context) {
    const double golden = 0.61803398874989484820;
    double origin = range.origin, a = dp2dpi_log(range.low), b = dp2dpi_log(range.high);
    double x1 = b - golden * (b - a), x2 = a + golden * (b - a);
    double f1 = objective(cgf, origin + dp2dpi_exp(x1), context);
    double f2 = objective(cgf, origin + dp2dpi_exp(x2), context);
    while (b - a > range.tolerance) {
        if (f1 <= f2) {
            b = x2;
            x2 = x1;
            f2 = f1;
            x1 = b - golden * (b - a);
            f1 = objective(cgf, origin + dp2dpi_exp(x1), context);
        } else {
            a = x1;
            x1 = x2;
            f1 = f2;
            x2 = a + golden * (b - a);
            f2 = objective(cgf, origin + dp2dpi_exp(x2), context);
        }
    }
    return origin + dp2dpi_exp(0.5 * (a + b));
}

double dp2dpi_objective_epsilon(const dp2dpi_cgf *cgf, double lambda, const void *context) {
    double log_delta = *(const double *)context, order = 1.0 + lambda;
    return (dp2dpi_cgf_at(cgf, lambda) - log_delta - dp2dpi_log(order)) / lambda +
           dp2dpi_log(lambda / order);
}

double dp2dpi_objective_log_delta(const dp2dpi_cgf *cgf, double lambda, const void *context) {
    double epsilon = *(const double *)context, order = 1.0 + lambda;
    return dp2dpi_cgf_at(cgf, lambda) - lambda * epsilon + lambda * dp2dpi_log(lambda / order) -
           dp2dpi_log(order);
}

dp2dp_status dp2dpi_cgf_best_order(const dp2dpi_composition *c, dp2dpi_objective objective,
                                   const void *context, dp2dpi_cgf *cgf, double *lambda,
                                   dp2dp_error *error) {
    double order_max = order_guess(c);
    for (;;) {
        DP2DPI_TRY(dp2dpi_cgf_new(c, order_max, 0.0, cgf, error));
        *lambda = dp2dpi_cgf_minimise(cgf, (dp2dpi_range) {0.0, 1e-7, cgf->order_max, 1e-5},
                                      objective, context);
        if (*lambda < 0.9 * cgf->order_max || cgf->order_max < order_max ||
            order_max >= order_limit) {
            return DP2DP_STATUS_OK;
        }
        dp2dpi_cgf_free(cgf);
        order_max *= 4.0;
    }
}
