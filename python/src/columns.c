/* Columns of other libraries, read where they are: Arrow's arrays behind Python's buffer protocol.
 */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct core_column_view {
    PyObject_HEAD PyObject *batch; /* keeps the memory alive */
    void *data;
    char format[2];
    int dimensions;
    Py_ssize_t size, shape[2], strides[2];
} core_column_view;

static void view_dealloc(PyObject *self) {
    Py_XDECREF(((core_column_view *)self)->batch);
    core_delete(self);
}

static int view_get(PyObject *self, Py_buffer *out, int flags) {
    core_column_view *v = (core_column_view *)self;
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "the column is read only");
        return -1;
    }
    *out = (Py_buffer) {.buf = v->data,
                        .obj = Py_NewRef(self),
                        .len = v->size * v->shape[0] * v->shape[1],
                        .itemsize = v->size,
                        .readonly = 1,
                        .ndim = v->dimensions,
                        .format = v->format,
                        .shape = v->shape,
                        .strides = v->strides};
    return 0;
}

static PyType_Slot view_slots[] = {
    {Py_tp_dealloc, (void *)view_dealloc},
    {Py_bf_getbuffer, (void *)view_get},
    {0, NULL},
};

PyType_Spec core_column_spec = {
    .name = "dp2dp._core.Column",
    .basicsize = sizeof(core_column_view),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = view_slots,
};

/* A letter of Arrow, the same of Python, and how many bytes a number takes. */
static const struct {
    char arrow, python;
    Py_ssize_t size;
} kinds[] = {
    {'f', 'f', 4}, {'g', 'd', 8}, {'c', 'b', 1}, {'C', 'B', 1}, {'s', 'h', 2},
    {'S', 'H', 2}, {'i', 'i', 4}, {'I', 'I', 4}, {'l', 'q', 8}, {'L', 'Q', 8},
};

/* The kind of a column of numbers, or of fixed-size lists of numbers, whose width is set; -1: it is
 * something else. */
static int kind_of(const struct ArrowSchema *schema, Py_ssize_t *width) {
    *width = 0;
    if (strncmp(schema->format, "+w:", 3) == 0 && schema->n_children == 1) {
        *width = (Py_ssize_t)strtol(schema->format + 3, NULL, 10);
        if (*width < 1) {
            return -1;
        }
        schema = schema->children[0];
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (schema->format[0] == kinds[i].arrow && schema->format[1] == '\0' &&
            schema->dictionary == NULL) {
            return (int)i;
        }
    }
    return -1;
}

static int has_missing(const struct ArrowArray *array, int64_t from, int64_t count) {
    const unsigned char *bits = array->buffers[0];
    int missing = 0;
    for (int64_t i = from; bits && array->null_count != 0 && i < from + count && !missing; i++) {
        missing = !(bits[i / 8] >> (i % 8) & 1);
    }
    return missing;
}

static PyObject *refuse_missing(const char *name) {
    PyErr_Format(core.data_error, "%s has missing values; drop or fill them", name);
    return NULL;
}

/* `rows` rows of an array from row `from` on, after the array's own offset. */
static PyObject *view_new(PyObject *batch, const char *name, const struct ArrowSchema *schema,
                          const struct ArrowArray *array, int64_t from, int64_t rows) {
    Py_ssize_t width, each;
    int kind = kind_of(schema, &width);
    int64_t at = array->offset + from;
    int missing = has_missing(array, at, rows);
    each = width > 0 ? width : 1;
    if (width > 0) {
        array = array->children[0];
        at = array->offset + at * width;
        missing |= has_missing(array, at, rows * width);
    }
    if (missing) {
        return refuse_missing(name);
    }
    core_column_view *v = core_new((PyObject *)core.column);
    if (v == NULL) {
        return NULL;
    }
    Py_ssize_t size = kinds[kind].size;
    v->batch = Py_NewRef(batch);
    v->data = rows > 0 ? (char *)array->buffers[1] + at * size : (char *)v->shape;
    v->format[0] = kinds[kind].python;
    v->dimensions = width > 0 ? 2 : 1;
    v->size = size;
    v->shape[0] = (Py_ssize_t)rows;
    v->shape[1] = each;
    v->strides[0] = size * each;
    v->strides[1] = size;
    return (PyObject *)v;
}

static void batch_release(PyObject *capsule) {
    struct ArrowArray *array = PyCapsule_GetPointer(capsule, NULL);
    if (array->release) {
        array->release(array);
    }
    free(array);
}

static int is_table(const struct ArrowSchema *schema) {
    return strcmp(schema->format, "+s") == 0;
}

/* A batch of a table as a list of its columns; one of a column as itself. */
static PyObject *columns_of(PyObject *batch, const char *name, const struct ArrowSchema *schema,
                            const struct ArrowArray *array) {
    if (!is_table(schema)) {
        return view_new(batch, name, schema, array, 0, array->length);
    }
    if (has_missing(array, array->offset, array->length)) {
        return refuse_missing(name);
    }
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < array->n_children; i++) {
        PyObject *column = view_new(batch, name, schema->children[i], array->children[i],
                                    array->offset, array->length);
        if (column == NULL || PyList_Append(list, column) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(column);
    }
    return list;
}

/* Appends the columns of a batch, which is taken over also on failure. */
static int append_batch(struct ArrowArray given, const struct ArrowSchema *schema, const char *name,
                        PyObject *list) {
    struct ArrowArray *array = malloc(sizeof *array);
    PyObject *batch = array ? PyCapsule_New(array, NULL, batch_release) : PyErr_NoMemory();
    if (array == NULL || batch == NULL) {
        given.release(&given);
        free(array);
        return -1;
    }
    *array = given;
    PyObject *columns = columns_of(batch, name, schema, array);
    int failed = columns == NULL || PyList_Append(list, columns) < 0;
    Py_XDECREF(columns);
    Py_DECREF(batch);
    return failed ? -1 : 0;
}

static int append_stream(struct ArrowArrayStream *stream, const struct ArrowSchema *schema,
                         const char *name, PyObject *list) {
    for (;;) {
        struct ArrowArray batch;
        if (core_stream_next(stream, &batch) < 0) {
            return -1;
        }
        if (batch.release == NULL) {
            return 0;
        }
        if (append_batch(batch, schema, name, list) < 0 || PyErr_CheckSignals() < 0) {
            return -1;
        }
    }
}

static int are_numbers(const struct ArrowSchema *schema) {
    Py_ssize_t width;
    if (!is_table(schema)) {
        return kind_of(schema, &width) >= 0;
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (kind_of(schema->children[i], &width) < 0 || width > 0) {
            return 0;
        }
    }
    return 1;
}

/* A pair of capsules, as __arrow_c_array__ gives it. */
static PyObject *columns_of_pair(PyObject *pair, const char *name) {
    PyObject *first, *second;
    if (!PyArg_ParseTuple(pair, "OO", &first, &second)) {
        return NULL;
    }
    struct ArrowSchema *schema = PyCapsule_GetPointer(first, "arrow_schema");
    struct ArrowArray *array = schema ? PyCapsule_GetPointer(second, "arrow_array") : NULL;
    if (array == NULL) {
        return NULL;
    }
    if (schema->release == NULL || array->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "the Arrow array has been used already");
        return NULL;
    }
    if (!are_numbers(schema)) {
        return Py_NewRef(Py_None);
    }
    struct ArrowArray taken = *array;
    array->release = NULL;
    PyObject *list = PyList_New(0);
    if (list == NULL) {
        taken.release(&taken);
    } else if (append_batch(taken, schema, name, list) < 0) {
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *columns_of_stream(struct ArrowArrayStream *stream, const char *name) {
    struct ArrowSchema schema = {.release = NULL};
    PyObject *list;
    int err;
    CORE_WITHOUT_GIL(err = stream->get_schema(stream, &schema));
    if (err != 0) {
        return core_stream_raise(stream, err);
    }
    list = are_numbers(&schema) ? PyList_New(0) : Py_NewRef(Py_None);
    if (list && !Py_IsNone(list) && append_stream(stream, &schema, name, list) < 0) {
        Py_CLEAR(list);
    }
    schema.release(&schema);
    return list;
}

/* columns(capsule of a stream, or those of a schema and an array; name) -> [batch, ...], each a
 * column, or the list of columns of a table; None where some column does not hold numbers. */
PyObject *core_columns(PyObject *module, PyObject *args) {
    PyObject *given;
    const char *name;
    struct ArrowArrayStream stream;
    (void)module;
    if (!PyArg_ParseTuple(args, "Os", &given, &name)) {
        return NULL;
    }
    if (PyTuple_Check(given)) {
        return columns_of_pair(given, name);
    }
    if (core_stream_take(given, &stream) < 0) {
        return NULL;
    }
    PyObject *result = columns_of_stream(&stream, name);
    core_stream_release(&stream);
    return result;
}
