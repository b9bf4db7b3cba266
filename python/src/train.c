#include "core.h"

/* Takes "target" and "weights". The weights are float64, with a row for each output, a column for
 * each feature and a column for the bias. */
static void take_outputs(core_options *options, const dp2dp_schema_info *info, Py_buffer *buffer,
                         dp2dp_train_options *out) {
    out->target =
        (dp2dp_target)core_take_value(options, "target", DP2DP_WORDS_TARGET, (int)out->target);
    PyObject *weights = core_take(options, "weights");
    if (weights &&
        core_flat(weights, "weights (a row for each class, the bias last)", 0, "d",
                  dp2dp_target_outputs(out->target, info), info->width + 1, buffer) == 0) {
        out->weights = buffer->buf;
    }
}

static void take_train_options(core_options *o, core_charging *charging, core_watch *watch,
                               dp2dp_train_options *out) {
    size_t count;
    const dp2dp_option *fields = dp2dp_options(DP2DP_STRUCT_TRAIN_OPTIONS, &count);
    core_take_fields(o, fields, count, out);
    out->method = (dp2dp_train_method)core_take_value(o, "method", DP2DP_WORDS_METHOD, out->method);
    core_take_seed(o, &out->rng, &out->insecure_seed);
    core_take_threads(o, &out->threads);
    core_take_charging(o, charging);
    core_take_word(o, "people", &out->people_name);
    core_take_progress(o, watch);
    out->ledger = core_ledger_of(charging);
    out->progress = core_progress;
    out->progress_context = watch;
}

/* _train(schema, rows, options) -> model. rows is a path, the capsule of a stream, or None. */
PyObject *core_model_train(PyObject *type, PyObject *args) {
    PyObject *schema_object, *rows, *dict, *result = NULL;
    core_options keywords = {0};
    core_charging charging = {0};
    core_watch watch = {0};
    Py_buffer weights = {0};
    struct ArrowArrayStream stream = {.release = NULL};
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    core_model *self = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O!OO!", core.schema, &schema_object, &rows, &PyDict_Type, &dict)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    core_options_open(&keywords, dict);
    take_outputs(&keywords, dp2dp_schema_view(schema), &weights, &options);
    take_train_options(&keywords, &charging, &watch, &options);
    int ignore = core_take_value(&keywords, "bad_rows", DP2DP_WORDS_BAD_ROWS, 0);
    if (core_options_check(&keywords) < 0 || (self = core_new(type)) == NULL) {
        goto done;
    }
    const unsigned parts = dp2dp_target_parts(options.target) | core_parts_of_records(ignore);
    if (!Py_IsNone(rows) && core_rows_open(rows, schema, parts, &stream) < 0) {
        Py_DECREF(self);
        goto done;
    }
    CORE_WITHOUT_GIL({
        status = core_charging_begin(&charging, &error);
        if (status == DP2DP_STATUS_OK) {
            status = dp2dp_train(schema, stream.release ? &stream : NULL, &options, &self->model,
                                 &error);
        } else if (stream.release) {
            stream.release(&stream);
        }
        core_charging_end(&charging);
    });
    result = core_made(self, status, &error);
done:
    core_options_close(&keywords);
    PyBuffer_Release(&weights);
    return result;
}
