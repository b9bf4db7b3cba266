/* Planted faults: the statistics of noise_stats.h must catch each fault (p < 1e-12), and must pass
 * the sound sampler (p ≥ 1e-6). */
#include "privacy/noise_stats.h"

enum {
    DRAWS = 200000,
    RECORDS = 1000,
    BATCHES = 500
};

#define SCALE ((uint64_t)1 << 40)

static void halved_scale(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    gaussian(rng, s / 2, out);
}

/* One per cent too small, as after a wrong rounding or a forgotten factor near one. */
static void slightly_small_scale(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    gaussian(rng, s - s / 100, out);
}

/* The right standard deviation, but only multiples of `step`. */
static void on_grid(dp2dpi_rng *rng, uint64_t s, uint64_t step, int64_t *out) {
    gaussian(rng, s / step, out);
    for (size_t i = 0; i < CHUNK; i++) {
        out[i] *= (int64_t)step;
    }
}

static void coarse_grid(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    on_grid(rng, s, (uint64_t)1 << 32, out);
}

static void slightly_coarse_grid(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    on_grid(rng, s, 16, out);
}

static void same_noise_on_two_coordinates(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    gaussian(rng, s, out);
    for (size_t i = 1; i < CHUNK; i += 2) {
        out[i] = out[i - 1];
    }
}

static void opposite_noise_on_two_coordinates(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    gaussian(rng, s, out);
    for (size_t i = 1; i < CHUNK; i += 2) {
        out[i] = -out[i - 1];
    }
}

static void one_sided_noise(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    gaussian(rng, s, out);
    for (size_t i = 0; i < CHUNK; i++) {
        out[i] = llabs(out[i]);
    }
}

static void tail_cut_at_three(dp2dpi_rng *rng, uint64_t s, int64_t *out) {
    gaussian(rng, s, out);
    for (size_t i = 0; i < CHUNK; i++) {
        out[i] /= llabs(out[i]) > 3 * (int64_t)s ? 2 : 1;
    }
}

static battery_p examined(sampler *sample) {
    HANDLE(dp2dpi_rng) *rng = seeded_rng(500);
    return examine(rng, sample, SCALE, DRAWS);
}

TEST(sound_noise_passes) {
    assert_true(smallest(examined(gaussian)) >= P_ALARM);
}

TEST(a_noise_scale_that_is_too_small_is_caught) {
    assert_true(examined(halved_scale).p[VARIANCE] < P_CAUGHT);
    assert_true(examined(halved_scale).p[QUANTILES] < P_CAUGHT);
    assert_true(examined(slightly_small_scale).p[VARIANCE] < P_ALARM);
}

TEST(noise_on_too_coarse_a_grid_is_caught) {
    assert_true(examined(coarse_grid).p[LOW_BITS] < P_CAUGHT);
    assert_true(examined(slightly_coarse_grid).p[LOW_BITS] < P_CAUGHT);
}

TEST(the_same_noise_on_two_coordinates_is_caught) {
    battery_p all = examined(same_noise_on_two_coordinates);
    assert_true(all.p[EQUAL] < P_CAUGHT && all.p[CORRELATION] < P_CAUGHT &&
                all.p[PAIRS] < P_CAUGHT);
    assert_true(examined(opposite_noise_on_two_coordinates).p[CORRELATION] < P_CAUGHT);
}

TEST(a_wrong_shape_is_caught) {
    assert_true(examined(one_sided_noise).p[SIGN] < P_CAUGHT);
    assert_true(examined(tail_cut_at_three).p[TAIL] < P_CAUGHT);
}

typedef enum mask_fault {
    MASK_SOUND,
    MASK_DOUBLED_RATE,
    MASK_FIXED_SIZE
} mask_fault;

static void draw_mask(dp2dpi_rng *rng, mask_fault fault, double q, uint8_t *mask) {
    assert_ok(dp2dpi_noise_poisson_mask(rng, fault == MASK_DOUBLED_RATE ? 2 * q : q, RECORDS, mask,
                                        NULL));
    if (fault == MASK_FIXED_SIZE) { /* without replacement: always the same number of records */
        memset(mask, 0, RECORDS);
        for (int left = (int)(RECORDS * q); left > 0;) {
            size_t i = (size_t)(dp2dpi_rng_word(rng) % RECORDS);
            left -= !mask[i];
            mask[i] = 1;
        }
    }
}

static masks draw_masks(mask_fault fault) {
    masks m = {.n = RECORDS, .q = 0.1};
    uint8_t mask[RECORDS];
    HANDLE(dp2dpi_rng) *rng = seeded_rng(600);
    for (int j = 0; j < BATCHES; j++) {
        draw_mask(rng, fault, m.q, mask);
        masks_add(&m, mask);
    }
    return m;
}

TEST(a_sound_mask_passes) {
    masks m = draw_masks(MASK_SOUND);
    assert_true(masks_rate_p(&m) >= P_ALARM && masks_batch_size_p(&m) >= P_ALARM);
}

TEST(a_doubled_sampling_rate_is_caught) {
    masks m = draw_masks(MASK_DOUBLED_RATE);
    assert_true(masks_rate_p(&m) < P_CAUGHT);
}

TEST(sampling_without_replacement_instead_of_poisson_is_caught) {
    masks m = draw_masks(MASK_FIXED_SIZE);
    assert_true(masks_batch_size_p(&m) < P_CAUGHT);
}
