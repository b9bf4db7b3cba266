#include "arrow/batch.h"

#include <string.h>

#include "base/alloc.h"

/* A child may be moved out of its parent and live longer: each frees its own memory, and a parent
 * only releases those children that are still there. */
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

typedef struct parent {
    const void *buffers[1]; /* no validity: no row is null as a whole */
    struct ArrowArray **children;
    struct ArrowArray *arrays;
} parent;

static void release_batch(struct ArrowArray *array) {
    parent *p = array->private_data;
    for (int64_t i = 0; p->arrays && i < array->n_children; i++) {
        if (p->arrays[i].release) {
            p->arrays[i].release(&p->arrays[i]);
        }
    }
    dp2dpi_free(p->arrays);
    dp2dpi_free(p->children);
    dp2dpi_free(p);
    array->release = NULL;
}

static const char what[] = "a batch of rows";

/* Not filled with zeros, which would take as long as reading them: at most CELLS_MAX or the one
 * row, every one of which is written before it counts. */
static dp2dp_status new_numbers(dp2dpi_store *store, size_t rows, int is_float32,
                                dp2dp_error *error) {
    size_t size = is_float32 ? sizeof(float) : sizeof(double);
    void *values = dp2dpi_system_alloc(rows * size);
    dp2dp_status status = DP2DP_STATUS_OK;
    if (values == NULL) {
        status = dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %s (%zu x %zu bytes)",
                             what, rows, size);
    }
    store->singles = is_float32 ? values : NULL;
    store->numbers = is_float32 ? NULL : values;
    store->buffers[1] = values;
    return status;
}

static dp2dp_status new_text(dp2dpi_store *store, size_t rows, dp2dp_error *error) {
    void *offsets = NULL, *text = NULL;
    dp2dp_status status = dp2dpi_alloc_for(what, rows + 1, sizeof(int32_t), &offsets, error);
    store->offsets = offsets;
    store->buffers[1] = offsets;
    if (status == DP2DP_STATUS_OK) {
        store->text_capacity = 8 * rows;
        status = dp2dpi_alloc_for(what, store->text_capacity, 1, &text, error);
        store->text = text;
    }
    return status;
}

static dp2dp_status new_column(const dp2dpi_layout *layout, dp2dp_table_type type, size_t rows,
                               struct ArrowArray *out, dp2dp_error *error) {
    void *memory = NULL, *valid = NULL;
    dp2dp_status status = dp2dpi_alloc_for(what, 1, sizeof(dp2dpi_store), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    dp2dpi_store *store = memory;
    *out = (struct ArrowArray) {.buffers = store->buffers,
                                .n_buffers = type == DP2DP_TABLE_NUMBER ? 2 : 3,
                                .release = release_column,
                                .private_data = store};
    if (layout->has_nulls) {
        status = dp2dpi_alloc_for(what, (rows + 7) / 8, 1, &valid, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        store->valid = memset(valid, 0xFF, (rows + 7) / 8);
    }
    return type == DP2DP_TABLE_NUMBER ? new_numbers(store, rows, layout->is_float32, error)
                                      : new_text(store, rows, error);
}

dp2dp_status dp2dpi_batch_new(const dp2dpi_layout *layout, size_t rows_max, dp2dpi_batch *out,
                              dp2dp_error *error) {
    void *memory = NULL, *children = NULL, *arrays = NULL;
    size_t count = layout->count, rows = DP2DPI_BATCH_CELLS_MAX / count;
    memset(out, 0, sizeof *out);
    dp2dp_status status = dp2dpi_alloc_for(what, 1, sizeof(parent), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    parent *p = memory;
    rows = rows == 0 ? 1 : rows;
    out->capacity = rows < rows_max ? rows : rows_max;
    out->array = (struct ArrowArray) {.n_buffers = 1,
                                      .n_children = (int64_t)count,
                                      .buffers = p->buffers,
                                      .release = release_batch,
                                      .private_data = p};
    status = dp2dpi_alloc_for(what, count, sizeof(struct ArrowArray *), &children, error);
    p->children = out->array.children = children;
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, count, sizeof(struct ArrowArray), &arrays, error);
        p->arrays = arrays;
    }
    for (size_t i = 0; i < count && status == DP2DP_STATUS_OK; i++) {
        p->children[i] = &p->arrays[i];
        status = new_column(layout, layout->columns[i].type, out->capacity, &p->arrays[i], error);
    }
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

/* Of complete rows: bits behind them may belong to one that was begun. */
static int64_t count_nulls(const dp2dpi_store *store, size_t rows) {
    int64_t nulls = 0;
    for (size_t i = 0; store->valid && i < rows; i++) {
        nulls += !(store->valid[i / 8] >> (i % 8) & 1);
    }
    return nulls;
}

void dp2dpi_batch_publish(dp2dpi_batch *batch, struct ArrowArray *out) {
    batch->array.length = (int64_t)batch->rows;
    for (int64_t i = 0; i < batch->array.n_children; i++) {
        dp2dpi_store *store = dp2dpi_batch_store(batch, (size_t)i);
        batch->array.children[i]->length = (int64_t)batch->rows;
        batch->array.children[i]->null_count = count_nulls(store, batch->rows);
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
        void *memory;
        size_t larger = 2 * (used + length);
        dp2dp_status status = dp2dpi_alloc_for(what, larger, 1, &memory, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        memcpy(memory, store->text, used);
        dp2dpi_free(store->text);
        store->text = memory;
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

/* A row that is filled again from its start has the same nulls. */
void dp2dpi_batch_set_null(dp2dpi_batch *batch, size_t column) {
    unsigned char *valid = dp2dpi_batch_store(batch, column)->valid;
    valid[batch->rows / 8] &= (unsigned char)~(1U << (batch->rows % 8));
}
