/* Checks that rows are probabilities. dp2dpi_kernel_check sums each row in float32. It may refuse a
 * row that is barely within the tolerance, but it never accepts a row that is outside the
 * tolerance. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "decide/kernel.h"

/* Checks adjacent rows. A comparison with NaN is false, so `lowest` may miss a NaN. But a NaN also
 * makes the sum NaN, which fails the check of the sum. */
#define DEFINE_CHECK(K)                                                             \
    DP2DPI_CLONED static uint32_t check_##K(const float *restrict rows, size_t n) { \
        uint32_t strange = 0;                                                       \
        for (size_t i = 0; i < n; i++) {                                            \
            float sum = -1.0F, lowest = 0.0F;                                       \
            for (size_t k = 0; k < (K); k++) {                                      \
                float value = rows[i * (K) + k];                                    \
                sum += value;                                                       \
                lowest = value < lowest ? value : lowest;                           \
            }                                                                       \
            strange |= (uint32_t) !(fabsf(sum) <= DP2DPI_KERNEL_TOLERANCE);         \
            strange |= (uint32_t)(lowest < 0.0F);                                   \
        }                                                                           \
        return strange;                                                             \
    }

/* Compilers vectorise the loop over rows if the number of classes is a small constant. */
DEFINE_CHECK(2)
DEFINE_CHECK(3)

static uint32_t check_one_by_one(const float *rows, size_t stride, size_t n, size_t classes) {
    uint32_t strange = 0;
    for (size_t i = 0; i < n; i++) {
        float sum = -1.0F;
        for (size_t k = 0; k < classes; k++) {
            strange |= (uint32_t) !(rows[i * stride + k] >= 0.0F);
            sum += rows[i * stride + k];
        }
        strange |= (uint32_t) !(fabsf(sum) <= DP2DPI_KERNEL_TOLERANCE);
    }
    return strange;
}

#ifdef DP2DPI_HAS_SHUFFLES

/* Adds neighbours: the result is a0+a1, a2+a3, b0+b1, b2+b3, a4+a5, a6+a7, b4+b5, b6+b7. */
#define ADD_NEIGHBOURS(a, b)                                    \
    (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + \
     __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))

/* `sum` is the sum of a row minus 1. Selects the lanes where `sum` is NaN or outside the
 * tolerance. */
#define TOO_FAR(sum) (~(((sum) <= DP2DPI_KERNEL_TOLERANCE) & ((sum) >= -DP2DPI_KERNEL_TOLERANCE)))

/* Checks adjacent rows of four numbers, eight rows at a time; n must be a multiple of eight. Also
 * reports a score of −0 as invalid. */
DP2DPI_CLONED static uint32_t check_fours(const float *rows, size_t n) {
    dp2dpi_vector_bits strange = {0};
    for (size_t i = 0; i < n; i += DP2DPI_VECTOR) {
        dp2dpi_vector pair[DP2DPI_VECTOR / 2];
#pragma GCC unroll 4
        for (size_t j = 0; j < DP2DPI_VECTOR / 2; j++) {
            dp2dpi_vector_bits bits = DP2DPI_VECTOR_BITS_IN(rows + 4 * (i + 2 * j));
            strange |= bits; /* the highest bit is the sign, so a negative number sets it */
            pair[j] = (dp2dpi_vector)bits;
        }
        pair[0] = ADD_NEIGHBOURS(pair[0], pair[1]);
        pair[1] = ADD_NEIGHBOURS(pair[2], pair[3]);
        dp2dpi_vector sum = ADD_NEIGHBOURS(pair[0], pair[1]) - 1.0F;
        strange |= TOO_FAR(sum);
    }
    return (uint32_t)dp2dpi_vector_any_negative(&strange);
}

/* Checks rows of any stride, eight at a time; n must be a multiple of eight. Reads eight numbers of
 * every row and ignores those after the last class. Also reports a score of −0 as invalid. */
DP2DPI_CLONED static uint32_t check_eights(const float *rows, size_t stride, size_t n,
                                           size_t classes) {
    dp2dpi_vector_bits used = {0}, strange = {0};
    for (size_t k = 0; k < classes; k++) {
        used[k] = -1;
    }
    for (size_t i = 0; i < n; i += DP2DPI_VECTOR) {
        dp2dpi_vector row[DP2DPI_VECTOR];
#pragma GCC unroll 8
        for (size_t j = 0; j < DP2DPI_VECTOR; j++) {
            dp2dpi_vector_bits bits = DP2DPI_VECTOR_BITS_IN(rows + (i + j) * stride) & used;
            strange |= bits; /* the highest bit is the sign, so a negative number sets it */
            row[j] = (dp2dpi_vector)bits;
        }
        row[0] = ADD_NEIGHBOURS(row[0], row[1]);
        row[1] = ADD_NEIGHBOURS(row[2], row[3]);
        row[2] = ADD_NEIGHBOURS(row[4], row[5]);
        row[3] = ADD_NEIGHBOURS(row[6], row[7]);
        row[0] = ADD_NEIGHBOURS(row[0], row[1]);
        row[1] = ADD_NEIGHBOURS(row[2], row[3]);
        dp2dpi_vector sum = __builtin_shufflevector(row[0], row[1], 0, 1, 2, 3, 8, 9, 10, 11) +
                            __builtin_shufflevector(row[0], row[1], 4, 5, 6, 7, 12, 13, 14, 15) -
                            1.0F;
        strange |= TOO_FAR(sum);
    }
    return (uint32_t)dp2dpi_vector_any_negative(&strange);
}

/* Returns how many of n rows check_eights can check without reading past the end of the table. */
static size_t eights(size_t stride, size_t n, size_t readable, size_t classes) {
    size_t beyond = DP2DPI_VECTOR - classes, last = readable;
    if (beyond == 0 || stride > 0) {
        last = beyond == 0 ? 0 : (beyond + stride - 1) / stride;
    }
    size_t rows = readable > last ? readable - last : 0;
    return (rows < n ? rows : n) / DP2DPI_VECTOR * DP2DPI_VECTOR;
}

static uint32_t check_lanes(const float *rows, size_t stride, size_t n, size_t readable,
                            size_t classes) {
    int is_four = classes == 4 && stride == 4;
    size_t fast =
        is_four ? n / DP2DPI_VECTOR * DP2DPI_VECTOR : eights(stride, n, readable, classes);
    uint32_t strange =
        is_four ? check_fours(rows, fast) : check_eights(rows, stride, fast, classes);
    fast = strange ? 0 : fast; /* the fast check also rejects −0, which is valid, so check again */
    return check_one_by_one(rows + fast * stride, stride, n - fast, classes);
}

#else

static uint32_t check_lanes(const float *rows, size_t stride, size_t n, size_t readable,
                            size_t classes) {
    (void)readable;
    return check_one_by_one(rows, stride, n, classes);
}

#endif

uint32_t dp2dpi_kernel_check(const float *rows, size_t stride, size_t n, size_t readable,
                             size_t classes) {
    return stride == classes && classes == 2   ? check_2(rows, n)
           : stride == classes && classes == 3 ? check_3(rows, n)
                                               : check_lanes(rows, stride, n, readable, classes);
}

DP2DPI_CLONED static void add(const float *restrict column, size_t n, double *restrict sums) {
    for (size_t i = 0; i < n; i++) {
        sums[i] += (double)column[i];
    }
}

void dp2dpi_kernel_add(const float *column, size_t n, double *sums) {
    add(column, n, sums);
}

DP2DPI_CLONED static uint32_t any_apart(const double *restrict sums, size_t n, double tolerance) {
    uint32_t apart = 0;
    for (size_t i = 0; i < n; i++) {
        apart |= (uint32_t) !(fabs(sums[i] - 1.0) <= tolerance);
    }
    return apart;
}

int dp2dpi_kernel_are_one(const double *sums, size_t n, double tolerance) {
    return any_apart(sums, n, tolerance) == 0;
}

/* Defines a function that returns 1 if a row has a negative number or does not sum to 1. Both
 * comparisons are negated, so that they also find a NaN. */
#define DEFINE_SUMS(NAME, K)                                                                \
    DP2DPI_CLONED static uint32_t NAME(const float *restrict rows, size_t stride, size_t n, \
                                       size_t classes, double tolerance) {                  \
        uint32_t wrong = 0;                                                                 \
        (void)classes;                                                                      \
        for (size_t i = 0; i < n; i++) {                                                    \
            double sum = 0.0;                                                               \
            for (size_t k = 0; k < (K); k++) {                                              \
                float value = rows[i * stride + k];                                         \
                wrong |= (uint32_t) !(value >= 0.0F);                                       \
                sum += (double)value;                                                       \
            }                                                                               \
            wrong |= (uint32_t) !(fabs(sum - 1.0) <= tolerance);                            \
        }                                                                                   \
        return wrong;                                                                       \
    }

DEFINE_SUMS(sums_two, 2)
DEFINE_SUMS(sums_any, classes)

int dp2dpi_kernel_sums(const float *rows, size_t stride, size_t n, size_t classes,
                       double tolerance) {
    return (classes == 2 ? sums_two : sums_any)(rows, stride, n, classes, tolerance) == 0;
}
