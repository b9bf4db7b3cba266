#include <math.h>
#include <string.h>

#include "accountant/accountant_internal.h"
#include "accountant/event.h"
#include "base/alloc.h"
#include "base/options.h"
#include "num/elementary.h"

/* A search for the value of one field of an event. This field is called the unknown. ε rises or
 * falls monotonically with the unknown, nearly like a power of the unknown, so the search works
 * with logarithms. */
typedef struct search {
    dp2dp_accountant accountant;
    dp2dp_backend backend;
    dp2dp_event *event; /* points to the last element of accountant.events */
    dp2dp_unknown unknown;
    double target, delta;
} search;

static void set_unknown(dp2dp_unknown unknown, double value, dp2dp_event *event) {
    if (unknown == DP2DP_FIND_SIGMA) {
        event->sigma = value;
    } else if (unknown == DP2DP_FIND_RATE) {
        event->rate = value;
    } else {
        event->count = (uint64_t)value;
    }
}

/* Computes ε with `value` in the unknown field; INFINITY if no bound is certified. */
static dp2dp_status epsilon_at(search *s, double value, double *epsilon, dp2dp_error *error) {
    set_unknown(s->unknown, value, s->event);
    dp2dp_status status =
        dp2dp_accountant_epsilon(&s->accountant, s->delta, s->backend, epsilon, NULL, error);
    if (status == DP2DP_STATUS_NO_BOUND) {
        *epsilon = INFINITY;
        return DP2DP_STATUS_OK;
    }
    return status;
}

/* One end of the bracket in which the search looks: a value of the unknown and the ε at this value.
 * At the good end, ε is at most the target; at the bad end, ε is above the target. */
typedef struct end {
    double value, epsilon;
} end;

static int close_enough(const search *s, const end *good, const end *bad) {
    double gap = fabs(good->value - bad->value);
    if (s->unknown == DP2DP_FIND_COUNT) {
        return gap <= 1.0;
    }
    return gap <= 1e-9 * good->value || good->epsilon >= s->target * (1.0 - 1e-7);
}

/* Returns the next value to try: the value for which a power law through both ends of the bracket
 * predicts an ε just below the target. Every third step bisects the bracket instead. */
static double next_trial(const search *s, const end *good, const end *bad, int step) {
    double a = dp2dpi_log(good->value), b = dp2dpi_log(bad->value), share = 0.5;
    double aim = s->target * (1.0 - 3e-8);
    if (step % 3 != 2 && isfinite(bad->epsilon) && good->epsilon > 0.0 && good->epsilon < aim) {
        double below = dp2dpi_log(aim / good->epsilon), above = dp2dpi_log(bad->epsilon / aim);
        double margin = fabs(b - a) > 1e-4 ? 0.01 : 0.0;
        share = below / (below + above);
        share = share < margin ? margin : share > 1.0 - margin ? 1.0 - margin : share;
    }
    double value = dp2dpi_exp(a + share * (b - a));
    if (s->unknown == DP2DP_FIND_COUNT) {
        value = floor(value);
        value = value <= good->value  ? good->value + 1.0
                : value >= bad->value ? bad->value - 1.0
                                      : value;
    } else if (value == good->value || value == bad->value) {
        value = 0.5 * (good->value + bad->value);
    }
    return value;
}

static dp2dp_status narrow(search *s, end *good, end *bad, dp2dp_error *error) {
    for (int step = 0; step < 120 && !close_enough(s, good, bad); step++) {
        end trial = {.value = next_trial(s, good, bad, step)};
        if (s->unknown != DP2DP_FIND_COUNT &&
            (trial.value == good->value || trial.value == bad->value)) {
            break;
        }
        DP2DPI_TRY(epsilon_at(s, trial.value, &trial.epsilon, error));
        if (trial.epsilon <= s->target) {
            *good = trial;
        } else {
            *bad = trial;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Returns the factor by which to multiply or divide the unknown so that ε passes the target. A
 * power law through the points `before` and `here` predicts this factor. The result is 5 % larger
 * than predicted. */
static double factor_to_target(const search *s, const end *before, const end *here) {
    double moved = dp2dpi_log(here->value / before->value);
    double gained = dp2dpi_log(here->epsilon / before->epsilon);
    double missing = dp2dpi_log(s->target / here->epsilon);
    return 1.05 * dp2dpi_exp(fmin(fabs(missing * moved / gained), 600.0));
}

/* Finds two values of the unknown: *good, for which ε is at most the target, and *bad, for which ε
 * is above the target. Starts at `start` and multiplies or divides by a factor until ε passes the
 * target. The factor is squared after each move, so that few moves reach safe_limit or
 * unsafe_limit, even if these limits are far from `start`. factor_to_target limits each move,
 * because computing an ε far above the target needs a long Fourier transform. */
static dp2dp_status bracket(search *s, double start, double safe_limit, double unsafe_limit,
                            end *good, end *bad, dp2dp_error *error) {
    int up_is_safe = safe_limit > unsafe_limit;
    end here = {.value = start}, before = {0};
    double factor = 2.0;
    DP2DPI_TRY(epsilon_at(s, start, &here.epsilon, error));
    int began_good = here.epsilon <= s->target;
    for (;;) {
        int is_good = here.epsilon <= s->target;
        *(is_good ? good : bad) = here;
        if (is_good != began_good) {
            return DP2DP_STATUS_OK;
        }
        double limit = is_good ? unsafe_limit : safe_limit;
        if (here.value == limit) {
            break;
        }
        int up = is_good ? !up_is_safe : up_is_safe;
        double move = factor;
        if (before.epsilon > 0.0 && here.epsilon > 0.0 && before.epsilon != here.epsilon &&
            isfinite(before.epsilon) && isfinite(here.epsilon)) {
            move = fmin(move, factor_to_target(s, &before, &here));
        }
        before = here;
        here.value = up ? here.value * move : here.value / move;
        here.value = (up && here.value > limit) || (!up && here.value < limit) ? limit : here.value;
        if (s->unknown == DP2DP_FIND_COUNT) {
            here.value = ceil(here.value);
        }
        factor = factor < 1e4 ? factor * factor : factor;
        DP2DPI_TRY(epsilon_at(s, here.value, &here.epsilon, error));
    }
    if (began_good) {
        *bad = *good; /* ε meets the target even at unsafe_limit, the limit with the least
                         protection, so this limit is the answer */
        return DP2DP_STATUS_OK;
    }
    static const char *const extreme[] = {[DP2DP_FIND_SIGMA] = "with sigma =",
                                          [DP2DP_FIND_RATE] = "at rate",
                                          [DP2DP_FIND_COUNT] = "with a count of"};
    return dp2dpi_fail(
        error, DP2DP_STATUS_BUDGET,
        "epsilon = %g at delta = %g cannot be reached: even %s %g, the total epsilon is larger "
        "(earlier releases count too)",
        s->target, s->delta, extreme[s->unknown], here.value);
}

static dp2dp_status solve(search *s, end *good, dp2dp_error *error) {
    end bad = {0};
    double sensitivity = s->event->sensitivity * (double)s->event->rows_per_person;
    if (s->unknown == DP2DP_FIND_SIGMA) {
        double guess = sensitivity / s->target *
                       sqrt(2.0 * (double)s->event->count * (s->target - dp2dpi_log(s->delta)));
        guess = guess > 1e-5 * sensitivity ? guess : 1e-5 * sensitivity;
        guess = guess < 1e14 * sensitivity ? guess : 1e14 * sensitivity;
        DP2DPI_TRY(bracket(s, guess, 1e15 * s->event->sensitivity, 1e-6 * s->event->sensitivity,
                           good, &bad, error));
    } else if (s->unknown == DP2DP_FIND_RATE) {
        DP2DPI_TRY(bracket(s, 0.01, 1e-12, 1.0, good, &bad, error));
    } else {
        DP2DPI_TRY(bracket(s, 1.0, 1.0, 0x1p53, good, &bad, error));
    }
    return narrow(s, good, &bad, error);
}

static dp2dp_status check(const dp2dp_event *event, dp2dp_unknown unknown, double epsilon,
                          double delta, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_require(epsilon > 0.0 && epsilon <= 1e6, "epsilon", epsilon,
                              "above 0 and at most 1e6", error));
    DP2DPI_TRY(dp2dpi_delta_check(delta, error));
    int has_rate =
        event->mechanism == DP2DP_POISSON || event->mechanism == DP2DP_WITHOUT_REPLACEMENT;
    if (unknown == DP2DP_FIND_RATE && !has_rate) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "only the mechanisms poisson and without-replacement have a rate to find");
    }
    if (unknown == DP2DP_FIND_SIGMA && event->mechanism == DP2DP_DECLARED) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "a declared guarantee has no noise, so there is no sigma to find");
    }
    /* The search multiplies sensitivity × rows by up to 1e15, and the result must not overflow. */
    if (unknown == DP2DP_FIND_SIGMA &&
        event->sensitivity * (double)event->rows_per_person > 1e290) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "sensitivity = %g: to find sigma, sensitivity x rows_per_person must be at most 1e290",
            event->sensitivity);
    }
    if (unknown != DP2DP_FIND_SIGMA && unknown != DP2DP_FIND_RATE && unknown != DP2DP_FIND_COUNT) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "unknown = %d: it must be sigma, rate or count", (int)unknown);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_accountant_calibrate(const dp2dp_accountant *accountant, dp2dp_backend backend,
                                        dp2dp_unknown unknown, double epsilon, double delta,
                                        dp2dp_event *event, double *reached, dp2dp_error *error) {
    dp2dp_event trial, checked;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_EVENT, event, &trial, error));
    DP2DPI_TRY(check(&trial, unknown, epsilon, delta, error));
    /* Puts a valid value into the unknown field, so that dp2dpi_event_read does not refuse the
     * event because of the caller's value of that field. */
    set_unknown(unknown, unknown == DP2DP_FIND_SIGMA ? trial.sensitivity : 1.0, &trial);
    DP2DPI_TRY(dp2dpi_event_read(&trial, accountant->adjacency, &checked, error));
    dp2dp_event *events;
    DP2DPI_TRY(DP2DPI_ALLOC(events, accountant->n + 1, "events", error));
    if (accountant->n) {
        memcpy(events, accountant->events, accountant->n * sizeof *events);
    }
    events[accountant->n] = checked;
    search s = {.accountant = {.adjacency = accountant->adjacency,
                               .n = accountant->n + 1,
                               .events = events},
                .backend = backend,
                .event = &events[accountant->n],
                .unknown = unknown,
                .target = epsilon,
                .delta = delta};
    end good = {0};
    DP2DPI_TRY_OR_DONE(solve(&s, &good, error));
    set_unknown(unknown, good.value, s.event);
    event->sigma = s.event->sigma;
    event->rate = s.event->rate;
    event->count = s.event->count;
    if (reached) {
        *reached = good.epsilon;
    }
done:
    dp2dpi_free(events);
    return status;
}
