#ifndef DP2DPI_ARROW_BATCH_H
#define DP2DPI_ARROW_BATCH_H

#include <dp2dp/table.h>

/* The columns and types of a batch. Ownership: columns is borrowed. */
typedef struct dp2dpi_layout {
    const dp2dp_table_column *columns;
    size_t count;
    int is_float32; /* 1: numbers are float32; 0: float64 */
    int has_nulls;  /* 1: columns may have nulls */
    int has_bad;    /* 1: a row may be bad; a bad row is null */
} dp2dpi_layout;

/* One column of a batch. The text of row i begins at text + offsets[i] and ends before text +
 * offsets[i + 1]. */
typedef struct dp2dpi_store {
    const void *buffers[3]; /* as in ArrowArray.buffers: validity, values or offsets, text */
    unsigned char *valid; /* one bit for each row, 0 if the value is null; NULL if the column cannot
                             have nulls */
    double *numbers;      /* float64 values; NULL if the column is float32 */
    float *singles;
    int32_t *offsets;
    char *text;
    size_t text_capacity;
} dp2dpi_store;

typedef struct dp2dpi_batch {
    struct ArrowArray array; /* private_data of child i is the dp2dpi_store of column i */
    size_t rows;             /* number of complete rows */
    size_t capacity;
    size_t text_bytes;    /* upper bound on the bytes of text in all columns together */
    unsigned char *sound; /* one bit for each row, 0 if the row is bad; NULL if rows cannot be bad.
                             Owned by array */
} dp2dpi_batch;

/* Limits on the bytes of text in a batch and on its number of cells. They keep memory use constant.
 * A batch with at least one row is full when it reaches one of these limits. */
enum {
    DP2DPI_BATCH_TEXT_MAX = 1 << 23,
    DP2DPI_BATCH_CELLS_MAX = 1 << 19
};

dp2dp_status dp2dpi_batch_new(const dp2dpi_layout *layout, size_t rows_max, dp2dpi_batch *out,
                              dp2dp_error *error);
void dp2dpi_batch_free(dp2dpi_batch *batch);
void dp2dpi_batch_publish(dp2dpi_batch *batch, struct ArrowArray *out);

static inline int dp2dpi_batch_is_full(const dp2dpi_batch *batch) {
    return batch->rows == batch->capacity ||
           (batch->rows > 0 && batch->text_bytes >= DP2DPI_BATCH_TEXT_MAX);
}

static inline dp2dpi_store *dp2dpi_batch_store(const dp2dpi_batch *batch, size_t column) {
    return (dp2dpi_store *)batch->array.children[column]->private_data;
}

/* Reserves room for up to `length` bytes of text in the row being filled. The caller writes the
 * text to *out and then passes its length to dp2dpi_batch_set_text. As long as batch->rows does not
 * count the row, the caller may fill the row again from its start. */
dp2dp_status dp2dpi_batch_reserve(dp2dpi_batch *batch, size_t column, size_t length, char **out,
                                  dp2dp_error *error);
void dp2dpi_batch_set_text(dp2dpi_batch *batch, size_t column, size_t length);

dp2dp_status dp2dpi_batch_put_text(dp2dpi_batch *batch, size_t column, const char *text,
                                   size_t length, dp2dp_error *error);
dp2dp_status dp2dpi_batch_put_integer(dp2dpi_batch *batch, size_t column, int64_t number,
                                      dp2dp_error *error);
static inline void dp2dpi_batch_put_number(dp2dpi_batch *batch, size_t column, double number) {
    dp2dpi_store *store = dp2dpi_batch_store(batch, column);
    if (store->singles) {
        store->singles[batch->rows] = (float)number;
    } else {
        store->numbers[batch->rows] = number;
    }
}

void dp2dpi_batch_set_null(dp2dpi_batch *batch, size_t column);

/* Marks the row being filled as bad. The caller still fills all columns of the row. */
void dp2dpi_batch_set_bad(dp2dpi_batch *batch);

dp2dp_status dp2dpi_batch_schema(const dp2dpi_layout *layout, struct ArrowSchema *out,
                                 dp2dp_error *error);

#endif
