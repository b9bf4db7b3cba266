/* Finds the distinct values of a column that has only a few, such as the group or label of each
 * row. */
#include "core.h"

#include <string.h>

enum {
    TEXTS_MAX = 64 /* largest number of distinct texts; with more texts, sorting is faster than
                      comparing each row with all of them */
};

/* Returns the dict key of a value, or NULL with an exception. Equal values that are written
 * differently, such as 1 and True, need different keys, so in general the key is the tuple (type,
 * value, text). A str or an int is its own key, because no tuple equals a str or an int. The key of
 * a float has no text, so that 0.0 and -0.0 have the same key. */
static PyObject *key_of(PyObject *value) {
    PyObject *type = (PyObject *)Py_TYPE(value);
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value)) {
        return Py_NewRef(value);
    }
    if (PyFloat_CheckExact(value) || PyBool_Check(value) || Py_IsNone(value)) {
        return PyTuple_Pack(2, type, value);
    }
    PyObject *text = PyObject_Hash(value) == -1 ? NULL : PyObject_Str(value);
    PyObject *key = text ? PyTuple_Pack(3, type, value, text) : NULL;
    Py_XDECREF(text);
    return key;
}

enum {
    FAILED = -2
};

/* Returns the code of a value, which is the position of the value in the list `values`. Adds a new
 * value to this list, and the key of the value to the dict `seen`. Returns -1 if key_of fails for
 * the value, for example because the value is a list. Returns FAILED with an exception if memory
 * runs out or Ctrl-C is pressed. */
static Py_ssize_t code_of(PyObject *seen, PyObject *values, PyObject *value) {
    Py_ssize_t code = FAILED;
    PyObject *key = key_of(value), *number = NULL;
    PyObject *known = key ? PyDict_GetItemWithError(seen, key) : NULL;
    if (known) {
        code = PyLong_AsSsize_t(known);
    } else if (!PyErr_Occurred()) {
        code = PyList_Size(values);
        number = PyLong_FromSsize_t(code);
        if (number == NULL || PyDict_SetItem(seen, key, number) < 0 ||
            PyList_Append(values, value) < 0) {
            code = FAILED;
        }
    }
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception) &&
        !PyErr_ExceptionMatches(PyExc_MemoryError)) {
        PyErr_Clear();
        code = -1;
    }
    Py_XDECREF(number);
    Py_XDECREF(key);
    return code;
}

/* factor_objects(array of objects, codes) -> list of the distinct objects, in the order in which
 * they occur. Objects of different types are distinct even if they are equal. Fills codes, an array
 * of int32, with the position of each object in that list, or -1 for an object without a hash. */
PyObject *core_factor_objects(PyObject *module, PyObject *args) {
    PyObject *array, *codes_given, *seen = NULL, *values = NULL;
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
        values = seen ? PyList_New(0) : NULL;
    }
    for (; values && i < count; i++) {
        PyObject *value = ((PyObject **)objects.buf)[i];
        /* Keeps the value alive: a comparison may run Python code that frees the value. */
        value = Py_NewRef(value ? value : Py_None);
        Py_ssize_t code = code_of(seen, values, value);
        Py_DECREF(value);
        if (code == FAILED) {
            Py_CLEAR(values);
            break;
        }
        ((int32_t *)codes.buf)[i] = (int32_t)code;
    }
    Py_XDECREF(seen);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&objects);
    return values;
}

/* Gives equal rows the same code. A row has `size` bytes. Writes the code of each row to `codes`,
 * and the position of the first row with each code to `firsts`. Returns the number of codes, or -1
 * if more than TEXTS_MAX codes are needed. */
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
 * or None if there are more than TEXTS_MAX texts. Fills codes like factor_objects. */
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
