#include "phase1/charge.h"

#include <math.h>

/* Calibration by a numerical bound aims this far below the target: ε of noise rounded up to the
 * grid may come out a little above that of the noise before. */
static const double aim = 1.0 - 1e-5;

static dp2dp_status calibrate(const dp2dp_train_options *options, double scale, dp2dp_event *event,
                              dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    int gaussian = event->mechanism == DP2DP_GAUSSIAN;
    dp2dp_status status = dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error);
    event->scale = scale;
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_calibrate(
            accountant, gaussian ? DP2DP_BACKEND_ANALYTIC : DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA,
            gaussian ? options->epsilon : options->epsilon * aim, options->delta, event, NULL,
            error);
    }
    dp2dp_accountant_free(accountant);
    return status;
}

dp2dp_status dp2dpi_paid_unit_sigma(const dp2dp_train_options *options, double *sigma,
                                    dp2dp_error *error) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1.0;
    event.rows_per_person = options->rows_per_person;
    event.coordinates = 1;
    dp2dp_status status = calibrate(options, 0.0, &event, error);
    *sigma = event.sigma;
    return status;
}

/* The slack of noise on a grid is charged at 2^40 units per σ, or 2^30 where the sum leaves no room
 * for that. */
static dp2dp_status plan(const dp2dp_train_options *options, double most, int least_bits,
                         dp2dp_event *event, int *grid_bits, dp2dp_error *error) {
    static const double scales[] = {0x1p40, 0x1p30};
    for (int i = 0; i < 2; i++) {
        dp2dp_status status = calibrate(options, scales[i], event, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        *grid_bits = dp2dpi_charge_grid(most, event->sigma);
        if (*grid_bits >= least_bits && ldexp(event->sigma, *grid_bits) >= scales[i]) {
            return DP2DP_STATUS_OK;
        }
    }
    return dp2dpi_fail(error, DP2DP_STATUS_BUDGET,
                       "epsilon = %g leaves no grid on which the sums and their noise fit",
                       options->epsilon);
}

/* The user's ledger first, since it may refuse; the model's own then records what was charged. */
static dp2dp_status charge(const dp2dp_train_options *options, const dp2dp_event *event,
                           dp2dp_ledger *own, dp2dpi_paid *paid, dp2dp_error *error) {
    dp2dp_ledger *first = paid->noisy && options->ledger ? options->ledger : own;
    dp2dp_status status =
        dp2dpi_charge_new(first, paid->rng, event, paid->grid_bits, &paid->charge, error);
    if (status == DP2DP_STATUS_OK && first != own) {
        status = dp2dp_ledger_charge(own, dp2dpi_charge_event(paid->charge), options->rng, error);
    }
    return status;
}

dp2dp_status dp2dpi_paid_new(const dp2dp_train_options *options, const dp2dp_event *event,
                             double most, int least_bits, dp2dp_ledger *own, dp2dpi_paid *out,
                             dp2dp_error *error) {
    dp2dp_event used = *event;
    *out = (dp2dpi_paid) {.noisy = !isinf(options->epsilon)};
    used.rows_per_person = options->rows_per_person;
    used.set = "train";
    dp2dp_status status = options->rng == DP2DP_RNG_INSECURE
                              ? dp2dpi_rng_new_insecure(options->insecure_seed, &out->rng, error)
                              : dp2dpi_rng_new(&out->rng, error);
    if (status == DP2DP_STATUS_OK && out->noisy) {
        status = plan(options, most, least_bits, &used, &out->grid_bits, error);
        return status == DP2DP_STATUS_OK ? charge(options, &used, own, out, error) : status;
    }
    used.sigma = used.sensitivity; /* never drawn */
    out->grid_bits = dp2dpi_charge_grid(most, used.sigma);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_ledger_new(DP2DP_REPLACE_ONE, &out->unpaid, error);
    }
    return status == DP2DP_STATUS_OK ? charge(options, &used, out->unpaid, out, error) : status;
}

void dp2dpi_paid_free(dp2dpi_paid *paid) {
    dp2dpi_charge_free(paid->charge);
    dp2dp_ledger_free(paid->unpaid);
    dp2dpi_rng_free(paid->rng);
    *paid = (dp2dpi_paid) {0};
}

dp2dp_status dp2dpi_paid_release(dp2dpi_paid *paid, size_t n, int64_t *sum, double scale,
                                 double *out, dp2dp_error *error) {
    dp2dp_status status =
        paid->noisy ? dp2dpi_charge_release(paid->charge, n, sum, sum, error) : DP2DP_STATUS_OK;
    for (size_t i = 0; i < n && status == DP2DP_STATUS_OK; i++) {
        out[i] = ldexp((double)sum[i], -paid->grid_bits) * scale;
    }
    return status;
}
