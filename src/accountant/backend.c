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

/* Turns NO_BOUND into the value INFINITY, so that the caller can ask another back-end. Every other
 * failure stays a failure. */
static dp2dp_status soften(dp2dp_status status, double *value) {
    if (status == DP2DP_STATUS_NO_BOUND) {
        *value = INFINITY;
        return DP2DP_STATUS_OK;
    }
    return status;
}

static dp2dp_status check_analytic(const dp2dpi_composition *c, dp2dp_backend backend,
                                   dp2dp_error *error) {
    if (backend == DP2DP_BACKEND_ANALYTIC && !is_gaussian(c)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the accountant 'analytic' cannot be used here: only Gaussian releases "
                           "have a closed form; use 'pld' or 'rdp'");
    }
    return DP2DP_STATUS_OK;
}

/* Sets *zero to 1 if a cheap bound shows that δ(0) ≤ delta. In this case ε = 0 is certified
 * without a convolution. δ(0) is the total variation distance. Tries two bounds on δ(0): the sum of
 * the total variation distances of the single releases, and a bound from the KL divergence. */
static dp2dp_status certainly_zero(const dp2dpi_composition *c, double delta, int *zero,
                                   dp2dp_error *error) {
    double sum = 0.0, distance = 1.0;
    for (size_t i = 0; i < c->n && sum <= delta; i++) {
        sum += c->losses[i].count * dp2dpi_loss_delta(&c->losses[i], 0.0) * (1.0 + 1e-12);
    }
    if (sum > delta) {
        DP2DPI_TRY(soften(dp2dpi_rdp_total_variation(c, &distance, error), &distance));
    }
    *zero = sum <= delta || distance <= delta;
    return DP2DP_STATUS_OK;
}

/* If all releases are declared guarantees (ε_i, δ_i) and Σ δ_i ≤ delta, returns Σ ε_i, the ε of
 * basic composition. Otherwise returns INFINITY. */
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

/* Computes ε: for one release from its exact privacy curve, for several releases by a convolution.
 * Sets *settled to 1 if the caller need not compute the Rényi bound, because it would not be lower
 * than this ε. After a convolution, *settled is 1 if ε is more than 2 % below an estimate of the
 * Rényi bound. This is nearly always so: the grid of the convolution raises ε by only 0.01 %, but
 * the Rényi conversion raises ε by several per cent. */
static dp2dp_status distribution_epsilon(const dp2dpi_composition *c, double delta, double *value,
                                         int *settled, dp2dp_error *error) {
    int zero = 0;
    double guess = 0.0;
    DP2DPI_TRY(certainly_zero(c, delta, &zero, error));
    *settled = 1;
    if (zero) {
        *value = 0.0;
        return DP2DP_STATUS_OK;
    }
    if (is_one_release(c)) {
        *value = dp2dpi_loss_epsilon(&c->losses[0], delta);
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(soften(dp2dpi_pld_epsilon(c, delta, value, &guess, error), value));
    double basic = basic_epsilon(c, delta);
    *value = basic < *value ? basic : *value;
    *settled = *value < 0.98 * guess;
    return DP2DP_STATUS_OK;
}

static int has_closed_form(const dp2dpi_composition *c, dp2dp_backend backend) {
    return is_gaussian(c) && (backend == DP2DP_BACKEND_ANALYTIC || backend == DP2DP_BACKEND_AUTO);
}

/* Returns the smaller of two upper bounds on ε (or on δ), `pld` and `rdp`. Both bounds hold for the
 * same releases, so a smaller Rényi bound is also valid as the answer of the back-end PLD. */
static dp2dpi_answer lower_of(double pld, double rdp, dp2dp_backend backend) {
    int is_rdp = backend == DP2DP_BACKEND_RDP || rdp < pld;
    return (dp2dpi_answer) {is_rdp ? rdp : pld, is_rdp && backend != DP2DP_BACKEND_PLD
                                                    ? DP2DP_BACKEND_RDP
                                                    : DP2DP_BACKEND_PLD};
}

static dp2dp_status ideal_epsilon(const dp2dpi_composition *c, dp2dp_backend backend, double delta,
                                  dp2dpi_answer *out, dp2dp_error *error) {
    double pld = INFINITY, rdp = INFINITY;
    int settled = 0;
    DP2DPI_TRY(check_analytic(c, backend, error));
    if (has_closed_form(c, backend)) {
        *out = (dp2dpi_answer) {dp2dpi_gaussian_epsilon(c->losses[0].shift, delta),
                                DP2DP_BACKEND_ANALYTIC};
        return DP2DP_STATUS_OK;
    }
    if (backend != DP2DP_BACKEND_RDP) {
        DP2DPI_TRY(distribution_epsilon(c, delta, &pld, &settled, error));
    }
    if (!settled) {
        DP2DPI_TRY(soften(dp2dpi_rdp_epsilon(c, delta, &rdp, error), &rdp));
    }
    *out = lower_of(pld, rdp, backend);
    return DP2DP_STATUS_OK;
}

static dp2dp_status ideal_delta(const dp2dpi_composition *c, dp2dp_backend backend, double epsilon,
                                dp2dpi_answer *out, dp2dp_error *error) {
    double pld = INFINITY, rdp = INFINITY;
    DP2DPI_TRY(check_analytic(c, backend, error));
    if (has_closed_form(c, backend)) {
        *out = (dp2dpi_answer) {dp2dpi_gaussian_delta(c->losses[0].shift, epsilon),
                                DP2DP_BACKEND_ANALYTIC};
        return DP2DP_STATUS_OK;
    }
    if (backend != DP2DP_BACKEND_RDP && is_one_release(c)) {
        pld = dp2dpi_loss_delta(&c->losses[0], epsilon);
    } else if (backend != DP2DP_BACKEND_RDP) {
        DP2DPI_TRY(soften(dp2dpi_pld_delta(c, epsilon, &pld, error), &pld));
    }
    DP2DPI_TRY(soften(dp2dpi_rdp_delta(c, epsilon, &rdp, error), &rdp));
    *out = lower_of(pld, rdp, backend);
    out->value = out->value < 1.0 ? out->value : 1.0;
    return DP2DP_STATUS_OK;
}

static double slack_at(double slack, double epsilon) {
    return slack * (1.0 + dp2dpi_exp(epsilon)) * (1.0 + 4.0 * DP2DPI_ULP);
}

/* Computes the ε of one split of delta: delta * part is spent on the releases, and the rest is the
 * reserve for noise on a grid. Noise on a grid adds slack_at(c->slack, ε) to δ (compose.h). The ε
 * is valid if this slack fits into the reserve. A valid ε that is lower than the ε in *out replaces
 * the ε in *out. */
static dp2dp_status split_epsilon(const dp2dpi_composition *c, dp2dp_backend backend, double delta,
                                  double part, dp2dpi_answer *out, dp2dp_error *error) {
    dp2dpi_answer found = {INFINITY, backend};
    DP2DPI_TRY(ideal_epsilon(c, backend, delta * part, &found, error));
    int fits = slack_at(c->slack, found.value) <= delta * (1.0 - part) * (1.0 - 1e-12);
    if (fits && found.value < out->value) {
        *out = found;
    }
    return DP2DP_STATUS_OK;
}

/* Lowers a valid ε in *out. The split of delta that gave this ε reserved at least
 * slack_at(c->slack, ε) for noise on a grid. This function reserves only this slack and spends the
 * rest of delta on the releases, so the new ε is at most the old ε. A smaller ε needs less slack,
 * so the reserve is enough for the new ε too. */
static dp2dp_status tighten(const dp2dpi_composition *c, dp2dp_backend backend, double delta,
                            dp2dpi_answer *out, dp2dp_error *error) {
    for (int i = 0; i < 12; i++) {
        double before = out->value;
        double part = 1.0 - slack_at(c->slack, before) / delta * (1.0 + 1e-11);
        DP2DPI_TRY(split_epsilon(c, backend, delta, part, out, error));
        if (!(out->value < before * (1.0 - 1e-6))) {
            break;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Finds an ε with δ(ε) + s (1 + e^ε) ≤ delta, where s is c->slack. delta is split between the
 * releases and the slack (split_epsilon). The first split reserves almost nothing for the slack,
 * which is nearly always enough; the other splits reserve more. */
dp2dp_status dp2dpi_backend_epsilon(const dp2dpi_composition *c, dp2dp_backend backend,
                                    double delta, dp2dpi_answer *out, dp2dp_error *error) {
    if (c->n == 0) {
        *out =
            (dp2dpi_answer) {0.0, backend == DP2DP_BACKEND_AUTO ? DP2DP_BACKEND_ANALYTIC : backend};
        return DP2DP_STATUS_OK;
    }
    if (c->slack <= 0.0) {
        return ideal_epsilon(c, backend, delta, out, error);
    }
    static const double negligible = 1e-9;
    static const double parts[] = {0.5, 0.9, 0.2, 0.99, 0.75, 0.05, 0.35, 0.01};
    *out = (dp2dpi_answer) {INFINITY, backend};
    DP2DPI_TRY(split_epsilon(c, backend, delta, 1.0 - negligible, out, error));
    dp2dpi_answer lowest = {INFINITY, backend};
    if (isinf(out->value)) {
        DP2DPI_TRY(ideal_epsilon(c, backend, delta, &lowest, error));
    }
    /* Every split gives an ε of at least lowest.value, and the slack grows with ε. So if the slack
     * at lowest.value is not below delta, every split fails. */
    int possible = slack_at(c->slack, lowest.value) < delta;
    for (int i = 0; i < 8 && possible && isinf(out->value); i++) {
        DP2DPI_TRY(split_epsilon(c, backend, delta, parts[i], out, error));
    }
    if (isfinite(out->value) && slack_at(c->slack, out->value) > negligible * delta) {
        DP2DPI_TRY(tighten(c, backend, delta, out, error));
    }
    if (has_closed_form(c, backend)) {
        double mu = c->losses[0].shift;
        /* The zCDP bound needs no slack, even for noise on a grid. */
        double discrete = dp2dpi_zcdp_epsilon(0.5 * mu * mu, delta);
        if (discrete < out->value) {
            *out = (dp2dpi_answer) {discrete, DP2DP_BACKEND_ANALYTIC};
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_backend_delta(const dp2dpi_composition *c, dp2dp_backend backend,
                                  double epsilon, dp2dpi_answer *out, dp2dp_error *error) {
    *out = (dp2dpi_answer) {0.0, backend == DP2DP_BACKEND_AUTO ? DP2DP_BACKEND_ANALYTIC : backend};
    if (c->n == 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(ideal_delta(c, backend, epsilon, out, error));
    if (c->slack <= 0.0) {
        return DP2DP_STATUS_OK;
    }
    double value = out->value + slack_at(c->slack, epsilon);
    out->value = value < 1.0 ? dp2dpi_round_up(value, 1) : 1.0;
    if (has_closed_form(c, backend)) {
        double mu = c->losses[0].shift;
        double discrete = dp2dpi_zcdp_delta(0.5 * mu * mu, epsilon);
        out->value = discrete < out->value ? discrete : out->value;
    }
    return DP2DP_STATUS_OK;
}
