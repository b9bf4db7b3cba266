/* Makes an Arrow stream from arrays. The first columns of the stream are the columns of a numeric
 * matrix. After them come columns of texts, given as codes. Each batch is a copy of a few thousand
 * rows, so memory use does not grow with the number of rows. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_ROWS = 8192
};

/* A column of texts: a code for each row, and the text that each code stands for. */
typedef struct coded {
    Py_buffer buffer;
    const int32_t *codes;
    size_t levels;
    const char *const *texts;
} coded;

typedef struct table {
    PyObject *keep; /* list that owns the memory of all texts */
    Py_buffer buffer;
    dp2dp_matrix matrix;
    size_t numbers, columns; /* `columns` is the number of all columns; the first `numbers` of them
                                hold numbers */
    const char *const *names;
    coded *coded;
    size_t at; /* position of the next row: the number of rows in earlier batches */
    const char *message;
} table;

static int fill_numbers(const table *t, size_t column, size_t rows, struct ArrowArray *out) {
    if (core_array_new(rows, 2, 0, out) != 0) {
        return ENOMEM;
    }
    double *values = malloc(rows * sizeof *values);
    out->buffers[1] = values;
    if (values == NULL) {
        return ENOMEM;
    }
    const char *cell = (const char *)t->matrix.data + (ptrdiff_t)t->at * t->matrix.row_stride +
                       (ptrdiff_t)column * t->matrix.column_stride;
    for (size_t i = 0; i < rows; i++, cell += t->matrix.row_stride) {
        values[i] = t->matrix.type == DP2DP_FLOAT32 ? (double)*(const float *)(const void *)cell
                                                    : *(const double *)(const void *)cell;
    }
    return 0;
}

/* Fills a column of texts. The code -1 becomes a null. */
static int fill_texts(const table *t, const coded *column, size_t rows, struct ArrowArray *out) {
    int32_t codes[BATCH_ROWS]; /* a copy, since the caller may change the codes at any time */
    if (core_array_new(rows, 3, 0, out) != 0) {
        return ENOMEM;
    }
    int64_t *offsets = calloc(rows + 1, sizeof *offsets);
    out->buffers[1] = offsets;
    if (offsets == NULL) {
        return ENOMEM;
    }
    memcpy(codes, column->codes + t->at, rows * sizeof *codes);
    uint8_t *valid = calloc((rows + 7) / 8, 1);
    out->buffers[0] = valid;
    if (valid == NULL) {
        return ENOMEM;
    }
    for (size_t i = 0; i < rows; i++) {
        if (codes[i] < -1 || (codes[i] >= 0 && (size_t)codes[i] >= column->levels)) {
            return EINVAL;
        }
        offsets[i + 1] = offsets[i];
        if (codes[i] < 0) {
            out->null_count++;
        } else {
            offsets[i + 1] += (int64_t)strlen(column->texts[codes[i]]);
            valid[i / 8] |= (uint8_t)(1U << (i % 8));
        }
    }
    char *bytes = malloc((size_t)offsets[rows] + 1);
    out->buffers[2] = bytes;
    for (size_t i = 0; bytes && i < rows; i++) {
        if (codes[i] >= 0) {
            memcpy(bytes + offsets[i], column->texts[codes[i]],
                   (size_t)(offsets[i + 1] - offsets[i]));
        }
    }
    return bytes ? 0 : ENOMEM;
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
        t->message = err == ENOMEM ? "out of memory for a batch of rows"
                                   : "codes must be -1 or positions in the list of levels";
        return err;
    }
    t->at += rows;
    return 0;
}

static int table_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const table *t = stream->private_data;
    int err = core_schema_new("+s", "", t->columns, out);
    for (size_t j = 0; err == 0 && j < t->columns; j++) {
        err = core_schema_new(j < t->numbers ? "g" : "U", t->names[j], 0, out->children[j]);
        out->children[j]->flags = j < t->numbers ? 0 : ARROW_FLAG_NULLABLE;
    }
    if (err != 0) {
        out->release(out);
    }
    return err;
}

static const char *table_error(struct ArrowArrayStream *stream) {
    return ((const table *)stream->private_data)->message;
}

/* The reader may release the stream on any thread and without the GIL, so this function takes the
 * GIL. */
static void table_release(struct ArrowArrayStream *stream) {
    table *t = stream->private_data;
    PyGILState_STATE state = PyGILState_Ensure();
    for (size_t i = 0; t->coded && i < t->columns - t->numbers; i++) {
        PyBuffer_Release(&t->coded[i].buffer);
    }
    free(t->coded);
    PyBuffer_Release(&t->buffer);
    Py_XDECREF(t->keep);
    free(t);
    PyGILState_Release(state);
    stream->release = NULL;
}

/* Reads a text column from the pair (codes, levels). */
static int take_coded(table *t, PyObject *pair, coded *out) {
    PyObject *codes, *levels;
    dp2dp_column column;
    if (!PyTuple_Check(pair)) {
        PyErr_Format(PyExc_TypeError, "texts must be pairs of codes and levels, not %R",
                     (PyObject *)Py_TYPE(pair));
        return -1;
    }
    if (!PyArg_ParseTuple(pair, "OO", &codes, &levels) ||
        core_column(codes, "codes", &out->buffer, &column) < 0) {
        return -1;
    }
    if (column.type != DP2DP_INT32 || column.stride != sizeof(int32_t) ||
        column.rows != t->matrix.rows) {
        PyErr_SetString(core.data_error,
                        "codes must be a contiguous array of int32, with one code for each row");
        return -1;
    }
    out->codes = column.data;
    out->texts = core_texts(t->keep, levels, "levels", &out->levels);
    return out->texts ? 0 : -1;
}

static int fill_table(table *t, PyObject *matrix, PyObject *names, PyObject *texts) {
    Py_ssize_t count = PyList_Size(texts);
    if (core_matrix(matrix, "rows", &t->buffer, &t->matrix) < 0) {
        return -1;
    }
    t->numbers = t->matrix.columns;
    t->columns = t->numbers + (size_t)count;
    t->coded = calloc((size_t)count + 1, sizeof *t->coded);
    if (t->coded == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    size_t wanted = t->columns;
    t->names = core_texts(t->keep, names, "names", &wanted);
    if (t->names == NULL) {
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (take_coded(t, PyList_GetItem(texts, i), &t->coded[i]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* stream(matrix, names, [(codes, levels), ...]) -> capsule */
PyObject *core_stream_new(PyObject *module, PyObject *args) {
    PyObject *matrix, *names, *texts;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOO!", &matrix, &names, &PyList_Type, &texts)) {
        return NULL;
    }
    table *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return PyErr_NoMemory();
    }
    struct ArrowArrayStream stream = {.get_schema = table_schema,
                                      .get_next = table_next,
                                      .get_last_error = table_error,
                                      .release = table_release,
                                      .private_data = t};
    t->keep = PyList_New(0);
    if (t->keep == NULL || fill_table(t, matrix, names, texts) < 0) {
        stream.release(&stream);
        return NULL;
    }
    return core_stream_capsule(&stream);
}
