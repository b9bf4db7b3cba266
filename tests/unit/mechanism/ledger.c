/* The ledger in memory: the checks and the entry of a charge, and the charges that a budget
 * refuses. */
#include "unit/mechanism/spent.h"

static dp2dp_event gaussian(double sigma) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = sqrt(2);
    event.sigma = sigma;
    return event;
}

TEST(entries_come_back_as_charged) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    char label[] = "counts";
    dp2dp_event event = gaussian(3.25);
    event.label = label;
    event.set = "spring";
    event.count = 80;
    event.coordinates = 6;
    event.rows_per_person = 2;
    event.scale = 0x1p40;
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
    label[0] = 'X'; /* the ledger must hold a copy */
    for (int i = 0; i < 20; i++) {
        dp2dp_event more = gaussian(1 + i);
        more.rows_per_person = 2;
        assert_ok(dp2dp_ledger_charge(ledger, &more, DP2DP_RNG_INSECURE, NULL));
    }
    dp2dp_event got = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_int_equal(dp2dp_ledger_size(ledger), 21);
    assert_ok(dp2dp_ledger_entry(ledger, 0, &got, &rng, NULL));
    assert_int_equal(rng, DP2DP_RNG_SECURE);
    assert_string_equal(got.label, "counts");
    assert_string_equal(got.set, "spring");
    assert_true(got.sigma == 3.25 && got.sensitivity == sqrt(2) && got.scale == 0x1p40);
    assert_true(got.count == 80 && got.coordinates == 6 && got.rows_per_person == 2);
    assert_ok(dp2dp_ledger_entry(ledger, 20, &got, &rng, NULL));
    assert_true(got.sigma == 20 && got.label == NULL && rng == DP2DP_RNG_INSECURE);
    assert_status(dp2dp_ledger_entry(ledger, 21, &got, &rng, NULL), ARGUMENT);
    assert_int_equal(dp2dp_ledger_adjacency(ledger), DP2DP_REPLACE_ONE);
}

static void refused(dp2dp_ledger *ledger, dp2dp_event event, const char *word) {
    assert_fails(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), ARGUMENT,
                 word);
    assert_int_equal(test_error.status, DP2DP_STATUS_ARGUMENT);
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}

TEST(what_the_text_cannot_hold_is_refused_and_named) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    char long_label[600];
    dp2dp_event event = gaussian(NAN);
    refused(ledger, event, "sigma");
    event = gaussian(1);
    event.rate = 0.1;
    refused(ledger, event, "rate");
    event = gaussian(1);
    event.epsilon = NAN;
    refused(ledger, event, "epsilon");
    event = gaussian(1);
    event.sampling_unit = DP2DP_SAMPLE_PERSONS;
    refused(ledger, event, "sampling_unit");
    event = gaussian(1);
    event.coordinates = (uint64_t)1 << 63;
    refused(ledger, event, "coordinates");
    event = gaussian(1);
    event.coordinates = 1;
    event.scale = 2.5;
    refused(ledger, event, "scale");
    event = gaussian(1);
    event.label = "\xC3\x28";
    refused(ledger, event, "label");
    event.label = "\xED\xA0\x80"; /* a surrogate */
    refused(ledger, event, "label");
    event.label = "cut short \xE2\x82";
    refused(ledger, event, "label");
    memset(long_label, 'a', sizeof long_label);
    long_label[513] = '\0';
    event.label = NULL;
    event.set = long_label;
    refused(ledger, event, "people");
    event.set = NULL;
    assert_status(dp2dp_ledger_charge(ledger, &event, (dp2dp_rng_kind)7, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_charge(ledger, NULL, DP2DP_RNG_SECURE, NULL), ARGUMENT);
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
    long_label[512] = '\0';
    event.set = long_label;
    event.label = "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82";
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
}

/* The caller was compiled with a newer header, which has one more field. */
TEST(a_field_this_version_does_not_know_is_refused_unless_zero) {
    struct {
        dp2dp_event event;
        double newer;
    } newer = {.event = gaussian(1), .newer = 2};
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    newer.event.struct_size = sizeof newer;
    assert_fails(dp2dp_ledger_charge(ledger, &newer.event, DP2DP_RNG_SECURE, &test_error), ARGUMENT,
                 "does not know");
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
    newer.newer = 0;
    assert_ok(dp2dp_ledger_charge(ledger, &newer.event, DP2DP_RNG_SECURE, NULL));
}

TEST(null_arguments_are_refused) {
    dp2dp_ledger *ledger = new_ledger();
    dp2dp_ledger *none = ledger;
    int has;
    double a;
    assert_status(dp2dp_ledger_new((dp2dp_adjacency)9, &none, NULL), ARGUMENT);
    assert_null(none);
    assert_status(dp2dp_ledger_new(DP2DP_REPLACE_ONE, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_account(ledger, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_budget(ledger, &has, &a, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_set_budget(NULL, 1, 1e-5, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_from_json(NULL, 0, &none, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_to_json(ledger, NULL, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_open("", DP2DP_REPLACE_ONE, &none, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_load(NULL, &none, NULL), ARGUMENT);
    dp2dp_ledger_free(ledger);
    dp2dp_ledger_free(NULL);
    dp2dp_text_free(NULL);
}

TEST(a_budget_refuses_the_charge_that_would_exceed_it) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event event = gaussian(4);
    event.label = "step";
    double two;
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL));
    two = epsilon_spent(ledger, 1e-5);
    /* The budget has room for two charges and a little more, so the third charge is refused. */
    assert_ok(dp2dp_ledger_set_budget(ledger, two * 1.0001, 1e-5, NULL));
    assert_status(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), BUDGET);
    assert_int_equal(charges_in(ledger), 2);
    assert_says(test_error.message, "budget");
    assert_says(test_error.message, "would take epsilon to");
    assert_true(epsilon_spent(ledger, 1e-5) == two);
    /* A smaller release still fits. */
    dp2dp_event small = gaussian(4000);
    assert_ok(dp2dp_ledger_charge(ledger, &small, DP2DP_RNG_SECURE, NULL));
    assert_true(epsilon_spent(ledger, 1e-5) <= two * 1.0001);
}

TEST(a_charge_that_meets_the_budget_exactly_is_allowed) {
    dp2dp_ledger *trial = new_ledger();
    dp2dp_event event = gaussian(4);
    assert_ok(dp2dp_ledger_charge(trial, &event, DP2DP_RNG_SECURE, NULL));
    double cost = epsilon_spent(trial, 1e-6);
    dp2dp_ledger_free(trial);
    dp2dp_ledger *exact = new_ledger();
    assert_ok(dp2dp_ledger_set_budget(exact, cost, 1e-6, NULL));
    assert_ok(dp2dp_ledger_charge(exact, &event, DP2DP_RNG_SECURE, NULL));
    dp2dp_ledger_free(exact);
    HANDLE(dp2dp_ledger) *short_by_one = new_ledger();
    assert_ok(dp2dp_ledger_set_budget(short_by_one, nextafter(cost, 0), 1e-6, NULL));
    assert_status(dp2dp_ledger_charge(short_by_one, &event, DP2DP_RNG_SECURE, NULL), BUDGET);
}

TEST(an_event_without_a_bound_is_refused_as_over_budget) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_DECLARED;
    event.epsilon = 0.1;
    event.delta = 0.5; /* above the delta of the budget, so no epsilon exists there */
    assert_ok(dp2dp_ledger_set_budget(ledger, 1e3, 1e-5, NULL));
    assert_status(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), BUDGET);
    assert_int_equal(test_error.status, DP2DP_STATUS_BUDGET);
    assert_int_equal(charges_in(ledger), 0);
}

TEST(a_budget_may_only_be_lowered) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    int has = 1;
    double epsilon;
    double delta;
    assert_ok(dp2dp_ledger_budget(ledger, &has, &epsilon, &delta, NULL));
    assert_int_equal(has, 0);
    const double bad[][2] = {{NAN, 1e-5}, {INFINITY, 1e-5}, {0, 1e-5}, {-1, 1e-5},
                             {1, 0},      {1, 1},           {1, NAN},  {1, -1e-5}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_status(dp2dp_ledger_set_budget(ledger, bad[i][0], bad[i][1], NULL), ARGUMENT);
    }
    assert_ok(dp2dp_ledger_set_budget(ledger, 2, 1e-5, NULL));
    assert_status(dp2dp_ledger_set_budget(ledger, 2.5, 1e-5, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_set_budget(ledger, 1, 1e-4, NULL), ARGUMENT);
    assert_status(dp2dp_ledger_set_budget(ledger, 1, 1e-6, NULL), ARGUMENT);
    assert_ok(dp2dp_ledger_set_budget(ledger, 2, 1e-5, NULL));
    assert_ok(dp2dp_ledger_set_budget(ledger, 1.5, 1e-5, NULL));
    assert_ok(dp2dp_ledger_budget(ledger, &has, &epsilon, &delta, NULL));
    assert_true(has == 1 && epsilon == 1.5 && delta == 1e-5);
}

/* The epsilon in the message must not look as if it were within the budget, however close it is. */
TEST(the_refused_epsilon_is_printed_rounded_up) {
    static const char before[] = "would take epsilon to ";
    for (double sigma = 0.7; sigma < 5000; sigma *= 3.3) {
        HANDLE(dp2dp_ledger) *trial = new_ledger();
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        dp2dp_event event = gaussian(sigma);
        assert_ok(dp2dp_ledger_charge(trial, &event, DP2DP_RNG_SECURE, NULL));
        double cost = epsilon_spent(trial, 1e-6);
        assert_ok(dp2dp_ledger_set_budget(ledger, cost * (1 - 1e-12), 1e-6, NULL));
        assert_fails(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error), BUDGET,
                     before);
        double printed = strtod(strstr(test_error.message, before) + strlen(before), NULL);
        assert_true(printed >= cost && printed <= cost * 1.00002);
    }
}
