#include "core.h"

#include <math.h>
#include <string.h>

static const struct {
    dp2dp_solver solver;
    const char *word;
} solvers[] = {
#define DP2DP_SOLVER(name, value, word) {DP2DP_SOLVER_##name, word},
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
};

static const struct {
    unsigned bit;
    const char *word, *meaning;
} leaks[] = {
#define DP2DP_LEAK(name, bit, word, meaning) {bit, word, meaning},
#include <dp2dp/leak.def>
#undef DP2DP_LEAK
};

enum {
    SOLVERS = sizeof solvers / sizeof solvers[0],
    LEAKS = sizeof leaks / sizeof leaks[0]
};

static const dp2dp_model_info *info_of(PyObject *self) {
    return dp2dp_model_view(((core_model *)self)->model);
}

/* The model as an instance of `type`, which owns it. */
static PyObject *wrap(PyObject *type, dp2dp_model *model) {
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
    return status == DP2DP_STATUS_OK ? wrap(type, model) : core_raise(status, &error);
}

static PyObject *model_from_json(PyObject *type, PyObject *text) {
    Py_ssize_t length = 0;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    dp2dp_status status;
    const char *bytes = PyUnicode_AsUTF8AndSize(text, &length);
    if (bytes == NULL) {
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    status = dp2dp_model_from_json(bytes, (size_t)length, &model, &error);
    PyEval_RestoreThread(thread);
    return status == DP2DP_STATUS_OK ? wrap(type, model) : core_raise(status, &error);
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

static int take_decision(PyObject *const *args, Py_ssize_t count, const char *format, size_t width,
                         decision *d) {
    if (count != 6) {
        PyErr_SetString(PyExc_TypeError, "six arguments are needed");
        return -1;
    }
    d->options = (dp2dp_predict_options)DP2DP_PREDICT_OPTIONS_INIT;
    d->options.unknown = PyObject_IsTrue(args[3]) ? DP2DP_UNKNOWN_BASE : DP2DP_UNKNOWN_REFUSE;
    d->options.first_row = PyLong_AsUnsignedLongLong(args[4]);
    d->options.threads = (unsigned)PyLong_AsUnsignedLong(args[5]);
    if (PyErr_Occurred() || core_matrix(args[0], "scores", &d->scores, &d->p) < 0) {
        return -1;
    }
    d->g = (dp2dp_column) {.type = DP2DP_INT8, .rows = d->p.rows};
    d->groups.obj = NULL;
    if (Py_IsNone(args[1]) || core_column(args[1], "groups", &d->groups, &d->g) == 0) {
        size_t cells = d->p.rows * (width ? width : 1);
        if (core_output(args[2], "out", format, cells, &d->out) == 0) {
            return 0;
        }
        PyBuffer_Release(&d->groups);
    }
    PyBuffer_Release(&d->scores);
    return -1;
}

static void drop_decision(decision *d) {
    PyBuffer_Release(&d->scores);
    PyBuffer_Release(&d->groups);
    PyBuffer_Release(&d->out);
}

static PyObject *model_predict(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    const dp2dp_model *model = ((core_model *)self)->model;
    decision d;
    dp2dp_error error;
    dp2dp_status status;
    if (take_decision(args, count, "i", 0, &d) < 0) {
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    status =
        dp2dp_model_predict(model, &d.p, d.groups.obj ? &d.g : NULL, &d.options, d.out.buf, &error);
    PyEval_RestoreThread(thread);
    drop_decision(&d);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

static PyObject *model_adjust(PyObject *self, PyObject *const *args, Py_ssize_t count) {
    const dp2dp_model *model = ((core_model *)self)->model;
    decision d;
    dp2dp_error error;
    dp2dp_status status;
    if (take_decision(args, count, "f", info_of(self)->classes, &d) < 0) {
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    status =
        dp2dp_model_adjust(model, &d.p, d.groups.obj ? &d.g : NULL, &d.options, d.out.buf, &error);
    PyEval_RestoreThread(thread);
    drop_decision(&d);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

static PyObject *table_of(const double *values, size_t rows, size_t columns) {
    PyObject *table = PyList_New((Py_ssize_t)rows);
    for (size_t i = 0; table && i < rows; i++) {
        PyObject *row = core_list_of_numbers(values + i * columns, columns);
        if (row == NULL) {
            Py_CLEAR(table);
        } else {
            PyList_SetItem(table, (Py_ssize_t)i, row);
        }
    }
    return table;
}

static PyObject *leaks_of(unsigned bits) {
    const char *words[LEAKS];
    size_t count = 0;
    for (size_t i = 0; i < LEAKS; i++) {
        if (bits & leaks[i].bit) {
            words[count++] = leaks[i].word;
        }
    }
    return core_list_of_texts(words, count);
}

static PyObject *settings_of(const dp2dp_settings *settings) {
    PyObject *dict = PyDict_New();
    int failed = dict == NULL;
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning) \
    failed = failed || core_put(dict, #name, core_number_or_none(settings->name)) < 0;
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning) \
    failed = failed || core_put(dict, #name, PyLong_FromUnsignedLongLong(settings->name)) < 0;
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    if (failed) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *classifier_of(const dp2dp_classifier *c, size_t classes) {
    static const char *const methods[] = {
#define DP2DP_TRAIN_METHOD(name, value, word) [value] = word,
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_METHOD
    };
    if (c == NULL) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue(
        "{s:s,s:n,s:N,s:s,s:K,s:s}", "schema", c->schema, "features", (Py_ssize_t)c->features,
        "weights", table_of(c->weights, classes, c->features + 1), "method", methods[c->method],
        "records", (unsigned long long)c->records, "library_version", c->library_version);
}

static PyObject *optimality_of(const dp2dp_optimality *o) {
    if (o == NULL) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("{s:d,s:d,s:d,s:d}", "dual", o->dual, "primal", o->primal, "rule", o->rule,
                         "unfairness", o->unfairness);
}

static const char *solver_word(dp2dp_solver solver) {
    for (size_t i = 0; i < SOLVERS; i++) {
        if (solvers[i].solver == solver) {
            return solvers[i].word;
        }
    }
    return NULL;
}

static PyObject *model_info(PyObject *self, PyObject *unused) {
    const dp2dp_model_info *m = info_of(self);
    PyObject *d = PyDict_New();
    (void)unused;
    if (d && core_put(d, "offsets", table_of(m->offsets, m->events, m->classes)) == 0 &&
        core_put(d, "shares", core_list_of_numbers(m->shares, m->events)) == 0 &&
        core_put(d, "groups", core_list_of_texts(m->names.events, m->events)) == 0 &&
        core_put(d, "classes", core_list_of_texts(m->names.classes, m->classes)) == 0 &&
        core_put(d, "normalize", PyBool_FromLong(m->row_sums == DP2DP_ROW_SUMS_NORMALIZE)) == 0 &&
        core_put(d, "dither", PyFloat_FromDouble(m->dither.width)) == 0 &&
        core_put(d, "solver", Py_BuildValue("z", solver_word(m->solver))) == 0 &&
        core_put(d, "settings", settings_of(&m->settings)) == 0 &&
        core_put(d, "records", PyLong_FromUnsignedLongLong(m->records)) == 0 &&
        core_put(d, "insecure", PyBool_FromLong(m->rng == DP2DP_RNG_INSECURE)) == 0 &&
        core_put(d, "leaks", leaks_of(m->leaks)) == 0 &&
        core_put(d, "epsilon", core_number_or_none(m->epsilon)) == 0 &&
        core_put(d, "delta", core_number_or_none(m->delta)) == 0 &&
        core_put(d, "epsilon_claimed", core_number_or_none(m->epsilon_claimed)) == 0 &&
        core_put(d, "optimality", optimality_of(m->optimality)) == 0 &&
        core_put(d, "library_version", PyUnicode_FromString(m->library_version)) == 0 &&
        core_put(d, "classifier", classifier_of(m->classifier, m->classes)) == 0) {
        return d;
    }
    Py_XDECREF(d);
    return NULL;
}

/* The ledger of the model, as its text: a copy that nothing of the model depends on. */
static PyObject *model_ledger_json(PyObject *self, PyObject *unused) {
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    (void)unused;
    dp2dp_status status = dp2dp_ledger_to_json(info_of(self)->ledger, &text, &length, &error);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    PyObject *result = PyUnicode_FromStringAndSize(text, (Py_ssize_t)length);
    dp2dp_text_free(text);
    return result;
}

static int take_solver(core_options *options, dp2dp_solver *out) {
    const char *word = solver_word(*out);
    if (core_take_word(options, "solver", &word) < 0) {
        return -1;
    }
    for (size_t i = 0; i < SOLVERS; i++) {
        if (strcmp(word, solvers[i].word) == 0) {
            *out = solvers[i].solver;
            return 0;
        }
    }
    PyErr_Format(core.option_error,
                 "solver must be counts, exact, sgd or sgd-as-published, not '%s'", word);
    return -1;
}

static int take_leaks(core_options *options, unsigned *bits) {
    const char *const *words = NULL;
    size_t count = 0;
    if (core_take_names(options, "leaks", &count, &words) < 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned bit = 0;
        for (size_t j = 0; j < LEAKS; j++) {
            bit |= strcmp(words[i], leaks[j].word) == 0 ? leaks[j].bit : 0;
        }
        if (bit == 0) {
            PyErr_Format(core.option_error, "no leak is called '%s'", words[i]);
            return -1;
        }
        *bits |= bit;
    }
    return 0;
}

/* Everything a fit holds. */
typedef struct fitting {
    core_options keywords;
    Py_buffer scores_buffer, groups_buffer;
    dp2dp_matrix scores;
    dp2dp_column groups;
    dp2dp_pool_options pool;
    dp2dp_fit_options fit;
    core_ledger *ledger;
    core_watch watch;
} fitting;

static int take_pool_options(fitting *f) {
    int normalize = 0;
    if (core_take_flag(&f->keywords, "normalize", &normalize) < 0 ||
        core_take_number(&f->keywords, "dither", &f->pool.dither.width) < 0 ||
        core_take_count(&f->keywords, "dither_seed", &f->pool.dither.seed) < 0 ||
        core_take_threads(&f->keywords, &f->pool.threads) < 0) {
        return -1;
    }
    f->pool.row_sums = normalize ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
    return 0;
}

static int take_fit_options(fitting *f) {
    core_options *o = &f->keywords;
    core_model *base = NULL;
    size_t classes = f->scores.columns;
    int same = 0;
    if (take_solver(o, &f->fit.solver) < 0 || take_leaks(o, &f->fit.leaks) < 0 ||
        core_take_names(o, "class_names", &classes, &f->fit.names.classes) < 0 ||
        core_take_names(o, "group_names", &f->pool.events, &f->fit.names.events) < 0 ||
        core_take_names(o, "score_columns", &classes, &f->fit.names.scores) < 0 ||
        core_take_word(o, "group_column", &f->fit.names.event_column) < 0 ||
        core_take_object(o, "base", core.model, &base) < 0 ||
        core_take_flag(o, "same_people", &same) < 0 ||
        core_take_seed(o, &f->fit.rng, &f->fit.insecure_seed) < 0 ||
        core_take_object(o, "ledger", core.ledger, &f->ledger) < 0) {
        return -1;
    }
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning) \
    if (core_take_number(o, #name, &f->fit.name) < 0) {        \
        return -1;                                             \
    }
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning) \
    if (core_take_count(o, #name, &f->fit.name) < 0) {        \
        return -1;                                            \
    }
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    f->watch.function = core_take(o, "progress");
    f->fit.base = base ? base->model : NULL;
    f->fit.people = same ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
    f->fit.ledger = f->ledger ? f->ledger->ledger : NULL;
    f->fit.progress = core_progress;
    f->fit.progress_context = &f->watch;
    return PyErr_Occurred() ? -1 : 0;
}

static dp2dp_status run_fit(fitting *f, dp2dp_model **out, dp2dp_error *error) {
    dp2dp_pool *pool = NULL;
    dp2dp_status status = dp2dp_pool_new(&f->scores, &f->groups, &f->pool, &pool, error);
    if (status == DP2DP_STATUS_OK) {
        dp2dp_source source = dp2dp_pool_source(pool);
        core_ledger_lock(f->ledger);
        status = dp2dp_fit(&source, &f->fit, out, error);
        core_ledger_unlock(f->ledger);
    }
    dp2dp_pool_free(pool);
    return status;
}

/* Model._fit(scores, groups, number of groups, options) */
static PyObject *model_fit(PyObject *type, PyObject *args) {
    PyObject *scores, *groups, *dict, *result = NULL;
    Py_ssize_t events;
    dp2dp_model *model = NULL;
    dp2dp_error error;
    dp2dp_status status;
    fitting f = {.pool = DP2DP_POOL_OPTIONS_INIT};
    dp2dp_fit_options_init(&f.fit);
    if (!PyArg_ParseTuple(args, "OOnO!", &scores, &groups, &events, &PyDict_Type, &dict) ||
        core_matrix(scores, "scores", &f.scores_buffer, &f.scores) < 0) {
        return NULL;
    }
    f.pool.events = events < 0 ? 0 : (size_t)events;
    if (core_column(groups, "groups", &f.groups_buffer, &f.groups) == 0 &&
        core_options_open(&f.keywords, dict) == 0 && take_pool_options(&f) == 0 &&
        take_fit_options(&f) == 0 && core_options_check(&f.keywords) == 0) {
        PyThreadState *thread = PyEval_SaveThread();
        status = run_fit(&f, &model, &error);
        PyEval_RestoreThread(thread);
        result = status == DP2DP_STATUS_OK ? wrap(type, model) : core_raise(status, &error);
    }
    core_options_close(&f.keywords);
    PyBuffer_Release(&f.groups_buffer);
    PyBuffer_Release(&f.scores_buffer);
    return result;
}

static PyMethodDef model_methods[] = {
    {"load", model_load, METH_O | METH_CLASS, "Reads a model file."},
    {"from_json", model_from_json, METH_O | METH_CLASS, "Reads the text of a model file."},
    {"save", model_save, METH_O, "Writes the model file, all at once."},
    {"to_json", model_to_json, METH_NOARGS, "The text of the model file."},
    {"_info", model_info, METH_NOARGS, NULL},
    {"_ledger_json", model_ledger_json, METH_NOARGS, NULL},
    {"_predict", (PyCFunction)(void (*)(void))model_predict, METH_FASTCALL, NULL},
    {"_adjust", (PyCFunction)(void (*)(void))model_adjust, METH_FASTCALL, NULL},
    {"_fit", model_fit, METH_VARARGS | METH_CLASS, NULL},
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

/* The tables of options and leaks, so that Python has no second copy of them. */
static PyObject *option_table(void) {
    PyObject *list = PyList_New(0), *row = NULL;
    int failed = list == NULL;
#define ROW(name, standard, least, most, meaning, kind)                                            \
    row = failed ? NULL                                                                            \
                 : Py_BuildValue("(ssNdds)", #name, kind, core_number_or_none((double)(standard)), \
                                 (double)(least), (double)(most), meaning);                        \
    failed = failed || row == NULL || PyList_Append(list, row) < 0;                                \
    Py_XDECREF(row);
#define DP2DP_FIT_NUMBER(name, standard, least, most, meaning) \
    ROW(name, standard, least, most, meaning, "number")
#define DP2DP_FIT_COUNT(name, standard, least, most, meaning) \
    ROW(name, standard, least, most, meaning, "count")
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
#undef ROW
    if (failed) {
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *leak_table(void) {
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < LEAKS; i++) {
        if (core_put(dict, leaks[i].word, PyUnicode_FromString(leaks[i].meaning)) < 0) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

int core_add_model(PyObject *module) {
    PyObject *options = option_table(), *meanings = leak_table();
    int failed = options == NULL || meanings == NULL ||
                 PyModule_AddObjectRef(module, "fit_options", options) < 0 ||
                 PyModule_AddObjectRef(module, "leaks", meanings) < 0 ||
                 core_add_type(module, &model_spec, "Model", &core.model) < 0;
    Py_XDECREF(options);
    Py_XDECREF(meanings);
    return failed ? -1 : 0;
}
