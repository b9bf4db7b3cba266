/* Opens a stream of rows encoded by a schema, and scores rows. */
#include "core.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

/* A stream of rows that also checks for Ctrl-C between the batches and after the last batch. After
 * Ctrl-C the stream fails with ECANCELED, so nothing is done with the rows. */
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
        l->watch = (core_watch) {0}; /* makes the next line check for Ctrl-C at once */
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

dp2dp_status core_stream_listen(struct ArrowArrayStream *stream, dp2dp_error *error) {
    listener *l = calloc(1, sizeof *l);
    if (l == NULL) {
        if (stream->release) {
            stream->release(stream);
        }
        *error = (dp2dp_error) {.status = DP2DP_STATUS_MEMORY, .message = "out of memory for rows"};
        return DP2DP_STATUS_MEMORY;
    }
    l->source = *stream;
    *stream = (struct ArrowArrayStream) {.get_schema = listener_schema,
                                         .get_next = listener_next,
                                         .get_last_error = listener_error,
                                         .release = listener_release,
                                         .private_data = l};
    return DP2DP_STATUS_OK;
}

/* The cancel callback of a table. Checks for Ctrl-C only on the thread that opened the table,
 * because the read-ahead thread would lose the exception. */
static int is_interrupted(void *thread) {
    return PyThread_get_thread_ident() == (unsigned long)(uintptr_t)thread && core_is_interrupted();
}

/* Opens a file, with a check for Ctrl-C. */
static dp2dp_status open_file(const char *path, const dp2dp_schema *schema, unsigned parts,
                              dp2dp_table_options *options, struct ArrowArrayStream *out,
                              dp2dp_error *error) {
    options->cancel = is_interrupted;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr): the context is a number */
    options->cancel_context = (void *)(uintptr_t)PyThread_get_thread_ident();
    return dp2dp_schema_open(schema, parts, path, options, out, error);
}

/* Encodes the rows of the file `path`. If path is NULL, encodes the rows of `table`, and moves
 * `table` into *out. In this case, `table` is wrapped to check for Ctrl-C. For a file, the cancel
 * callback of dp2dp_schema_open checks for Ctrl-C. Called without the GIL. */
static dp2dp_status encode(const char *path, struct ArrowArrayStream *table,
                           const dp2dp_schema *schema, unsigned parts, struct ArrowArrayStream *out,
                           dp2dp_error *error) {
    if (path) {
        dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
        return open_file(path, schema, parts, &options, out, error);
    }
    dp2dp_status status = core_stream_listen(table, error);
    return status == DP2DP_STATUS_OK ? dp2dp_schema_encode(schema, parts, table, NULL, out, error)
                                     : status;
}

unsigned core_parts_of_records(int ignore) {
    return DP2DP_PART_LEFT_OUT | (ignore ? DP2DP_PART_IGNORE_BAD : 0U);
}

int core_rows_open(PyObject *rows, const dp2dp_schema *schema, unsigned parts,
                   struct ArrowArrayStream *out) {
    struct ArrowArrayStream table = {.release = NULL};
    dp2dp_status status;
    dp2dp_error error;
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

static dp2dp_status read_to_end(struct ArrowArrayStream *stream, dp2dp_error *error) {
    struct ArrowArray batch = {.release = NULL};
    dp2dp_status status;
    while ((status = dp2dp_stream_next(stream, &batch, error)) == DP2DP_STATUS_OK &&
           batch.release) {
        batch.release(&batch);
    }
    stream->release(stream);
    return status;
}

int core_rows_watch(PyObject *path, const dp2dp_schema *schema, unsigned parts,
                    dp2dp_table_options *options) {
    struct ArrowArrayStream stream;
    dp2dp_status status;
    dp2dp_error error;
    PyObject *bytes = NULL;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return -1;
    }
    const char *name = PyBytes_AsString(bytes);
    CORE_WITHOUT_GIL({
        status = open_file(name, schema, parts, options, &stream, &error);
        if (status == DP2DP_STATUS_OK) {
            status = read_to_end(&stream, &error);
        }
    });
    Py_DECREF(bytes);
    return core_check(status, &error);
}

int core_rows_encode(PyObject *rows, const dp2dp_schema *schema, int labels, int groups, int ignore,
                     struct ArrowArrayStream *out) {
    unsigned parts = DP2DP_PART_FEATURES | (labels ? DP2DP_PART_LABEL : 0U) |
                     (groups ? DP2DP_PART_GROUP : 0U) | core_parts_of_records(ignore);
    int leaves_out = ignore || (dp2dp_schema_view(schema)->leaves_out & parts) != 0;
    return core_rows_open(rows, schema, parts, out) < 0 ? -1 : leaves_out;
}

/* _score(schema of the classifier, rows, labels, groups, ignore, group model or None) -> (capsule
 * of a stream, whether rows may be left out). labels and groups say whether the stream has a column
 * of labels and a column of groups. If rows may be left out, the stream has a column that marks the
 * rows left out. With ignore, bad rows are left out too. If a group model is given, the stream has
 * a column of weights: the probabilities of the groups that the group model predicts. The stream
 * borrows the models and the schema. */
PyObject *core_model_score(PyObject *self, PyObject *args) {
    PyObject *given, *rows, *other;
    int labels, groups, ignore;
    struct ArrowArrayStream encoded, stream;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "O!OpppO", core.schema, &given, &rows, &labels, &groups, &ignore,
                          &other)) {
        return NULL;
    }
    if (!Py_IsNone(other) && !PyObject_TypeCheck(other, core.model)) {
        PyErr_Format(PyExc_TypeError, "group_model must be a dp2dp.Model, not %R",
                     (PyObject *)Py_TYPE(other));
        return NULL;
    }
    const dp2dp_model *group_model = Py_IsNone(other) ? NULL : ((core_model *)other)->model;
    const dp2dp_schema *schema = ((core_schema *)given)->schema;
    int leaves_out = core_rows_encode(rows, schema, labels, groups, ignore, &encoded);
    if (leaves_out < 0) {
        return NULL;
    }
    dp2dp_status status = dp2dp_model_score_with_groups(((core_model *)self)->model, group_model,
                                                        &encoded, &stream, &error);
    if (core_check(status, &error) < 0) {
        return NULL;
    }
    PyObject *capsule = core_stream_capsule(&stream);
    return capsule ? Py_BuildValue("NN", capsule, PyBool_FromLong(leaves_out)) : NULL;
}
