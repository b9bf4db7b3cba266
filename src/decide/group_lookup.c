#include "decide/group_lookup.h"

#include <math.h>
#include <string.h>

#include "decide/sixteen_rows.h"

#if DP2DPI_HAS_AVX2

/* Returns the number that the rule subtracts from score k, for each of eight rows. */
DP2DPI_AVX2_INLINE __m256 shift_of(const __m256 *p, size_t K, int is_linear, const float *tables,
                                   __m256i own, size_t k) {
    if (!is_linear) {
        return _mm256_permutevar8x32_ps(_mm256_load_ps(tables + k * DP2DPI_LANES), own);
    }
    __m256 sum;
#pragma GCC unroll 8
    for (size_t j = 0; j < K; j++) {
        __m256 table = _mm256_load_ps(tables + (j * K + k) * DP2DPI_LANES);
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

/* Appends those of n rows, a multiple of eight, whose bits are set in the masks of eight rows
 * each. */
DP2DPI_AVX2_INLINE void keep(const unsigned char *masks, size_t n, size_t first,
                             const int32_t *groups, dp2dpi_close_rows *close) {
    size_t to = close->count;
    for (size_t i = 0; i < n; i += DP2DPI_LANES) {
        unsigned mask = masks[i / DP2DPI_LANES];
        const void *lanes = &lanes_of[mask], *at = groups + i;
        __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(lanes));
        __m256i rows = _mm256_add_epi32(order, _mm256_set1_epi32((int32_t)(first + i)));
        __m256i own = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(at), order);
        _mm256_storeu_si256((__m256i *)(void *)(close->rows + to), rows);
        _mm256_storeu_si256((__m256i *)(void *)(close->groups + to), own);
        to += (size_t)__builtin_popcount(mask);
    }
    close->count = to;
}

/* Screens n rows, a multiple of eight. Returns 1 if a row may be invalid.
 *
 * Listing the close rows is a second pass. If the place of a row in the list depended on the rows
 * right before it, the processor could not work on several at once. */
DP2DPI_FMA_INLINE int screen(const dp2dpi_plain_rows *rows, size_t n, size_t K,
                             const dp2dpi_lookup_screen *s, const int32_t *groups, size_t first,
                             int32_t *which, dp2dpi_close_rows *close) {
    dp2dpi_eight_faults f = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    const __m256 reach = _mm256_set1_ps(s->reach);
    unsigned char masks[DP2DPI_SCREEN_ROWS / DP2DPI_LANES];
    for (size_t i = 0; i < n; i += DP2DPI_LANES) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(groups + i));
        __m256 p[DP2DPI_LANES], values[DP2DPI_LANES];
        dp2dpi_eight_lead lead;
        dp2dpi_eight_prefetch(rows->at + i * rows->stride, K);
        dp2dpi_eight_prefetch_out(which + i);
        dp2dpi_eight_read(rows->at + i * rows->stride, rows->stride, K, p);
        dp2dpi_eight_check(p, K, &f);
        /* Class after class for each score, so that neighbouring operations need not wait for each
         * other. */
#pragma GCC unroll 64
        for (size_t c = 0; c < K * (K - 1); c++) {
            __m256 table = _mm256_load_ps(s->tables + c * DP2DPI_LANES);
            __m256 factor = _mm256_permutevar8x32_ps(table, own), *value = &values[c % (K - 1)];
            *value = c < K - 1 ? _mm256_mul_ps(p[0], factor)
                               : _mm256_fmadd_ps(p[c / (K - 1)], factor, *value);
        }
#pragma GCC unroll 8
        for (size_t k = 1; k < K; k++) {
            dp2dpi_eight_take(values[k - 1], k, &lead);
        }
        masks[i / DP2DPI_LANES] = dp2dpi_eight_finish(&lead, reach, which + i);
    }
    keep(masks, n, first, groups, close);
    return dp2dpi_eight_any(&f);
}

/* Like screen, sixteen rows in each register; n is a multiple of sixteen. */
DP2DPI_AVX512_INLINE int screen_wide(const dp2dpi_plain_rows *rows, size_t n, size_t K,
                                     const dp2dpi_lookup_screen *s, const int32_t *groups,
                                     size_t first, int32_t *which, dp2dpi_close_rows *close) {
    dp2dpi_sixteen_faults f = {_mm512_setzero_ps(), 0};
    const __m512 reach = _mm512_set1_ps(s->reach);
    unsigned char masks[DP2DPI_SCREEN_ROWS / DP2DPI_LANES];
    for (size_t i = 0; i < n; i += DP2DPI_SIXTEEN) {
        const float *at = rows->at + i * rows->stride;
        __m512i own = _mm512_loadu_si512(groups + i);
        __m512 p[DP2DPI_LANES], values[DP2DPI_LANES];
        dp2dpi_sixteen_lead lead;
        dp2dpi_eight_prefetch_out(which + i);
        dp2dpi_sixteen_read(at, rows->stride, K, p);
        dp2dpi_sixteen_check(p, K, &f);
        dp2dpi_sixteen_prefetch(at, 0);
#pragma GCC unroll 64
        for (size_t c = 0; c < K * (K - 1); c++) {
            __m256 table = _mm256_load_ps(s->tables + c * DP2DPI_LANES);
            __m512 factor = _mm512_permutexvar_ps(own, _mm512_broadcast_f32x8(table));
            __m512 *value = &values[c % (K - 1)];
            *value = c < K - 1 ? _mm512_mul_ps(p[0], factor)
                               : _mm512_fmadd_ps(p[c / (K - 1)], factor, *value);
        }
#pragma GCC unroll 8
        for (size_t k = 1; k < K; k++) {
            dp2dpi_sixteen_prefetch(at, k);
            dp2dpi_sixteen_take(values[k - 1], k, &lead);
        }
        uint16_t mask = dp2dpi_sixteen_finish(&lead, reach, which + i);
        memcpy(masks + i / DP2DPI_LANES, &mask, sizeof mask);
    }
    keep(masks, n, first, groups, close);
    return dp2dpi_sixteen_any(&f);
}

/* Writes the columns of n listed rows, a multiple of eight, and of their shifts. */
DP2DPI_AVX2_INLINE void shift(const dp2dpi_plain_rows *rows, const int32_t *list, size_t n,
                              size_t K, const float *tables, const int32_t *groups, size_t apart,
                              float *scores, float *shifts) {
    for (size_t i = 0; i < n; i += DP2DPI_LANES) {
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(groups + i));
        __m256 p[DP2DPI_LANES];
        dp2dpi_eight_read_list(rows->at, rows->stride, list + i, K, p);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            _mm256_storeu_ps(scores + k * apart + i, p[k]);
            _mm256_storeu_ps(shifts + k * apart + i, shift_of(p, K, 1, tables, own, k));
        }
    }
}

#define DEFINE_KERNELS(K)                                                                       \
    DP2DPI_AVX2 static int offset_##K(const dp2dpi_plain_rows *rows, size_t n,                  \
                                      const float *tables, const int32_t *groups,               \
                                      int32_t *which) {                                         \
        return decide(rows, n, K, 0, tables, groups, which);                                    \
    }                                                                                           \
    DP2DPI_AVX2 static int linear_##K(const dp2dpi_plain_rows *rows, size_t n,                  \
                                      const float *tables, const int32_t *groups,               \
                                      int32_t *which) {                                         \
        return decide(rows, n, K, 1, tables, groups, which);                                    \
    }                                                                                           \
    DP2DPI_FMA static int screen_##K(const dp2dpi_plain_rows *rows, size_t n,                   \
                                     const dp2dpi_lookup_screen *s, const int32_t *groups,      \
                                     size_t first, int32_t *which, dp2dpi_close_rows *close) {  \
        return screen(rows, n, K, s, groups, first, which, close);                              \
    }                                                                                           \
    DP2DPI_AVX512 static int wide_##K(const dp2dpi_plain_rows *rows, size_t n,                  \
                                      const dp2dpi_lookup_screen *s, const int32_t *groups,     \
                                      size_t first, int32_t *which, dp2dpi_close_rows *close) { \
        return screen_wide(rows, n, K, s, groups, first, which, close);                         \
    }                                                                                           \
    DP2DPI_AVX2 static void shift_##K(const dp2dpi_plain_rows *rows, const int32_t *list,       \
                                      size_t n, const float *tables, const int32_t *groups,     \
                                      size_t apart, float *scores, float *shifts) {             \
        shift(rows, list, n, K, tables, groups, apart, scores, shifts);                         \
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
typedef int (*screen_kernel)(const dp2dpi_plain_rows *rows, size_t n, const dp2dpi_lookup_screen *s,
                             const int32_t *groups, size_t first, int32_t *which,
                             dp2dpi_close_rows *close);
typedef void (*shift_kernel)(const dp2dpi_plain_rows *rows, const int32_t *list, size_t n,
                             const float *tables, const int32_t *groups, size_t apart,
                             float *scores, float *shifts);
static const plain_kernel offset_kernels[] = {offset_2, offset_3, offset_4, offset_5,
                                              offset_6, offset_7, offset_8};
static const plain_kernel linear_kernels[] = {linear_2, linear_3, linear_4, linear_5,
                                              linear_6, linear_7, linear_8};
static const screen_kernel screen_kernels[] = {screen_2, screen_3, screen_4, screen_5,
                                               screen_6, screen_7, screen_8};
static const screen_kernel wide_kernels[] = {wide_2, wide_3, wide_4, wide_5,
                                             wide_6, wide_7, wide_8};
static const shift_kernel shift_kernels[] = {shift_2, shift_3, shift_4, shift_5,
                                             shift_6, shift_7, shift_8};

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

/* What the difference between the values of class k and class 0 gains per unit of score j. */
static double gain(const float *offsets, size_t classes, size_t j, size_t k) {
    double own = (double)(j == k) - (double)(j == 0);
    return own - ((double)offsets[j * classes + k] - (double)offsets[j * classes]);
}

int dp2dpi_lookup_screen_set(const float *offsets, size_t groups, size_t classes, double width,
                             dp2dpi_lookup_screen *out) {
    double largest = 0.0;
    if (!__builtin_cpu_supports("fma")) {
        return 0;
    }
    memset(out->tables, 0, sizeof out->tables);
    for (size_t g = 0; g < groups; g++, offsets += classes * classes) {
        for (size_t c = 0; c < classes * classes; c++) {
            largest = fmax(largest, fabs((double)offsets[c]));
        }
        for (size_t c = 0; c < classes * (classes - 1); c++) {
            out->tables[c * DP2DPI_LANES + g] =
                (float)gain(offsets, classes, c / (classes - 1), 1 + c % (classes - 1));
        }
    }
    out->reach = dp2dpi_screen_reach(width, classes, largest);
    return 1;
}

size_t dp2dpi_lookup_screen_run(const dp2dpi_lookup_screen *s, const dp2dpi_plain_rows *rows,
                                size_t n, size_t classes, const int32_t *groups, size_t first,
                                int32_t *which, dp2dpi_close_rows *close) {
    size_t fast = dp2dpi_columns_eights(rows, n, classes), before = close->count;
    int is_wide = fast % DP2DPI_SIXTEEN == 0 && dp2dpi_has_avx512();
    screen_kernel run = is_wide ? wide_kernels[classes - 2] : screen_kernels[classes - 2];
    if (run(rows, fast, s, groups, first, which, close)) {
        close->count = before;
        return 0;
    }
    return fast;
}

void dp2dpi_group_lookup_shift(const dp2dpi_plain_rows *rows, const int32_t *list, size_t n,
                               size_t classes, const float *tables, const int32_t *groups,
                               size_t apart, float *scores, float *shifts) {
    shift_kernels[classes - 2](rows, list, n, tables, groups, apart, scores, shifts);
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

int dp2dpi_lookup_screen_set(const float *offsets, size_t groups, size_t classes, double width,
                             dp2dpi_lookup_screen *out) {
    (void)offsets;
    (void)groups;
    (void)classes;
    (void)width;
    (void)out;
    return 0;
}

size_t dp2dpi_lookup_screen_run(const dp2dpi_lookup_screen *s, const dp2dpi_plain_rows *rows,
                                size_t n, size_t classes, const int32_t *groups, size_t first,
                                int32_t *which, dp2dpi_close_rows *close) {
    (void)first;
    (void)close;
    return dp2dpi_group_lookup_offset(rows, n, classes, s->tables, groups, which);
}

void dp2dpi_group_lookup_shift(const dp2dpi_plain_rows *rows, const int32_t *list, size_t n,
                               size_t classes, const float *tables, const int32_t *groups,
                               size_t apart, float *scores, float *shifts) {
    (void)rows;
    (void)list;
    (void)n;
    (void)classes;
    (void)tables;
    (void)groups;
    (void)apart;
    (void)scores;
    (void)shifts;
}

#endif
