#include "core.h"

#include <limits.h>

/* _export(options) -> bytes */
PyObject *core_export(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    PyObject *dict, *result = NULL;
    core_options keywords = {0};
    dp2dp_export_options options = DP2DP_EXPORT_OPTIONS_INIT;
    size_t classes = info->classes, weights = info->weight_columns, length = 0;
    char *bytes = NULL;
    dp2dp_error error;
    if (!PyArg_ParseTuple(args, "O!", &PyDict_Type, &dict)) {
        return NULL;
    }
    core_options_open(&keywords, dict);
    options.format =
        (dp2dp_export_format)core_take_value(&keywords, "format", DP2DP_WORDS_EXPORT, 0);
    core_take_word(&keywords, "table", &options.table);
    core_take_names(&keywords, "score_columns", &classes, &options.scores);
    core_take_word(&keywords, "group_column", &options.group_column);
    core_take_names(&keywords, "weight_columns", &weights, &options.weights);
    core_take_word(&keywords, "prediction", &options.prediction);
    if (core_options_check(&keywords) == 0 &&
        core_check(dp2dp_export(model, &options, &bytes, &length, &error), &error) == 0) {
        result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
    }
    dp2dp_text_free(bytes);
    core_options_close(&keywords);
    return result;
}

/* Takes the options for the SQL query that counts records in a database. */
static void take_counts(core_options *o, dp2dp_counts_options *out) {
    int normalize = 0;
    uint64_t grid = 0;
    out->format = (dp2dp_export_format)core_take_value(o, "dialect", DP2DP_WORDS_EXPORT, 0);
    core_take_word(o, "table", &out->table);
    core_take_word(o, "query", &out->query);
    core_take_names(o, "group_names", &out->groups, &out->group_names);
    core_take_names(o, "class_names", &out->classes, &out->class_names);
    core_take_names(o, "score_columns", &out->classes, &out->scores);
    core_take_word(o, "group_column", &out->group_column);
    core_take_word(o, "label_column", &out->label_column);
    core_take_names(o, "weight_columns", &out->weight_columns, &out->weights);
    core_take_word(o, "multiplicity_column", &out->multiplicity);
    core_take_flag(o, "normalize", &normalize);
    core_take_count(o, "grid", &grid);
    out->grid_bits = grid < UINT_MAX ? (unsigned)grid : UINT_MAX;
    out->row_sums = normalize ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
}

/* Gets a view of the offsets, an array of strata × classes values of float32. Gets nothing if
 * `given` is None. */
static int open_offsets(PyObject *given, const dp2dp_counts_options *o, Py_buffer *view) {
    size_t strata = o->groups * (o->label_column ? o->classes : 1);
    if (Py_IsNone(given)) {
        return 0;
    }
    if (PyObject_GetBuffer(given, view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        return -1;
    }
    if (view->format == NULL || view->format[0] != 'f' ||
        (size_t)view->len != strata * o->classes * sizeof(float)) {
        PyErr_Format(core.option_error, "offsets must be an array of float32 with %zu x %zu values",
                     strata, o->classes);
        return -1;
    }
    return 0;
}

/* count_sql(options, offsets or None) -> str */
PyObject *core_count_sql(PyObject *module, PyObject *args) {
    PyObject *dict, *given, *result = NULL;
    core_options keywords = {0};
    dp2dp_counts_options options = DP2DP_COUNTS_OPTIONS_INIT;
    Py_buffer view = {0};
    char *text = NULL;
    size_t length = 0;
    dp2dp_error error;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &given)) {
        return NULL;
    }
    core_options_open(&keywords, dict);
    take_counts(&keywords, &options);
    if (core_options_check(&keywords) == 0 && open_offsets(given, &options, &view) == 0 &&
        core_check(dp2dp_export_counts(&options, view.buf, &text, &length, &error), &error) == 0) {
        result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)length, NULL);
    }
    dp2dp_text_free(text);
    PyBuffer_Release(&view);
    core_options_close(&keywords);
    return result;
}
