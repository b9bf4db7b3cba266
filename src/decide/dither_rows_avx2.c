#include "decide/dither_kernels.h"
#include "decide/eight_rows.h"

#if DP2DPI_HAS_AVX2

/* Returns the lower 64 bits of each product. AVX2 multiplies numbers of 32 bits only. */
DP2DPI_AVX2_INLINE __m256i multiply64(__m256i x, uint64_t y) {
    const __m256i lower = _mm256_set1_epi64x((int64_t)y);
    const __m256i upper = _mm256_set1_epi64x((int64_t)(y >> 32));
    __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), lower),
                                       _mm256_mul_epu32(x, upper));
    return _mm256_add_epi64(_mm256_mul_epu32(x, lower), _mm256_slli_epi64(crossed, 32));
}

#define LANES(operation) _mm256_##operation
#define FLOATS __m256
#define INTS __m256i
#define INLINE DP2DPI_AVX2_INLINE
#define CAST_INTS(x) _mm256_castps_si256(x)
#define CAST_FLOATS(x) _mm256_castsi256_ps(x)
#define ALL64(x) _mm256_set1_epi64x((int64_t)(x))
#define XOR(x, y) _mm256_xor_si256(x, y)
#define MULTIPLY64(x, y) multiply64(x, y)
#define MULTIPLY_ADD(x, y, z) _mm256_add_ps(_mm256_mul_ps(x, y), z)
#define SELECT(mask, x, y) _mm256_or_si256(_mm256_and_si256(mask, x), _mm256_andnot_si256(mask, y))

#include "decide/dither_lanes.h"

/* Returns the keys of eight rows from row i on. */
INLINE wide keys_of(const dp2dpi_dither_rows *d, size_t i, const __m256 *p, size_t K) {
    if (d->key == DP2DP_DITHER_KEY_SCORES) {
        return key_of_scores(p, K);
    }
    if (d->key == DP2DP_DITHER_KEY_ID) {
        const uint64_t *ids = d->ids + i;
        __m256i first = _mm256_loadu_si256((const __m256i *)(const void *)ids);
        __m256i second = _mm256_loadu_si256((const __m256i *)(const void *)(ids + 4));
        return (wide) {_mm256_permute2x128_si256(first, second, 0x20),
                       _mm256_permute2x128_si256(first, second, 0x31)};
    }
    return add((wide) {_mm256_setr_epi64x(0, 1, 4, 5), _mm256_setr_epi64x(2, 3, 6, 7)},
               (wide) {ALL64(d->position + i), ALL64(d->position + i)});
}

INLINE int decide(const dp2dpi_dither_rows *d, size_t n, size_t K, const int32_t *groups,
                  int32_t *which) {
    const __m256 unit = _mm256_set1_ps(dp2dpi_dither_unit(d->dither->width));
    const uint64_t addend = dp2dpi_dither_addend(d->dither->seed, 0);
    dp2dpi_eight_faults f = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    for (size_t i = 0; i < n; i += DP2DPI_LANES) {
        const float *at = d->rows->at + i * d->rows->stride;
        __m256i own = _mm256_loadu_si256((const __m256i *)(const void *)(groups + i));
        __m256 p[DP2DPI_LANES], best, winner = _mm256_setzero_ps();
        dp2dpi_eight_prefetch(at, K);
        dp2dpi_eight_read(at, d->rows->stride, K, p);
        dp2dpi_eight_check(p, K, &f);
        wide keys = keys_of(d, i, p, K), hash = keys;
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            if (k % DP2DPI_DITHER_DRAWS == 0) {
                hash = hash_of(keys, addend + k / DP2DPI_DITHER_DRAWS * DP2DPI_DITHER_STEP);
            }
            __m256 raised = _mm256_add_ps(p[k], draw(hash, k, unit));
            __m256 shift = dp2dpi_eight_shift(p, K, d->tables, own, k);
            dp2dpi_eight_raise(_mm256_sub_ps(raised, shift), k, &best, &winner);
        }
        _mm256_storeu_si256((__m256i *)(void *)(which + i), _mm256_castps_si256(winner));
    }
    return dp2dpi_eight_any(&f);
}

DP2DPI_DITHER_KERNELS(DP2DPI_AVX2, dp2dpi_dither_avx2)

#endif
