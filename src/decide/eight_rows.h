/* Helpers that process eight rows at a time in AVX2 registers, one row per lane. Only functions
 * with the attribute DP2DPI_AVX2 may use these helpers, and these functions must not run on a
 * processor without AVX2. */
#ifndef DP2DPI_DECIDE_EIGHT_ROWS_H
#define DP2DPI_DECIDE_EIGHT_ROWS_H

#include "decide/view.h"

enum {
    DP2DPI_LANES = 8,
    DP2DPI_LINE = 64,   /* bytes in a cache line */
    DP2DPI_AHEAD = 8192 /* how many bytes ahead of the current rows to prefetch */
};

#if defined(__x86_64__)
#define DP2DPI_HAS_AVX2 1

#include <immintrin.h>

#define DP2DPI_AVX2 __attribute__((target("avx2,popcnt")))
#define DP2DPI_AVX2_INLINE static inline __attribute__((always_inline, target("avx2,popcnt")))

/* Prefetches later rows. The work on one row takes so long that the processor does not look far
 * enough ahead to prefetch by itself. An address past the end of the table does no harm. */
DP2DPI_AVX2_INLINE void dp2dpi_eight_prefetch(const float *rows, size_t K) {
#pragma GCC unroll 4
    for (size_t byte = 0; byte < K * DP2DPI_LANES * sizeof(float); byte += DP2DPI_LINE) {
        uintptr_t at = (uintptr_t)rows + DP2DPI_AHEAD + byte;
        _mm_prefetch((const char *)at, _MM_HINT_T0); /* NOLINT(performance-no-int-to-ptr) */
    }
}

/* Prefetches memory that later decisions will be written to. */
DP2DPI_AVX2_INLINE void dp2dpi_eight_prefetch_out(const int32_t *which) {
    uintptr_t at = (uintptr_t)which + DP2DPI_AHEAD / 2;
    __builtin_prefetch((const char *)at, 1); /* NOLINT(performance-no-int-to-ptr) */
}

/* Loads four floats from each of two rows that are four rows apart. */
DP2DPI_AVX2_INLINE __m256 dp2dpi_eight_join(const float *rows, size_t stride, size_t row) {
    __m128 low = _mm_loadu_ps(rows + row * stride);
    __m128 high = _mm_loadu_ps(rows + (row + DP2DPI_LANES / 2) * stride);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

/* Turns eight rows of four floats into four columns. pairs[r] holds rows r and r + 4, as
 * dp2dpi_eight_join loads them. */
DP2DPI_AVX2_INLINE void dp2dpi_eight_transpose(const __m256 *pairs, __m256 *columns) {
    __m256 ab = _mm256_unpacklo_ps(pairs[0], pairs[1]), cd = _mm256_unpacklo_ps(pairs[2], pairs[3]);
    columns[0] = _mm256_shuffle_ps(ab, cd, 0x44);
    columns[1] = _mm256_shuffle_ps(ab, cd, 0xEE);
    ab = _mm256_unpackhi_ps(pairs[0], pairs[1]);
    cd = _mm256_unpackhi_ps(pairs[2], pairs[3]);
    columns[2] = _mm256_shuffle_ps(ab, cd, 0x44);
    columns[3] = _mm256_shuffle_ps(ab, cd, 0xEE);
}

/* Turns eight rows into K columns. Reads at most eight floats of every row. */
DP2DPI_AVX2_INLINE void dp2dpi_eight_read(const float *rows, size_t stride, size_t K,
                                          __m256 *columns) {
    if (K == 2 && stride == 2) {
        __m256 low = _mm256_loadu_ps(rows), high = _mm256_loadu_ps(rows + DP2DPI_LANES);
        __m256 outer = _mm256_permute2f128_ps(low, high, 0x20);
        __m256 inner = _mm256_permute2f128_ps(low, high, 0x31);
        columns[0] = _mm256_shuffle_ps(outer, inner, 0x88);
        columns[1] = _mm256_shuffle_ps(outer, inner, 0xDD);
        return;
    }
#pragma GCC unroll 2
    for (size_t k = 0; k < K; k += DP2DPI_LANES / 2) {
        __m256 pairs[DP2DPI_LANES / 2];
#pragma GCC unroll 4
        for (size_t r = 0; r < DP2DPI_LANES / 2; r++) {
            pairs[r] = dp2dpi_eight_join(rows + k, stride, r);
        }
        dp2dpi_eight_transpose(pairs, columns + k);
    }
}

/* Returns Σ_j p_j offset_jk for each row, added in the order j = 0, 1, …. The offsets are those of
 * the row's group; `own` holds the groups of the rows. */
DP2DPI_AVX2_INLINE __m256 dp2dpi_eight_shift(const __m256 *p, size_t K, const float *tables,
                                             __m256i own, size_t k) {
    __m256 sum;
#pragma GCC unroll 8
    for (size_t j = 0; j < K; j++) {
        __m256 table = _mm256_load_ps(tables + (j * K + k) * DP2DPI_LANES);
        __m256 product = _mm256_mul_ps(p[j], _mm256_permutevar8x32_ps(table, own));
        sum = j > 0 ? _mm256_add_ps(sum, product) : product;
    }
    return sum;
}

/* The faults that dp2dpi_eight_check has found in the rows so far. `lowest` may miss a NaN, but
 * then the sum of that row is NaN and sets `far`. */
typedef struct dp2dpi_eight_faults {
    __m256 lowest; /* the lowest score of each lane, or 0 if no score is negative */
    __m256 far;    /* all bits of a lane are set if one of its rows did not sum to 1 */
} dp2dpi_eight_faults;

/* Checks that the K scores of each of eight rows are probabilities, and adds the faults to *f. The
 * tolerance allows for the rounding error of the float32 sum, which is below K × 2^-23. */
DP2DPI_AVX2_INLINE void dp2dpi_eight_check(const __m256 *p, size_t K, dp2dpi_eight_faults *f) {
    const float tolerance = (float)(DP2DPI_VIEW_TOLERANCE_SINGLE - (double)(K + 2) * 0x1p-23);
    __m256 sum = p[0];
#pragma GCC unroll 8
    for (size_t k = 0; k < K; k++) {
        f->lowest = _mm256_min_ps(p[k], f->lowest);
        sum = k > 0 ? _mm256_add_ps(sum, p[k]) : sum;
    }
    __m256 low = _mm256_cmp_ps(sum, _mm256_set1_ps(1.0F - tolerance), _CMP_NGE_UQ);
    __m256 high = _mm256_cmp_ps(sum, _mm256_set1_ps(1.0F + tolerance), _CMP_NLE_UQ);
    f->far = _mm256_or_ps(f->far, _mm256_or_ps(low, high));
}

DP2DPI_AVX2_INLINE int dp2dpi_eight_any(const dp2dpi_eight_faults *f) {
    __m256 negative = _mm256_cmp_ps(f->lowest, _mm256_setzero_ps(), _CMP_LT_OQ);
    return _mm256_movemask_ps(_mm256_or_ps(negative, f->far)) != 0;
}

/* In each lane where the value of class k is above `best`, sets `best` to this value and `winner`
 * to k. Class 0 only initialises `best`; the caller must initialise `winner` to 0. */
DP2DPI_AVX2_INLINE void dp2dpi_eight_raise(__m256 value, size_t k, __m256 *best, __m256 *winner) {
    if (k == 0) {
        *best = value;
        return;
    }
    __m256 larger = _mm256_cmp_ps(value, *best, _CMP_GT_OQ);
    __m256 number = _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)k));
    *winner = _mm256_blendv_ps(*winner, number, larger);
    *best = _mm256_max_ps(value, *best);
}

#else
#define DP2DPI_HAS_AVX2 0
#endif

#endif
