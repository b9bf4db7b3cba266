/* Finds the distinct values of a column with few of them, such as the group or label of each
 * row. */
#include "core.h"

#include <string.h>

enum {
    TEXTS_MAX = 64 /* most distinct texts; with more, sorting is faster than comparing a text with
                      each */
};

/* Returns the code of a value: its position among the keys of `seen`. Adds a new value to `seen`.
 * Returns -1 with an exception if the value has no hash. */
static Py_ssize_t code_of(PyObject *seen, PyObject *value) {
    PyObject *known = PyDict_GetItemWithError(seen, value);
    if (known) {
        return PyLong_AsSsize_t(known);
    }
    Py_ssize_t code = PyErr_Occurred() ? -1 : PyDict_Size(seen);
    PyObject *number = code < 0 ? NULL : PyLong_FromSsize_t(code);
    int failed = number == NULL || PyDict_SetItem(seen, value, number) < 0;
    Py_XDECREF(number);
    return failed ? -1 : code;
}

/* factor_objects(array of objects, codes) -> list of the distinct objects, in the order in which
 * they occur. Fills codes, an array of int32, with the position of each object in that list. */
PyObject *core_factor_objects(PyObject *module, PyObject *args) {
    PyObject *array, *codes_given, *result = NULL, *seen = NULL;
    Py_buffer objects = {0}, codes = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &array, &codes_given) ||
        PyObject_GetBuffer(array, &objects, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return NULL;
    }
    Py_ssize_t count = objects.len / (Py_ssize_t)sizeof(PyObject *), i = 0;
    if (strcmp(objects.format, "O") != 0) {
        PyErr_SetString(PyExc_TypeError, "array must hold objects");
    } else if (core_flat(codes_given, "codes", 1, "i", (size_t)count, 1, &codes) == 0) {
        seen = PyDict_New();
    }
    for (; seen && i < count; i++) {
        PyObject *value = ((PyObject **)objects.buf)[i];
        value = Py_NewRef(value ? value : Py_None); /* held, since comparing it may free it */
        Py_ssize_t code = code_of(seen, value);
        Py_DECREF(value);
        if (code < 0) {
            break;
        }
        ((int32_t *)codes.buf)[i] = (int32_t)code;
    }
    result = seen && i == count ? PyDict_Keys(seen) : NULL;
    Py_XDECREF(seen);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&objects);
    return result;
}

/* Gives equal rows the same code. A row has `size` bytes. Writes the code of each row, and the
 * position of the first row with each code. Returns the number of codes, or -1 if there are more
 * than TEXTS_MAX. */
static Py_ssize_t factor(const char *rows, size_t count, size_t size, int32_t *codes,
                         size_t *firsts) {
    int32_t found = 0, code = 0;
    for (size_t i = 0; i < count; i++) {
        const char *row = rows + i * size;
        if (code < found && memcmp(row, rows + firsts[code] * size, size) == 0) {
            codes[i] = code; /* the same text as in the row before */
            continue;
        }
        for (code = 0; code < found && memcmp(row, rows + firsts[code] * size, size) != 0;) {
            code++;
        }
        if (code == TEXTS_MAX) {
            return -1;
        }
        if (code == found) {
            firsts[found++] = i;
        }
        codes[i] = code;
    }
    return found;
}

static PyObject *position_item(const void *context, size_t i) {
    return PyLong_FromSize_t(((const size_t *)context)[i]);
}

/* factor_texts(array of texts of a fixed size, codes) -> positions of the first row with each text,
 * or None if there are too many texts. Fills codes as factor_objects does. */
PyObject *core_factor_texts(PyObject *module, PyObject *args) {
    PyObject *array, *codes_given, *result = NULL;
    Py_buffer texts = {0}, codes = {0};
    size_t firsts[TEXTS_MAX];
    (void)module;
    if (!PyArg_ParseTuple(args, "OO", &array, &codes_given) ||
        PyObject_GetBuffer(array, &texts, PyBUF_C_CONTIGUOUS) < 0) {
        return NULL;
    }
    size_t size = (size_t)texts.itemsize, count = size > 0 ? (size_t)texts.len / size : 0;
    if (core_flat(codes_given, "codes", 1, "i", count, 1, &codes) == 0) {
        Py_ssize_t found;
        CORE_WITHOUT_GIL(found = factor(texts.buf, count, size, codes.buf, firsts));
        result = found < 0 ? Py_NewRef(Py_None) : core_list((size_t)found, position_item, firsts);
    }
    PyBuffer_Release(&codes);
    PyBuffer_Release(&texts);
    return result;
}
