/* Hostile schemas and rows. A text is refused with DATA, or it gives a schema, and the text written
 * from that schema reads back to the same bytes. The schema then encodes or refuses a row. The text
 * after the last NUL byte of the input is the value of the row's text columns. */
#include <dp2dp/schema.h>

#include "schema/schema.h"

#include "fuzz.h"

/* A table of one row: all text columns have the same text, all number columns the same number. */
typedef struct row {
    const dp2dp_schema_info *info;
    const char *text;
    size_t length;
    double number;
    int is_done;
} row;

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        free(schema->children[i]);
    }
    free(schema->children);
    schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const row *r = stream->private_data;
    size_t n = r->info->column_count;
    memset(out, 0, sizeof *out);
    out->format = "+s";
    out->name = "";
    out->n_children = (int64_t)n;
    out->children = calloc(n, sizeof *out->children);
    require(out->children != NULL);
    for (size_t i = 0; i < n; i++) {
        out->children[i] = calloc(1, sizeof **out->children);
        require(out->children[i] != NULL);
        out->children[i]->format = r->info->columns[i].type == DP2DP_TABLE_NUMBER ? "g" : "u";
        out->children[i]->name = r->info->columns[i].name;
    }
    out->release = release_schema;
    return 0;
}

typedef struct column {
    struct ArrowArray array;
    const void *buffers[3];
    int32_t offsets[2];
} column;

static void release_batch(struct ArrowArray *batch) {
    for (int64_t i = 0; i < batch->n_children; i++) {
        free(batch->children[i]);
    }
    free(batch->children);
    batch->release = NULL;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    static const void *no_buffers[1] = {NULL};
    row *r = stream->private_data;
    size_t n = r->info->column_count;
    memset(out, 0, sizeof *out);
    if (r->is_done) {
        return 0;
    }
    r->is_done = 1;
    out->length = 1;
    out->n_buffers = 1;
    out->buffers = no_buffers;
    out->n_children = (int64_t)n;
    out->children = calloc(n, sizeof *out->children);
    require(out->children != NULL);
    for (size_t i = 0; i < n; i++) {
        column *c = calloc(1, sizeof *c);
        require(c != NULL);
        int is_number = r->info->columns[i].type == DP2DP_TABLE_NUMBER;
        c->offsets[1] = (int32_t)r->length;
        c->buffers[1] = is_number ? (const void *)&r->number : (const void *)c->offsets;
        c->buffers[2] = r->text;
        c->array.length = 1;
        c->array.n_buffers = is_number ? 2 : 3;
        c->array.buffers = c->buffers;
        out->children[i] = &c->array;
    }
    out->release = release_batch;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

static void check_batch(const dp2dp_schema_info *info, unsigned parts,
                        const struct ArrowArray *batch) {
    const int64_t last = batch->n_children - 1;
    require(batch->length == 1);
    if (parts & DP2DP_PART_GROUP) {
        int32_t group = *(const int32_t *)batch->children[last]->buffers[1];
        require(group >= 0 && (size_t)group < info->group_count);
    }
    const float *numbers = batch->children[1]->children[0]->buffers[1];
    const int32_t *levels = batch->children[2]->children[0]->buffers[1];
    double scale = (double)*(const float *)batch->children[3]->buffers[1], square = 0;
    for (size_t j = 0; j < info->numbers; j++) {
        square += (double)numbers[j] * (double)numbers[j];
    }
    for (size_t q = 0; q < info->categories; q++) {
        require(levels[q] == -1 ||
                (levels[q] >= (int32_t)info->numbers && (size_t)levels[q] < info->width));
        square += levels[q] >= 0;
    }
    require(scale > 0 && scale <= 1);
    require(scale * scale * square <= info->norm * info->norm * (1 + 1e-12));
}

static void encode(const dp2dp_schema *schema, const char *text, size_t length, double number) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    unsigned parts = DP2DP_PART_FEATURES | (info->class_count ? DP2DP_PART_LABEL : 0) |
                     (info->group_count ? DP2DP_PART_GROUP : 0);
    row r = {info, text, length, number, 0};
    struct ArrowArrayStream rows = {get_schema, get_next, get_last_error, release_stream, &r};
    struct ArrowArrayStream out;
    struct ArrowArray batch;
    require(dp2dp_schema_encode(schema, parts, &rows, NULL, &out, NULL) == DP2DP_STATUS_OK);
    if (out.get_next(&out, &batch) == 0 && batch.release) {
        check_batch(info, parts, &batch);
        batch.release(&batch);
    }
    out.release(&out);
}

static void try_schema(const char *input, size_t size, const char *text, size_t length) {
    dp2dp_schema *schema = NULL, *again = NULL;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dpi_schema_from_json(input, size, &schema, &error);
    if (status != DP2DP_STATUS_OK) {
        require_refusal(status, schema, &error);
        return;
    }
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    require(dp2dpi_schema_from_json(info->text, info->text_length, &again, NULL) ==
            DP2DP_STATUS_OK);
    require(strcmp(dp2dp_schema_view(again)->text, info->text) == 0);
    dp2dp_schema_free(again);
    encode(schema, text, length, (double)size);
    encode(schema, text, length, -1e300 * (double)size);
    for (size_t i = 0; i < info->column_count && i < 8; i++) {
        if (info->columns[i].level_count > 0) {
            const char *level = info->columns[i].levels[0];
            encode(schema, level, strlen(level), 0);
        }
    }
    dp2dp_schema_free(schema);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t end = size;
    while (end > 0 && data[end - 1] != 0) {
        end--;
    }
    const char *input = (const char *)data;
    if (end == 0) {
        try_schema(size ? input : "", size, "", 0);
    } else {
        try_schema(input, end - 1, input + end, size - end);
    }
    return 0;
}
