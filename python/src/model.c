#include "core.h"

#include <stdlib.h>

static PyObject *model_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError,
                    "use fit, train, Model.load or Model.from_json to get a Model");
    return NULL;
}

static void model_dealloc(PyObject *self) {
    dp2dp_model_free(((core_model *)self)->model);
    core_delete(self);
}

static PyObject *model_load(PyObject *type, PyObject *path) {
    PyObject *bytes = NULL;
    dp2dp_error error;
    dp2dp_status status;
    core_model *self = PyUnicode_FSConverter(path, &bytes) ? core_new(type) : NULL;
    if (self) {
        const char *name = PyBytes_AsString(bytes);
        CORE_WITHOUT_GIL(status = dp2dp_model_load(name, &self->model, &error));
    }
    Py_XDECREF(bytes);
    return self ? core_made(self, status, &error) : NULL;
}

static PyObject *model_from_json(PyObject *type, PyObject *text) {
    size_t length = 0;
    dp2dp_error error;
    dp2dp_status status;
    const char *bytes = core_utf8(text, "the text of a model", &length);
    core_model *self = bytes ? core_new(type) : NULL;
    if (self == NULL) {
        return NULL;
    }
    CORE_WITHOUT_GIL(status = dp2dp_model_from_json(bytes, length, &self->model, &error));
    return core_made(self, status, &error);
}

static PyObject *model_save(PyObject *self, PyObject *path) {
    const dp2dp_model *model = ((core_model *)self)->model;
    PyObject *bytes = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    const char *name = PyBytes_AsString(bytes);
    CORE_WITHOUT_GIL(status = dp2dp_model_save(model, name, &error));
    Py_DECREF(bytes);
    return core_none(status, &error);
}

static PyObject *model_to_json(PyObject *self, PyObject *unused) {
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    (void)unused;
    dp2dp_status status = dp2dp_model_to_json(((core_model *)self)->model, &text, &length, &error);
    return core_text(status, text, length, &error);
}

/* _ledger_json() -> the JSON text of the model's ledger */
static PyObject *model_ledger_json(PyObject *self, PyObject *unused) {
    const dp2dp_model_info *info = dp2dp_model_view(((core_model *)self)->model);
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    (void)unused;
    dp2dp_status status = dp2dp_ledger_to_json(info->ledger, &text, &length, &error);
    return core_text(status, text, length, &error);
}

/* _explain(name of the model or None) -> text */
static PyObject *model_explain(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    dp2dp_explain_options options = DP2DP_EXPLAIN_OPTIONS_INIT;
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "z", &options.name)) {
        return NULL;
    }
    dp2dp_status status = dp2dp_explain(model, &options, &text, &length, &error);
    return core_text(status, text, length, &error);
}

/* Returns the object, or NULL if the object is None. */
static PyObject *given(PyObject *object) {
    return Py_IsNone(object) ? NULL : object;
}

enum {
    MOST_COUNTED = 100000 /* if there are more rows, only evenly spaced rows are counted: counting
                             all rows would take longer than deciding */
};

/* Counts the people of each group who get each class, in a new table that the caller frees. Skips
 * unknown groups. */
static double *count_decisions(const dp2dp_model_info *info, const dp2dp_column *decisions,
                               const dp2dp_column *groups) {
    double *table = calloc(info->strata * info->classes, sizeof *table);
    size_t step = 1 + groups->rows / MOST_COUNTED;
    for (size_t i = 0; i < groups->rows && table; i += step) {
        int32_t group = core_code_of(groups, i), decision = core_code_of(decisions, i);
        if (group >= 0 && (size_t)group < info->groups && (size_t)decision < info->classes) {
            table[(size_t)group * info->classes + (size_t)decision]++;
        }
    }
    return table;
}

/* _rate_gap(decisions, groups) -> (class, group with the high rate, group with the low rate, high
 * rate, low rate), or None if the rates of the groups do not differ clearly */
static PyObject *model_rate_gap(PyObject *self, PyObject *args) {
    const dp2dp_model_info *info = dp2dp_model_view(((core_model *)self)->model);
    PyObject *given, *codes, *result = NULL;
    Py_buffer decided = {0}, grouped = {0};
    dp2dp_column decisions, groups;
    dp2dp_rate_gap gap;
    double *table = NULL;
    unsigned found = 0;
    if (!PyArg_ParseTuple(args, "OO", &given, &codes)) {
        return NULL;
    }
    if (core_column(given, "decisions", &decided, &decisions) == 0 &&
        core_column(codes, "groups", &grouped, &groups) == 0 &&
        core_same_rows("decisions", decisions.rows, "groups", groups.rows) == 0) {
        CORE_WITHOUT_GIL(table = count_decisions(info, &decisions, &groups));
        found = table ? dp2dp_warn_of_rates(info, table, 0, &gap) : 0;
        result = table == NULL ? PyErr_NoMemory()
                 : found
                     ? Py_BuildValue("KKKdd", (unsigned long long)gap.class_code,
                                     (unsigned long long)gap.group_high,
                                     (unsigned long long)gap.group_low, gap.rate_high, gap.rate_low)
                     : Py_NewRef(Py_None);
    }
    free(table);
    PyBuffer_Release(&decided);
    PyBuffer_Release(&grouped);
    return result;
}

/* _weight_order(means, rows) -> (position of the column that fits best as column 0, ...), or None
 * if the columns of weights fit in the given order */
static PyObject *model_weight_order(PyObject *self, PyObject *args) {
    const dp2dp_model_info *info = dp2dp_model_view(((core_model *)self)->model);
    unsigned long long rows;
    PyObject *given, *result = NULL;
    if (!PyArg_ParseTuple(args, "OK", &given, &rows)) {
        return NULL;
    }
    double *means = calloc(info->weight_columns + 1, sizeof *means);
    size_t *order = calloc(info->weight_columns + 1, sizeof *order);
    if (means == NULL || order == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t j = 0; j < info->weight_columns; j++) {
        PyObject *mean = PySequence_GetItem(given, (Py_ssize_t)j);
        means[j] = mean ? PyFloat_AsDouble(mean) : -1;
        Py_XDECREF(mean);
        if (PyErr_Occurred()) {
            goto done;
        }
    }
    if (!dp2dp_weights_order(info, means, rows, order)) {
        result = Py_NewRef(Py_None);
        goto done;
    }
    result = PyTuple_New((Py_ssize_t)info->weight_columns);
    for (size_t j = 0; result && j < info->weight_columns; j++) {
        if (PyTuple_SetItem(result, (Py_ssize_t)j, PyLong_FromSize_t(order[j])) < 0) {
            Py_CLEAR(result);
        }
    }
done:
    free(means);
    free(order);
    return result;
}

/* _predict(scores, groups or None, out, base, first row, threads, adjust, weights or None, ids or
 * None, without dither). Writes decisions to out or, if adjust is true, the adjusted scores. If
 * base is true, a row of an unknown group gets the argmax of its scores; if base is false, such a
 * row is an error. */
static PyObject *model_predict(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    const dp2dp_model *model = ((core_model *)self)->model;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    PyObject *groups, *result = NULL;
    Py_buffer out = {0};
    core_people people = {0};
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    dp2dp_error error;
    dp2dp_status status;
    if (count != 10) {
        PyErr_SetString(PyExc_TypeError, "_predict takes 10 arguments");
        return NULL;
    }
    int base = PyObject_IsTrue(args[3]), adjusted = PyObject_IsTrue(args[6]);
    options.without_dither = PyObject_IsTrue(args[9]);
    if (base < 0 || adjusted < 0 || options.without_dither < 0 ||
        core_count_of(args[4], "first_row", &options.first_row) < 0 ||
        core_threads_of(args[5], &options.threads) < 0) {
        return NULL;
    }
    options.unknown = base ? DP2DP_UNKNOWN_BASE : DP2DP_UNKNOWN_REFUSE;
    groups = given(args[1]);
    if (groups == NULL && info->strata > 0 && info->rule != DP2DP_RULE_WEIGHTED) {
        PyErr_Format(core.option_error,
                     "groups are missing: pass the group code of each row, from 0 to %zu",
                     info->groups - 1);
        return NULL;
    }
    if (core_people_open(&people, args[0], groups) < 0 ||
        core_people_add(&people, NULL, given(args[7]), given(args[8])) < 0 ||
        core_flat(args[2], "out", 1, adjusted ? "f" : "i", people.scores.rows,
                  adjusted ? info->classes : 1, &out) < 0) {
        goto done;
    }
    options.weights = people.has_weights ? &people.weights : NULL;
    options.ids = people.ids;
    const dp2dp_column *codes = groups ? &people.groups : NULL;
    CORE_WITHOUT_GIL(status = adjusted ? dp2dp_model_adjust(model, &people.scores, codes, &options,
                                                            out.buf, &error)
                                       : dp2dp_model_predict(model, &people.scores, codes, &options,
                                                             out.buf, &error));
    result = core_none(status, &error);
    PyBuffer_Release(&out);
done:
    core_people_close(&people);
    return result;
}

/* _decide(scores of one person, name of the group or None) -> name of the class */
static PyObject *model_decide(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    PyObject *scores;
    const char *group, *decision;
    Py_buffer buffer;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "Oz", &scores, &group) ||
        core_flat(scores, "scores", 0, "d", 1, dp2dp_model_view(model)->classes, &buffer) < 0) {
        return NULL;
    }
    dp2dp_status status = dp2dp_model_decide(model, buffer.buf, group, &decision, &error);
    PyBuffer_Release(&buffer);
    return core_check(status, &error) == 0 ? PyUnicode_FromString(decision) : NULL;
}

static PyMethodDef model_methods[] = {
    {"load", model_load, METH_O | METH_CLASS,
     "load($type, path, /)\n--\n\nReads the model file at ``path``."},
    {"from_json", model_from_json, METH_O | METH_CLASS,
     "from_json($type, text, /)\n--\n\nReads a model from ``text``, the content of its file."},
    {"save", model_save, METH_O,
     "save($self, path, /)\n--\n\nWrites the model file to ``path``, atomically."},
    {"to_json", model_to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe text of the model file."},
    {"_info", core_model_info, METH_NOARGS, NULL},
    {"_ledger_json", model_ledger_json, METH_NOARGS, NULL},
    {"_predict", (PyCFunction)(void (*)(void))model_predict, METH_FASTCALL, NULL},
    {"_explain", model_explain, METH_VARARGS, NULL},
    {"_decide", model_decide, METH_VARARGS, NULL},
    {"_fit", core_model_fit, METH_VARARGS | METH_CLASS, NULL},
    {"_fit_stream", core_model_fit_stream, METH_VARARGS | METH_CLASS, NULL},
    {"_fit_source", core_model_fit_source, METH_VARARGS | METH_CLASS, NULL},
    {"_fit_plan", core_model_fit_plan, METH_VARARGS | METH_CLASS, NULL},
    {"_train_plan", core_model_train_plan, METH_VARARGS | METH_CLASS, NULL},
    {"_train", core_model_train, METH_VARARGS | METH_CLASS, NULL},
    {"_train_source", core_model_train_source, METH_VARARGS | METH_CLASS, NULL},
    {"_score", core_model_score, METH_VARARGS, NULL},
    {"_certify", core_certify, METH_VARARGS, NULL},
    {"_rate_gap", model_rate_gap, METH_VARARGS, NULL},
    {"_weight_order", model_weight_order, METH_VARARGS, NULL},
    {"_report", core_report, METH_VARARGS, NULL},
    {"_export", core_export, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(model, "Model");
