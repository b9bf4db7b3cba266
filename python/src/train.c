/* Model._train. */
#include "core.h"

#include <string.h>

static int take_method(core_options *options, dp2dp_train_method *out) {
    const char *word = NULL;
    if (core_take_word(options, "method", &word) < 0) {
        return -1;
    }
    if (word == NULL) {
        return 0;
    }
#define DP2DP_TRAIN_METHOD(name, value, text) \
    if (strcmp(word, text) == 0) {            \
        *out = DP2DP_TRAIN_##name;            \
        return 0;                             \
    }
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    PyErr_Format(core.option_error,
                 "method must be dpgd, dpsgd, output, none or external, not '%s'", word);
    return -1;
}

/* "weights": classes x (features + 1) numbers of format "d". */
static int take_weights(core_options *options, const dp2dp_schema_info *info, Py_buffer *buffer,
                        dp2dp_train_options *out) {
    PyObject *weights = core_take(options, "weights");
    if (weights == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    size_t count = info->class_count * (info->width + 1);
    if (PyObject_GetBuffer(weights, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return -1;
    }
    if (buffer->format == NULL || strcmp(buffer->format, "d") != 0 ||
        (size_t)buffer->len != count * sizeof(double)) {
        PyErr_Format(core.option_error,
                     "weights must be %zu x %zu float64: a row for each class, the bias last",
                     info->class_count, info->width + 1);
        PyBuffer_Release(buffer);
        return -1;
    }
    out->weights = buffer->buf;
    return 0;
}

static int take_train_options(core_options *o, core_ledger **ledger, core_watch *watch,
                              dp2dp_train_options *out) {
    if (take_method(o, &out->method) < 0 || core_take_seed(o, &out->rng, &out->insecure_seed) < 0 ||
        core_take_threads(o, &out->threads) < 0 ||
        core_take_object(o, "ledger", core.ledger, ledger) < 0) {
        return -1;
    }
#define DP2DP_TRAIN_NUMBER(name, default_value, min, max, help) \
    if (core_take_number(o, #name, &out->name) < 0) {           \
        return -1;                                              \
    }
#define DP2DP_TRAIN_COUNT(name, default_value, min, max, help) \
    if (core_take_count(o, #name, &out->name) < 0) {           \
        return -1;                                             \
    }
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    if (core_take_progress(o, watch) < 0) {
        return -1;
    }
    out->ledger = *ledger ? (*ledger)->ledger : NULL;
    out->progress = core_progress;
    out->progress_context = watch;
    return 0;
}

/* (schema, rows or None, options): rows are a path or a capsule. */
PyObject *core_model_train(PyObject *type, PyObject *args) {
    PyObject *schema_object, *rows, *dict, *result = NULL;
    core_options keywords = {0};
    core_ledger *ledger = NULL;
    core_watch watch = {0};
    Py_buffer weights = {0};
    struct ArrowArrayStream stream = {.release = NULL};
    dp2dp_train_options options;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    dp2dp_status status;
    dp2dp_train_options_init(&options);
    if (!PyArg_ParseTuple(args, "O!OO!", core.schema, &schema_object, &rows, &PyDict_Type, &dict)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    if (core_options_open(&keywords, dict) == 0 &&
        take_weights(&keywords, dp2dp_schema_view(schema), &weights, &options) == 0 &&
        take_train_options(&keywords, &ledger, &watch, &options) == 0 &&
        core_options_check(&keywords) == 0 &&
        (Py_IsNone(rows) ||
         core_rows_open(rows, schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, &stream) == 0)) {
        PyThreadState *thread = PyEval_SaveThread();
        core_ledger_lock(ledger);
        status = dp2dp_train(schema, stream.release ? &stream : NULL, &options, &model, &error);
        core_ledger_unlock(ledger);
        PyEval_RestoreThread(thread);
        result =
            status == DP2DP_STATUS_OK ? core_model_wrap(type, model) : core_raise(status, &error);
    }
    core_options_close(&keywords);
    PyBuffer_Release(&weights);
    return result;
}
