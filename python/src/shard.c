/* A shard holds a part of the records, and computes the sums of gradients that a training asks for.
 * This file also trains a model from such sums. */
#include "core.h"

#include <string.h>

static PyObject *shard_new(PyTypeObject *type, PyObject *args, PyObject *keywords) {
    PyObject *schema_object, *rows, *threads_given;
    const char *word;
    int ignore, target;
    unsigned threads = 0;
    struct ArrowArrayStream stream;
    dp2dp_error error;
    dp2dp_status status;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "O!OspO", core.schema, &schema_object, &rows, &word, &ignore,
                          &threads_given) ||
        core_word_of(DP2DP_WORDS_TARGET, word, &target) < 0 ||
        (!Py_IsNone(threads_given) && core_threads_of(threads_given, &threads) < 0)) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    const unsigned parts = dp2dp_target_parts((dp2dp_target)target) | core_parts_of_records(ignore);
    core_shard *self = core_new((PyObject *)type);
    if (self == NULL) {
        return NULL;
    }
    pthread_mutex_init(&self->lock, NULL);
    if (core_rows_open(rows, schema, parts, &stream) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    self->source = DP2DP_GRADIENT_SOURCE_INIT;
    CORE_WITHOUT_GIL(status = dp2dp_gradient_source_open(schema, &stream, (dp2dp_target)target,
                                                         threads, &self->source, &error));
    return core_made(self, status, &error);
}

static void shard_dealloc(PyObject *self) {
    core_shard *shard = (core_shard *)self;
    if (shard->source.release) {
        shard->source.release(shard->source.context);
    }
    pthread_mutex_destroy(&shard->lock);
    core_delete(self);
}

/* _facts() -> (number of records, whether records may be left out) */
static PyObject *shard_facts(PyObject *self, PyObject *unused) {
    const dp2dp_gradient_source *source = &((core_shard *)self)->source;
    (void)unused;
    return Py_BuildValue("KN", (unsigned long long)source->records,
                         PyBool_FromLong(source->leaves_out));
}

static int take_question(PyObject *args, Py_buffer *weights, Py_buffer *levels,
                         dp2dp_gradient_question *q) {
    const char *word;
    PyObject *weights_given, *levels_given;
    Py_ssize_t rows, outputs;
    int term;
    if (!PyArg_ParseTuple(args, "sO(nn)OdI", &word, &weights_given, &rows, &outputs, &levels_given,
                          &q->clip, &q->grid_bits) ||
        core_word_of(DP2DP_WORDS_TERM, word, &term) < 0) {
        return -1;
    }
    if (rows < 1 || outputs < 1) {
        PyErr_SetString(core.option_error, "weights must have at least one row and one column");
        return -1;
    }
    q->term = (dp2dp_term)term;
    q->features = (size_t)rows - 1;
    q->outputs = (size_t)outputs;
    if (core_flat(weights_given, "weights", 0, "d", (size_t)rows, q->outputs, weights) < 0 ||
        core_flat(levels_given, "levels", 0, "d", q->features, 1, levels) < 0) {
        return -1;
    }
    q->weights = weights->buf;
    q->levels = levels->buf;
    return 0;
}

/* _sum(term, weights, shape of the weights, levels, clip, grid_bits) -> bytes of int64 */
static PyObject *shard_sum(PyObject *self, PyObject *args) {
    core_shard *shard = (core_shard *)self;
    dp2dp_gradient_question q = DP2DP_GRADIENT_QUESTION_INIT;
    Py_buffer weights = {0}, levels = {0};
    PyObject *result = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (take_question(args, &weights, &levels, &q) == 0) {
        result = PyBytes_FromStringAndSize(
            NULL, (Py_ssize_t)(dp2dp_gradient_cells(&q) * sizeof(int64_t)));
    }
    if (result) {
        void *sum = PyBytes_AsString(result);
        CORE_LOCKED(shard, status = shard->source.sum(shard->source.context, &q, sum, &error));
        if (core_check(status, &error) < 0) {
            Py_CLEAR(result);
        }
    }
    PyBuffer_Release(&weights);
    PyBuffer_Release(&levels);
    return result;
}

static PyMethodDef shard_methods[] = {
    {"_facts", shard_facts, METH_NOARGS, NULL},
    {"_sum", shard_sum, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(shard, "Shard");

/* Calls the Python function in *context with a question, and copies the bytes that the function
 * returns. If the function raises an exception, the exception stays set, and core_raise does not
 * replace the exception. Called without the GIL. */
static dp2dp_status ask(void *context, const dp2dp_gradient_question *q, int64_t *sum,
                        dp2dp_error *error) {
    PyGILState_STATE state = PyGILState_Ensure();
    const size_t cells = dp2dp_gradient_cells(q);
    PyObject *answer = PyObject_CallFunction(
        context, "sy#y#ndI", dp2dp_term_name(q->term), (const char *)q->weights,
        (Py_ssize_t)(cells * sizeof *q->weights), (const char *)q->levels,
        (Py_ssize_t)(q->features * sizeof *q->levels), (Py_ssize_t)q->outputs, q->clip,
        q->grid_bits);
    int whole = answer && PyBytes_Size(answer) == (Py_ssize_t)(cells * sizeof *sum);
    (void)error;
    if (whole) {
        memcpy(sum, PyBytes_AsString(answer), cells * sizeof *sum);
    }
    Py_XDECREF(answer);
    PyGILState_Release(state);
    return whole ? DP2DP_STATUS_OK : DP2DP_STATUS_IO;
}

/* _train_source(schema, function, records, options) -> model. The function takes (term, weights,
 * levels, outputs, clip, grid_bits), where weights and levels are bytes of float64, and returns
 * bytes of int64, one number for each weight. */
PyObject *core_model_train_source(PyObject *type, PyObject *args) {
    PyObject *schema_object, *function, *records, *dict;
    core_training t = {.options = DP2DP_TRAIN_OPTIONS_INIT};
    dp2dp_gradient_source source = DP2DP_GRADIENT_SOURCE_INIT;
    core_model *self = NULL;
    PyObject *result = NULL;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "O!OOO!", core.schema, &schema_object, &function, &records,
                          &PyDict_Type, &dict) ||
        core_count_of(records, "records", &source.records) < 0) {
        return NULL;
    }
    const dp2dp_schema *schema = ((core_schema *)schema_object)->schema;
    source.context = function;
    source.sum = ask;
    core_training_open(&t, dict, dp2dp_schema_view(schema));
    core_take_flag(&t.keywords, "leaves_out", &source.leaves_out);
    if (core_options_check(&t.keywords) == 0 && (self = core_new(type)) != NULL) {
        CORE_WITHOUT_GIL({
            status = core_charging_begin(&t.charging, &error);
            if (status == DP2DP_STATUS_OK) {
                status = dp2dp_train_source(schema, &source, &t.options, &self->model, &error);
            }
            core_charging_end(&t.charging);
        });
        result = core_made(self, status, &error);
    }
    core_training_close(&t);
    return result;
}
