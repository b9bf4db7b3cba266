/* Computes the dither: public random numbers, one for each key of a record and each class. */
#include <math.h>

#include "phase2/model.h"

int dp2dpi_dither_is_sound(const dp2dp_dither *dither) {
    return dither->width >= 0.0 && dither->width <= 1.0;
}

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
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
        state = mix(state + (uint64_t)(units >= 0.0 && units < 0x1p62 ? units : 0.0) +
                    UINT64_C(0x9E3779B97F4A7C15));
    }
    return state;
}

/* Uses the finaliser of splitmix64 on a counter. The key is added after mixing the seed; otherwise
 * two seeds could give shifted copies of one sequence. */
float dp2dpi_dither_draw(const dp2dp_dither *dither, uint64_t key, size_t class_index) {
    uint64_t state = mix(dither->seed + UINT64_C(0x9E3779B97F4A7C15));
    state = mix(state + key * UINT64_C(0xD1342543DE82EF95) + 1);
    state = mix(state + (uint64_t)class_index * UINT64_C(0x9E3779B97F4A7C15) + 1);
    return (float)(dither->width * ((double)(state >> 11) * 0x1p-53));
}
