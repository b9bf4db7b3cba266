#include "decide/group_weights.h"

#include "decide/sixteen_rows.h"

#if DP2DPI_HAS_AVX2

enum {
    STEP = 2 * DP2DPI_LANES, /* number of rows processed at a time */
    FEW = 5                  /* up to this many classes, the sums of two blocks of eight rows fit
                                the registers */
};

/* The scores and the weights of eight rows: each vector holds one column, and each lane one row. */
typedef struct eight {
    __m256 scores[DP2DPI_LANES], weights[DP2DPI_LANES];
} eight;

DP2DPI_AVX2_INLINE void read(const dp2dpi_plain_rows *scores, const dp2dpi_plain_rows *weights,
                             size_t row, size_t K, size_t groups, eight *out,
                             dp2dpi_eight_faults *f) {
    const float *at = weights->at + row * weights->stride;
    dp2dpi_eight_read(scores->at + row * scores->stride, scores->stride, K, out->scores);
    dp2dpi_eight_check(out->scores, K, f);
    if (groups > DP2DPI_LANES / 2) {
        dp2dpi_eight_read(at, weights->stride, DP2DPI_LANES, out->weights);
    } else {
        dp2dpi_eight_read(at, weights->stride, DP2DPI_LANES / 2, out->weights);
    }
    dp2dpi_eight_check(out->weights, groups, f);
}

/* Decides for `count` blocks of eight rows. Each addition to a sum waits for the previous addition,
 * so processing two blocks at a time is faster, as long as all sums fit the registers. */
DP2DPI_AVX2_INLINE void decide(const eight *rows, size_t count, size_t K, size_t groups,
                               const float *offset, int32_t *which) {
    __m256 sums[2][DP2DPI_LANES];
#pragma GCC unroll 16
    for (size_t c = 0; c < count * K; c++) {
        sums[c / K][c % K] = _mm256_setzero_ps();
    }
    for (size_t g = 0; g < groups; g++) {
#pragma GCC unroll 1 /* otherwise the compiler loads all offsets first, and runs out of registers \
                      */
        for (size_t y = 0; y < K; y++, offset += K) {
            __m256 first = _mm256_mul_ps(rows[0].weights[g], rows[0].scores[y]), second = first;
            if (count > 1) {
                second = _mm256_mul_ps(rows[1].weights[g], rows[1].scores[y]);
            }
#pragma GCC unroll 8
            for (size_t k = 0; k < K; k++) {
                __m256 factor = _mm256_broadcast_ss(offset + k);
                sums[0][k] = _mm256_add_ps(sums[0][k], _mm256_mul_ps(first, factor));
                if (count > 1) {
                    sums[1][k] = _mm256_add_ps(sums[1][k], _mm256_mul_ps(second, factor));
                }
            }
        }
    }
#pragma GCC unroll 2
    for (size_t r = 0; r < count; r++) {
        __m256 best, winner = _mm256_setzero_ps();
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            dp2dpi_eight_raise(_mm256_sub_ps(rows[r].scores[k], sums[r][k]), k, &best, &winner);
        }
        _mm256_storeu_si256((__m256i *)(void *)(which + r * DP2DPI_LANES),
                            _mm256_castps_si256(winner));
    }
}

/* Decides for n rows. n must be a multiple of STEP, and eight floats of every row must be readable.
 * Returns 1 if a row may be invalid. */
DP2DPI_AVX2_INLINE int decide_all(const dp2dpi_plain_rows *scores, const dp2dpi_plain_rows *weights,
                                  size_t n, size_t K, size_t groups, const float *offsets,
                                  int32_t *which) {
    dp2dpi_eight_faults f = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (size_t i = 0; i < n; i += STEP) {
        eight rows[2];
        read(scores, weights, i, K, groups, &rows[0], &f);
        read(scores, weights, i + DP2DPI_LANES, K, groups, &rows[1], &f);
        if (K <= FEW) {
            decide(rows, 2, K, groups, offsets, which + i);
        } else {
            decide(rows, 1, K, groups, offsets, which + i);
            decide(rows + 1, 1, K, groups, offsets, which + i + DP2DPI_LANES);
        }
    }
    return dp2dpi_eight_any(&f);
}

/* Turns sixteen rows of weights into columns. */
DP2DPI_AVX512_INLINE void read_weights(const float *rows, size_t stride, size_t groups,
                                       __m512 *out) {
    switch (groups) {
    case 3:
        dp2dpi_sixteen_read(rows, stride, 3, out);
        break;
    case 5:
        dp2dpi_sixteen_read(rows, stride, 5, out);
        break;
    case 7:
        dp2dpi_sixteen_read(rows, stride, 7, out);
        break;
    default:
        dp2dpi_sixteen_read(rows, stride, groups > DP2DPI_LANES / 2 ? 8 : 4, out);
    }
}

/* Adds Σ_y w p_y offset_yk to sums[k], for each class k. w is the weight of one group, p_y the
 * score of label y, and offset_yk the offset of this group for label y and class k. */
DP2DPI_AVX512_INLINE void add_group(__m512 w, const __m512 *p, size_t K, const float *offset,
                                    __m512 *sums) {
#pragma GCC unroll 8
    for (size_t y = 0; y < K; y++) {
        __m512 weight = _mm512_mul_ps(w, p[y]);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            __m512 factor = _mm512_set1_ps(offset[y * K + k]);
            sums[k] = _mm512_add_ps(sums[k], _mm512_mul_ps(weight, factor));
        }
    }
}

/* Like decide_all, but with sixteen rows in each register. */
DP2DPI_AVX512_INLINE int decide_wide(const dp2dpi_plain_rows *scores,
                                     const dp2dpi_plain_rows *weights, size_t n, size_t K,
                                     size_t groups, const float *offsets, int32_t *which) {
    dp2dpi_sixteen_faults f = {_mm512_setzero_ps(), 0};
    for (size_t i = 0; i < n; i += DP2DPI_SIXTEEN) {
        const float *p_at = scores->at + i * scores->stride;
        const float *w_at = weights->at + i * weights->stride;
        __m512 p[DP2DPI_LANES], w[DP2DPI_LANES], sums[DP2DPI_LANES], best;
        __m512 total = _mm512_setzero_ps();
        __m512i winner = _mm512_setzero_si512();
        read_weights(w_at, weights->stride, groups, w);
        dp2dpi_sixteen_read(p_at, scores->stride, K, p);
        dp2dpi_sixteen_check(p, K, &f);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            dp2dpi_sixteen_prefetch(p_at, k);
            sums[k] = _mm512_setzero_ps();
        }
        for (size_t g = 0; g < groups; g++) {
            dp2dpi_sixteen_prefetch(w_at, g);
            f.lowest = _mm512_min_ps(w[g], f.lowest);
            total = _mm512_add_ps(total, w[g]);
            add_group(w[g], p, K, offsets + g * K * K, sums);
        }
        dp2dpi_sixteen_check_sum(total, DP2DPI_LANES, &f);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            dp2dpi_sixteen_raise(_mm512_sub_ps(p[k], sums[k]), k, &best, &winner);
        }
        _mm512_storeu_si512(which + i, winner);
    }
    return dp2dpi_sixteen_any(&f);
}

#define DEFINE_DECIDE(K)                                                                         \
    DP2DPI_AVX2 static int decide_##K(const dp2dpi_plain_rows *scores,                           \
                                      const dp2dpi_plain_rows *weights, size_t n, size_t groups, \
                                      const float *offsets, int32_t *which) {                    \
        return decide_all(scores, weights, n, K, groups, offsets, which);                        \
    }                                                                                            \
    DP2DPI_AVX512 static int wide_##K(const dp2dpi_plain_rows *scores,                           \
                                      const dp2dpi_plain_rows *weights, size_t n, size_t groups, \
                                      const float *offsets, int32_t *which) {                    \
        return decide_wide(scores, weights, n, K, groups, offsets, which);                       \
    }

DEFINE_DECIDE(2)
DEFINE_DECIDE(3)
DEFINE_DECIDE(4)
DEFINE_DECIDE(5)
DEFINE_DECIDE(6)
DEFINE_DECIDE(7)
DEFINE_DECIDE(8)

typedef int (*kernel)(const dp2dpi_plain_rows *scores, const dp2dpi_plain_rows *weights, size_t n,
                      size_t groups, const float *offsets, int32_t *which);
static const kernel kernels[] = {decide_2, decide_3, decide_4, decide_5,
                                 decide_6, decide_7, decide_8};
static const kernel wide_kernels[] = {wide_2, wide_3, wide_4, wide_5, wide_6, wide_7, wide_8};

int dp2dpi_group_weights_can(size_t classes, size_t groups) {
    return classes >= 2 && classes <= DP2DPI_LANES && groups >= 1 && groups <= DP2DPI_LANES &&
           __builtin_cpu_supports("avx2");
}

size_t dp2dpi_group_weights_decide(const dp2dpi_plain_rows *scores,
                                   const dp2dpi_plain_rows *weights, size_t n, size_t classes,
                                   size_t groups, const float *offsets, int32_t *which) {
    size_t fast = dp2dpi_columns_eights(scores, n, classes);
    fast = dp2dpi_columns_eights(weights, fast, groups) / STEP * STEP;
    kernel run = dp2dpi_has_avx512() ? wide_kernels[classes - 2] : kernels[classes - 2];
    return run(scores, weights, fast, groups, offsets, which) ? 0 : fast;
}

#else

int dp2dpi_group_weights_can(size_t classes, size_t groups) {
    (void)classes;
    (void)groups;
    return 0;
}

/* Never called, because dp2dpi_group_weights_can returns 0. */
size_t dp2dpi_group_weights_decide(const dp2dpi_plain_rows *scores,
                                   const dp2dpi_plain_rows *weights, size_t n, size_t classes,
                                   size_t groups, const float *offsets, int32_t *which) {
    (void)scores;
    (void)weights;
    (void)n;
    (void)classes;
    (void)groups;
    (void)offsets;
    (void)which;
    return 0;
}

#endif
