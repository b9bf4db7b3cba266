#include "core.h"

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
    if (core_options_check(&keywords) == 0 &&
        core_check(dp2dp_export(model, &options, &bytes, &length, &error), &error) == 0) {
        result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
    }
    dp2dp_text_free(bytes);
    core_options_close(&keywords);
    return result;
}
