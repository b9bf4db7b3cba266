#include "core.h"

/* ids(list of texts, out): writes the dither key of each text (dp2dp_dither_id) to out, an array of
 * uint64. */
PyObject *core_ids(PyObject *module, PyObject *args) {
    PyObject *list, *array, *result = NULL;
    Py_buffer out;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", &PyList_Type, &list, &array) ||
        core_flat(array, "out", 1, "L", (size_t)PyList_Size(list), 1, &out) < 0) {
        return NULL;
    }
    Py_ssize_t count = PyList_Size(list), i = 0;
    for (; i < count; i++) {
        size_t length;
        const char *text = core_utf8(PyList_GetItem(list, i), "an id", &length);
        if (text == NULL) {
            break;
        }
        ((uint64_t *)out.buf)[i] = dp2dp_dither_id(text, length);
    }
    result = i == count ? Py_NewRef(Py_None) : NULL;
    PyBuffer_Release(&out);
    return result;
}
