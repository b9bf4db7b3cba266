#include "core.h"

static PyObject *number_item(const void *values, size_t i) {
    return PyFloat_FromDouble(((const double *)values)[i]);
}

static PyObject *list_of(const double *values, size_t count) {
    return core_list(count, number_item, values);
}

typedef struct table {
    const double *values;
    size_t columns;
} table;

static PyObject *row_of(const void *context, size_t i) {
    const table *t = context;
    return list_of(t->values + i * t->columns, t->columns);
}

static PyObject *table_of(const double *values, size_t rows, size_t columns) {
    table t = {values, columns};
    return core_list(rows, row_of, &t);
}

static PyObject *list_of_reasons(unsigned bits) {
    return core_list_of_bits(DP2DP_WORDS_NOT_PRIVATE, bits);
}

/* Returns a set of people that the model was made from, as a dict. The entry "records" is None if
 * the number of records is not known. */
static PyObject *cover_item(const void *covers, size_t i) {
    const dp2dp_cover *c = (const dp2dp_cover *)covers + i;
    return Py_BuildValue("{s:s,s:z,s:N,s:N,s:N,s:N}", "role", c->role, "people", c->people,
                         "records",
                         c->records ? PyLong_FromUnsignedLongLong(c->records) : Py_NewRef(Py_None),
                         "epsilon", core_number_or_none(c->epsilon), "delta",
                         core_number_or_none(c->delta), "because", list_of_reasons(c->because));
}

static PyObject *settings_of(const dp2dp_fit_options *options) {
    size_t count;
    const dp2dp_option *fields = dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS, &count);
    PyObject *dict = PyDict_New();
    if (dict && core_put_fields(dict, fields, count, options) < 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *classifier_of(const dp2dp_classifier *c) {
    if (c == NULL) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue(
        "{s:s,s:n,s:N,s:s,s:K,s:s,s:s}", "schema", c->schema, "features", (Py_ssize_t)c->features,
        "weights", table_of(c->weights, c->outputs, c->features + 1), "method",
        dp2dp_train_method_name(c->method), "records", (unsigned long long)c->records,
        "library_version", c->library_version, "target", dp2dp_target_name(c->target));
}

static PyObject *optimality_of(const dp2dp_optimality *o) {
    if (o == NULL) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("{s:d,s:d,s:d,s:d}", "dual", o->dual, "primal", o->primal, "rule", o->rule,
                         "unfairness", o->unfairness);
}

static PyObject *word_or_none(dp2dp_word_table words, int value, int known) {
    return Py_BuildValue("z", known ? dp2dp_word_name(words, value) : NULL);
}

/* Returns (word, sentence) if a classifier is largely noise, else None. */
static PyObject *noise_caution_of(double noise) {
    const char *text = dp2dp_noise_caution(noise);
    return text[0]
               ? Py_BuildValue("ss", noise > DP2DP_NOISE_ALL ? "only-noise" : "much-noise", text)
               : Py_NewRef(Py_None);
}

/* Adds facts about the rule to `d`, the dict of facts about the model: what the rule makes equal,
 * and how the rule decides. */
static int put_criterion(PyObject *d, const dp2dp_model_info *m) {
    int rule = m->strata > 0;
    return core_put(d, "labels", PyLong_FromSize_t(rule ? m->labels : 0)) < 0 ||
                   core_put(d, "rule", word_or_none(DP2DP_WORDS_RULE, (int)m->rule, rule)) < 0 ||
                   core_put(d, "criterion",
                            word_or_none(DP2DP_WORDS_CRITERION, (int)m->criterion, rule)) < 0 ||
                   core_put(d, "positive",
                            m->positive < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(m->positive)) <
                       0 ||
                   core_put(d, "statistics",
                            core_list_of_statistics(m->statistics, m->statistic_count, m->labels)) <
                       0 ||
                   core_put(d, "counted",
                            word_or_none(DP2DP_WORDS_COUNTED, (int)m->counted, rule)) < 0 ||
                   core_put(d, "dither_key",
                            word_or_none(DP2DP_WORDS_DITHER_KEY, (int)m->dither_key, rule)) < 0 ||
                   core_put(d, "weight_columns", PyLong_FromSize_t(m->weight_columns)) < 0 ||
                   core_put(d, "weights",
                            core_list_of_texts(m->weights, m->weights ? m->weight_columns : 0)) <
                       0 ||
                   core_put(d, "tolerance", core_number_or_none(m->tolerance)) < 0
               ? -1
               : 0;
}

static PyObject *none(void) {
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *core_model_info(PyObject *self, PyObject *unused) {
    const dp2dp_model_info *m = dp2dp_model_view(((core_model *)self)->model);
    PyObject *d = PyDict_New();
    int32_t constant = dp2dp_model_constant(m);
    (void)unused;
    if (d && core_put(d, "offsets", table_of(m->offsets, m->strata, m->classes)) == 0 &&
        core_put(d, "shares", list_of(m->shares, m->strata)) == 0 &&
        core_put(d, "groups", core_list_of_texts(m->names.groups, m->groups)) == 0 &&
        core_put(d, "classes", core_list_of_texts(m->names.classes, m->classes)) == 0 &&
        core_put(d, "score_columns",
                 core_list_of_texts(m->names.scores, m->names.scores ? m->classes : 0)) == 0 &&
        core_put(d, "group_column", Py_BuildValue("z", m->names.group_column)) == 0 &&
        core_put(d, "normalize", PyBool_FromLong(m->row_sums == DP2DP_ROW_SUMS_NORMALIZE)) == 0 &&
        core_put(d, "grid", PyLong_FromUnsignedLong(m->grid_bits)) == 0 &&
        core_put(d, "dither", PyFloat_FromDouble(m->dither.width)) == 0 &&
        core_put(d, "oddities", core_list_of_bits(DP2DP_WORDS_ODDITY, m->oddities)) == 0 &&
        core_put(d, "records_kept", m->kept ? PyLong_FromUnsignedLongLong(m->kept) : none()) == 0 &&
        core_put(d, "constant", constant < 0 ? none() : PyLong_FromLong(constant)) == 0 &&
        core_put(d, "changes_nothing", PyBool_FromLong(dp2dp_model_changes_nothing(m))) == 0 &&
        core_put(d, "solver", Py_BuildValue("z", dp2dp_solver_name(m->solver))) == 0 &&
        core_put(d, "settings", settings_of(m->options)) == 0 &&
        core_put(d, "records", PyLong_FromUnsignedLongLong(m->records)) == 0 &&
        core_put(d, "insecure", PyBool_FromLong(m->rng == DP2DP_RNG_INSECURE)) == 0 &&
        core_put(d, "not_private_because", list_of_reasons(m->not_private_because)) == 0 &&
        core_put(d, "leaks", list_of_reasons(m->not_private_because)) == 0 &&
        core_put(d, "covers", core_list(m->cover_count, cover_item, m->covers)) == 0 &&
        core_put(d, "warnings", core_list_of_bits(DP2DP_WORDS_WARNING, m->warnings)) == 0 &&
        core_put(d, "leaves_out", PyBool_FromLong(m->leaves_out)) == 0 &&
        core_put(d, "from_version", PyLong_FromLong(m->from_version)) == 0 &&
        core_put(d, "epsilon", core_number_or_none(m->epsilon)) == 0 &&
        core_put(d, "delta", core_number_or_none(m->delta)) == 0 &&
        core_put(d, "epsilon_claimed", core_number_or_none(m->epsilon_claimed)) == 0 &&
        core_put(d, "optimality", optimality_of(m->optimality)) == 0 && put_criterion(d, m) == 0 &&
        core_put(d, "library_version", PyUnicode_FromString(m->library_version)) == 0 &&
        core_put(d, "noise_caution", noise_caution_of(m->classifier_noise)) == 0 &&
        core_put(d, "classifier", classifier_of(m->classifier)) == 0 &&
        core_put(d, "group_classifier", classifier_of(m->group_classifier)) == 0) {
        return d;
    }
    Py_XDECREF(d);
    return NULL;
}
