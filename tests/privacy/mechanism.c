/* Tries to falsify the guarantee of a single release (attack.h).
 *
 * Two things show that these tests can fail: each planted fault is caught, and without a fault the
 * measured ε is at least 0.8 of the accounted ε. */
#include "noise/noise.h"

#include "privacy/attack.h"

enum {
    RELEASES = 100000,
    GRID_BITS = 30,
    RECORDS = 8
};
static const double unit = (double)((int64_t)1 << GRID_BITS);

struct setting {
    dp2dp_ledger *ledger;
    dp2dpi_rng *rng;
    dp2dpi_charge *charge;
};

static dp2dp_event event_of(dp2dp_mechanism mechanism, double sensitivity, double sigma) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = mechanism;
    event.sensitivity = sensitivity;
    event.sigma = sigma;
    event.coordinates = 1;
    event.count = 1000000;
    return event;
}

static dp2dp_event gaussian_event(void) {
    return event_of(DP2DP_GAUSSIAN, 1, 1);
}

static setting begin(dp2dp_event event, int grid_bits, uint64_t seed) {
    setting s = {.ledger = new_ledger(), .rng = seeded_rng(seed)};
    assert_ok(dp2dpi_charge_new(s.ledger, s.rng, &event, 1, grid_bits, &s.charge, NULL));
    return s;
}

static void setting_free(setting *s) {
    dp2dpi_charge_free(s->charge);
    dp2dpi_rng_free(s->rng);
    dp2dp_ledger_free(s->ledger);
}

/* The claim: the ledger's entry, for one release. */
static dp2dp_event claim_of(const setting *s) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(s->ledger, 0, &event, &rng, NULL));
    event.count = 1;
    return event;
}

static void assert_sound_and_tight(dp2dp_event event, attack run, double threshold) {
    OWNED(setting) s = begin(event, GRID_BITS, 1);
    dp2dp_event claim = claim_of(&s);
    (void)expect_sound(&claim, 1, measure(&s, run, threshold, RELEASES));
}

static void assert_caught(dp2dp_event event, attack run, double threshold, int releases) {
    OWNED(setting) s = begin(event, GRID_BITS, 2);
    dp2dp_event claim = claim_of(&s);
    expect_caught(&claim, 1, measure(&s, run, threshold, releases));
}

static void release(setting *s, size_t n, const int64_t *sum, int64_t *released) {
    assert_ok(dp2dpi_charge_release(s->charge, n, sum, released, NULL));
}

static int64_t noise(setting *s, double scale) {
    int64_t draw = 0;
    assert_ok(dp2dpi_noise_gaussian(s->rng, (uint64_t)scale, 1, &draw, NULL));
    return draw;
}

/* A Gaussian release of the sum 0 or 1. */
static double gaussian(setting *s, int data_set) {
    const int64_t sum = data_set ? (int64_t)unit : 0;
    int64_t released;
    release(s, 1, &sum, &released);
    return (double)released / unit;
}

static double gaussian_with_halved_noise(setting *s, int data_set) {
    return data_set + (double)noise(s, dp2dpi_charge_event(s->charge)->scale / 2) / unit;
}

/* Noise of the right standard deviation, but only whole numbers. */
static double gaussian_on_whole_counts(setting *s, int data_set) {
    return data_set + (double)noise(s, dp2dpi_charge_event(s->charge)->sigma);
}

static double gaussian_on_a_charged_coarse_grid(setting *s, int data_set) {
    const int64_t sum = data_set;
    int64_t released;
    release(s, 1, &sum, &released);
    return (double)released;
}

TEST(gaussian_release_is_sound_and_tight) {
    assert_sound_and_tight(gaussian_event(), gaussian, 0.5);
}

TEST(halved_noise_is_caught) {
    assert_caught(gaussian_event(), gaussian_with_halved_noise, 0.5, RELEASES);
}

/* Both error rates are 0.3005, where continuous noise allows 0.3167. It takes four times the
 * releases to see the difference. */
TEST(noise_on_too_coarse_a_grid_is_caught) {
    assert_caught(gaussian_event(), gaussian_on_whole_counts, 0.5, 4 * RELEASES);
}

/* The same coarse noise with the coarse grid in the charge: the accountant's slack covers it. */
TEST(a_coarse_grid_that_is_charged_is_not_falsified) {
    OWNED(setting) s = begin(gaussian_event(), 0, 3);
    dp2dp_event claim = claim_of(&s);
    assert_true(claim.scale == 1);
    errors e = measure(&s, gaussian_on_a_charged_coarse_grid, 0.5, 4 * RELEASES);
    assert_false(is_falsified(&claim, 1, 1, e));
}

/* Group counts: one person moves from the first group to the second, (1, 0) against (0, 1). */
static double two_counts(setting *s, int data_set) {
    const int64_t sum[2] = {data_set ? 0 : (int64_t)unit, data_set ? (int64_t)unit : 0};
    int64_t released[2];
    release(s, 2, sum, released);
    return (double)(released[1] - released[0]) / unit;
}

static double two_counts_with_one_noise(setting *s, int data_set) {
    int64_t draw = noise(s, dp2dpi_charge_event(s->charge)->scale);
    int64_t first = (data_set ? 0 : (int64_t)unit) + draw;
    int64_t second = (data_set ? (int64_t)unit : 0) + draw;
    return (double)(second - first) / unit;
}

static dp2dp_event two_counts_event(void) {
    dp2dp_event event = event_of(DP2DP_GAUSSIAN, sqrt(2), 2);
    event.coordinates = 2;
    return event;
}

TEST(two_proportions_are_sound_and_tight) {
    assert_sound_and_tight(two_counts_event(), two_counts, 0);
}

TEST(the_same_noise_on_both_proportions_is_caught) {
    assert_caught(two_counts_event(), two_counts_with_one_noise, 0, RELEASES);
}

/* Sampled sums: record 0 contributes -1 or +1, the others `rest` each. */
static double masked_sum(setting *s, int data_set, const uint8_t *mask, int64_t rest) {
    int64_t sum = 0;
    for (int i = 0; i < RECORDS; i++) {
        int64_t value = i > 0 ? rest : data_set ? 1 : -1;
        sum += mask[i] ? value * (int64_t)unit : 0;
    }
    int64_t released;
    release(s, 1, &sum, &released);
    return (double)released / unit;
}

static void draw_mask(setting *s, uint8_t *mask) {
    assert_ok(dp2dpi_charge_poisson_mask(s->charge, RECORDS, mask, NULL));
}

static double poisson(setting *s, int data_set) {
    uint8_t mask[RECORDS];
    draw_mask(s, mask);
    return masked_sum(s, data_set, mask, 0);
}

/* Twice the charged rate of 1/2: every record is drawn. */
static double poisson_at_twice_the_rate(setting *s, int data_set) {
    uint8_t mask[RECORDS];
    draw_mask(s, mask);
    assert_ok(dp2dpi_noise_poisson_mask(s->rng, 2 * dp2dpi_charge_event(s->charge)->rate, RECORDS,
                                        mask, NULL));
    return masked_sum(s, data_set, mask, 0);
}

/* The other records contribute +1 each. Under Poisson sampling their random number hides record 0
 * even better. The attacker looks for low sums, so he negates his statistic. */
static double poisson_among_equals(setting *s, int data_set) {
    uint8_t mask[RECORDS];
    draw_mask(s, mask);
    return RECORDS / 2 - masked_sum(s, !data_set, mask, 1);
}

/* Draws exactly half of the records, by selection sampling. If every record is +1, the sum is
 * always the same, and a record of −1 lowers it by 2, where the Poisson claim allows for 1. */
static double without_replacement_among_equals(setting *s, int data_set) {
    uint8_t mask[RECORDS];
    unsigned wanted = RECORDS / 2;
    draw_mask(s, mask);
    for (unsigned i = 0; i < RECORDS; i++) {
        mask[i] = dp2dpi_rng_word(s->rng) % (RECORDS - i) < wanted;
        wanted -= mask[i];
    }
    return RECORDS / 2 - masked_sum(s, !data_set, mask, 1);
}

static dp2dp_event poisson_event(void) {
    dp2dp_event event = event_of(DP2DP_POISSON, 2, 1);
    event.rate = 0.5;
    return event;
}

TEST(poisson_release_is_sound_and_tight) {
    assert_sound_and_tight(poisson_event(), poisson, 0);
}

TEST(a_doubled_sampling_rate_is_caught) {
    assert_caught(poisson_event(), poisson_at_twice_the_rate, 0, RELEASES);
}

TEST(without_replacement_instead_of_poisson_is_caught) {
    assert_caught(poisson_event(), without_replacement_among_equals, 2, RELEASES);
}

TEST(poisson_sampling_passes_the_attack_that_catches_the_other) {
    for (int threshold = -2; threshold <= 4; threshold += 2) {
        OWNED(setting) s = begin(poisson_event(), GRID_BITS, 4);
        dp2dp_event claim = claim_of(&s);
        errors e = measure(&s, poisson_among_equals, threshold, RELEASES);
        assert_false(is_falsified(&claim, 1, 1, e));
    }
}

/* Closed forms: with 0 errors in n the bound is 1 − miss^(1/n); with 2 errors in 10 it is the p at
 * which Σ_{i ≤ 2} C(10, i) p^i (1 − p)^(10 − i) is miss. The bound is never below the frequency. */
TEST(the_confidence_bound_is_what_it_says) {
    double none = -expm1(log(attack_miss) / 1000);
    assert_true(fabs(rate_upper(0, 1000) - none) < 1e-9);
    double p = rate_upper(2, 10), q = 1 - p;
    double tail = pow(q, 8) * (q * q + 10 * p * q + 45 * p * p);
    assert_true(fabs(tail / attack_miss - 1) < 1e-6);
    assert_true(rate_upper(1000, 1000) == 1);
    assert_true(rate_upper(30000, 100000) > 0.305 && rate_upper(30000, 100000) < 0.31);
}
