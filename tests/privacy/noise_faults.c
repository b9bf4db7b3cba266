/* Planted faults: each must be caught (p < 1e-12) by the statistics that the sound sampler passes
 * (p ≥ 1e-6). */
#include "support.h"

#include "noise/noise.h"
#include "privacy/noise_stats.h"

enum {
    CHUNK = 10000,
    DRAWS = 200000,
    RECORDS = 1000,
    BATCHES = 500
};

#define SCALE ((uint64_t)1 << 40)

typedef dp2dp_status sampler(dp2dpi_rng *rng, size_t n, int64_t *out);

static dp2dp_status sound(dp2dpi_rng *rng, size_t n, int64_t *out) {
    return dp2dpi_noise_gaussian(rng, SCALE, n, out, NULL);
}

static dp2dp_status halved_scale(dp2dpi_rng *rng, size_t n, int64_t *out) {
    return dp2dpi_noise_gaussian(rng, SCALE / 2, n, out, NULL);
}

/* One part in a hundred: what a wrong rounding or a forgotten factor near one would look like. */
static dp2dp_status slightly_small_scale(dp2dpi_rng *rng, size_t n, int64_t *out) {
    return dp2dpi_noise_gaussian(rng, SCALE - SCALE / 100, n, out, NULL);
}

/* The right standard deviation, on a grid that is 2^32 (or 16) times too coarse. */
static dp2dp_status on_grid(dp2dpi_rng *rng, uint64_t step, size_t n, int64_t *out) {
    dp2dp_status status = dp2dpi_noise_gaussian(rng, SCALE / step, n, out, NULL);
    for (size_t i = 0; i < n; i++) {
        out[i] *= (int64_t)step;
    }
    return status;
}

static dp2dp_status coarse_grid(dp2dpi_rng *rng, size_t n, int64_t *out) {
    return on_grid(rng, (uint64_t)1 << 32, n, out);
}

static dp2dp_status slightly_coarse_grid(dp2dpi_rng *rng, size_t n, int64_t *out) {
    return on_grid(rng, 16, n, out);
}

static dp2dp_status same_noise_on_two_coordinates(dp2dpi_rng *rng, size_t n, int64_t *out) {
    dp2dp_status status = dp2dpi_noise_gaussian(rng, SCALE, n, out, NULL);
    for (size_t i = 1; i < n; i += 2) {
        out[i] = out[i - 1];
    }
    return status;
}

static dp2dp_status opposite_noise_on_two_coordinates(dp2dpi_rng *rng, size_t n, int64_t *out) {
    dp2dp_status status = same_noise_on_two_coordinates(rng, n, out);
    for (size_t i = 1; i < n; i += 2) {
        out[i] = -out[i];
    }
    return status;
}

static dp2dp_status one_sided_noise(dp2dpi_rng *rng, size_t n, int64_t *out) {
    dp2dp_status status = dp2dpi_noise_gaussian(rng, SCALE, n, out, NULL);
    for (size_t i = 0; i < n; i++) {
        out[i] = llabs(out[i]);
    }
    return status;
}

static dp2dp_status tail_cut_at_three(dp2dpi_rng *rng, size_t n, int64_t *out) {
    dp2dp_status status = dp2dpi_noise_gaussian(rng, SCALE, n, out, NULL);
    for (size_t i = 0; i < n; i++) {
        if (llabs(out[i]) > 3 * (int64_t)SCALE) {
            out[i] /= 2;
        }
    }
    return status;
}

static battery_p examine(sampler *draw) {
    static battery b;
    static int64_t chunk[CHUNK];
    HANDLE(dp2dpi_rng) *rng = seeded_rng(500);
    battery_start(&b, SCALE);
    for (int done = 0; done < DRAWS; done += CHUNK) {
        assert_ok(draw(rng, CHUNK, chunk));
        battery_add(&b, chunk, CHUNK);
    }
    return battery_finish(&b);
}

TEST(sound_noise_passes) {
    battery_p p = examine(sound);
    assert_true(battery_smallest(&p) >= P_ALARM);
}

TEST(a_noise_scale_that_is_too_small_is_caught) {
    assert_true(examine(halved_scale).variance < P_CAUGHT);
    assert_true(examine(halved_scale).quantiles < P_CAUGHT);
    assert_true(examine(slightly_small_scale).variance < P_ALARM);
}

TEST(noise_on_too_coarse_a_grid_is_caught) {
    assert_true(examine(coarse_grid).low_bits < P_CAUGHT);
    assert_true(examine(slightly_coarse_grid).low_bits < P_CAUGHT);
}

TEST(the_same_noise_on_two_coordinates_is_caught) {
    battery_p p = examine(same_noise_on_two_coordinates);
    assert_true(p.equal < P_CAUGHT && p.correlation < P_CAUGHT && p.pairs < P_CAUGHT);
    assert_true(examine(opposite_noise_on_two_coordinates).correlation < P_CAUGHT);
}

TEST(a_wrong_shape_is_caught) {
    assert_true(examine(one_sided_noise).sign < P_CAUGHT);
    assert_true(examine(tail_cut_at_three).tail[0] < P_CAUGHT);
}

/* p-values of the number of records included and of the spread of the batch size, for a mask
 * claimed to be Poisson(q). */
typedef struct mask_p {
    double rate, batch_size;
} mask_p;

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

static mask_p examine_mask(mask_fault fault) {
    const double q = 0.1;
    double included = 0, square = 0, n = (double)RECORDS * BATCHES;
    uint8_t mask[RECORDS];
    HANDLE(dp2dpi_rng) *rng = NULL;
    assert_ok(dp2dpi_rng_new_insecure(600, &rng, NULL));
    for (int j = 0; j < BATCHES; j++) {
        double size = 0;
        draw_mask(rng, fault, q, mask);
        for (int k = 0; k < RECORDS; k++) {
            size += mask[k];
        }
        included += size;
        square += (size - RECORDS * q) * (size - RECORDS * q) / (RECORDS * q * (1 - q));
    }
    return (mask_p) {.rate = normal_p((included - n * q) / sqrt(n * q * (1 - q))),
                     .batch_size = normal_p((square - BATCHES) / sqrt(2.0 * BATCHES))};
}

TEST(a_sound_mask_passes) {
    mask_p p = examine_mask(MASK_SOUND);
    assert_true(p.rate >= P_ALARM && p.batch_size >= P_ALARM);
}

TEST(a_doubled_sampling_rate_is_caught) {
    assert_true(examine_mask(MASK_DOUBLED_RATE).rate < P_CAUGHT);
}

TEST(sampling_without_replacement_instead_of_poisson_is_caught) {
    assert_true(examine_mask(MASK_FIXED_SIZE).batch_size < P_CAUGHT);
}
