#include "core.h"

#include <limits.h>
#include <math.h>
#include <string.h>

PyObject *core_raise(dp2dp_status status, const dp2dp_error *error) {
    PyObject *kind = status == DP2DP_STATUS_ARGUMENT   ? core.option_error
                     : status == DP2DP_STATUS_BUDGET   ? core.budget_error
                     : status == DP2DP_STATUS_DATA     ? core.data_error
                     : status == DP2DP_STATUS_NO_BOUND ? core.no_bound_error
                     : status == DP2DP_STATUS_MEMORY   ? PyExc_MemoryError
                     : status == DP2DP_STATUS_IO       ? PyExc_OSError
                                                       : PyExc_RuntimeError;
    if (!PyErr_Occurred()) {
        /* A message is cut by bytes, which may be in the middle of a character. */
        PyObject *text =
            PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace");
        if (text) {
            PyErr_SetObject(kind, text);
            Py_DECREF(text);
        }
    }
    return NULL;
}

void *core_new(PyObject *type) {
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    return allocate((PyTypeObject *)type, 0);
}

void core_delete(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* The type of a buffer of native numbers; 0: something else. */
static int type_of(const Py_buffer *buffer) {
    const char *format = buffer->format ? buffer->format : "B";
    format += *format == '@' || *format == '=' || *format == '<';
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

/* Gets a view of the wanted dimensions, or says what was given instead. */
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
                 "%s must be a %d-D array of native, aligned %s, not a %d-D array of format '%s'",
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

int core_output(PyObject *object, const char *name, const char *format, size_t count,
                Py_buffer *buffer) {
    int flags = PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
    if (PyObject_GetBuffer(object, buffer, flags) < 0) {
        return -1;
    }
    if (strcmp(buffer->format ? buffer->format : "B", format) == 0 &&
        (size_t)buffer->len == count * (size_t)buffer->itemsize && is_aligned(buffer)) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "%s must be an array of format '%s' with %zu values", name,
                 format, count);
    PyBuffer_Release(buffer);
    return -1;
}

int core_options_open(core_options *options, PyObject *dict) {
    options->rest = PyDict_Copy(dict);
    options->keep = PyList_New(0);
    return options->rest && options->keep ? 0 : -1;
}

int core_options_check(const core_options *options) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    if (PyDict_Next(options->rest, &at, &name, &value)) {
        PyErr_Format(PyExc_TypeError, "there is no option %R here", name);
        return -1;
    }
    return 0;
}

void core_options_close(core_options *options) {
    Py_CLEAR(options->rest);
    Py_CLEAR(options->keep);
}

PyObject *core_take(core_options *options, const char *name) {
    PyObject *key = PyUnicode_FromString(name);
    PyObject *value = key ? PyDict_GetItemWithError(options->rest, key) : NULL;
    if (value && (PyList_Append(options->keep, value) < 0 ||
                  PyDict_DelItem(options->rest, key) < 0 || Py_IsNone(value))) {
        value = NULL;
    }
    Py_XDECREF(key);
    return value;
}

static int wrong(const char *name, const char *what, PyObject *value) {
    if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        PyErr_Format(core.option_error, "%s must be %s, not %R", name, what, value);
    }
    return -1;
}

int core_take_number(core_options *options, const char *name, double *out) {
    PyObject *value = core_take(options, name);
    double number = value ? PyFloat_AsDouble(value) : 0;
    if (PyErr_Occurred()) {
        return value ? wrong(name, "a number", value) : -1;
    }
    *out = value ? number : *out;
    return 0;
}

static int count_of(PyObject *value, const char *name, uint64_t *out) {
    PyObject *whole = PyNumber_Index(value);
    uint64_t number = whole ? PyLong_AsUnsignedLongLong(whole) : 0;
    Py_XDECREF(whole);
    if (PyErr_Occurred()) {
        return wrong(name, "a whole number from 0 to 2**64 - 1", value);
    }
    *out = number;
    return 0;
}

int core_take_count(core_options *options, const char *name, uint64_t *out) {
    PyObject *value = core_take(options, name);
    if (value == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    return count_of(value, name, out);
}

int core_take_threads(core_options *options, unsigned *out) {
    uint64_t threads = *out;
    if (core_take_count(options, "threads", &threads) < 0) {
        return -1;
    }
    if (threads > UINT_MAX) {
        PyErr_SetString(core.option_error, "threads must be below 2**32");
        return -1;
    }
    *out = (unsigned)threads;
    return 0;
}

/* The bytes of a str, which has no NUL inside. */
static const char *text_of(PyObject *value, const char *name) {
    Py_ssize_t length = 0;
    const char *text = PyUnicode_Check(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    if (text == NULL || strlen(text) != (size_t)length) {
        (void)wrong(name, "text without NUL", value);
        return NULL;
    }
    return text;
}

int core_take_word(core_options *options, const char *name, const char **out) {
    PyObject *value = core_take(options, name);
    if (value == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    const char *text = text_of(value, name);
    *out = text ? text : *out;
    return text ? 0 : -1;
}

int core_take_flag(core_options *options, const char *name, int *out) {
    PyObject *value = core_take(options, name);
    int flag = value ? PyObject_IsTrue(value) : *out;
    *out = flag;
    return PyErr_Occurred() ? -1 : 0;
}

int core_take_object(core_options *options, const char *name, PyTypeObject *type, void *out) {
    PyObject *value = core_take(options, name);
    if (value && !PyObject_TypeCheck(value, type)) {
        PyErr_Format(PyExc_TypeError, "%s must be a %R, not %R", name, (PyObject *)type,
                     (PyObject *)Py_TYPE(value));
    }
    *(PyObject **)out = value;
    return PyErr_Occurred() ? -1 : 0;
}

int core_take_names(core_options *options, const char *name, size_t *count,
                    const char *const **out) {
    PyObject *value = core_take(options, name);
    if (value == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    PyObject *tuple = PySequence_Tuple(value);
    Py_ssize_t found = tuple ? PyTuple_Size(tuple) : 0;
    PyObject *store = PyBytes_FromStringAndSize(NULL, (found + 1) * (Py_ssize_t)sizeof(char *));
    int failed = tuple == NULL || store == NULL || PyList_Append(options->keep, tuple) < 0 ||
                 PyList_Append(options->keep, store) < 0;
    const char **names = failed ? NULL : (const char **)(void *)PyBytes_AsString(store);
    if (!failed && *count != 0 && (size_t)found != *count) {
        PyErr_Format(core.option_error, "%s must have %zu names, not %zd", name, *count, found);
        failed = 1;
    }
    for (Py_ssize_t i = 0; !failed && i < found; i++) {
        names[i] = text_of(PyTuple_GetItem(tuple, i), name);
        failed = names[i] == NULL;
    }
    Py_XDECREF(tuple);
    Py_XDECREF(store);
    if (failed) {
        return -1;
    }
    *count = (size_t)found;
    *out = names;
    return 0;
}

int core_take_seed(core_options *options, dp2dp_rng_kind *rng, uint64_t *seed) {
    PyObject *value = core_take(options, "insecure_seed");
    *rng = value ? DP2DP_RNG_INSECURE : DP2DP_RNG_SECURE;
    if (value) {
        return count_of(value, "insecure_seed", seed);
    }
    return PyErr_Occurred() ? -1 : 0;
}

int core_take_event(core_options *options, dp2dp_event *event) {
    const char *mechanism = "gaussian";
    int persons = 0;
    dp2dp_error error;
    *event = (dp2dp_event)DP2DP_EVENT_INIT;
    if (core_take_word(options, "mechanism", &mechanism) < 0 ||
        core_take_number(options, "sensitivity", &event->sensitivity) < 0 ||
        core_take_number(options, "sigma", &event->sigma) < 0 ||
        core_take_number(options, "rate", &event->rate) < 0 ||
        core_take_number(options, "population", &event->population) < 0 ||
        core_take_count(options, "draws", &event->draws) < 0 ||
        core_take_count(options, "count", &event->count) < 0 ||
        core_take_count(options, "coordinates", &event->coordinates) < 0 ||
        core_take_count(options, "rows_per_person", &event->rows_per_person) < 0 ||
        core_take_flag(options, "sample_persons", &persons) < 0 ||
        core_take_number(options, "scale", &event->scale) < 0 ||
        core_take_number(options, "epsilon", &event->epsilon) < 0 ||
        core_take_number(options, "delta", &event->delta) < 0 ||
        core_take_word(options, "label", &event->label) < 0 ||
        core_take_word(options, "set", &event->set) < 0) {
        return -1;
    }
    event->sampling_unit = persons ? DP2DP_SAMPLE_PERSONS : DP2DP_SAMPLE_ROWS;
    dp2dp_status status = dp2dp_mechanism_parse(mechanism, &event->mechanism, &error);
    return status == DP2DP_STATUS_OK ? 0 : (core_raise(status, &error), -1);
}

PyObject *core_list_of_texts(const char *const *texts, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *text = PyUnicode_FromString(texts[i]);
        if (text == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, (Py_ssize_t)i, text);
        }
    }
    return list;
}

PyObject *core_list_of_numbers(const double *values, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(values[i]);
        if (number == NULL) {
            Py_CLEAR(list);
        } else {
            PyList_SetItem(list, (Py_ssize_t)i, number);
        }
    }
    return list;
}

PyObject *core_number_or_none(double value) {
    if (isnan(value)) {
        Py_RETURN_NONE;
    }
    return PyFloat_FromDouble(value);
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
