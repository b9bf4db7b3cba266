#include "phase2/kernel.h"

enum {
    BLOCK = 1024 /* best and which stay in the first-level cache */
};

/* One compiled copy per instruction set, chosen when the program is loaded. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(DP2DP_NO_CLONES)
#define CLONED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
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
        count_block(columns + i, stride, block, classes, offsets, counts);
    }
}
