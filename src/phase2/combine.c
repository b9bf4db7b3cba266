#include "phase2/combine.h"

#include "base/clones.h"

enum {
    FEW_CLASSES = 16 /* up to this many classes, one pass over the records per class is faster */
};

DP2DPI_CLONED static void subtract(const dp2dpi_combination *c, size_t k, size_t n,
                                   float *restrict value) {
    const float *restrict scores = c->scores + k * c->stride;
    float shift[DP2DPI_COMBINE_BLOCK];
    for (size_t i = 0; i < n; i++) {
        shift[i] = 0.0F;
    }
    for (size_t j = 0; j < c->parts; j++) {
        const float *restrict weights = c->weights + j * c->stride;
        float offset = c->offsets[j * c->classes + k];
        for (size_t i = 0; i < n; i++) {
            shift[i] += weights[i] * offset;
        }
    }
    for (size_t i = 0; i < n; i++) {
        value[i] = scores[i] - shift[i];
    }
}

DP2DPI_CLONED static void fold(const float *restrict value, size_t n, int32_t k,
                               float *restrict best, int32_t *restrict which) {
    for (size_t i = 0; i < n; i++) {
        which[i] = value[i] > best[i] ? k : which[i];
        best[i] = value[i] > best[i] ? value[i] : best[i];
    }
}

void dp2dpi_combine(const dp2dpi_combination *c, size_t n, int32_t *which) {
    float best[DP2DPI_COMBINE_BLOCK], value[DP2DPI_COMBINE_BLOCK];
    subtract(c, 0, n, best);
    for (size_t i = 0; i < n; i++) {
        which[i] = 0;
    }
    for (size_t k = 1; k < c->classes; k++) {
        subtract(c, k, n, value);
        fold(value, n, (int32_t)k, best, which);
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
