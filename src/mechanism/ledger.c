#include "mechanism/ledger.h"

#include <math.h>
#include <string.h>

#include <dp2dp/version.h>

#include "accountant/event.h"
#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/hash.h"
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

dp2dp_status dp2dpi_ledger_new_of_model(dp2dp_ledger **out, dp2dp_error *error) {
    DP2DPI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, out, error));
    (*out)->of_model = 1;
    return DP2DP_STATUS_OK;
}

static void entry_clear(dp2dpi_entry *entry) {
    dp2dpi_event_clear(&entry->event);
    for (const dp2dpi_stamp *stamp = dp2dpi_ledger_stamps; stamp->name; stamp++) {
        dp2dpi_free((char *)*dp2dpi_stamp_of(stamp, &entry->info));
    }
    dp2dpi_free((char *)entry->info.previous);
    dp2dpi_free((char *)entry->info.hash);
    dp2dpi_free(entry->line);
}

/* Copies an entry and its texts, except `line` and the hashes. Ownership: free *to with
 * entry_clear, also after a failure. */
static dp2dp_status copy_entry(const dp2dpi_entry *from, dp2dpi_entry *to, dp2dp_error *error) {
    dp2dp_entry_info texts = from->info;
    *to = (dp2dpi_entry) {.info = from->info, .rng = from->rng};
    to->info.previous = to->info.hash = NULL;
    for (const dp2dpi_stamp *stamp = dp2dpi_ledger_stamps; stamp->name; stamp++) {
        *dp2dpi_stamp_of(stamp, &to->info) = NULL;
    }
    DP2DPI_TRY(dp2dpi_event_copy(&from->event, &to->event, error));
    for (const dp2dpi_stamp *stamp = dp2dpi_ledger_stamps; stamp->name; stamp++) {
        char *copy = NULL;
        DP2DPI_TRY(dp2dpi_strdup(*dp2dpi_stamp_of(stamp, &texts), &copy, error));
        *dp2dpi_stamp_of(stamp, &to->info) = copy;
    }
    return DP2DP_STATUS_OK;
}

static void remove_last(dp2dp_ledger *ledger) {
    entry_clear(&ledger->entries[--ledger->size]);
}

void dp2dp_ledger_free(dp2dp_ledger *ledger) {
    if (ledger == NULL) {
        return;
    }
    while (ledger->size > 0) {
        remove_last(ledger);
    }
    dp2dpi_free(ledger->entries);
    dp2dpi_free(ledger->verb);
    dp2dpi_free(ledger->note);
    dp2dpi_free(ledger->path);
    dp2dpi_free(ledger);
}

static dp2dp_status reserve_one(dp2dp_ledger *ledger, dp2dp_error *error) {
    if (ledger->size >= DP2DPI_LEDGER_ENTRIES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO,
                           "the ledger is full: a ledger holds at most %d entries",
                           (int)DP2DPI_LEDGER_ENTRIES_MAX);
    }
    void *entries = ledger->entries;
    DP2DPI_TRY(dp2dpi_grow("ledger entries", ledger->size, sizeof(dp2dpi_entry), &entries,
                           &ledger->capacity, error));
    ledger->entries = entries;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_rng_kind_check(dp2dp_rng_kind rng, dp2dp_error *error) {
    return rng == DP2DP_RNG_SECURE || rng == DP2DP_RNG_INSECURE
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "rng = %d: it must be secure or insecure", (int)rng);
}

dp2dp_status dp2dpi_ledger_append(dp2dp_ledger *ledger, const dp2dpi_entry *given,
                                  dp2dp_error *error) {
    dp2dpi_entry checked = *given, entry = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    if (given->info.kind == DP2DP_ENTRY_CHARGE) {
        DP2DPI_TRY(dp2dpi_rng_kind_check(given->rng, error));
        DP2DPI_TRY(dp2dpi_ledger_take_event(ledger, &given->event, &checked.event, error));
    }
    DP2DPI_TRY(reserve_one(ledger, error));
    DP2DPI_TRY_OR_DONE(copy_entry(&checked, &entry, error));
    if (!ledger->of_model) {
        DP2DPI_TRY_OR_DONE(dp2dpi_entry_seal(
            &entry, ledger->size > 0 ? &ledger->entries[ledger->size - 1] : NULL, error));
    }
    ledger->entries[ledger->size++] = entry;
    if (entry.info.kind == DP2DP_ENTRY_BUDGET) {
        ledger->has_budget = 1;
        ledger->epsilon = entry.info.epsilon;
        ledger->delta = entry.info.delta;
    }
    return DP2DP_STATUS_OK;
done:
    entry_clear(&entry);
    return status;
}

static int has_unit(const dp2dpi_entry *entry) {
    return entry->info.kind == DP2DP_ENTRY_CHARGE && entry->event.mechanism != DP2DP_DECLARED &&
           entry->event.mechanism != DP2DP_EXPOSED;
}

/* Returns the rows_per_person of the ledger's charges; 0 if no charge has a rows_per_person.
 * Charges from files of version 1 may have different values; the result is then the largest of
 * them. */
static uint64_t unit_of(const dp2dp_ledger *ledger) {
    uint64_t rows = 0;
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dpi_entry *entry = &ledger->entries[i];
        rows = has_unit(entry) && entry->event.rows_per_person > rows ? entry->event.rows_per_person
                                                                      : rows;
    }
    return rows;
}

static dp2dp_status add_entry(dp2dp_accountant *accountant, const dp2dpi_entry *entry,
                              uint64_t rows, dp2dp_error *error) {
    dp2dp_event event = entry->event;
    if (entry->info.kind != DP2DP_ENTRY_CHARGE) {
        return DP2DP_STATUS_OK;
    }
    event.rows_per_person = has_unit(entry) ? rows : event.rows_per_person;
    dp2dp_status status = dp2dp_accountant_add(accountant, &event, error);
    return status == DP2DP_STATUS_ARGUMENT && entry->event.rows_per_person != rows
               ? dp2dpi_fail(
                     error, DP2DP_STATUS_NO_BOUND,
                     "the ledger has charges with rows_per_person = %llu and with "
                     "rows_per_person = %llu; with the larger number, no bound is known for "
                     "the mechanism '%s'",
                     (unsigned long long)entry->event.rows_per_person, (unsigned long long)rows,
                     dp2dp_mechanism_name(event.mechanism))
               : status;
}

/* Makes an accountant with the charges of the ledger. If noisy_only is 1, leaves out exposed
 * entries, which have no finite cost. */
static dp2dp_status account(const dp2dp_ledger *ledger, int noisy_only, dp2dp_accountant **out,
                            dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    uint64_t rows = unit_of(ledger);
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dp_accountant_new(ledger->adjacency, &accountant, error));
    for (size_t i = 0; i < ledger->size; i++) {
        if (!noisy_only || ledger->entries[i].event.mechanism != DP2DP_EXPOSED) {
            DP2DPI_TRY_OR_DONE(add_entry(accountant, &ledger->entries[i], rows, error));
        }
    }
    *out = accountant;
    accountant = NULL;
done:
    dp2dp_accountant_free(accountant);
    return status;
}

dp2dp_status dp2dp_ledger_account(const dp2dp_ledger *ledger, dp2dp_accountant **out,
                                  dp2dp_error *error) {
    if (out) {
        *out = NULL;
    }
    if (ledger == NULL || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger and out must not be NULL");
    }
    return account(ledger, 0, out, error);
}

dp2dp_status dp2dpi_ledger_epsilon(const dp2dp_ledger *ledger, double delta, double *epsilon,
                                   dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    DP2DPI_TRY(account(ledger, ledger->of_model, &accountant, error));
    dp2dp_status status =
        dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, epsilon, NULL, error);
    dp2dp_accountant_free(accountant);
    return status;
}

/* Rounds v up to six significant digits. A message that refuses a charge prints the rounded number,
 * so the number never looks as if it were within the budget. */
static double round_up_for_text(double v) {
    if (!(v > 0) || !isfinite(v)) {
        return v;
    }
    double unit = pow(10, floor(log10(v)) - 5);
    return unit > 0 ? ceil(v / unit) * unit : v;
}

static dp2dp_status refuse(double reached, const dp2dp_ledger *ledger, dp2dp_reason reason,
                           dp2dp_error *error) {
    dp2dpi_c_locale scope = {0};
    dp2dpi_place place = {.reason = reason};
    (void)dp2dpi_c_locale_enter(&scope, NULL);
    dp2dp_status status = dp2dpi_fail_at(
        error, DP2DP_STATUS_BUDGET, &place,
        "this charge would take epsilon to %.6g at delta %.6g; the budget is epsilon %.10g",
        round_up_for_text(reached), ledger->delta, ledger->epsilon);
    dp2dpi_c_locale_leave(&scope);
    return status;
}

/* Refuses the new events if they and all entries together cost more than the budget, or if no ε can
 * be certified at the budget's delta. */
static dp2dp_status check_within_budget(const dp2dp_ledger *ledger, const dp2dpi_line *lines,
                                        size_t n, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    double epsilon = 0;
    if (!ledger->has_budget) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dp_ledger_account(ledger, &accountant, error));
    for (size_t i = 0; i < n; i++) {
        dp2dp_event taken;
        DP2DPI_TRY_OR_DONE(dp2dpi_ledger_take_event(ledger, &lines[i].event, &taken, error));
        DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &taken, error));
    }
    status = dp2dp_accountant_epsilon(accountant, ledger->delta, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                      error);
    dp2dp_reason reason = dp2dpi_ledger_name_in_vain(ledger, lines, n)
                              ? DP2DP_REASON_UNNAMED_CHARGES
                              : DP2DP_REASON_NONE;
    if (status == DP2DP_STATUS_NO_BOUND) {
        status = refuse(INFINITY, ledger, reason, error);
    } else if (status == DP2DP_STATUS_OK && !(epsilon <= ledger->epsilon)) {
        status = refuse(epsilon, ledger, reason, error);
    }
done:
    dp2dp_accountant_free(accountant);
    return status;
}

/* Checks the name of a set of people. The name may be empty, which means everybody. The name may
 * also be a role, which a model's own ledger uses as a name. */
static dp2dp_status check_name(const dp2dp_ledger *ledger, const char *set, dp2dp_error *error) {
    if (set == NULL || *set == '\0' || dp2dpi_is_role(set)) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dpi_ledger_check_people(set, error));
    return dp2dpi_ledger_check_spelling(ledger, set, error);
}

/* Checks the events and the names of their people. Also checks that each event has the same
 * rows_per_person as the charges in the ledger. In an empty ledger, the first event sets this
 * number. */
static dp2dp_status check_lines(const dp2dp_ledger *ledger, const dp2dpi_line *lines, size_t n,
                                dp2dp_error *error) {
    uint64_t rows = unit_of(ledger);
    for (size_t i = 0; i < n; i++) {
        dp2dpi_entry entry = {.info.kind = DP2DP_ENTRY_CHARGE};
        DP2DPI_TRY(dp2dpi_ledger_take_event(ledger, &lines[i].event, &entry.event, error));
        DP2DPI_TRY(check_name(ledger, entry.event.set, error));
        if (!has_unit(&entry)) {
            continue;
        }
        rows = rows > 0 ? rows : entry.event.rows_per_person;
        if (entry.event.rows_per_person != rows) {
            return dp2dpi_fail(
                error, DP2DP_STATUS_ARGUMENT,
                "rows_per_person = %llu: other charges of this ledger have rows_per_person = %llu, "
                "and all charges of a ledger must have the same; use another ledger",
                (unsigned long long)entry.event.rows_per_person, (unsigned long long)rows);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Fills in time, version, verb and note of a new entry. Verb and note come from `by`, the caller's
 * ledger. The entry itself may be appended to a copy of that ledger. */
static void stamp(const dp2dp_ledger *by, const char *time, dp2dpi_entry *entry) {
    entry->info.struct_size = sizeof entry->info;
    if (!by->of_model) {
        entry->info.time = time;
        entry->info.library_version = dp2dp_version();
        entry->info.verb = by->verb ? by->verb : by->call;
        entry->info.note = by->note;
    }
}

typedef struct budget_change {
    const dp2dp_ledger *by;
    double epsilon, delta;
} budget_change;

static dp2dp_status check_lowers(const dp2dp_ledger *ledger, double epsilon, double delta,
                                 dp2dp_error *error) {
    return ledger->has_budget && (delta != ledger->delta || epsilon > ledger->epsilon)
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "the ledger already has a budget of epsilon %.10g at delta %.10g: "
                             "you can only lower its epsilon, at the same delta",
                             ledger->epsilon, ledger->delta)
               : DP2DP_STATUS_OK;
}

static dp2dp_status apply_budget(dp2dp_ledger *ledger, const void *change, dp2dp_error *error) {
    const budget_change *budget = change;
    char time[DP2DPI_CLOCK_SIZE];
    dp2dpi_entry entry = {
        .info = {.kind = DP2DP_ENTRY_BUDGET, .epsilon = budget->epsilon, .delta = budget->delta},
        .event = DP2DP_EVENT_INIT};
    DP2DPI_TRY(check_lowers(ledger, budget->epsilon, budget->delta, error));
    if (ledger->has_budget && ledger->epsilon <= budget->epsilon) {
        return DP2DP_STATUS_OK; /* the budget is low enough already */
    }
    stamp(budget->by, dp2dpi_clock_now(time), &entry);
    return dp2dpi_ledger_append(ledger, &entry, error);
}

typedef struct charge_change {
    const dp2dp_ledger *by;
    const dp2dpi_line *lines;
    size_t n;
} charge_change;

static dp2dp_status append_lines(dp2dp_ledger *ledger, const charge_change *charge,
                                 dp2dp_error *error) {
    char time[DP2DPI_CLOCK_SIZE];
    (void)dp2dpi_clock_now(time);
    if (charge->by->has_pending) {
        budget_change budget = {charge->by, charge->by->pending_epsilon, charge->by->pending_delta};
        DP2DPI_TRY(apply_budget(ledger, &budget, error));
    }
    DP2DPI_TRY(check_lines(ledger, charge->lines, charge->n, error));
    DP2DPI_TRY(check_within_budget(ledger, charge->lines, charge->n, error));
    for (size_t i = 0; i < charge->n; i++) {
        dp2dpi_entry entry = {.info.kind = DP2DP_ENTRY_CHARGE,
                              .event = charge->lines[i].event,
                              .rng = charge->lines[i].rng};
        stamp(charge->by, time, &entry);
        DP2DPI_TRY(dp2dpi_ledger_append(ledger, &entry, error));
    }
    return DP2DP_STATUS_OK;
}

/* Removes the entries and the budget that the ledger got after its struct was copied to *before. */
static void restore(dp2dp_ledger *ledger, const dp2dp_ledger *before) {
    while (ledger->size > before->size) {
        remove_last(ledger);
    }
    ledger->has_budget = before->has_budget;
    ledger->epsilon = before->epsilon;
    ledger->delta = before->delta;
}

/* Appends all lines or none. */
static dp2dp_status apply_charge(dp2dp_ledger *ledger, const void *change, dp2dp_error *error) {
    const dp2dp_ledger before = *ledger;
    dp2dp_status status = append_lines(ledger, change, error);
    if (status != DP2DP_STATUS_OK) {
        restore(ledger, &before);
    }
    return status;
}

/* Appends all lines and removes them again, to find out whether the charge would be accepted. */
static dp2dp_status rehearse_charge(dp2dp_ledger *ledger, const void *change, dp2dp_error *error) {
    const dp2dp_ledger before = *ledger;
    dp2dp_status status = append_lines(ledger, change, error);
    restore(ledger, &before);
    return status;
}

static dp2dp_status apply_entry(dp2dp_ledger *ledger, const void *change, dp2dp_error *error) {
    return dp2dpi_ledger_append(ledger, change, error);
}

static dp2dp_status change_ledger(dp2dp_ledger *ledger, dp2dpi_ledger_change apply,
                                  const void *change, dp2dp_error *error) {
    return ledger->path ? dp2dpi_ledger_transact(ledger, apply, change, error)
                        : apply(ledger, change, error);
}

dp2dp_status dp2dp_ledger_charge(dp2dp_ledger *ledger, const dp2dp_event *event, dp2dp_rng_kind rng,
                                 dp2dp_error *error) {
    dp2dp_event taken;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_EVENT, event, &taken, error));
    if (ledger) {
        ledger->call = "charge";
    }
    return dp2dpi_ledger_charge_all(ledger, &taken, 1, rng, error);
}

/* Lists everything that one call charges: first ledger->pending, the lines that wait for the next
 * charge, then a line for each event. Ownership: the caller frees *lines, which borrow all
 * texts. */
static dp2dp_status list_lines(const dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                               dp2dp_rng_kind rng, dp2dpi_line **lines, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_rng_kind_check(rng, error));
    size_t all = n + ledger->pending_count;
    DP2DPI_TRY(DP2DPI_ALLOC(*lines, all, "a charge", error));
    for (size_t i = 0; i < all; i++) {
        (*lines)[i] = i < ledger->pending_count
                          ? ledger->pending[i]
                          : (dp2dpi_line) {events[i - ledger->pending_count], rng};
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ledger_charge_all(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                      dp2dp_rng_kind rng, dp2dp_error *error) {
    dp2dpi_line *lines = NULL;
    if (ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger must not be NULL");
    }
    DP2DPI_TRY(list_lines(ledger, events, n, rng, &lines, error));
    const charge_change change = {ledger, lines, n + ledger->pending_count};
    dp2dp_status status = change_ledger(ledger, apply_charge, &change, error);
    dp2dpi_free(lines);
    if (status == DP2DP_STATUS_OK) {
        ledger->has_pending = 0;
        ledger->pending_count = 0;
    }
    return status;
}

dp2dp_status dp2dpi_ledger_check_charge(dp2dp_ledger *ledger, const dp2dp_event *events, size_t n,
                                        dp2dp_rng_kind rng, dp2dp_error *error) {
    dp2dpi_line *lines = NULL;
    DP2DPI_TRY(list_lines(ledger, events, n, rng, &lines, error));
    const charge_change change = {ledger, lines, n + ledger->pending_count};
    dp2dp_status status = ledger->path
                              ? dp2dpi_ledger_rehearse(ledger, apply_charge, &change, error)
                              : rehearse_charge(ledger, &change, error);
    dp2dpi_free(lines);
    return status;
}

void dp2dpi_ledger_charge_with_next(dp2dp_ledger *ledger, const dp2dpi_line *lines, size_t n) {
    ledger->pending = lines;
    ledger->pending_count = n;
}

dp2dp_status dp2dp_ledger_publish(dp2dp_ledger *ledger, const char *release_id,
                                  const char *checksum, dp2dp_error *error) {
    char time[DP2DPI_CLOCK_SIZE];
    if (ledger == NULL || ledger->of_model) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "ledger must not be NULL, and must not be a model's own ledger");
    }
    if ((release_id && !dp2dpi_is_hex(release_id, DP2DPI_RELEASE_ID_DIGITS)) ||
        !dp2dpi_is_hex(checksum, DP2DPI_HASH_SIZE - 1)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "release_id must be NULL or 32 hexadecimal digits, and checksum must be "
                           "64 hexadecimal digits");
    }
    dp2dpi_entry entry = {.info = {.kind = DP2DP_ENTRY_PUBLISHED, .checksum = checksum},
                          .event = DP2DP_EVENT_INIT};
    entry.event.release_id = release_id;
    ledger->call = "publish";
    stamp(ledger, dp2dpi_clock_now(time), &entry);
    return change_ledger(ledger, apply_entry, &entry, error);
}

dp2dp_status dp2dp_ledger_describe(dp2dp_ledger *ledger, const char *verb, const char *note,
                                   dp2dp_error *error) {
    char *own_verb = NULL, *own_note = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_ledger_check_text("verb", verb, error));
    DP2DPI_TRY(dp2dpi_ledger_check_text("note", note, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(verb, &own_verb, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(note, &own_note, error));
    dp2dpi_free(ledger->verb);
    dp2dpi_free(ledger->note);
    ledger->verb = own_verb;
    ledger->note = own_note;
    return DP2DP_STATUS_OK;
done:
    dp2dpi_free(own_verb);
    return status;
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

static dp2dp_status check_can_budget(const dp2dp_ledger *ledger, double epsilon, double delta,
                                     dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_ledger_check_budget(epsilon, delta, error));
    return ledger && !ledger->of_model
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "ledger must not be NULL, and must not be a model's own ledger");
}

dp2dp_status dp2dp_ledger_set_budget(dp2dp_ledger *ledger, double epsilon, double delta,
                                     dp2dp_error *error) {
    const budget_change change = {ledger, epsilon, delta};
    DP2DPI_TRY(check_can_budget(ledger, epsilon, delta, error));
    ledger->call = "budget";
    return change_ledger(ledger, apply_budget, &change, error);
}

dp2dp_status dp2dp_ledger_set_budget_with_charge(dp2dp_ledger *ledger, double epsilon, double delta,
                                                 dp2dp_error *error) {
    DP2DPI_TRY(check_can_budget(ledger, epsilon, delta, error));
    DP2DPI_TRY(check_lowers(ledger, epsilon, delta, error));
    ledger->has_pending = 1;
    ledger->pending_epsilon = epsilon;
    ledger->pending_delta = delta;
    return DP2DP_STATUS_OK;
}

/* Reports the budget. If a new budget waits for the next charge, which will store it, reports the
 * new budget. */
dp2dp_status dp2dp_ledger_budget(const dp2dp_ledger *ledger, int *has_budget, double *epsilon,
                                 double *delta, dp2dp_error *error) {
    if (ledger == NULL || has_budget == NULL || epsilon == NULL || delta == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "ledger, has_budget, epsilon and delta must not be NULL");
    }
    *has_budget = ledger->has_budget || ledger->has_pending;
    *epsilon = ledger->has_pending ? ledger->pending_epsilon : ledger->epsilon;
    *delta = ledger->has_pending ? ledger->pending_delta : ledger->delta;
    return DP2DP_STATUS_OK;
}

dp2dp_adjacency dp2dp_ledger_adjacency(const dp2dp_ledger *ledger) {
    return ledger->adjacency;
}

size_t dp2dp_ledger_size(const dp2dp_ledger *ledger) {
    return ledger->size;
}

static dp2dp_status check_index(const dp2dp_ledger *ledger, size_t i, dp2dp_error *error) {
    if (ledger == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "ledger must not be NULL");
    }
    return i < ledger->size ? DP2DP_STATUS_OK
                            : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                          "entry %zu does not exist: the ledger has %zu entries", i,
                                          ledger->size);
}

dp2dp_status dp2dp_ledger_entry(const dp2dp_ledger *ledger, size_t i, dp2dp_event *event,
                                dp2dp_rng_kind *rng, dp2dp_error *error) {
    if (rng == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rng must not be NULL");
    }
    DP2DPI_TRY(dp2dpi_struct_check(DP2DP_STRUCT_EVENT, event, error));
    DP2DPI_TRY(check_index(ledger, i, error));
    dp2dpi_struct_write(DP2DP_STRUCT_EVENT, &ledger->entries[i].event, event);
    *rng = ledger->entries[i].rng;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_ledger_entry_info(const dp2dp_ledger *ledger, size_t i, dp2dp_entry_info *info,
                                     dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_struct_check(DP2DP_STRUCT_ENTRY_INFO, info, error));
    DP2DPI_TRY(check_index(ledger, i, error));
    dp2dpi_struct_write(DP2DP_STRUCT_ENTRY_INFO, &ledger->entries[i].info, info);
    return DP2DP_STATUS_OK;
}

dp2dp_event dp2dpi_ledger_declared(double epsilon, double delta, const char *label) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_DECLARED;
    event.epsilon = epsilon;
    event.delta = delta;
    event.label = label;
    event.role = DP2DPI_ROLE_TRAIN;
    return event;
}
