#include "decide/group_lookup.h"

#include <math.h>
#include <string.h>

#include "decide/sixteen_rows.h"

#if DP2DPI_HAS_AVX2

/* Returns the number that the rule subtracts from score k, for each of eight rows. */
DP2DPI_AVX2_INLINE __m256 shift_of(const __m256 *p, size_t K, int is_linear, const float *tables,
                                   __m256i own, size_t k) {
    return is_linear ? dp2dpi_eight_shift(p, K, tables, own, k)
                     : _mm256_permutevar8x32_ps(_mm256_load_ps(tables + k * DP2DPI_LANES), own);
}

/* Decides for n rows. n must be a multiple of eight, and eight floats of every row must be
 * readable. Returns 1 if a row may be invalid. */
DP2DPI_AVX2_INLINE int decide(const dp2dpi_plain_rows *rows, size_t n, size_t K, int is_linear,
                              const float *tables, const int32_t *groups, int32_t *which) {
    dp2dpi_eight_faults f = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (size_t i = 0; i < n; i += DP2DPI_LANES) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(groups + i));
        __m256 p[DP2DPI_LANES], best, winner = _mm256_setzero_ps();
        dp2dpi_eight_prefetch(rows->at + i * rows->stride, K);
        dp2dpi_eight_read(rows->at + i * rows->stride, rows->stride, K, p);
        dp2dpi_eight_check(p, K, &f);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            __m256 value = _mm256_sub_ps(p[k], shift_of(p, K, is_linear, tables, own, k));
            dp2dpi_eight_raise(value, k, &best, &winner);
        }
        _mm256_storeu_si256((__m256i *)(void *)(which + i), _mm256_castps_si256(winner));
    }
    return dp2dpi_eight_any(&f);
}

#define DEFINE_KERNELS(K)                                                         \
    DP2DPI_AVX2 static int offset_##K(const dp2dpi_plain_rows *rows, size_t n,    \
                                      const float *tables, const int32_t *groups, \
                                      int32_t *which) {                           \
        return decide(rows, n, K, 0, tables, groups, which);                      \
    }                                                                             \
    DP2DPI_AVX2 static int linear_##K(const dp2dpi_plain_rows *rows, size_t n,    \
                                      const float *tables, const int32_t *groups, \
                                      int32_t *which) {                           \
        return decide(rows, n, K, 1, tables, groups, which);                      \
    }

DEFINE_KERNELS(2)
DEFINE_KERNELS(3)
DEFINE_KERNELS(4)
DEFINE_KERNELS(5)
DEFINE_KERNELS(6)
DEFINE_KERNELS(7)
DEFINE_KERNELS(8)

typedef int (*plain_kernel)(const dp2dpi_plain_rows *rows, size_t n, const float *tables,
                            const int32_t *groups, int32_t *which);
static const plain_kernel offset_kernels[] = {offset_2, offset_3, offset_4, offset_5,
                                              offset_6, offset_7, offset_8};
static const plain_kernel linear_kernels[] = {linear_2, linear_3, linear_4, linear_5,
                                              linear_6, linear_7, linear_8};

int dp2dpi_group_lookup_tabulate(const float *offsets, size_t groups, size_t classes, size_t cells,
                                 float *tables) {
    if (classes < 2 || classes > DP2DPI_LANES || groups > DP2DPI_LANES ||
        !__builtin_cpu_supports("avx2")) {
        return 0;
    }
    for (size_t cell = 0; cell < cells; cell++) {
        for (size_t g = 0; g < DP2DPI_LANES; g++) {
            tables[cell * DP2DPI_LANES + g] = g < groups ? offsets[g * cells + cell] : 0.0F;
        }
    }
    return 1;
}

size_t dp2dpi_group_lookup_offset(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                  const float *tables, const int32_t *groups, int32_t *which) {
    size_t fast = dp2dpi_columns_eights(rows, n, classes);
    return offset_kernels[classes - 2](rows, fast, tables, groups, which) ? 0 : fast;
}

size_t dp2dpi_group_lookup_linear(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                  const float *tables, const int32_t *groups, int32_t *which) {
    size_t fast = dp2dpi_columns_eights(rows, n, classes);
    return linear_kernels[classes - 2](rows, fast, tables, groups, which) ? 0 : fast;
}

#else

/* Without AVX2 there are no tables, so the functions that need tables are never called. */

int dp2dpi_group_lookup_tabulate(const float *offsets, size_t groups, size_t classes, size_t cells,
                                 float *tables) {
    (void)offsets;
    (void)groups;
    (void)classes;
    (void)cells;
    (void)tables;
    return 0;
}

size_t dp2dpi_group_lookup_offset(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                  const float *tables, const int32_t *groups, int32_t *which) {
    (void)rows;
    (void)n;
    (void)classes;
    (void)tables;
    (void)groups;
    (void)which;
    return 0;
}

size_t dp2dpi_group_lookup_linear(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                  const float *tables, const int32_t *groups, int32_t *which) {
    return dp2dpi_group_lookup_offset(rows, n, classes, tables, groups, which);
}

#endif
