/* Encoded rows as an Arrow stream. */
#include <stdio.h>
#include <string.h>

#include "arrow/stream_make.h"
#include "base/alloc.h"
#include "schema/encoder.h"
#include "schema/schema.h"

enum {
    CHILDREN_MAX = 6
};

static const char what[] = "a batch of encoded rows";

/* What an array owns: its values, and its children unless they were moved away. */
typedef struct holder {
    const void *buffers[2];
    struct ArrowArray *children[CHILDREN_MAX];
    struct ArrowArray arrays[CHILDREN_MAX];
    void *values;
} holder;

static void release_array(struct ArrowArray *array) {
    holder *h = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (h->arrays[i].release) {
            h->arrays[i].release(&h->arrays[i]);
        }
    }
    dp2dpi_free(h->values);
    dp2dpi_free(h);
    array->release = NULL;
}

/* values, or children, or neither. On failure *values stays the caller's; else it is NULL. */
static dp2dp_status new_array(size_t length, void **values, struct ArrowArray *out,
                              dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status = dp2dpi_alloc_for(what, 1, sizeof(holder), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    holder *h = memory;
    *out = (struct ArrowArray) {.length = (int64_t)length,
                                .n_buffers = values ? 2 : 1,
                                .buffers = h->buffers,
                                .children = h->children,
                                .release = release_array,
                                .private_data = h};
    if (values) {
        h->values = *values;
        h->buffers[1] = *values;
        *values = NULL;
    }
    return DP2DP_STATUS_OK;
}

/* The place for one more child. */
static struct ArrowArray *next_child(struct ArrowArray *parent) {
    holder *h = parent->private_data;
    struct ArrowArray *child = &h->arrays[parent->n_children];
    h->children[parent->n_children++] = child;
    return child;
}

static dp2dp_status add_values(struct ArrowArray *parent, void **values, dp2dp_error *error) {
    return new_array((size_t)parent->length, values, next_child(parent), error);
}

static dp2dp_status add_lists(struct ArrowArray *parent, size_t each, void **values,
                              dp2dp_error *error) {
    struct ArrowArray *list = next_child(parent);
    dp2dp_status status = new_array((size_t)parent->length, NULL, list, error);
    if (status == DP2DP_STATUS_OK) {
        status = new_array((size_t)parent->length * each, values, next_child(list), error);
    }
    return status;
}

dp2dp_status dp2dpi_block_publish(dp2dpi_block *block, unsigned parts,
                                  const dp2dp_schema_info *info, struct ArrowArray *out,
                                  dp2dp_error *error) {
    dp2dpi_rows *rows = &block->rows;
    void *values[] = {block->positions, rows->x,       rows->codes,  rows->scale,
                      block->labels,    block->groups, block->scores};
    dp2dp_status status = new_array(rows->count, NULL, out, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    status = add_values(out, &values[0], error);
    if (status == DP2DP_STATUS_OK && (parts & DP2DP_PART_FEATURES)) {
        if ((status = add_lists(out, rows->numbers, &values[1], error)) == DP2DP_STATUS_OK &&
            (status = add_lists(out, rows->categories, &values[2], error)) == DP2DP_STATUS_OK) {
            status = add_values(out, &values[3], error);
        }
    }
    if (status == DP2DP_STATUS_OK && (parts & DP2DPI_PART_SCORES)) {
        status = add_lists(out, info->class_count, &values[6], error);
    }
    if (status == DP2DP_STATUS_OK && (parts & DP2DP_PART_LABEL)) {
        status = add_values(out, &values[4], error);
    }
    if (status == DP2DP_STATUS_OK && (parts & DP2DP_PART_GROUP)) {
        status = add_values(out, &values[5], error);
    }
    block->positions = values[0];
    rows->x = values[1];
    rows->codes = values[2];
    rows->scale = values[3];
    block->labels = values[4];
    block->groups = values[5];
    block->scores = values[6];
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}

typedef struct fields {
    struct ArrowSchema *children[CHILDREN_MAX];
    struct ArrowSchema schemas[CHILDREN_MAX];
    char format[32];
} fields;

static void release_schema(struct ArrowSchema *schema) {
    fields *f = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (f->schemas[i].release) {
            f->schemas[i].release(&f->schemas[i]);
        }
    }
    dp2dpi_free(f);
    schema->release = NULL;
}

static dp2dp_status new_schema(const char *name, const char *format, struct ArrowSchema *out,
                               dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status =
        dp2dpi_alloc_for("the type of a batch", 1, sizeof(fields), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    fields *f = memory;
    (void)snprintf(f->format, sizeof f->format, "%s", format);
    *out = (struct ArrowSchema) {.format = f->format,
                                 .name = name,
                                 .children = f->children,
                                 .release = release_schema,
                                 .private_data = f};
    return DP2DP_STATUS_OK;
}

/* each SIZE_MAX: a plain column; else a list of so many. */
static dp2dp_status add_field(struct ArrowSchema *parent, const char *name, const char *format,
                              size_t each, dp2dp_error *error) {
    fields *f = parent->private_data;
    struct ArrowSchema *field = &f->schemas[parent->n_children];
    char list[32];
    f->children[parent->n_children++] = field;
    if (each == SIZE_MAX) {
        return new_schema(name, format, field, error);
    }
    (void)snprintf(list, sizeof list, "+w:%zu", each);
    dp2dp_status status = new_schema(name, list, field, error);
    return status == DP2DP_STATUS_OK ? add_field(field, "item", format, SIZE_MAX, error) : status;
}

dp2dp_status dp2dpi_block_describe(const dp2dp_schema_info *info, unsigned parts,
                                   struct ArrowSchema *out, dp2dp_error *error) {
    memset(out, 0, sizeof *out);
    dp2dp_status status = new_schema("", "+s", out, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    status = add_field(out, "row", "l", SIZE_MAX, error);
    if (status == DP2DP_STATUS_OK && (parts & DP2DP_PART_FEATURES)) {
        if ((status = add_field(out, "numbers", "f", info->numbers, error)) == DP2DP_STATUS_OK &&
            (status = add_field(out, "levels", "i", info->categories, error)) == DP2DP_STATUS_OK) {
            status = add_field(out, "scale", "f", SIZE_MAX, error);
        }
    }
    if (status == DP2DP_STATUS_OK && (parts & DP2DPI_PART_SCORES)) {
        status = add_field(out, "scores", "f", info->class_count, error);
    }
    if (status == DP2DP_STATUS_OK && (parts & DP2DP_PART_LABEL)) {
        status = add_field(out, "label", "i", SIZE_MAX, error);
    }
    if (status == DP2DP_STATUS_OK && (parts & DP2DP_PART_GROUP)) {
        status = add_field(out, "group", "i", SIZE_MAX, error);
    }
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}

typedef struct encoding {
    dp2dpi_encoder *encoder;
    const dp2dp_schema *schema;
    unsigned parts;
} encoding;

static dp2dp_status describe(void *context, struct ArrowSchema *out, dp2dp_error *error) {
    const encoding *e = context;
    return dp2dpi_block_describe(&e->schema->info, e->parts, out, error);
}

static dp2dp_status next(void *context, struct ArrowArray *out, dp2dp_error *error) {
    encoding *e = context;
    dp2dpi_block block = {0};
    dp2dp_status status = dp2dpi_encoder_next(e->encoder, &block, error);
    if (status == DP2DP_STATUS_OK && block.rows.count > 0) {
        status = dp2dpi_block_publish(&block, e->parts, &e->schema->info, out, error);
    }
    dp2dpi_block_free(&block);
    return status;
}

static void free_encoding(void *context) {
    encoding *e = context;
    dp2dpi_encoder_free(e->encoder);
    dp2dpi_free(e);
}

static const dp2dpi_stream_kind of_encoded_rows = {describe, next, free_encoding};

dp2dp_status dp2dp_schema_encode(const dp2dp_schema *schema, unsigned parts,
                                 struct ArrowArrayStream *rows, const char *source,
                                 struct ArrowArrayStream *out, dp2dp_error *error) {
    void *memory = NULL;
    if (out) {
        memset(out, 0, sizeof *out);
    }
    if (rows == NULL || rows->release == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rows must be a stream");
    }
    dp2dp_status status =
        schema == NULL || out == NULL
            ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "schema and out must not be NULL")
            : dp2dpi_alloc_for("an encoder", 1, sizeof(encoding), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        rows->release(rows);
        return status;
    }
    encoding *e = memory;
    *e = (encoding) {.schema = schema, .parts = parts};
    status = dp2dpi_encoder_new(schema, parts, rows, source, &e->encoder, error);
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_free(e);
        return status;
    }
    return dp2dpi_stream_make(&of_encoded_rows, e, out, error);
}
