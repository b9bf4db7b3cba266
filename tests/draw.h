/* splitmix64: random numbers that are the same on every machine. */
#ifndef DP2DP_TESTS_DRAW_H
#define DP2DP_TESTS_DRAW_H

#include <stdint.h>

static inline uint64_t draw(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* Uniform in [0, 1). */
static inline double uniform(uint64_t *state) {
    return (double)(draw(state) >> 11) * 0x1p-53;
}

#endif
