#include "core.h"

void core_ledger_lock(core_ledger *ledger) {
    if (ledger) {
        pthread_mutex_lock(&ledger->lock);
    }
}

void core_ledger_unlock(core_ledger *ledger) {
    if (ledger) {
        pthread_mutex_unlock(&ledger->lock);
    }
}

/* A new instance, whose ledger the caller must set. */
static core_ledger *new_instance(PyObject *type) {
    pthread_mutexattr_t attributes;
    core_ledger *self = core_new(type);
    if (self) {
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
        pthread_mutex_init(&self->lock, &attributes);
        pthread_mutexattr_destroy(&attributes);
    }
    return self;
}

static PyObject *ledger_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"adjacency", NULL};
    dp2dp_adjacency adjacency = DP2DP_REPLACE_ONE;
    dp2dp_error error;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O&", names, core_adjacency, &adjacency)) {
        return NULL;
    }
    core_ledger *self = new_instance((PyObject *)type);
    return self ? core_made(self, dp2dp_ledger_new(adjacency, &self->ledger, &error), &error)
                : NULL;
}

static void ledger_dealloc(PyObject *self) {
    core_ledger *l = (core_ledger *)self;
    dp2dp_ledger_free(l->ledger);
    pthread_mutex_destroy(&l->lock);
    core_delete(self);
}

/* Ledger.open(path, adjacency): shared with other processes. */
static PyObject *ledger_open(PyObject *type, PyObject *args) {
    PyObject *path = NULL;
    dp2dp_adjacency adjacency = DP2DP_REPLACE_ONE;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O&|O&", PyUnicode_FSConverter, &path, core_adjacency,
                          &adjacency)) {
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    core_ledger *self = new_instance(type);
    if (self) {
        CORE_WITHOUT_GIL(status = dp2dp_ledger_open(name, adjacency, &self->ledger, &error));
    }
    Py_DECREF(path);
    return self ? core_made(self, status, &error) : NULL;
}

static PyObject *ledger_from_json(PyObject *type, PyObject *text) {
    size_t length = 0;
    dp2dp_error error;
    const char *bytes = core_utf8(text, "the text of a ledger", &length);
    core_ledger *self = bytes ? new_instance(type) : NULL;
    return self ? core_made(self, dp2dp_ledger_from_json(bytes, length, &self->ledger, &error),
                            &error)
                : NULL;
}

static PyObject *ledger_to_json(PyObject *self, PyObject *unused) {
    core_ledger *l = (core_ledger *)self;
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    dp2dp_status status;
    (void)unused;
    CORE_LOCKED(l, status = dp2dp_ledger_to_json(l->ledger, &text, &length, &error));
    return core_text(status, text, length, &error);
}

static PyObject *ledger_set_budget(PyObject *self, PyObject *args) {
    core_ledger *l = (core_ledger *)self;
    double epsilon, delta;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "dd", &epsilon, &delta)) {
        return NULL;
    }
    CORE_LOCKED(l, status = dp2dp_ledger_set_budget(l->ledger, epsilon, delta, &error));
    return core_none(status, &error);
}

static PyObject *ledger_budget(PyObject *self, PyObject *unused) {
    core_ledger *l = (core_ledger *)self;
    int has = 0;
    double epsilon = 0, delta = 0;
    dp2dp_error error;
    dp2dp_status status;
    (void)unused;
    CORE_LOCKED(l, status = dp2dp_ledger_budget(l->ledger, &has, &epsilon, &delta, &error));
    if (status != DP2DP_STATUS_OK || !has) {
        return core_none(status, &error);
    }
    return Py_BuildValue("(dd)", epsilon, delta);
}

/* _charge(event, insecure) */
static PyObject *ledger_charge(PyObject *self, PyObject *args) {
    core_ledger *l = (core_ledger *)self;
    PyObject *dict, *result = NULL;
    int insecure;
    core_options options = {0};
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O!p", &PyDict_Type, &dict, &insecure)) {
        return NULL;
    }
    dp2dp_rng_kind rng = insecure ? DP2DP_RNG_INSECURE : DP2DP_RNG_SECURE;
    if (core_event_of(&options, dict, &event) == 0) {
        CORE_LOCKED(l, status = dp2dp_ledger_charge(l->ledger, &event, rng, &error));
        result = core_none(status, &error);
    }
    core_options_close(&options);
    return result;
}

/* Entry i as a pair: the event as a dict, and whether its noise was insecure. */
static PyObject *entry_of(const void *ledger, size_t i) {
    dp2dp_event e = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng = DP2DP_RNG_SECURE;
    dp2dp_error error;
    dp2dp_status status = dp2dp_ledger_entry(ledger, i, &e, &rng, &error);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    return Py_BuildValue("(NN)", core_event_dict(&e), PyBool_FromLong(rng == DP2DP_RNG_INSECURE));
}

/* _entries() -> (adjacency, [(event, insecure), ...]). Reads a copy, since Python code that runs
 * meanwhile may charge the ledger and move its entries. */
static PyObject *ledger_entries(PyObject *self, PyObject *unused) {
    PyObject *text = ledger_to_json(self, unused), *list = NULL;
    dp2dp_ledger *copy = NULL;
    dp2dp_error error;
    Py_ssize_t length = 0;
    const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, &length) : NULL;
    if (bytes == NULL) {
        Py_XDECREF(text);
        return NULL;
    }
    dp2dp_status status = dp2dp_ledger_from_json(bytes, (size_t)length, &copy, &error);
    Py_DECREF(text);
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    list = core_list(dp2dp_ledger_size(copy), entry_of, copy);
    const char *adjacency = dp2dp_adjacency_name(dp2dp_ledger_adjacency(copy));
    dp2dp_ledger_free(copy);
    return list ? Py_BuildValue("(sN)", adjacency, list) : NULL;
}

static PyMethodDef ledger_methods[] = {
    {"open", ledger_open, METH_VARARGS | METH_CLASS,
     "open($type, path, adjacency='replace-one', /)\n--\n\nA ledger in a file that several "
     "processes can share."},
    {"from_json", ledger_from_json, METH_O | METH_CLASS,
     "from_json($type, text, /)\n--\n\nReads the text of a ledger."},
    {"to_json", ledger_to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe text of the ledger."},
    {"set_budget", ledger_set_budget, METH_VARARGS,
     "set_budget($self, epsilon, delta, /)\n--\n\nRefuses charges beyond this budget from now on; "
     "it can only be lowered."},
    {"_budget", ledger_budget, METH_NOARGS, NULL},
    {"_charge", ledger_charge, METH_VARARGS, NULL},
    {"_entries", ledger_entries, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(ledger, "Ledger");
