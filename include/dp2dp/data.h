/* Borrowed views of the caller's memory: numbers in rows and columns, with any stride.
 *
 * Ownership: a view owns nothing; its memory must not change during a call that uses it. */
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

/* Element (i, j) is at data + i row_stride + j column_stride; both strides are in bytes and may be
 * negative. This covers row-major, column-major and sliced tables. */
typedef struct dp2dp_matrix {
    const void *data;
    dp2dp_type type; /* FLOAT32 or FLOAT64 */
    size_t rows, columns;
    ptrdiff_t row_stride, column_stride;
} dp2dp_matrix;

/* Element i is at data + i stride; stride is in bytes and may be negative. */
typedef struct dp2dp_column {
    const void *data;
    dp2dp_type type; /* INT8, INT16 or INT32 */
    size_t rows;
    ptrdiff_t stride;
} dp2dp_column;

#ifdef __cplusplus
}
#endif
#endif
