#include "pool/rows_repeated.h"

#include <string.h>

#include "base/repeats.h"

/* Returns the hash that continues `hash` with one number. */
static uint64_t mix(uint64_t hash, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return dp2dpi_repeats_mix(hash, bits);
}

static void add_bin(const dp2dp_pool *pool, size_t bin, dp2dpi_repeats *r) {
    size_t begin = pool->begin[bin], size = pool->begin[bin + 1] - begin;
    const float *scores = pool->values + begin * pool->classes;
    const float *weights = pool->weights ? pool->weights + begin * pool->parts : NULL;
    for (size_t i = 0; i < size; i++) {
        uint64_t hash = bin + 1;
        for (size_t k = 0; k < pool->classes; k++) {
            hash = mix(hash, scores[k * size + i]);
        }
        for (size_t j = 0; weights && j < pool->parts; j++) {
            hash = mix(hash, weights[j * size + i]);
        }
        dp2dpi_repeats_add(hash, r);
    }
}

int dp2dpi_pool_repeats(const dp2dp_pool *pool) {
    dp2dpi_repeats r = {.mask = 0};
    for (size_t bin = 0; bin < pool->bins && !pool->multiplicity; bin++) {
        add_bin(pool, bin, &r);
    }
    return dp2dpi_repeats_are_many(&r);
}
