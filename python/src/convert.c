#include "core.h"

#include <math.h>
#include <string.h>

/* Converts a text that may be cut off in the middle of a character. */
static PyObject *text_of(const char *text) {
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *position_of(uint64_t position) {
    return position ? PyLong_FromUnsignedLongLong(position) : Py_NewRef(Py_None);
}

static int set_place(PyObject *raised, const dp2dp_error *error) {
    const char *reason = error->reason == DP2DP_REASON_NONE
                             ? NULL
                             : dp2dp_word_name(DP2DP_WORDS_REASON, (int)error->reason);
    PyObject *column = *error->column ? text_of(error->column) : Py_NewRef(Py_None);
    PyObject *place =
        Py_BuildValue("{s:z,s:N,s:N,s:N}", "reason", reason, "row", position_of(error->row), "line",
                      position_of(error->line), "column", column);
    int failed = place == NULL || PyObject_SetAttrString(raised, "__dict__", place) < 0;
    Py_XDECREF(place);
    return failed ? -1 : 0;
}

/* Returns advice for users of Python, which is appended to the library's message. */
static const char *advice_on(dp2dp_reason reason) {
    switch (reason) {
    case DP2DP_REASON_ROW_SUM:
        return ". To divide each row by its sum, pass normalize=True to fit, or "
               "options={'normalize': True} to an estimator";
    case DP2DP_REASON_VALUE_MISSING:
        return ". With pandas, use dropna or fillna; with a schema, set \"missing\" to \"drop\" or "
               "\"level\" for this column, as in Schema.from_frame(..., missing={column: 'level'})";
    case DP2DP_REASON_WRONG_SEPARATOR:
        return ". In Python, read the file with pandas.read_csv(path, sep=';'), or with the "
               "separator that the file has. If the numbers have a decimal comma, add decimal=',' "
               "too. Then pass the frame";
    default:
        return "";
    }
}

PyObject *core_raise(dp2dp_status status, const dp2dp_error *error) {
    PyObject *kind = status == DP2DP_STATUS_ARGUMENT   ? core.option_error
                     : status == DP2DP_STATUS_BUDGET   ? core.budget_error
                     : status == DP2DP_STATUS_DATA     ? core.data_error
                     : status == DP2DP_STATUS_NO_BOUND ? core.no_bound_error
                     : status == DP2DP_STATUS_MEMORY   ? PyExc_MemoryError
                     : status == DP2DP_STATUS_IO       ? PyExc_OSError
                                                       : PyExc_RuntimeError;
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyObject *words = text_of(error->message);
    PyObject *text = words ? PyUnicode_FromFormat("%U%s", words, advice_on(error->reason)) : NULL;
    PyObject *raised = text ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    if (raised && set_place(raised, error) == 0) {
        PyErr_SetObject(kind, raised);
    }
    Py_XDECREF(raised);
    Py_XDECREF(text);
    Py_XDECREF(words);
    return NULL;
}

int core_check(dp2dp_status status, const dp2dp_error *error) {
    return status == DP2DP_STATUS_OK ? 0 : (core_raise(status, error), -1);
}

PyObject *core_none(dp2dp_status status, const dp2dp_error *error) {
    return status == DP2DP_STATUS_OK ? Py_NewRef(Py_None) : core_raise(status, error);
}

PyObject *core_text(dp2dp_status status, char *text, size_t length, const dp2dp_error *error) {
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, error);
    }
    PyObject *result = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
    dp2dp_text_free(text);
    return result;
}

void *core_new(PyObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    return allocate((PyTypeObject *)type, 0);
}

PyObject *core_made(void *self, dp2dp_status status, const dp2dp_error *error) {
    if (status == DP2DP_STATUS_OK) {
        return self;
    }
    Py_DECREF(self);
    return core_raise(status, error);
}

void core_delete(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* Returns the dp2dp_type of a buffer of native numbers, or 0 if the library cannot read the buffer.
 */
static int type_of(const Py_buffer *buffer) {
    const char *format = buffer->format ? buffer->format : "B";
    format += *format == '@' || *format == '=' || *format == (PY_LITTLE_ENDIAN ? '<' : '>');
    if (format[0] == '\0' || format[1] != '\0') {
        return 0;
    }
    switch (format[0]) {
    case 'f':
        return DP2DP_FLOAT32;
    case 'd':
        return DP2DP_FLOAT64;
    case '?':
    case 'b':
        return DP2DP_INT8;
    case 'h':
        return DP2DP_INT16;
    case 'i':
    case 'l':
        return buffer->itemsize == 4 ? DP2DP_INT32 : 0;
    default:
        return 0;
    }
}

static int is_aligned(const Py_buffer *buffer) {
    int aligned = (uintptr_t)buffer->buf % (size_t)buffer->itemsize == 0;
    for (int i = 0; i < buffer->ndim; i++) {
        aligned &= buffer->strides[i] % buffer->itemsize == 0;
    }
    return aligned;
}

/* Gets a view of an array and returns the dp2dp_type of the array. The array must have `dimensions`
 * dimensions, and hold floats if `floating` is true, or integers if not. Otherwise sets an
 * exception and returns -1. */
static int view(PyObject *object, const char *name, int dimensions, int floating,
                Py_buffer *buffer) {
    if (PyObject_GetBuffer(object, buffer, PyBUF_STRIDES | PyBUF_FORMAT) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_MemoryError)) {
            PyErr_Format(PyExc_TypeError, "%s must be an array (an object with a buffer), not %R",
                         name, (PyObject *)Py_TYPE(object));
        }
        return -1;
    }
    int type = type_of(buffer);
    int is_float = type == DP2DP_FLOAT32 || type == DP2DP_FLOAT64;
    if (type != 0 && is_float == floating && buffer->ndim == dimensions && is_aligned(buffer)) {
        return type;
    }
    PyErr_Format(core.data_error,
                 "%s must be a %d-D array of %s, in native byte order and aligned in memory, not a "
                 "%d-D array of format '%s'",
                 name, dimensions, floating ? "float32 or float64" : "int8, int16 or int32",
                 buffer->ndim, buffer->format ? buffer->format : "B");
    PyBuffer_Release(buffer);
    return -1;
}

int core_matrix(PyObject *object, const char *name, Py_buffer *buffer, dp2dp_matrix *out) {
    int type = view(object, name, 2, 1, buffer);
    if (type < 0) {
        return -1;
    }
    *out = (dp2dp_matrix) {.data = buffer->buf,
                           .type = (dp2dp_type)type,
                           .rows = (size_t)buffer->shape[0],
                           .columns = (size_t)buffer->shape[1],
                           .row_stride = buffer->strides[0],
                           .column_stride = buffer->strides[1]};
    return 0;
}

int core_column(PyObject *object, const char *name, Py_buffer *buffer, dp2dp_column *out) {
    int type = view(object, name, 1, 0, buffer);
    if (type < 0) {
        return -1;
    }
    *out = (dp2dp_column) {.data = buffer->buf,
                           .type = (dp2dp_type)type,
                           .rows = (size_t)buffer->shape[0],
                           .stride = buffer->strides[0]};
    return 0;
}

int core_flat(PyObject *object, const char *name, int writable, const char *format, size_t rows,
              size_t width, Py_buffer *buffer) {
    int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
    int got = PyObject_GetBuffer(object, buffer, flags) == 0;
    if (got && strcmp(buffer->format ? buffer->format : "B", format) == 0 && is_aligned(buffer)) {
        size_t row = width * (size_t)buffer->itemsize;
        /* Divides the length, because rows * row may overflow: an array with a stride of 0 can have
         * more rows than fit into memory. */
        if ((size_t)buffer->len % row == 0 && (size_t)buffer->len / row == rows) {
            return 0;
        }
    }
    if (got) {
        PyBuffer_Release(buffer);
    } else if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
        return -1;
    }
    PyErr_Clear();
    PyErr_Format(core.option_error, "%s must be a %sC-contiguous array of %s with %zu x %zu values",
                 name, writable ? "writable, " : "",
                 *format == 'i'   ? "int32"
                 : *format == 'f' ? "float32"
                 : *format == 'd' ? "float64"
                 : *format == 'l' ? "int64"
                                  : "uint64",
                 rows, width);
    return -1;
}

int core_same_rows(const char *name, size_t rows, const char *other, size_t other_rows) {
    if (rows != other_rows) {
        PyErr_Format(core.data_error,
                     "%s and %s must have the same number of rows, not %zu and %zu", name, other,
                     rows, other_rows);
        return -1;
    }
    return 0;
}

PyObject *core_list(size_t count, core_item item, const void *context) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *made = item(context, i);
        if (made == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, (Py_ssize_t)i, made);
        }
    }
    return list;
}

static PyObject *text_item(const void *texts, size_t i) {
    return PyUnicode_FromString(((const char *const *)texts)[i]);
}

PyObject *core_list_of_texts(const char *const *texts, size_t count) {
    return core_list(count, text_item, (const void *)texts);
}

PyObject *core_number_or_none(double value) {
    return isnan(value) ? Py_NewRef(Py_None) : PyFloat_FromDouble(value);
}

int core_put(PyObject *dict, const char *name, PyObject *value) {
    int failed = value == NULL || PyDict_SetItemString(dict, name, value) < 0;
    Py_XDECREF(value);
    return failed ? -1 : 0;
}

int core_progress(void *context, uint64_t step, uint64_t total) {
    enum {
        MILLISECONDS = 20
    };
    core_watch *watch = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long passed =
        (now.tv_sec - watch->last.tv_sec) * 1000LL + (now.tv_nsec - watch->last.tv_nsec) / 1000000;
    if (watch->function == NULL && passed < MILLISECONDS) {
        return 0;
    }
    watch->last = now;
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = PyErr_CheckSignals() < 0;
    if (!stop && watch->function) {
        PyObject *answer = PyObject_CallFunction(watch->function, "KK", (unsigned long long)step,
                                                 (unsigned long long)total);
        stop = answer == NULL;
        Py_XDECREF(answer);
    }
    PyGILState_Release(state);
    return stop;
}

int core_is_interrupted(void) {
    core_watch signals = {0};
    return core_progress(&signals, 0, 0);
}
