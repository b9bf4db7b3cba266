/* Vectors of eight floats or eight 32-bit integers. A vector fits in one register of 256 bits. If
 * the processor's registers are narrower, the compiler uses several registers. */
#ifndef DP2DPI_BASE_VECTOR_H
#define DP2DPI_BASE_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/clones.h"

enum {
    DP2DPI_VECTOR = 8
};

typedef float dp2dpi_vector __attribute__((vector_size(4 * DP2DPI_VECTOR)));
typedef int32_t dp2dpi_vector_bits __attribute__((vector_size(4 * DP2DPI_VECTOR)));
/* The same vector types for loads and stores at any element of an array, without alignment to 32
 * bytes. */
typedef float dp2dpi_vector_at
    __attribute__((vector_size(4 * DP2DPI_VECTOR), aligned(4), may_alias));
typedef int32_t dp2dpi_vector_bits_at
    __attribute__((vector_size(4 * DP2DPI_VECTOR), aligned(4), may_alias));

#define DP2DPI_VECTOR_AT(pointer) (*(dp2dpi_vector_at *)(void *)(pointer))
#define DP2DPI_VECTOR_IN(pointer) (*(const dp2dpi_vector_at *)(const void *)(pointer))
#define DP2DPI_VECTOR_BITS_AT(pointer) (*(dp2dpi_vector_bits_at *)(void *)(pointer))
#define DP2DPI_VECTOR_BITS_IN(pointer) (*(const dp2dpi_vector_bits_at *)(const void *)(pointer))

/* For each of the eight elements: if *value is larger than *best, sets *best to *value and *which
 * to class_index. */
DP2DPI_INLINE void dp2dpi_vector_keep_larger(const dp2dpi_vector *value, int32_t class_index,
                                             dp2dpi_vector *best, dp2dpi_vector_bits *which) {
    dp2dpi_vector_bits larger = *value > *best;
    *which = (larger & class_index) | (~larger & *which);
    *best = (dp2dpi_vector)((larger & (dp2dpi_vector_bits)*value) |
                            (~larger & (dp2dpi_vector_bits)*best));
}

/* Returns 1 if one of the eight integers is negative. */
DP2DPI_INLINE int dp2dpi_vector_any_negative(const dp2dpi_vector_bits *bits) {
    uint32_t any = 0;
    for (size_t lane = 0; lane < DP2DPI_VECTOR; lane++) {
        any |= (uint32_t)(*bits)[lane];
    }
    return (int)(any >> 31);
}

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define DP2DPI_HAS_SHUFFLES 1
#endif
#endif

#ifdef DP2DPI_HAS_SHUFFLES

#define DP2DPI_EVEN_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define DP2DPI_ODD_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define DP2DPI_LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define DP2DPI_HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define DP2DPI_FIRST_FOURS(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define DP2DPI_LAST_FOURS(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)

/* Transposes eight vectors of eight floats. */
DP2DPI_INLINE void dp2dpi_vector_transpose(dp2dpi_vector *rows) {
    dp2dpi_vector a[DP2DPI_VECTOR], b[DP2DPI_VECTOR];
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        a[2 * i] = DP2DPI_EVEN_PAIRS(rows[2 * i], rows[2 * i + 1]);
        a[2 * i + 1] = DP2DPI_ODD_PAIRS(rows[2 * i], rows[2 * i + 1]);
    }
#pragma GCC unroll 2
    for (size_t i = 0; i < 8; i += 4) {
        b[i] = DP2DPI_LOW_HALVES(a[i], a[i + 2]);
        b[i + 1] = DP2DPI_HIGH_HALVES(a[i], a[i + 2]);
        b[i + 2] = DP2DPI_LOW_HALVES(a[i + 1], a[i + 3]);
        b[i + 3] = DP2DPI_HIGH_HALVES(a[i + 1], a[i + 3]);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++) {
        rows[i] = DP2DPI_FIRST_FOURS(b[i], b[i + 4]);
        rows[i + 4] = DP2DPI_LAST_FOURS(b[i], b[i + 4]);
    }
}

#else

DP2DPI_INLINE void dp2dpi_vector_transpose(dp2dpi_vector *rows) {
    for (size_t i = 0; i < DP2DPI_VECTOR; i++) {
        for (size_t k = 0; k < i; k++) {
            float kept = rows[i][k];
            rows[i][k] = rows[k][i];
            rows[k][i] = kept;
        }
    }
}

#endif
#endif
