/* Model._score: the classifier's probabilities of rows. */
#include "core.h"

#include <string.h>

/* A whole stream of scores as bytearrays: positions, scores, labels, groups. */
typedef struct scored {
    PyObject *parts[4];
} scored;

static int append(PyObject *bytes, const void *data, size_t length) {
    Py_ssize_t before = PyByteArray_Size(bytes);
    if (PyByteArray_Resize(bytes, before + (Py_ssize_t)length) < 0) {
        return -1;
    }
    memcpy(PyByteArray_AsString(bytes) + before, data, length);
    return 0;
}

static int take_batch(const struct ArrowArray *batch, size_t classes, unsigned parts, scored *s) {
    size_t n = (size_t)batch->length;
    int64_t last = 2;
    const struct ArrowArray *scores = batch->children[1];
    if (append(s->parts[0], batch->children[0]->buffers[1], n * sizeof(int64_t)) < 0 ||
        append(s->parts[1], scores->children[0]->buffers[1], n * classes * sizeof(float)) < 0) {
        return -1;
    }
    if ((parts & DP2DP_PART_LABEL) &&
        append(s->parts[2], batch->children[last++]->buffers[1], n * sizeof(int32_t)) < 0) {
        return -1;
    }
    return parts & DP2DP_PART_GROUP
               ? append(s->parts[3], batch->children[last]->buffers[1], n * sizeof(int32_t))
               : 0;
}

static int read_scores(struct ArrowArrayStream *stream, size_t classes, unsigned parts,
                       scored *out) {
    for (int i = 0; i < 4; i++) {
        out->parts[i] = PyByteArray_FromStringAndSize(NULL, 0);
        if (out->parts[i] == NULL) {
            return -1;
        }
    }
    for (;;) {
        struct ArrowArray batch;
        if (core_stream_next(stream, &batch) < 0) {
            return -1;
        }
        if (batch.release == NULL) {
            return 0;
        }
        int failed = take_batch(&batch, classes, parts, out) < 0 || PyErr_CheckSignals() < 0;
        batch.release(&batch);
        if (failed) {
            return -1;
        }
    }
}

/* (rows, parts) -> (positions, scores, labels, groups), each a bytearray. */
PyObject *core_model_score(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    PyObject *rows, *result = NULL;
    unsigned parts;
    struct ArrowArrayStream encoded = {.release = NULL}, stream = {.release = NULL};
    dp2dp_schema *schema = NULL;
    scored found = {{NULL}};
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "OI", &rows, &parts)) {
        return NULL;
    }
    if (info->classifier == NULL) {
        PyErr_SetString(core.option_error, "the model has no classifier: give it scores, not rows");
        return NULL;
    }
    status = dp2dp_schema_load(info->classifier->schema, &schema, &error);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    if (core_rows_open(rows, schema, parts | DP2DP_PART_FEATURES, &encoded) < 0) {
        goto done;
    }
    status = dp2dp_model_score(model, &encoded, &stream, &error);
    if (status != DP2DP_STATUS_OK) {
        core_raise(status, &error);
        goto done;
    }
    if (read_scores(&stream, info->classes, parts, &found) == 0) {
        result = PyTuple_Pack(4, found.parts[0], found.parts[1], found.parts[2], found.parts[3]);
    }
    core_stream_release(&stream);
done:
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(found.parts[i]);
    }
    dp2dp_schema_free(schema);
    return result;
}
