/* Makes the tables of counts that a fit needs. Either a Python function returns the tables, or a
 * Pool counts rows. */
#include "core.h"

#include <string.h>

dp2dp_status core_source_count(void *context, const float *offsets, int64_t *table,
                               dp2dp_error *error) {
    const core_source *source = context;
    Py_buffer buffer;
    (void)error; /* unused: the Python exception says what happened */
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer =
        PyObject_CallFunction(source->function, "y#", (const char *)(const void *)offsets,
                              (Py_ssize_t)(source->offsets * sizeof *offsets));
    int done = answer && core_flat(answer, "table", 0, "l", source->cells, 1, &buffer) == 0;
    if (done) {
        memcpy(table, buffer.buf, source->cells * sizeof *table);
        PyBuffer_Release(&buffer);
    }
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return done ? DP2DP_STATUS_OK : DP2DP_STATUS_IO;
}

/* Takes the options of a count. Before the call, pool->strata is the number of groups. */
static void take_options(core_options *o, core_people *people, dp2dp_pool_options *pool) {
    int labelled = 0;
    core_take_pool(o, pool);
    core_take_people(o, people);
    core_take_multiplicity(o, people);
    core_take_flag(o, "labelled", &labelled);
    pool->labels = labelled ? people->scores.columns : 1;
    pool->strata *= pool->labels;
    pool->counted =
        (dp2dp_counted)core_take_value(o, "counted", DP2DP_WORDS_COUNTED, (int)pool->counted);
    core_take_number(o, "dither", &pool->dither.width);
    dp2dp_dither_key key = (dp2dp_dither_key)core_take_value(
        o, "dither_key", DP2DP_WORDS_DITHER_KEY, DP2DP_DITHER_KEY_SCORES);
    pool->dither_key = pool->dither.width > 0.0 ? key : DP2DP_DITHER_KEY_ROW;
}

/* Pool(scores, groups or None, n_groups, options) copies the rows once, in a layout that makes
 * counting fast. */
static PyObject *pool_new(PyTypeObject *type, PyObject *args, PyObject *unused) {
    PyObject *scores, *groups, *dict, *result = NULL;
    unsigned long long n_groups;
    core_people people = {0};
    core_options keywords = {0};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_error error;
    dp2dp_status status;
    (void)unused;
    if (!PyArg_ParseTuple(args, "OOKO!", &scores, &groups, &n_groups, &PyDict_Type, &dict)) {
        return NULL;
    }
    options.strata = (size_t)n_groups;
    if (core_people_open(&people, scores, Py_IsNone(groups) ? NULL : groups) < 0) {
        goto done;
    }
    core_options_open(&keywords, dict);
    take_options(&keywords, &people, &options);
    core_pool *self = core_options_check(&keywords) < 0 ? NULL : core_new((PyObject *)type);
    if (self == NULL) {
        goto done;
    }
    CORE_WITHOUT_GIL(status = core_people_pool(&people, &options, &self->pool, &error));
    result = core_made(self, status, &error);
done:
    core_options_close(&keywords);
    core_people_close(&people);
    return result;
}

static void pool_dealloc(PyObject *self) {
    dp2dp_pool_free(((core_pool *)self)->pool);
    core_delete(self);
}

/* _count(offsets, table) counts how many records of each stratum get each class with these offsets,
 * and fills the table. Several threads may count the same pool at once. */
static PyObject *pool_count(PyObject *self, PyObject *args) {
    PyObject *offsets, *table, *result = NULL;
    Py_buffer given = {0}, filled = {0};
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "OO", &offsets, &table)) {
        return NULL;
    }
    const dp2dp_source source = dp2dp_pool_source(((core_pool *)self)->pool);
    size_t cells = source.strata * source.classes;
    if (core_flat(offsets, "offsets", 0, "f", source.strata, source.classes, &given) == 0 &&
        core_flat(table, "table", 1, "l", cells + (size_t)source.leaves_out, 1, &filled) == 0) {
        CORE_WITHOUT_GIL(status = source.count(source.context, given.buf, filled.buf, &error));
        result = core_none(status, &error);
    }
    PyBuffer_Release(&given);
    PyBuffer_Release(&filled);
    return result;
}

static PyMethodDef pool_methods[] = {
    {"_count", pool_count, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(pool, "Pool");
