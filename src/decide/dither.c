/* Computes the dither: public random numbers, one for each pair of a record's key and a class. */
#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "decide/dither_hash.h"
#include "decide/model.h"

int dp2dpi_dither_is_sound(const dp2dp_dither *dither) {
    return dither->width >= 0.0 && dither->width <= 1.0;
}

uint64_t dp2dp_dither_id(const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

uint64_t dp2dpi_dither_key_of_scores(const float *scores, size_t apart, size_t classes) {
    uint64_t state = classes;
    for (size_t k = 0; k < classes; k++) {
        double units = floor((double)scores[k * apart] * 0x1p14 + 0.5);
        state = dp2dpi_dither_mix(state + (uint64_t)(units >= 0.0 && units < 0x1p62 ? units : 0.0) +
                                  DP2DPI_DITHER_STEP);
    }
    return state;
}

/* Mixes one score of each record into the state of its key, as dp2dpi_dither_key_of_scores does. A
 * valid score is at most slightly above 1, so 32 bits hold its units; comparing the fraction with
 * one half rounds exactly. */
DP2DPI_CLONED static void mix_scores(const float *restrict scores, size_t n,
                                     uint64_t *restrict states) {
    for (size_t i = 0; i < n; i++) {
        float scaled = scores[i] * 0x1p14F;
        int32_t units = (int32_t)scaled;
        units += scaled - (float)units >= 0.5F;
        states[i] = dp2dpi_dither_mix(states[i] + (uint64_t)(uint32_t)units + DP2DPI_DITHER_STEP);
    }
}

void dp2dpi_dither_keys_of_scores(const float *scores, size_t apart, size_t classes, size_t n,
                                  uint64_t *keys) {
    for (size_t i = 0; i < n; i++) {
        keys[i] = classes;
    }
    for (size_t k = 0; k < classes; k++) {
        mix_scores(scores + k * apart, n, keys);
    }
}

/* Returns the upper 53 bits of x as a double. The conversion is exact. It takes two halves, because
 * not every processor has a vector instruction that converts 64-bit integers. */
static inline double upper_bits(uint64_t x) {
    uint64_t low = ((x >> 11) & UINT64_C(0xFFFFFFFF)) | UINT64_C(0x4330000000000000);
    uint64_t high = (x >> 43) | UINT64_C(0x4530000000000000);
    double low_and_2_52, high_and_2_84;
    memcpy(&low_and_2_52, &low, sizeof low);
    memcpy(&high_and_2_84, &high, sizeof high);
    return (high_and_2_84 - (0x1p84 + 0x1p52)) + low_and_2_52;
}

DP2DPI_CLONED static void mix_keys(uint64_t state, size_t n, uint64_t *restrict keys) {
    for (size_t i = 0; i < n; i++) {
        keys[i] = dp2dpi_dither_mix(state + keys[i] * DP2DPI_DITHER_KEY + 1);
    }
}

/* Adds one draw to each score. unit is the width of the dither times 2^-53. */
DP2DPI_CLONED static void add_draws(double unit, const uint64_t *restrict keys, uint64_t addend,
                                    size_t n, const float *restrict scores, float *restrict out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = scores[i] + (float)(unit * upper_bits(dp2dpi_dither_mix(keys[i] + addend)));
    }
}

void dp2dpi_dither_add(const dp2dp_dither *dither, uint64_t *keys, size_t n, size_t apart,
                       size_t classes, const float *scores, float *out) {
    mix_keys(dp2dpi_dither_mix(dither->seed + DP2DPI_DITHER_STEP), n, keys);
    for (size_t k = 0; k < classes; k++) {
        uint64_t addend = (uint64_t)k * DP2DPI_DITHER_STEP + 1;
        add_draws(dither->width * 0x1p-53, keys, addend, n, scores + k * apart, out + k * apart);
    }
}

/* Uses the finaliser of splitmix64 on a counter. The key is added after mixing the seed; otherwise
 * two seeds could give shifted copies of one sequence. */
float dp2dpi_dither_draw(const dp2dp_dither *dither, uint64_t key, size_t class_index) {
    uint64_t state = dp2dpi_dither_mix(dither->seed + DP2DPI_DITHER_STEP);
    state = dp2dpi_dither_mix(state + key * DP2DPI_DITHER_KEY + 1);
    state = dp2dpi_dither_mix(state + (uint64_t)class_index * DP2DPI_DITHER_STEP + 1);
    return (float)(dither->width * ((double)(state >> 11) * 0x1p-53));
}
