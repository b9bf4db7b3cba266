#include "training/batch.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arrow/stream_read.h"
#include "phase1/train.h"

static const char what[] = "the encoded rows";
/* Largest length and offset of an array. Larger lengths and offsets are refused, so that their sums
 * cannot overflow. */
static const int64_t length_max = INT64_C(1) << 40;

static int is_format(const struct ArrowSchema *schema, const char *format) {
    return schema->format && schema->dictionary == NULL && strcmp(schema->format, format) == 0;
}

static int has_format(const dp2dpi_encoded *e, int child, const struct ArrowSchema *schema) {
    const char *format = dp2dpi_encoded_columns[child].format;
    size_t each = dp2dpi_encoded_each(e->schema, (dp2dpi_encoded_child)child);
    char list[DP2DPI_ENCODED_FORMAT_SIZE];
    if (each == SIZE_MAX) {
        return is_format(schema, format);
    }
    (void)snprintf(list, sizeof list, "+w:%zu", each);
    return is_format(schema, list) && schema->n_children == 1 &&
           is_format(schema->children[0], format);
}

static dp2dp_status find_children(dp2dpi_encoded *e, const struct ArrowSchema *schema,
                                  unsigned parts, dp2dp_error *error) {
    if (schema->format == NULL || strcmp(schema->format, "+s") != 0 || schema->n_children < 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "%s are not a table: their Arrow type must be a struct", what);
    }
    e->children = schema->n_children;
    for (int c = 0; c < DP2DPI_ENCODED_CHILDREN; c++) {
        const dp2dpi_encoded_column *column = &dp2dpi_encoded_columns[c];
        int is_wanted = column->part == 0 || (column->part & (parts | DP2DP_PART_FEATURES));
        int is_other = column->part >= DP2DPI_PART_SCORES || column->part == DP2DP_PART_FINDINGS;
        e->at[c] = -1;
        for (int64_t i = 0; i < schema->n_children && e->at[c] < 0 && !is_other; i++) {
            const char *name = schema->children[i]->name;
            e->at[c] = name && strcmp(name, column->name) == 0 ? i : -1;
        }
        if (e->at[c] < 0 ? is_wanted : !has_format(e, c, schema->children[e->at[c]])) {
            const dp2dpi_place place = {.reason = DP2DP_REASON_OTHER_SCHEMA,
                                        .column = column->name};
            return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                                  "%s: the column \"%s\" is missing or does not match the schema",
                                  what, column->name);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_encoded_open(dp2dpi_encoded *e, struct ArrowArrayStream *source,
                                 const dp2dp_schema_info *info, unsigned parts,
                                 dp2dp_error *error) {
    struct ArrowSchema schema = {.release = NULL};
    *e = (dp2dpi_encoded) {.source = source, .schema = info};
    int err = source->get_schema(source, &schema);
    if (err != 0) {
        return dp2dpi_stream_failure(source, what, err, error);
    }
    dp2dp_status status = find_children(e, &schema, parts, error);
    if (schema.release) {
        schema.release(&schema);
    }
    return status;
}

static void drop_batch(dp2dpi_encoded *e) {
    if (e->batch.release) {
        e->batch.release(&e->batch);
    }
    e->batch.release = NULL;
    e->rows_before += e->rows.count;
    e->rows.count = 0;
}

void dp2dpi_encoded_close(dp2dpi_encoded *e) {
    drop_batch(e);
}

static int is_sound(const struct ArrowArray *array, int64_t buffers) {
    return array->length >= 0 && array->length <= length_max && array->offset >= 0 &&
           array->offset <= length_max && array->n_buffers == buffers &&
           (array->null_count == 0 || array->buffers[0] == NULL);
}

/* Returns the address of the value of the batch's first row, or NULL if the array is malformed. An
 * array may have an offset of its own, which is added to the offset of the batch. */
static const void *find_values(const struct ArrowArray *batch, const struct ArrowArray *array,
                               size_t size, size_t each) {
    int64_t first = batch->offset, last = first + batch->length;
    if (each != SIZE_MAX) {
        if (!is_sound(array, 1) || array->length < last || array->n_children != 1) {
            return NULL;
        }
        first = (array->offset + first) * (int64_t)each;
        last = (array->offset + last) * (int64_t)each;
        array = array->children[0];
    }
    if (!is_sound(array, 2) || array->length < last || (last > first && !array->buffers[1])) {
        return NULL;
    }
    static const char empty[1] = "";
    const char *values = array->buffers[1];
    return last > first ? values + (size_t)(array->offset + first) * size : empty;
}

static int take_batch(dp2dpi_encoded *e) {
    const struct ArrowArray *batch = &e->batch;
    if (!is_sound(batch, 1) || batch->n_children != e->children) {
        return 0;
    }
    for (int c = 0; c < DP2DPI_ENCODED_CHILDREN; c++) {
        e->values[c] = NULL;
        if (e->at[c] >= 0) {
            e->values[c] =
                find_values(batch, batch->children[e->at[c]], dp2dpi_encoded_columns[c].size,
                            dp2dpi_encoded_each(e->schema, (dp2dpi_encoded_child)c));
            if (e->values[c] == NULL) {
                return 0;
            }
        }
    }
    e->rows = (dp2dpi_rows) {
        .count = (size_t)batch->length,
        .capacity = (size_t)batch->length,
        .numbers = e->schema->numbers,
        .categories = e->schema->categories,
        .x = (float *)e->values[DP2DPI_ENCODED_NUMBERS],
        .codes = (int32_t *)e->values[DP2DPI_ENCODED_LEVELS],
        .scale = (float *)e->values[DP2DPI_ENCODED_SCALE],
    };
    return 1;
}

dp2dp_status dp2dpi_encoded_next(dp2dpi_encoded *e, dp2dp_error *error) {
    do {
        drop_batch(e);
        DP2DPI_TRY(dp2dpi_stream_pull(e->source, what, &e->batch, error));
        if (e->batch.release && !take_batch(e)) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "malformed batch in %s", what);
        }
    } while (e->batch.release && e->rows.count == 0);
    for (size_t i = 0; i < e->rows.count; i++) {
        if (!dp2dpi_row_is_encoded(&e->rows, i, e->schema->width)) {
            const dp2dpi_place place = {.reason = DP2DP_REASON_OTHER_SCHEMA,
                                        .row = e->rows_before + i + 1};
            return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                                  "row %" PRIu64 " of %s does not match the schema", place.row,
                                  what);
        }
    }
    return DP2DP_STATUS_OK;
}
