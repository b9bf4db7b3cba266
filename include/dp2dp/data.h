/* Borrowed views of the caller's memory: numbers in rows and columns, with any stride.
 *
 * Ownership: a view owns nothing. The memory must not change during a call that uses the view. */
#ifndef DP2DP_DATA_H
#define DP2DP_DATA_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_type {
    DP2DP_FLOAT32 = 1,
    DP2DP_FLOAT64 = 2,
    DP2DP_INT8 = 3,
    DP2DP_INT16 = 4,
    DP2DP_INT32 = 5
} dp2dp_type;

/* Element (i, j) is at data + i × row_stride + j × column_stride; both strides are in bytes and may
 * be negative. So row-major, column-major and sliced tables can be described. */
typedef struct dp2dp_matrix {
    const void *data;
    dp2dp_type type; /* FLOAT32 or FLOAT64 */
    size_t rows, columns;
    ptrdiff_t row_stride, column_stride;
} dp2dp_matrix;

/* Element i is at data + i × stride; stride is in bytes and may be negative. */
typedef struct dp2dp_column {
    const void *data;
    dp2dp_type type; /* INT8, INT16 or INT32 */
    size_t rows;
    ptrdiff_t stride;
} dp2dp_column;

/* How to treat a bad record. A record is bad if one of its values cannot be read, is missing or is
 * not in the public list of allowed values. A record is also bad if its scores are not
 * probabilities. A file is always refused if it is so damaged that the beginning of a record is
 * uncertain.
 *
 * Privacy: REFUSE tells the operator that a bad record exists, and nothing is released. IGNORE
 * leaves a bad record out: the record still counts in the number of records, but none of its values
 * is used, and no result, message or status reveals it. The choice between REFUSE and IGNORE must
 * not depend on the records. */
typedef enum dp2dp_bad_rows {
    DP2DP_BAD_ROWS_REFUSE = 0,
    DP2DP_BAD_ROWS_IGNORE = 1
} dp2dp_bad_rows;

#ifdef __cplusplus
}
#endif
#endif
