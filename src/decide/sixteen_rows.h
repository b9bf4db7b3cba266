/* Like eight_rows.h, but sixteen rows at a time in AVX-512 registers. Only functions with the
 * attribute DP2DPI_AVX512 may use these helpers. Call a function with this attribute only if
 * dp2dpi_has_avx512 returns 1. */
#ifndef DP2DPI_DECIDE_SIXTEEN_ROWS_H
#define DP2DPI_DECIDE_SIXTEEN_ROWS_H

#include "decide/eight_rows.h"

#if DP2DPI_HAS_AVX2

#define DP2DPI_AVX512_TARGET target("avx512f,avx512dq,avx512vl,avx2,fma,popcnt")
#define DP2DPI_AVX512 __attribute__((DP2DPI_AVX512_TARGET))
#define DP2DPI_AVX512_INLINE static inline __attribute__((always_inline, DP2DPI_AVX512_TARGET))

enum {
    DP2DPI_SIXTEEN = 2 * DP2DPI_LANES
};

static inline int dp2dpi_has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}

/* Prefetches cache line `line` of later rows. Sixteen rows of K floats fill K cache lines. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_prefetch(const float *rows, size_t line) {
    uintptr_t at = (uintptr_t)rows + DP2DPI_AHEAD + line * DP2DPI_LINE;
    _mm_prefetch((const char *)at, _MM_HINT_T0); /* NOLINT(performance-no-int-to-ptr) */
}

/* Turns sixteen adjacent rows into K columns, for K = 3, 5 or 7. The rows fill K registers. Because
 * K is odd, the sixteen numbers of a column are in sixteen different lanes. So cheap blend
 * instructions can collect the numbers of a column in one register, and one permutation then sorts
 * them by row. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_read_odd(const float *rows, size_t K, __m512 *columns) {
    const unsigned every = K == 3 ? 0x9249 : K == 5 ? 0x8421 : 0x4081; /* lanes 0, K, 2 K, … */
    const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i first = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int32_t)K));
    __m512 packed[DP2DPI_LANES];
#pragma GCC unroll 8
    for (size_t r = 0; r < K; r++) {
        packed[r] = _mm512_loadu_ps(rows + r * DP2DPI_SIXTEEN);
    }
#pragma GCC unroll 8
    for (size_t k = 0; k < K; k++) {
        __m512i order = _mm512_add_epi32(first, _mm512_set1_epi32((int32_t)k));
        __m512 column = packed[0];
#pragma GCC unroll 8
        for (size_t r = 1; r < K; r++) {
            size_t lowest = (k + (K - 1) * DP2DPI_SIXTEEN * r) % K; /* 16 r + lowest = k modulo K */
            column = _mm512_mask_mov_ps(column, (__mmask16)(every << lowest), packed[r]);
        }
        columns[k] = _mm512_permutexvar_ps(order, column);
    }
}

/* Turns sixteen rows into K columns. Reads at most eight floats of every row. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_read(const float *rows, size_t stride, size_t K,
                                              __m512 *columns) {
    __m256 low[DP2DPI_LANES], high[DP2DPI_LANES];
    if (K % 2 == 1 && stride == K) {
        dp2dpi_sixteen_read_odd(rows, K, columns);
        return;
    }
    dp2dpi_eight_read(rows, stride, K, low);
    dp2dpi_eight_read(rows + DP2DPI_LANES * stride, stride, K, high);
#pragma GCC unroll 8
    for (size_t k = 0; k < K; k++) {
        columns[k] = _mm512_insertf32x8(_mm512_castps256_ps512(low[k]), high[k], 1);
    }
}

/* Sets shifts[k] to Σ_j p_j offset_jk for each row. The terms of this sum are added in the order j
 * = 0, 1, …. The offsets are those of the row's group; `own` holds the groups of the rows. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_shift(const __m512 *p, size_t K, const float *tables,
                                               __m512i own, __m512 *shifts) {
#pragma GCC unroll 64
    for (size_t c = 0; c < K * K; c++) {
        __m256 table = _mm256_load_ps(tables + c * DP2DPI_LANES);
        __m512 offset = _mm512_permutexvar_ps(own, _mm512_broadcast_f32x8(table));
        __m512 product = _mm512_mul_ps(p[c / K], offset);
        shifts[c % K] = c < K ? product : _mm512_add_ps(shifts[c % K], product);
    }
}

/* Like dp2dpi_eight_faults, but `far` has one bit for each lane. */
typedef struct dp2dpi_sixteen_faults {
    __m512 lowest;
    __mmask16 far;
} dp2dpi_sixteen_faults;

/* Sets f->far for those of sixteen rows whose sum of K numbers is not 1. `sum` holds the sums. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_check_sum(__m512 sum, size_t K, dp2dpi_sixteen_faults *f) {
    const float tolerance = (float)(DP2DPI_VIEW_TOLERANCE_SINGLE - (double)(K + 2) * 0x1p-23);
    f->far |= _mm512_cmp_ps_mask(sum, _mm512_set1_ps(1.0F - tolerance), _CMP_NGE_UQ);
    f->far |= _mm512_cmp_ps_mask(sum, _mm512_set1_ps(1.0F + tolerance), _CMP_NLE_UQ);
}

/* Like dp2dpi_eight_check, for sixteen rows. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_check(const __m512 *p, size_t K,
                                               dp2dpi_sixteen_faults *f) {
    __m512 sum = p[0];
#pragma GCC unroll 8
    for (size_t k = 0; k < K; k++) {
        f->lowest = _mm512_min_ps(p[k], f->lowest);
        sum = k > 0 ? _mm512_add_ps(sum, p[k]) : sum;
    }
    dp2dpi_sixteen_check_sum(sum, K, f);
}

DP2DPI_AVX512_INLINE int dp2dpi_sixteen_any(const dp2dpi_sixteen_faults *f) {
    return (f->far | _mm512_cmp_ps_mask(f->lowest, _mm512_setzero_ps(), _CMP_LT_OQ)) != 0;
}

/* Like dp2dpi_eight_raise, for sixteen rows. */
DP2DPI_AVX512_INLINE void dp2dpi_sixteen_raise(__m512 value, size_t k, __m512 *best,
                                               __m512i *winner) {
    if (k == 0) {
        *best = value;
        return;
    }
    __mmask16 larger = _mm512_cmp_ps_mask(value, *best, _CMP_GT_OQ);
    *winner = _mm512_mask_mov_epi32(*winner, larger, _mm512_set1_epi32((int32_t)k));
    *best = _mm512_max_ps(value, *best);
}

#endif

#endif
