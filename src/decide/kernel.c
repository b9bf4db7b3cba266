#include "decide/kernel.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"

enum {
    BLOCK = DP2DPI_KERNEL_BLOCK /* small enough for the first-level cache */
};

DP2DPI_CLONED static size_t count_two(const float *restrict first, const float *restrict second,
                                      size_t n, float offset_first, float offset_second) {
    size_t total = 0;
    while (n > 0) {
        size_t block = n < BLOCK ? n : BLOCK;
        uint32_t sum = 0;
        for (size_t i = 0; i < block; i++) {
            sum += (uint32_t)(second[i] - offset_second > first[i] - offset_first);
        }
        total += sum;
        first += block;
        second += block;
        n -= block;
    }
    return total;
}

/* Counts the records of each class, for a small constant number K of classes. Finds the maximum of
 * each record, and then counts every class that attains the maximum. So a record with a tie is
 * counted more than once, and the counts sum to more than n. */
#define DEFINE_COUNT(K)                                                                         \
    DP2DPI_CLONED static void count_##K(const float *restrict columns, size_t stride, size_t n, \
                                        const float *restrict offsets,                          \
                                        uint32_t *restrict attained) {                          \
        uint32_t sums[K] = {0};                                                                 \
        for (size_t i = 0; i < n; i++) {                                                        \
            float value[K], best = columns[i] - offsets[0];                                     \
            for (size_t k = 0; k < (K); k++) {                                                  \
                value[k] = columns[k * stride + i] - offsets[k];                                \
                best = value[k] > best ? value[k] : best;                                       \
            }                                                                                   \
            for (size_t k = 0; k < (K); k++) {                                                  \
                sums[k] += (uint32_t)(value[k] == best);                                        \
            }                                                                                   \
        }                                                                                       \
        for (size_t k = 0; k < (K); k++) {                                                      \
            attained[k] = sums[k];                                                              \
        }                                                                                       \
    }

DEFINE_COUNT(3)
DEFINE_COUNT(4)
DEFINE_COUNT(5)
DEFINE_COUNT(6)
DEFINE_COUNT(7)
DEFINE_COUNT(8)

enum {
    FIXED_FIRST = 3,
    FIXED_LAST = 8
};
typedef void (*count_fixed)(const float *columns, size_t stride, size_t n, const float *offsets,
                            uint32_t *attained);
static const count_fixed fixed_counts[] = {count_3, count_4, count_5, count_6, count_7, count_8};

/* Adds the counts of a block and returns 1. If a record has a tie, adds nothing and returns 0; the
 * caller must then use count_block. */
static int count_block_fixed(const float *columns, size_t stride, size_t n, size_t classes,
                             const float *offsets, int64_t *counts) {
    uint32_t attained[FIXED_LAST], total = 0;
    fixed_counts[classes - FIXED_FIRST](columns, stride, n, offsets, attained);
    for (size_t k = 0; k < classes; k++) {
        total += attained[k];
    }
    if (total != n) {
        return 0;
    }
    for (size_t k = 0; k < classes; k++) {
        counts[k] += attained[k];
    }
    return 1;
}

/* Where column[i] − offset is above best[i], sets best[i] to this difference and which[i] to the
 * class. */
DP2DPI_CLONED static void fold(const float *restrict column, size_t n, float offset,
                               int32_t class_index, float *restrict best, int32_t *restrict which) {
    for (size_t i = 0; i < n; i++) {
        float value = column[i] - offset;
        which[i] = value > best[i] ? class_index : which[i];
        best[i] = value > best[i] ? value : best[i];
    }
}

DP2DPI_CLONED static uint32_t count_equal(const int32_t *restrict which, size_t n,
                                          int32_t class_index) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)(which[i] == class_index);
    }
    return sum;
}

void dp2dpi_kernel_choose(const float *columns, size_t stride, size_t n, size_t classes,
                          const float *offsets, int32_t *which) {
    float best[BLOCK];
    for (size_t i = 0; i < n; i++) {
        best[i] = columns[i] - offsets[0];
        which[i] = 0;
    }
    for (size_t k = 1; k < classes; k++) {
        fold(columns + k * stride, n, offsets[k], (int32_t)k, best, which);
    }
}

static void count_block(const float *columns, size_t stride, size_t n, size_t classes,
                        const float *offsets, int64_t *counts) {
    int32_t which[BLOCK];
    dp2dpi_kernel_choose(columns, stride, n, classes, offsets, which);
    int64_t others = 0;
    for (size_t k = 1; k < classes; k++) {
        uint32_t sum = count_equal(which, n, (int32_t)k);
        counts[k] += sum;
        others += sum;
    }
    counts[0] += (int64_t)n - others;
}

void dp2dpi_kernel_count(const float *columns, size_t stride, size_t n, size_t classes,
                         const float *offsets, int64_t *counts) {
    if (classes == 2) {
        int64_t second = (int64_t)count_two(columns, columns + stride, n, offsets[0], offsets[1]);
        counts[0] += (int64_t)n - second;
        counts[1] += second;
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t block = n - i < BLOCK ? n - i : BLOCK;
        int fixed = classes >= FIXED_FIRST && classes <= FIXED_LAST;
        if (!fixed || !count_block_fixed(columns + i, stride, block, classes, offsets, counts)) {
            count_block(columns + i, stride, block, classes, offsets, counts);
        }
    }
}

DP2DPI_CLONED static uint32_t round_all(const float *scores, size_t n, double steps, float *out) {
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i++) {
        strange |= (uint32_t) !(scores[i] >= 0.0F);
        out[i] = (float)(floor((double)scores[i] * steps + 0.5) / steps);
    }
    return strange;
}

int dp2dpi_kernel_round(const float *scores, size_t n, unsigned bits, float *out) {
    return round_all(scores, n, (double)(UINT32_C(1) << bits), out) == 0;
}

/* Subtracts the offsets of a row's stratum (group) from the row, for a small constant number K of
 * classes. A row of `out` has `width` numbers. Compilers do not vectorise the look-up by stratum,
 * so this pass does only the look-up and the subtraction, and another pass finds the maximum. */
#define DEFINE_SUBTRACT(K, HOW)                                                                 \
    HOW static void subtract_##K(const float *restrict rows, size_t stride, size_t n,           \
                                 const float *restrict offsets, const int32_t *restrict strata, \
                                 float *restrict out, size_t width) {                           \
        _Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++) {                                \
            const float *row = rows + i * stride, *offset = offsets + (K) * (size_t)strata[i];  \
            for (size_t k = 0; k < (K); k++) {                                                  \
                out[i * width + k] = row[k] - offset[k];                                        \
            }                                                                                   \
        }                                                                                       \
    }

DEFINE_SUBTRACT(2, ) /* two numbers fit the narrowest vector register, so one version is enough */
DEFINE_SUBTRACT(3, DP2DPI_CLONED)
DEFINE_SUBTRACT(4, DP2DPI_CLONED)
DEFINE_SUBTRACT(5, DP2DPI_CLONED)
DEFINE_SUBTRACT(6, DP2DPI_CLONED)
DEFINE_SUBTRACT(7, DP2DPI_CLONED)
DEFINE_SUBTRACT(8, DP2DPI_CLONED)

typedef void (*subtract_fixed)(const float *rows, size_t stride, size_t n, const float *offsets,
                               const int32_t *strata, float *out, size_t width);
static const subtract_fixed fixed_subtractions[] = {subtract_2, subtract_3, subtract_4, subtract_5,
                                                    subtract_6, subtract_7, subtract_8};

/* Writes, for every row, the first class that attains the maximum. A row has K values and starts W
 * floats after the row before. W is a power of two, which lets compilers use vector shuffles.
 * Taking the maximum and then comparing with it needs no branches. */
#define DEFINE_BEST(K, W)                                                      \
    DP2DPI_CLONED static void best_##K(const float *restrict values, size_t n, \
                                       int32_t *restrict which) {              \
        for (size_t i = 0; i < n; i++) {                                       \
            float best = values[i * (W)];                                      \
            int32_t winner = (K)-1;                                            \
            for (size_t k = 1; k < (K); k++) {                                 \
                float value = values[i * (W) + k];                             \
                best = value > best ? value : best;                            \
            }                                                                  \
            for (int32_t k = (K)-2; k >= 0; k--) {                             \
                winner = values[i * (W) + (size_t)k] == best ? k : winner;     \
            }                                                                  \
            which[i] = winner;                                                 \
        }                                                                      \
    }

DEFINE_BEST(2, 2)
DEFINE_BEST(3, 4)
DEFINE_BEST(4, 4)
DEFINE_BEST(5, 8)
DEFINE_BEST(6, 8)
DEFINE_BEST(7, 8)
DEFINE_BEST(8, 8)

typedef void (*best_fixed)(const float *values, size_t n, int32_t *which);
static const best_fixed fixed_bests[] = {best_2, best_3, best_4, best_5, best_6, best_7, best_8};

/* Returns 1 if two scores are not probabilities that sum to 1. `lower` may miss a NaN, but a NaN
 * also makes the sum NaN. */
static inline uint32_t is_strange_pair(float first, float second) {
    float lower = second < first ? second : first;
    return (uint32_t)(lower < 0.0F) |
           (uint32_t) !(fabsf(first + second - 1.0F) <= DP2DPI_KERNEL_TOLERANCE);
}

/* Decides for rows of two adjacent scores. `offsets` has the two offsets of every row, in the order
 * of the rows, so the loop needs no look-up. Returns 1 if a row is invalid. */
DP2DPI_CLONED static uint32_t decide_pairs(const float *restrict rows,
                                           const float *restrict offsets, size_t n,
                                           int32_t *restrict which) {
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i++) {
        float first = rows[2 * i] - offsets[2 * i];
        float second = rows[2 * i + 1] - offsets[2 * i + 1];
        strange |= is_strange_pair(rows[2 * i], rows[2 * i + 1]);
        which[i] = second > first;
    }
    return strange;
}

enum {
    ROWS = 256
};

/* Returns 1 if a stratum is outside 0..known−1. The unsigned comparison also finds negative strata.
 */
DP2DPI_CLONED static uint32_t any_outside(const int32_t *restrict strata, size_t n,
                                          uint32_t known) {
    uint32_t outside = 0;
    for (size_t i = 0; i < n; i++) {
        outside |= (uint32_t)((uint32_t)strata[i] >= known);
    }
    return outside;
}

/* Like decide_pairs, but for strata 0 and 1 only. Choosing between two offsets is faster than a
 * look-up. */
DP2DPI_CLONED static uint32_t decide_pairs_of_two(const float *restrict rows,
                                                  const float *restrict offsets,
                                                  const int32_t *restrict strata, size_t n,
                                                  int32_t *restrict which) {
    const float a = offsets[0], b = offsets[1], c = offsets[2], d = offsets[3];
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i++) {
        float first = rows[2 * i] - (strata[i] ? c : a);
        float second = rows[2 * i + 1] - (strata[i] ? d : b);
        strange |= is_strange_pair(rows[2 * i], rows[2 * i + 1]);
        which[i] = second > first;
    }
    return strange;
}

static uint32_t decide_two(const float *rows, size_t n, const float *offsets, const int32_t *strata,
                           int32_t *which) {
    float laid_out[2 * ROWS];
    if (any_outside(strata, n, 2) == 0) {
        return decide_pairs_of_two(rows, offsets, strata, n, which);
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(laid_out + 2 * i, offsets + 2 * (size_t)strata[i], 2 * sizeof(float));
    }
    return decide_pairs(rows, laid_out, n, which);
}

/* Like decide_pairs, for rows of three adjacent scores, but without a check of the rows. */
DP2DPI_CLONED static void decide_triples(const float *restrict rows, const float *restrict offsets,
                                         size_t n, int32_t *restrict which) {
    for (size_t i = 0; i < n; i++) {
        float first = rows[3 * i] - offsets[3 * i];
        float second = rows[3 * i + 1] - offsets[3 * i + 1];
        float third = rows[3 * i + 2] - offsets[3 * i + 2];
        float best = second > first ? second : first;
        int32_t winner = second > first;
        which[i] = third > best ? 2 : winner;
    }
}

static void decide_three(const float *rows, size_t n, const float *offsets, const int32_t *strata,
                         int32_t *which) {
    float laid_out[3 * ROWS];
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        memcpy(laid_out + 3 * i, offsets + 3 * (size_t)strata[i], 3 * sizeof(float));
    }
    decide_triples(rows, laid_out, n, which);
}

/* Decides for rows of any stride. Each row occupies 2, 4 or 8 floats of the buffer `values`. */
static void decide_few(const float *rows, size_t stride, size_t n, size_t classes,
                       const float *offsets, const int32_t *strata, int32_t *which) {
    float values[ROWS * DP2DPI_KERNEL_CLASSES];
    if (classes == 3 && stride == 3) {
        decide_three(rows, n, offsets, strata, which);
        return;
    }
    size_t width = classes <= 2 ? 2 : classes <= 4 ? 4 : DP2DPI_KERNEL_CLASSES;
    fixed_subtractions[classes - 2](rows, stride, n, offsets, strata, values, width);
    fixed_bests[classes - 2](values, n, which);
}

int dp2dpi_kernel_decide(const float *rows, size_t stride, size_t n, size_t classes,
                         const float *offsets, const int32_t *strata, int32_t *which) {
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i += ROWS) {
        size_t block = n - i < ROWS ? n - i : ROWS;
        const float *first = rows + i * stride;
        if (classes == 2 && stride == 2) {
            strange |= decide_two(first, block, offsets, strata + i, which + i);
        } else {
            strange |= dp2dpi_kernel_check(first, stride, block, n - i, classes);
            decide_few(first, stride, block, classes, offsets, strata + i, which + i);
        }
    }
    return strange == 0;
}

int dp2dpi_kernel_known(const int32_t *strata, size_t n, uint32_t known) {
    return any_outside(strata, n, known) == 0;
}

DP2DPI_CLONED static uint32_t widen(const int8_t *restrict codes, size_t n, uint32_t known,
                                    int32_t *restrict strata) {
    uint32_t outside = 0;
    for (size_t i = 0; i < n; i++) {
        strata[i] = (int)codes[i]; /* NOLINT(bugprone-signed-char-misuse,cert-str34-c): a number */
        outside |= (uint32_t)((uint32_t)strata[i] >= known);
    }
    return outside;
}

int dp2dpi_kernel_widen(const int8_t *codes, size_t n, uint32_t known, int32_t *strata) {
    return widen(codes, n, known, strata) == 0;
}

int dp2dpi_kernel_adjust(const float *rows, size_t stride, size_t n, size_t classes,
                         const float *offsets, const int32_t *strata, float *out) {
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i += ROWS) {
        size_t block = n - i < ROWS ? n - i : ROWS;
        strange |= dp2dpi_kernel_check(rows + i * stride, stride, block, n - i, classes);
        fixed_subtractions[classes - 2](rows + i * stride, stride, block, offsets, strata + i,
                                        out + i * classes, classes);
    }
    return strange == 0;
}

DP2DPI_CLONED static uint32_t fold_rows(const float *restrict column, const float *restrict offset,
                                        size_t n, int32_t class_index, float *restrict best,
                                        int32_t *restrict which) {
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i++) {
        float value = column[i] - offset[i];
        strange |= (uint32_t) !(column[i] >= 0.0F);
        which[i] = value > best[i] ? class_index : which[i];
        best[i] = value > best[i] ? value : best[i];
    }
    return strange;
}

int dp2dpi_kernel_fold(const float *column, const float *offset, size_t n, int32_t class_index,
                       float *best, int32_t *which) {
    return fold_rows(column, offset, n, class_index, best, which) == 0;
}

DP2DPI_CLONED static void spread(const double *restrict x, size_t n, double beta,
                                 double *restrict h) {
    for (size_t k = 0; k < n; k++) {
        double weight = x[k] / beta;
        if (weight > 0.0) {
            for (size_t l = 0; l <= k; l++) {
                h[k * n + l] -= weight * x[l];
            }
            h[k * n + k] += weight;
        }
    }
}

void dp2dpi_kernel_spread(const double *x, size_t n, double beta, double *h) {
    spread(x, n, beta, h);
}
