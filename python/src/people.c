#include "core.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int core_people_open(core_people *people, PyObject *scores, PyObject *groups) {
    if (core_matrix(scores, "scores", &people->scores_buffer, &people->scores) < 0) {
        return -1;
    }
    if (groups == NULL) {
        return 0;
    }
    if (core_column(groups, "groups", &people->groups_buffer, &people->groups) < 0) {
        return -1;
    }
    people->has_groups = 1;
    return core_same_rows("scores", people->scores.rows, "groups", people->groups.rows);
}

int core_people_add(core_people *people, PyObject *labels, PyObject *weights, PyObject *ids) {
    size_t rows = people->scores.rows;
    if (labels) {
        if (core_column(labels, "labels", &people->labels_buffer, &people->labels) < 0 ||
            core_same_rows("scores", rows, "labels", people->labels.rows) < 0) {
            return -1;
        }
        people->has_labels = 1;
    }
    if (weights) {
        if (core_matrix(weights, "weights", &people->weights_buffer, &people->weights) < 0 ||
            core_same_rows("scores", rows, "weights", people->weights.rows) < 0) {
            return -1;
        }
        people->has_weights = 1;
    }
    if (ids) {
        if (core_flat(ids, "ids", 0, "L", rows, 1, &people->ids_buffer) < 0) {
            return -1;
        }
        people->ids = people->ids_buffer.buf;
    }
    return 0;
}

void core_people_close(core_people *people) {
    free(people->strata);
    PyBuffer_Release(&people->multiplicity_buffer);
    PyBuffer_Release(&people->ids_buffer);
    PyBuffer_Release(&people->weights_buffer);
    PyBuffer_Release(&people->labels_buffer);
    PyBuffer_Release(&people->groups_buffer);
    PyBuffer_Release(&people->scores_buffer);
}

void core_take_people(core_options *options, core_people *people) {
    PyObject *labels = core_take(options, "labels");
    PyObject *weights = core_take(options, "weights");
    PyObject *ids = core_take(options, "ids");
    if (!PyErr_Occurred()) {
        core_people_add(people, labels, weights, ids);
    }
}

void core_take_multiplicity(core_options *options, core_people *people) {
    PyObject *given = core_take(options, "multiplicity");
    Py_buffer *buffer = &people->multiplicity_buffer;
    if (given && core_flat(given, "multiplicity", 0, "L", people->scores.rows, 1, buffer) == 0) {
        people->multiplicity = buffer->buf;
    }
}

int32_t core_code_of(const dp2dp_column *column, size_t row) {
    const char *at = (const char *)column->data + (ptrdiff_t)row * column->stride;
    int16_t half;
    int32_t whole;
    switch (column->type) {
    case DP2DP_INT8:
        return (int32_t) * (const signed char *)at;
    case DP2DP_INT16:
        memcpy(&half, at, sizeof half);
        return half;
    default:
        memcpy(&whole, at, sizeof whole);
        return whole;
    }
}

static dp2dp_status fail(dp2dp_status status, const char *what, dp2dp_error *error) {
    *error = (dp2dp_error) {.status = status};
    snprintf(error->message, sizeof error->message, "%s", what);
    return status;
}

static dp2dp_status refuse(size_t row, dp2dp_reason reason, const char *what, dp2dp_error *error) {
    *error = (dp2dp_error) {.status = DP2DP_STATUS_DATA, .reason = reason, .row = row + 1};
    snprintf(error->message, sizeof error->message, "row %" PRIu64 ": the %s", error->row, what);
    return DP2DP_STATUS_DATA;
}

/* Writes the stratum of each row to people->strata: the code of the row's group, times the number
 * of labels, plus the code of the row's label. Writes -1 for a row that is left out. */
static dp2dp_status join(core_people *people, const dp2dp_pool_options *options,
                         dp2dp_error *error) {
    size_t rows = people->scores.rows, labels = options->labels, groups = options->strata / labels;
    int ignore = options->bad_rows == DP2DP_BAD_ROWS_IGNORE;
    people->strata = calloc(rows + 1, sizeof *people->strata);
    if (people->strata == NULL) {
        return fail(DP2DP_STATUS_MEMORY, "out of memory for labels", error);
    }
    for (size_t i = 0; i < rows; i++) {
        int32_t group = core_code_of(&people->groups, i), label = core_code_of(&people->labels, i);
        int known = group >= 0 && (size_t)group < groups;
        if (known && label >= 0 && (size_t)label < labels) {
            /* The stratum fits into 32 bits: the library limits the number of groups. */
            people->strata[i] = (int32_t)((int64_t)group * (int64_t)labels + label);
        } else if (ignore || (options->leaves_out && (group == -1 || label == -1))) {
            people->strata[i] = -1;
        } else if (!known) {
            return refuse(i, DP2DP_REASON_UNKNOWN_GROUP, "group is not one of the declared groups",
                          error);
        } else {
            return refuse(i, DP2DP_REASON_UNKNOWN_LABEL, "label is not one of the classes", error);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status core_people_codes(core_people *people, dp2dp_pool_options *options, dp2dp_column *out,
                               dp2dp_error *error) {
    int labelled = options->labels > 1 && options->counted == DP2DP_COUNTED_LABELS;
    *out = people->has_groups ? people->groups : (dp2dp_column) {0};
    if (people->has_labels != labelled) {
        return fail(DP2DP_STATUS_ARGUMENT,
                    labelled ? "labels are missing: pass the label code of each row"
                             : "labels are not used with this criterion or with counted='scores': "
                               "leave labels out",
                    error);
    }
    if (labelled && !people->has_groups) {
        return fail(DP2DP_STATUS_ARGUMENT, "groups are missing: pass the group code of each row",
                    error);
    }
    if (labelled) {
        dp2dp_status status = join(people, options, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        *out = (dp2dp_column) {people->strata, DP2DP_INT32, people->scores.rows, sizeof(int32_t)};
    }
    options->weights = people->has_weights ? &people->weights : NULL;
    options->ids = people->ids;
    options->multiplicity = people->multiplicity;
    return DP2DP_STATUS_OK;
}

dp2dp_status core_people_pool(core_people *people, dp2dp_pool_options *options, dp2dp_pool **out,
                              dp2dp_error *error) {
    dp2dp_column codes;
    dp2dp_status status = core_people_codes(people, options, &codes, error);
    return status == DP2DP_STATUS_OK
               ? dp2dp_pool_new(&people->scores, people->has_groups ? &codes : NULL, options, out,
                                error)
               : status;
}

void core_take_positive(core_options *options, int32_t *out) {
    uint64_t positive = UINT64_MAX;
    core_take_count(options, "positive", &positive);
    if (positive != UINT64_MAX) {
        /* A code above INT32_MAX becomes INT32_MAX, which the library refuses. */
        *out = positive < INT32_MAX ? (int32_t)positive : INT32_MAX;
    }
}

typedef struct statistics {
    const dp2dp_statistic *items;
    size_t labels;
} statistics;

static PyObject *statistic_item(const void *context, size_t i) {
    const statistics *s = context;
    const dp2dp_statistic *one = &s->items[i];
    return Py_BuildValue("(ny#)", (Py_ssize_t)one->class_index, (const char *)one->labels,
                         one->labels ? (Py_ssize_t)s->labels : 0);
}

PyObject *core_list_of_statistics(const dp2dp_statistic *items, size_t count, size_t labels) {
    statistics context = {items, labels};
    return core_list(items ? count : 0, statistic_item, &context);
}

void core_take_statistics(core_options *options, size_t labels, const dp2dp_statistic **out,
                          size_t *count) {
    PyObject *list = core_take(options, "statistics");
    if (list == NULL) {
        return;
    }
    Py_ssize_t n = PyList_Size(list);
    PyObject *store =
        n < 0 ? NULL
              : PyBytes_FromStringAndSize(NULL, (Py_ssize_t)sizeof(dp2dp_statistic) * (n + 1));
    if (store == NULL || PyList_Append(options->keep, store) < 0) {
        Py_XDECREF(store);
        return;
    }
    dp2dp_statistic *items = (dp2dp_statistic *)(void *)PyBytes_AsString(store);
    for (Py_ssize_t s = 0; s < n; s++) {
        Py_ssize_t class_index, length = 0;
        const char *flags = NULL;
        if (!PyArg_ParseTuple(PyList_GetItem(list, s), "nz#", &class_index, &flags, &length)) {
            break;
        }
        if (class_index < 0 || (flags && (size_t)length != labels)) {
            PyErr_Format(core.option_error, "statistic %zd must be a pair (class, labels)", s + 1);
            break;
        }
        items[s] = (dp2dp_statistic) {(size_t)class_index, (const unsigned char *)flags};
    }
    *out = items;
    *count = (size_t)n;
    Py_DECREF(store);
}
