/* Tries to falsify the certificate: is the unfairness U at most the certified bound u as often as
 * the certificate says?
 *
 * There are 500 random settings: 2 to 4 groups of 20 to 20,000 people, 2 to 6 classes, decision
 * rates down to 1e-6, noise from nearly none to the edge of "group too small". In each setting,
 * many times, people are drawn, noise is added, and the function of dp2dp_certify computes u. If a
 * 95 % certificate truly covers U in at least 94 % of the runs of every setting, these tests fail
 * with probability at most 1e-6 over the choice of the seed, split evenly over all comparisons. The
 * seeds are fixed, so a test always passes or always fails. Planted faults show that the tests can
 * fail.
 */
#include "support.h"

#include <dp2dp/fit.h>
#include <dp2dp/metrics.h>

#include "metrics/certificate_bound.h"
#include "metrics/multinomial.h"
#include "noise/noise.h"
#include "num/beta.h"
#include "rng/rng.h"

enum {
    SETTINGS = 500,
    REPEATS = 300,
    REPEATS_STRICT = 10,
    EVENTS_MAX = 4,
    CLASSES_MAX = 6,
    CELLS_MAX = EVENTS_MAX * CLASSES_MAX,
    SHAPES = 3 * 5 /* a shape: 2 to 4 groups, 2 to 6 classes */
};
static const double miss = 0.05;
static const double miss_allowed = 0.06;
static const double false_alarm = 1e-6 / (SETTINGS + SHAPES + 3);

typedef struct setting {
    size_t strata, classes;
    double rates[CELLS_MAX];
    int64_t sizes[EVENTS_MAX];
    double sigma;
    double unfairness; /* the true U */
    int sharp;
} setting;

typedef double (*bound)(const dp2dpi_noisy_rates *rates, double miss);

static double uniform(dp2dpi_rng *rng) {
    return ((double)(dp2dpi_rng_word(rng) >> 11) + 0.5) * 0x1p-53;
}

static double between(dp2dpi_rng *rng, double low, double high) {
    return low * pow(high / low, uniform(rng));
}

static void draw_row(dp2dpi_rng *rng, size_t classes, double skew, double *row) {
    double sum = 0.0;
    for (size_t k = 0; k < classes; k++) {
        row[k] = pow(-log(uniform(rng)), skew) + 1e-6;
        sum += row[k];
    }
    for (size_t k = 0; k < classes; k++) {
        row[k] /= sum;
    }
}

/* Moves the rate of class 0 by `part` of the way to `aim`, 1 or 0; the other rates keep their
 * proportions. */
static void shift_row(size_t classes, double part, double aim, double *row) {
    double first = row[0] + part * (aim - row[0]), others = (1.0 - first) / (1.0 - row[0]);
    for (size_t k = 1; k < classes; k++) {
        row[k] *= others;
    }
    row[0] = first;
}

/* In a sharp setting the first group gets class 0 often and the last group gets it seldom. Then a
 * single pair of groups decides U, and the bound has nothing to spare. In other settings the rates
 * of all groups are independent. */
static void draw_rates(dp2dpi_rng *rng, setting *s) {
    double skew = between(rng, 0.3, 4.0), part = between(rng, 0.4, 0.8);
    for (size_t e = 0; e < s->strata; e++) {
        double *row = s->rates + e * s->classes;
        if (e == 0 || !s->sharp) {
            draw_row(rng, s->classes, skew, row);
        } else {
            memcpy(row, s->rates, s->classes * sizeof *row);
        }
    }
    if (s->sharp) {
        shift_row(s->classes, part, 1.0, s->rates);
        shift_row(s->classes, part, 0.0, s->rates + (s->strata - 1) * s->classes);
    }
    s->unfairness = 0.0;
    for (size_t i = 0; i < s->strata * s->classes; i++) {
        for (size_t e = 0; e < s->strata; e++) {
            s->unfairness =
                fmax(s->unfairness, s->rates[i] - s->rates[e * s->classes + i % s->classes]);
        }
    }
}

static setting draw_setting(dp2dpi_rng *rng, size_t number) {
    setting s = {.strata = 2 + number % 3, .classes = 2 + number / 3 % 5, .sharp = number % 2};
    double least = INFINITY;
    draw_rates(rng, &s);
    for (size_t e = 0; e < s.strata; e++) {
        s.sizes[e] = (int64_t)between(rng, s.sharp ? 200.0 : 20.0, 20000.0);
        least = fmin(least, (double)s.sizes[e]);
    }
    s.sigma = least / sqrt((double)s.classes) / between(rng, 4.5, 1000.0);
    return s;
}

/* Draws the counts of all groups and adds noise on a grid of 2^-40 sigma, as a release does. */
static void draw_table(dp2dpi_rng *rng, const setting *s, double *cells) {
    int64_t counts[CLASSES_MAX], noise[CLASSES_MAX];
    for (size_t e = 0; e < s->strata; e++) {
        assert_ok(dp2dpi_resample_multinomial(rng, s->sizes[e], s->classes,
                                              s->rates + e * s->classes, counts, NULL));
        assert_ok(dp2dpi_noise_gaussian(rng, (uint64_t)1 << 40, s->classes, noise, NULL));
        for (size_t k = 0; k < s->classes; k++) {
            cells[e * s->classes + k] = (double)counts[k] + s->sigma * 0x1p-40 * (double)noise[k];
        }
    }
}

/* The number of people of a group, once for each class. */
static void add_up(const setting *s, const double *cells, double *people) {
    for (size_t e = 0; e < s->strata; e++) {
        double total = 0.0;
        for (size_t k = 0; k < s->classes; k++) {
            total += cells[e * s->classes + k];
        }
        for (size_t k = 0; k < s->classes; k++) {
            people[e * s->classes + k] = total;
        }
    }
}

typedef struct tally {
    uint64_t runs, misses, useful; /* misses: u < U; useful: u < 1 */
} tally;

/* Sets of settings whose misses are counted together. */
enum {
    ALL,
    SHARP,
    SMALL, /* some group has fewer than 100 people */
    SHAPE, /* SHAPE + i: settings of shape i */
    TALLIES = SHAPE + SHAPES
};

typedef struct coverage {
    tally of[TALLIES];
    tally worst; /* the single setting with the most misses */
} coverage;

static tally run_setting(dp2dpi_rng *rng, const setting *s, bound compute, double sigma_factor,
                         double miss_used, uint64_t repeats) {
    tally t = {.runs = repeats};
    static const size_t sizes[CLASSES_MAX] = {1, 1, 1, 1, 1, 1};
    double cells[CELLS_MAX], people[CELLS_MAX];
    dp2dpi_noisy_rates rates = {.groups = s->strata,
                                .count = s->classes,
                                .classes = s->classes,
                                .given = cells,
                                .people = people,
                                .sizes = sizes,
                                .sigma = sigma_factor * s->sigma,
                                .rows = 1};
    for (uint64_t i = 0; i < repeats; i++) {
        draw_table(rng, s, cells);
        add_up(s, cells, people);
        double u = compute(&rates, miss_used);
        assert_true(u >= 0.0 && u <= 1.0);
        t.misses += u < s->unfairness;
        t.useful += u < 1.0;
    }
    return t;
}

static double covered(const tally *t) {
    return 1.0 - (double)t->misses / (double)t->runs;
}

static void print(const char *name, const coverage *c) {
    double least = 1.0;
    for (size_t i = SHAPE; i < TALLIES; i++) {
        least = fmin(least, covered(&c->of[i]));
    }
    print_message("%s: coverage %.4f; sharp settings %.4f, small groups %.4f, worst shape %.4f, "
                  "worst setting %.4f; share of bounds below 1: %.2f\n",
                  name, covered(&c->of[ALL]), covered(&c->of[SHARP]), covered(&c->of[SMALL]), least,
                  covered(&c->worst), (double)c->of[ALL].useful / (double)c->of[ALL].runs);
}

static coverage simulate(const char *name, bound compute, double sigma_factor, double miss_used,
                         uint64_t repeats) {
    coverage result = {.worst = {.runs = repeats}};
    HANDLE(dp2dpi_rng) *rng = seeded_rng(20240901);
    for (size_t i = 0; i < SETTINGS; i++) {
        setting s = draw_setting(rng, i);
        tally t = run_setting(rng, &s, compute, sigma_factor, miss_used, repeats);
        int small = 0;
        for (size_t e = 0; e < s.strata; e++) {
            small |= s.sizes[e] < 100;
        }
        for (size_t k = 0; k < TALLIES; k++) {
            if (k == ALL || (k == SHARP && s.sharp) || (k == SMALL && small) ||
                k == SHAPE + i % SHAPES) {
                result.of[k].runs += t.runs;
                result.of[k].misses += t.misses;
                result.of[k].useful += t.useful;
            }
        }
        result.worst = t.misses > result.worst.misses ? t : result.worst;
    }
    print(name, &result);
    return result;
}

/* Returns 1 if there are too many misses for chance: if each of n runs missed with probability
 * p = 0.06, m misses or more would have probability P(Bin(n, p) ≥ m) = I_p(m, n − m + 1) below the
 * false-alarm rate. */
static int exceeds(const tally *t) {
    return t->misses > 0 &&
           dp2dpi_beta_lower((double)t->misses, (double)(t->runs - t->misses) + 1.0, miss_allowed) <
               false_alarm;
}

static int is_falsified(const coverage *c) {
    int falsified = exceeds(&c->worst);
    for (size_t i = 0; i < TALLIES; i++) {
        falsified |= exceeds(&c->of[i]);
    }
    return falsified;
}

TEST(coverage_is_at_least_94_percent_in_500_settings) {
    coverage c = simulate("normal", dp2dpi_bound_normal, 1.0, miss, REPEATS);
    assert_false(is_falsified(&c));
    assert_true(covered(&c.of[ALL]) >= 0.945);
    assert_true(c.of[ALL].useful > c.of[ALL].runs / 2);
    assert_true(c.of[SMALL].runs > SETTINGS / 10 * REPEATS);
}

/* Its true coverage is proven to be at least 95 %; in practice it nearly never misses. */
TEST(strict_bound_covers_more_than_95_percent) {
    coverage c = simulate("strict", dp2dpi_bound_strict, 1.0, miss, REPEATS_STRICT);
    assert_true(covered(&c.of[ALL]) >= 0.97);
    assert_true(c.of[ALL].useful > c.of[ALL].runs / 4);
}

TEST(forgotten_privacy_noise_is_caught) {
    coverage c = simulate("noise forgotten", dp2dpi_bound_normal, 0.1, miss, REPEATS);
    assert_true(is_falsified(&c));
}

TEST(halved_noise_is_caught) {
    coverage c = simulate("noise halved", dp2dpi_bound_normal, 0.5, miss, REPEATS);
    assert_true(is_falsified(&c));
}

TEST(wrong_confidence_is_caught) {
    coverage c = simulate("90 percent", dp2dpi_bound_normal, 1.0, 0.10, REPEATS);
    assert_true(is_falsified(&c));
}

/* A source whose people are drawn again for every certificate. */
typedef struct crowd {
    setting setting;
    dp2dpi_rng *rng;
} crowd;

static dp2dp_status count_crowd(void *context, const float *offsets, int64_t *table,
                                dp2dp_error *error) {
    crowd *c = context;
    const setting *s = &c->setting;
    (void)offsets;
    for (size_t e = 0; e < s->strata; e++) {
        assert_ok(dp2dpi_resample_multinomial(c->rng, s->sizes[e], s->classes,
                                              s->rates + e * s->classes, table + e * s->classes,
                                              error));
    }
    return OK;
}

static dp2dp_model *some_model(const dp2dp_source *source) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_model *model;
    options.epsilon = INFINITY;
    options.steps = 2;
    assert_ok(dp2dp_fit(source, &options, &model, NULL));
    return model;
}

/* 1,000 calls of dp2dp_certify: U ≤ u as often as stated, and the variance of the released cells is
 * that of drawing people plus that of the charged noise. The sum of squares of 4,000 standardised
 * cells is within 5.5 standard deviations of its mean except with probability 1e-7. */
TEST(certificates_end_to_end_cover_and_carry_the_charged_noise) {
    enum {
        RUNS = 1000
    };
    crowd c = {.setting = {.strata = 2,
                           .classes = 2,
                           .rates = {0.7, 0.3, 0.45, 0.55},
                           .sizes = {900, 400},
                           .unfairness = 0.25}};
    dp2dp_source source = {.struct_size = sizeof source,
                           .records = 1300,
                           .strata = 2,
                           .classes = 2,
                           .context = &c,
                           .count = count_crowd};
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    tally normal = {.runs = RUNS}, strict = {.runs = RUNS};
    double released[4], squares = 0.0;
    assert_ok(dp2dpi_rng_new_insecure(31, &c.rng, NULL));
    HANDLE(dp2dp_model) *model = some_model(&source);
    options.epsilon = 0.2;
    options.delta = 1e-5;
    options.rng = DP2DP_RNG_INSECURE;
    certificate.table = released;
    for (uint64_t i = 0; i < RUNS; i++) {
        assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
        options.insecure_seed = i;
        assert_ok(dp2dp_certify(&source, model, &options, &certificate, NULL));
        dp2dp_ledger_free(options.ledger);
        normal.misses += certificate.unfairness_upper < c.setting.unfairness;
        strict.misses += certificate.unfairness_upper_strict < c.setting.unfairness;
        /* The counts of a group's two cells add up to its size. So their sum has noise only, and
         * their difference has noise and all of the sampling. */
        for (size_t e = 0; e < 2; e++) {
            double n = (double)c.setting.sizes[e], p = c.setting.rates[2 * e];
            double noise = 2.0 * certificate.sigma * certificate.sigma;
            double sum = released[2 * e] + released[2 * e + 1] - n;
            double difference = released[2 * e] - released[2 * e + 1] - n * (2.0 * p - 1.0);
            squares += sum * sum / noise;
            squares += difference * difference / (noise + 4.0 * n * p * (1.0 - p));
        }
    }
    print_message("end to end: coverage %.3f, strict %.3f, sigma %.2f, squares %.1f of 4000\n",
                  covered(&normal), covered(&strict), certificate.sigma, squares);
    assert_false(exceeds(&normal));
    assert_true(strict.misses <= normal.misses);
    assert_true(fabs(squares - 4.0 * RUNS) < 5.5 * sqrt(2.0 * 4.0 * RUNS));
    dp2dpi_rng_free(c.rng);
}
