#include "accountant/backend.h"

#include <math.h>

#include "accountant/gaussian.h"
#include "num/elementary.h"

static int is_gaussian(const dp2dpi_composition *c) {
    return c->n == 1 && c->losses[0].kind == DP2DPI_LOSS_GAUSSIAN;
}

static int is_one_release(const dp2dpi_composition *c) {
    return c->n == 1 && c->losses[0].count == 1.0 && c->losses[0].kind != DP2DPI_LOSS_GAUSSIAN;
}

/* A back-end that has no bound leaves the question to the next one; other failures end it. */
static dp2dp_status soften(dp2dp_status status, double *value) {
    if (status == DP2DP_STATUS_NO_BOUND) {
        *value = INFINITY;
        return DP2DP_STATUS_OK;
    }
    return status;
}

static dp2dp_status check_analytic(const dp2dpi_composition *c, dp2dp_error *error) {
    return is_gaussian(c) ? DP2DP_STATUS_OK
                          : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                        "accountant analytic: only Gaussian releases have a "
                                        "closed form");
}

/* δ(0) is the total variation distance. It adds up over releases, and KL divergences bound it:
 * where either is below delta, ε = 0 needs no convolution. */
static dp2dp_status certainly_zero(const dp2dpi_composition *c, double delta, int *zero,
                                   dp2dp_error *error) {
    double sum = 0.0, distance = 1.0;
    for (size_t i = 0; i < c->n && sum <= delta; i++) {
        sum += c->losses[i].count * dp2dpi_loss_delta(&c->losses[i], 0.0) * (1.0 + 1e-12);
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    if (sum > delta) {
        status = soften(dp2dpi_rdp_total_variation(c, &distance, error), &distance);
    }
    *zero = sum <= delta || distance <= delta;
    return status;
}

/* Declared guarantees add up: Σ ε at Σ δ. INFINITY where anything else is composed, or δ is short.
 */
static double basic_epsilon(const dp2dpi_composition *c, double delta) {
    double epsilon = 0.0, spent = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->losses[i].kind != DP2DPI_LOSS_DECLARED) {
            return INFINITY;
        }
        epsilon += c->losses[i].count * c->losses[i].epsilon;
        spent += c->losses[i].count * c->losses[i].delta;
    }
    double rounding = 4.0 * DP2DPI_ULP * (double)c->n;
    return spent * (1.0 + rounding) <= delta ? epsilon * (1.0 + rounding) : INFINITY;
}

/* The exact curve where there is but one release, the convolution otherwise. *settled is 1 where
 * the Rényi bound cannot be lower: the grid costs 1e-4, a Rényi conversion several per cent. */
static dp2dp_status distribution_epsilon(const dp2dpi_composition *c, double delta, double *value,
                                         int *settled, dp2dp_error *error) {
    int zero = 0;
    double guess = 0.0;
    dp2dp_status status = certainly_zero(c, delta, &zero, error);
    *settled = 1;
    if (status != DP2DP_STATUS_OK || zero) {
        *value = 0.0;
        return status;
    }
    if (is_one_release(c)) {
        *value = dp2dpi_loss_epsilon(&c->losses[0], delta);
        return DP2DP_STATUS_OK;
    }
    status = soften(dp2dpi_pld_epsilon(c, delta, value, &guess, error), value);
    double basic = basic_epsilon(c, delta);
    *value = basic < *value ? basic : *value;
    *settled = status == DP2DP_STATUS_OK && *value < 0.98 * guess;
    return status;
}

static dp2dp_status ideal_epsilon(const dp2dpi_composition *c, dp2dp_backend backend, double delta,
                                  dp2dpi_answer *out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    double value = INFINITY, other = INFINITY;
    int settled = 0;
    if (backend == DP2DP_BACKEND_ANALYTIC || (backend == DP2DP_BACKEND_AUTO && is_gaussian(c))) {
        if ((status = check_analytic(c, error)) == DP2DP_STATUS_OK) {
            *out = (dp2dpi_answer) {dp2dpi_gaussian_epsilon(c->losses[0].shift, delta),
                                    DP2DP_BACKEND_ANALYTIC};
        }
        return status;
    }
    if (backend != DP2DP_BACKEND_RDP) {
        status = distribution_epsilon(c, delta, &value, &settled, error);
    }
    if (status == DP2DP_STATUS_OK && !settled) {
        status = soften(dp2dpi_rdp_epsilon(c, delta, &other, error), &other);
    }
    /* The Rényi bound is a bound on the same distribution: a PLD answer never exceeds it. */
    int renyi = backend == DP2DP_BACKEND_RDP || other < value;
    *out = (dp2dpi_answer) {renyi ? other : value, renyi && backend != DP2DP_BACKEND_PLD
                                                       ? DP2DP_BACKEND_RDP
                                                       : DP2DP_BACKEND_PLD};
    return status;
}

static dp2dp_status ideal_delta(const dp2dpi_composition *c, dp2dp_backend backend, double epsilon,
                                dp2dpi_answer *out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    double value = INFINITY, other = INFINITY;
    if (backend == DP2DP_BACKEND_ANALYTIC || (backend == DP2DP_BACKEND_AUTO && is_gaussian(c))) {
        if ((status = check_analytic(c, error)) == DP2DP_STATUS_OK) {
            *out = (dp2dpi_answer) {dp2dpi_gaussian_delta(c->losses[0].shift, epsilon),
                                    DP2DP_BACKEND_ANALYTIC};
        }
        return status;
    }
    if (backend != DP2DP_BACKEND_RDP && is_one_release(c)) {
        value = dp2dpi_loss_delta(&c->losses[0], epsilon);
    } else if (backend != DP2DP_BACKEND_RDP) {
        status = soften(dp2dpi_pld_delta(c, epsilon, &value, error), &value);
    }
    if (status == DP2DP_STATUS_OK) {
        status = soften(dp2dpi_rdp_delta(c, epsilon, &other, error), &other);
    }
    int renyi = backend == DP2DP_BACKEND_RDP || other < value;
    value = renyi ? other : value;
    *out = (dp2dpi_answer) {value < 1.0 ? value : 1.0, renyi && backend != DP2DP_BACKEND_PLD
                                                           ? DP2DP_BACKEND_RDP
                                                           : DP2DP_BACKEND_PLD};
    return status;
}

static double slack_at(double slack, double epsilon) {
    return slack * (1.0 + dp2dpi_exp(epsilon)) * (1.0 + 4.0 * DP2DPI_ULP);
}

/* ε with a part of delta kept for the slack: good if the slack at that ε fits into what is kept. */
static dp2dp_status split_epsilon(const dp2dpi_charged *c, dp2dp_backend backend, double delta,
                                  double part, dp2dpi_answer *out, dp2dp_error *error) {
    dp2dpi_answer found = {INFINITY, backend};
    dp2dp_status status = ideal_epsilon(&c->releases, backend, delta * part, &found, error);
    int fits = slack_at(c->slack, found.value) <= delta * (1.0 - part) * (1.0 - 1e-12);
    if (status == DP2DP_STATUS_OK && fits && found.value < out->value) {
        *out = found;
    }
    return status;
}

/* From a good split, δ − slack(ε) may be given back: ε only falls, so the slack still fits. */
static dp2dp_status tighten(const dp2dpi_charged *c, dp2dp_backend backend, double delta,
                            dp2dpi_answer *out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    for (int i = 0; i < 12 && status == DP2DP_STATUS_OK; i++) {
        double before = out->value;
        double part = 1.0 - slack_at(c->slack, before) / delta * (1.0 + 1e-11);
        status = split_epsilon(c, backend, delta, part, out, error);
        if (!(out->value < before * (1.0 - 1e-6))) {
            break;
        }
    }
    return status;
}

/* δ(ε) + c (1 + e^ε) ≤ delta. Almost always the slack is next to nothing and the first split will
 * do; where it is not, more and more of delta is kept for it. */
dp2dp_status dp2dpi_backend_epsilon(const dp2dpi_charged *c, dp2dp_backend backend, double delta,
                                    dp2dpi_answer *out, dp2dp_error *error) {
    if (c->releases.n == 0) {
        *out =
            (dp2dpi_answer) {0.0, backend == DP2DP_BACKEND_AUTO ? DP2DP_BACKEND_ANALYTIC : backend};
        return DP2DP_STATUS_OK;
    }
    if (c->slack <= 0.0) {
        return ideal_epsilon(&c->releases, backend, delta, out, error);
    }
    static const double next_to_nothing = 1e-9;
    static const double parts[] = {0.5, 0.9, 0.2, 0.99, 0.75, 0.05, 0.35, 0.01};
    *out = (dp2dpi_answer) {INFINITY, backend};
    dp2dp_status status = split_epsilon(c, backend, delta, 1.0 - next_to_nothing, out, error);
    dp2dpi_answer least = {INFINITY, backend};
    if (status == DP2DP_STATUS_OK && isinf(out->value)) {
        status = ideal_epsilon(&c->releases, backend, delta, &least, error);
    }
    int possible = slack_at(c->slack, least.value) < delta; /* no split has a smaller ε */
    for (int i = 0; i < 8 && possible && status == DP2DP_STATUS_OK && isinf(out->value); i++) {
        status = split_epsilon(c, backend, delta, parts[i], out, error);
    }
    if (status == DP2DP_STATUS_OK && isfinite(out->value) &&
        slack_at(c->slack, out->value) > next_to_nothing * delta) {
        status = tighten(c, backend, delta, out, error);
    }
    int closed_form = backend == DP2DP_BACKEND_ANALYTIC || backend == DP2DP_BACKEND_AUTO;
    if (status == DP2DP_STATUS_OK && closed_form && is_gaussian(&c->releases)) {
        double mu = c->releases.losses[0].shift;
        double discrete = dp2dpi_zcdp_epsilon(0.5 * mu * mu, delta); /* of the noise on the grid */
        if (discrete < out->value) {
            *out = (dp2dpi_answer) {discrete, DP2DP_BACKEND_ANALYTIC};
        }
    }
    return status;
}

dp2dp_status dp2dpi_backend_delta(const dp2dpi_charged *c, dp2dp_backend backend, double epsilon,
                                  dp2dpi_answer *out, dp2dp_error *error) {
    *out = (dp2dpi_answer) {0.0, backend == DP2DP_BACKEND_AUTO ? DP2DP_BACKEND_ANALYTIC : backend};
    if (c->releases.n == 0) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = ideal_delta(&c->releases, backend, epsilon, out, error);
    if (status == DP2DP_STATUS_OK && c->slack > 0.0) {
        double value = out->value + slack_at(c->slack, epsilon);
        out->value = value < 1.0 ? dp2dpi_round_up(value, 1) : 1.0;
        int closed_form = backend == DP2DP_BACKEND_ANALYTIC || backend == DP2DP_BACKEND_AUTO;
        if (closed_form && is_gaussian(&c->releases)) {
            double mu = c->releases.losses[0].shift;
            double discrete = dp2dpi_zcdp_delta(0.5 * mu * mu, epsilon);
            out->value = discrete < out->value ? discrete : out->value;
        }
    }
    return status;
}
