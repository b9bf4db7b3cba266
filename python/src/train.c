#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static PyObject *schema_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    const char *source;
    dp2dp_schema *schema = NULL;
    dp2dp_error error;
    dp2dp_status status;
    static char *names[] = {"source", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s", names, &source)) {
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    status = dp2dp_schema_load(source, &schema, &error);
    PyEval_RestoreThread(thread);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    core_schema *self = core_new((PyObject *)type);
    if (self == NULL) {
        dp2dp_schema_free(schema);
        return NULL;
    }
    self->schema = schema;
    return (PyObject *)self;
}

static void schema_dealloc(PyObject *self) {
    dp2dp_schema_free(((core_schema *)self)->schema);
    core_delete(self);
}

static PyObject *schema_info(PyObject *self, PyObject *unused) {
    const dp2dp_schema_info *s = dp2dp_schema_view(((core_schema *)self)->schema);
    PyObject *columns = PyList_New((Py_ssize_t)s->column_count);
    (void)unused;
    for (size_t i = 0; columns && i < s->column_count; i++) {
        PyObject *name = PyUnicode_FromString(s->columns[i].name);
        if (name == NULL) {
            Py_CLEAR(columns);
        } else {
            PyList_SetItem(columns, (Py_ssize_t)i, name);
        }
    }
    return Py_BuildValue("{s:s,s:s#,s:N,s:d,s:n,s:N,s:N,s:N}", "name", s->name, "text", s->text,
                         (Py_ssize_t)s->text_length, "from_data",
                         PyBool_FromLong(s->origin == DP2DP_ORIGIN_FROM_DATA), "norm", s->norm,
                         "width", (Py_ssize_t)s->width, "columns", columns, "classes",
                         core_list_of_texts(s->classes, s->class_count), "groups",
                         core_list_of_texts(s->groups, s->group_count));
}

static PyMethodDef schema_methods[] = {
    {"_info", schema_info, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot schema_slots[] = {
    {Py_tp_new, (void *)schema_new},
    {Py_tp_dealloc, (void *)schema_dealloc},
    {Py_tp_methods, schema_methods},
    {0, NULL},
};

static PyType_Spec schema_spec = {
    .name = "dp2dp._core.Schema",
    .basicsize = sizeof(core_schema),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = schema_slots,
};

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
        *error = (dp2dp_error) {DP2DP_STATUS_MEMORY, "out of memory for the columns of a table"};
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

int core_rows_open(PyObject *rows, const dp2dp_schema *schema, unsigned parts,
                   struct ArrowArrayStream *out) {
    struct ArrowArrayStream table = {.release = NULL};
    dp2dp_status status = DP2DP_STATUS_OK;
    dp2dp_error error;
    PyObject *path = NULL;
    if (PyCapsule_IsValid(rows, "arrow_array_stream")) {
        struct ArrowArrayStream *given = PyCapsule_GetPointer(rows, "arrow_array_stream");
        table = *given;
        given->release = NULL;
        if (table.release == NULL) {
            PyErr_SetString(PyExc_ValueError, "the Arrow stream has been used already");
            return -1;
        }
    } else if (!PyUnicode_FSConverter(rows, &path)) {
        return -1;
    }
    const char *name = path ? PyBytes_AsString(path) : NULL;
    PyThreadState *thread = PyEval_SaveThread();
    if (path) {
        status = open_file(name, schema, parts, &table, &error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_schema_encode(schema, parts, &table, name, out, &error);
    }
    PyEval_RestoreThread(thread);
    Py_XDECREF(path);
    return status == DP2DP_STATUS_OK ? 0 : (core_raise(status, &error), -1);
}

static int take_method(core_options *options, dp2dp_train_method *out) {
    const char *word = NULL;
    if (core_take_word(options, "method", &word) < 0) {
        return -1;
    }
    if (word == NULL) {
        return 0;
    }
#define DP2DP_TRAIN_METHOD(name, value, text) \
    if (strcmp(word, text) == 0) {            \
        *out = DP2DP_TRAIN_##name;            \
        return 0;                             \
    }
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    PyErr_Format(core.option_error,
                 "method must be dpgd, dpsgd, output, none or external, not '%s'", word);
    return -1;
}

/* "weights": classes x (features + 1) numbers of format "d". */
static int take_weights(core_options *options, const dp2dp_schema_info *info, Py_buffer *buffer,
                        dp2dp_train_options *out) {
    PyObject *weights = core_take(options, "weights");
    if (weights == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    size_t count = info->class_count * (info->width + 1);
    if (PyObject_GetBuffer(weights, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return -1;
    }
    if (buffer->format == NULL || strcmp(buffer->format, "d") != 0 ||
        (size_t)buffer->len != count * sizeof(double)) {
        PyErr_Format(core.option_error,
                     "weights must be %zu x %zu float64: a row for each class, the bias last",
                     info->class_count, info->width + 1);
        PyBuffer_Release(buffer);
        return -1;
    }
    out->weights = buffer->buf;
    return 0;
}

static int take_train_options(core_options *o, core_ledger **ledger, core_watch *watch,
                              dp2dp_train_options *out) {
    if (take_method(o, &out->method) < 0 || core_take_seed(o, &out->rng, &out->insecure_seed) < 0 ||
        core_take_threads(o, &out->threads) < 0 ||
        core_take_object(o, "ledger", core.ledger, ledger) < 0) {
        return -1;
    }
#define DP2DP_TRAIN_NUMBER(name, standard, least, most, meaning) \
    if (core_take_number(o, #name, &out->name) < 0) {            \
        return -1;                                               \
    }
#define DP2DP_TRAIN_COUNT(name, standard, least, most, meaning) \
    if (core_take_count(o, #name, &out->name) < 0) {            \
        return -1;                                              \
    }
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    watch->function = core_take(o, "progress");
    out->ledger = *ledger ? (*ledger)->ledger : NULL;
    out->progress = core_progress;
    out->progress_context = watch;
    return PyErr_Occurred() ? -1 : 0;
}

/* Model._train(schema, rows or None, options): rows are a path or a capsule. */
PyObject *core_model_train(PyObject *type, PyObject *args) {
    PyObject *schema_object, *rows, *dict, *result = NULL;
    core_options keywords = {0};
    core_ledger *ledger = NULL;
    core_watch watch = {0};
    Py_buffer weights = {0};
    struct ArrowArrayStream stream = {.release = NULL};
    dp2dp_train_options options;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    dp2dp_status status;
    dp2dp_train_options_init(&options);
    if (!PyArg_ParseTuple(args, "O!OO!", core.schema, &schema_object, &rows, &PyDict_Type, &dict)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    if (core_options_open(&keywords, dict) == 0 &&
        take_weights(&keywords, dp2dp_schema_view(schema), &weights, &options) == 0 &&
        take_train_options(&keywords, &ledger, &watch, &options) == 0 &&
        core_options_check(&keywords) == 0 &&
        (Py_IsNone(rows) ||
         core_rows_open(rows, schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, &stream) == 0)) {
        PyThreadState *thread = PyEval_SaveThread();
        core_ledger_lock(ledger);
        status = dp2dp_train(schema, stream.release ? &stream : NULL, &options, &model, &error);
        core_ledger_unlock(ledger);
        PyEval_RestoreThread(thread);
        core_model *self = status == DP2DP_STATUS_OK ? core_new(type) : NULL;
        if (status != DP2DP_STATUS_OK) {
            core_raise(status, &error);
        } else if (self) {
            self->model = model;
            model = NULL;
        }
        result = (PyObject *)self;
    }
    dp2dp_model_free(model);
    core_options_close(&keywords);
    PyBuffer_Release(&weights);
    return result;
}

/* What is read of a stream of scores, as bytes: positions, scores, labels, groups. */
typedef struct scored {
    PyObject *parts[4];
} scored;

static int append(PyObject *bytes, const void *data, size_t length) {
    Py_ssize_t before = PyByteArray_Size(bytes);
    if (PyByteArray_Resize(bytes, before + (Py_ssize_t)length) < 0) {
        return -1;
    }
    memcpy(PyByteArray_AsString(bytes) + before, data, length);
    return 0;
}

static int take_batch(const struct ArrowArray *batch, size_t classes, unsigned parts, scored *s) {
    size_t n = (size_t)batch->length;
    int64_t last = 2;
    const struct ArrowArray *scores = batch->children[1];
    if (append(s->parts[0], batch->children[0]->buffers[1], n * sizeof(int64_t)) < 0 ||
        append(s->parts[1], scores->children[0]->buffers[1], n * classes * sizeof(float)) < 0) {
        return -1;
    }
    if ((parts & DP2DP_PART_LABEL) &&
        append(s->parts[2], batch->children[last++]->buffers[1], n * sizeof(int32_t)) < 0) {
        return -1;
    }
    return parts & DP2DP_PART_GROUP
               ? append(s->parts[3], batch->children[last]->buffers[1], n * sizeof(int32_t))
               : 0;
}

static int next_batch(struct ArrowArrayStream *stream, struct ArrowArray *batch) {
    int number;
    PyThreadState *thread = PyEval_SaveThread();
    number = stream->get_next(stream, batch);
    PyEval_RestoreThread(thread);
    if (number == 0 || PyErr_Occurred()) {
        return number;
    }
    const char *message = stream->get_last_error(stream);
    PyObject *kind = number == ENOMEM ? PyExc_MemoryError
                     : number == EIO  ? PyExc_OSError
                                      : core.data_error;
    PyErr_SetString(kind, message ? message : strerror(number));
    return number;
}

static int read_scores(struct ArrowArrayStream *stream, size_t classes, unsigned parts,
                       scored *out) {
    int failed = 0;
    for (int i = 0; i < 4 && !failed; i++) {
        out->parts[i] = PyByteArray_FromStringAndSize(NULL, 0);
        failed = out->parts[i] == NULL;
    }
    while (!failed) {
        struct ArrowArray batch = {.release = NULL};
        failed = next_batch(stream, &batch) != 0;
        if (failed || batch.release == NULL) {
            break;
        }
        failed = take_batch(&batch, classes, parts, out) < 0 || PyErr_CheckSignals() < 0;
        batch.release(&batch);
    }
    return failed ? -1 : 0;
}

/* model._score(rows, parts) -> (positions, scores, labels, groups), each a bytearray. */
PyObject *core_model_score(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    PyObject *rows, *result = NULL;
    unsigned parts;
    struct ArrowArrayStream encoded = {.release = NULL}, stream = {.release = NULL};
    dp2dp_schema *schema = NULL;
    scored found = {{NULL}};
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "OI", &rows, &parts)) {
        return NULL;
    }
    if (info->classifier == NULL) {
        PyErr_SetString(core.option_error, "the model has no classifier: give it scores, not rows");
        return NULL;
    }
    status = dp2dp_schema_load(info->classifier->schema, &schema, &error);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    if (core_rows_open(rows, schema, parts | DP2DP_PART_FEATURES, &encoded) == 0) {
        status = dp2dp_model_score(model, &encoded, &stream, &error);
        if (status != DP2DP_STATUS_OK) {
            core_raise(status, &error);
        } else if (read_scores(&stream, info->classes, parts, &found) == 0) {
            result = Py_BuildValue("(OOOO)", found.parts[0], found.parts[1], found.parts[2],
                                   found.parts[3]);
        }
    }
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(found.parts[i]);
    }
    if (stream.release) {
        stream.release(&stream);
    }
    dp2dp_schema_free(schema);
    return result;
}

int core_add_train(PyObject *module) {
    return core_add_type(module, &schema_spec, "Schema", &core.schema);
}
