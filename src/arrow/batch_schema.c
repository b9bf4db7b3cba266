#include <string.h>

#include "arrow/batch.h"
#include "base/alloc.h"

static void release_field(struct ArrowSchema *schema) {
    dp2dpi_free(schema->private_data);
    schema->release = NULL;
}

static void release_table(struct ArrowSchema *schema) {
    struct ArrowSchema *fields = schema->private_data;
    for (int64_t i = 0; fields && i < schema->n_children; i++) {
        if (fields[i].release) {
            fields[i].release(&fields[i]);
        }
    }
    dp2dpi_free(fields);
    dp2dpi_free(schema->children);
    schema->release = NULL;
}

static const char *format_of(const dp2dpi_layout *layout, dp2dp_table_type type) {
    return type == DP2DP_TABLE_TEXT ? "u" : layout->is_float32 ? "f" : "g";
}

static dp2dp_status new_field(const dp2dpi_layout *layout, const dp2dp_table_column *column,
                              struct ArrowSchema *out, dp2dp_error *error) {
    char *name = NULL;
    dp2dp_status status = dp2dpi_strdup(column->name, &name, error);
    if (status == DP2DP_STATUS_OK) {
        *out = (struct ArrowSchema) {.format = format_of(layout, column->type),
                                     .name = name,
                                     .flags = layout->has_nulls ? ARROW_FLAG_NULLABLE : 0,
                                     .release = release_field,
                                     .private_data = name};
    }
    return status;
}

dp2dp_status dp2dpi_batch_schema(const dp2dpi_layout *layout, struct ArrowSchema *out,
                                 dp2dp_error *error) {
    void *fields = NULL, *children = NULL;
    size_t count = layout->count;
    memset(out, 0, sizeof *out);
    dp2dp_status status =
        dp2dpi_alloc_for("a schema", count, sizeof(struct ArrowSchema *), &children, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for("a schema", count, sizeof(struct ArrowSchema), &fields, error);
    }
    *out = (struct ArrowSchema) {.format = "+s",
                                 .name = "",
                                 .n_children = (int64_t)count,
                                 .children = children,
                                 .release = release_table,
                                 .private_data = fields};
    for (size_t i = 0; i < count && status == DP2DP_STATUS_OK; i++) {
        out->children[i] = (struct ArrowSchema *)fields + i;
        status = new_field(layout, &layout->columns[i], out->children[i], error);
    }
    if (status != DP2DP_STATUS_OK) {
        out->release(out);
    }
    return status;
}
