/* Implements releases, together with mechanism.c. docs/proofs/release.md proves that they are
 * private. */
#include "mechanism/release.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "mechanism/mechanism.h"

/* Where σ is calibrated with a numerical bound on ε, the target is `aim` times the ε that was asked
 * for. This margin is needed because the bound does not always fall when σ rises, so rounding σ up
 * to the grid may raise the bound a little. */
static const double aim = 1.0 - 1e-5;

dp2dp_status dp2dpi_release_check(dp2dp_rng_kind rng, const dp2dp_ledger *ledger,
                                  dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_rng_kind_check(rng, error));
    if (ledger && dp2dp_ledger_adjacency(ledger) != DP2DP_REPLACE_ONE) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the adjacency of the ledger must be replace-one, because this release treats the "
            "number of records as public");
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_release_check_budget(double epsilon, double delta, dp2dpi_epsilon_limit limit,
                                         dp2dp_error *error) {
    int may_be_infinite = limit == DP2DPI_EPSILON_MAY_BE_INFINITE;
    if (may_be_infinite && epsilon > 0.0 && isinf(epsilon)) {
        return DP2DP_STATUS_OK;
    }
    const char *finite = may_be_infinite ? "" : " and finite";
    if (isnan(epsilon) || isnan(delta)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "epsilon and delta must be chosen: epsilon above 0%s, delta above 0 and below 1",
            finite);
    }
    int above = epsilon > 0.0 && !isinf(epsilon);
    if (above && delta > 0.0 && delta < 1.0) {
        return DP2DP_STATUS_OK;
    }
    const char *swapped =
        epsilon < 1.0 && epsilon < delta ? "; epsilon is below delta: were the two swapped?" : "";
    return above ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "delta = %g: it must be above 0 and below 1%s", delta, swapped)
                 : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "epsilon = %g: it must be above 0%s",
                               epsilon, finite);
}

dp2dp_event dp2dpi_release_gaussian(double sensitivity, double sigma, uint64_t coordinates,
                                    const char *label) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = sensitivity;
    event.sigma = sigma;
    event.coordinates = coordinates;
    event.label = label;
    return event;
}

dp2dp_status dp2dpi_release_unit_sigma(const dp2dpi_release_terms *terms, uint64_t coordinates,
                                       double scale, double *sigma, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = dp2dpi_release_gaussian(1.0, 0.0, coordinates, NULL);
    event.rows_per_person = terms->rows_per_person;
    event.scale = scale;
    DP2DPI_TRY(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error));
    dp2dp_status status =
        dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_ANALYTIC, DP2DP_FIND_SIGMA,
                                   terms->epsilon, terms->delta, &event, NULL, error);
    dp2dp_accountant_free(accountant);
    *sigma = event.sigma;
    return status;
}

static dp2dp_event exposure_of(const char *people) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_EXPOSED;
    event.label = "released without noise";
    event.set = people;
    return event;
}

dp2dp_status dp2dpi_release_expose(const dp2dpi_release_terms *terms, dp2dp_error *error) {
    dp2dp_event event = exposure_of(terms->people);
    if (terms->ledger) {
        terms->ledger->call = terms->verb;
        DP2DPI_TRY(dp2dpi_ledger_charge_all(terms->ledger, &event, 1, terms->rng, error));
    }
    if (terms->own == NULL || (terms->role && terms->own_set == NULL)) {
        return DP2DP_STATUS_OK;
    }
    event.role = terms->role;
    event.set = terms->role ? terms->own_set : terms->people;
    return dp2dpi_ledger_charge_all(terms->own, &event, 1, terms->rng, error);
}

/* Gives the release its public id. With insecure noise, the id is derived from the seed and the
 * events, so that the whole release can be repeated. With secure noise, the id is random. */
static dp2dp_status name_release(const dp2dpi_release_terms *terms, dp2dpi_release_plan *plan,
                                 dp2dpi_release *r, dp2dp_error *error) {
    unsigned char bytes[DP2DPI_RELEASE_ID_DIGITS / 2];
    if (terms->rng == DP2DP_RNG_INSECURE) {
        DP2DPI_TRY(dp2dpi_ledger_derive_id(plan->events, plan->n, terms->insecure_seed,
                                           terms->subject, r->id, error));
    } else {
        DP2DPI_TRY(dp2dpi_entropy(bytes, sizeof bytes, error));
        dp2dpi_hex(bytes, sizeof bytes, r->id);
    }
    for (size_t i = 0; i < plan->n; i++) {
        plan->events[i].release_id = r->id;
    }
    return DP2DP_STATUS_OK;
}

/* Finds the smallest σ of the last event that keeps all events together within (ε, δ). */
static dp2dp_status calibrate_last(const dp2dpi_release_terms *terms, dp2dpi_release_plan *plan,
                                   dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dp_accountant *accountant = NULL;
    dp2dp_event *last = &plan->events[plan->n - 1];
    int closed_form = last->mechanism == DP2DP_GAUSSIAN;
    DP2DPI_TRY(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error));
    for (const dp2dp_event *event = plan->events; event < last; event++) {
        DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, event, error));
    }
    DP2DPI_TRY_OR_DONE(dp2dp_accountant_calibrate(
        accountant, DP2DP_BACKEND_AUTO, DP2DP_FIND_SIGMA,
        closed_form ? terms->epsilon : terms->epsilon * aim, terms->delta, last, NULL, error));
done:
    dp2dp_accountant_free(accountant);
    return status;
}

/* Finds the finest grid that has room for all sums and their noise. Returns 1 if the plan allows
 * this grid and every σ is at least `scale` grid units. */
static int find_grid(const dp2dpi_release_plan *plan, double scale, int *grid_bits) {
    double smallest = plan->events[0].sigma, largest = smallest;
    for (size_t i = 1; i < plan->n; i++) {
        smallest = fmin(smallest, plan->events[i].sigma);
        largest = fmax(largest, plan->events[i].sigma);
    }
    *grid_bits = dp2dpi_charge_grid(plan->most, largest);
    return *grid_bits >= plan->least_bits && ldexp(smallest, *grid_bits) >= scale;
}

/* Fails, because no grid of 64-bit integers has room for the sums and the noise of the plan. If at
 * least one record would fit, the message says how many records would fit. */
static dp2dp_status fail_grid(const dp2dpi_release_terms *terms, const dp2dpi_release_plan *plan,
                              double scale, dp2dp_error *error) {
    dp2dpi_release_plan smaller = *plan;
    int bits;
    while (smaller.most >= 1.0 && !find_grid(&smaller, scale, &bits)) {
        (void)frexp(smaller.most, &bits);
        smaller.most =
            ldexp(1.0 - 0x1p-53,
                  bits - 1); /* the largest sum that fits if the grid is finer by one bit */
    }
    double largest = floor(smaller.most / plan->most * plan->records);
    if (!(largest >= 1.0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_BUDGET,
                           "epsilon = %g is too large: the noise is so small, and its grid so "
                           "fine, that not even one record with its noise fits into a 64-bit "
                           "integer; use a smaller epsilon",
                           terms->epsilon);
    }
    return dp2dpi_fail(
        error, DP2DP_STATUS_ARGUMENT,
        "%.0f records are too many for epsilon = %g: the noise is so small, and its grid so fine, "
        "that a sum over all these records does not fit into a 64-bit integer. At most %.0f "
        "records fit; with a smaller epsilon, more fit",
        plan->records, terms->epsilon, largest);
}

/* Calibrates the noise and chooses the grid. Noise on a grid costs slightly more privacy than
 * continuous noise. The charge for this extra cost assumes 2^40 grid units per σ, or 2^30 if the
 * sums leave no room for 2^40. If plan->price charges for the noise as drawn, any grid works. */
static dp2dp_status plan_noise(const dp2dpi_release_terms *terms, dp2dpi_release_plan *plan,
                               int *grid_bits, dp2dp_error *error) {
    static const double scales[] = {0x1p40, 0x1p30};
    for (size_t s = 0; s < sizeof scales / sizeof scales[0]; s++) {
        for (size_t i = 0; i < plan->n; i++) {
            plan->events[i].scale = scales[s];
        }
        DP2DPI_TRY(plan->calibrate ? plan->calibrate(plan->context, terms, plan->events, error)
                                   : calibrate_last(terms, plan, error));
        if (find_grid(plan, scales[s], grid_bits) || plan->price) {
            return DP2DP_STATUS_OK;
        }
    }
    return fail_grid(terms, plan, scales[sizeof scales / sizeof scales[0] - 1], error);
}

/* Sets the role and the set of n events, which name the people that the events are about. If `own`
 * is 1, uses the names for the model's own ledger; if `own` is 0, those for the user's ledger. */
static void name_people(const dp2dpi_release_terms *terms, int own, dp2dp_event *events, size_t n) {
    for (size_t i = 0; i < n; i++) {
        events[i].role = own ? terms->role : NULL;
        events[i].set = own ? terms->own_set : terms->people;
    }
}

/* Returns the ledger that is charged first. It is charged for the noise as drawn, with σ and scale
 * rounded up to the grid. Only this charge gives the right to draw noise. If there is no noise, or
 * if plan->price replaces the ledger entries, this is the temporary ledger r->scratch. */
static dp2dp_ledger *first_ledger(const dp2dpi_release *r) {
    return r->scratch ? r->scratch : r->terms.ledger ? r->terms.ledger : r->terms.own;
}

/* Lists in r->entries what the user's ledger is charged. */
static dp2dp_status list_entries(const dp2dpi_release_plan *plan, dp2dpi_release *r,
                                 dp2dp_error *error) {
    dp2dp_event drawn[DP2DPI_RELEASE_EVENTS_MAX], exposed = exposure_of(r->terms.people);
    const dp2dp_event *entries = r->noisy ? drawn : &exposed;
    r->size = r->noisy ? plan->n : 1;
    for (size_t i = 0; i < plan->n; i++) {
        drawn[i] = *dp2dpi_charge_event(r->charges[i]);
    }
    if (r->noisy && plan->price) {
        DP2DPI_TRY(plan->price(plan->context, drawn, &entries, &r->size, error));
    }
    if (r->size > DP2DPI_RELEASE_EVENTS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                           "a release has more ledger entries than %d", DP2DPI_RELEASE_EVENTS_MAX);
    }
    memcpy(r->entries, entries, r->size * sizeof *entries);
    name_people(&r->terms, 0, r->entries, r->size);
    return DP2DP_STATUS_OK;
}

/* Prepares the charges, which allow no release yet, and the ledger entries. */
static dp2dp_status prepare_charge(dp2dpi_release_plan *plan, dp2dpi_release *r,
                                   dp2dp_error *error) {
    if (!r->noisy || plan->price) {
        DP2DPI_TRY(dp2dpi_ledger_new_of_model(&r->scratch, error));
    }
    name_people(&r->terms, first_ledger(r) == r->terms.own, plan->events, plan->n);
    DP2DPI_TRY(
        dp2dpi_charge_prepare(r->rng, plan->events, plan->n, r->grid_bits, r->charges, error));
    r->n = plan->n;
    return list_entries(plan, r, error);
}

static dp2dp_status begin(const dp2dpi_release_terms *terms, const dp2dpi_release_plan *plan,
                          dp2dpi_release *out, dp2dp_error *error) {
    void *sum = NULL;
    dp2dpi_release_plan used = *plan;
    *out = (dp2dpi_release) {.noisy = !isinf(terms->epsilon), .terms = *terms};
    for (size_t i = 0; i < used.n; i++) {
        used.events[i].rows_per_person = terms->rows_per_person;
        size_t coordinates = (size_t)used.events[i].coordinates;
        out->length = coordinates > out->length ? coordinates : out->length;
    }
    DP2DPI_TRY(dp2dpi_alloc_for("a sum", out->length, sizeof *out->sum, &sum, error));
    out->sum = sum;
    DP2DPI_TRY(terms->rng == DP2DP_RNG_INSECURE
                   ? dp2dpi_rng_new_insecure(terms->insecure_seed, &out->rng, error)
                   : dp2dpi_rng_new(&out->rng, error));
    if (out->noisy) {
        DP2DPI_TRY(plan_noise(terms, &used, &out->grid_bits, error));
        DP2DPI_TRY(name_release(terms, &used, out, error));
    } else {
        (void)find_grid(&used, 0.0, &out->grid_bits);
    }
    return prepare_charge(&used, out, error);
}

static dp2dp_status charge_ledgers(dp2dpi_release *r, dp2dp_error *error) {
    const dp2dpi_release_terms *terms = &r->terms;
    dp2dp_ledger *first = first_ledger(r);
    if (terms->ledger) {
        terms->ledger->call = terms->verb;
    }
    DP2DPI_TRY(dp2dpi_charge_commit(first, r->charges, r->n, error));
    if (!r->noisy) {
        return dp2dpi_release_expose(terms, error);
    }
    if (terms->ledger && first != terms->ledger) {
        DP2DPI_TRY(dp2dpi_ledger_charge_all(terms->ledger, r->entries, r->size, terms->rng, error));
    }
    name_people(terms, 1, r->entries, r->size);
    return terms->own && first != terms->own
               ? dp2dpi_ledger_charge_all(terms->own, r->entries, r->size, terms->rng, error)
               : DP2DP_STATUS_OK;
}

static dp2dp_status charge(dp2dpi_release *r, dp2dp_error *error) {
    DP2DPI_TRY(charge_ledgers(r, error));
    r->charged = 1;
    return DP2DP_STATUS_OK;
}

/* Frees the release if `status` is a failure, so that noise can be drawn only if all ledgers were
 * charged. */
static dp2dp_status keep_if_ok(dp2dp_status status, dp2dpi_release *r) {
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_release_free(r);
    }
    return status;
}

dp2dp_status dp2dpi_release_prepare(const dp2dpi_release_terms *terms,
                                    const dp2dpi_release_plan *plan, dp2dpi_release *out,
                                    dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(begin(terms, plan, out, error));
    if (terms->ledger) {
        terms->ledger->call = terms->verb;
        DP2DPI_TRY_OR_DONE(
            dp2dpi_ledger_check_charge(terms->ledger, out->entries, out->size, terms->rng, error));
        /* Moves the waiting lines from the ledger to the release. Before the release is charged,
         * the caller may ask the user's data source for counts. If that source charges the same
         * ledger, its charge must not include these lines. */
        out->waiting = terms->ledger->pending;
        out->waiting_count = terms->ledger->pending_count;
        dp2dpi_ledger_charge_with_next(terms->ledger, NULL, 0);
    }
done:
    return keep_if_ok(status, out);
}

dp2dp_status dp2dpi_release_charge(dp2dpi_release *r, dp2dp_error *error) {
    if (r->terms.ledger) {
        dp2dpi_ledger_charge_with_next(r->terms.ledger, r->waiting, r->waiting_count);
    }
    return keep_if_ok(charge(r, error), r);
}

dp2dp_status dp2dpi_release_new(const dp2dpi_release_terms *terms, const dp2dpi_release_plan *plan,
                                dp2dpi_release *out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(begin(terms, plan, out, error));
    DP2DPI_TRY_OR_DONE(charge(out, error));
done:
    return keep_if_ok(status, out);
}

void dp2dpi_release_free(dp2dpi_release *r) {
    for (size_t i = 0; i < DP2DPI_RELEASE_EVENTS_MAX; i++) {
        dp2dpi_charge_free(r->charges[i]);
    }
    dp2dp_ledger_free(r->scratch);
    dp2dpi_rng_free(r->rng);
    if (r->sum) {
        dp2dpi_wipe(r->sum, r->length * sizeof *r->sum);
    }
    dp2dpi_free(r->sum);
    *r = (dp2dpi_release) {0};
}

const dp2dp_event *dp2dpi_release_event(const dp2dpi_release *r, size_t i) {
    return dp2dpi_charge_event(r->charges[i]);
}

dp2dp_status dp2dpi_release_mask(dp2dpi_release *r, size_t i, size_t n, uint8_t *mask,
                                 dp2dp_error *error) {
    return dp2dpi_charge_poisson_mask(r->charges[i], n, mask, error);
}

/* This function is the boundary between private and public data: `sum` is private, `out` may be
 * published. */
dp2dp_status dp2dpi_release_draw(dp2dpi_release *r, size_t i, size_t n, int64_t *sum, double *out,
                                 dp2dp_error *error) {
    if (!r->charged) {
        return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL, "a release was drawn without a charge");
    }
    if (r->noisy) {
        DP2DPI_TRY(dp2dpi_charge_release(r->charges[i], n, sum, sum, error));
    }
    for (size_t c = 0; c < n; c++) {
        out[c] = ldexp((double)sum[c], -r->grid_bits);
    }
    return DP2DP_STATUS_OK;
}

static int64_t clip_count(int64_t count, uint64_t most) {
    return count < 0 ? 0 : (uint64_t)count > most ? (int64_t)most : count;
}

dp2dp_status dp2dpi_release_draw_counts(dp2dpi_release *r, size_t i, size_t n, uint64_t records,
                                        unsigned unit_bits, double *out, dp2dp_error *error) {
    for (size_t c = 0; c < n; c++) {
        r->sum[c] = clip_count(r->sum[c], records << unit_bits) *
                    ((int64_t)1 << (r->grid_bits - (int)unit_bits));
    }
    return dp2dpi_release_draw(r, i, n, r->sum, out, error);
}

dp2dp_status dp2dpi_plan_begin(const dp2dp_ledger *ledger, dp2dp_ledger **scratch,
                               dp2dp_error *error) {
    if (ledger == NULL || ledger == *scratch) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "ledger must not be NULL, and must differ from the ledger in the options");
    }
    DP2DPI_TRY(dp2dpi_release_check(DP2DP_RNG_INSECURE, ledger, error));
    return dp2dpi_ledger_new_of_model(scratch, error);
}

static dp2dp_status charge_together(const dp2dp_ledger *from, dp2dp_ledger *ledger,
                                    dp2dp_rng_kind rng, dp2dp_error *error) {
    size_t n = dp2dp_ledger_size(from);
    dp2dp_event *events = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(events, n, "the entries of a plan", error));
    for (size_t i = 0; i < n; i++) {
        events[i] = from->entries[i].event;
        events[i].release_id = NULL; /* a plan has no release_id, because nothing is released */
    }
    ledger->call = from->call;
    dp2dp_status status = dp2dpi_ledger_charge_all(ledger, events, n, rng, error);
    dp2dpi_free(events);
    return status;
}

dp2dp_status dp2dpi_plan_end(dp2dp_status status, dp2dp_ledger *scratch, dp2dp_ledger *ledger,
                             dp2dp_rng_kind rng, dp2dp_error *error) {
    if (status == DP2DP_STATUS_OK && dp2dp_ledger_size(scratch) > 0) {
        status = charge_together(scratch, ledger, rng, error);
    }
    dp2dp_ledger_free(scratch);
    return status;
}
