#include "arrow/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arrow/build.h"
#include "base/alloc.h"

static void release_column(struct ArrowArray *array) {
    dp2dpi_store *store = array->private_data;
    dp2dpi_free(store->valid);
    dp2dpi_free(store->numbers);
    dp2dpi_free(store->singles);
    dp2dpi_free(store->offsets);
    dp2dpi_free(store->text);
    dp2dpi_free(store);
    array->release = NULL;
}

static const char what[] = "a batch of rows";

/* Allocates the numbers of a column without zeroing them, because zeroing would take as long as
 * reading the numbers. Every number is written before its row counts as complete. */
static dp2dp_status new_numbers(dp2dpi_store *store, size_t rows, int is_float32,
                                dp2dp_error *error) {
    size_t size = is_float32 ? sizeof(float) : sizeof(double);
    void *values = NULL;
    DP2DPI_TRY(dp2dpi_alloc_raw(what, rows, size, &values, error));
    store->singles = is_float32 ? values : NULL;
    store->numbers = is_float32 ? NULL : values;
    store->buffers[1] = values;
    return DP2DP_STATUS_OK;
}

static dp2dp_status new_text(dp2dpi_store *store, size_t rows, dp2dp_error *error) {
    DP2DPI_TRY(DP2DPI_ALLOC(store->offsets, rows + 1, what, error));
    store->buffers[1] = store->offsets;
    store->text_capacity = 8 * rows;
    return DP2DPI_ALLOC(store->text, store->text_capacity, what, error);
}

static dp2dp_status new_bitmap(size_t rows, unsigned char **out, dp2dp_error *error) {
    DP2DPI_TRY(DP2DPI_ALLOC(*out, (rows + 7) / 8, what, error));
    memset(*out, 0xFF, (rows + 7) / 8);
    return DP2DP_STATUS_OK;
}

static dp2dp_status new_column(const dp2dpi_layout *layout, dp2dp_table_type type, size_t rows,
                               struct ArrowArray *out, dp2dp_error *error) {
    dp2dpi_store *store = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(store, 1, what, error));
    *out = (struct ArrowArray) {.buffers = store->buffers,
                                .n_buffers = type == DP2DP_TABLE_NUMBER ? 2 : 3,
                                .release = release_column,
                                .private_data = store};
    if (layout->has_nulls) {
        DP2DPI_TRY(new_bitmap(rows, &store->valid, error));
    }
    return type == DP2DP_TABLE_NUMBER ? new_numbers(store, rows, layout->is_float32, error)
                                      : new_text(store, rows, error);
}

dp2dp_status dp2dpi_batch_new(const dp2dpi_layout *layout, size_t rows_max, dp2dpi_batch *out,
                              dp2dp_error *error) {
    size_t count = layout->count, rows = DP2DPI_BATCH_CELLS_MAX / count;
    dp2dp_status status = DP2DP_STATUS_OK;
    memset(out, 0, sizeof *out);
    rows = rows == 0 ? 1 : rows;
    out->capacity = rows < rows_max ? rows : rows_max;
    DP2DPI_TRY(dp2dpi_array_new(0, count, NULL, &out->array, error));
    if (layout->has_bad) {
        DP2DPI_TRY_OR_DONE(new_bitmap(out->capacity, &out->sound, error));
        dp2dpi_array_take_validity(&out->array, out->sound);
    }
    for (size_t i = 0; i < count; i++) {
        DP2DPI_TRY_OR_DONE(new_column(layout, layout->columns[i].type, out->capacity,
                                      out->array.children[i], error));
    }
done:
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_batch_free(out);
    }
    return status;
}

void dp2dpi_batch_free(dp2dpi_batch *batch) {
    if (batch->array.release) {
        batch->array.release(&batch->array);
    }
}

/* Counts nulls in the first `rows` rows, which are complete. Later bits may belong to a row that is
 * being filled. */
static int64_t count_nulls(const unsigned char *valid, size_t rows) {
    int64_t nulls = 0;
    for (size_t i = 0; valid && i < rows; i++) {
        nulls += !(valid[i / 8] >> (i % 8) & 1);
    }
    return nulls;
}

void dp2dpi_batch_publish(dp2dpi_batch *batch, struct ArrowArray *out) {
    batch->array.length = (int64_t)batch->rows;
    batch->array.null_count = count_nulls(batch->sound, batch->rows);
    for (int64_t i = 0; i < batch->array.n_children; i++) {
        dp2dpi_store *store = dp2dpi_batch_store(batch, (size_t)i);
        batch->array.children[i]->length = (int64_t)batch->rows;
        batch->array.children[i]->null_count = count_nulls(store->valid, batch->rows);
        store->buffers[0] = batch->array.children[i]->null_count > 0 ? store->valid : NULL;
        store->buffers[2] = store->text;
    }
    *out = batch->array;
    batch->array.release = NULL;
}

dp2dp_status dp2dpi_batch_reserve(dp2dpi_batch *batch, size_t column, size_t length, char **out,
                                  dp2dp_error *error) {
    dp2dpi_store *store = dp2dpi_batch_store(batch, column);
    size_t used = (size_t)store->offsets[batch->rows];
    if (length > store->text_capacity - used) {
        char *text = NULL;
        size_t larger = 2 * (used + length);
        DP2DPI_TRY(DP2DPI_ALLOC(text, larger, what, error));
        memcpy(text, store->text, used);
        dp2dpi_free(store->text);
        store->text = text;
        store->text_capacity = larger;
    }
    *out = store->text + used;
    return DP2DP_STATUS_OK;
}

void dp2dpi_batch_set_text(dp2dpi_batch *batch, size_t column, size_t length) {
    dp2dpi_store *store = dp2dpi_batch_store(batch, column);
    store->offsets[batch->rows + 1] = store->offsets[batch->rows] + (int32_t)length;
    batch->text_bytes += length;
}

dp2dp_status dp2dpi_batch_put_text(dp2dpi_batch *batch, size_t column, const char *text,
                                   size_t length, dp2dp_error *error) {
    char *out;
    DP2DPI_TRY(dp2dpi_batch_reserve(batch, column, length, &out, error));
    memcpy(out, text, length);
    dp2dpi_batch_set_text(batch, column, length);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_batch_put_integer(dp2dpi_batch *batch, size_t column, int64_t number,
                                      dp2dp_error *error) {
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRId64, number);
    return dp2dpi_batch_put_text(batch, column, text, (size_t)length, error);
}

/* Sets the bit of the row being filled to 0. No function sets the bit back to 1, because a row that
 * is filled again from its start gets the same nulls as before. */
static void clear_bit(const dp2dpi_batch *batch, unsigned char *bitmap) {
    bitmap[batch->rows / 8] &= (unsigned char)~(1U << (batch->rows % 8));
}

void dp2dpi_batch_set_null(dp2dpi_batch *batch, size_t column) {
    clear_bit(batch, dp2dpi_batch_store(batch, column)->valid);
}

void dp2dpi_batch_set_bad(dp2dpi_batch *batch) {
    clear_bit(batch, batch->sound);
}

dp2dp_status dp2dpi_batch_schema(const dp2dpi_layout *layout, struct ArrowSchema *out,
                                 dp2dp_error *error) {
    int64_t flags = layout->has_nulls ? ARROW_FLAG_NULLABLE : 0;
    const char *number = layout->is_float32 ? "f" : "g";
    dp2dp_status status = DP2DP_STATUS_OK;
    memset(out, 0, sizeof *out);
    DP2DPI_TRY(dp2dpi_type_new("", "+s", layout->has_bad ? ARROW_FLAG_NULLABLE : 0, layout->count,
                               out, error));
    for (size_t i = 0; i < layout->count; i++) {
        const dp2dp_table_column *column = &layout->columns[i];
        DP2DPI_TRY_OR_DONE(dp2dpi_type_new(column->name,
                                           column->type == DP2DP_TABLE_TEXT ? "u" : number, flags,
                                           0, out->children[i], error));
    }
done:
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}
