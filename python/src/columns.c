/* Reads Arrow columns of other libraries without a copy: Python gets the address of each array. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A type of number: Arrow's format letter, numpy's name, and the size in bytes. */
typedef struct kind {
    char letter;
    const char *name;
    int64_t size;
} kind;

static const kind kinds[] = {
    {'f', "f4", 4}, {'g', "f8", 8}, {'c', "i1", 1}, {'C', "u1", 1}, {'s', "i2", 2},
    {'S', "u2", 2}, {'i', "i4", 4}, {'I', "u4", 4}, {'l', "i8", 8}, {'L', "u8", 8},
};

/* Returns the type of the numbers in a column, or NULL if the column does not hold numbers. Each
 * row has one number, or a list of numbers of a fixed length. Sets *width to this length, or to -1
 * if each row has one number. */
static const kind *kind_of(const struct ArrowSchema *schema, Py_ssize_t *width) {
    *width = -1;
    if (strncmp(schema->format, "+w:", 3) == 0 && schema->n_children == 1) {
        *width = (Py_ssize_t)strtol(schema->format + 3, NULL, 10);
        if (*width < 0) {
            return NULL;
        }
        schema = schema->children[0];
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (schema->format[0] == kinds[i].letter && schema->format[1] == '\0' &&
            schema->dictionary == NULL) {
            return &kinds[i];
        }
    }
    return NULL;
}

static int has_missing(const struct ArrowArray *array, int64_t from, int64_t count) {
    const unsigned char *bits = array->buffers[0];
    int64_t end = bits && array->null_count != 0 ? from + count : from;
    while (from < end && (bits[from / 8] >> (from % 8) & 1)) {
        from++;
    }
    return from < end;
}

static PyObject *refuse_missing(const char *name) {
    PyErr_Format(core.data_error, "%s has missing values; drop or fill them", name);
    return NULL;
}

/* Returns the tuple (batch, type, address, rows, width) for `rows` rows of a column. `from` is the
 * first of these rows, counted from the array's own offset. The batch in the tuple keeps the memory
 * at the address alive. */
static PyObject *column_of(PyObject *batch, const char *name, const struct ArrowSchema *schema,
                           const struct ArrowArray *array, int64_t from, int64_t rows) {
    static const double nothing = 0;
    Py_ssize_t width;
    const kind *k = kind_of(schema, &width);
    int64_t at = array->offset + from;
    int missing = has_missing(array, at, rows);
    if (width >= 0) {
        array = array->children[0];
        at = array->offset + at * width;
        missing |= has_missing(array, at, rows * width);
    }
    if (missing) {
        return refuse_missing(name);
    }
    const void *data = &nothing;
    if (rows > 0 && width != 0) {
        data = (const char *)array->buffers[1] + at * k->size;
    }
    return Py_BuildValue("(OsNLn)", batch, k->name, PyLong_FromVoidPtr((void *)data),
                         (long long)rows, width);
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

/* Returns what Python gets for a batch. For a table, returns a list with the tuple of column_of for
 * each column. For a single column, returns the tuple of column_of. */
static PyObject *columns_of(PyObject *batch, const char *name, const struct ArrowSchema *schema,
                            const struct ArrowArray *array) {
    if (!is_table(schema)) {
        return column_of(batch, name, schema, array, 0, array->length);
    }
    if (has_missing(array, array->offset, array->length)) {
        return refuse_missing(name);
    }
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < array->n_children; i++) {
        PyObject *column = column_of(batch, name, schema->children[i], array->children[i],
                                     array->offset, array->length);
        if (column == NULL || PyList_Append(list, column) < 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(column);
    }
    return list;
}

/* Appends the columns of a batch to the list. Ownership: takes over the batch, even on failure. */
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
        dp2dp_status status;
        dp2dp_error error;
        CORE_WITHOUT_GIL(status = dp2dp_stream_next(stream, &batch, &error));
        if (core_check(status, &error) < 0) {
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
        return kind_of(schema, &width) != NULL;
    }
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (kind_of(schema->children[i], &width) == NULL) {
            return 0;
        }
    }
    return 1;
}

/* `pair` is what __arrow_c_array__ returns: the capsules of a schema and of an array. */
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
        PyErr_SetString(PyExc_ValueError,
                        "the Arrow array has been used already: pass a new array");
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

/* Raises the error of a stream. If an exception is set already, keeps that exception. */
static PyObject *raise_error_of(struct ArrowArrayStream *stream, int err) {
    dp2dp_error error = {0};
    dp2dp_status status = err == ENOMEM ? DP2DP_STATUS_MEMORY
                          : err == EIO  ? DP2DP_STATUS_IO
                                        : DP2DP_STATUS_DATA;
    const char *message = PyErr_Occurred() ? NULL : stream->get_last_error(stream);
    PyOS_snprintf(error.message, sizeof error.message, "%s", message ? message : strerror(err));
    return core_raise(status, &error);
}

static PyObject *columns_of_stream(struct ArrowArrayStream *stream, const char *name) {
    struct ArrowSchema schema = {.release = NULL};
    PyObject *list;
    int err;
    CORE_WITHOUT_GIL(err = stream->get_schema(stream, &schema));
    if (err != 0) {
        return raise_error_of(stream, err);
    }
    list = are_numbers(&schema) ? PyList_New(0) : Py_NewRef(Py_None);
    if (list && !Py_IsNone(list) && append_stream(stream, &schema, name, list) < 0) {
        Py_CLEAR(list);
    }
    schema.release(&schema);
    return list;
}

/* Releases the stream without holding the GIL, because threads of the stream may wait for the
 * GIL. */
static void release_stream(struct ArrowArrayStream *stream) {
    PyObject *type, *value, *trace;
    /* Hides a pending exception from Python code that the release may run. */
    PyErr_Fetch(&type, &value, &trace);
    CORE_WITHOUT_GIL(stream->release(stream));
    PyErr_Restore(type, value, trace);
}

/* columns(given, name) -> [batch, ...]. `given` is the capsule of a stream, or the pair of capsules
 * of a schema and an array. A batch is a column, or the list of columns of a table. Returns None if
 * some column does not hold numbers. */
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
    release_stream(&stream);
    return result;
}
