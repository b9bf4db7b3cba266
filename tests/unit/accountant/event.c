/* Events: the values that are refused, the parameter that the message names, and the defaults. */
#include "accountant/event.h"

#include "unit/accountant/events.h"

static dp2dp_event valid(dp2dp_mechanism mechanism) {
    dp2dp_event exposed = DP2DP_EVENT_INIT;
    exposed.mechanism = DP2DP_EXPOSED;
    return mechanism == DP2DP_EXPOSED    ? exposed
           : mechanism == DP2DP_DECLARED ? declared(1, 1e-6, 1)
                                         : sampled(mechanism, REPLACE, 2, 0.25, 3);
}

/* The event is refused, and the message names the parameter. */
static void refused_under(dp2dp_event event, dp2dp_adjacency adjacency, const char *name) {
    assert_fails(dp2dp_event_check(&event, adjacency, &test_error), ARGUMENT, name);
    assert_int_equal(test_error.status, DP2DP_STATUS_ARGUMENT);
    HANDLE(dp2dp_accountant) *accountant = accountant_of(adjacency, 0, NULL);
    double epsilon = -1;
    assert_status(dp2dp_accountant_add(accountant, &event, NULL), ARGUMENT);
    assert_ok(dp2dp_accountant_epsilon(accountant, 1e-5, AUTO, &epsilon, NULL, NULL));
    assert_true(epsilon == 0);
}

static void refused(dp2dp_event event, const char *name) {
    refused_under(event, REPLACE, name);
}

static void accepted(dp2dp_event event) {
    assert_ok(dp2dp_event_check(&event, REPLACE, &test_error));
}

TEST(every_mechanism_has_a_valid_event) {
    for (int m = DP2DP_GAUSSIAN; m <= DP2DP_EXPOSED; m++) {
        accepted(valid((dp2dp_mechanism)m));
    }
}

/* Sets one field to each of the values in turn and expects a refusal that names it. */
static void each_value_is_refused(dp2dp_mechanism mechanism, size_t offset, size_t size, size_t n,
                                  const void *values, const char *name) {
    for (size_t i = 0; i < n; i++) {
        dp2dp_event event = valid(mechanism);
        memcpy((char *)&event + offset, (const char *)values + i * size, size);
        refused(event, name);
    }
}

#define EACH_REFUSED(mechanism, field, name, ...)                                      \
    do {                                                                               \
        static const __typeof__(((dp2dp_event *)0)->field) values[] = {__VA_ARGS__};   \
        each_value_is_refused(mechanism, offsetof(dp2dp_event, field), sizeof *values, \
                              sizeof values / sizeof *values, values, name);           \
    } while (0)

/* The first whole number that a double cannot hold. Rounded to 2^53, it would be charged as one
 * release too few. */
#define FIRST_INEXACT (((uint64_t)1 << 53) + 1)

TEST(noise_outside_its_bounds_is_refused) {
    for (int m = DP2DP_GAUSSIAN; m < DP2DP_DECLARED; m++) {
        dp2dp_mechanism mechanism = (dp2dp_mechanism)m;
        EACH_REFUSED(mechanism, sensitivity, "sensitivity = ", NAN, INFINITY, -INFINITY, 0, -1);
        EACH_REFUSED(mechanism, sigma, "sigma = ", NAN, INFINITY, -INFINITY, 0, -1);
        EACH_REFUSED(mechanism, sigma, "sigma / sensitivity", 1e-7, 1e17, 5e-324, 1e308);
        EACH_REFUSED(mechanism, scale, "scale = ", NAN, INFINITY, -1, 0.5, 1.5, 0x1p50 + 1, 0x1p60);
    }
}

TEST(rate_outside_its_bounds_is_refused) {
    EACH_REFUSED(DP2DP_POISSON, rate, "rate = ", NAN, INFINITY, -INFINITY, 0, -0.1, 1 + 0x1p-52, 2);
    EACH_REFUSED(DP2DP_WITHOUT_REPLACEMENT, rate, "rate = ", NAN, INFINITY, 0, -0.1, 1 + 0x1p-52,
                 2);
    dp2dp_event whole = valid(DP2DP_POISSON);
    whole.rate = 1;
    accepted(whole);
}

TEST(population_and_draws_outside_their_bounds_are_refused) {
    EACH_REFUSED(DP2DP_WITH_REPLACEMENT, population, "population = ", NAN, INFINITY, 0, -5, 1, 1.5,
                 0x1p53 + 2);
    EACH_REFUSED(DP2DP_WITH_REPLACEMENT, draws, "draws", 0, FIRST_INEXACT, UINT64_MAX);
}

TEST(declared_guarantee_outside_its_bounds_is_refused) {
    EACH_REFUSED(DP2DP_DECLARED, epsilon, "declared epsilon", NAN, INFINITY, -1e-9, -INFINITY, 2e6);
    EACH_REFUSED(DP2DP_DECLARED, delta, "declared delta", NAN, INFINITY, -1e-9, 1, 2);
    accepted(declared(0, 0, 1));
    accepted(declared(1e6, 1 - 0x1p-53, 1));
    EACH_REFUSED(DP2DP_DECLARED, rows_per_person, "rows_per_person", 2);
}

TEST(counts_outside_their_bounds_are_refused) {
    EACH_REFUSED(DP2DP_EXPOSED, count, "count", 0, 2, UINT64_MAX);
    EACH_REFUSED(DP2DP_EXPOSED, rows_per_person, "rows_per_person", 0, 2, 1000001);
    for (int m = DP2DP_GAUSSIAN; m <= DP2DP_DECLARED; m++) {
        dp2dp_mechanism mechanism = (dp2dp_mechanism)m;
        dp2dp_event event = valid(mechanism);
        event.count = (uint64_t)1 << 53;
        accepted(event);
        EACH_REFUSED(mechanism, count, "count", 0, FIRST_INEXACT, FIRST_INEXACT + 1, UINT64_MAX);
        EACH_REFUSED(mechanism, rows_per_person, "rows_per_person", 0, 1000001);
        EACH_REFUSED(mechanism, coordinates, "coordinates", FIRST_INEXACT, UINT64_MAX);
        EACH_REFUSED(mechanism, sampling_unit, "sampling_unit", (dp2dp_sampling_unit)2);
    }
}

TEST(noise_on_a_grid_needs_its_number_of_coordinates) {
    for (int m = DP2DP_GAUSSIAN; m < DP2DP_DECLARED; m++) {
        dp2dp_event event = valid((dp2dp_mechanism)m);
        event.scale = 0x1p40;
        refused(event, "coordinates");
        event.coordinates = 1;
        accepted(event);
        event.scale = 0x1p50;
        accepted(event);
    }
}

TEST(fixed_size_batches_take_replace_one_and_one_row_per_person_only) {
    static const dp2dp_mechanism fixed[] = {DP2DP_WITHOUT_REPLACEMENT, DP2DP_WITH_REPLACEMENT};
    for (int i = 0; i < 2; i++) {
        dp2dp_event event = valid(fixed[i]);
        refused_under(event, DP2DP_ADD_REMOVE, "replace-one");
        refused_under(event, DP2DP_ADD_REMOVE, dp2dp_mechanism_name(fixed[i]));
        event.rows_per_person = 2;
        refused(event, "rows_per_person");
    }
    dp2dp_event event = valid(DP2DP_POISSON);
    event.rows_per_person = 2;
    accepted(event);
}

TEST(unknown_mechanisms_and_adjacencies_are_refused) {
    EACH_REFUSED(DP2DP_GAUSSIAN, mechanism, "mechanism", (dp2dp_mechanism)0, (dp2dp_mechanism)-1,
                 (dp2dp_mechanism)7, (dp2dp_mechanism)1000);
    for (int adjacency = 0; adjacency <= 3; adjacency += 3) {
        dp2dp_event event = valid(DP2DP_GAUSSIAN);
        dp2dp_accountant *accountant = (dp2dp_accountant *)&accountant;
        assert_fails(dp2dp_event_check(&event, (dp2dp_adjacency)adjacency, &test_error), ARGUMENT,
                     "adjacency");
        assert_status(dp2dp_accountant_new((dp2dp_adjacency)adjacency, &accountant, NULL),
                      ARGUMENT);
        assert_null(accountant);
    }
}

TEST(a_struct_of_impossible_size_is_refused) {
    EACH_REFUSED(DP2DP_GAUSSIAN, struct_size, "DP2DP_EVENT_INIT", 0, 1,
                 offsetof(dp2dp_event, label) - 1, 4097, SIZE_MAX);
    assert_fails(dp2dp_event_check(NULL, REPLACE, &test_error), ARGUMENT, "DP2DP_EVENT_INIT");
}

/* Fields beyond the caller's struct_size are not read: a set there would be an invalid pointer. */
TEST(an_older_shorter_struct_is_read_no_further_than_its_size) {
    dp2dp_event other = valid(DP2DP_GAUSSIAN), event = valid(DP2DP_GAUSSIAN);
    event.struct_size = offsetof(dp2dp_event, label);
    event.set = "a";
    other.set = "b";
    dp2dp_event both[] = {event, other};
    double together = epsilon_of_all(REPLACE, AUTO, 2, both, 1e-5);
    assert_true(together > 1.2 * epsilon_of(REPLACE, AUTO, other, 1e-5));
}

TEST(every_field_of_an_event_has_this_default) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    assert_int_equal(event.struct_size, sizeof(dp2dp_event));
    assert_int_equal(event.mechanism, 0); /* must be chosen: 0 is refused */
    assert_true(event.sensitivity == 0);  /* must be chosen */
    assert_true(event.sigma == 0);        /* must be chosen */
    assert_true(event.rate == 0 && event.population == 0);
    assert_int_equal(event.draws, 0);
    assert_int_equal(event.count, 1);
    assert_int_equal(event.coordinates, 0);
    assert_int_equal(event.rows_per_person, 1);
    assert_int_equal(event.sampling_unit, DP2DP_SAMPLE_ROWS);
    assert_true(event.scale == 0 && event.epsilon == 0 && event.delta == 0);
    assert_null(event.label);
    assert_null(event.set);
    assert_null(event.role);
    assert_null(event.release_id);
    /* A new field needs a default above, and then a new size here. */
    assert_int_equal(sizeof(dp2dp_event), 14 * 8 + 4 * sizeof(void *));
    assert_int_equal(offsetof(dp2dp_event, release_id) + sizeof event.release_id, sizeof event);
    refused(event, "mechanism");
}

/* The shift that the accountant composes is at least the exact quotient of norm and σ. */
TEST(no_loss_is_rounded_down) {
    static const dp2dp_mechanism kinds[] = {DP2DP_POISSON, DP2DP_WITHOUT_REPLACEMENT,
                                            DP2DP_WITH_REPLACEMENT};
    for (int i = 0; i < 3000; i++) {
        dp2dp_event event = valid(kinds[i % 3]);
        event.sigma = 1.0 + i / 7.0;
        event.sensitivity = 2.0 / (3 + i);
        dp2dpi_loss loss = dp2dpi_event_loss(&event, REPLACE, DP2DPI_REMOVE);
        long double norm = (kinds[i % 3] == DP2DP_POISSON ? 0.5L : 1.0L) * event.sensitivity;
        assert_true((long double)loss.shift >= norm / event.sigma);
        assert_true((long double)loss.shift <= norm / event.sigma * (1 + 4 * 0x1p-52L));
    }
}
