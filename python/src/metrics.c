#include "core.h"

static PyObject *interval_of(dp2dp_interval interval) {
    return Py_BuildValue("(NN)", core_number_or_none(interval.low),
                         core_number_or_none(interval.high));
}

/* Copies a table of counts, rates or intervals to a bytearray for numpy. */
static PyObject *bytes_of(const void *table, size_t cells, size_t size) {
    return PyByteArray_FromStringAndSize(table, (Py_ssize_t)(cells * size));
}

static PyObject *bytes_or_none(const void *table, size_t cells, size_t size) {
    return table ? bytes_of(table, cells, size) : Py_NewRef(Py_None);
}

static PyObject *unfairness_of(const dp2dp_unfairness *u, const dp2dp_evaluation *e) {
    return Py_BuildValue(
        "{s:N,s:N,s:n,s:n,s:n,s:N,s:N}", "unfairness", core_number_or_none(u->unfairness),
        "interval", interval_of(u->interval), "statistic", (Py_ssize_t)u->statistic, "group_high",
        (Py_ssize_t)u->group_high, "group_low", (Py_ssize_t)u->group_low, "statistics",
        core_list_of_statistics(u->statistics, u->statistic_count, e->has_labels ? e->classes : 1),
        "rates", bytes_of(u->rates, e->strata * u->statistic_count, sizeof *u->rates));
}

/* Returns the criteria that were measured, as {name: dict}. */
static PyObject *criteria_of(const dp2dp_evaluation *e) {
    PyObject *dict = PyDict_New();
    for (size_t c = 0; dict && c < e->criterion_count; c++) {
        const char *name = dp2dp_criterion_name((dp2dp_criterion)c);
        if (e->criteria[c].measured && core_put(dict, name, unfairness_of(&e->criteria[c], e))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

static PyObject *evaluation_of(const dp2dp_evaluation *e) {
    size_t cells = e->strata * e->classes;
    return Py_BuildValue(
        "{s:K,s:d,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "records",
        (unsigned long long)e->records, "confidence", e->confidence, "counts",
        bytes_of(e->counts, cells, sizeof *e->counts), "rates",
        bytes_of(e->rates, cells, sizeof *e->rates), "rate_intervals",
        bytes_of(e->rate_intervals, cells, sizeof *e->rate_intervals), "unfairness",
        core_number_or_none(e->unfairness), "unfairness_interval",
        interval_of(e->unfairness_interval), "accuracy", core_number_or_none(e->accuracy), "error",
        core_number_or_none(e->error), "accuracy_interval", interval_of(e->accuracy_interval),
        "balanced_accuracy", core_number_or_none(e->balanced_accuracy), "class_rates",
        bytes_of(e->class_rates, cells, sizeof *e->class_rates), "errors",
        bytes_of(e->errors, e->strata, sizeof *e->errors), "disparate_impacts",
        bytes_of(e->disparate_impacts, e->classes, sizeof *e->disparate_impacts),
        "disparate_impact", core_number_or_none(e->disparate_impact), "label_counts",
        bytes_or_none(e->label_counts, cells * e->classes, sizeof *e->label_counts), "criteria",
        criteria_of(e));
}

/* evaluate(predictions, groups, labels or None, options) -> dict */
PyObject *core_evaluate(PyObject *module, PyObject *args) {
    PyObject *objects[3], *dict, *result = NULL;
    static const char *const names[] = {"predictions", "groups", "labels"};
    Py_buffer buffers[3] = {{0}};
    dp2dp_column columns[3];
    uint64_t groups = 0, classes = 0;
    core_options keywords = {0};
    dp2dp_evaluate_options options = DP2DP_EVALUATE_OPTIONS_INIT;
    dp2dp_evaluation *found = NULL;
    dp2dp_error error;
    dp2dp_status status;
    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO!", &objects[0], &objects[1], &objects[2], &PyDict_Type,
                          &dict)) {
        return NULL;
    }
    const dp2dp_column *labels = Py_IsNone(objects[2]) ? NULL : &columns[2];
    for (int i = 0; i < (labels ? 3 : 2); i++) {
        if (core_column(objects[i], names[i], &buffers[i], &columns[i]) < 0 ||
            core_same_rows(names[0], columns[0].rows, names[i], columns[i].rows) < 0) {
            goto done;
        }
    }
    core_options_open(&keywords, dict);
    core_take_count(&keywords, "n_groups", &groups);
    core_take_count(&keywords, "n_classes", &classes);
    core_take_number(&keywords, "confidence", &options.confidence);
    core_take_count(&keywords, "bootstrap_draws", &options.bootstrap_draws);
    core_take_count(&keywords, "insecure_seed", &options.insecure_seed);
    core_take_positive(&keywords, &options.positive);
    core_take_statistics(&keywords, (size_t)classes, &options.statistics, &options.statistic_count);
    options.strata = (size_t)groups;
    options.classes = (size_t)classes;
    if (core_options_check(&keywords) < 0) {
        goto done;
    }
    CORE_WITHOUT_GIL(
        status = dp2dp_evaluate(&columns[0], &columns[1], labels, &options, &found, &error));
    result = status == DP2DP_STATUS_OK ? evaluation_of(found) : core_raise(status, &error);
    dp2dp_evaluation_free(found);
done:
    core_options_close(&keywords);
    for (int i = 0; i < 3; i++) {
        PyBuffer_Release(&buffers[i]);
    }
    return result;
}

/* A certificate, and the text of its file, which the library allocates. */
typedef struct proof {
    dp2dp_certificate certificate;
    char *text;
    size_t length;
} proof;

/* Certifies the model, then writes the text of the certificate, which cites the certificate's entry
 * in the ledger. Called with the ledger locked, so that no other charge comes between these two
 * steps. */
static dp2dp_status certify_and_write(const dp2dp_source *source, const dp2dp_model *model,
                                      const dp2dp_certify_options *options, proof *out,
                                      dp2dp_error *error) {
    dp2dp_status status = dp2dp_certify(source, model, options, &out->certificate, error);
    return status == DP2DP_STATUS_OK ? dp2dp_certificate_to_json(&out->certificate, model, options,
                                                                 &out->text, &out->length, error)
                                     : status;
}

/* Makes a pool that normalises, rounds and dithers the scores as the model does, then certifies on
 * that pool. */
static dp2dp_status run_certify(const dp2dp_model *model, core_people *people,
                                dp2dp_pool_options *pooled, const core_charging *charging,
                                const dp2dp_certify_options *options, PyObject *noticed, proof *out,
                                dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    dp2dp_pool *pool = NULL;
    pooled->strata = info->strata;
    pooled->row_sums = info->row_sums;
    pooled->grid_bits = info->grid_bits;
    pooled->dither = info->dither;
    pooled->dither_key = info->dither_key;
    pooled->labels = info->labels;
    dp2dp_status status = core_people_pool(people, pooled, &pool, error);
    if (status == DP2DP_STATUS_OK) {
        status =
            core_tell_noticed(noticed, pool, info->strata > 0 ? info->options->rows_per_person : 1);
    }
    if (status != DP2DP_STATUS_OK) {
        dp2dp_pool_free(pool);
        return status;
    }
    dp2dp_source source = dp2dp_pool_source(pool);
    status = core_charging_begin(charging, error);
    if (status == DP2DP_STATUS_OK) {
        status = core_is_interrupted() ? DP2DP_STATUS_CANCELLED
                                       : certify_and_write(&source, model, options, out, error);
    }
    core_charging_end(charging);
    dp2dp_pool_free(pool);
    return status;
}

/* Returns the bounds under each criterion, as {name: (upper bound, strict upper bound, whether a
 * group is too small)}. */
static PyObject *bounds_of(const dp2dp_certificate *c) {
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < DP2DP_CRITERIA_MAX; i++) {
        const dp2dp_unfairness_bound *b = &c->criteria[i];
        if (b->measured && core_put(dict, dp2dp_criterion_name((dp2dp_criterion)i),
                                    Py_BuildValue("(NNN)", core_number_or_none(b->upper),
                                                  core_number_or_none(b->upper_strict),
                                                  PyBool_FromLong(b->group_too_small)))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

static PyObject *certificate_of(const proof *p) {
    const dp2dp_certificate *c = &p->certificate;
    return Py_BuildValue(
        "{s:s,s:N,s:N,s:N,s:d,s:d,s:N,s:N,s:N,s:z,s:z,s:s,s:N,s:K,s:s#}", "criterion",
        dp2dp_criterion_name(c->criterion), "criteria", bounds_of(c), "unfairness_upper",
        core_number_or_none(c->unfairness_upper), "unfairness_upper_strict",
        core_number_or_none(c->unfairness_upper_strict), "confidence", c->confidence, "sigma",
        c->sigma, "group_too_small", PyBool_FromLong(c->group_too_small), "private",
        PyBool_FromLong(c->is_private), "held_out", PyBool_FromLong(c->held_out), "assumption",
        c->held_out ? dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_HELD_OUT) : NULL,
        "rows_assumption",
        c->rows_per_person > 1 ? NULL : dp2dp_statement_text(DP2DP_STATEMENT_ASSUMES_ONE_ROW),
        "release_id", c->release_id, "warnings",
        core_list_of_bits(DP2DP_WORDS_WARNING, c->warnings), "records",
        (unsigned long long)c->records, "text", p->text, (Py_ssize_t)p->length);
}

/* model._certify(scores, groups, table, options) -> dict. Writes the released numbers to table. */
PyObject *core_certify(PyObject *self, PyObject *args) {
    const dp2dp_model *model = ((core_model *)self)->model;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    PyObject *scores, *groups, *numbers, *dict, *result = NULL;
    Py_buffer table = {0};
    core_charging charging = {0};
    int same = 0;
    core_people people = {0};
    core_options keywords = {0};
    dp2dp_pool_options pooled = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    proof found = {.certificate = DP2DP_CERTIFICATE_INIT};
    dp2dp_error error;
    dp2dp_status status;
    options.epsilon = options.delta = Py_NAN;
    if (!PyArg_ParseTuple(args, "OOOO!", &scores, &groups, &numbers, &PyDict_Type, &dict)) {
        return NULL;
    }
    if (core_people_open(&people, scores, groups) < 0 ||
        core_flat(numbers, "table", 1, "d", info->strata, info->classes, &table) < 0) {
        goto done;
    }
    found.certificate.table = table.buf;
    core_options_open(&keywords, dict);
    core_take_number(&keywords, "epsilon", &options.epsilon);
    core_take_number(&keywords, "delta", &options.delta);
    core_take_number(&keywords, "confidence", &options.confidence);
    core_take_count(&keywords, "rows_per_person", &options.rows_per_person);
    core_take_seed(&keywords, &options.rng, &options.insecure_seed);
    core_take_charging(&keywords, &charging);
    core_take_word(&keywords, "people", &options.people_name);
    core_take_flag(&keywords, "same_people", &same);
    core_take_left_out(&keywords, &pooled);
    core_take_people(&keywords, &people);
    core_take_multiplicity(&keywords, &people);
    PyObject *noticed = core_take(&keywords, "noticed");
    if (core_options_check(&keywords) < 0) {
        goto done;
    }
    options.people = same ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
    options.ledger = core_ledger_of(&charging);
    CORE_WITHOUT_GIL(status = run_certify(model, &people, &pooled, &charging, &options, noticed,
                                          &found, &error));
    result = status == DP2DP_STATUS_OK ? certificate_of(&found) : core_raise(status, &error);
    dp2dp_text_free(found.text);
done:
    core_options_close(&keywords);
    PyBuffer_Release(&table);
    core_people_close(&people);
    return result;
}
