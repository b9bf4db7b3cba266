#include "core.h"

#include <stdlib.h>
#include <string.h>

void core_take_charging(core_options *options, core_charging *out) {
    core_take_object(options, "ledger", core.ledger, &out->ledger);
    core_take_word(options, "note", &out->note);
    if (out->note && out->ledger == NULL && !PyErr_Occurred()) {
        PyErr_SetString(
            core.option_error,
            "note describes the entries of a ledger: pass ledger too, or leave note out");
    }
}

dp2dp_ledger *core_ledger_of(const core_charging *charging) {
    return charging->ledger ? charging->ledger->ledger : NULL;
}

dp2dp_status core_charging_begin(const core_charging *charging, dp2dp_error *error) {
    core_ledger *l = charging->ledger;
    if (l == NULL) {
        return DP2DP_STATUS_OK;
    }
    pthread_mutex_lock(&l->lock);
    return charging->note ? dp2dp_ledger_describe(l->ledger, l->verb, charging->note, error)
                          : DP2DP_STATUS_OK;
}

void core_charging_end(const core_charging *charging) {
    core_ledger *l = charging->ledger;
    if (l == NULL) {
        return;
    }
    if (charging->note) {
        (void)!dp2dp_ledger_describe(l->ledger, l->verb, l->note, NULL);
    }
    pthread_mutex_unlock(&l->lock);
}

/* Makes a Python object whose field `ledger` is NULL. The caller must set this field. */
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
    free(l->verb);
    free(l->note);
    core_delete(self);
}

static PyObject *ledger_open(PyObject *type, PyObject *args, PyObject *keywords) {
    static char *names[] = {"", "", "new", NULL};
    PyObject *path = NULL, *flag = NULL;
    int new = 0;
    dp2dp_adjacency adjacency = DP2DP_REPLACE_ONE;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O&|O&$O", names, PyUnicode_FSConverter, &path,
                                     core_adjacency, &adjacency, &flag)) {
        return NULL;
    }
    const char *name = PyBytes_AsString(path);
    int fails = flag && core_flag_of(flag, "new", &new) < 0;
    core_ledger *self = fails ? NULL : new_instance(type);
    if (self) {
        CORE_WITHOUT_GIL(status = new ? dp2dp_ledger_create(name, adjacency, &self->ledger, &error)
                                      : dp2dp_ledger_open(name, adjacency, &self->ledger, &error));
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

/* The adjacency never changes, so reading the adjacency needs no lock. */
static PyObject *ledger_adjacency(PyObject *self, PyObject *unused) {
    (void)unused;
    return PyUnicode_FromString(
        dp2dp_adjacency_name(dp2dp_ledger_adjacency(((core_ledger *)self)->ledger)));
}

static PyObject *ledger_set_budget(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"epsilon", "delta", "with_charge", NULL};
    core_ledger *l = (core_ledger *)self;
    PyObject *flag = NULL;
    double epsilon, delta;
    int later = 0;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "dd|$O:set_budget", names, &epsilon, &delta,
                                     &flag) ||
        (flag && core_flag_of(flag, "with_charge", &later) < 0)) {
        return NULL;
    }
    CORE_LOCKED(
        l, status = later ? dp2dp_ledger_set_budget_with_charge(l->ledger, epsilon, delta, &error)
                          : dp2dp_ledger_set_budget(l->ledger, epsilon, delta, &error));
    return core_none(status, &error);
}

/* Replaces *text by a copy of `with`, which may be NULL. */
static int replace_text(char **text, const char *with) {
    char *copy = with ? strdup(with) : NULL;
    if (with && copy == NULL) {
        return -1;
    }
    free(*text);
    *text = copy;
    return 0;
}

static dp2dp_status describe(core_ledger *l, const char *verb, const char *note,
                             dp2dp_error *error) {
    dp2dp_status status = dp2dp_ledger_describe(l->ledger, verb, note, error);
    if (status == DP2DP_STATUS_OK &&
        (replace_text(&l->verb, verb) < 0 || replace_text(&l->note, note) < 0)) {
        status = DP2DP_STATUS_MEMORY;
        *error->message = '\0';
    }
    return status;
}

static PyObject *ledger_describe(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *names[] = {"verb", "note", NULL};
    core_ledger *l = (core_ledger *)self;
    const char *verb = NULL, *note = NULL;
    dp2dp_error error = {0};
    dp2dp_status status;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$zz", names, &verb, &note)) {
        return NULL;
    }
    CORE_LOCKED(l, status = describe(l, verb, note, &error));
    return core_none(status, &error);
}

static PyObject *ledger_publish(PyObject *self, PyObject *args) {
    core_ledger *l = (core_ledger *)self;
    const char *release_id, *checksum;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "ss", &release_id, &checksum)) {
        return NULL;
    }
    CORE_LOCKED(l, status = dp2dp_ledger_publish(l->ledger, release_id, checksum, &error));
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

static PyObject *ledger_charge(PyObject *self, PyObject *args) {
    core_ledger *l = (core_ledger *)self;
    PyObject *dict, *flag, *result = NULL;
    int insecure = 0;
    core_options options = {0};
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &flag) ||
        core_flag_of(flag, "insecure", &insecure) < 0) {
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

/* Returns entry i as a pair of dicts: the event, and everything else about the entry. */
static PyObject *entry_of(const void *ledger, size_t i) {
    dp2dp_event e = DP2DP_EVENT_INIT;
    dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
    dp2dp_rng_kind rng = DP2DP_RNG_SECURE;
    dp2dp_error error;
    dp2dp_status status = dp2dp_ledger_entry(ledger, i, &e, &rng, &error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_ledger_entry_info(ledger, i, &info, &error);
    }
    if (status != DP2DP_STATUS_OK) {
        return core_raise(status, &error);
    }
    int budget = info.kind == DP2DP_ENTRY_BUDGET;
    return Py_BuildValue(
        "(N{s:s,s:N,s:N,s:N,s:z,s:z,s:z,s:z,s:z,s:z,s:z,s:i})", core_event_dict(&e), "kind",
        dp2dp_entry_kind_name(info.kind), "insecure", PyBool_FromLong(rng == DP2DP_RNG_INSECURE),
        "epsilon", core_number_or_none(budget ? info.epsilon : Py_NAN), "delta",
        core_number_or_none(budget ? info.delta : Py_NAN), "checksum", info.checksum, "time",
        info.time, "library_version", info.library_version, "verb", info.verb, "note", info.note,
        "previous", info.previous, "hash", info.hash, "from_version", info.from_version);
}

/* _entries() -> (adjacency, [(event, other facts), ...]). Reads a copy of the ledger, because
 * Python code that runs at the same time may charge the ledger and move its entries. */
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
    {"open", (PyCFunction)(void (*)(void))ledger_open, METH_VARARGS | METH_KEYWORDS | METH_CLASS,
     "open($type, path, adjacency='replace-one', /, *, new=False)\n--\n\nOpens the ledger in the "
     "file ``path``. Several processes can share this file. A new file gets this ``adjacency``. If "
     "the file is missing but its lock file exists, opening fails, because the charges in the "
     "missing file would be forgotten. ``new=True`` starts a new ledger."},
    {"from_json", ledger_from_json, METH_O | METH_CLASS,
     "from_json($type, text, /)\n--\n\nReads a ledger from ``text``, the content of its file."},
    {"to_json", ledger_to_json, METH_NOARGS, "to_json($self, /)\n--\n\nThe text of the ledger."},
    {"set_budget", (PyCFunction)(void (*)(void))ledger_set_budget, METH_VARARGS | METH_KEYWORDS,
     "set_budget($self, epsilon, delta, *, with_charge=False)\n--\n\nFrom now on, refuses "
     "charges beyond (``epsilon``, ``delta``). A budget can only be lowered. ``with_charge=True`` "
     "stores the budget together with the next charge; if that charge is refused, nothing is "
     "stored."},
    {"describe", (PyCFunction)(void (*)(void))ledger_describe, METH_VARARGS | METH_KEYWORDS,
     "describe($self, *, verb=None, note=None)\n--\n\nSets the ``verb`` and the ``note`` of later "
     "entries. Without a verb, entries get the library's own word for the call."},
    {"publish", ledger_publish, METH_VARARGS,
     "publish($self, release_id, checksum, /)\n--\n\nRecords that the release ``release_id`` was "
     "written to a file with this ``checksum``. Costs nothing."},
    {"_adjacency", ledger_adjacency, METH_NOARGS, NULL},
    {"_budget", ledger_budget, METH_NOARGS, NULL},
    {"_charge", ledger_charge, METH_VARARGS, NULL},
    {"_entries", ledger_entries, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(ledger, "Ledger");
