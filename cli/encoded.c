#include "encoded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "table.h"

static int is_wanted(const dp2dp_schema_column *column, unsigned parts) {
    return (column->role == DP2DP_ROLE_FEATURE && (parts & DP2DP_PART_FEATURES)) ||
           (column->role == DP2DP_ROLE_LABEL && (parts & DP2DP_PART_LABEL)) ||
           (column->role == DP2DP_ROLE_SENSITIVE && (parts & DP2DP_PART_GROUP));
}

/* A stream that counts what passes. */
typedef struct counted {
    struct ArrowArrayStream inner;
    uint64_t *rows;
} counted;

static int counted_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    counted *c = stream->private_data;
    return c->inner.get_schema(&c->inner, out);
}

static int counted_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    counted *c = stream->private_data;
    int number = c->inner.get_next(&c->inner, out);
    *c->rows += number == 0 && out->release ? (uint64_t)out->length : 0;
    return number;
}

static const char *counted_error(struct ArrowArrayStream *stream) {
    counted *c = stream->private_data;
    return c->inner.get_last_error(&c->inner);
}

static void counted_release(struct ArrowArrayStream *stream) {
    counted *c = stream->private_data;
    c->inner.release(&c->inner);
    free(c);
    stream->release = NULL;
}

/* Puts the counting stream in the place of *stream, which it owns from then on. */
static dp2dp_status count_rows(struct ArrowArrayStream *stream, uint64_t *rows,
                               dp2dp_error *error) {
    counted *c = malloc(sizeof *c);
    if (c == NULL) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a stream");
    }
    *rows = 0;
    *c = (counted) {*stream, rows};
    *stream = (struct ArrowArrayStream) {.get_schema = counted_schema,
                                         .get_next = counted_next,
                                         .get_last_error = counted_error,
                                         .release = counted_release,
                                         .private_data = c};
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, uint64_t *rows, struct ArrowArrayStream *out,
                              dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(info->column_count, sizeof *wanted);
    struct ArrowArrayStream table;
    out->release = NULL;
    if (wanted == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu columns",
                        info->column_count);
    }
    for (size_t i = 0; i < info->column_count; i++) {
        if (is_wanted(&info->columns[i], parts)) {
            wanted[options.column_count++] =
                (dp2dp_table_column) {info->columns[i].name, info->columns[i].type};
        }
    }
    options.columns = wanted;
    options.missing = info->markers;
    options.missing_count = info->marker_count;
    dp2dp_status status = cli_table_open(args, path, &options, &table, error);
    free(wanted);
    if (status == DP2DP_STATUS_OK && rows) {
        status = count_rows(&table, rows, error);
    }
    return status == DP2DP_STATUS_OK ? dp2dp_schema_encode(schema, parts, &table, path, out, error)
                                     : status;
}

dp2dp_status cli_stream_type(struct ArrowArrayStream *stream, dp2dp_type *out, dp2dp_error *error) {
    struct ArrowSchema schema = {.release = NULL};
    if (stream->get_schema(stream, &schema) != 0) {
        return cli_fail(error, DP2DP_STATUS_INTERNAL,
                        "the table does not say what its columns are");
    }
    *out = strcmp(schema.children[0]->format, "f") == 0 ? DP2DP_FLOAT32 : DP2DP_FLOAT64;
    schema.release(&schema);
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             dp2dp_error *error) {
    *out = (struct ArrowArray) {.release = NULL};
    int number = stream->get_next(stream, out);
    if (number == 0) {
        return DP2DP_STATUS_OK;
    }
    const char *message = stream->get_last_error(stream);
    dp2dp_status status = number == ENOMEM      ? DP2DP_STATUS_MEMORY
                          : number == EIO       ? DP2DP_STATUS_IO
                          : number == ECANCELED ? DP2DP_STATUS_CANCELLED
                                                : DP2DP_STATUS_DATA;
    return cli_fail(error, status, "%s", message ? message : strerror(number));
}
