#include "decide/dither_kernels.h"
#include "decide/sixteen_rows.h"

#if DP2DPI_HAS_AVX2

#define LANES(operation) _mm512_##operation
#define FLOATS __m512
#define INTS __m512i
#define INLINE DP2DPI_AVX512_INLINE
#define CAST_INTS(x) _mm512_castps_si512(x)
#define CAST_FLOATS(x) _mm512_castsi512_ps(x)
#define ALL64(x) _mm512_set1_epi64((int64_t)(x))
#define XOR(x, y) _mm512_xor_si512(x, y)
#define MULTIPLY64(x, y) _mm512_mullo_epi64(x, ALL64(y))
#define MULTIPLY_ADD(x, y, z) _mm512_fmadd_ps(x, y, z)
#define SELECT(mask, x, y) _mm512_ternarylogic_epi32(mask, x, y, 0xCA)

#include "decide/dither_lanes.h"

/* Returns the keys of sixteen rows from row i on. */
INLINE wide keys_of(const dp2dpi_dither_rows *d, size_t i, const __m512 *p, size_t K) {
    const __m512i low = _mm512_setr_epi64(0, 1, 4, 5, 8, 9, 12, 13);
    const __m512i high = _mm512_setr_epi64(2, 3, 6, 7, 10, 11, 14, 15);
    if (d->key == DP2DP_DITHER_KEY_SCORES) {
        return key_of_scores(p, K);
    }
    if (d->key == DP2DP_DITHER_KEY_ID) {
        __m512i first = _mm512_loadu_si512(d->ids + i);
        __m512i second = _mm512_loadu_si512(d->ids + i + DP2DPI_LANES);
        return (wide) {_mm512_permutex2var_epi64(first, low, second),
                       _mm512_permutex2var_epi64(first, high, second)};
    }
    return add((wide) {low, high}, (wide) {ALL64(d->position + i), ALL64(d->position + i)});
}

INLINE int decide(const dp2dpi_dither_rows *d, size_t n, size_t K, const int32_t *groups,
                  int32_t *which) {
    const __m512 unit = _mm512_set1_ps(dp2dpi_dither_unit(d->dither->width));
    const uint64_t addend = dp2dpi_dither_addend(d->dither->seed, 0);
    dp2dpi_sixteen_faults f = {_mm512_setzero_ps(), 0};
    for (size_t i = 0; i < n; i += DP2DPI_SIXTEEN) {
        const float *at = d->rows->at + i * d->rows->stride;
        __m512 p[DP2DPI_LANES], shifts[DP2DPI_LANES], best;
        __m512i winner = _mm512_setzero_si512();
        dp2dpi_eight_prefetch_out(which + i);
        dp2dpi_sixteen_read(at, d->rows->stride, K, p);
        dp2dpi_sixteen_check(p, K, &f);
        wide keys = keys_of(d, i, p, K), hash = keys;
        dp2dpi_sixteen_shift(p, K, d->tables, _mm512_loadu_si512(groups + i), shifts);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            dp2dpi_sixteen_prefetch(at, k);
            if (k % DP2DPI_DITHER_DRAWS == 0) {
                hash = hash_of(keys, addend + k / DP2DPI_DITHER_DRAWS * DP2DPI_DITHER_STEP);
            }
            __m512 raised = _mm512_add_ps(p[k], draw(hash, k, unit));
            dp2dpi_sixteen_raise(_mm512_sub_ps(raised, shifts[k]), k, &best, &winner);
        }
        _mm512_storeu_si512(which + i, winner);
    }
    return dp2dpi_sixteen_any(&f);
}

DP2DPI_DITHER_KERNELS(DP2DPI_AVX512, dp2dpi_dither_avx512)

#endif
