#include "core.h"

static int call(PyObject *function, unsigned warnings) {
    const unsigned odd = DP2DP_WARNING_MEASURED - 1;
    PyObject *words = core_list_of_bits(DP2DP_WORDS_WARNING, warnings & ~odd);
    PyObject *oddities = core_list_of_bits(DP2DP_WORDS_ODDITY, warnings & odd);
    if (words && (oddities == NULL || PyList_SetSlice(words, 0, 0, oddities) < 0)) {
        Py_CLEAR(words);
    }
    Py_XDECREF(oddities);
    PyObject *answer = words ? PyObject_CallFunctionObjArgs(function, words, NULL) : NULL;
    Py_XDECREF(words);
    Py_XDECREF(answer);
    return answer ? 0 : -1;
}

dp2dp_status core_tell_noticed(PyObject *function, const dp2dp_pool *pool,
                               uint64_t rows_per_person) {
    const unsigned several = rows_per_person > 1 ? (unsigned)DP2DP_WARNING_ROWS_REPEATED |
                                                       (unsigned)DP2DP_WARNING_SURVEY_WEIGHTS
                                                 : 0U;
    if (function == NULL) {
        return DP2DP_STATUS_OK;
    }
    unsigned warnings = dp2dp_pool_warnings(pool) & ~several;
    PyGILState_STATE state = PyGILState_Ensure();
    int failed = call(function, warnings);
    PyGILState_Release(state);
    return failed ? DP2DP_STATUS_CANCELLED : DP2DP_STATUS_OK;
}
