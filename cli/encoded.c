#include "encoded.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "table.h"

enum {
    LEVELS_SIZE = 120 /* bytes of a message */
};

static int is_wanted(const dp2dp_schema_column *column, unsigned parts) {
    return (column->role == DP2DP_ROLE_FEATURE && (parts & DP2DP_PART_FEATURES)) ||
           (column->role == DP2DP_ROLE_LABEL && (parts & DP2DP_PART_LABEL)) ||
           (column->role == DP2DP_ROLE_SENSITIVE && (parts & DP2DP_PART_GROUP));
}

/* A stream within another. It counts the rows that pass if there is a watch, and has more to say
 * about what is wrong if there is a schema. */
typedef struct wrapper {
    struct ArrowArrayStream inner;
    cli_watch *watch;
    const dp2dp_schema_info *schema;
    char message[2 * DP2DP_ERROR_MESSAGE_SIZE];
} wrapper;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    wrapper *w = stream->private_data;
    return w->inner.get_schema(&w->inner, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    wrapper *w = stream->private_data;
    int err = w->inner.get_next(&w->inner, out);
    if (w->watch) {
        w->watch->rows += err == 0 && out->release ? (uint64_t)out->length : 0;
    }
    return err;
}

/* The levels of the column that a message is about, which are public. */
static void list_levels(wrapper *w, const char *message) {
    const char *at = strstr(message, ", column \"");
    for (size_t i = 0; i < w->schema->column_count; i++) {
        const dp2dp_schema_column *c = &w->schema->columns[i];
        char start[DP2DP_ERROR_MESSAGE_SIZE];
        snprintf(start, sizeof start, ", column \"%.200s\": ", c->name);
        if (at && strncmp(at, start, strlen(start)) == 0) {
            size_t used = strlen(w->message), size = used + LEVELS_SIZE;
            for (size_t k = 0; k < c->declared_count; k++) {
                const char *before = k ? ", " : "; the schema has ";
                if (used + strlen(before) + strlen(c->levels[k]) + 8 > size) {
                    snprintf(w->message + used, size - used, ", ...");
                    break;
                }
                used += (size_t)snprintf(w->message + used, size - used, "%s\"%s\"", before,
                                         c->levels[k]);
            }
            return;
        }
    }
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    wrapper *w = stream->private_data;
    const char *message = w->inner.get_last_error(&w->inner);
    if (message == NULL || w->schema == NULL || strstr(message, "list of levels") == NULL) {
        return message;
    }
    snprintf(w->message, DP2DP_ERROR_MESSAGE_SIZE, "%s", message);
    list_levels(w, message);
    return w->message;
}

static void release(struct ArrowArrayStream *stream) {
    wrapper *w = stream->private_data;
    w->inner.release(&w->inner);
    free(w);
    stream->release = NULL;
}

/* Puts a wrapper in the place of *stream, which it owns from then on. */
static dp2dp_status wrap(struct ArrowArrayStream *stream, cli_watch *watch,
                         const dp2dp_schema_info *schema, dp2dp_error *error) {
    wrapper *w = malloc(sizeof *w);
    if (w == NULL) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a stream");
    }
    *w = (wrapper) {.inner = *stream, .watch = watch, .schema = schema};
    *stream = (struct ArrowArrayStream) {.get_schema = get_schema,
                                         .get_next = get_next,
                                         .get_last_error = get_last_error,
                                         .release = release,
                                         .private_data = w};
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
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
    options.cancel = watch ? cli_watch_given_up : NULL;
    options.cancel_context = watch;
    dp2dp_status status = cli_table_open(args, path, &options, &table, error);
    free(wanted);
    if (status == DP2DP_STATUS_OK && watch) {
        status = wrap(&table, watch, NULL, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_schema_encode(schema, parts, &table, path, out, error);
    }
    return status == DP2DP_STATUS_OK ? wrap(out, NULL, info, error) : status;
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
    int err = stream->get_next(stream, out);
    if (err == 0) {
        return DP2DP_STATUS_OK;
    }
    const char *message = stream->get_last_error(stream);
    dp2dp_status status = err == ENOMEM      ? DP2DP_STATUS_MEMORY
                          : err == EIO       ? DP2DP_STATUS_IO
                          : err == ECANCELED ? DP2DP_STATUS_CANCELLED
                                             : DP2DP_STATUS_DATA;
    return cli_fail(error, status, "%s", message ? message : strerror(err));
}
