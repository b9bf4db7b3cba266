#include "phase2/kernel.h"

enum {
    BLOCK = 1024 /* best and which stay in the first-level cache */
};

/* One compiled copy per instruction set, chosen when the program is loaded: before the thread
 * sanitizer has started, which cannot bear it. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#if __GNUC__ >= 12
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CLONED __attribute__((target_clones("avx2", "default")))
#endif
#else
#define CLONED
#endif

CLONED static size_t count_two(const float *restrict first, const float *restrict second, size_t n,
                               float offset_first, float offset_second) {
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

/* The same for a fixed small number of classes: the maximum first, then who attains it. A record
 * whose classes tie is counted more than once, which the caller sees in the sum. */
#define DEFINE_COUNT(K)                                                                        \
    CLONED static void count_##K(const float *restrict columns, size_t stride, size_t n,       \
                                 const float *restrict offsets, uint32_t *restrict attained) { \
        uint32_t sums[K] = {0};                                                                \
        for (size_t i = 0; i < n; i++) {                                                       \
            float value[K], best = columns[i] - offsets[0];                                    \
            for (size_t k = 0; k < (K); k++) {                                                 \
                value[k] = columns[k * stride + i] - offsets[k];                               \
                best = value[k] > best ? value[k] : best;                                      \
            }                                                                                  \
            for (size_t k = 0; k < (K); k++) {                                                 \
                sums[k] += (uint32_t)(value[k] == best);                                       \
            }                                                                                  \
        }                                                                                      \
        for (size_t k = 0; k < (K); k++) {                                                     \
            attained[k] = sums[k];                                                             \
        }                                                                                      \
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

/* Adds a block if no record ties; otherwise leaves it to the plain way. */
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

/* best[i] becomes the larger of itself and column[i] − offset, and which[i] says whose it is. */
CLONED static void fold(const float *restrict column, size_t n, float offset, int32_t class_index,
                        float *restrict best, int32_t *restrict which) {
    for (size_t i = 0; i < n; i++) {
        float value = column[i] - offset;
        which[i] = value > best[i] ? class_index : which[i];
        best[i] = value > best[i] ? value : best[i];
    }
}

CLONED static uint32_t count_equal(const int32_t *restrict which, size_t n, int32_t class_index) {
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (uint32_t)(which[i] == class_index);
    }
    return sum;
}

static void count_block(const float *columns, size_t stride, size_t n, size_t classes,
                        const float *offsets, int64_t *counts) {
    float best[BLOCK];
    int32_t which[BLOCK];
    for (size_t i = 0; i < n; i++) {
        best[i] = columns[i] - offsets[0];
        which[i] = 0;
    }
    for (size_t k = 1; k < classes; k++) {
        fold(columns + k * stride, n, offsets[k], (int32_t)k, best, which);
    }
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
