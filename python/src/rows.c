/* Rows as a stream, encoded by a schema. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>

/* A stream that can be interrupted: Ctrl-C is checked between its batches, and at its end, before
 * the rows are used. It fails with ECANCELED then. */
typedef struct listener {
    struct ArrowArrayStream source;
    core_watch watch;
} listener;

static int listener_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    listener *l = stream->private_data;
    return l->source.get_schema(&l->source, out);
}

static int listener_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    listener *l = stream->private_data;
    int err = l->source.get_next(&l->source, out);
    if (err != 0) {
        return err;
    }
    if (out->release == NULL) {
        l->watch = (core_watch) {0}; /* the last check is made however early it is */
    }
    if (core_progress(&l->watch, 0, 0) == 0) {
        return 0;
    }
    if (out->release) {
        out->release(out);
    }
    return ECANCELED;
}

static const char *listener_error(struct ArrowArrayStream *stream) {
    listener *l = stream->private_data;
    return l->source.get_last_error(&l->source);
}

static void listener_release(struct ArrowArrayStream *stream) {
    listener *l = stream->private_data;
    l->source.release(&l->source);
    free(l);
    stream->release = NULL;
}

/* Returns err, and then leaves the stream as it was. */
static int make_listener(struct ArrowArrayStream *stream) {
    listener *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return ENOMEM;
    }
    l->source = *stream;
    *stream = (struct ArrowArrayStream) {.get_schema = listener_schema,
                                         .get_next = listener_next,
                                         .get_last_error = listener_error,
                                         .release = listener_release,
                                         .private_data = l};
    return 0;
}

static int is_wanted(const dp2dp_schema_column *column, unsigned parts) {
    return (column->role == DP2DP_ROLE_FEATURE && (parts & DP2DP_PART_FEATURES)) ||
           (column->role == DP2DP_ROLE_LABEL && (parts & DP2DP_PART_LABEL)) ||
           (column->role == DP2DP_ROLE_SENSITIVE && (parts & DP2DP_PART_GROUP));
}

/* The columns of a table file that the parts need. */
static dp2dp_status open_file(const char *path, const dp2dp_schema *schema, unsigned parts,
                              struct ArrowArrayStream *out, dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(info->column_count, sizeof *wanted);
    if (wanted == NULL) {
        return DP2DP_STATUS_MEMORY;
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
    dp2dp_status status = dp2dp_table_open(path, &options, out, error);
    free(wanted);
    return status;
}

/* Without the GIL. `table` is a stream, or is opened from a path; it is moved into *out. */
static dp2dp_status encode(const char *path, struct ArrowArrayStream *table,
                           const dp2dp_schema *schema, unsigned parts, struct ArrowArrayStream *out,
                           dp2dp_error *error) {
    dp2dp_status status = path ? open_file(path, schema, parts, table, error) : DP2DP_STATUS_OK;
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_schema_encode(schema, parts, table, path, out, error);
    }
    if (status == DP2DP_STATUS_OK && make_listener(out) != 0) {
        out->release(out);
        return DP2DP_STATUS_MEMORY;
    }
    return status;
}

int core_rows_open(PyObject *rows, const dp2dp_schema *schema, unsigned parts,
                   struct ArrowArrayStream *out) {
    struct ArrowArrayStream table = {.release = NULL};
    dp2dp_status status;
    dp2dp_error error = {.message = "out of memory for rows"}; /* unless the library fails */
    PyObject *path = NULL;
    if (PyCapsule_CheckExact(rows) ? core_stream_take(rows, &table) < 0
                                   : !PyUnicode_FSConverter(rows, &path)) {
        return -1;
    }
    const char *name = path ? PyBytes_AsString(path) : NULL;
    CORE_WITHOUT_GIL(status = encode(name, &table, schema, parts, out, &error));
    Py_XDECREF(path);
    return core_check(status, &error);
}
