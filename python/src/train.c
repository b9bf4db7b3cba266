/* Model._train. */
#include "core.h"

#include <string.h>

static void take_method(core_options *options, dp2dp_train_method *out) {
    const char *word = NULL;
    core_take_word(options, "method", &word);
    if (word == NULL) {
        return;
    }
#define DP2DP_TRAIN_METHOD(name, value, text) \
    if (strcmp(word, text) == 0) {            \
        *out = DP2DP_TRAIN_##name;            \
        return;                               \
    }
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    PyErr_Format(core.option_error,
                 "method must be dpgd, dpsgd, output, none or external, not '%s'", word);
}

/* "weights": classes x (features + 1) numbers of format "d". */
static void take_weights(core_options *options, const dp2dp_schema_info *info, Py_buffer *buffer,
                         dp2dp_train_options *out) {
    PyObject *weights = core_take(options, "weights");
    size_t count = info->class_count * (info->width + 1);
    if (weights == NULL ||
        PyObject_GetBuffer(weights, buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return;
    }
    if (buffer->format == NULL || strcmp(buffer->format, "d") != 0 ||
        (size_t)buffer->len != count * sizeof(double)) {
        PyErr_Format(core.option_error,
                     "weights must be %zu x %zu float64: a row for each class, the bias last",
                     info->class_count, info->width + 1);
    }
    out->weights = buffer->buf;
}

static void take_train_options(core_options *o, core_ledger **ledger, core_watch *watch,
                               dp2dp_train_options *out) {
    take_method(o, &out->method);
    core_take_seed(o, &out->rng, &out->insecure_seed);
    core_take_threads(o, &out->threads);
    core_take_object(o, "ledger", core.ledger, ledger);
#define DP2DP_TRAIN_NUMBER(name, default_value, min, max, help) \
    core_take_number(o, #name, &out->name);
#define DP2DP_TRAIN_COUNT(name, default_value, min, max, help) \
    core_take_count(o, #name, &out->name);
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    core_take_progress(o, watch);
    out->ledger = *ledger ? (*ledger)->ledger : NULL;
    out->progress = core_progress;
    out->progress_context = watch;
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
    options = DP2DP_TRAIN_OPTIONS_INIT;
    if (!PyArg_ParseTuple(args, "O!OO!", core.schema, &schema_object, &rows, &PyDict_Type, &dict)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    core_options_open(&keywords, dict);
    take_weights(&keywords, dp2dp_schema_view(schema), &weights, &options);
    take_train_options(&keywords, &ledger, &watch, &options);
    if (core_options_check(&keywords) < 0) {
        goto done;
    }
    if (!Py_IsNone(rows) &&
        core_rows_open(rows, schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, &stream) < 0) {
        goto done;
    }
    CORE_WITHOUT_GIL({
        core_ledger_lock(ledger);
        status = dp2dp_train(schema, stream.release ? &stream : NULL, &options, &model, &error);
        core_ledger_unlock(ledger);
    });
    result = core_model_wrap(type, status, model, &error);
done:
    core_options_close(&keywords);
    PyBuffer_Release(&weights);
    return result;
}
