#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void release_array(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release) {
            array->children[i]->release(array->children[i]);
        }
        free(array->children[i]);
    }
    for (int64_t i = 0; i < array->n_buffers; i++) {
        free((void *)array->buffers[i]);
    }
    free(array->children);
    free((void *)array->buffers);
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release) {
            schema->children[i]->release(schema->children[i]);
        }
        free(schema->children[i]);
    }
    free(schema->children);
    free(schema->private_data);
    schema->release = NULL;
}

int core_array_new(size_t rows, size_t buffers, size_t children, struct ArrowArray *out) {
    *out = (struct ArrowArray) {.length = (int64_t)rows, .release = release_array};
    out->buffers = calloc(buffers, sizeof *out->buffers);
    out->children = calloc(children + 1, sizeof(struct ArrowArray *));
    out->n_buffers = out->buffers ? (int64_t)buffers : 0;
    while (out->buffers && out->children && (size_t)out->n_children < children &&
           (out->children[out->n_children] = calloc(1, sizeof **out->children))) {
        out->n_children++;
    }
    return out->buffers && out->children && (size_t)out->n_children == children ? 0 : ENOMEM;
}

int core_schema_new(const char *format, const char *name, size_t children,
                    struct ArrowSchema *out) {
    *out = (struct ArrowSchema) {.format = format, .release = release_schema};
    out->name = out->private_data = strdup(name);
    out->children = calloc(children + 1, sizeof(struct ArrowSchema *));
    while (out->children && (size_t)out->n_children < children &&
           (out->children[out->n_children] = calloc(1, sizeof **out->children))) {
        out->n_children++;
    }
    return out->name && out->children && (size_t)out->n_children == children ? 0 : ENOMEM;
}

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
        PyErr_SetString(PyExc_ValueError,
                        "the Arrow stream has been used already: pass a new stream");
        return -1;
    }
    *out = *stream;
    stream->release = NULL;
    return 0;
}
