#include "core.h"

#include <string.h>

/* Its lock is taken without the GIL, as that of a ledger is. */
typedef struct core_accountant {
    PyObject_HEAD dp2dp_accountant *accountant;
    pthread_mutex_t lock;
} core_accountant;

static PyObject *accountant_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    const char *word = "replace-one";
    static char *names[] = {"adjacency", NULL};
    dp2dp_adjacency adjacency;
    dp2dp_error error;
    dp2dp_accountant *accountant = NULL;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|s", names, &word)) {
        return NULL;
    }
    dp2dp_status status = dp2dp_adjacency_parse(word, &adjacency, &error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_accountant_new(adjacency, &accountant, &error);
    }
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    core_accountant *self = core_new((PyObject *)type);
    if (self == NULL) {
        dp2dp_accountant_free(accountant);
        return NULL;
    }
    self->accountant = accountant;
    pthread_mutex_init(&self->lock, NULL);
    return (PyObject *)self;
}

static void accountant_dealloc(PyObject *self) {
    core_accountant *a = (core_accountant *)self;
    dp2dp_accountant_free(a->accountant);
    pthread_mutex_destroy(&a->lock);
    core_delete(self);
}

static PyObject *accountant_add(PyObject *self, PyObject *dict) {
    core_accountant *a = (core_accountant *)self;
    core_options options = {0};
    dp2dp_event event;
    dp2dp_error error;
    dp2dp_status status = DP2DP_STATUS_OK;
    int failed = core_options_open(&options, dict) < 0 || core_take_event(&options, &event) < 0 ||
                 core_options_check(&options) < 0;
    if (!failed) {
        PyThreadState *thread = PyEval_SaveThread();
        pthread_mutex_lock(&a->lock);
        status = dp2dp_accountant_add(a->accountant, &event, &error);
        pthread_mutex_unlock(&a->lock);
        PyEval_RestoreThread(thread);
    }
    core_options_close(&options);
    if (failed || status != DP2DP_STATUS_OK) {
        return failed ? NULL : core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

typedef dp2dp_status (*question)(const dp2dp_accountant *, double, dp2dp_backend, double *,
                                 dp2dp_backend *, dp2dp_error *);

/* (given, back-end) -> (answer, back-end that gave it) */
static PyObject *ask(PyObject *self, PyObject *args, question function) {
    core_accountant *a = (core_accountant *)self;
    const char *word = "auto";
    double given, answer = 0;
    dp2dp_backend backend, used = DP2DP_BACKEND_AUTO;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "d|s", &given, &word)) {
        return NULL;
    }
    dp2dp_status status = dp2dp_backend_parse(word, &backend, &error);
    if (status == DP2DP_STATUS_OK) {
        PyThreadState *thread = PyEval_SaveThread();
        pthread_mutex_lock(&a->lock);
        status = function(a->accountant, given, backend, &answer, &used, &error);
        pthread_mutex_unlock(&a->lock);
        PyEval_RestoreThread(thread);
    }
    return status == DP2DP_STATUS_OK ? Py_BuildValue("(ds)", answer, dp2dp_backend_name(used))
                                     : core_raise(status, &error);
}

static PyObject *accountant_epsilon(PyObject *self, PyObject *args) {
    return ask(self, args, dp2dp_accountant_epsilon);
}

static PyObject *accountant_delta(PyObject *self, PyObject *args) {
    return ask(self, args, dp2dp_accountant_delta);
}

/* (epsilons, out, back-end): two arrays of float64. */
static PyObject *accountant_curve(PyObject *self, PyObject *args) {
    core_accountant *a = (core_accountant *)self;
    PyObject *given, *out;
    const char *word = "auto";
    dp2dp_backend backend;
    dp2dp_error error;
    Py_buffer epsilons, deltas;
    if (!PyArg_ParseTuple(args, "OO|s", &given, &out, &word)) {
        return NULL;
    }
    dp2dp_status status = dp2dp_backend_parse(word, &backend, &error);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    if (PyObject_GetBuffer(given, &epsilons, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return NULL;
    }
    size_t count = (size_t)epsilons.len / sizeof(double);
    if (strcmp(epsilons.format ? epsilons.format : "B", "d") != 0) {
        PyErr_SetString(PyExc_TypeError, "epsilons must be float64");
        PyBuffer_Release(&epsilons);
        return NULL;
    }
    if (core_output(out, "out", "d", count, 1, &deltas) < 0) {
        PyBuffer_Release(&epsilons);
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    pthread_mutex_lock(&a->lock);
    status =
        dp2dp_accountant_curve(a->accountant, backend, count, epsilons.buf, deltas.buf, &error);
    pthread_mutex_unlock(&a->lock);
    PyEval_RestoreThread(thread);
    PyBuffer_Release(&deltas);
    PyBuffer_Release(&epsilons);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    Py_RETURN_NONE;
}

typedef dp2dp_status (*plain_question)(const dp2dp_accountant *, double, double *, dp2dp_error *);

static PyObject *ask_plain(PyObject *self, PyObject *argument, plain_question function) {
    core_accountant *a = (core_accountant *)self;
    double given = PyFloat_AsDouble(argument), answer = 0;
    dp2dp_error error;
    dp2dp_status status;
    if (PyErr_Occurred()) {
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    pthread_mutex_lock(&a->lock);
    status = function(a->accountant, given, &answer, &error);
    pthread_mutex_unlock(&a->lock);
    PyEval_RestoreThread(thread);
    return status == DP2DP_STATUS_OK ? PyFloat_FromDouble(answer) : core_raise(status, &error);
}

static PyObject *accountant_tradeoff(PyObject *self, PyObject *false_positive) {
    return ask_plain(self, false_positive, dp2dp_accountant_tradeoff);
}

static PyObject *accountant_renyi(PyObject *self, PyObject *order) {
    return ask_plain(self, order, dp2dp_accountant_renyi);
}

/* (event, unknown, epsilon, delta, back-end) -> (value, epsilon reached) */
static PyObject *accountant_calibrate(PyObject *self, PyObject *args) {
    core_accountant *a = (core_accountant *)self;
    PyObject *dict;
    const char *word = "auto";
    int unknown;
    double epsilon, delta, reached = 0;
    core_options options = {0};
    dp2dp_backend backend;
    dp2dp_event event;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "O!idd|s", &PyDict_Type, &dict, &unknown, &epsilon, &delta,
                          &word)) {
        return NULL;
    }
    dp2dp_status status = dp2dp_backend_parse(word, &backend, &error);
    int failed = status == DP2DP_STATUS_OK &&
                 (core_options_open(&options, dict) < 0 || core_take_event(&options, &event) < 0 ||
                  core_options_check(&options) < 0);
    if (!failed && status == DP2DP_STATUS_OK) {
        PyThreadState *thread = PyEval_SaveThread();
        pthread_mutex_lock(&a->lock);
        status = dp2dp_accountant_calibrate(a->accountant, backend, (dp2dp_unknown)unknown, epsilon,
                                            delta, &event, &reached, &error);
        pthread_mutex_unlock(&a->lock);
        PyEval_RestoreThread(thread);
    }
    core_options_close(&options);
    if (failed || status != DP2DP_STATUS_OK) {
        return failed ? NULL : core_raise(status, &error);
    }
    return Py_BuildValue("(dd)",
                         unknown == DP2DP_FIND_SIGMA  ? event.sigma
                         : unknown == DP2DP_FIND_RATE ? event.rate
                                                      : (double)event.count,
                         reached);
}

static PyMethodDef accountant_methods[] = {
    {"_add", accountant_add, METH_O, NULL},
    {"_epsilon", accountant_epsilon, METH_VARARGS, NULL},
    {"_delta", accountant_delta, METH_VARARGS, NULL},
    {"_curve", accountant_curve, METH_VARARGS, NULL},
    {"_tradeoff", accountant_tradeoff, METH_O, NULL},
    {"_renyi", accountant_renyi, METH_O, NULL},
    {"_calibrate", accountant_calibrate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot accountant_slots[] = {
    {Py_tp_new, (void *)accountant_new},
    {Py_tp_dealloc, (void *)accountant_dealloc},
    {Py_tp_methods, accountant_methods},
    {0, NULL},
};

static PyType_Spec accountant_spec = {
    .name = "dp2dp._core.Accountant",
    .basicsize = sizeof(core_accountant),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = accountant_slots,
};

int core_add_accountant(PyObject *module) {
    return core_add_type(module, &accountant_spec, "Accountant", &core.accountant);
}
