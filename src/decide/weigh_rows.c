#include "decide/weigh_rows.h"

#include "decide/sixteen_rows.h"

enum {
    PARTS = 4, /* number of weights of each row that are read at a time */
    CLASSES_MIN = 2,
    CLASSES_MAX = 7
};

#if DP2DPI_HAS_AVX2

/* Turns four floats of each of sixteen rows into columns. */
DP2DPI_AVX512_INLINE void read_four(const float *at, size_t stride, __m512 *columns) {
    __m512 rows[PARTS]; /* rows[r] has the rows r, r + 4, r + 8 and r + 12 */
#pragma GCC unroll 4
    for (size_t r = 0; r < PARTS; r++) {
        __m512 four = _mm512_castps128_ps512(_mm_loadu_ps(at + r * stride));
        four = _mm512_insertf32x4(four, _mm_loadu_ps(at + (r + 4) * stride), 1);
        four = _mm512_insertf32x4(four, _mm_loadu_ps(at + (r + 8) * stride), 2);
        rows[r] = _mm512_insertf32x4(four, _mm_loadu_ps(at + (r + 12) * stride), 3);
    }
    __m512 ab = _mm512_unpacklo_ps(rows[0], rows[1]), cd = _mm512_unpacklo_ps(rows[2], rows[3]);
    columns[0] = _mm512_shuffle_ps(ab, cd, 0x44);
    columns[1] = _mm512_shuffle_ps(ab, cd, 0xEE);
    ab = _mm512_unpackhi_ps(rows[0], rows[1]);
    cd = _mm512_unpackhi_ps(rows[2], rows[3]);
    columns[2] = _mm512_shuffle_ps(ab, cd, 0x44);
    columns[3] = _mm512_shuffle_ps(ab, cd, 0xEE);
}

/* Adds one weight of each row, multiplied by the offsets for this weight, to the sums. */
DP2DPI_AVX512_INLINE void add_part(__m512 weight, const float *offsets, size_t K, __m512 *sums) {
#pragma GCC unroll 7
    for (size_t k = 0; k < K; k++) {
        sums[k] = _mm512_add_ps(sums[k], _mm512_mul_ps(weight, _mm512_set1_ps(offsets[k])));
    }
}

DP2DPI_AVX512_INLINE int add(const dp2dpi_plain_rows *rows, size_t n, size_t parts, size_t K,
                             const float *table, size_t apart, float *out) {
    dp2dpi_sixteen_faults f = {_mm512_setzero_ps(), 0};
    for (size_t i = 0; i < n; i += DP2DPI_SIXTEEN) {
        const float *at = rows->at + i * rows->stride;
        __m512 sums[CLASSES_MAX], total = _mm512_setzero_ps(), four[PARTS];
#pragma GCC unroll 7
        for (size_t k = 0; k < K; k++) {
            sums[k] = _mm512_setzero_ps();
        }
        for (size_t j = 0; j < parts; j += PARTS) {
            /* The last four weights of a row may overlap the previous four, so that nothing past
             * the row is read. */
            size_t first = j + PARTS <= parts ? j : parts - PARTS;
            read_four(at + first, rows->stride, four);
#pragma GCC unroll 4
            for (size_t c = 0; c < PARTS; c++) {
                dp2dpi_sixteen_prefetch(at, first + c);
                if (first + c >= j) {
                    f.lowest = _mm512_min_ps(four[c], f.lowest);
                    total = _mm512_add_ps(total, four[c]);
                    add_part(four[c], table + (first + c) * DP2DPI_LANES, K, sums);
                }
            }
        }
        dp2dpi_sixteen_check_sum(total, parts, &f);
#pragma GCC unroll 7
        for (size_t k = 0; k < K; k++) {
            _mm512_storeu_ps(out + k * apart + i, sums[k]);
        }
    }
    return dp2dpi_sixteen_any(&f);
}

#define DEFINE_ADD(K)                                                                       \
    DP2DPI_AVX512 static int add_##K(const dp2dpi_plain_rows *rows, size_t n, size_t parts, \
                                     const float *table, size_t apart, float *out) {        \
        return add(rows, n, parts, K, table, apart, out);                                   \
    }

DEFINE_ADD(2)
DEFINE_ADD(3)
DEFINE_ADD(4)
DEFINE_ADD(5)
DEFINE_ADD(6)
DEFINE_ADD(7)

typedef int (*kernel)(const dp2dpi_plain_rows *rows, size_t n, size_t parts, const float *table,
                      size_t apart, float *out);
static const kernel kernels[] = {add_2, add_3, add_4, add_5, add_6, add_7};

int dp2dpi_weigh_rows_can(size_t parts, size_t classes) {
    return parts >= PARTS && classes >= CLASSES_MIN && classes <= CLASSES_MAX &&
           dp2dpi_has_avx512();
}

int dp2dpi_weigh_rows_add(const dp2dpi_plain_rows *rows, size_t n, size_t parts, size_t classes,
                          const float *table, size_t apart, float *out) {
    return kernels[classes - CLASSES_MIN](rows, n, parts, table, apart, out);
}

#else

int dp2dpi_weigh_rows_can(size_t parts, size_t classes) {
    (void)parts;
    (void)classes;
    return 0;
}

int dp2dpi_weigh_rows_add(const dp2dpi_plain_rows *rows, size_t n, size_t parts, size_t classes,
                          const float *table, size_t apart, float *out) {
    (void)rows;
    (void)n;
    (void)parts;
    (void)classes;
    (void)table;
    (void)apart;
    (void)out;
    return 1;
}

#endif
