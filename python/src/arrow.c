/* Capsules of the Arrow PyCapsule interface that hold a stream. */
#include "core.h"

#include <stdlib.h>

static void release_capsule(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release) {
        stream->release(stream);
    }
    free(stream);
}

PyObject *core_stream_capsule(struct ArrowArrayStream *stream) {
    struct ArrowArrayStream *held = malloc(sizeof *held);
    PyObject *capsule = held ? PyCapsule_New(held, "arrow_array_stream", release_capsule) : NULL;
    if (capsule == NULL) {
        stream->release(stream);
        free(held);
        return PyErr_NoMemory();
    }
    *held = *stream;
    return capsule;
}

int core_stream_take(PyObject *capsule, struct ArrowArrayStream *out) {
    if (!PyCapsule_IsValid(capsule, "arrow_array_stream")) {
        PyErr_SetString(PyExc_TypeError,
                        "__arrow_c_stream__ must return a capsule named arrow_array_stream");
        return -1;
    }
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream has been used already");
        return -1;
    }
    *out = *stream;
    stream->release = NULL;
    return 0;
}
