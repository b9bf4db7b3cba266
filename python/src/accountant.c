#include "core.h"

/* Only one thread at a time may use an accountant. Release the GIL before waiting for its lock. */
typedef struct core_accountant {
    PyObject_HEAD dp2dp_accountant *accountant;
    pthread_mutex_t lock;
} core_accountant;

static PyObject *accountant_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"adjacency", NULL};
    dp2dp_adjacency adjacency = DP2DP_REPLACE_ONE;
    dp2dp_error error;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O&", names, core_adjacency, &adjacency)) {
        return NULL;
    }
    core_accountant *self = core_new((PyObject *)type);
    if (self == NULL) {
        return NULL;
    }
    pthread_mutex_init(&self->lock, NULL);
    return core_made(self, dp2dp_accountant_new(adjacency, &self->accountant, &error), &error);
}

static void accountant_dealloc(PyObject *self) {
    core_accountant *a = (core_accountant *)self;
    dp2dp_accountant_free(a->accountant);
    pthread_mutex_destroy(&a->lock);
    core_delete(self);
}

static PyObject *accountant_add(PyObject *self, PyObject *dict) {
    core_accountant *a = (core_accountant *)self;
    PyObject *result = NULL;
    core_options options = {0};
    dp2dp_event event;
    dp2dp_error error;
    dp2dp_status status;
    if (core_event_of(&options, dict, &event) == 0) {
        CORE_LOCKED(a, status = dp2dp_accountant_add(a->accountant, &event, &error));
        result = core_none(status, &error);
    }
    core_options_close(&options);
    return result;
}

static dp2dp_status answer_of(const dp2dp_accountant *accountant, const char *question,
                              double given, dp2dp_backend backend, double *out,
                              dp2dp_error *error) {
    switch (question[0]) {
    case 'e':
        return dp2dp_accountant_epsilon(accountant, given, backend, out, NULL, error);
    case 'd':
        return dp2dp_accountant_delta(accountant, given, backend, out, NULL, error);
    case 't':
        return dp2dp_accountant_tradeoff(accountant, given, out, error);
    default:
        return dp2dp_accountant_renyi(accountant, given, out, error);
    }
}

/* _ask(question, argument, backend) -> answer. The question is "epsilon", "delta", "tradeoff" or
 * "renyi". */
static PyObject *accountant_ask(PyObject *self, PyObject *args) {
    core_accountant *a = (core_accountant *)self;
    const char *question;
    double given, answer = 0;
    dp2dp_backend backend = DP2DP_BACKEND_AUTO;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "sd|O&", &question, &given, core_backend, &backend)) {
        return NULL;
    }
    CORE_LOCKED(a, status = answer_of(a->accountant, question, given, backend, &answer, &error));
    return core_check(status, &error) == 0 ? PyFloat_FromDouble(answer) : NULL;
}

/* _curve(epsilons, out, backend): writes delta at each epsilon to out. Both are float64 arrays. */
static PyObject *accountant_curve(PyObject *self, PyObject *args) {
    core_accountant *a = (core_accountant *)self;
    PyObject *given, *out, *result = NULL;
    Py_ssize_t count;
    dp2dp_backend backend = DP2DP_BACKEND_AUTO;
    dp2dp_error error;
    dp2dp_status status;
    Py_buffer epsilons = {0}, deltas = {0};
    if (!PyArg_ParseTuple(args, "OO|O&", &given, &out, core_backend, &backend) ||
        (count = PyObject_Size(given)) < 0) {
        return NULL;
    }
    if (core_flat(given, "epsilons", 0, "d", (size_t)count, 1, &epsilons) == 0 &&
        core_flat(out, "out", 1, "d", (size_t)count, 1, &deltas) == 0) {
        CORE_LOCKED(a, status = dp2dp_accountant_curve(a->accountant, backend, (size_t)count,
                                                       epsilons.buf, deltas.buf, &error));
        result = core_none(status, &error);
    }
    PyBuffer_Release(&deltas);
    PyBuffer_Release(&epsilons);
    return result;
}

/* _calibrate(event, unknown, epsilon, delta, backend) -> the event with the unknown field filled in
 */
static PyObject *accountant_calibrate(PyObject *self, PyObject *args) {
    core_accountant *a = (core_accountant *)self;
    PyObject *dict, *result = NULL;
    int unknown;
    double epsilon, delta;
    core_options options = {0};
    dp2dp_backend backend = DP2DP_BACKEND_AUTO;
    dp2dp_event event;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O!idd|O&", &PyDict_Type, &dict, &unknown, &epsilon, &delta,
                          core_backend, &backend)) {
        return NULL;
    }
    if (core_event_of(&options, dict, &event) == 0) {
        CORE_LOCKED(a, status = dp2dp_accountant_calibrate(a->accountant, backend,
                                                           (dp2dp_unknown)unknown, epsilon, delta,
                                                           &event, NULL, &error));
        result = core_check(status, &error) == 0 ? core_event_dict(&event) : NULL;
    }
    core_options_close(&options);
    return result;
}

static PyMethodDef accountant_methods[] = {
    {"_add", accountant_add, METH_O, NULL},
    {"_ask", accountant_ask, METH_VARARGS, NULL},
    {"_curve", accountant_curve, METH_VARARGS, NULL},
    {"_calibrate", accountant_calibrate, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(accountant, "Accountant");
