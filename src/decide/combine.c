#include "decide/combine.h"

#include <math.h>

#include "base/vector.h"

enum {
    FEW_CLASSES = 16 /* up to this many classes, a separate pass over the records for each class is
                        faster than a single pass for all classes */
};

enum {
    PAIR = 2 * DP2DPI_VECTOR /* number of records that fit into two registers */
};

enum {
    TILE_MAX = 6,
    TILE = 4 /* number of classes that are processed together if more than TILE_MAX are left */
};

/* Computes score − Σ weights × offsets for T classes, from class k on. Where a value is above
 * `best`, writes the value to `best` and its class to `which`. Processes sixteen records at a time,
 * so that all sums stay in registers. n must be a multiple of sixteen. The function is inlined with
 * constants for T and has_factors. */
DP2DPI_INLINE void tile(const dp2dpi_combination *c, size_t k, size_t n, size_t T, int has_factors,
                        float *best, int32_t *which) {
    const size_t labels = has_factors ? c->labels : 1, columns = c->parts / labels;
    for (size_t i = 0; i < n; i += PAIR) {
        dp2dpi_vector low[TILE_MAX] = {0}, high[TILE_MAX] = {0};
        const float *offsets = c->offsets + k;
        for (size_t j = 0; j < columns; j++) {
            const float *at = c->weights + j * c->stride + i;
            const dp2dpi_vector own_low = DP2DPI_VECTOR_IN(at);
            const dp2dpi_vector own_high = DP2DPI_VECTOR_IN(at + DP2DPI_VECTOR);
            for (size_t y = 0; y < labels; y++, offsets += c->classes) {
                dp2dpi_vector first = own_low, second = own_high;
                if (has_factors) {
                    const float *factors = c->factors + y * c->stride + i;
                    first *= DP2DPI_VECTOR_IN(factors);
                    second *= DP2DPI_VECTOR_IN(factors + DP2DPI_VECTOR);
                }
#pragma GCC unroll 6
                for (size_t t = 0; t < T; t++) {
                    low[t] += first * offsets[t];
                    high[t] += second * offsets[t];
                }
            }
        }
        dp2dpi_vector best_low = DP2DPI_VECTOR_IN(best + i);
        dp2dpi_vector best_high = DP2DPI_VECTOR_IN(best + i + DP2DPI_VECTOR);
        dp2dpi_vector_bits which_low = DP2DPI_VECTOR_BITS_AT(which + i);
        dp2dpi_vector_bits which_high = DP2DPI_VECTOR_BITS_AT(which + i + DP2DPI_VECTOR);
#pragma GCC unroll 6
        for (size_t t = 0; t < T; t++) {
            const float *scores = c->scores + (k + t) * c->stride + i;
            low[t] = DP2DPI_VECTOR_IN(scores) - low[t];
            high[t] = DP2DPI_VECTOR_IN(scores + DP2DPI_VECTOR) - high[t];
            dp2dpi_vector_keep_larger(&low[t], (int32_t)(k + t), &best_low, &which_low);
            dp2dpi_vector_keep_larger(&high[t], (int32_t)(k + t), &best_high, &which_high);
        }
        DP2DPI_VECTOR_AT(best + i) = best_low;
        DP2DPI_VECTOR_AT(best + i + DP2DPI_VECTOR) = best_high;
        DP2DPI_VECTOR_BITS_AT(which + i) = which_low;
        DP2DPI_VECTOR_BITS_AT(which + i + DP2DPI_VECTOR) = which_high;
    }
}

#define DEFINE_TILE(T)                                                                   \
    DP2DPI_CLONED static void tile_##T(const dp2dpi_combination *c, size_t k, size_t n,  \
                                       float *best, int32_t *which) {                    \
        tile(c, k, n, T, 0, best, which);                                                \
    }                                                                                    \
    DP2DPI_CLONED static void times_##T(const dp2dpi_combination *c, size_t k, size_t n, \
                                        float *best, int32_t *which) {                   \
        tile(c, k, n, T, 1, best, which);                                                \
    }

DEFINE_TILE(1)
DEFINE_TILE(2)
DEFINE_TILE(3)
DEFINE_TILE(4)
DEFINE_TILE(5)
DEFINE_TILE(6)

typedef void (*tile_fixed)(const dp2dpi_combination *c, size_t k, size_t n, float *best,
                           int32_t *which);
static const tile_fixed tiles[][TILE_MAX] = {
    {tile_1, tile_2, tile_3, tile_4, tile_5, tile_6},
    {times_1, times_2, times_3, times_4, times_5, times_6},
};

/* Returns weight j of record i. */
static float weight_of(const dp2dpi_combination *c, size_t j, size_t i) {
    return c->factors ? c->weights[j / c->labels * c->stride + i] *
                            c->factors[j % c->labels * c->stride + i]
                      : c->weights[j * c->stride + i];
}

static int32_t combine_in_column(const dp2dpi_combination *c, size_t i) {
    float best = -INFINITY;
    int32_t which = 0;
    for (size_t k = 0; k < c->classes; k++) {
        float shift = 0.0F;
        for (size_t j = 0; j < c->parts; j++) {
            shift += weight_of(c, j, i) * c->offsets[j * c->classes + k];
        }
        float value = c->scores[k * c->stride + i] - shift;
        which = value > best ? (int32_t)k : which;
        best = value > best ? value : best;
    }
    return which;
}

void dp2dpi_combine(const dp2dpi_combination *c, size_t n, int32_t *which) {
    float best[DP2DPI_COMBINE_BLOCK];
    size_t fast = n / PAIR * PAIR;
    for (size_t i = 0; i < fast; i++) {
        best[i] = -INFINITY;
        which[i] = 0;
    }
    for (size_t k = 0, taken; k < c->classes; k += taken) {
        taken = c->classes - k <= TILE_MAX ? c->classes - k : TILE;
        tiles[c->factors != NULL][taken - 1](c, k, fast, best, which);
    }
    for (size_t i = fast; i < n; i++) {
        which[i] = combine_in_column(c, i);
    }
}

DP2DPI_CLONED static void fold(const float *restrict scores, const float *restrict shifts, size_t n,
                               int32_t k, float *restrict best, int32_t *restrict which) {
    for (size_t i = 0; i < n; i++) {
        float value = scores[i] - shifts[i];
        which[i] = value > best[i] ? k : which[i];
        best[i] = value > best[i] ? value : best[i];
    }
}

void dp2dpi_combine_shifted(const float *scores, const float *shifts, size_t stride, size_t n,
                            size_t classes, int32_t *which) {
    float best[DP2DPI_COMBINE_BLOCK];
    for (size_t i = 0; i < n; i++) {
        best[i] = -INFINITY;
        which[i] = 0;
    }
    for (size_t k = 0; k < classes; k++) {
        fold(scores + k * stride, shifts + k * stride, n, (int32_t)k, best, which);
    }
}

void dp2dpi_combine_one(const dp2dpi_combination *c, float *values) {
    for (size_t k = 0; k < c->classes; k++) {
        float shift = 0.0F;
        for (size_t j = 0; j < c->parts; j++) {
            shift += c->weights[j] * c->offsets[j * c->classes + k];
        }
        values[k] = c->scores[k] - shift;
    }
}

DP2DPI_CLONED static int64_t count_equal(const int32_t *restrict which, size_t n, int32_t k) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)(which[i] == k);
    }
    return (int64_t)sum;
}

void dp2dpi_combine_count(const int32_t *which, size_t n, size_t classes, int64_t *counts) {
    if (classes > FEW_CLASSES) {
        for (size_t i = 0; i < n; i++) {
            counts[which[i]]++;
        }
        return;
    }
    int64_t others = 0;
    for (size_t k = 1; k < classes; k++) {
        int64_t count = count_equal(which, n, (int32_t)k);
        counts[k] += count;
        others += count;
    }
    counts[0] += (int64_t)n - others;
}

/* 32 bits hold the sum, because a block has at most 256 shares of at most 2^20 units. */
DP2DPI_CLONED static int64_t sum_equal(const int32_t *restrict which,
                                       const int32_t *restrict shares, size_t n, int32_t k) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += which[i] == k ? (uint32_t)shares[i] : 0;
    }
    return (int64_t)sum;
}

void dp2dpi_combine_sum(const int32_t *which, const int32_t *shares, size_t n, size_t classes,
                        int64_t *sums) {
    if (classes > FEW_CLASSES) {
        for (size_t i = 0; i < n; i++) {
            sums[which[i]] += shares[i];
        }
        return;
    }
    for (size_t k = 0; k < classes; k++) {
        sums[k] += sum_equal(which, shares, n, (int32_t)k);
    }
}
