#include "core.h"

static PyObject *text_or_none(const char *text) {
    return text ? PyUnicode_DecodeFSDefault(text) : Py_NewRef(Py_None);
}

/* Appends a check to a list as (what, file, other, result, message). If appending fails, the
 * exception stays set, and later checks are not appended. */
static void append_check(void *list, const dp2dp_check *check) {
    PyGILState_STATE state = PyGILState_Ensure();
    if (!PyErr_Occurred()) {
        PyObject *item = Py_BuildValue("(sNNzs)", check->what, text_or_none(check->file),
                                       text_or_none(check->other),
                                       dp2dp_check_result_name(check->result), check->message);
        if (item) {
            (void)PyList_Append(list, item);
            Py_DECREF(item);
        }
    }
    PyGILState_Release(state);
}

static void free_paths(const char **paths, PyObject **bytes, Py_ssize_t count) {
    for (Py_ssize_t i = 0; bytes && i < count; i++) {
        Py_XDECREF(bytes[i]);
    }
    PyMem_Free(bytes);
    PyMem_Free((void *)paths);
}

/* verify(list of paths, list that receives the checks). Raises DataError if a check fails. */
PyObject *core_verify(PyObject *module, PyObject *args) {
    PyObject *given, *checks, *result = NULL;
    dp2dp_error error;
    dp2dp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!", &PyList_Type, &given, &PyList_Type, &checks)) {
        return NULL;
    }
    Py_ssize_t count = PyList_Size(given);
    const char **paths = PyMem_Calloc((size_t)count + 1, sizeof *paths);
    PyObject **bytes = PyMem_Calloc((size_t)count + 1, sizeof(PyObject *));
    if (paths == NULL || bytes == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (!PyUnicode_FSConverter(PyList_GetItem(given, i), &bytes[i])) {
            bytes[i] = NULL;
            goto done;
        }
        paths[i] = PyBytes_AsString(bytes[i]);
    }
    CORE_WITHOUT_GIL(status = dp2dp_verify(paths, (size_t)count, append_check, checks, &error));
    result = PyErr_Occurred() ? NULL : core_none(status, &error);
done:
    free_paths(paths, bytes, count);
    return result;
}
