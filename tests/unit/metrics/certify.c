/* Tests the private certificate: its formulas, its charge, and which inputs are refused. */
#include "unit/mechanism/spent.h"

#include <dp2dp/fit.h>
#include <dp2dp/metrics.h>

#include "metrics/certificate_bound.h"
#include "metrics/clopper_pearson.h"

/* Demographic parity: one statistic for each class. */
static dp2dpi_noisy_rates table(size_t groups, size_t classes, const double *cells, double sigma) {
    static const size_t sizes[] = {1, 1, 1};
    static double people[16];
    for (size_t g = 0; g < groups; g++) {
        double total = 0;
        for (size_t k = 0; k < classes; k++) {
            total += cells[g * classes + k];
        }
        for (size_t k = 0; k < classes; k++) {
            people[g * classes + k] = total;
        }
    }
    return (dp2dpi_noisy_rates) {.groups = groups,
                                 .count = classes,
                                 .classes = classes,
                                 .given = cells,
                                 .people = people,
                                 .sizes = sizes,
                                 .sigma = sigma,
                                 .rows = 1};
}

static const double two_by_two[] = {60.5, 139.5, 95.25, 104.75};
static const double three_by_three[] = {500, 300, 200.5, 480.25, -3.5, 523, 1020, 610, 390};

/* Expected values: the formulas of docs/certificate.md in plain Python, no pruning of pairs. */
TEST(normal_bound_matches_its_formula) {
    dp2dpi_noisy_rates t = table(2, 2, two_by_two, 5.0);
    assert_near(dp2dpi_bound_normal(&t, 0.05), 0.272470258184622, 1e-10);
    /* z = 0: the difference of the rates 0.47625 and 0.3025, and 1/200 twice. */
    assert_near(dp2dpi_bound_normal(&t, 0.5), 0.18375, 1e-10);
    t = table(3, 3, three_by_three, 7.5);
    assert_near(dp2dpi_bound_normal(&t, 0.01), 0.37671826597464286, 1e-10);
    static const double at_the_edge[] = {200, -2, 300, 1};
    t = table(2, 2, at_the_edge, 5.0);
    assert_near(dp2dpi_bound_normal(&t, 0.05), 0.07303197854974736, 1e-10);
}

/* Expected values: as above, with the incomplete beta function in 40 digits (mpmath 1.3.0). */
TEST(strict_bound_matches_its_formula) {
    dp2dpi_noisy_rates t = table(2, 2, two_by_two, 5.0);
    assert_near(dp2dpi_bound_strict(&t, 0.05), 0.442939659002908, 1e-8);
    t = table(3, 3, three_by_three, 7.5);
    assert_near(dp2dpi_bound_strict(&t, 0.01), 0.4513561276364, 1e-8);
}

/* P(Bin(n, rate) = c). */
static double chance_of(double c, double n, double rate) {
    return exp(lgamma(n + 1) - lgamma(c + 1) - lgamma(n - c + 1) + c * log(rate) +
               (n - c) * log1p(-rate));
}

/* Nearly everybody in a small group gets a class, and nearly nobody in a large group does. Adds the
 * probabilities of all counts for which the bound is too small. Here the iteration of the bound
 * alternates; with the spread of an arbitrary round, the bound would fail twice as often as stated.
 */
TEST(normal_bound_holds_where_nearly_everybody_is_given_a_class) {
    static const double n = 30, rate = 0.9757, other = 0.0075;
    double misses = 0.0, seen = 0.0;
    for (double c = 0; c <= n; c++) {
        const double cells[] = {c, n - c, 1e6 * other, 1e6 * (1.0 - other)};
        dp2dpi_noisy_rates t = table(2, 2, cells, 0.03);
        double chance = chance_of(c, n, rate);
        seen += chance;
        misses += dp2dpi_bound_normal(&t, 0.05) < rate - other ? chance : 0.0;
    }
    assert_near(seen, 1.0, 1e-9);
    assert_true(misses <= 0.06);
}

TEST(bounds_grow_with_noise_and_confidence) {
    double before = 0.0, before_strict = 0.0;
    for (double sigma = 1.0; sigma < 30.0; sigma *= 1.3) {
        dp2dpi_noisy_rates t = table(2, 2, two_by_two, sigma);
        double u = dp2dpi_bound_normal(&t, 0.05), strict = dp2dpi_bound_strict(&t, 0.05);
        assert_true(u > before && strict >= before_strict && strict > u);
        assert_true(dp2dpi_bound_normal(&t, 0.01) > u && dp2dpi_bound_strict(&t, 0.01) > strict);
        before = u;
        before_strict = strict;
    }
}

TEST(a_group_too_small_gives_one) {
    static const double cells[] = {6, 6.2, 5000, 5000}, empty[] = {-1, 0.5, 5000, 5000};
    dp2dpi_noisy_rates t = table(2, 2, cells, 2.0);
    assert_false(dp2dpi_bound_too_small(&t)); /* the total 12.2 is above 4 sqrt(2) sigma = 11.31 */
    assert_true(dp2dpi_bound_normal(&t, 0.05) < 1.0);
    t.sigma = 2.2; /* now the limit is 12.45 */
    assert_true(dp2dpi_bound_too_small(&t));
    assert_true(dp2dpi_bound_normal(&t, 0.05) == 1.0);
    t = table(2, 2, empty, 0.1);
    assert_true(dp2dpi_bound_too_small(&t) && dp2dpi_bound_normal(&t, 0.05) == 1.0);
    assert_true(dp2dpi_bound_strict(&t, 0.05) > 0.5 && dp2dpi_bound_strict(&t, 0.05) <= 1.0);
}

/* Relabelling groups or classes changes nothing. */
TEST(bounds_do_not_depend_on_the_order) {
    double cells[9];
    dp2dpi_noisy_rates t = table(3, 3, three_by_three, 7.5);
    double u = dp2dpi_bound_normal(&t, 0.05), strict = dp2dpi_bound_strict(&t, 0.05);
    for (size_t shift = 1; shift < 3; shift++) {
        for (size_t i = 0; i < 9; i++) {
            cells[i] = three_by_three[(i / 3 + shift) % 3 * 3 + (2 * i + shift) % 3];
        }
        t = table(3, 3, cells, 7.5);
        assert_near(dp2dpi_bound_normal(&t, 0.05), u, 1e-12);
        assert_near(dp2dpi_bound_strict(&t, 0.05), strict, 1e-12);
    }
}

/* A source that returns a fixed table and records the offsets of the last call. */
typedef struct fixed {
    const int64_t *counts;
    size_t cells;
    float offsets[16];
    int calls;
    dp2dp_status status;
} fixed;

static dp2dp_status answer(void *context, const float *offsets, int64_t *counts,
                           dp2dp_error *error) {
    fixed *f = context;
    (void)error;
    f->calls++;
    memcpy(f->offsets, offsets, f->cells * sizeof *offsets);
    memcpy(counts, f->counts, f->cells * sizeof *counts);
    return f->status;
}

static dp2dp_source source_of(fixed *f, size_t strata, size_t classes) {
    dp2dp_source source = {.struct_size = sizeof source, .strata = strata, .classes = classes};
    f->cells = strata * classes;
    for (size_t i = 0; i < f->cells; i++) {
        source.records += (uint64_t)f->counts[i];
    }
    source.context = f;
    source.count = answer;
    return source;
}

/* Fits a model of the source's sizes without noise. */
static dp2dp_model *model_for(const dp2dp_source *source) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_model *model;
    options.epsilon = INFINITY;
    options.delta = 1e-5;
    options.steps = 2;
    assert_ok(dp2dp_fit(source, &options, &model, NULL));
    return model;
}

static const int64_t people[] = {3000, 1000, 2000, 2000, 2500, 3500};

typedef struct scene {
    fixed fixed;
    dp2dp_source source;
    dp2dp_model *model;
    dp2dp_certify_options options;
    dp2dp_certificate certificate;
} scene;

static void set_up(scene *s) {
    *s = (scene) {.fixed = {.counts = people}, .options = DP2DP_CERTIFY_OPTIONS_INIT};
    s->certificate = DP2DP_CERTIFICATE_INIT;
    s->source = source_of(&s->fixed, 2, 3);
    s->model = model_for(&s->source);
    s->fixed.calls = 0;
    s->options.epsilon = 0.5;
    s->options.delta = 1e-5;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s->options.ledger, NULL));
}

static void scene_free(scene *s) {
    dp2dp_model_free(s->model);
    dp2dp_ledger_free(s->options.ledger);
}

TEST(a_certificate_charges_one_table_and_no_more_than_asked) {
    OWNED(scene) s;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    set_up(&s);
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    assert_int_equal(dp2dp_ledger_size(s.options.ledger), 1);
    assert_ok(dp2dp_ledger_entry(s.options.ledger, 0, &event, &rng, NULL));
    assert_true(event.mechanism == DP2DP_GAUSSIAN && event.count == 1 && event.coordinates == 6);
    assert_true(event.sensitivity >= sqrt(2.0) && event.sensitivity < 1.4142135623731);
    assert_string_equal(event.label, "certificate");
    assert_null(event.set); /* everybody */
    assert_string_equal(event.release_id, s.certificate.release_id);
    assert_true(event.sigma == s.certificate.sigma && event.scale >= 0x1p40);
    assert_int_equal(rng, DP2DP_RNG_SECURE);
    assert_true(s.certificate.is_private);
    double epsilon = epsilon_spent(s.options.ledger, 1e-5);
    assert_true(epsilon <= 0.5 && epsilon > 0.4999);
}

TEST(the_source_is_asked_once_at_the_offsets_of_the_model) {
    OWNED(scene) s;
    int moved = 0;
    set_up(&s);
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    assert_int_equal(s.fixed.calls, 1);
    for (size_t i = 0; i < 6; i++) {
        assert_true((double)s.fixed.offsets[i] == dp2dp_model_view(s.model)->offsets[i]);
        moved |= s.fixed.offsets[i] != 0.0F;
    }
    assert_true(moved);
}

TEST(the_bounds_are_those_of_the_released_table) {
    OWNED(scene) s;
    double released[6], again[6];
    set_up(&s);
    s.options.rng = DP2DP_RNG_INSECURE;
    s.options.insecure_seed = 11;
    s.options.confidence = 0.9;
    s.certificate.table = released;
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    dp2dpi_noisy_rates t = table(2, 3, released, s.certificate.sigma);
    assert_near(s.certificate.unfairness_upper, dp2dpi_bound_normal(&t, 0.1), 1e-12);
    assert_near(s.certificate.unfairness_upper_strict, dp2dpi_bound_strict(&t, 0.1), 1e-12);
    assert_true(s.certificate.confidence == 0.9 && !s.certificate.group_too_small);
    assert_false(s.certificate.is_private);
    /* The rates in the sample are .5 .1667 .3333 and .25 .3125 .4375, so U = .25. */
    assert_true(s.certificate.unfairness_upper > 0.25 && s.certificate.unfairness_upper < 0.29);
    assert_true(s.certificate.unfairness_upper_strict > s.certificate.unfairness_upper);
    for (size_t i = 0; i < 6; i++) {
        assert_true(released[i] != (double)people[i]);
        assert_near(released[i], (double)people[i], 8.0 * s.certificate.sigma);
    }
    s.certificate.table = again;
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    assert_memory_equal(released, again, sizeof again);
    s.options.insecure_seed = 12;
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    assert_true(memcmp(released, again, sizeof again) != 0);
}

TEST(a_small_group_is_said_to_be_too_small) {
    static const int64_t few[] = {8000, 2000, 3997, 1, 2, 0};
    OWNED(scene) s;
    set_up(&s);
    s.fixed.counts = few;
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    assert_true(s.certificate.group_too_small && s.certificate.unfairness_upper == 1.0);
    assert_true(s.certificate.unfairness_upper_strict == 1.0);
    assert_int_equal(s.certificate.warnings % DP2DP_WARNING_MEASURED,
                     DP2DP_WARNING_GROUP_TOO_SMALL);
}

/* The model of the scene was made from 14,000 people for one row each. */
TEST(a_bound_says_if_these_may_be_the_models_people_and_if_none_is_strict) {
    static const struct {
        uint64_t records, rows;
        dp2dp_people people;
        unsigned warnings;
    } cases[] = {{14000, 1, DP2DP_PEOPLE_OTHER, DP2DP_WARNING_AS_MANY_PEOPLE},
                 {14001, 1, DP2DP_PEOPLE_OTHER, 0},
                 {14001, 2, DP2DP_PEOPLE_OTHER, DP2DP_WARNING_NO_STRICT_BOUND},
                 {14000, 2, DP2DP_PEOPLE_SAME, 0}};
    int64_t counts[6];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(scene) s;
        set_up(&s);
        memcpy(counts, s.fixed.counts, sizeof counts);
        counts[0] += (int64_t)(cases[i].records - s.source.records);
        s.fixed.counts = counts;
        s.source.records = cases[i].records;
        s.options.rows_per_person = cases[i].rows;
        s.options.people = cases[i].people;
        assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
        assert_int_equal(s.certificate.warnings, cases[i].warnings);
        assert_int_equal(s.certificate.unfairness_upper_strict == 1,
                         cases[i].warnings == DP2DP_WARNING_NO_STRICT_BOUND);
    }
}

/* The noise is random. If nobody gets another class, 2.3 % of the certificates do not say so, and
 * more than 10 of 60 come once in a million tests. If one person in 50 does, no count is that far
 * off. */
TEST(a_certificate_says_if_everybody_gets_one_class) {
    for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
        int said = 0;
        for (int i = 0; i < 60; i++) {
            OWNED(scene) s;
            set_up(&s);
            const int64_t half = (int64_t)s.source.records / 2, rare = elsewhere * half / 50;
            const int64_t counts[6] = {half - rare, rare, 0, half - rare, 0, rare};
            s.fixed.counts = counts;
            assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
            said += (s.certificate.warnings & DP2DP_WARNING_ONE_CLASS) != 0;
        }
        assert_true(elsewhere ? said == 0 : said >= 50);
    }
}

TEST(a_certificate_warns_of_a_budget_that_promises_little) {
    static const struct {
        double epsilon, delta;
        unsigned warnings;
    } cases[] = {
        {1, 1e-5, 0},
        {1, 0.96 / 14000, DP2DP_WARNING_DELTA_LARGE},
        {10.5, 1e-5, DP2DP_WARNING_EPSILON_LARGE},
        {0.2, 0.3, DP2DP_WARNING_DELTA_LARGE | DP2DP_WARNING_EPSILON_BELOW_DELTA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(scene) s;
        set_up(&s);
        assert_int_equal(s.source.records, 14000);
        s.options.epsilon = cases[i].epsilon;
        s.options.delta = cases[i].delta;
        assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
        assert_int_equal(s.certificate.warnings % DP2DP_WARNING_MEASURED, cases[i].warnings);
    }
}

TEST(many_people_are_not_too_many) {
    static const int64_t many[] = {1 << 29, 1 << 28, 1 << 28, 1 << 28, 1 << 28, 1 << 29};
    OWNED(scene) s;
    set_up(&s);
    s.fixed.counts = many;
    s.source.records = (uint64_t)1 << 31;
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    assert_true(s.certificate.unfairness_upper > 0.25 && s.certificate.unfairness_upper < 0.251);
    assert_true(s.certificate.unfairness_upper_strict < 0.251);
    double epsilon = epsilon_spent(s.options.ledger, 1e-5);
    assert_true(epsilon <= 0.5 && epsilon > 0.4999);
}

/* Model and source must normalise and dither scores alike, or their decisions differ. */
TEST(another_rule_than_the_models_is_not_certified) {
    OWNED(scene) s;
    set_up(&s);
    dp2dp_source other = s.source;
    other.row_sums = DP2DP_ROW_SUMS_NORMALIZE;
    assert_status(dp2dp_certify(&other, s.model, &s.options, &s.certificate, NULL), ARGUMENT);
    other = s.source;
    other.dither = (dp2dp_dither) {.width = 0.1, .seed = 5};
    assert_status(dp2dp_certify(&other, s.model, &s.options, &s.certificate, NULL), ARGUMENT);
    HANDLE(dp2dp_model) *dithered = model_for(&other);
    assert_ok(dp2dp_certify(&other, dithered, &s.options, &s.certificate, NULL));
    other.dither.seed++;
    assert_status(dp2dp_certify(&other, dithered, &s.options, &s.certificate, NULL), ARGUMENT);
    assert_int_equal(dp2dp_ledger_size(s.options.ledger), 1);
}

TEST(a_source_with_an_impossible_table_costs_nothing) {
    static const struct {
        int64_t counts[6];
        const char *words;
    } wrong[] = {{{3000, 1000, 2000, 2000, 2500, 3501}, "sum to more than"},
                 {{6000, 2000, 4000, 4000, 5000, 7000}, "sum to more than"},
                 {{3000, 1000, 2000, 2000, 2500, 3499}, "sum to less than"},
                 {{INT64_MAX, INT64_MAX, INT64_MAX, 0, 0, 0}, "sum to more than"},
                 {{3000, 1000, 2000, 6001, -1, 2000}, "negative"}};
    OWNED(scene) s;
    set_up(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        s.fixed.counts = wrong[i].counts;
        assert_fails(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, &test_error),
                     DATA, wrong[i].words);
    }
    assert_int_equal(dp2dp_ledger_size(s.options.ledger), 0);
}

TEST(a_budget_refuses_before_the_source_is_asked) {
    OWNED(scene) s;
    set_up(&s);
    assert_ok(dp2dp_ledger_set_budget(s.options.ledger, 0.6, 1e-5, NULL));
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    s.certificate.unfairness_upper = 7.0;
    assert_status(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL), BUDGET);
    assert_int_equal(s.fixed.calls, 1);
    assert_int_equal(charges_in(s.options.ledger), 1);
    assert_true(s.certificate.unfairness_upper == 7.0);
}

TEST(a_source_that_fails_costs_nothing) {
    OWNED(scene) s;
    set_up(&s);
    s.fixed.status = DP2DP_STATUS_DATA;
    assert_fails(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, &test_error), IO,
                 "the source failed; nothing was charged");
    assert_int_equal(dp2dp_ledger_size(s.options.ledger), 0);
    assert_true(s.certificate.sigma == 0.0);
}

static void refuse(const scene *s, const char *words) {
    dp2dp_certificate out = s->certificate;
    assert_fails(dp2dp_certify(&s->source, s->model, &s->options, &out, &test_error), ARGUMENT,
                 words);
}

TEST(bad_input_is_refused_before_any_charge) {
    OWNED(scene) good;
    scene b;
    dp2dp_ledger *other;
    set_up(&good);
    assert_ok(dp2dp_ledger_new(DP2DP_ADD_REMOVE, &other, NULL));
    (b = good, b.options.epsilon = 0.0, refuse(&b, "epsilon"));
    (b = good, b.options.epsilon = NAN, refuse(&b, "epsilon"));
    (b = good, b.options.epsilon = INFINITY, refuse(&b, "epsilon"));
    (b = good, b.options.delta = 0.0, refuse(&b, "delta"));
    (b = good, b.options.delta = 1.0, refuse(&b, "delta"));
    (b = good, b.options.confidence = 0.4, refuse(&b, "confidence = 0.4"));
    (b = good, b.options.confidence = 1.0, refuse(&b, "confidence = 1"));
    (b = good, b.options.confidence = NAN, refuse(&b, "confidence"));
    (b = good, b.options.rng = 0, refuse(&b, "rng = 0"));
    (b = good, b.options.ledger = NULL, refuse(&b, "ledger"));
    (b = good, b.options.ledger = other, refuse(&b, "replace-one"));
    (b = good, b.options.struct_size = 0, refuse(&b, "INIT"));
    (b = good, b.certificate.struct_size = 0, refuse(&b, "INIT"));
    (b = good, b.source.struct_size = 0, refuse(&b, "DP2DP_SOURCE_INIT"));
    (b = good, b.source.count = NULL, refuse(&b, "count"));
    (b = good, b.options.rows_per_person = 1000001, refuse(&b, "rows_per_person = 1000001"));
    (b = good, b.options.people = (dp2dp_people)2, refuse(&b, "people = 2"));
    (b = good, b.options.people_name = "", refuse(&b, "people"));
    (b = good, b.options.people_name = "pool", refuse(&b, "pool"));
    (b = good, b.source.records = 1, refuse(&b, "records = 1"));
    (b = good, b.source.classes = 1, refuse(&b, "1 classes"));
    (b = good, b.source.strata = 3, refuse(&b, "the model has 2 groups and 3 classes"));
    (b = good, b.model = NULL, refuse(&b, "model"));
    assert_int_equal(dp2dp_ledger_size(good.options.ledger), 0);
    assert_int_equal(dp2dp_ledger_size(other), 0);
    assert_int_equal(good.fixed.calls, 0);
    dp2dp_ledger_free(other);
}

/* A person with m rows changes the table by up to m, so the same budget needs m times the noise. */
TEST(a_person_with_several_rows_is_protected_as_one) {
    double sigma[2];
    for (int many = 0; many < 2; many++) {
        OWNED(scene) s;
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        set_up(&s);
        s.options.rows_per_person = many ? 5 : 1;
        assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
        assert_ok(dp2dp_ledger_entry(s.options.ledger, 0, &event, &rng, NULL));
        assert_int_equal(event.rows_per_person, s.options.rows_per_person);
        assert_int_equal(s.certificate.unfairness_upper_strict == 1.0, many);
        sigma[many] = s.certificate.sigma;
    }
    assert_near(sigma[1] / sigma[0], 5.0, 1e-6);
}

/* Each group has 100 people with 20 equal rows each, and there is hardly any noise. Adds the
 * probabilities of all pairs of counts for which the bound is too small. */
TEST(rows_that_are_all_alike_are_not_counted_as_people) {
    enum {
        PEOPLE = 100,
        ROWS = 20
    };
    static const double rates[2] = {0.6, 0.4};
    double misses = 0.0, seen = 0.0;
    for (double c = 0; c <= PEOPLE; c++) {
        for (double d = 0; d <= PEOPLE; d++) {
            const double cells[] = {ROWS * c, ROWS * (PEOPLE - c), ROWS * d, ROWS * (PEOPLE - d)};
            dp2dpi_noisy_rates t = table(2, 2, cells, 1.0);
            double chance = chance_of(c, PEOPLE, rates[0]) * chance_of(d, PEOPLE, rates[1]);
            t.rows = ROWS;
            seen += chance;
            misses += dp2dpi_bound_normal(&t, 0.05) < rates[0] - rates[1] ? chance : 0.0;
            assert_true(dp2dpi_bound_strict(&t, 0.05) == 1.0);
        }
    }
    assert_near(seen, 1.0, 1e-9);
    assert_true(misses <= 0.06);
}

/* Every budget from 1e-3 to 100 works, and a larger budget means less noise. */
TEST(any_budget_gives_a_bound_or_a_refusal) {
    OWNED(scene) s;
    double before = INFINITY;
    set_up(&s);
    for (double epsilon = 1e-3; epsilon < 200.0; epsilon *= 10.0) {
        s.options.epsilon = epsilon;
        assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
        assert_true(s.certificate.sigma < before && s.certificate.sigma > 0.0);
        before = s.certificate.sigma;
    }
}

/* Fair rates of 1, 1/2 and 1/3: with equal groups and so many people, no noiseless table gives a
 * smaller bound than the plan says. */
TEST(a_plan_says_how_small_a_bound_can_be) {
    static const double shares[][3] = {{1, 0, 0}, {0.5, 0.5, 0}, {0.4, 0.3, 0.3}};
    OWNED(scene) s;
    HANDLE(dp2dp_ledger) *scratch = NULL;
    double least = NAN, before = 1;
    set_up(&s);
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &scratch, NULL));
    assert_ok(dp2dp_certify(&s.source, s.model, &s.options, &s.certificate, NULL));
    s.options.unfairness_least = &least;
    s.source.count = NULL;
    for (uint64_t records = 100; records <= 1000000; records *= 10) {
        s.source.records = records;
        assert_ok(dp2dp_certify_plan(&s.source, s.model, &s.options, scratch, NULL));
        for (size_t i = 0; i < 3 && records > 1000; i++) {
            double fair[6], half = (double)records / 2;
            for (size_t k = 0; k < 6; k++) {
                fair[k] = half * shares[i][k % 3];
            }
            dp2dpi_noisy_rates t = table(2, 3, fair, s.certificate.sigma);
            double bound = dp2dpi_bound_strict(&t, 0.05);
            assert_true(i == 0 ? fabs(bound - least) < 1e-9 : bound > least);
        }
        assert_true(least > 0 && (least < before || least == 1));
        before = least;
    }
    assert_true(least < 0.01);
    s.options.people = DP2DP_PEOPLE_SAME;
    assert_ok(dp2dp_certify_plan(&s.source, s.model, &s.options, scratch, NULL));
    assert_true(least == 1);
}
