#include "core.h"

#define FIELD(kind, field) \
    { .name = #field, .type = DP2DP_OPTION_##kind, .offset = offsetof(dp2dp_event, field) }
static const dp2dp_option fields[] = {
    FIELD(REAL, sensitivity),  FIELD(REAL, sigma),
    FIELD(REAL, rate),         FIELD(REAL, population),
    FIELD(COUNT, draws),       FIELD(COUNT, count),
    FIELD(COUNT, coordinates), FIELD(COUNT, rows_per_person),
    FIELD(REAL, scale),        FIELD(REAL, epsilon),
    FIELD(REAL, delta),
};

enum {
    FIELDS = sizeof fields / sizeof fields[0]
};

int core_event_of(core_options *options, PyObject *dict, dp2dp_event *event) {
    int persons = 0;
    *event = DP2DP_EVENT_INIT;
    core_options_open(options, dict);
    event->mechanism = (dp2dp_mechanism)core_take_value(options, "mechanism", DP2DP_WORDS_MECHANISM,
                                                        DP2DP_GAUSSIAN);
    core_take_fields(options, fields, FIELDS, event);
    core_take_flag(options, "sample_persons", &persons);
    core_take_word(options, "label", &event->label);
    core_take_word(options, "set", &event->set);
    core_take_word(options, "role", &event->role);
    core_take_word(options, "release_id", &event->release_id);
    event->sampling_unit = persons ? DP2DP_SAMPLE_PERSONS : DP2DP_SAMPLE_ROWS;
    return core_options_check(options);
}

PyObject *core_event_dict(const dp2dp_event *e) {
    PyObject *dict = Py_BuildValue(
        "{s:s,s:z,s:z,s:z,s:z,s:N}", "mechanism", dp2dp_mechanism_name(e->mechanism), "label",
        e->label, "set", e->set, "role", e->role, "release_id", e->release_id, "sample_persons",
        PyBool_FromLong(e->sampling_unit == DP2DP_SAMPLE_PERSONS));
    if (dict && core_put_fields(dict, fields, FIELDS, e) < 0) {
        Py_CLEAR(dict);
    }
    return dict;
}
