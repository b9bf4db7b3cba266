#include "core.h"

#include <limits.h>
#include <string.h>

void core_options_open(core_options *options, PyObject *dict) {
    if (!PyDict_Check(dict)) {
        PyErr_Format(PyExc_TypeError, "options must be a dict, not %R", (PyObject *)Py_TYPE(dict));
        return;
    }
    options->rest = PyDict_Copy(dict);
    options->keep = options->rest ? PyList_New(0) : NULL;
    options->known = options->keep ? PyList_New(0) : NULL;
}

/* Raises the error about an unknown option. The module dp2dp._options words the error. */
static void refuse_unknown(const core_options *options, PyObject *name) {
    PyObject *module = PyImport_ImportModule("dp2dp._options");
    PyObject *error =
        module ? PyObject_CallMethod(module, "unknown_option", "OO", name, options->known) : NULL;
    if (error) {
        PyErr_SetObject((PyObject *)Py_TYPE(error), error);
    }
    Py_XDECREF(error);
    Py_XDECREF(module);
}

int core_options_check(const core_options *options) {
    PyObject *name, *value;
    Py_ssize_t at = 0;
    if (PyErr_Occurred()) {
        return -1;
    }
    if (PyDict_Next(options->rest, &at, &name, &value)) {
        refuse_unknown(options, name);
        return -1;
    }
    return 0;
}

void core_options_close(core_options *options) {
    Py_CLEAR(options->rest);
    Py_CLEAR(options->keep);
    Py_CLEAR(options->known);
}

PyObject *core_take(core_options *options, const char *name) {
    PyObject *key = PyErr_Occurred() ? NULL : PyUnicode_FromString(name);
    int noted = key && PyList_Append(options->known, key) == 0;
    PyObject *value = noted ? PyDict_GetItemWithError(options->rest, key) : NULL;
    if (value && (PyList_Append(options->keep, value) < 0 ||
                  PyDict_DelItem(options->rest, key) < 0 || Py_IsNone(value))) {
        value = NULL;
    }
    Py_XDECREF(key);
    return value;
}

/* Returns 1 if the exception says that a value cannot be converted. Any other exception, such as
 * Ctrl-C in a method of the value, must reach the user unchanged. */
static int is_of_value(void) {
    return PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_ValueError) ||
           PyErr_ExceptionMatches(PyExc_OverflowError);
}

static int wrong(const char *name, const char *what, PyObject *value) {
    if (!PyErr_Occurred() || is_of_value()) {
        PyErr_Clear();
        PyErr_Format(core.option_error, "%s must be %s, not %R", name, what, value);
    }
    return -1;
}

void core_take_number(core_options *options, const char *name, double *out) {
    PyObject *value = core_take(options, name);
    if (value == NULL) {
        return;
    }
    *out = PyFloat_AsDouble(value);
    if (PyErr_Occurred() || PyBool_Check(value)) {
        wrong(name, "a number", value);
    }
}

int core_count_of(PyObject *value, const char *name, uint64_t *out) {
    PyObject *whole = PyNumber_Index(value);
    uint64_t number = whole ? PyLong_AsUnsignedLongLong(whole) : 0;
    Py_XDECREF(whole);
    if (PyErr_Occurred()) {
        return wrong(name, "a whole number from 0 to 2**64 - 1", value);
    }
    *out = number;
    return 0;
}

void core_take_count(core_options *options, const char *name, uint64_t *out) {
    PyObject *value = core_take(options, name);
    if (value) {
        core_count_of(value, name, out);
    }
}

int core_threads_of(PyObject *value, unsigned *out) {
    uint64_t threads = 0;
    if (core_count_of(value, "threads", &threads) < 0) {
        return -1;
    }
    if (threads > UINT_MAX) {
        PyErr_SetString(core.option_error, "threads must be below 2**32");
        return -1;
    }
    *out = (unsigned)threads;
    return 0;
}

void core_take_threads(core_options *options, unsigned *out) {
    PyObject *value = core_take(options, "threads");
    if (value) {
        core_threads_of(value, out);
    }
}

const char *core_utf8(PyObject *value, const char *name, size_t *length) {
    Py_ssize_t bytes = 0;
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be a str, not %R", name, (PyObject *)Py_TYPE(value));
        return NULL;
    }
    const char *text = PyUnicode_AsUTF8AndSize(value, &bytes);
    *length = (size_t)bytes;
    return text;
}

/* Returns the UTF-8 bytes of a str without NUL. Refuses any other object. */
static const char *text_of(PyObject *value, const char *name) {
    size_t length = 0;
    const char *text = core_utf8(value, name, &length);
    if (text == NULL || strlen(text) != length) {
        wrong(name, "text without a NUL character", value);
        return NULL;
    }
    return text;
}

void core_take_word(core_options *options, const char *name, const char **out) {
    PyObject *value = core_take(options, name);
    const char *text = value ? text_of(value, name) : NULL;
    *out = text ? text : *out;
}

/* Returns 1 if the value is a bool of Python or numpy: its type is then named "bool" or "bool_". */
static int is_bool(PyObject *value) {
    PyObject *name = PyType_GetName(Py_TYPE(value));
    int found = name && (PyUnicode_CompareWithASCIIString(name, "bool") == 0 ||
                         PyUnicode_CompareWithASCIIString(name, "bool_") == 0);
    Py_XDECREF(name);
    return found;
}

int core_flag_of(PyObject *value, const char *name, int *out) {
    if (is_bool(value)) {
        *out = PyObject_IsTrue(value);
        return *out < 0 ? -1 : 0;
    }
    /* Only 0 and 1 are accepted. Python would count any text as true, even "no". */
    PyObject *whole = PyErr_Occurred() ? NULL : PyNumber_Index(value);
    long number = whole ? PyLong_AsLong(whole) : -1;
    Py_XDECREF(whole);
    if (PyErr_Occurred() || (number != 0 && number != 1)) {
        return wrong(name, "True or False", value);
    }
    *out = (int)number;
    return 0;
}

/* flag(name, value) -> bool. Refuses any value that core_flag_of refuses. */
PyObject *core_flag(PyObject *module, PyObject *args) {
    const char *name;
    PyObject *value;
    int flag = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "sO", &name, &value) || core_flag_of(value, name, &flag) < 0) {
        return NULL;
    }
    return PyBool_FromLong(flag);
}

void core_take_flag(core_options *options, const char *name, int *out) {
    PyObject *value = core_take(options, name);
    if (value) {
        core_flag_of(value, name, out);
    }
}

void core_take_object(core_options *options, const char *name, PyTypeObject *type, void *out) {
    PyObject *value = core_take(options, name);
    if (value && !PyObject_TypeCheck(value, type)) {
        PyObject *wanted = PyType_GetName(type);
        if (wanted) {
            const char *how = type == core.ledger  ? "; dp2dp.Ledger.open(path) opens a file"
                              : type == core.model ? "; dp2dp.Model.load(path) reads a file"
                                                   : "";
            PyErr_Format(PyExc_TypeError, "%s must be a dp2dp.%U, not %R%s", name, wanted,
                         (PyObject *)Py_TYPE(value), how);
        }
        Py_XDECREF(wanted);
        value = NULL;
    }
    *(PyObject **)out = value;
}

void core_take_progress(core_options *options, core_watch *watch) {
    watch->function = core_take(options, "progress");
    if (watch->function && !PyCallable_Check(watch->function)) {
        PyErr_Format(PyExc_TypeError, "progress must be a function of (step, total), not %R",
                     (PyObject *)Py_TYPE(watch->function));
    }
}

const char *const *core_texts(PyObject *keep, PyObject *list, const char *name, size_t *count) {
    PyObject *tuple = PyUnicode_Check(list) ? NULL : PySequence_Tuple(list);
    if (tuple == NULL) {
        wrong(name, "a list of texts", list);
        return NULL;
    }
    size_t found = (size_t)PyTuple_Size(tuple);
    Py_ssize_t size = (Py_ssize_t)((found + 1) * sizeof(char *));
    PyObject *store = PyBytes_FromStringAndSize(NULL, size);
    const char **texts = NULL;
    if (store && *count != 0 && found != *count) {
        PyErr_Format(core.option_error, "%s must have %zu names, not %zu", name, *count, found);
    } else if (store && PyList_Append(keep, tuple) == 0 && PyList_Append(keep, store) == 0) {
        texts = (const char **)(void *)PyBytes_AsString(store);
    }
    for (size_t i = 0; texts && i < found; i++) {
        texts[i] = text_of(PyTuple_GetItem(tuple, (Py_ssize_t)i), name);
        texts = texts[i] ? texts : NULL;
    }
    Py_XDECREF(store);
    Py_DECREF(tuple);
    *count = texts ? found : *count;
    return texts;
}

void core_take_names(core_options *options, const char *name, size_t *count,
                     const char *const **out) {
    PyObject *value = core_take(options, name);
    const char *const *texts = value ? core_texts(options->keep, value, name, count) : NULL;
    *out = texts ? texts : *out;
}

/* Like text_of, but raises TypeError if the object is not a str. */
static const char *word_of(PyObject *given, const char *name) {
    size_t length;
    return core_utf8(given, name, &length) ? text_of(given, name) : NULL;
}

int core_adjacency(PyObject *word, void *out) {
    dp2dp_error error;
    const char *text = word_of(word, "adjacency");
    return text && core_check(dp2dp_adjacency_parse(text, out, &error), &error) == 0;
}

int core_backend(PyObject *word, void *out) {
    dp2dp_error error;
    const char *text = word_of(word, "backend");
    return text && core_check(dp2dp_backend_parse(text, out, &error), &error) == 0;
}

void core_take_seed(core_options *options, dp2dp_rng_kind *rng, uint64_t *seed) {
    PyObject *value = core_take(options, "insecure_seed");
    *rng = value ? DP2DP_RNG_INSECURE : DP2DP_RNG_SECURE;
    if (value) {
        core_count_of(value, "insecure_seed", seed);
    }
}
