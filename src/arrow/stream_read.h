/* Reads an Arrow stream from anywhere: columns by name, as numbers or text, with nulls, slices and
 * dictionaries. The producer's claims are checked as far as the interface allows: types, counts and
 * dictionary codes; lengths of buffers are taken on trust. */
#ifndef DP2DPI_ARROW_STREAM_READ_H
#define DP2DPI_ARROW_STREAM_READ_H

#include <dp2dp/table.h>

enum {
    DP2DPI_STREAM_TEXT_SIZE = 24 /* of a whole number as text */
};

/* One column of the current batch. */
typedef struct dp2dpi_stream_column {
    size_t child;           /* position in the stream's struct */
    char format;            /* 'f', 'g', 'b', one of "cCsSiIlL", 'u', 'U', 'v'; the codes' format if
                               dictionary-encoded */
    char dictionary_format; /* 'u', 'U' or 'v'; 0: values are not dictionary-encoded */
    const struct ArrowArray *array;
    int64_t first; /* physical position of the batch's row 0 */
} dp2dpi_stream_column;

typedef struct dp2dpi_stream {
    struct ArrowArrayStream *source;  /* borrowed */
    const dp2dp_table_column *wanted; /* borrowed */
    const char *name;                 /* of the source in messages, borrowed */
    dp2dpi_stream_column *columns;
    size_t count;
    int64_t children;        /* of the source's struct */
    struct ArrowArray batch; /* the current one; release NULL: none */
    uint64_t first_row;      /* of the current batch, in the whole stream */
    uint64_t rows;           /* of the current batch; 0: none */
} dp2dpi_stream;

/* Finds the wanted columns in the schema. NUMBER takes floats, integers and booleans; TEXT takes
 * text, plain, large, as views or dictionary-encoded, and integers, which become decimal text. DATA
 * if a column is missing, occurs twice or has another type. Ownership: source, wanted and name are
 * borrowed until close, which does not release the source; close accepts zero-filled. */
dp2dp_status dp2dpi_stream_open(dp2dpi_stream *stream, struct ArrowArrayStream *source,
                                const dp2dp_table_column *wanted, size_t count, const char *name,
                                dp2dp_error *error);
void dp2dpi_stream_close(dp2dpi_stream *stream);

/* The next batch that has rows, in place of the current one; stream->rows is 0 at the end. A
 * failure of the source comes with its message and the status that its code stands for. */
dp2dp_status dp2dpi_stream_next(dp2dpi_stream *stream, dp2dp_error *error);

/* 1 if row (from 0, below stream->rows) of a wanted column has a value. */
int dp2dpi_stream_has(const dp2dpi_stream *stream, size_t column, uint64_t row);
/* The value of a NUMBER column; NaN where there is none, and DATA only for an integer beyond 2^53.
 */
dp2dp_status dp2dpi_stream_number(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                  double *out, dp2dp_error *error);
/* The value of a TEXT column, not NUL-terminated; NULL where there is none. It lies in the batch at
 * hand, or in buffer if it was a whole number. DATA for a dictionary code out of range. */
dp2dp_status dp2dpi_stream_text(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                char buffer[DP2DPI_STREAM_TEXT_SIZE], const char **out,
                                size_t *length, dp2dp_error *error);
/* 1 if all values of the column are float32: their source had no more precision. */
int dp2dpi_stream_is_float32(const dp2dpi_stream *stream, size_t column);

/* The source's next batch; release is NULL at the end and on failure. */
dp2dp_status dp2dpi_stream_pull(struct ArrowArrayStream *source, const char *name,
                                struct ArrowArray *batch, dp2dp_error *error);

/* The failure of a callback of a source that is called `name` in messages: the status that its code
 * stands for, in the words of the source. */
dp2dp_status dp2dpi_stream_failure(struct ArrowArrayStream *source, const char *name, int err,
                                   dp2dp_error *error);

#endif
