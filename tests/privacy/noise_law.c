/* The samplers follow the distribution they claim. The false-alarm rate is 1e-6 for each p-value
 * (about 60 of them) over the choice of the seeds, which are fixed. */
#include "noise/exact.h"
#include "privacy/noise_stats.h"

enum {
    SMALL_DRAWS = 1000000,
    COINS = 200000
};

static void assert_plausible(double p, const char *what) {
    if (!(p >= P_ALARM)) {
        fail_msg("%s: p = %g", what, p);
    }
}

/* The probability of y under the discrete Gaussian of scale s: exp(−y²/2s²) over its sum for all
 * integers. The sum stops at 40 s; what is left out is below exp(−40²/2). */
static double pmf(uint64_t s, int64_t y) {
    double sum = 0, variance = (double)s * (double)s;
    for (int64_t z = -40 * (int64_t)s; z <= 40 * (int64_t)s; z++) {
        sum += exp(-(double)z * (double)z / (2 * variance));
    }
    return exp(-(double)y * (double)y / (2 * variance)) / sum;
}

/* χ² over the values −r..r, each expected at least ten times; all beyond r are counted together. */
TEST(frequencies_match_the_exact_pmf_at_small_scales) {
    static int64_t chunk[CHUNK];
    const uint64_t scales[] = {1, 2, 3, 5, 10};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        uint64_t s = scales[i];
        int64_t r = 0;
        while (SMALL_DRAWS * pmf(s, r + 1) >= 10) {
            r++;
        }
        double count[128] = {0}, statistic = 0, inside = 0;
        assert_true(2 * r + 3 <= 128);
        HANDLE(dp2dpi_rng) *rng = seeded_rng(100 + s);
        for (int done = 0; done < SMALL_DRAWS; done += CHUNK) {
            gaussian(rng, s, chunk);
            for (int j = 0; j < CHUNK; j++) {
                int64_t y = chunk[j] < -r ? -r - 1 : chunk[j] > r ? r + 1 : chunk[j];
                count[y + r + 1]++;
            }
        }
        for (int64_t y = -r; y <= r; y++) {
            double expected = SMALL_DRAWS * pmf(s, y);
            inside += expected;
            statistic += (count[y + r + 1] - expected) * (count[y + r + 1] - expected) / expected;
        }
        assert_plausible(chi_square_p(statistic, (double)(2 * r)), "pmf");
        assert_plausible(poisson_p(count[0] + count[2 * r + 2], SMALL_DRAWS - inside),
                         "mass beyond the cells");
    }
}

static void assert_law(uint64_t seed, uint64_t scale, uint64_t draws) {
    static const char *const names[STATISTICS] = {
        "quantiles",   "consecutive draws", "low bits", "beyond 3 standard deviations",
        "beyond 4",    "beyond 5",          "sign",     "variance",
        "correlation", "equal coordinates"};
    HANDLE(dp2dpi_rng) *rng = seeded_rng(seed);
    battery_p all = examine(rng, gaussian, scale, draws);
    for (int i = 0; i < STATISTICS; i++) {
        assert_plausible(all.p[i], names[i]);
    }
}

TEST(ten_million_draws_at_two_to_the_forty_follow_the_law) {
    assert_law(201, (uint64_t)1 << 40, 10000000);
}

TEST(scales_that_are_no_power_of_two_follow_the_law) {
    assert_law(202, UINT64_C(3) * ((uint64_t)1 << 38) + 1, 1000000);
    assert_law(203, DP2DPI_NOISE_SCALE_MAX - 1, 1000000);
}

/* Its draws cannot be seeded, so the false-alarm rate is lowered to 1e-8: 1e-9 for each p-value. */
TEST(the_secure_generator_gives_the_same_law) {
    HANDLE(dp2dpi_rng) *rng = NULL;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    battery_p all = examine(rng, gaussian, (uint64_t)1 << 40, 500000);
    assert_plausible(1e3 * smallest(all), "secure generator");
}

TEST(coins_show_exp_of_minus_x) {
    const struct {
        uint64_t numerator, denominator;
    } x[] = {{0, 1},
             {1, 3},
             {1, 2},
             {355, 452},
             {1, 1},
             {1, DP2DPI_NOISE_SCALE_MAX},
             {DP2DPI_NOISE_SCALE_MAX - 1, DP2DPI_NOISE_SCALE_MAX}};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        double heads = 0, rate = exp(-(double)x[i].numerator / (double)x[i].denominator);
        HANDLE(dp2dpi_rng) *rng = seeded_rng(300 + i);
        for (int j = 0; j < COINS; j++) {
            assert_ok(dp2dpi_rng_begin(rng, NULL));
            heads += dp2dpi_exact_bernoulli_exp(
                rng, (dp2dpi_exact_rate) {x[i].numerator, x[i].denominator, 1, 1});
            assert_ok(dp2dpi_rng_end(rng, NULL));
        }
        if (COINS * (1 - rate) < 1e-3) {
            assert_true(heads == COINS);
        } else {
            assert_plausible(normal_p((heads - COINS * rate) / sqrt(COINS * rate * (1 - rate))),
                             "coin");
        }
    }
}

TEST(masks_have_their_rate_and_independent_neighbours) {
    enum {
        MASK = 1000,
        BATCHES = 2000
    };
    const double rates[] = {1e-3, 0.1, 0.5, 0.9};
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        uint8_t mask[MASK];
        masks m = {.n = MASK, .q = rates[i]};
        HANDLE(dp2dpi_rng) *rng = seeded_rng(400 + i);
        for (int j = 0; j < BATCHES; j++) {
            assert_ok(dp2dpi_noise_poisson_mask(rng, m.q, MASK, mask, NULL));
            masks_add(&m, mask);
        }
        assert_plausible(masks_rate_p(&m), "rate");
        assert_plausible(masks_batch_size_p(&m), "batch sizes");
        double square = m.q * m.q, pairs = (double)MASK * BATCHES / 2;
        if (pairs * square > 100) {
            assert_plausible(
                normal_p((m.both - pairs * square) / sqrt(pairs * square * (1 - square))),
                "neighbours");
        }
    }
}
