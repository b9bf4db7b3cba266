#include "core.h"

PyObject *core_model_wrap(PyObject *type, dp2dp_model *model) {
    core_model *self = core_new(type);
    if (self == NULL) {
        dp2dp_model_free(model);
        return NULL;
    }
    self->model = model;
    return (PyObject *)self;
}

static PyObject *model_refuse(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError,
                    "a model comes from fit, train, Model.load or Model.from_json");
    return NULL;
}

static void model_dealloc(PyObject *self) {
    dp2dp_model_free(((core_model *)self)->model);
    core_delete(self);
}

static PyObject *model_load(PyObject *type, PyObject *path) {
    PyObject *bytes = NULL;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    const char *name = PyBytes_AsString(bytes);
    PyThreadState *thread = PyEval_SaveThread();
    status = dp2dp_model_load(name, &model, &error);
    PyEval_RestoreThread(thread);
    Py_DECREF(bytes);
    return status == DP2DP_STATUS_OK ? core_model_wrap(type, model) : core_raise(status, &error);
}

static PyObject *model_from_json(PyObject *type, PyObject *text) {
    size_t length = 0;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    dp2dp_status status;
    const char *bytes = core_utf8(text, "the text of a model", &length);
    if (bytes == NULL) {
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    status = dp2dp_model_from_json(bytes, length, &model, &error);
    PyEval_RestoreThread(thread);
    return status == DP2DP_STATUS_OK ? core_model_wrap(type, model) : core_raise(status, &error);
}

static PyObject *model_save(PyObject *self, PyObject *path) {
    PyObject *bytes = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    const char *name = PyBytes_AsString(bytes);
    PyThreadState *thread = PyEval_SaveThread();
    status = dp2dp_model_save(((core_model *)self)->model, name, &error);
    PyEval_RestoreThread(thread);
    Py_DECREF(bytes);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

static PyObject *model_to_json(PyObject *self, PyObject *unused) {
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    (void)unused;
    dp2dp_status status = dp2dp_model_to_json(((core_model *)self)->model, &text, &length, &error);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    PyObject *result = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
    dp2dp_text_free(text);
    return result;
}

/* scores, groups or None, out, unknown groups allowed, first row, threads. */
typedef struct decision {
    Py_buffer scores, groups, out;
    dp2dp_matrix p;
    dp2dp_column g;
    dp2dp_predict_options options;
} decision;

static int take_decision(const dp2dp_model_info *model, PyObject *const *args, Py_ssize_t count,
                         int adjusted, decision *d) {
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "six arguments are needed");
        return -1;
    }
    d->options = (dp2dp_predict_options)DP2DP_PREDICT_OPTIONS_INIT;
    d->options.unknown = PyObject_IsTrue(args[3]) ? DP2DP_UNKNOWN_BASE : DP2DP_UNKNOWN_REFUSE;
    if (PyErr_Occurred() || core_count_of(args[4], "first_row", &d->options.first_row) < 0 ||
        core_threads_of(args[5], &d->options.threads) < 0) {
        return -1;
    }
    if (Py_IsNone(args[1]) && model->events > 0) {
        PyErr_Format(core.option_error,
                     "groups are missing: pass the code, from 0 to %zu, of each row",
                     model->events - 1);
        return -1;
    }
    if (core_matrix(args[0], "scores", &d->scores, &d->p) < 0) {
        return -1;
    }
    d->g.rows = d->p.rows;
    d->groups.obj = NULL;
    if (Py_IsNone(args[1]) || core_column(args[1], "groups", &d->groups, &d->g) == 0) {
        if (core_same_rows("scores", d->p.rows, "groups", d->g.rows) == 0 &&
            core_output(args[2], "out", adjusted ? "f" : "i", d->p.rows,
                        adjusted ? model->classes : 1, &d->out) == 0) {
            return 0;
        }
        PyBuffer_Release(&d->groups);
    }
    PyBuffer_Release(&d->scores);
    return -1;
}

/* Decisions, or the adjusted scores that they are the argmax of. */
static PyObject *decide(PyObject *self, PyObject *const *args, Py_ssize_t count, int adjusted) {
    const dp2dp_model *model = ((core_model *)self)->model;
    decision d;
    dp2dp_error error;
    dp2dp_status status;
    if (take_decision(dp2dp_model_view(model), args, count, adjusted, &d) < 0) {
        return NULL;
    }
    const dp2dp_column *groups = d.groups.obj ? &d.g : NULL;
    PyThreadState *thread = PyEval_SaveThread();
    status = adjusted ? dp2dp_model_adjust(model, &d.p, groups, &d.options, d.out.buf, &error)
                      : dp2dp_model_predict(model, &d.p, groups, &d.options, d.out.buf, &error);
    PyEval_RestoreThread(thread);
    PyBuffer_Release(&d.scores);
    PyBuffer_Release(&d.groups);
    PyBuffer_Release(&d.out);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

static PyObject *model_predict(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    return decide(self, args, count, 0);
}

static PyObject *model_adjust(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    return decide(self, args, count, 1);
}

static PyMethodDef model_methods[] = {
    {"load", model_load, METH_O | METH_CLASS, "load($type, path, /)\n--\n\nReads a model file."},
    {"from_json", model_from_json, METH_O | METH_CLASS,
     "from_json($type, text, /)\n--\n\nReads the text of a model file."},
    {"save", model_save, METH_O, "save($self, path, /)\n--\n\nWrites the model file, all at once."},
    {"to_json", model_to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe text of the model file."},
    {"_info", core_model_info, METH_NOARGS, NULL},
    {"_ledger_json", core_model_ledger_json, METH_NOARGS, NULL},
    {"_predict", (PyCFunction)(void (*)(void))model_predict, METH_FASTCALL, NULL},
    {"_adjust", (PyCFunction)(void (*)(void))model_adjust, METH_FASTCALL, NULL},
    {"_fit", core_model_fit, METH_VARARGS | METH_CLASS, NULL},
    {"_train", core_model_train, METH_VARARGS | METH_CLASS, NULL},
    {"_score", core_model_score, METH_VARARGS, NULL},
    {"_certify", core_certify, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot model_slots[] = {
    {Py_tp_new, (void *)model_refuse},
    {Py_tp_dealloc, (void *)model_dealloc},
    {Py_tp_methods, model_methods},
    {0, NULL},
};

static PyType_Spec model_spec = {
    .name = "dp2dp._core.Model",
    .basicsize = sizeof(core_model),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = model_slots,
};

int core_add_model(PyObject *module) {
    return core_add_type(module, &model_spec, "Model", &core.model);
}
