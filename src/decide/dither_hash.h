/* The constants of the dither. Models rely on every bit of it. */
#ifndef DP2DPI_DECIDE_DITHER_HASH_H
#define DP2DPI_DECIDE_DITHER_HASH_H

#include <stdint.h>

#define DP2DPI_DITHER_FIRST UINT64_C(0xBF58476D1CE4E5B9)
#define DP2DPI_DITHER_SECOND UINT64_C(0x94D049BB133111EB)
#define DP2DPI_DITHER_STEP UINT64_C(0x9E3779B97F4A7C15)
#define DP2DPI_DITHER_KEY UINT64_C(0xD1342543DE82EF95)

/* The finaliser of splitmix64. */
static inline uint64_t dp2dpi_dither_mix(uint64_t z) {
    z = (z ^ (z >> 30)) * DP2DPI_DITHER_FIRST;
    z = (z ^ (z >> 27)) * DP2DPI_DITHER_SECOND;
    return z ^ (z >> 31);
}

#endif
