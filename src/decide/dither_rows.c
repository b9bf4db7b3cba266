#include "decide/dither_rows.h"

#include "decide/combine.h"
#include "decide/dither_hash.h"
#include "decide/group_lookup.h"
#include "decide/model.h"
#include "decide/sixteen_rows.h"

enum {
    PIECE = 128, /* rows whose columns fit into the first-level cache */
    APART = PIECE + 16,
    CLASSES = DP2DPI_LANES,
    STEP = DP2DPI_DITHER_STEP_ROWS
};

void dp2dpi_dither_rows_decide_in_columns(const dp2dpi_dither_rows *d, size_t n, int32_t *which) {
    float scores[CLASSES * APART], shifts[CLASSES * APART], dithered[CLASSES * APART];
    uint64_t keys[PIECE];
    for (size_t i = 0; i < n; i += PIECE) {
        size_t piece = n - i < PIECE ? n - i : PIECE;
        dp2dpi_group_lookup_shift(d->rows, d->list + i, piece, d->classes, d->tables, d->groups + i,
                                  APART, scores, shifts);
        if (d->keys) {
            memcpy(keys, d->keys + i, piece * sizeof *keys);
        } else {
            dp2dpi_dither_keys_of_scores(scores, APART, d->classes, piece, keys);
        }
        dp2dpi_dither_add(d->dither, keys, piece, APART, d->classes, scores, dithered);
        dp2dpi_combine_shifted(dithered, shifts, APART, piece, d->classes, which + i);
    }
}

#if DP2DPI_HAS_AVX2

/* Like dp2dpi_dither_mix, for sixteen rows in two registers. */
DP2DPI_AVX512_INLINE void mix(__m512i *z) {
    const __m512i first = _mm512_set1_epi64((int64_t)DP2DPI_DITHER_FIRST);
    const __m512i second = _mm512_set1_epi64((int64_t)DP2DPI_DITHER_SECOND);
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; h++) {
        z[h] = _mm512_mullo_epi64(_mm512_xor_si512(z[h], _mm512_srli_epi64(z[h], 30)), first);
    }
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; h++) {
        z[h] = _mm512_mullo_epi64(_mm512_xor_si512(z[h], _mm512_srli_epi64(z[h], 27)), second);
        z[h] = _mm512_xor_si512(z[h], _mm512_srli_epi64(z[h], 31));
    }
}

/* Mixes one score of each row into the states of their keys, as dp2dpi_dither_keys_of_scores
 * does. */
DP2DPI_AVX512_INLINE void mix_score(__m512 score, __m512i *states) {
    const __m512i step = _mm512_set1_epi64((int64_t)DP2DPI_DITHER_STEP);
    __m512 scaled = _mm512_mul_ps(score, _mm512_set1_ps(0x1p14F));
    __m512i units = _mm512_cvttps_epi32(scaled);
    __m512 rest = _mm512_sub_ps(scaled, _mm512_cvtepi32_ps(units));
    __mmask16 up = _mm512_cmp_ps_mask(rest, _mm512_set1_ps(0.5F), _CMP_GE_OQ);
    units = _mm512_mask_add_epi32(units, up, units, _mm512_set1_epi32(1));
    __m512i low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(units));
    __m512i high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(units, 1));
    states[0] = _mm512_add_epi64(_mm512_add_epi64(states[0], step), low);
    states[1] = _mm512_add_epi64(_mm512_add_epi64(states[1], step), high);
    mix(states);
}

/* Sets `keys` to the hashes of the seed and of the keys of sixteen rows. */
DP2DPI_AVX512_INLINE void hash_keys(const dp2dpi_dither_rows *d, size_t i, uint64_t seed,
                                    const __m512 *p, size_t K, __m512i *keys) {
    const __m512i factor = _mm512_set1_epi64((int64_t)DP2DPI_DITHER_KEY);
    const __m512i addend = _mm512_set1_epi64((int64_t)(seed + 1));
    if (d->keys) {
        keys[0] = _mm512_loadu_si512(d->keys + i);
        keys[1] = _mm512_loadu_si512(d->keys + i + DP2DPI_LANES);
    } else {
        keys[0] = keys[1] = _mm512_set1_epi64((int64_t)K);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            mix_score(p[k], keys);
        }
    }
    keys[0] = _mm512_add_epi64(_mm512_mullo_epi64(keys[0], factor), addend);
    keys[1] = _mm512_add_epi64(_mm512_mullo_epi64(keys[1], factor), addend);
    mix(keys);
}

/* Returns the draws of class k; unit is the width of the dither times 2^-53. */
DP2DPI_AVX512_INLINE __m512 draw(const __m512i *keys, size_t k, __m512d unit) {
    const __m512i addend = _mm512_set1_epi64((int64_t)((uint64_t)k * DP2DPI_DITHER_STEP + 1));
    __m512i hash[2] = {_mm512_add_epi64(keys[0], addend), _mm512_add_epi64(keys[1], addend)};
    __m256 half[2];
    mix(hash);
#pragma GCC unroll 2
    for (size_t h = 0; h < 2; h++) {
        __m512d number = _mm512_cvtepu64_pd(_mm512_srli_epi64(hash[h], 11));
        half[h] = _mm512_cvtpd_ps(_mm512_mul_pd(unit, number));
    }
    return _mm512_insertf32x8(_mm512_castps256_ps512(half[0]), half[1], 1);
}

/* Decides for n rows, with everything between rows and decisions in registers. */
DP2DPI_AVX512_INLINE void decide(const dp2dpi_dither_rows *d, size_t n, size_t K, int32_t *which) {
    const uint64_t seed = dp2dpi_dither_mix(d->dither->seed + DP2DPI_DITHER_STEP);
    const __m512d unit = _mm512_set1_pd(d->dither->width * 0x1p-53);
    uintptr_t ahead = (uintptr_t)d->ahead;
    for (size_t i = 0; i < n; i += STEP) {
        __m512 p[CLASSES], shifts[CLASSES], best;
        __m512i keys[2], winner = _mm512_setzero_si512();
        for (size_t line = 0; line < d->lines; line++, ahead += DP2DPI_LINE) {
            __builtin_prefetch((const char *)ahead, 0, 3); /* NOLINT(performance-no-int-to-ptr) */
        }
        dp2dpi_sixteen_read_list(d->rows->at, d->rows->stride, d->list + i, K, p);
        hash_keys(d, i, seed, p, K, keys);
        dp2dpi_sixteen_shift(p, K, d->tables, _mm512_loadu_si512(d->groups + i), shifts);
#pragma GCC unroll 8
        for (size_t k = 0; k < K; k++) {
            __m512 raised = _mm512_add_ps(p[k], draw(keys, k, unit));
            dp2dpi_sixteen_raise(_mm512_sub_ps(raised, shifts[k]), k, &best, &winner);
        }
        _mm512_storeu_si512(which + i, winner);
    }
}

#define DEFINE_DECIDE(K)                                                                          \
    DP2DPI_AVX512 static void decide_##K(const dp2dpi_dither_rows *d, size_t n, int32_t *which) { \
        decide(d, n, K, which);                                                                   \
    }

DEFINE_DECIDE(2)
DEFINE_DECIDE(3)
DEFINE_DECIDE(4)
DEFINE_DECIDE(5)
DEFINE_DECIDE(6)
DEFINE_DECIDE(7)
DEFINE_DECIDE(8)

typedef void (*kernel)(const dp2dpi_dither_rows *d, size_t n, int32_t *which);
static const kernel kernels[] = {decide_2, decide_3, decide_4, decide_5,
                                 decide_6, decide_7, decide_8};

void dp2dpi_dither_rows_decide(const dp2dpi_dither_rows *d, size_t n, int32_t *which) {
    (dp2dpi_has_avx512() ? kernels[d->classes - 2] : dp2dpi_dither_rows_decide_in_columns)(d, n,
                                                                                           which);
}

#else

void dp2dpi_dither_rows_decide(const dp2dpi_dither_rows *d, size_t n, int32_t *which) {
    dp2dpi_dither_rows_decide_in_columns(d, n, which);
}

#endif
