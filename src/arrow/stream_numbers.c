#include "arrow/stream_read.h"

#include <math.h>
#include <string.h>

static inline void put_number(dp2dp_type type, void *out, size_t at, double value) {
    if (type == DP2DP_FLOAT32) {
        ((float *)out)[at] = (float)value;
    } else {
        ((double *)out)[at] = value;
    }
}

static double float_at(const struct ArrowArray *array, char format, int64_t at) {
    if (!dp2dpi_array_has(array, at)) {
        return (double)NAN;
    }
    return format == 'f' ? (double)((const float *)array->buffers[1])[at]
                         : ((const double *)array->buffers[1])[at];
}

/* Returns the index at which the list of a row begins in the array of elements. Returns -1 if the
 * row has no list, or a list whose length is not `size`. */
static int64_t list_at(const dp2dpi_stream *stream, const dp2dpi_stream_column *c, uint64_t row,
                       int64_t size) {
    const struct ArrowArray *child = c->array->children[0];
    int64_t at = c->first + (int64_t)row;
    if (!dp2dpi_stream_has_row(stream, row) || !dp2dpi_array_has(c->array, at)) {
        return -1;
    }
    if (c->list == 'w') {
        return child->offset + at * size;
    }
    const int32_t *narrow = c->array->buffers[1];
    const int64_t *wide = c->array->buffers[1];
    int64_t from = c->list == 'l' ? narrow[at] : wide[at];
    int64_t to = c->list == 'l' ? narrow[at + 1] : wide[at + 1];
    return from >= 0 && to >= from && to - from == size && to <= child->length
               ? child->offset + from
               : -1;
}

static void copy_lists(const dp2dpi_stream *stream, size_t column, uint64_t row, size_t n,
                       dp2dp_type type, void *out) {
    const dp2dpi_stream_column *c = &stream->columns[column];
    const struct ArrowArray *child = c->array->children[0];
    size_t size = stream->lists[column], width = c->format == 'f' ? sizeof(float) : sizeof(double);
    int same = (type == DP2DP_FLOAT32) == (c->format == 'f');
    if (c->list == 'w' && same && dp2dpi_stream_is_complete(stream, c->array) &&
        dp2dpi_stream_is_complete(stream, child)) {
        int64_t from = child->offset + (c->first + (int64_t)row) * (int64_t)size;
        memcpy(out, (const char *)child->buffers[1] + (size_t)from * width, n * size * width);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        int64_t from = list_at(stream, c, row + i, (int64_t)size);
        for (size_t k = 0; k < size; k++) {
            put_number(type, out, i * size + k,
                       from < 0 ? (double)NAN : float_at(child, c->format, from + (int64_t)k));
        }
    }
}

void dp2dpi_stream_numbers(const dp2dpi_stream *stream, size_t column, uint64_t row, size_t n,
                           dp2dp_type type, size_t apart, void *out) {
    const dp2dpi_stream_column *c = &stream->columns[column];
    if (c->list) {
        copy_lists(stream, column, row, n, type, out);
        return;
    }
    size_t first = (size_t)c->first + row;
    if (c->format == 'f' && type == DP2DP_FLOAT32 && dp2dpi_stream_is_complete(stream, c->array)) {
        const float *from = (const float *)c->array->buffers[1] + first;
        for (size_t i = 0; i < n; i++) {
            ((float *)out)[i * apart] = from[i];
        }
    } else if (c->format == 'g' && type == DP2DP_FLOAT64 &&
               dp2dpi_stream_is_complete(stream, c->array)) {
        const double *from = (const double *)c->array->buffers[1] + first;
        for (size_t i = 0; i < n; i++) {
            ((double *)out)[i * apart] = from[i];
        }
    } else {
        for (size_t i = 0; i < n; i++) {
            double value;
            (void)dp2dpi_stream_number(stream, column, row + i, &value, NULL);
            put_number(type, out, i * apart, value);
        }
    }
}
