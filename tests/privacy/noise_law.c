/* The samplers follow the law they claim. False-alarm rate: 1e-6 per p-value (about 60 p-values),
 * at fixed seeds. */
#include "support.h"

#include "noise/exact.h"
#include "noise/noise.h"
#include "privacy/noise_stats.h"

enum {
    CHUNK = 10000,
    SMALL_DRAWS = 1000000,
    COINS = 200000
};

static int64_t chunk[CHUNK];

static void assert_plausible(double p, const char *what) {
    if (!(p >= P_ALARM)) {
        fail_msg("%s: p = %g", what, p);
    }
}

/* The exact pmf of scale s at y, from the exact sum; what is left out of the sum is below
 * exp(-40²/2). */
static double pmf(uint64_t s, int64_t y) {
    double sum = 0, variance = (double)s * (double)s;
    for (int64_t z = -40 * (int64_t)s; z <= 40 * (int64_t)s; z++) {
        sum += exp(-(double)z * (double)z / (2 * variance));
    }
    return exp(-(double)y * (double)y / (2 * variance)) / sum;
}

/* Cells −r..r with at least ten expected draws each, and one cell for each side beyond. */
TEST(frequencies_match_the_exact_pmf_at_small_scales) {
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
            assert_ok(dp2dpi_noise_gaussian(rng, s, CHUNK, chunk, NULL));
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

static void assert_law(uint64_t seed, uint64_t s, uint64_t draws) {
    static battery b;
    HANDLE(dp2dpi_rng) *rng = seeded_rng(seed);
    battery_start(&b, s);
    for (uint64_t done = 0; done < draws; done += CHUNK) {
        assert_ok(dp2dpi_noise_gaussian(rng, s, CHUNK, chunk, NULL));
        battery_add(&b, chunk, CHUNK);
    }
    battery_p p = battery_finish(&b);
    assert_plausible(p.quantiles, "quantiles");
    assert_plausible(p.pairs, "consecutive draws");
    assert_plausible(p.low_bits, "low bits");
    assert_plausible(p.tail[0], "beyond 3 standard deviations");
    assert_plausible(p.tail[1], "beyond 4 standard deviations");
    assert_plausible(p.tail[2], "beyond 5 standard deviations");
    assert_plausible(p.sign, "sign");
    assert_plausible(p.variance, "variance");
    assert_plausible(p.correlation, "correlation");
    assert_plausible(p.equal, "equal coordinates");
}

TEST(ten_million_draws_at_two_to_the_forty_follow_the_law) {
    assert_law(201, (uint64_t)1 << 40, 10000000);
}

TEST(scales_that_are_no_power_of_two_follow_the_law) {
    assert_law(202, UINT64_C(3) * ((uint64_t)1 << 38) + 1, 1000000);
    assert_law(203, DP2DPI_NOISE_SCALE_MAX - 1, 1000000);
}

TEST(the_secure_generator_gives_the_same_law) {
    static battery b;
    HANDLE(dp2dpi_rng) *rng = NULL;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    battery_start(&b, (uint64_t)1 << 40);
    for (int done = 0; done < 500000; done += CHUNK) {
        assert_ok(dp2dpi_noise_gaussian(rng, (uint64_t)1 << 40, CHUNK, chunk, NULL));
        battery_add(&b, chunk, CHUNK);
    }
    battery_p p = battery_finish(&b);
    assert_plausible(1e3 * battery_smallest(&p), "secure generator (not seeded: false alarm 1e-8)");
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
        double q = rates[i], included = 0, both = 0, square = 0;
        HANDLE(dp2dpi_rng) *rng = seeded_rng(400 + i);
        for (int j = 0; j < BATCHES; j++) {
            double size = 0;
            assert_ok(dp2dpi_noise_poisson_mask(rng, q, MASK, mask, NULL));
            for (int k = 0; k < MASK; k++) {
                size += mask[k];
                both += k % 2 == 1 && mask[k] && mask[k - 1];
            }
            included += size;
            square += (size - MASK * q) * (size - MASK * q) / (MASK * q * (1 - q));
        }
        double n = (double)MASK * BATCHES;
        assert_plausible(normal_p((included - n * q) / sqrt(n * q * (1 - q))), "rate");
        if (n / 2 * q * q > 100) {
            assert_plausible(normal_p((both - n / 2 * q * q) / sqrt(n / 2 * q * q * (1 - q * q))),
                             "neighbours");
        }
        /* Variance of one term: 2 + (1 − 6q(1−q))/(nq(1−q)). */
        double spread = 2 + (1 - 6 * q * (1 - q)) / (MASK * q * (1 - q));
        assert_plausible(normal_p((square - BATCHES) / sqrt(BATCHES * spread)), "batch sizes");
    }
}
