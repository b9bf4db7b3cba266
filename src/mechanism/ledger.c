#include "mechanism/ledger.h"

#include <math.h>
#include <string.h>

#include "accountant/event.h"
#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/options.h"

dp2dp_status dp2dp_ledger_new(dp2dp_adjacency adjacency, dp2dp_ledger **out, dp2dp_error *error) {
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    DP2DPI_TRY(dp2dpi_adjacency_check(adjacency, error));
    DP2DPI_TRY(DP2DPI_ALLOC(*out, 1, "a ledger", error));
    (*out)->adjacency = adjacency;
    return DP2DP_STATUS_OK;
}

void dp2dp_ledger_free(dp2dp_ledger *ledger) {
    if (ledger == NULL) {
        return;
    }
    for (size_t i = 0; i < ledger->size; i++) {
        dp2dpi_event_clear(&ledger->entries[i].event);
    }
    dp2dpi_free(ledger->entries);
    dp2dpi_free(ledger->path);
    dp2dpi_free(ledger);
}

dp2dp_status dp2dpi_rng_kind_check(dp2dp_rng_kind rng, dp2dp_error *error) {
    if (rng != DP2DP_RNG_SECURE && rng != DP2DP_RNG_INSECURE) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rng = %d: it must be secure or insecure",
                           (int)rng);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_append(dp2dp_ledger *ledger, const dp2dp_event *event,
                                  dp2dp_rng_kind rng, dp2dp_error *error) {
    dp2dp_event taken;
    DP2DPI_TRY(dp2dpi_rng_kind_check(rng, error));
    DP2DPI_TRY(dp2dpi_ledger_take_event(event, ledger->adjacency, &taken, error));
    if (ledger->size >= DP2DPI_LEDGER_ENTRIES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO, "a ledger holds at most %d entries",
                           (int)DP2DPI_LEDGER_ENTRIES_MAX);
    }
    void *entries = ledger->entries;
    DP2DPI_TRY(dp2dpi_grow("ledger entries", ledger->size, sizeof(dp2dpi_entry), &entries,
                           &ledger->capacity, error));
    ledger->entries = entries;
    dp2dpi_entry *entry = &ledger->entries[ledger->size];
    DP2DPI_TRY(dp2dpi_event_copy(&taken, &entry->event, error));
    entry->rng = rng;
    ledger->size++;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_ledger_account(const dp2dp_ledger *ledger, dp2dp_accountant **out,
                                  dp2dp_error *error) {
    if (out) {
        *out = NULL;
    }
    if (ledger == NULL || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger and out must not be NULL");
    }
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dp_accountant_new(ledger->adjacency, &accountant, error));
    for (size_t i = 0; i < ledger->size; i++) {
        DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &ledger->entries[i].event, error));
    }
    *out = accountant;
    accountant = NULL;
done:
    dp2dp_accountant_free(accountant);
    return status;
}

/* Rounds v up to six significant digits, so that a refusal never prints a number within the limit.
 */
static double round_up_for_text(double v) {
    if (!(v > 0) || !isfinite(v)) {
        return v;
    }
    double unit = pow(10, floor(log10(v)) - 5);
    return unit > 0 ? ceil(v / unit) * unit : v;
}

static dp2dp_status refuse(double reached, const dp2dp_ledger *ledger, dp2dp_error *error) {
    dp2dpi_c_locale scope = {0};
    (void)dp2dpi_c_locale_enter(&scope, NULL);
    dp2dp_status status = dp2dpi_fail(
        error, DP2DP_STATUS_BUDGET,
        "this charge would take epsilon to %.6g at delta %.6g; the budget is epsilon %.10g",
        round_up_for_text(reached), ledger->delta, ledger->epsilon);
    dp2dpi_c_locale_leave(&scope);
    return status;
}

/* Compares ε(delta) of all entries and the new events with the budget. If no ε can be certified,
 * the budget cannot be shown to hold. */
static dp2dp_status check_within_budget(const dp2dp_ledger *ledger, const dp2dp_event *events,
                                        size_t n, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    double epsilon = 0;
    if (!ledger->has_budget) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dp_ledger_account(ledger, &accountant, error));
    for (size_t i = 0; i < n; i++) {
        DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &events[i], error));
    }
    status = dp2dp_accountant_epsilon(accountant, ledger->delta, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                      error);
    if (status == DP2DP_STATUS_NO_BOUND) {
        status = refuse(INFINITY, ledger, error);
    } else if (status == DP2DP_STATUS_OK && !(epsilon <= ledger->epsilon)) {
        status = refuse(epsilon, ledger, error);
    }
done:
    dp2dp_accountant_free(accountant);
    return status;
}

typedef struct charge_change {
    const dp2dp_event *events;
    size_t n;
    dp2dp_rng_kind rng;
} charge_change;

/* Appends all events or none: on failure, removes the entries it has already appended. */
static dp2dp_status apply_charge(dp2dp_ledger *ledger, const void *change, dp2dp_error *error) {
    const charge_change *charge = change;
    size_t before = ledger->size;
    dp2dp_status status = DP2DP_STATUS_OK;
    for (size_t i = 0; i < charge->n; i++) {
        dp2dp_event taken;
        DP2DPI_TRY(dp2dpi_ledger_take_event(&charge->events[i], ledger->adjacency, &taken, error));
    }
    DP2DPI_TRY(check_within_budget(ledger, charge->events, charge->n, error));
    for (size_t i = 0; i < charge->n; i++) {
        DP2DPI_TRY_OR_DONE(dp2dpi_ledger_append(ledger, &charge->events[i], charge->rng, error));
    }
done:
    while (status != DP2DP_STATUS_OK && ledger->size > before) {
        dp2dpi_event_clear(&ledger->entries[--ledger->size].event);
    }
    return status;
}

static dp2dp_status apply_budget(dp2dp_ledger *ledger, const void *change, dp2dp_error *error) {
    const double *budget = change;
    if (ledger->has_budget && (budget[1] != ledger->delta || budget[0] > ledger->epsilon)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the ledger already has a budget: you can only lower its epsilon, at the same delta");
    }
    ledger->has_budget = 1;
    ledger->epsilon = budget[0];
    ledger->delta = budget[1];
    return DP2DP_STATUS_OK;
}

static dp2dp_status change_ledger(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                  const void *change, dp2dp_error *error) {
    if (ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger must not be NULL");
    }
    return ledger->path ? dp2dpi_ledger_transact(ledger, apply, change, error)
                        : apply(ledger, change, error);
}

dp2dp_status dp2dp_ledger_charge(dp2dp_ledger *ledger, const dp2dp_event *event, dp2dp_rng_kind rng,
                                 dp2dp_error *error) {
    return dp2dpi_ledger_charge_all(ledger, event, 1, rng, error);
}

dp2dp_status dp2dpi_ledger_charge_all(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                      dp2dp_rng_kind rng, dp2dp_error *error) {
    charge_change change = {events, n, rng};
    if (events == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "event must not be NULL");
    }
    return change_ledger(ledger, apply_charge, &change, error);
}

dp2dp_status dp2dpi_ledger_check_budget(double epsilon, double delta, dp2dp_error *error) {
    if (!(epsilon > 0) || !isfinite(epsilon)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "budget epsilon must be finite and above 0");
    }
    if (!(delta > 0 && delta < 1)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "budget delta must be above 0 and below 1");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_ledger_set_budget(dp2dp_ledger *ledger, double epsilon, double delta,
                                     dp2dp_error *error) {
    const double budget[2] = {epsilon, delta};
    DP2DPI_TRY(dp2dpi_ledger_check_budget(epsilon, delta, error));
    return change_ledger(ledger, apply_budget, budget, error);
}

dp2dp_status dp2dp_ledger_budget(const dp2dp_ledger *ledger, int *has_budget, double *epsilon,
                                 double *delta, dp2dp_error *error) {
    if (ledger == NULL || has_budget == NULL || epsilon == NULL || delta == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "ledger, has_budget, epsilon and delta must not be NULL");
    }
    *has_budget = ledger->has_budget;
    *epsilon = ledger->epsilon;
    *delta = ledger->delta;
    return DP2DP_STATUS_OK;
}

dp2dp_adjacency dp2dp_ledger_adjacency(const dp2dp_ledger *ledger) {
    return ledger->adjacency;
}

size_t dp2dp_ledger_size(const dp2dp_ledger *ledger) {
    return ledger->size;
}

dp2dp_status dp2dp_ledger_entry(const dp2dp_ledger *ledger, size_t i, dp2dp_event *event,
                                dp2dp_rng_kind *rng, dp2dp_error *error) {
    if (ledger == NULL || rng == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger and rng must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_struct_check(DP2DP_STRUCT_EVENT, event, error));
    if (i >= ledger->size) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "entry %zu does not exist: the ledger has %zu entries", i, ledger->size);
    }
    dp2dpi_struct_write(DP2DP_STRUCT_EVENT, &ledger->entries[i].event, event);
    *rng = ledger->entries[i].rng;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_charge_declared(dp2dp_ledger *ledger, double epsilon, double delta,
                                           const char *label, dp2dp_error *error) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    if (isnan(epsilon)) {
        return DP2DP_STATUS_OK;
    }
    event.mechanism = DP2DP_DECLARED;
    event.epsilon = epsilon;
    event.delta = delta;
    event.label = label;
    event.set = "train";
    return dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, error);
}

dp2dp_status dp2dpi_ledger_charge_entries(dp2dp_ledger *ledger, const dp2dp_ledger *from,
                                          dp2dp_error *error) {
    for (size_t i = 0; i < from->size; i++) {
        const dp2dpi_entry *entry = &from->entries[i];
        DP2DPI_TRY(dp2dp_ledger_charge(ledger, &entry->event, entry->rng, error));
    }
    return DP2DP_STATUS_OK;
}
