/* Record batches being filled, and the Arrow structs they become. */
#ifndef DP2DPI_ARROW_BATCH_H
#define DP2DPI_ARROW_BATCH_H

#include <dp2dp/table.h>

/* What batches look like. Ownership: columns is borrowed. */
typedef struct dp2dpi_layout {
    const dp2dp_table_column *columns;
    size_t count;
    int is_float32; /* numbers are float32, otherwise float64 */
    int has_nulls;  /* nulls are possible */
} dp2dpi_layout;

/* One column of a batch. Text of row i lies from offsets[i] to offsets[i + 1]. */
typedef struct dp2dpi_store {
    const void *buffers[3]; /* as Arrow wants them */
    unsigned char *valid;   /* a bit for each row, 0: null; NULL where there cannot be any */
    double *numbers;        /* or: */
    float *singles;
    int32_t *offsets;
    char *text;
    size_t text_capacity;
} dp2dpi_store;

typedef struct dp2dpi_batch {
    struct ArrowArray array; /* its children's private_data are the stores */
    size_t rows;             /* complete ones */
    size_t capacity;
    size_t text_bytes; /* of all columns together; an upper bound */
} dp2dpi_batch;

/* Constant memory: a batch with a row is full at this much text, or at this many cells. */
enum {
    DP2DPI_BATCH_TEXT_MAX = 1 << 23,
    DP2DPI_BATCH_CELLS_MAX = 1 << 19
};

dp2dp_status dp2dpi_batch_new(const dp2dpi_layout *layout, size_t rows_max, dp2dpi_batch *out,
                              dp2dp_error *error);
/* For a batch that is not handed out. */
void dp2dpi_batch_free(dp2dpi_batch *batch);
/* Moves the batch into *out. */
void dp2dpi_batch_publish(dp2dpi_batch *batch, struct ArrowArray *out);

static inline int dp2dpi_batch_is_full(const dp2dpi_batch *batch) {
    return batch->rows == batch->capacity ||
           (batch->rows > 0 && batch->text_bytes >= DP2DPI_BATCH_TEXT_MAX);
}

static inline dp2dpi_store *dp2dpi_batch_store(const dp2dpi_batch *batch, size_t column) {
    return (dp2dpi_store *)batch->array.children[column]->private_data;
}

/* Room for up to `length` bytes of text in the row being filled; set_text says how many it took. A
 * row may be filled again from its start before it is counted in batch->rows. */
dp2dp_status dp2dpi_batch_reserve(dp2dpi_batch *batch, size_t column, size_t length, char **out,
                                  dp2dp_error *error);
void dp2dpi_batch_set_text(dp2dpi_batch *batch, size_t column, size_t length);

/* The text of the row being filled. */
dp2dp_status dp2dpi_batch_put_text(dp2dpi_batch *batch, size_t column, const char *text,
                                   size_t length, dp2dp_error *error);
static inline void dp2dpi_batch_put_number(dp2dpi_batch *batch, size_t column, double number) {
    dp2dpi_store *store = dp2dpi_batch_store(batch, column);
    if (store->singles) {
        store->singles[batch->rows] = (float)number;
    } else {
        store->numbers[batch->rows] = number;
    }
}

/* The row being filled has no value in this column. */
void dp2dpi_batch_set_null(dp2dpi_batch *batch, size_t column);

/* The type of such batches. */
dp2dp_status dp2dpi_batch_schema(const dp2dpi_layout *layout, struct ArrowSchema *out,
                                 dp2dp_error *error);

#endif
