#include "decide/group_weights.h"

#include "decide/eight_rows.h"

#if DP2DPI_HAS_AVX2

enum {
    STEP = 2 * DP2DPI_LANES, /* rows at a time */
    FEW = 5                  /* most classes for which the sums of two blocks fit the registers */
};

/* Eight rows of scores and of weights, in columns. */
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

/* Decides for `count` times eight rows. Each addition to a sum waits for the addition before it, so
 * two blocks of eight rows at a time are faster, as long as all sums fit the registers. */
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

/* Decides for n rows, a multiple of STEP. Eight floats of every row must be readable. Returns 1 if
 * a row may be invalid. */
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

#define DEFINE_DECIDE(K)                                                                         \
    DP2DPI_AVX2 static int decide_##K(const dp2dpi_plain_rows *scores,                           \
                                      const dp2dpi_plain_rows *weights, size_t n, size_t groups, \
                                      const float *offsets, int32_t *which) {                    \
        return decide_all(scores, weights, n, K, groups, offsets, which);                        \
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

int dp2dpi_group_weights_can(size_t classes, size_t groups) {
    return classes >= 2 && classes <= DP2DPI_LANES && groups >= 1 && groups <= DP2DPI_LANES &&
           __builtin_cpu_supports("avx2");
}

size_t dp2dpi_group_weights_decide(const dp2dpi_plain_rows *scores,
                                   const dp2dpi_plain_rows *weights, size_t n, size_t classes,
                                   size_t groups, const float *offsets, int32_t *which) {
    size_t fast = dp2dpi_columns_eights(scores, n, classes);
    fast = dp2dpi_columns_eights(weights, fast, groups) / STEP * STEP;
    return kernels[classes - 2](scores, weights, fast, groups, offsets, which) ? 0 : fast;
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
