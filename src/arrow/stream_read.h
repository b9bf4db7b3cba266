/* Reads an Arrow stream from any producer: columns by name, as numbers or text, with nulls, slices
 * and dictionaries. The reader checks types, counts and dictionary codes, which is all that the
 * interface makes possible; it must trust the lengths of buffers. */
#ifndef DP2DPI_ARROW_STREAM_READ_H
#define DP2DPI_ARROW_STREAM_READ_H

#include <dp2dp/table.h>

enum {
    DP2DPI_STREAM_TEXT_SIZE = 24 /* bytes of an int64 as decimal text */
};

/* One column of the current batch. */
typedef struct dp2dpi_stream_column {
    size_t child; /* position of the column in the stream's struct */
    char format; /* 'f', 'g', 'b', one of "cCsSiIlL", 'u', 'U', 'v'; for a dictionary, the format of
                    its codes */
    char dictionary_format; /* 'u', 'U' or 'v'; 0: values are not dictionary-encoded */
    const struct ArrowArray *array;
    int64_t first; /* position of the batch's row 0 in the array's buffers */
} dp2dpi_stream_column;

typedef struct dp2dpi_stream {
    struct ArrowArrayStream *source;  /* borrowed */
    const dp2dp_table_column *wanted; /* borrowed */
    const char *name;                 /* name of the source for messages, borrowed */
    dp2dpi_stream_column *columns;
    size_t count;
    int64_t children;        /* number of children of the source's struct */
    struct ArrowArray batch; /* the current batch; release NULL: none */
    uint64_t first_row;      /* position of the current batch's first row in the whole stream */
    uint64_t rows;           /* number of rows of the current batch; 0: none */
} dp2dpi_stream;

/* Opens a stream and finds the wanted columns in its schema. NUMBER accepts floats, integers and
 * booleans. TEXT accepts text (plain, large, as views or dictionary-encoded), and integers and
 * floats, which become decimal text. Fails with DATA if a column is missing, occurs twice or has
 * another type. Ownership: source, wanted and name are borrowed until close, which does not release
 * the source; close accepts a zero-filled struct. */
dp2dp_status dp2dpi_stream_open(dp2dpi_stream *stream, struct ArrowArrayStream *source,
                                const dp2dp_table_column *wanted, size_t count, const char *name,
                                dp2dp_error *error);
void dp2dpi_stream_close(dp2dpi_stream *stream);

/* Replaces the current batch by the next batch that has rows; stream->rows is 0 at the end. If the
 * source fails, fails with the source's message and the status that matches its errno value. */
dp2dp_status dp2dpi_stream_next(dp2dpi_stream *stream, dp2dp_error *error);

/* Returns 1 unless row (from 0, below stream->rows) is null as a whole. */
int dp2dpi_stream_has_row(const dp2dpi_stream *stream, uint64_t row);
/* Returns 1 if row of a wanted column has a value. */
int dp2dpi_stream_has(const dp2dpi_stream *stream, size_t column, uint64_t row);
/* Reads a value of a NUMBER column into *out; NaN for a null. Fails with DATA only for an integer
 * beyond 2^53. */
dp2dp_status dp2dpi_stream_number(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                  double *out, dp2dp_error *error);
/* Reads a value of a TEXT column, not NUL-terminated; *out is NULL for a null. *out points into the
 * current batch, or into buffer if the value was a number; NaN is a null. Fails with DATA for a
 * dictionary code out of range, malformed offsets, an integer beyond 2^63, or a float that is not
 * whole or is beyond 2^53. */
dp2dp_status dp2dpi_stream_text(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                char buffer[DP2DPI_STREAM_TEXT_SIZE], const char **out,
                                size_t *length, dp2dp_error *error);

/* Gets the source's next batch; batch->release is NULL at the end and on failure. */
dp2dp_status dp2dpi_stream_pull(struct ArrowArrayStream *source, const char *name,
                                struct ArrowArray *batch, dp2dp_error *error);

/* Turns the errno value err of a failed callback into an error: the matching status, and the
 * source's own message if it has one. `name` is the name of the source for messages. */
dp2dp_status dp2dpi_stream_failure(struct ArrowArrayStream *source, const char *name, int err,
                                   dp2dp_error *error);

#endif
