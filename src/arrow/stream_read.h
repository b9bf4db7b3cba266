/* Reads an Arrow stream from any producer. Finds columns by name and reads them as numbers or text;
 * supports nulls, slices and dictionaries. The reader checks types, counts and dictionary codes. It
 * trusts that buffers are long enough, because the Arrow C interface does not state their
 * lengths. */
#ifndef DP2DPI_ARROW_STREAM_READ_H
#define DP2DPI_ARROW_STREAM_READ_H

#include <dp2dp/data.h>
#include <dp2dp/table.h>

enum {
    DP2DPI_STREAM_TEXT_SIZE = 24 /* bytes for an int64 as decimal text */
};

static inline int dp2dpi_bit(const void *bits, int64_t at) {
    return ((const unsigned char *)bits)[at / 8] >> (at % 8) & 1;
}

/* Returns 1 if element `at` is not null. An array without a validity bitmap has no nulls. */
static inline int dp2dpi_array_has(const struct ArrowArray *array, int64_t at) {
    return array->null_count == 0 || array->n_buffers == 0 || array->buffers[0] == NULL ||
           dp2dpi_bit(array->buffers[0], at);
}

typedef struct dp2dpi_stream_column {
    size_t child; /* position of the column among the children of the stream */
    char format;  /* Arrow format of the column's values, as one letter; if the column has a
                     dictionary, the format of the dictionary codes */
    char dictionary_format; /* format of the dictionary's values; 0 if the column has no
                               dictionary */
    char list;              /* kind of lists in the column: 'w' of fixed size, 'l' with 32-bit
                               offsets, 'L' with 64-bit offsets; 0 if the values are not lists. For
                               lists, `format` is the format of the elements */
    const struct ArrowArray *array;
    int64_t first; /* position of the batch's row 0 in the array's buffers */
} dp2dpi_stream_column;

typedef struct dp2dpi_stream {
    struct ArrowArrayStream *source;  /* borrowed */
    const dp2dp_table_column *wanted; /* borrowed */
    const size_t *lists; /* borrowed; for each column in `wanted`, the length of the lists in the
                            column, or 0 if the column has no lists. NULL if no column has lists */
    const char *name;    /* borrowed; name of the source for messages */
    dp2dpi_stream_column *columns;
    size_t count;
    int64_t children;
    struct ArrowArray batch; /* the current batch; its release is NULL if there is no batch */
    uint64_t first_row;      /* number of rows in the batches before the current one */
    uint64_t rows;           /* rows in the current batch; 0 if there is no batch */
} dp2dpi_stream;

/* Opens a stream and finds the columns `wanted` in its schema. NUMBER accepts floats, integers and
 * booleans. TEXT accepts text (plain, large or as views), integers, floats and booleans. Integers
 * and floats become decimal text; booleans become "True" and "False". The values of a dictionary
 * may have any of these types. Fails with DATA if a column is missing, occurs twice or has a type
 * that is not listed here. Ownership: source, wanted and name are borrowed until
 * dp2dpi_stream_close, which does not release the source and accepts a zero-filled struct. */
dp2dp_status dp2dpi_stream_open(dp2dpi_stream *stream, struct ArrowArrayStream *source,
                                const dp2dp_table_column *wanted, size_t count, const char *name,
                                dp2dp_error *error);
/* Opens a stream like dp2dpi_stream_open. If lists[i] is not 0, column i holds lists of lists[i]
 * floats, either of fixed size or with offsets. */
dp2dp_status dp2dpi_stream_open_lists(dp2dpi_stream *stream, struct ArrowArrayStream *source,
                                      const dp2dp_table_column *wanted, const size_t *lists,
                                      size_t count, const char *name, dp2dp_error *error);
void dp2dpi_stream_close(dp2dpi_stream *stream);

/* Replaces the current batch by the next batch that has rows. At the end of the stream, sets
 * stream->rows to 0. If the source fails, the error has the source's message, and the source's
 * errno value determines the status. */
dp2dp_status dp2dpi_stream_next(dp2dpi_stream *stream, dp2dp_error *error);

/* Returns 1 if no row of the current batch and no element of the array can be null. */
static inline int dp2dpi_stream_is_complete(const dp2dpi_stream *stream,
                                            const struct ArrowArray *array) {
    const struct ArrowArray *batch = &stream->batch;
    return (array->n_buffers == 0 || array->null_count == 0 || array->buffers[0] == NULL) &&
           (batch->n_buffers == 0 || batch->null_count == 0 || batch->buffers[0] == NULL);
}

/* Returns 0 if the whole row is null, else 1. `row` counts from 0 in the current batch. */
int dp2dpi_stream_has_row(const dp2dpi_stream *stream, uint64_t row);
/* Returns 1 if the value is not null. `column` is the column's position in stream->wanted. */
int dp2dpi_stream_has(const dp2dpi_stream *stream, size_t column, uint64_t row);
/* Reads a value of a NUMBER column into *out; a null gives NaN. Fails with DATA only if the value
 * is an integer beyond 2^53. */
dp2dp_status dp2dpi_stream_number(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                  double *out, dp2dp_error *error);
/* Copies n values of a NUMBER column, from `row` on, to `out`, an array of `type`. Value i goes to
 * out[i × apart]. If the column holds lists, the lists are written to `out` one after another, and
 * `apart` is not used. NaN stands for a null, for each element of a list of the wrong length, and
 * for an integer beyond 2^53. */
void dp2dpi_stream_numbers(const dp2dpi_stream *stream, size_t column, uint64_t row, size_t n,
                           dp2dp_type type, size_t apart, void *out);
/* Reads a value of a TEXT column. *out is the text, not NUL-terminated; NULL for a null or NaN.
 * *out points into the current batch for a text, into `buffer` for a number, and to a constant for
 * a boolean. Fails with DATA for a dictionary code out of range, malformed offsets, an integer
 * beyond 2^63, or a float that is not whole or is beyond 2^53. */
dp2dp_status dp2dpi_stream_text(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                char buffer[DP2DPI_STREAM_TEXT_SIZE], const char **out,
                                size_t *length, dp2dp_error *error);

/* Gets the source's next batch. batch->release is NULL at the end of the stream and after a
 * failure. */
dp2dp_status dp2dpi_stream_pull(struct ArrowArrayStream *source, const char *name,
                                struct ArrowArray *batch, dp2dp_error *error);

/* Turns `err`, the errno value of a failed callback, into an error with the matching status and the
 * source's own message, if it has one. `name` is the name of the source for messages. */
dp2dp_status dp2dpi_stream_failure(struct ArrowArrayStream *source, const char *name, int err,
                                   dp2dp_error *error);

#endif
