#include "decide/group_lookup.h"

#include "decide/eight_rows.h"

#if DP2DPI_HAS_AVX2

/* Returns the number that the rule subtracts from score k, for each of eight rows. */
DP2DPI_AVX2_INLINE __m256 shift_of(const __m256 *p, size_t K, int is_linear, const float *tables,
                                   __m256i own, size_t k) {
    if (!is_linear) {
        return _mm256_permutevar8x32_ps(_mm256_loadu_ps(tables + k * DP2DPI_LANES), own);
    }
    __m256 sum;
#pragma GCC unroll 8
    for (size_t j = 0; j < K; j++) {
        __m256 table = _mm256_loadu_ps(tables + (j * K + k) * DP2DPI_LANES);
        __m256 product = _mm256_mul_ps(p[j], _mm256_permutevar8x32_ps(table, own));
        sum = j > 0 ? _mm256_add_ps(sum, product) : product;
    }
    return sum;
}

/* Decides for n rows, a multiple of eight. Eight floats of every row must be readable. Returns 1 if
 * a row may be invalid. */
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

/* lanes_of[m] lists the bits that are set in the mask m: one bit index per byte. */
#define BIT(m, l) ((uint64_t)((m) >> (l)) & 1)
#define BEFORE(m, l)                                                                     \
    (((l) > 0 ? BIT(m, 0) : 0) + ((l) > 1 ? BIT(m, 1) : 0) + ((l) > 2 ? BIT(m, 2) : 0) + \
     ((l) > 3 ? BIT(m, 3) : 0) + ((l) > 4 ? BIT(m, 4) : 0) + ((l) > 5 ? BIT(m, 5) : 0) + \
     ((l) > 6 ? BIT(m, 6) : 0))
#define LANE(m, l) (BIT(m, l) * (l) << 8 * BEFORE(m, l))
#define LANES_OF(m) \
    LANE(m, 1) | LANE(m, 2) | LANE(m, 3) | LANE(m, 4) | LANE(m, 5) | LANE(m, 6) | LANE(m, 7)
#define FOUR(m) LANES_OF(m), LANES_OF((m) + 1), LANES_OF((m) + 2), LANES_OF((m) + 3)
#define SIXTEEN(m) FOUR(m), FOUR((m) + 4), FOUR((m) + 8), FOUR((m) + 12)
#define SIXTY_FOUR(m) SIXTEEN(m), SIXTEEN((m) + 16), SIXTEEN((m) + 32), SIXTEEN((m) + 48)
static const uint64_t lanes_of[1 << DP2DPI_LANES] = {SIXTY_FOUR(0), SIXTY_FOUR(64), SIXTY_FOUR(128),
                                                     SIXTY_FOUR(192)};

/* Packs the n rows that start at place close->count: keeps only rows whose bit in `masks` is set,
 * and counts them. Each byte of `masks` is for eight rows. `first` is the row number of the first
 * of the n rows. */
DP2DPI_AVX2_INLINE void keep(const unsigned char *masks, size_t n, size_t K, size_t first,
                             dp2dpi_close_rows *close) {
    __m256i numbers = _mm256_add_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                       _mm256_set1_epi32((int32_t)first));
    float *scores = close->scores, *shifts = close->shifts;
    size_t from = close->count, to = from;
    for (size_t i = 0; i < n; i += DP2DPI_LANES, from += DP2DPI_LANES) {
        const void *at = &lanes_of[masks[i / DP2DPI_LANES]];
        __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(at));
        __m256i packed = _mm256_permutevar8x32_epi32(numbers, order);
        _mm256_storeu_si256((__m256i *)(void *)(close->rows + to), packed);
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(DP2DPI_LANES));
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            float *score = scores + k * DP2DPI_CLOSE_APART,
                  *shift = shifts + k * DP2DPI_CLOSE_APART;
            __m256 p = _mm256_permutevar8x32_ps(_mm256_loadu_ps(score + from), order);
            __m256 s = _mm256_permutevar8x32_ps(_mm256_loadu_ps(shift + from), order);
            _mm256_storeu_ps(score + to, p);
            _mm256_storeu_ps(shift + to, s);
        }
        to += (size_t)__builtin_popcount(masks[i / DP2DPI_LANES]);
    }
    close->count = to;
}

/* Like decide() for a rule with dither. (p_k + u) − shift_k, rounded twice, does not fall if u
 * rises from 0 to width. So the decision is final if, even at u = width, no other class reaches the
 * value that the winner has at u = 0.
 *
 * All rows go to the columns of *close first; packing them is a second pass. If the place of a row
 * depended on the rows right before it, the processor could not work on several at once. */
DP2DPI_AVX2_INLINE int decide_dithered(const dp2dpi_plain_rows *rows, size_t n, size_t K,
                                       const float *tables, const int32_t *groups, float width,
                                       size_t first, int32_t *which, dp2dpi_close_rows *close) {
    dp2dpi_eight_faults f = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    unsigned char masks[DP2DPI_CLOSE_ROWS / DP2DPI_LANES];
    const __m256 reach = _mm256_set1_ps(width);
    float *scores = close->scores + close->count, *shifts = close->shifts + close->count;
    for (size_t i = 0; i < n; i += DP2DPI_LANES) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(groups + i));
        __m256 p[DP2DPI_LANES], shift[DP2DPI_LANES], best, winner = _mm256_setzero_ps();
        dp2dpi_eight_prefetch(rows->at + i * rows->stride, K);
        dp2dpi_eight_read(rows->at + i * rows->stride, rows->stride, K, p);
        dp2dpi_eight_check(p, K, &f);
        dp2dpi_eight_prefetch_out(which + i);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            shift[k] = shift_of(p, K, 1, tables, own, k);
            _mm256_storeu_ps(scores + k * DP2DPI_CLOSE_APART + i, p[k]);
            _mm256_storeu_ps(shifts + k * DP2DPI_CLOSE_APART + i, shift[k]);
            dp2dpi_eight_raise(_mm256_sub_ps(p[k], shift[k]), k, &best, &winner);
        }
        _mm256_storeu_si256((__m256i *)(void *)(which + i), _mm256_castps_si256(winner));
        __m256i reaching = _mm256_set1_epi32(1); /* 1 minus the number of classes that reach best */
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            __m256 most = _mm256_sub_ps(_mm256_add_ps(p[k], reach), shift[k]);
            __m256 reaches = _mm256_cmp_ps(most, best, _CMP_GE_OQ);
            reaching = _mm256_add_epi32(reaching, _mm256_castps_si256(reaches));
        }
        masks[i / DP2DPI_LANES] = (unsigned char)_mm256_movemask_ps(_mm256_castsi256_ps(reaching));
    }
    keep(masks, n, K, first, close);
    return dp2dpi_eight_any(&f);
}

#define DEFINE_KERNELS(K)                                                                         \
    DP2DPI_AVX2 static int offset_##K(const dp2dpi_plain_rows *rows, size_t n,                    \
                                      const float *tables, const int32_t *groups,                 \
                                      int32_t *which) {                                           \
        return decide(rows, n, K, 0, tables, groups, which);                                      \
    }                                                                                             \
    DP2DPI_AVX2 static int linear_##K(const dp2dpi_plain_rows *rows, size_t n,                    \
                                      const float *tables, const int32_t *groups,                 \
                                      int32_t *which) {                                           \
        return decide(rows, n, K, 1, tables, groups, which);                                      \
    }                                                                                             \
    DP2DPI_AVX2 static int dithered_##K(const dp2dpi_plain_rows *rows, size_t n,                  \
                                        const float *tables, const int32_t *groups, float width,  \
                                        size_t first, int32_t *which, dp2dpi_close_rows *close) { \
        return decide_dithered(rows, n, K, tables, groups, width, first, which, close);           \
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
typedef int (*dithered_kernel)(const dp2dpi_plain_rows *rows, size_t n, const float *tables,
                               const int32_t *groups, float width, size_t first, int32_t *which,
                               dp2dpi_close_rows *close);
static const plain_kernel offset_kernels[] = {offset_2, offset_3, offset_4, offset_5,
                                              offset_6, offset_7, offset_8};
static const plain_kernel linear_kernels[] = {linear_2, linear_3, linear_4, linear_5,
                                              linear_6, linear_7, linear_8};
static const dithered_kernel dithered_kernels[] = {dithered_2, dithered_3, dithered_4, dithered_5,
                                                   dithered_6, dithered_7, dithered_8};

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

size_t dp2dpi_group_lookup_dithered(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                    const float *tables, const int32_t *groups, float width,
                                    size_t first, int32_t *which, dp2dpi_close_rows *close) {
    size_t fast = dp2dpi_columns_eights(rows, n, classes);
    return dithered_kernels[classes - 2](rows, fast, tables, groups, width, first, which, close)
               ? 0
               : fast;
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

size_t dp2dpi_group_lookup_dithered(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                    const float *tables, const int32_t *groups, float width,
                                    size_t first, int32_t *which, dp2dpi_close_rows *close) {
    (void)width;
    (void)first;
    (void)close;
    return dp2dpi_group_lookup_offset(rows, n, classes, tables, groups, which);
}

#endif
