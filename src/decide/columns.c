#include "decide/columns.h"

#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "decide/view.h"
#include "decide/weigh_rows.h"

DP2DPI_CLONED static void fill_pairs(const float *restrict rows, size_t n, float *restrict first,
                                     float *restrict second) {
    for (size_t i = 0; i < n; i++) {
        first[i] = rows[2 * i];
        second[i] = rows[2 * i + 1];
    }
}

static void fill_one(const float *rows, size_t stride, size_t n, float *out) {
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        out[i] = rows[i * stride];
    }
}

/* Reads eight floats of each of eight rows and transposes them. */
DP2DPI_INLINE void read_eight(const float *rows, size_t stride, dp2dpi_vector *columns) {
#pragma GCC unroll 8
    for (size_t j = 0; j < DP2DPI_VECTOR; j++) {
        columns[j] = DP2DPI_VECTOR_IN(rows + j * stride);
    }
    dp2dpi_vector_transpose(columns);
}

/* Copies n rows to at most eight columns. n must be a multiple of eight, and eight floats of every
 * row must be readable. */
DP2DPI_CLONED static void fill_eights(const float *rows, size_t stride, size_t n, size_t columns,
                                      size_t apart, float *out) {
    for (size_t i = 0; i < n; i += DP2DPI_VECTOR) {
        dp2dpi_vector row[DP2DPI_VECTOR];
        read_eight(rows + i * stride, stride, row);
#pragma GCC unroll 8
        for (size_t k = 0; k < DP2DPI_VECTOR; k++) {
            if (k < columns) {
                DP2DPI_VECTOR_AT(out + k * apart + i) = row[k];
            }
        }
    }
}

enum {
    FEW_COLUMNS = 2 /* up to this many columns, copying one column at a time is faster than
                       transposing blocks of eight rows */
};

/* Returns how many of the first n rows can be read as eight floats each, from column `first` on,
 * without reading past the end of the table. The result is rounded down to a multiple of eight. */
static size_t eights(const dp2dpi_plain_rows *rows, size_t n, size_t columns, size_t first) {
    size_t needed = first + DP2DPI_VECTOR, beyond = needed > columns ? needed - columns : 0;
    size_t last = beyond == 0         ? 0
                  : rows->stride == 0 ? rows->count
                                      : (beyond + rows->stride - 1) / rows->stride;
    size_t safe = rows->count > last ? rows->count - last : 0;
    return (safe < n ? safe : n) / DP2DPI_VECTOR * DP2DPI_VECTOR;
}

size_t dp2dpi_columns_eights(const dp2dpi_plain_rows *rows, size_t n, size_t columns) {
    return eights(rows, n, columns, 0);
}

void dp2dpi_columns_fill(const dp2dpi_plain_rows *rows, size_t n, size_t columns, size_t apart,
                         float *out) {
    if (columns == 2 && rows->stride == 2) {
        fill_pairs(rows->at, n, out, out + apart);
        return;
    }
    for (size_t first = 0; first < columns; first += DP2DPI_VECTOR) {
        size_t left = columns - first, count = left < DP2DPI_VECTOR ? left : DP2DPI_VECTOR;
        size_t fast = count > FEW_COLUMNS ? eights(rows, n, columns, first) : 0;
        fill_eights(rows->at + first, rows->stride, fast, count, apart, out + first * apart);
        for (size_t k = first; k < first + count; k++) {
            fill_one(rows->at + fast * rows->stride + k, rows->stride, n - fast,
                     out + k * apart + fast);
        }
    }
}

/* Returns how far the float32 sum of `count` floats may be from 1. The result is below
 * DP2DPI_VIEW_TOLERANCE_SINGLE by more than the rounding error of the sum, which is less than count
 * × 2^-23. */
static inline double tolerance_of(size_t count) {
    return DP2DPI_VIEW_TOLERANCE_SINGLE - (double)(count + 2) * 0x1p-23;
}

/* Selects the lanes whose sum is NaN or differs from 1 by more than the tolerance. */
#define TOO_FAR(sum, tolerance) (~(((sum) >= 1.0F - (tolerance)) & ((sum) <= 1.0F + (tolerance))))

enum {
    STEP = 4 * DP2DPI_VECTOR /* rows processed at a time; with four independent sums, the processor
                                need not wait for one addition before it starts the next */
};

/* Returns 1 if a row may be invalid. n must be a multiple of STEP. Also returns 1 if a number is
 * −0, although −0 is valid. */
DP2DPI_CLONED static int any_strange(const float *columns, size_t apart, size_t n, size_t count,
                                     float tolerance) {
    dp2dpi_vector_bits strange = {0}, any = {0};
    for (size_t i = 0; i < n; i += STEP) {
        dp2dpi_vector sum[4] = {0};
        for (size_t k = 0; k < count; k++) {
            const float *column = columns + k * apart + i;
#pragma GCC unroll 4
            for (size_t part = 0; part < 4; part++) {
                dp2dpi_vector value = DP2DPI_VECTOR_IN(column + part * DP2DPI_VECTOR);
                strange |= (dp2dpi_vector_bits)value; /* the highest bit is the sign, so a negative
                                                         number sets it */
                sum[part] += value;
            }
        }
#pragma GCC unroll 4
        for (size_t part = 0; part < 4; part++) {
            any |= TOO_FAR(sum[part], tolerance);
        }
    }
    strange |= any;
    return dp2dpi_vector_any_negative(&strange);
}

int dp2dpi_columns_sum_to_one(const float *columns, size_t apart, size_t n, size_t count) {
    double tolerance = tolerance_of(count);
    size_t fast = n / STEP * STEP;
    if (any_strange(columns, apart, fast, count, (float)tolerance)) {
        fast = 0;
    }
    int good = tolerance > 0.0;
    for (size_t i = fast; i < n && good; i++) {
        double sum = 0.0;
        for (size_t k = 0; k < count && good; k++) {
            good = columns[k * apart + i] >= 0.0F;
            sum += (double)columns[k * apart + i];
        }
        good = good && fabs(sum - 1.0) <= tolerance;
    }
    return good;
}

enum {
    ROWS = 256
};

/* Computes the sums that dp2dpi_columns_shift writes, for rows of two adjacent scores. `offsets`
 * holds the four offsets of each row's group, row by row. */
DP2DPI_CLONED static void shift_pairs(const float *restrict rows, const float *restrict offsets,
                                      size_t n, float *restrict first, float *restrict second) {
    for (size_t i = 0; i < n; i++) {
        float a = rows[2 * i], b = rows[2 * i + 1];
        first[i] = a * offsets[4 * i] + b * offsets[4 * i + 2];
        second[i] = a * offsets[4 * i + 1] + b * offsets[4 * i + 3];
    }
}

/* Computes the sums that dp2dpi_columns_shift writes, for up to eight classes from class `first`
 * on. A vector holds the sums of one row, not of one class: rows of different groups have different
 * offsets. */
DP2DPI_INLINE void shift_eights(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                                size_t first, const float *offsets, const int32_t *groups,
                                size_t apart, float *out) {
    for (size_t i = 0; i < n; i += DP2DPI_VECTOR) {
        dp2dpi_vector sum[DP2DPI_VECTOR];
#pragma GCC unroll 8
        for (size_t r = 0; r < DP2DPI_VECTOR; r++) {
            const float *p = rows->at + (i + r) * rows->stride;
            const float *offset = offsets + (size_t)groups[i + r] * classes * classes + first;
            dp2dpi_vector row = {0};
#pragma GCC unroll 8
            for (size_t j = 0; j < classes; j++) {
                row += p[j] * DP2DPI_VECTOR_IN(offset + j * classes);
            }
            sum[r] = row;
        }
        dp2dpi_vector_transpose(sum);
#pragma GCC unroll 8
        for (size_t k = 0; k < DP2DPI_VECTOR; k++) {
            if (first + k < classes) {
                DP2DPI_VECTOR_AT(out + (first + k) * apart + i) = sum[k];
            }
        }
    }
}

#define DEFINE_SHIFT(NAME, K)                                                                 \
    DP2DPI_CLONED static void NAME(const dp2dpi_plain_rows *rows, size_t n, size_t classes,   \
                                   const float *offsets, const int32_t *groups, size_t apart, \
                                   float *out) {                                              \
        (void)classes;                                                                        \
        for (size_t first = 0; first < (K); first += DP2DPI_VECTOR) {                         \
            shift_eights(rows, n, K, first, offsets, groups, apart, out);                     \
        }                                                                                     \
    }

DEFINE_SHIFT(shift_2, 2)
DEFINE_SHIFT(shift_3, 3)
DEFINE_SHIFT(shift_4, 4)
DEFINE_SHIFT(shift_5, 5)
DEFINE_SHIFT(shift_6, 6)
DEFINE_SHIFT(shift_7, 7)
DEFINE_SHIFT(shift_8, 8)
DEFINE_SHIFT(shift_any, classes)

typedef void (*shift_fixed)(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                            const float *offsets, const int32_t *groups, size_t apart, float *out);
static const shift_fixed fixed_shifts[] = {shift_2, shift_3, shift_4, shift_5,
                                           shift_6, shift_7, shift_8};

static void shift_one(const dp2dpi_plain_rows *rows, size_t i, size_t classes, const float *offsets,
                      size_t apart, float *out) {
    const float *p = rows->at + i * rows->stride;
    for (size_t k = 0; k < classes; k++) {
        float sum = 0.0F;
        for (size_t j = 0; j < classes; j++) {
            sum += p[j] * offsets[j * classes + k];
        }
        out[k * apart + i] = sum;
    }
}

void dp2dpi_columns_shift(const dp2dpi_plain_rows *rows, size_t n, size_t classes,
                          const float *offsets, const int32_t *groups, size_t apart, float *out) {
    size_t square = classes * classes, fast = n / DP2DPI_VECTOR * DP2DPI_VECTOR;
    if (classes == 2 && rows->stride == 2) {
        float laid_out[4 * ROWS];
        for (size_t i = 0; i < n; i += ROWS) {
            size_t count = n - i < ROWS ? n - i : ROWS;
#pragma GCC unroll 4
            for (size_t r = 0; r < count; r++) {
                memcpy(laid_out + 4 * r, offsets + 4 * (size_t)groups[i + r], 4 * sizeof(float));
            }
            shift_pairs(rows->at + 2 * i, laid_out, count, out + i, out + apart + i);
        }
        return;
    }
    (classes >= 2 && classes <= 8 ? fixed_shifts[classes - 2]
                                  : shift_any)(rows, fast, classes, offsets, groups, apart, out);
    for (size_t i = fast; i < n; i++) {
        shift_one(rows, i, classes, offsets + (size_t)groups[i] * square, apart, out);
    }
}

/* Computes the sums that dp2dpi_columns_weigh writes. n must be a multiple of eight. In `table`, a
 * 1 follows the offsets of each weight, so the column after the last class becomes the sum of the
 * weights. Returns 1 if, for some row, this sum is NaN or may be too far from 1. */
DP2DPI_CLONED static int weigh_eights(const dp2dpi_plain_rows *rows, size_t n, size_t parts,
                                      size_t classes, const float *table, size_t apart,
                                      float *out) {
    const float tolerance = (float)tolerance_of(parts);
    dp2dpi_vector_bits strange = {0};
    for (size_t i = 0; i < n; i += DP2DPI_VECTOR) {
        const float *first = rows->at + i * rows->stride;
        dp2dpi_vector sum[DP2DPI_VECTOR] = {0};
        for (size_t j = 0; j < parts; j++) {
            dp2dpi_vector offsets = DP2DPI_VECTOR_IN(table + j * DP2DPI_VECTOR);
#pragma GCC unroll 8
            for (size_t r = 0; r < DP2DPI_VECTOR; r++) {
                sum[r] += first[r * rows->stride + j] * offsets;
            }
        }
        dp2dpi_vector_transpose(sum);
#pragma GCC unroll 8
        for (size_t k = 0; k < DP2DPI_VECTOR; k++) {
            if (k < classes) {
                DP2DPI_VECTOR_AT(out + k * apart + i) = sum[k];
            } else if (k == classes) {
                strange |= TOO_FAR(sum[k], tolerance);
            }
        }
    }
    return dp2dpi_vector_any_negative(&strange);
}

DP2DPI_CLONED static uint32_t any_below_zero(const float *restrict numbers, size_t n) {
    uint32_t below = 0;
    for (size_t i = 0; i < n; i++) {
        below |= (uint32_t)(numbers[i] < 0.0F);
    }
    return below;
}

int dp2dpi_columns_lay_out(const float *offsets, size_t parts, size_t classes, float *table) {
    if (classes >= DP2DPI_VECTOR || parts * DP2DPI_VECTOR > DP2DPI_COLUMNS_TABLES) {
        return 0;
    }
    for (size_t j = 0; j < parts; j++) {
        for (size_t k = 0; k < DP2DPI_VECTOR; k++) {
            table[j * DP2DPI_VECTOR + k] = k < classes    ? offsets[j * classes + k]
                                           : k == classes ? 1.0F
                                                          : 0.0F;
        }
    }
    return 1;
}

int dp2dpi_columns_weigh(const dp2dpi_plain_rows *rows, size_t n, size_t parts, size_t classes,
                         const float *table, size_t apart, float *out) {
    if (n % DP2DPI_WEIGH_ROWS == 0 && dp2dpi_weigh_rows_can(parts, classes)) {
        return dp2dpi_weigh_rows_add(rows, n, parts, classes, table, apart, out) == 0;
    }
    return n % DP2DPI_VECTOR == 0 && rows->stride == parts &&
           weigh_eights(rows, n, parts, classes, table, apart, out) == 0 &&
           any_below_zero(rows->at, n * parts) == 0;
}
