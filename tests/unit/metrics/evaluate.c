/* Tests evaluation without privacy: counts, rates, U, accuracies, and their intervals. */
#include "support.h"

#include <dp2dp/metrics.h>

#include "metrics/clopper_pearson.h"
#include "metrics/multinomial.h"
#include "metrics/unfairness.h"

#define COLUMN(array) \
    ((dp2dp_column) {(array), DP2DP_INT32, sizeof(array) / sizeof *(array), sizeof *(array)})

/* Ten people: group 0 is given 0 0 0 1, group 1 is given 0 1 1 1 2 2. */
static const int32_t group[] = {0, 1, 1, 0, 1, 0, 1, 0, 1, 1};
static const int32_t given[] = {0, 0, 1, 0, 1, 0, 1, 1, 2, 2};
static const int32_t truth[] = {0, 0, 1, 1, 2, 0, 1, 1, 0, 1};

static dp2dp_evaluation *evaluate(const dp2dp_column *labels, size_t strata, size_t classes) {
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *out;
    dp2dp_column predictions = COLUMN(given), codes = COLUMN(group);
    options.strata = strata;
    options.classes = classes;
    assert_ok(dp2dp_evaluate(&predictions, &codes, labels, &options, &out, &test_error));
    return out;
}

TEST(counts_rates_and_unfairness_of_ten_people) {
    static const int64_t counts[] = {3, 1, 0, 1, 3, 2};
    HANDLE(dp2dp_evaluation) *e = evaluate(NULL, 2, 3);
    assert_memory_equal(e->counts, counts, sizeof counts);
    assert_true(e->records == 10 && e->strata == 2 && e->classes == 3);
    assert_true(e->rates[0] == 0.75 && e->rates[1] == 0.25 && e->rates[2] == 0.0);
    assert_true(e->rates[4] == 0.5);
    assert_near(e->unfairness, 0.75 - 1.0 / 6.0, 1e-15);
    assert_true(!e->has_labels && isnan(e->accuracy) && isnan(e->error) &&
                isnan(e->balanced_accuracy) && isnan(e->accuracy_interval.low));
}

TEST(accuracies_of_ten_people) {
    dp2dp_column labels = COLUMN(truth);
    HANDLE(dp2dp_evaluation) *e = evaluate(&labels, 2, 4);
    /* Rows 1 2 3 6 7 8 are correct. Recalls: 3 of 4, 3 of 5, 0 of 1; nobody has label 3. */
    assert_true(e->has_labels);
    assert_near(e->accuracy, 0.6, 1e-15);
    assert_near(e->error, 0.4, 1e-15);
    assert_near(e->balanced_accuracy, (0.75 + 0.6 + 0.0) / 3.0, 1e-15);
    assert_near(e->accuracy_interval.low, dp2dpi_interval_low(6, 4, 0.025), 1e-12);
    assert_near(e->accuracy_interval.high, dp2dpi_interval_high(6, 4, 0.025), 1e-12);
}

TEST(an_event_without_records_is_left_out) {
    HANDLE(dp2dp_evaluation) *e = evaluate(NULL, 3, 3);
    assert_true(isnan(e->rates[6]) && e->counts[6] == 0);
    assert_true(e->rate_intervals[6].low == 0.0 && e->rate_intervals[6].high == 1.0);
    assert_near(e->unfairness, 0.75 - 1.0 / 6.0, 1e-15);
    assert_true(e->unfairness_interval.high <= 1.0);
}

TEST(one_group_alone_cannot_be_compared) {
    static const int64_t counts[] = {3, 4, 0, 0}, totals[] = {7, 0};
    assert_true(isnan(dp2dpi_unfairness(counts, totals, 2, 2)));
}

TEST(unfairness_is_the_largest_of_all_pairs_and_classes) {
    /* Rates .2 .3 .5 | .25 .25 .5 | .2 .7 .1 | .2 .4 .4: the largest difference is in class 1,
     * between groups 1 and 2. */
    static const int64_t counts[] = {2, 3, 5, 5, 5, 10, 20, 70, 10, 1, 2, 2};
    static const int64_t totals[] = {10, 20, 100, 5};
    assert_near(dp2dpi_unfairness(counts, totals, 4, 3), 0.45, 1e-15);
}

/* Values by bisection on the 40-digit incomplete beta function (mpmath 1.3.0). */
TEST(exact_limits_match_high_precision) {
    assert_near(dp2dpi_interval_low(3, 7, 0.025), 0.066739511177734469, 1e-14);
    assert_near(dp2dpi_interval_high(3, 7, 0.025), 0.65245285005999729, 1e-14);
    assert_near(dp2dpi_interval_high(0, 10, 0.025), 0.30849710781876082, 1e-14);
    assert_near(dp2dpi_interval_low(10, 0, 0.025), 0.69150289218123918, 1e-14);
    assert_near(dp2dpi_interval_low(81, 19, 0.05), 0.73379527111345946, 1e-14);
    assert_near(dp2dpi_interval_high(81, 19, 0.05), 0.87185799188511834, 1e-14);
    assert_true(dp2dpi_interval_low(0, 10, 0.025) == 0.0);
    assert_true(dp2dpi_interval_high(10, 0, 0.025) == 1.0);
}

TEST(rate_intervals_are_exact_at_the_confidence_asked_for) {
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_column predictions = COLUMN(given), codes = COLUMN(group);
    HANDLE(dp2dp_evaluation) *e = NULL;
    options.strata = 2;
    options.classes = 3;
    options.confidence = 0.8;
    options.bootstrap_draws = 0;
    assert_ok(dp2dp_evaluate(&predictions, &codes, NULL, &options, &e, NULL));
    for (size_t i = 0; i < 6; i++) {
        double c = (double)e->counts[i], n = i < 3 ? 4.0 : 6.0;
        assert_near(e->rate_intervals[i].low, dp2dpi_interval_low(c, n - c, 0.1), 1e-12);
        assert_near(e->rate_intervals[i].high, dp2dpi_interval_high(c, n - c, 0.1), 1e-12);
        assert_true(e->rate_intervals[i].low <= e->rates[i] &&
                    e->rates[i] <= e->rate_intervals[i].high);
    }
    assert_true(isnan(e->unfairness_interval.low) && isnan(e->unfairness_interval.high));
}

/* Evaluates two groups of 1,000 people with 20,000 bootstrap draws; of_first and of_second people
 * get class 1. */
static dp2dp_evaluation *evaluate_two(int of_first, int of_second, uint64_t seed,
                                      double confidence) {
    enum {
        N = 2000
    };
    static int8_t codes[N];
    static int16_t decisions[N];
    dp2dp_column strata = {codes, DP2DP_INT8, N, 1}, predictions = {decisions, DP2DP_INT16, N, 2};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *out = NULL;
    for (int i = 0; i < N; i++) {
        codes[i] = (int8_t)(i >= N / 2);
        decisions[i] = i % 1000 < (codes[i] ? of_second : of_first);
    }
    options.strata = options.classes = 2;
    options.bootstrap_draws = 20000;
    options.insecure_seed = seed;
    options.confidence = confidence;
    assert_ok(dp2dp_evaluate(&predictions, &strata, NULL, &options, &out, NULL));
    return out;
}

/* The resampled difference of rates 0.7 and 0.4 is nearly normal with a standard deviation of
 * sqrt(.7 .3 / 1000 + .4 .6 / 1000) = 0.02121. */
TEST(bootstrap_of_two_large_groups_is_nearly_normal) {
    HANDLE(dp2dp_evaluation) *e = evaluate_two(700, 400, 0, 0.95);
    HANDLE(dp2dp_evaluation) *again = evaluate_two(700, 400, 0, 0.95);
    HANDLE(dp2dp_evaluation) *other = evaluate_two(700, 400, 1, 0.5);
    assert_near(e->unfairness, 0.3, 1e-12);
    assert_near(e->unfairness_interval.low, 0.3 - 1.96 * 0.02121, 0.003);
    assert_near(e->unfairness_interval.high, 0.3 + 1.96 * 0.02121, 0.003);
    assert_memory_equal(&e->unfairness_interval, &again->unfairness_interval,
                        sizeof e->unfairness_interval);
    assert_near(other->unfairness_interval.high, 0.3 + 0.6745 * 0.02121, 0.002);
}

/* The groups differ by 20 of 1,000 people, about one standard deviation, so the rule may be fair.
 */
TEST(the_interval_of_a_fair_rule_reaches_zero) {
    HANDLE(dp2dp_evaluation) *e = evaluate_two(500, 520, 0, 0.95);
    assert_true(e->unfairness_interval.low == 0.0);
    assert_true(e->unfairness_interval.high > 0.02 + 1.6 * 0.02235);
}

/* In each of two groups, `ones` of its `people` get class 1. */
static dp2dp_evaluation *evaluate_few(const int *people, const int *ones) {
    static int8_t codes[200], decisions[200];
    dp2dp_column strata = {codes, DP2DP_INT8, 0, 1}, predictions = {decisions, DP2DP_INT8, 0, 1};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *out = NULL;
    size_t n = 0;
    for (int g = 0; g < 2; g++) {
        for (int i = 0; i < people[g]; i++, n++) {
            codes[n] = (int8_t)g;
            decisions[n] = i < ones[g];
        }
    }
    strata.rows = predictions.rows = n;
    options.strata = options.classes = 2;
    options.confidence = 0.95;
    assert_ok(dp2dp_evaluate(&predictions, &strata, NULL, &options, &out, NULL));
    return out;
}

TEST(an_interval_of_few_or_equal_decisions_has_exact_limits) {
    static const struct {
        int people[2], ones[2];
    } cases[] = {{{2, 2}, {0, 0}}, {{2, 2}, {2, 0}}, {{100, 100}, {100, 100}}, {{3, 90}, {3, 40}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low[2], high[2];
        HANDLE(dp2dp_evaluation) *e = evaluate_few(cases[i].people, cases[i].ones);
        for (int g = 0; g < 2; g++) {
            double part = cases[i].ones[g], rest = cases[i].people[g] - part;
            low[g] = dp2dpi_interval_low(part, rest, 0.0125);
            high[g] = dp2dpi_interval_high(part, rest, 0.0125);
        }
        double most = fmax(high[0] - low[1], high[1] - low[0]);
        double least = fmax(0, fmax(low[0] - high[1], low[1] - high[0]));
        assert_near(e->unfairness_interval.high, most, 1e-12);
        assert_near(e->unfairness_interval.low, least, 1e-12);
        assert_memory_equal(&e->criteria[DP2DP_DEMOGRAPHIC_PARITY].interval,
                            &e->unfairness_interval, sizeof e->unfairness_interval);
    }
}

/* Adds up the probabilities of all samples whose interval misses the true difference. A bootstrap
 * alone misses far more often: where all decisions of both groups are equal, it has no width. */
TEST(intervals_of_small_groups_keep_their_confidence) {
    static const double rates[][2] = {{0.05, 0.05}, {0.1, 0.3}, {0.5, 0.5}, {0.95, 0.1}};
    enum {
        N = 8
    };
    static dp2dp_interval found[N + 1][N + 1];
    for (int a = 0; a <= N; a++) {
        for (int b = 0; b <= N; b++) {
            HANDLE(dp2dp_evaluation) *e = evaluate_few((int[]) {N, N}, (int[]) {a, b});
            found[a][b] = e->unfairness_interval;
        }
    }
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        double missed = 0, p = rates[i][0], q = rates[i][1], gap = fabs(p - q);
        for (int a = 0; a <= N; a++) {
            for (int b = 0; b <= N; b++) {
                double choose_a = tgamma(N + 1) / tgamma(a + 1) / tgamma(N - a + 1);
                double choose_b = tgamma(N + 1) / tgamma(b + 1) / tgamma(N - b + 1);
                double probability = choose_a * pow(p, a) * pow(1 - p, N - a) * choose_b *
                                     pow(q, b) * pow(1 - q, N - b);
                missed += gap < found[a][b].low - 1e-12 || gap > found[a][b].high + 1e-12
                              ? probability
                              : 0;
            }
        }
        assert_true(missed <= 0.05);
    }
}

/* Chi-squared test of 100,000 draws of Bin(n, p), over cells with at least 20 expected draws. The
 * limit is the 1 - 1e-6 quantile (Wilson and Hilferty), so the false-alarm rate is 1e-6; the seed
 * is fixed. */
static void check_binomial(dp2dpi_rng *rng, int64_t n, double p) {
    enum {
        DRAWS = 100000,
        CELLS = 4096
    };
    static uint32_t seen[CELLS];
    double statistic = 0.0, cells = 0.0, expected = 0.0, observed = 0.0, weights[2] = {p, 1.0 - p};
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < DRAWS; i++) {
        int64_t out[2];
        assert_ok(dp2dpi_resample_multinomial(rng, n, 2, weights, out, NULL));
        assert_true(out[0] >= 0 && out[0] <= n && out[0] + out[1] == n && out[0] < CELLS);
        seen[out[0]]++;
    }
    for (int64_t k = 0; k <= n && k < CELLS; k++) {
        double x = (double)k, m = (double)n;
        expected += DRAWS * exp(lgamma(m + 1) - lgamma(x + 1) - lgamma(m - x + 1) + x * log(p) +
                                (m - x) * log1p(-p));
        observed += seen[k];
        if (expected >= 20.0) {
            statistic += (observed - expected) * (observed - expected) / expected;
            cells += 1.0;
            expected = observed = 0.0;
        }
    }
    double freedom = cells - 1.0, spread = 2.0 / (9.0 * freedom);
    assert_true(statistic < freedom * pow(1.0 - spread + 4.7534 * sqrt(spread), 3.0));
}

TEST(resampling_draws_from_the_binomial_law) {
    HANDLE(dp2dpi_rng) *rng = seeded_rng(7);
    check_binomial(rng, 12, 0.3);      /* walk */
    check_binomial(rng, 1000, 0.009);  /* walk, just below the change of method */
    check_binomial(rng, 1000, 0.0101); /* rejection, just above the change of method */
    check_binomial(rng, 300, 0.5);
    check_binomial(rng, 4000, 0.93); /* mirrored */
    check_binomial(rng, 1000000, 0.002);
}

/* The sum over 2,000 draws of 1,000 people is within 5 standard deviations for each class. */
TEST(resampling_gives_every_class_its_share) {
    static const double weights[] = {0.2, 0.0, 1.0, 0.05, 0.75, 0.0};
    int64_t sum[6] = {0}, out[6];
    HANDLE(dp2dpi_rng) *rng = seeded_rng(8);
    for (int i = 0; i < 2000; i++) {
        int64_t n = 0;
        assert_ok(dp2dpi_resample_multinomial(rng, 1000, 6, weights, out, NULL));
        for (int k = 0; k < 6; k++) {
            n += out[k];
            sum[k] += out[k];
        }
        assert_true(n == 1000);
    }
    for (int k = 0; k < 6; k++) {
        double p = weights[k] / 2.0;
        assert_near((double)sum[k], 2e6 * p, 5.0 * sqrt(2e6 * p * (1.0 - p)));
    }
}

typedef struct bad {
    dp2dp_column predictions, strata, labels;
    dp2dp_evaluate_options options;
} bad;

static void refuse(const bad *b, const char *words) {
    dp2dp_evaluation *out = (dp2dp_evaluation *)1;
    assert_fails(
        dp2dp_evaluate(&b->predictions, &b->strata, &b->labels, &b->options, &out, &test_error),
        ARGUMENT, words);
    assert_null(out);
}

/* Expects an error for a code out of range, with its reason, column and row. */
static void refuse_code(const bad *b, const char *column, uint64_t row) {
    dp2dp_evaluation *out = (dp2dp_evaluation *)1;
    char words[32];
    (void)snprintf(words, sizeof words, "%s, row %d", column, (int)row);
    assert_fails(
        dp2dp_evaluate(&b->predictions, &b->strata, &b->labels, &b->options, &out, &test_error),
        DATA, words);
    assert_null(out);
    assert_true(test_error.reason == DP2DP_REASON_CODE_RANGE && test_error.row == row);
    assert_string_equal(test_error.column, column);
}

TEST(bad_input_is_refused_with_its_place) {
    int32_t wrong[10];
    memcpy(wrong, given, sizeof wrong);
    wrong[6] = 3;
    bad good = {COLUMN(given), COLUMN(group), COLUMN(truth), DP2DP_EVALUATE_OPTIONS_INIT}, b;
    good.options.strata = 2;
    good.options.classes = 3;
    assert_status(dp2dp_evaluate(&good.predictions, &good.strata, NULL, &good.options, NULL, NULL),
                  ARGUMENT);
    (b = good, b.predictions = COLUMN(wrong), refuse_code(&b, "predictions", 7));
    (b = good, b.labels = COLUMN(wrong), refuse_code(&b, "labels", 7));
    (b = good, b.strata = COLUMN(given), refuse_code(&b, "strata", 9));
    wrong[6] = -1;
    (b = good, b.strata = COLUMN(wrong), refuse_code(&b, "strata", 7));
    (b = good, b.strata.rows = 9, refuse(&b, "strata have 9 rows"));
    (b = good, b.labels.rows = 11, refuse(&b, "labels have 11 rows"));
    (b = good, b.predictions.rows = 0, refuse(&b, "at least 1"));
    (b = good, b.strata.type = DP2DP_FLOAT32, refuse(&b, "int8"));
    (b = good, b.predictions.data = NULL, refuse(&b, "predictions"));
    (b = good, b.options.struct_size = 1, refuse(&b, "INIT"));
    (b = good, b.options.classes = 1, refuse(&b, "1 classes"));
    (b = good, b.options.strata = 5000, refuse(&b, "5000 groups"));
    (b = good, b.options.confidence = 1.0, refuse(&b, "confidence = 1"));
    (b = good, b.options.confidence = NAN, refuse(&b, "confidence"));
    (b = good, b.options.bootstrap_draws = 1000001, refuse(&b, "bootstrap_draws"));
    dp2dp_evaluation_free(NULL);
}
