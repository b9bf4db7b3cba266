/* Arrays as an Arrow stream: the columns of a matrix as numbers, and codes as the text of their
 * levels. A batch is a copy of a few thousand rows, so that memory does not depend on the length.
 */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_ROWS = 8192
};

/* A column of codes and what they stand for. */
typedef struct coded {
    Py_buffer buffer;
    const int32_t *codes;
    size_t levels;
    const char *const *texts;
} coded;

typedef struct table {
    core_options keep;
    Py_buffer buffer;
    dp2dp_matrix matrix;
    size_t numbers, columns; /* of which the last are coded */
    const char *const *names;
    coded *coded;
    size_t at; /* rows given out */
    const char *message;
} table;

static int fill_numbers(const table *t, size_t column, size_t rows, struct ArrowArray *out) {
    int err = core_array_new(rows, 2, 0, out);
    double *values = err ? NULL : malloc((rows ? rows : 1) * sizeof *values);
    if (values == NULL) {
        return ENOMEM;
    }
    out->buffers[1] = values;
    const char *cell = (const char *)t->matrix.data + (ptrdiff_t)t->at * t->matrix.row_stride +
                       (ptrdiff_t)column * t->matrix.column_stride;
    for (size_t i = 0; i < rows; i++, cell += t->matrix.row_stride) {
        values[i] = t->matrix.type == DP2DP_FLOAT32 ? (double)*(const float *)(const void *)cell
                                                    : *(const double *)(const void *)cell;
    }
    return 0;
}

/* NULL: the caller has changed the codes since they were checked. */
static const char *text_of(const coded *c, size_t row) {
    int32_t code = c->codes[row];
    return code >= 0 && (size_t)code < c->levels ? c->texts[code] : NULL;
}

static int fill_texts(const table *t, const coded *c, size_t rows, struct ArrowArray *out) {
    int err = core_array_new(rows, 3, 0, out);
    int32_t *offsets = err ? NULL : malloc((rows + 1) * sizeof *offsets);
    size_t length = 0;
    if (offsets == NULL) {
        return ENOMEM;
    }
    out->buffers[1] = offsets;
    for (size_t i = 0; i < rows; i++) {
        const char *text = text_of(c, t->at + i);
        offsets[i] = (int32_t)length;
        length += text ? strlen(text) : 0; /* at most 512 bytes in a schema */
        if (length > INT32_MAX || text == NULL) {
            return text ? EOVERFLOW : EINVAL;
        }
    }
    offsets[rows] = (int32_t)length;
    char *bytes = malloc(length + 1);
    if (bytes == NULL) {
        return ENOMEM;
    }
    out->buffers[2] = bytes;
    for (size_t i = 0; i < rows; i++) {
        const char *text = text_of(c, t->at + i);
        size_t size = (size_t)(offsets[i + 1] - offsets[i]);
        if (text == NULL || strlen(text) != size) {
            return EINVAL;
        }
        memcpy(bytes + offsets[i], text, size);
    }
    return 0;
}

static int table_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    table *t = stream->private_data;
    size_t left = t->matrix.rows - t->at, rows = left < BATCH_ROWS ? left : BATCH_ROWS;
    *out = (struct ArrowArray) {.release = NULL};
    if (rows == 0) {
        return 0;
    }
    int err = core_array_new(rows, 1, t->columns, out);
    for (size_t j = 0; err == 0 && j < t->columns; j++) {
        err = j < t->numbers ? fill_numbers(t, j, rows, out->children[j])
                             : fill_texts(t, &t->coded[j - t->numbers], rows, out->children[j]);
    }
    if (err != 0) {
        out->release(out);
        t->message = err == ENOMEM      ? "out of memory for a batch of rows"
                     : err == EOVERFLOW ? "names are too long"
                                        : "the codes were changed while they were read";
        return err;
    }
    t->at += rows;
    return 0;
}

static int table_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const table *t = stream->private_data;
    int err = core_schema_new("+s", "", t->columns, out);
    for (size_t j = 0; err == 0 && j < t->columns; j++) {
        err = core_schema_new(j < t->numbers ? "g" : "u", t->names[j], 0, out->children[j]);
    }
    if (err != 0) {
        out->release(out);
    }
    return err;
}

static const char *table_error(struct ArrowArrayStream *stream) {
    const table *t = stream->private_data;
    return t->message;
}

/* Whoever reads the stream may release it on any thread, and without the GIL. */
static void free_table(table *t) {
    PyGILState_STATE state = PyGILState_Ensure();
    for (size_t i = 0; t->coded && i < t->columns - t->numbers; i++) {
        PyBuffer_Release(&t->coded[i].buffer);
    }
    free(t->coded);
    PyBuffer_Release(&t->buffer);
    core_options_close(&t->keep);
    free(t);
    PyGILState_Release(state);
}

static void table_release(struct ArrowArrayStream *stream) {
    free_table(stream->private_data);
    stream->release = NULL;
}

static void capsule_release(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release) {
        stream->release(stream);
    }
    free(stream);
}

/* (codes, levels) of one text column; codes are checked, since they are used as positions. */
static int take_coded(table *t, PyObject *pair, size_t rows, coded *out) {
    PyObject *codes, *levels;
    dp2dp_column column;
    char key[] = "levels";
    if (!PyTuple_Check(pair)) {
        PyErr_Format(PyExc_TypeError, "texts must be pairs of codes and levels, not %R",
                     (PyObject *)Py_TYPE(pair));
        return -1;
    }
    if (!PyArg_ParseTuple(pair, "OO", &codes, &levels) ||
        PyDict_SetItemString(t->keep.rest, key, levels) < 0 ||
        core_take_names(&t->keep, key, &out->levels, &out->texts) < 0 ||
        core_column(codes, "codes", &out->buffer, &column) < 0) {
        return -1;
    }
    int sound =
        column.type == DP2DP_INT32 && column.stride == sizeof(int32_t) && column.rows == rows;
    out->codes = column.data;
    for (size_t i = 0; sound && i < rows; i++) {
        sound = out->codes[i] >= 0 && (size_t)out->codes[i] < out->levels;
    }
    if (!sound) {
        PyErr_SetString(core.data_error, "codes must be contiguous int32, one for each row, each a "
                                         "position in the list of levels");
        return -1;
    }
    return 0;
}

static int fill_table(table *t, PyObject *matrix, PyObject *names, PyObject *texts) {
    PyObject *empty = PyDict_New();
    int failed = empty == NULL || core_options_open(&t->keep, empty) < 0 ||
                 core_matrix(matrix, "rows", &t->buffer, &t->matrix) < 0;
    Py_ssize_t coded_count = failed ? 0 : PySequence_Size(texts);
    Py_XDECREF(empty);
    if (failed || coded_count < 0) {
        return -1;
    }
    t->numbers = t->matrix.columns;
    t->columns = t->numbers + (size_t)coded_count;
    t->coded = calloc((size_t)coded_count + 1, sizeof *t->coded);
    size_t wanted = t->columns;
    if (t->coded == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (PyDict_SetItemString(t->keep.rest, "names", names) < 0 ||
        core_take_names(&t->keep, "names", &wanted, &t->names) < 0) {
        return -1;
    }
    if (t->names == NULL) {
        PyErr_SetString(PyExc_TypeError, "the columns have no names");
        return -1;
    }
    for (Py_ssize_t i = 0; i < coded_count && !failed; i++) {
        PyObject *pair = PySequence_GetItem(texts, i);
        failed = pair == NULL || take_coded(t, pair, t->matrix.rows, &t->coded[i]) < 0;
        Py_XDECREF(pair);
    }
    return failed ? -1 : 0;
}

/* stream(matrix, names, [(codes, levels), ...]) -> capsule */
PyObject *core_stream_new(PyObject *module, PyObject *args) {
    PyObject *matrix, *names, *texts, *capsule = NULL;
    table *t = calloc(1, sizeof *t);
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    (void)module;
    if (t == NULL || stream == NULL) {
        PyErr_NoMemory();
    } else if (PyArg_ParseTuple(args, "OOO", &matrix, &names, &texts) &&
               fill_table(t, matrix, names, texts) == 0) {
        *stream = (struct ArrowArrayStream) {.get_schema = table_schema,
                                             .get_next = table_next,
                                             .get_last_error = table_error,
                                             .release = table_release,
                                             .private_data = t};
        capsule = PyCapsule_New(stream, "arrow_array_stream", capsule_release);
    }
    if (capsule == NULL) {
        if (t) {
            free_table(t);
        }
        free(stream);
    }
    return capsule;
}
