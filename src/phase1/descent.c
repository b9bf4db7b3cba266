#include "phase1/descent.h"

#include <math.h>

#include "base/alloc.h"

enum {
    LEAST_BITS = 22 /* of the grid on which the gradient's norm is checked */
};

/* In units of clip, so that the noise that is charged does not depend on it. The rate is the one
 * that a mask has, a multiple of 2^-64. */
static dp2dp_event describe(const dp2dpi_examples *e, const dp2dp_train_options *options) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 2.0; /* each of two records has norm 1 at most */
    event.count = options->steps;
    event.coordinates = dp2dpi_examples_cells(e);
    event.label = "gradient sums";
    if (options->method == DP2DP_TRAIN_DPSGD) {
        double rate = (double)options->batch / (double)e->rows->count;
        event.mechanism = DP2DP_POISSON;
        event.rate = rate < 1.0 ? ldexp(ceil(ldexp(rate, 64)), -64) : 1.0;
    }
    return event;
}

dp2dp_status dp2dpi_descent_new(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_descent *out, dp2dp_error *error) {
    void *mask = NULL;
    *out = (dp2dpi_descent) {.clip = options->clip, .batch = (double)e->rows->count};
    dp2dp_event event = describe(e, options);
    dp2dp_status status = dp2dpi_gradient_new(e, &out->gradient, error);
    if (status == DP2DP_STATUS_OK && event.mechanism == DP2DP_POISSON) {
        out->batch *= event.rate;
        status = dp2dpi_alloc_for("a sampling mask", e->rows->count, 1, &mask, error);
        out->mask = mask;
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_paid_new(options, &event, (double)e->rows->count, LEAST_BITS, own,
                                 &out->paid, error);
    }
    return status;
}

void dp2dpi_descent_free(dp2dpi_descent *d) {
    if (d->mask) {
        dp2dpi_wipe(d->mask, d->gradient.examples->rows->count);
    }
    dp2dpi_free(d->mask);
    dp2dpi_paid_free(&d->paid);
    dp2dpi_gradient_free(&d->gradient);
    *d = (dp2dpi_descent) {0};
}

dp2dp_status dp2dpi_descent_release(dp2dpi_descent *d, const double *weights, double *out,
                                    dp2dp_error *error) {
    const dp2dpi_examples *e = d->gradient.examples;
    dp2dp_status status =
        d->mask ? dp2dpi_charge_poisson_mask(d->paid.charge, e->rows->count, d->mask, error)
                : DP2DP_STATUS_OK;
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    dp2dpi_gradient_sum(&d->gradient, d->mask, weights, d->clip, d->paid.grid_bits);
    return dp2dpi_paid_release(&d->paid, dp2dpi_examples_cells(e), d->gradient.sum,
                               d->clip / d->batch, out, error);
}

/* v ← m v + g, w ← w − η v: heavy ball. The average of the last iterates, each as much as the
 * others. */
static dp2dp_status iterate(dp2dpi_descent *d, const dp2dp_train_options *options, double *now,
                            double *velocity, double *gradient, double *average,
                            dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(d->gradient.examples);
    uint64_t steps = options->steps, averaged = (uint64_t)((double)steps * options->tail);
    averaged = averaged < 1 ? 1 : averaged;
    double seen = 0.0;
    for (uint64_t t = 1; t <= steps; t++) {
        dp2dp_status status = dp2dpi_descent_release(d, now, gradient, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        seen += t > steps - averaged ? 1.0 : 0.0;
        for (size_t c = 0; c < cells; c++) {
            velocity[c] = options->momentum * velocity[c] + gradient[c];
            now[c] -= options->step_size * velocity[c];
            average[c] += seen > 0.0 ? (now[c] - average[c]) / seen : 0.0;
        }
        if (options->progress && options->progress(options->progress_context, t, steps) != 0) {
            return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED,
                               "cancelled; what was charged stays charged");
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_descent_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_ledger *own, double *weights, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    dp2dpi_descent descent = {0};
    void *memory = NULL;
    dp2dp_status status =
        dp2dpi_alloc_for("gradient descent", 3 * cells, sizeof(double), &memory, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_descent_new(e, options, own, &descent, error);
    }
    if (status == DP2DP_STATUS_OK) {
        double *now = memory;
        status = iterate(&descent, options, now, now + cells, now + 2 * cells, weights, error);
    }
    dp2dpi_descent_free(&descent);
    dp2dpi_free(memory);
    return status;
}

/* How far the iterates may travel, η T/(1 − m): in a direction of curvature h descent forgets the
 * start after 1/h of travel, and noise of std s = 2 clip/(μ n) on the mean gradient leaves s/h of
 * error. Weights are of the order 1, so directions with h below s are better left alone: travel in
 * proportion to 1/s. */
static const double travel = 0.6;
static const double step_most = 2.0;

dp2dp_status dp2dpi_descent_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                    dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    double n = (double)e->rows->count, unit = 0.0;
    used->steps = used->steps > 0 ? used->steps : DP2DPI_DESCENT_STEPS;
    used->batch = used->batch > 0 ? used->batch : e->rows->count / 10 + 1;
    used->batch = used->batch < e->rows->count ? used->batch : e->rows->count;
    if (used->step_size <= 0.0) {
        used->step_size = fmin(step_most, 32.0 / (e->norm * e->norm + 1.0));
        if (!isinf(used->epsilon) &&
            (status = dp2dpi_paid_unit_sigma(used, &unit, error)) == DP2DP_STATUS_OK) {
            double length =
                travel * n / (unit * used->clip) * (1.0 - used->momentum) / (double)used->steps;
            used->step_size = fmin(used->step_size, length);
        }
    }
    return status;
}
