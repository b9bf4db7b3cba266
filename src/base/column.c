#include "base/column.h"

#define READ_AS(type)                                           \
    for (size_t i = 0; i < n; i++) {                            \
        type code;                                              \
        memcpy(&code, at + (ptrdiff_t)i * stride, sizeof code); \
        out[i] = (int32_t)code;                                 \
    }

void dp2dpi_column_read_many(const dp2dp_column *column, size_t first, size_t n, int32_t *out) {
    ptrdiff_t stride = column->stride;
    const char *at = (const char *)column->data + (ptrdiff_t)first * stride;
    if (column->type == DP2DP_INT8 &&
        stride == 1) { /* the usual case has a loop of its own, which the compiler can vectorise */
        const int8_t *codes = (const int8_t *)at;
        for (size_t i = 0; i < n; i++) {
            out[i] = (int32_t)codes[i];
        }
    } else if (column->type == DP2DP_INT8) {
        READ_AS(int8_t)
    } else if (column->type == DP2DP_INT16) {
        READ_AS(int16_t)
    } else {
        READ_AS(int32_t)
    }
}
