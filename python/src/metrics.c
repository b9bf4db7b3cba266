#include "core.h"

static PyObject *interval_of(dp2dp_interval interval) {
    return Py_BuildValue("(NN)", core_number_or_none(interval.low),
                         core_number_or_none(interval.high));
}

/* A table of counts, rates or intervals as nested lists. */
static PyObject *cell_of(const dp2dp_evaluation *e, int what, size_t i) {
    return what == 0   ? PyLong_FromLongLong(e->counts[i])
           : what == 1 ? core_number_or_none(e->rates[i])
                       : interval_of(e->rate_intervals[i]);
}

static PyObject *table_of(const dp2dp_evaluation *e, int what) {
    PyObject *rows = PyList_New((Py_ssize_t)e->events);
    for (size_t i = 0; rows && i < e->events; i++) {
        PyObject *row = PyList_New((Py_ssize_t)e->classes);
        for (size_t j = 0; row && j < e->classes; j++) {
            PyObject *cell = cell_of(e, what, i * e->classes + j);
            if (cell == NULL) {
                Py_CLEAR(row);
            } else {
                PyList_SetItem(row, (Py_ssize_t)j, cell);
            }
        }
        if (row == NULL) {
            Py_CLEAR(rows);
        } else {
            PyList_SetItem(rows, (Py_ssize_t)i, row);
        }
    }
    return rows;
}

static PyObject *evaluation_of(const dp2dp_evaluation *e) {
    return Py_BuildValue(
        "{s:K,s:d,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "records", (unsigned long long)e->records,
        "confidence", e->confidence, "counts", table_of(e, 0), "rates", table_of(e, 1),
        "rate_intervals", table_of(e, 2), "unfairness", core_number_or_none(e->unfairness),
        "unfairness_interval", interval_of(e->unfairness_interval), "accuracy",
        core_number_or_none(e->has_labels ? e->accuracy : Py_NAN), "error",
        core_number_or_none(e->has_labels ? e->error : Py_NAN), "accuracy_interval",
        interval_of(e->has_labels ? e->accuracy_interval : (dp2dp_interval) {Py_NAN, Py_NAN}),
        "balanced_accuracy", core_number_or_none(e->has_labels ? e->balanced_accuracy : Py_NAN));
}

/* evaluate(predictions, groups, labels or None, options) -> dict */
static PyObject *evaluate(PyObject *module, PyObject *args) {
    PyObject *objects[3], *dict, *result = NULL;
    static const char *const names[] = {"predictions", "groups", "labels"};
    Py_buffer buffers[3] = {{0}};
    dp2dp_column columns[3];
    core_options keywords = {0};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *found = NULL;
    dp2dp_error error;
    dp2dp_status status;
    uint64_t events = 0, classes = 0;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO!", &objects[0], &objects[1], &objects[2], &PyDict_Type,
                          &dict)) {
        return NULL;
    }
    int given = Py_IsNone(objects[2]) ? 2 : 3, failed = core_options_open(&keywords, dict) < 0;
    for (int i = 0; !failed && i < given; i++) {
        failed = core_column(objects[i], names[i], &buffers[i], &columns[i]) < 0 ||
                 core_same_rows(names[0], columns[0].rows, names[i], columns[i].rows) < 0;
    }
    if (!failed && core_take_count(&keywords, "groups", &events) == 0 &&
        core_take_count(&keywords, "classes", &classes) == 0 &&
        core_take_number(&keywords, "confidence", &options.confidence) == 0 &&
        core_take_count(&keywords, "bootstrap_draws", &options.bootstrap_draws) == 0 &&
        core_take_count(&keywords, "insecure_seed", &options.insecure_seed) == 0 &&
        core_options_check(&keywords) == 0) {
        options.events = (size_t)events;
        options.classes = (size_t)classes;
        PyThreadState *thread = PyEval_SaveThread();
        status = dp2dp_evaluate(&columns[0], &columns[1], given == 3 ? &columns[2] : NULL, &options,
                                &found, &error);
        PyEval_RestoreThread(thread);
        result = status == DP2DP_STATUS_OK ? evaluation_of(found) : core_raise(status, &error);
        dp2dp_evaluation_free(found);
    }
    core_options_close(&keywords);
    for (int i = 0; i < 3; i++) {
        PyBuffer_Release(&buffers[i]);
    }
    return result;
}

/* The people of a certificate: their scores are treated as the model treats scores. */
static dp2dp_status run_certify(const dp2dp_model *model, const dp2dp_matrix *scores,
                                const dp2dp_column *groups, core_ledger *ledger,
                                const dp2dp_certify_options *options, dp2dp_certificate *out,
                                dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    pool_options.events = info->events;
    pool_options.row_sums = info->row_sums;
    pool_options.dither = info->dither;
    dp2dp_status status = dp2dp_pool_new(scores, groups, &pool_options, &pool, error);
    if (status == DP2DP_STATUS_OK) {
        dp2dp_source source = dp2dp_pool_source(pool);
        core_ledger_lock(ledger);
        status = core_is_interrupted() ? DP2DP_STATUS_CANCELLED
                                       : dp2dp_certify(&source, model, options, out, error);
        core_ledger_unlock(ledger);
    }
    dp2dp_pool_free(pool);
    return status;
}

static PyObject *certificate_of(const dp2dp_certificate *c) {
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:N,s:N}", "unfairness_upper", c->unfairness_upper,
                         "unfairness_upper_strict", c->unfairness_upper_strict, "confidence",
                         c->confidence, "sigma", c->sigma, "group_too_small",
                         PyBool_FromLong(c->group_too_small), "private",
                         PyBool_FromLong(c->is_private));
}

/* model._certify(scores, groups, ledger, options) -> dict */
PyObject *core_certify(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    PyObject *scores_object, *groups_object, *dict, *result = NULL;
    core_ledger *ledger;
    Py_buffer scores_buffer = {0}, groups_buffer = {0};
    dp2dp_matrix scores;
    dp2dp_column groups;
    core_options keywords = {0};
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    dp2dp_error error;
    dp2dp_status status;
    options.epsilon = options.delta = Py_NAN;
    if (!PyArg_ParseTuple(args, "OOO!O!", &scores_object, &groups_object, core.ledger, &ledger,
                          &PyDict_Type, &dict)) {
        return NULL;
    }
    options.ledger = ledger->ledger;
    if (core_matrix(scores_object, "scores", &scores_buffer, &scores) == 0 &&
        core_column(groups_object, "groups", &groups_buffer, &groups) == 0 &&
        core_same_rows("scores", scores.rows, "groups", groups.rows) == 0 &&
        core_options_open(&keywords, dict) == 0 &&
        core_take_number(&keywords, "epsilon", &options.epsilon) == 0 &&
        core_take_number(&keywords, "delta", &options.delta) == 0 &&
        core_take_number(&keywords, "confidence", &options.confidence) == 0 &&
        core_take_count(&keywords, "rows_per_person", &options.rows_per_person) == 0 &&
        core_take_seed(&keywords, &options.rng, &options.insecure_seed) == 0 &&
        core_options_check(&keywords) == 0) {
        PyThreadState *thread = PyEval_SaveThread();
        status = run_certify(model, &scores, &groups, ledger, &options, &certificate, &error);
        PyEval_RestoreThread(thread);
        result =
            status == DP2DP_STATUS_OK ? certificate_of(&certificate) : core_raise(status, &error);
    }
    core_options_close(&keywords);
    PyBuffer_Release(&groups_buffer);
    PyBuffer_Release(&scores_buffer);
    return result;
}

PyMethodDef core_metrics_methods[] = {
    {"evaluate", evaluate, METH_VARARGS, NULL},
    {"stream", core_stream_new, METH_VARARGS, NULL},
    {"columns", core_columns, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};
