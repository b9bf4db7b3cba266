/* The one release path: plan, charge, draw. Tests which ledgers are charged, in which order, and
 * that nothing is released if a ledger refuses. */
#include "mechanism/release.h"

#include "unit/mechanism/spent.h"

enum {
    CELLS = 3,
    RECORDS = 1000,
    COUNTS = 0,
    SUMS = 1
};

static dp2dp_ledger *users, *own;

FIXTURE(begin) {
    return dp2dp_ledger_new(DP2DP_REPLACE_ONE, &users, NULL) != OK ||
           dp2dpi_ledger_new_of_model(&own, NULL) != OK;
}

FIXTURE(end) {
    dp2dp_ledger_free(users);
    dp2dp_ledger_free(own);
    users = own = NULL;
    return 0;
}

static dp2dpi_release_terms terms_of(double epsilon) {
    return (dp2dpi_release_terms) {.epsilon = epsilon,
                                   .delta = 1e-5,
                                   .rows_per_person = 2,
                                   .people = "spring",
                                   .role = "pool",
                                   .rng = DP2DP_RNG_INSECURE,
                                   .insecure_seed = 9,
                                   .ledger = users,
                                   .own = own};
}

/* One release of counts with given noise, and five sums over Poisson samples whose noise is
 * calibrated. */
static dp2dpi_release_plan plan_of(void) {
    dp2dpi_release_plan plan = {
        .events = {[COUNTS] = dp2dpi_release_gaussian(DP2DPI_COUNTS_SENSITIVITY, 50, 2, "counts"),
                   [SUMS] = dp2dpi_release_gaussian(2, 1, CELLS, "sums")},
        .n = 2,
        .most = RECORDS};
    plan.events[SUMS].mechanism = DP2DP_POISSON;
    plan.events[SUMS].rate = 0.25;
    plan.events[SUMS].count = 5;
    return plan;
}

static void assert_charged(size_t by_users, size_t by_own) {
    assert_int_equal(charges_in(users), by_users);
    assert_int_equal(charges_in(own), by_own);
}

/* An empty release cannot be drawn from. */
static void assert_empty(const dp2dpi_release *r) {
    dp2dpi_release empty = {0};
    assert_memory_equal(r, &empty, sizeof empty);
}

TEST_WITH(both_ledgers_get_every_event_as_drawn, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    dp2dpi_release r;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    assert_charged(2, 2);
    for (size_t i = 0; i < 2; i++) {
        dp2dp_event ignored = DP2DP_EVENT_INIT;
        dp2dp_rng_kind kinds[2];
        assert_ok(dp2dp_ledger_entry(users, i, &ignored, &kinds[0], NULL));
        assert_ok(dp2dp_ledger_entry(own, i, &ignored, &kinds[1], NULL));
        assert_true(kinds[0] == DP2DP_RNG_INSECURE && kinds[1] == DP2DP_RNG_INSECURE);
        const dp2dp_event *drawn = dp2dpi_release_event(&r, i);
        dp2dp_event events[2] = {entry_of(users, i), entry_of(own, i)};
        for (int which = 0; which < 2; which++) {
            assert_true(events[which].sigma == drawn->sigma);
            assert_true(events[which].scale == drawn->scale && drawn->scale >= 0x1p40);
            assert_true(ldexp(drawn->sigma, r.grid_bits) == drawn->scale);
            assert_true(events[which].count == plan.events[i].count);
            assert_true(events[which].coordinates == plan.events[i].coordinates);
            assert_true(events[which].rows_per_person == 2);
            assert_string_equal(events[which].label, plan.events[i].label);
            assert_string_equal(events[which].release_id, r.id);
        }
        assert_string_equal(events[0].set, "spring");
        assert_string_equal(events[1].role, "pool");
        assert_null(events[0].role);
        assert_null(events[1].set);
    }
    dp2dpi_release_free(&r);
    dp2dpi_release_free(&r);
}

TEST_WITH(the_last_sigma_is_the_least_that_meets_the_budget, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    OWNED(dp2dpi_release) r;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    assert_true(fabs(dp2dpi_release_event(&r, COUNTS)->sigma - 50) < 1e-9);
    double epsilon = epsilon_spent(own, 1e-5);
    assert_true(epsilon <= 1 && epsilon > 0.999);
}

TEST_WITH(a_refusal_by_the_users_ledger_charges_nobody_and_releases_nothing, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    dp2dpi_release r;
    assert_ok(dp2dp_ledger_set_budget(users, 0.5, 1e-5, NULL));
    assert_status(dp2dpi_release_new(&terms, &plan, &r, NULL), BUDGET);
    assert_charged(0, 0);
    assert_empty(&r);
}

TEST_WITH(a_prepared_release_charges_nobody_and_cannot_be_drawn_from, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    OWNED(dp2dpi_release) r;
    int64_t sum[2] = {0};
    double out[2];
    assert_ok(dp2dp_ledger_set_budget_with_charge(users, 1.5, 1e-5, NULL));
    assert_ok(dp2dpi_release_prepare(&terms, &plan, &r, NULL));
    assert_charged(0, 0);
    assert_int_equal(dp2dp_ledger_size(users), 0);
    assert_status(dp2dpi_release_draw(&r, COUNTS, 2, sum, out, NULL), INTERNAL);
    assert_ok(dp2dpi_release_charge(&r, NULL));
    assert_charged(2, 2);
    assert_int_equal(dp2dp_ledger_size(users), 3); /* with the budget */
    assert_ok(dp2dpi_release_draw(&r, COUNTS, 2, sum, out, NULL));
}

TEST_WITH(without_noise_too_nothing_is_drawn_before_the_charge, begin, end) {
    dp2dpi_release_terms terms = terms_of(INFINITY);
    dp2dpi_release_plan plan = plan_of();
    OWNED(dp2dpi_release) r;
    int64_t sum[2] = {7, 8};
    double out[2] = {0};
    assert_ok(dp2dpi_release_prepare(&terms, &plan, &r, NULL));
    assert_status(dp2dpi_release_draw(&r, COUNTS, 2, sum, out, NULL), INTERNAL);
    assert_true(out[0] == 0 && out[1] == 0);
    dp2dpi_release_free(&r);
    assert_status(dp2dpi_release_draw(&r, COUNTS, 2, sum, out, NULL), INTERNAL);
    assert_true(out[0] == 0 && out[1] == 0);
}

/* Someone else may charge the ledger between preparation and charge. */
TEST_WITH(the_charge_decides_even_if_the_preparation_would_have_been_accepted, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    dp2dpi_release first, second, third;
    assert_ok(dp2dp_ledger_set_budget(users, 1.2, 1e-5, NULL));
    assert_ok(dp2dpi_release_prepare(&terms, &plan, &first, NULL));
    assert_ok(dp2dpi_release_prepare(&terms, &plan, &second, NULL));
    assert_ok(dp2dpi_release_charge(&first, NULL));
    assert_status(dp2dpi_release_charge(&second, NULL), BUDGET);
    assert_empty(&second);
    assert_status(dp2dpi_release_prepare(&terms, &plan, &third, NULL), BUDGET);
    assert_empty(&third);
    assert_charged(2, 2);
    dp2dpi_release_free(&first);
}

/* The second ledger refuses, after the first was charged with every entry. */
TEST_WITH(the_users_ledger_is_charged_first_and_each_ledger_with_all_or_none, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    dp2dpi_release r;
    dp2dp_event other = dp2dpi_release_gaussian(1, 50, 1, "other unit"); /* one row per person */
    assert_ok(dp2dp_ledger_charge(own, &other, DP2DP_RNG_SECURE, NULL));
    assert_status(dp2dpi_release_new(&terms, &plan, &r, NULL), ARGUMENT);
    assert_charged(2, 1);
    assert_empty(&r);
}

TEST_WITH(one_ledger_of_either_kind_is_enough_and_none_is_refused, begin, end) {
    dp2dpi_release_plan plan = plan_of();
    dp2dpi_release r;
    for (int with = 0; with < 3; with++) {
        dp2dpi_release_terms terms = terms_of(1);
        terms.ledger = with == 1 ? users : NULL;
        terms.own = with == 2 ? own : NULL;
        assert_int_equal(dp2dpi_release_new(&terms, &plan, &r, NULL),
                         with ? OK : DP2DP_STATUS_ARGUMENT);
        dp2dpi_release_free(&r);
    }
    assert_charged(2, 2);
}

TEST_WITH(without_noise_people_are_exposed_sums_are_exact_and_the_mask_still_samples, begin, end) {
    enum {
        ROWS = 40000
    };
    static uint8_t mask[ROWS];
    dp2dpi_release_terms terms = terms_of(INFINITY);
    dp2dpi_release_plan plan = plan_of();
    OWNED(dp2dpi_release) r;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    assert_charged(1, 0);
    assert_int_equal(entry_of(users, 0).mechanism, DP2DP_EXPOSED);
    assert_string_equal(entry_of(users, 0).set, "spring");
    assert_string_equal(r.id, "");
    double out[CELLS], sampled = 0;
    int64_t unit = (int64_t)1 << r.grid_bits, sum[CELLS] = {unit, -3 * unit, unit / 2};
    assert_ok(dp2dpi_release_mask(&r, SUMS, ROWS, mask, NULL));
    assert_ok(dp2dpi_release_draw(&r, SUMS, CELLS, sum, out, NULL));
    assert_true(out[0] == 1 && out[1] == -3 && out[2] == 0.5);
    for (size_t i = 0; i < ROWS; i++) {
        sampled += mask[i];
    }
    /* Binomial(40000, 1/4), std 86.6: 6 of them, a false alarm in 5e8. The seed is fixed. */
    assert_true(fabs(sampled - 10000) < 520);
}

/* The sum of 3,000 squared noises is within 6.5 standard deviations of 3,000, with a false-alarm
 * rate of 1e-10 and a fixed seed. With half the noise it would be 60 standard deviations away. */
TEST_WITH(the_noise_drawn_is_the_noise_charged, begin, end) {
    enum {
        RELEASES = 1000
    };
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    OWNED(dp2dpi_release) r;
    plan.events[SUMS].mechanism = DP2DP_GAUSSIAN;
    plan.events[SUMS].rate = 0;
    plan.events[SUMS].count = RELEASES;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    double squares = 0, sigma = entry_of(users, SUMS).sigma;
    for (int t = 0; t < RELEASES; t++) {
        int64_t unit = (int64_t)1 << r.grid_bits, sum[CELLS] = {unit, 2 * unit, 3 * unit};
        double out[CELLS];
        assert_ok(dp2dpi_release_draw(&r, SUMS, CELLS, sum, out, NULL));
        for (int c = 0; c < CELLS; c++) {
            squares += pow((out[c] - (c + 1)) / sigma, 2);
        }
    }
    assert_true(fabs(squares - CELLS * RELEASES) < 6.5 * sqrt(2.0 * CELLS * RELEASES));
    int64_t sum[CELLS] = {0};
    double out[CELLS] = {0};
    assert_status(dp2dpi_release_draw(&r, SUMS, CELLS, sum, out, NULL), BUDGET);
}

TEST_WITH(counts_outside_their_range_are_clipped, begin, end) {
    dp2dpi_release_terms terms = terms_of(INFINITY);
    dp2dpi_release_plan plan = plan_of();
    OWNED(dp2dpi_release) r;
    double out[CELLS];
    plan.events[COUNTS].coordinates = CELLS;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    r.sum[0] = INT64_MIN;
    r.sum[1] = 7;
    r.sum[2] = INT64_MAX;
    assert_ok(dp2dpi_release_draw_counts(&r, COUNTS, CELLS, RECORDS, 0, out, NULL));
    assert_true(out[0] == 0 && out[1] == 7 && out[2] == RECORDS);
}

/* Sums must stay below 2^62 grid units. If they may exceed about 2^22, a σ of a few units has fewer
 * than 2^40 grid units. */
TEST_WITH(large_sums_get_a_coarser_grid_and_too_large_ones_are_refused, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    dp2dpi_release r;
    plan.most = 0x1p32;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    for (size_t i = 0; i < 2; i++) {
        double scale = dp2dpi_release_event(&r, i)->scale;
        assert_true(scale >= 0x1p30 && scale < 0x1p40);
    }
    dp2dpi_release_free(&r);
    plan.least_bits = 30;
    assert_status(dp2dpi_release_new(&terms, &plan, &r, NULL), BUDGET);
    assert_empty(&r);
    plan.least_bits = 0;
    plan.most = 0x1p45;
    assert_status(dp2dpi_release_new(&terms, &plan, &r, NULL), BUDGET);
    assert_empty(&r);
    /* With the number of records, the message says how many would fit. */
    plan.records = 0x1p44;
    assert_fails(dp2dpi_release_new(&terms, &plan, &r, &test_error), ARGUMENT,
                 "17592186044416 records are too many for epsilon = ");
    double room = strtod(strstr(test_error.message, "At most ") + 8, NULL);
    plan.most = 2 * room;
    plan.records = room;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, &test_error));
    dp2dpi_release_free(&r);
    plan.most = 2 * (room + 1);
    plan.records = room + 1;
    assert_status(dp2dpi_release_new(&terms, &plan, &r, NULL), ARGUMENT);
    assert_empty(&r);
    assert_charged(4, 4);
}

/* Checks that it gets the terms, and events with the scale at which the slack is charged. */
static dp2dp_status calibrate(const void *context, const dp2dpi_release_terms *terms,
                              dp2dp_event *events, dp2dp_error *error) {
    assert_true(events[0].scale >= 0x1p30 && events[1].scale == events[0].scale);
    assert_true(terms->epsilon == 1);
    events[0].sigma = events[1].sigma = *(const double *)context;
    (void)error;
    return OK;
}

typedef struct priced {
    double sigma;
    dp2dp_event entry;
    dp2dp_status status;
} priced;

static dp2dp_status price(void *context, const dp2dp_event *drawn, const dp2dp_event **entries,
                          size_t *size, dp2dp_error *error) {
    priced *p = context;
    (void)error;
    assert_true(drawn[COUNTS].sigma == p->sigma && drawn[SUMS].scale > 0);
    assert_int_equal(dp2dp_ledger_size(users), 0); /* not charged yet */
    p->entry = drawn[COUNTS];
    p->entry.label = "price";
    *entries = &p->entry;
    *size = 1;
    return p->status;
}

TEST_WITH(a_price_is_charged_in_place_of_the_events, begin, end) {
    dp2dpi_release_terms terms = terms_of(1);
    dp2dpi_release_plan plan = plan_of();
    priced p = {.sigma = 4, .status = DP2DP_STATUS_NO_BOUND};
    OWNED(dp2dpi_release) r;
    plan.calibrate = calibrate;
    plan.price = price;
    plan.context = &p;
    assert_status(dp2dpi_release_new(&terms, &plan, &r, NULL), NO_BOUND);
    assert_charged(0, 0);
    assert_empty(&r);
    p.status = OK;
    assert_ok(dp2dpi_release_new(&terms, &plan, &r, NULL));
    assert_charged(1, 1);
    assert_string_equal(entry_of(users, 0).label, "price");
    assert_string_equal(entry_of(own, 0).label, "price");
    assert_true(dp2dpi_release_event(&r, SUMS)->sigma == 4);
}

/* A replaced record takes one from a cell and adds one to another: 1² + 1² ≤ Δ². */
TEST_WITH(the_sensitivity_of_counts_is_root_two_rounded_up, begin, end) {
    double delta = DP2DPI_COUNTS_SENSITIVITY;
    assert_true(fma(delta, delta, -2.0) >= 0 && fma(delta, delta, -2.0) < 1e-15);
}

TEST_WITH(releases_are_checked_before_they_are_planned, begin, end) {
    HANDLE(dp2dp_ledger) *other = NULL;
    assert_ok(dp2dp_ledger_new(DP2DP_ADD_REMOVE, &other, NULL));
    assert_ok(dp2dpi_release_check(DP2DP_RNG_SECURE, NULL, NULL));
    assert_ok(dp2dpi_release_check(DP2DP_RNG_INSECURE, users, NULL));
    assert_status(dp2dpi_release_check((dp2dp_rng_kind)7, users, NULL), ARGUMENT);
    assert_status(dp2dpi_release_check(DP2DP_RNG_SECURE, other, NULL), ARGUMENT);
}

static void assert_budget_refused(double epsilon, double delta, const char *words) {
    dp2dp_error error = {0};
    assert_int_equal(dp2dpi_release_check_budget(epsilon, delta, DP2DPI_EPSILON_FINITE, &error),
                     DP2DP_STATUS_ARGUMENT);
    assert_says(error.message, words);
}

TEST(a_budget_out_of_range_names_the_value_that_is_wrong) {
    assert_budget_refused(NAN, 1e-5, "epsilon and delta must be chosen");
    assert_budget_refused(1, NAN, "epsilon and delta must be chosen");
    assert_budget_refused(0, 1e-5, "epsilon = 0: it must be above 0");
    assert_budget_refused(INFINITY, 1e-5, "epsilon = inf: it must be above 0 and finite");
    assert_budget_refused(1, 0, "delta = 0: it must be above 0 and below 1");
    assert_budget_refused(1e-5, 1, "delta = 1: it must be above 0 and below 1; epsilon is below");
    assert_budget_refused(1e-5, 1, "were the two swapped?");
    dp2dp_error error = {0};
    dp2dpi_epsilon_limit any = DP2DPI_EPSILON_MAY_BE_INFINITE;
    assert_status(dp2dpi_release_check_budget(3, 5, any, &error), ARGUMENT);
    assert_null(strstr(error.message, "swapped"));
    assert_ok(dp2dpi_release_check_budget(INFINITY, NAN, any, NULL));
    assert_ok(dp2dpi_release_check_budget(1, 1e-5, any, NULL));
    assert_status(dp2dpi_release_check_budget(-INFINITY, 1e-5, any, NULL), ARGUMENT);
}
