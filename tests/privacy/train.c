/* Tries to falsify the guarantee of dpgd and dpsgd, on the pair of crowds that is worst for them.
 *
 * One person has the only long row, and the label 0 or 1; everybody else has a row of zeros. So the
 * first cell of a released sum is that person's alone: −clip or +clip but for 6e-4 of it (dpsgd: if
 * sampled, else 0). The attacker computes the likelihood ratio of everything released. His two
 * error rates over the runs are bounded from above by Clopper-Pearson, each at confidence 1 − 5e-7,
 * and compared with the trade-off curve of the ledger: a pair of bounds below the curve falsifies
 * the claim. The measured ε is that of the noisiest ledger of the same kind that is not falsified.
 * A sound run exceeds its claim with probability at most 1e-6 over the choice of the seeds, which
 * are fixed.
 *
 * Passing proves nothing; the planted faults show that the test can fail. */
#include "phase1/descent.h"

#include "unit/train_data.h"

enum {
    RUNS = 100000,
    RUNS_FAULT = 30000,
    STEPS = 4,
    RECORDS = 20,
    BATCH = 8
};
static const double confidence_miss = 5e-7;
static const double delta = 1e-5;
static const double clip = 0.05;

static crowd crowds[2];
static dp2dpi_examples examples[2];

/* What is wrong with the code under attack; all 1 if nothing is. */
typedef struct fault {
    double noise, rate, norm;
} fault;
static const fault none = {1, 1, 1};

/* The charge of one run is the claim; the noise of all runs comes from a charge like it, or like it
 * but for the fault. */
typedef struct setting {
    dp2dpi_descent descent;
    dp2dp_ledger *ledger, *scratch;
    dp2dp_event claim;
    double norm;
} setting;

static setting open_run(dp2dp_train_method method, uint64_t seed, fault wrong) {
    setting s = {.norm = wrong.norm};
    dp2dp_train_options options = train_seeded(method, 1, seed);
    options.steps = STEPS;
    options.batch = BATCH;
    options.clip = clip;
    assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s.ledger, NULL), OK);
    assert_int_equal(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &s.scratch, NULL), OK);
    assert_int_equal(dp2dpi_descent_new(&examples[0], &options, s.ledger, &s.descent, NULL), OK);
    dp2dpi_paid *paid = &s.descent.paid;
    s.claim = *dp2dpi_charge_event(paid->charge);
    s.claim.label = s.claim.set = NULL;
    dp2dp_event drawn = s.claim;
    drawn.count = (uint64_t)1 << 40;
    drawn.sigma *= wrong.noise;
    drawn.rate *= wrong.rate;
    dp2dpi_charge_free(paid->charge);
    assert_int_equal(
        dp2dpi_charge_new(s.scratch, paid->rng, &drawn, paid->grid_bits, &paid->charge, NULL), OK);
    return s;
}

static void close_run(setting *s) {
    dp2dpi_descent_free(&s->descent);
    dp2dp_ledger_free(s->ledger);
    dp2dp_ledger_free(s->scratch);
}

/* The cells of one release in units of clip, the person's part multiplied by norm. */
static void seen(setting *s, const double *weights, double *out) {
    dp2dpi_descent *d = &s->descent;
    if (s->norm == 1) {
        assert_int_equal(dp2dpi_descent_release(d, DP2DPI_TERM_GRADIENT, weights, clip, out, NULL),
                         OK);
        out[0] *= d->batch / clip;
        return;
    }
    if (d->mask) {
        assert_int_equal(dp2dpi_charge_poisson_mask(d->paid.charge, RECORDS, d->mask, NULL), OK);
    }
    dp2dpi_look look = {DP2DPI_TERM_GRADIENT, weights, d->levels, clip, d->paid.grid_bits};
    dp2dpi_gradient_sum(&d->gradient, d->mask, &look);
    d->gradient.sum[0] = (int64_t)((double)d->gradient.sum[0] * s->norm);
    assert_int_equal(dp2dpi_paid_release(&d->paid, 2, d->gradient.sum, 1, out, NULL), OK);
}

/* Log likelihood ratio, first crowd to second, of one run on crowd `which`, as claimed: label 0
 * pushes the first cell up. */
static double attack(setting *s, int which) {
    double out[2], weights[2] = {0, 0}, ratio = 0, z = s->claim.sigma;
    double q = s->claim.mechanism == DP2DP_POISSON ? s->claim.rate : 1;
    s->descent.gradient.examples = &examples[which];
    for (int t = 0; t < STEPS; t++) {
        seen(s, weights, out);
        double x = out[0];
        ratio +=
            log((1 - q + q * exp((x - 0.5) / (z * z))) / (1 - q + q * exp((-x - 0.5) / (z * z))));
        weights[0] = 0.05 * sin(out[0]); /* any function of what was released, not too far */
        weights[1] = 0.5 * sin(out[1]);
    }
    return ratio;
}

/* ln P(Bin(n, p) ≤ k) for k below n p. */
static double log_lower_tail(double n, double k, double p) {
    double term = 1, sum = 0;
    for (double i = k; i >= 0 && term > 1e-18 * sum; i--) {
        sum += term;
        term *= i / (n - i + 1) * (1 - p) / p;
    }
    return log(sum) + lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) +
           (n - k) * log1p(-p);
}

static double rate_upper(double k, double n) {
    double low = k / n, high = 1;
    for (int i = 0; i < 60 && k < n; i++) {
        double p = 0.5 * (low + high);
        *(log_lower_tail(n, k, p) > log(confidence_miss) ? &low : &high) = p;
    }
    return high;
}

typedef struct errors {
    double false_positive, false_negative; /* upper bounds */
} errors;

static errors measure(setting *s, int runs) {
    double wrong[2] = {0, 0};
    for (int i = 0; i < runs; i++) {
        wrong[0] += attack(s, 0) <= 0;
        wrong[1] += attack(s, 1) > 0;
    }
    return (errors) {rate_upper(wrong[0], runs), rate_upper(wrong[1], runs)};
}

static dp2dp_accountant *account(const setting *s, double factor) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = s->claim;
    event.sigma *= factor;
    event.scale = 0;
    assert_int_equal(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, NULL), OK);
    assert_int_equal(dp2dp_accountant_add(accountant, &event, NULL), OK);
    return accountant;
}

static double claimed(const setting *s, double factor) {
    dp2dp_accountant *accountant = account(s, factor);
    double epsilon = 0;
    assert_int_equal(
        dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, &epsilon, NULL, NULL), OK);
    dp2dp_accountant_free(accountant);
    return epsilon;
}

static int is_falsified(const setting *s, errors e, double factor) {
    dp2dp_accountant *accountant = account(s, factor);
    double least = 0;
    assert_int_equal(dp2dp_accountant_tradeoff(accountant, e.false_positive, &least, NULL), OK);
    dp2dp_accountant_free(accountant);
    return e.false_negative < least;
}

/* The largest ε among the falsified claims of the same releases with more noise, or less. */
static double epsilon_lower(const setting *s, errors e) {
    double falsified = 16, standing = 1.0 / 16;
    for (int i = 0; i < 14; i++) {
        double factor = sqrt(falsified * standing);
        *(is_falsified(s, e, factor) ? &falsified : &standing) = factor;
    }
    return claimed(s, falsified);
}

static int begin(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        crowds[i] = crowd_new(RECORDS, 1, 0, 2);
        crowds[i].norm = 30;
        crowds[i].rows.x[0] = 30;
        for (size_t row = 0; row < RECORDS; row++) {
            crowds[i].labels[row] = row ? (int32_t)(row % 2) : i;
        }
        examples[i] = crowd_examples(&crowds[i]);
    }
    return 0;
}

static int end(void **state) {
    (void)state;
    crowd_free(&crowds[0]);
    crowd_free(&crowds[1]);
    return 0;
}

static double expect_sound(dp2dp_train_method method) {
    setting s = open_run(method, 1, none);
    double claim = claimed(&s, 1), lower = epsilon_lower(&s, measure(&s, RUNS));
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", claim, lower);
    assert_true(claim <= 1 && claim >= 0.999);
    assert_true(lower <= claim && lower >= 0.8 * claim);
    close_run(&s);
    return lower;
}

static void dpgd_is_sound_and_tight(void **state) {
    (void)state;
    (void)expect_sound(DP2DP_TRAIN_DPGD);
}

/* And accounting for a record removed, about half of one replaced by its opposite, is exceeded. */
static void dpsgd_is_sound_and_tight(void **state) {
    (void)state;
    double lower = expect_sound(DP2DP_TRAIN_DPSGD), half = 0;
    setting s = open_run(DP2DP_TRAIN_DPSGD, 1, none);
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = s.claim;
    event.sensitivity = 1;
    assert_int_equal(dp2dp_accountant_new(DP2DP_ADD_REMOVE, &accountant, NULL), OK);
    assert_int_equal(dp2dp_accountant_add(accountant, &event, NULL), OK);
    assert_int_equal(
        dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, &half, NULL, NULL), OK);
    print_message("epsilon: add/remove %.4f\n", half);
    assert_true(lower > half);
    dp2dp_accountant_free(accountant);
    close_run(&s);
}

static void expect_caught(dp2dp_train_method method, fault wrong) {
    setting s = open_run(method, 2, wrong);
    double claim = claimed(&s, 1), lower = epsilon_lower(&s, measure(&s, RUNS_FAULT));
    print_message("epsilon: accounted %.4f, measured at least %.4f\n", claim, lower);
    assert_true(lower > claim);
    close_run(&s);
}

static void halved_noise_is_caught(void **state) {
    (void)state;
    expect_caught(DP2DP_TRAIN_DPGD, (fault) {0.5, 1, 1});
    expect_caught(DP2DP_TRAIN_DPSGD, (fault) {0.5, 1, 1});
}

static void a_norm_beyond_its_bound_is_caught(void **state) {
    (void)state;
    expect_caught(DP2DP_TRAIN_DPGD, (fault) {1, 1, 2});
    expect_caught(DP2DP_TRAIN_DPSGD, (fault) {1, 1, 2});
}

static void a_doubled_rate_is_caught(void **state) {
    (void)state;
    expect_caught(DP2DP_TRAIN_DPSGD, (fault) {1, 2, 1});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dpgd_is_sound_and_tight),
        cmocka_unit_test(dpsgd_is_sound_and_tight),
        cmocka_unit_test(halved_noise_is_caught),
        cmocka_unit_test(a_norm_beyond_its_bound_is_caught),
        cmocka_unit_test(a_doubled_rate_is_caught),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
