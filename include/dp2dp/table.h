/* Reads tables: CSV, NPY and NPZ files, plain or compressed, in; Arrow record batches out, in
 * constant memory (docs/tables.md). */
#ifndef DP2DP_TABLE_H
#define DP2DP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/arrow.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to read the values of a column. The caller decides: nothing is guessed from the rows. */
typedef enum dp2dp_table_type {
    /* float64, Arrow format "g"; an NPY file of float32 gives "f", so that its precision is known
     */
    DP2DP_TABLE_NUMBER = 1,
    DP2DP_TABLE_TEXT = 2 /* UTF-8, Arrow format "u"; an NPY file gives its whole numbers as text */
} dp2dp_table_type;

typedef struct dp2dp_table_column {
    const char *name; /* UTF-8; must equal the header byte for byte */
    dp2dp_table_type type;
} dp2dp_table_column;

/* Where the names of a CSV file's columns come from. NPY columns are always "0", "1", … */
typedef enum dp2dp_table_header {
    DP2DP_TABLE_HEADER_FIRST_LINE = 0,
    DP2DP_TABLE_HEADER_NONE = 1 /* every line is a row; columns are "0", "1", … */
} dp2dp_table_header;

typedef struct dp2dp_table_options {
    size_t struct_size;
    const dp2dp_table_column *columns; /* the columns wanted, in this order; others are skipped */
    size_t column_count;               /* at least 1 */
    char separator; /* CSV: ASCII, not a letter, digit, quote, '+', '-', '.' or line end */
    dp2dp_table_header header;
    size_t skip_lines; /* CSV: lines to skip before the table; at most 2^20 */
    /* Texts that mark a missing value, such as "" and "NA". A CSV field is compared without the
     * quotes and blanks around it. Missing values are Arrow nulls; a number has NaN under the null.
     * By default there are none: an empty number is then an error, and an empty text is a text. */
    const char *const *missing;
    size_t missing_count;
    /* Most rows in one batch, from 1 to 2^24; wide tables and long texts give fewer. */
    size_t chunk_rows;
    /* Called before every block, by the thread that reads ahead, and before every batch, by the
     * thread that calls get_next; not 0: stop. May be NULL */
    int (*cancel)(void *context);
    void *cancel_context;
    uint64_t *rows_read; /* counts up with every batch. May be NULL */
} dp2dp_table_options;

DP2DP_DEFINE_DEFAULT(dp2dp_table_options, DP2DP_STRUCT_TABLE_OPTIONS)
#define DP2DP_TABLE_OPTIONS_INIT dp2dp_table_options_default()

/* Opens a table and reads its header; "-" is standard input. The first bytes of the file tell
 * whether it is CSV, NPY or NPZ, and whether it is compressed with gzip or zstd; "file.npz::name"
 * is one array of several. The rows come from the stream, as struct arrays whose children are the
 * columns in the order asked for, nullable if there are missing markers; a table without rows gives
 * no batch.
 *
 * A column that is missing or named twice, a malformed header and an empty file fail here. An error
 * further down fails in get_next, which returns EINVAL (DATA), EIO (IO), ENOMEM (MEMORY) or
 * ECANCELED (CANCELLED); get_last_error gives the message, dp2dp_stream_next the whole error, and
 * the stream stays failed. A message names file, line and column, never the value of a cell. A file
 * that was changed while it was read fails at its end.
 *
 * Ownership: everything in options is copied; cancel_context and rows_read are borrowed until the
 * stream is released. The caller releases the stream; batches and schemas are independent of it. On
 * failure out->release is NULL. One thread at a time; the stream reads larger inputs ahead in its
 * own thread, so a forked child cannot use it. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_table_open(
    const char *path, const dp2dp_table_options *options, struct ArrowArrayStream *out,
    dp2dp_error *error);

/* The next batch of any Arrow stream; out->release is NULL at its end and on failure. It is
 * get_next with a whole error: a stream of ours gives reason, row, line and column, another one the
 * status that its errno stands for and its message. Ownership: the caller releases the batch. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out, dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
