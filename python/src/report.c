#include "core.h"

/* Takes the options of a report that are not arrays. */
static void take_options(core_options *keywords, dp2dp_report_options *options) {
    core_take_word(keywords, "certificate", &options->certificate);
    core_take_word(keywords, "sweep", &options->sweep);
    options->sweep_people =
        (dp2dp_sweep_people)core_take_value(keywords, "sweep_people", DP2DP_WORDS_SWEEP_PEOPLE, 0);
    core_take_word(keywords, "data_name", &options->data_name);
    core_take_number(keywords, "confidence", &options->confidence);
    core_take_threads(keywords, &options->threads);
    core_take_word(keywords, "model_name", &options->model_name);
    core_take_word(keywords, "test_name", &options->test_name);
    core_take_word(keywords, "label_name", &options->label_name);
    core_take_names(keywords, "test_cautions", &options->test_caution_count,
                    &options->test_cautions);
}

/* _report(scores or None, groups or None, options) -> text of the page, and 1 if nobody has checked
 * that the sweep is about the model's data. The options may have labels, weights and ids. */
PyObject *core_report(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    PyObject *scores, *groups, *dict, *result = NULL;
    core_people people = {0};
    core_options keywords = {0};
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    char *text = NULL;
    size_t length = 0;
    int unchecked = 0;
    dp2dp_error error;
    dp2dp_status status;
    if (!PyArg_ParseTuple(args, "OOO!", &scores, &groups, &PyDict_Type, &dict)) {
        return NULL;
    }
    int tests = !Py_IsNone(scores);
    if (tests && core_people_open(&people, scores, Py_IsNone(groups) ? NULL : groups) < 0) {
        goto done;
    }
    core_options_open(&keywords, dict);
    take_options(&keywords, &options);
    if (tests) {
        core_take_people(&keywords, &people);
    }
    if (core_options_check(&keywords) < 0) {
        goto done;
    }
    options.scores = tests ? &people.scores : NULL;
    options.groups = people.has_groups ? &people.groups : NULL;
    options.labels = people.has_labels ? &people.labels : NULL;
    options.weights = people.has_weights ? &people.weights : NULL;
    options.ids = people.ids;
    options.sweep_unchecked = &unchecked;
    CORE_WITHOUT_GIL(status = dp2dp_report(model, &options, &text, &length, &error));
    result = core_text(status, text, length, &error);
    result = result ? Py_BuildValue("(Ni)", result, unchecked) : NULL;
done:
    core_options_close(&keywords);
    core_people_close(&people);
    return result;
}
