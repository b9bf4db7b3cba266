#include "core.h"

/* Takes the options "target" and "weights". The weights are float64, with a row for each output, a
 * column for each feature and a column for the bias. */
static void take_outputs(core_training *t, const dp2dp_schema_info *info) {
    dp2dp_train_options *out = &t->options;
    out->target =
        (dp2dp_target)core_take_value(&t->keywords, "target", DP2DP_WORDS_TARGET, (int)out->target);
    PyObject *weights = core_take(&t->keywords, "weights");
    if (weights &&
        core_flat(weights, "weights (a row for each class, the bias last)", 0, "d",
                  dp2dp_target_outputs(out->target, info), info->width + 1, &t->weights) == 0) {
        out->weights = t->weights.buf;
    }
}

void core_training_open(core_training *t, PyObject *dict, const dp2dp_schema_info *info) {
    core_options *o = &t->keywords;
    dp2dp_train_options *out = &t->options;
    size_t count;
    const dp2dp_option *fields = dp2dp_options(DP2DP_STRUCT_TRAIN_OPTIONS, &count);
    core_options_open(o, dict);
    take_outputs(t, info);
    core_take_fields(o, fields, count, out);
    out->method = (dp2dp_train_method)core_take_value(o, "method", DP2DP_WORDS_METHOD, out->method);
    core_take_seed(o, &out->rng, &out->insecure_seed);
    core_take_threads(o, &out->threads);
    core_take_charging(o, &t->charging);
    core_take_word(o, "people", &out->people_name);
    core_take_number(o, "train_share", &out->train_share);
    core_take_progress(o, &t->watch);
    out->ledger = core_ledger_of(&t->charging);
    out->progress = core_progress;
    out->progress_context = &t->watch;
}

void core_training_close(core_training *t) {
    core_options_close(&t->keywords);
    PyBuffer_Release(&t->weights);
}

/* _train(schema, rows, options) -> model. rows is a path, the capsule of a stream, or None. */
PyObject *core_model_train(PyObject *type, PyObject *args) {
    PyObject *schema_object, *rows, *dict, *result = NULL;
    core_training t = {.options = DP2DP_TRAIN_OPTIONS_INIT};
    struct ArrowArrayStream stream = {.release = NULL};
    core_model *self = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O!OO!", core.schema, &schema_object, &rows, &PyDict_Type, &dict)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    core_training_open(&t, dict, dp2dp_schema_view(schema));
    int ignore = core_take_value(&t.keywords, "bad_rows", DP2DP_WORDS_BAD_ROWS, 0);
    if (core_options_check(&t.keywords) < 0 || (self = core_new(type)) == NULL) {
        goto done;
    }
    const unsigned parts = dp2dp_target_parts(t.options.target) | core_parts_of_records(ignore);
    if (!Py_IsNone(rows) && core_rows_open(rows, schema, parts, &stream) < 0) {
        Py_DECREF(self);
        goto done;
    }
    CORE_WITHOUT_GIL({
        status = core_charging_begin(&t.charging, &error);
        if (status == DP2DP_STATUS_OK) {
            status = dp2dp_train(schema, stream.release ? &stream : NULL, &t.options, &self->model,
                                 &error);
        } else if (stream.release) {
            stream.release(&stream);
        }
        core_charging_end(&t.charging);
    });
    result = core_made(self, status, &error);
done:
    core_training_close(&t);
    return result;
}

/* _train_plan(schema, records, options, ledger) charges to `ledger` what training on that many
 * records would charge. */
PyObject *core_model_train_plan(PyObject *type, PyObject *args) {
    PyObject *schema_object, *dict, *ledger, *result = NULL;
    unsigned long long records;
    core_training t = {.options = DP2DP_TRAIN_OPTIONS_INIT};
    dp2dp_error error;
    dp2dp_status status;
    (void)type;
    if (!PyArg_ParseTuple(args, "O!KO!O!", core.schema, &schema_object, &records, &PyDict_Type,
                          &dict, core.ledger, &ledger)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    core_training_open(&t, dict, dp2dp_schema_view(schema));
    (void)core_take_value(&t.keywords, "bad_rows", DP2DP_WORDS_BAD_ROWS, 0);
    if (core_options_check(&t.keywords) == 0) {
        t.options.ledger = NULL;
        CORE_WITHOUT_GIL(status = dp2dp_train_plan(schema, records, &t.options,
                                                   ((core_ledger *)ledger)->ledger, &error));
        result = core_none(status, &error);
    }
    core_training_close(&t);
    return result;
}
