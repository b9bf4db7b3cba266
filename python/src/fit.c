#include "core.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

/* The arguments of a fit, and everything that must be released after it. */
typedef struct fitting {
    core_options keywords;
    core_people people;
    dp2dp_pool_options pool;
    dp2dp_fit_options fit;
    double dither; /* the width of the dither; NAN means the width that the criterion needs */
    core_charging charging;
    core_watch watch;
    PyObject *noticed; /* borrowed Python function for the warnings about the records, or NULL */
} fitting;

void core_take_left_out(core_options *options, dp2dp_pool_options *out) {
    core_take_flag(options, "leaves_out", &out->leaves_out);
    out->bad_rows = (dp2dp_bad_rows)core_take_value(options, "bad_rows", DP2DP_WORDS_BAD_ROWS,
                                                    (int)out->bad_rows);
}

void core_take_pool(core_options *options, dp2dp_pool_options *out) {
    int normalize = 0;
    uint64_t grid = 0;
    core_take_flag(options, "normalize", &normalize);
    core_take_count(options, "dither_seed", &out->dither.seed);
    core_take_threads(options, &out->threads);
    core_take_count(options, "grid", &grid);
    core_take_left_out(options, out);
    out->grid_bits = grid < UINT_MAX ? (unsigned)grid : UINT_MAX;
    out->row_sums = normalize ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
}

static void take_statistics(core_options *o, size_t classes, dp2dp_fit_options *out) {
    out->criterion = (dp2dp_criterion)core_take_value(o, "criterion", DP2DP_WORDS_CRITERION,
                                                      (int)out->criterion);
    core_take_positive(o, &out->positive);
    core_take_statistics(o, classes, &out->statistics, &out->statistic_count);
}

/* needed_dither(options, number of classes) -> the width of the dither that the criterion needs */
PyObject *core_needed_dither(PyObject *module, PyObject *args) {
    PyObject *dict, *count, *result = NULL;
    core_options keywords = {0};
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    uint64_t classes;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O", &PyDict_Type, &dict, &count) ||
        core_count_of(count, "classes", &classes) < 0) {
        return NULL;
    }
    core_options_open(&keywords, dict);
    take_statistics(&keywords, (size_t)classes, &options);
    if (core_options_check(&keywords) == 0) {
        result = PyFloat_FromDouble(dp2dp_fit_dither(&options, (size_t)classes));
    }
    core_options_close(&keywords);
    return result;
}

/* Takes the criterion, the options of the pool, and the names of the groups. Before the call,
 * pool.strata is the number of groups. The call sets pool.strata to the number of strata, which is
 * the number of groups times the number of labels. */
static void take_criterion(fitting *f) {
    core_options *o = &f->keywords;
    dp2dp_pool_options *pool = &f->pool;
    size_t classes = f->people.scores.columns, groups = pool->strata;
    int labelled = 0;
    core_take_pool(o, pool);
    core_take_number(o, "dither", &f->dither);
    core_take_people(o, &f->people);
    core_take_multiplicity(o, &f->people);
    take_statistics(o, classes, &f->fit);
    pool->counted =
        (dp2dp_counted)core_take_value(o, "counted", DP2DP_WORDS_COUNTED, (int)pool->counted);
    core_take_flag(o, "labelled", &labelled);
    pool->labels = labelled ? classes : 1;
    pool->strata = groups * pool->labels;
    core_take_names(o, "group_names", &groups, &f->fit.names.groups);
    size_t columns = f->people.has_weights ? f->people.weights.columns : 0;
    core_take_names(o, "weight_columns", &columns, &f->fit.weight_names);
    /* For demographic parity with a rule that sees the group, the default dither key is the row, as
     * in earlier versions. */
    int plain = !labelled && columns == 0 && f->fit.criterion == DP2DP_DEMOGRAPHIC_PARITY;
    if (isnan(f->dither)) {
        f->dither = dp2dp_fit_dither(&f->fit, classes);
    }
    pool->dither.width = f->dither;
    dp2dp_dither_key key =
        (dp2dp_dither_key)core_take_value(o, "dither_key", DP2DP_WORDS_DITHER_KEY,
                                          plain ? DP2DP_DITHER_KEY_ROW : DP2DP_DITHER_KEY_SCORES);
    pool->dither_key = f->dither > 0.0 ? key : DP2DP_DITHER_KEY_ROW;
}

/* Takes a list of words, the reasons why a model is not private, and sets the bit of each word. */
static void take_reasons(core_options *options, const char *name, unsigned *bits) {
    const char *const *words = NULL;
    size_t count = 0;
    core_take_names(options, name, &count, &words);
    for (size_t i = 0; i < count; i++) {
        int bit = 0;
        if (core_word_of(DP2DP_WORDS_NOT_PRIVATE, words[i], &bit) < 0) {
            return;
        }
        *bits |= (unsigned)bit;
    }
}

static void take_fit_options(fitting *f) {
    core_options *o = &f->keywords;
    core_model *base = NULL, *group_base = NULL;
    size_t classes = f->people.scores.columns, count;
    int same = 0;
    f->fit.solver =
        (dp2dp_solver)core_take_value(o, "solver", DP2DP_WORDS_SOLVER, (int)f->fit.solver);
    take_reasons(o, "not_private_because", &f->fit.not_private_because);
    take_reasons(o, "leaks", &f->fit.not_private_because);
    core_take_names(o, "class_names", &classes, &f->fit.names.classes);
    core_take_names(o, "score_columns", &classes, &f->fit.names.scores);
    core_take_word(o, "group_column", &f->fit.names.group_column);
    core_take_object(o, "base", core.model, &base);
    core_take_object(o, "group_base", core.model, &group_base);
    core_take_flag(o, "same_people", &same);
    core_take_number(o, "total_epsilon", &f->fit.total_epsilon);
    core_take_seed(o, &f->fit.rng, &f->fit.insecure_seed);
    core_take_charging(o, &f->charging);
    core_take_word(o, "people", &f->fit.people_name);
    core_take_word(o, "scores_id", &f->fit.scores_id);
    const dp2dp_option *fields = dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS, &count);
    core_take_fields(o, fields, count, &f->fit);
    core_take_progress(o, &f->watch);
    f->noticed = core_take(o, "noticed");
    f->fit.base = base ? base->model : NULL;
    f->fit.group_base = group_base ? group_base->model : NULL;
    f->fit.people = same ? DP2DP_PEOPLE_SAME : DP2DP_PEOPLE_OTHER;
    f->fit.ledger = core_ledger_of(&f->charging);
    f->fit.progress = core_progress;
    f->fit.progress_context = &f->watch;
}

static dp2dp_status fit_source(fitting *f, const dp2dp_source *source, dp2dp_model **out,
                               dp2dp_error *error) {
    dp2dp_status status = core_charging_begin(&f->charging, error);
    if (status == DP2DP_STATUS_OK) {
        /* If Ctrl-C was pressed while the pool was made, the fit ends here, before anything is
         * charged. */
        status =
            core_is_interrupted() ? DP2DP_STATUS_CANCELLED : dp2dp_fit(source, &f->fit, out, error);
    }
    core_charging_end(&f->charging);
    return status;
}

/* Fits a rule to the pool and frees the pool. `made` is the status with which the pool was made. If
 * `made` is a failure, there is no pool, and the function returns `made`. */
static dp2dp_status fit_pool(fitting *f, dp2dp_status made, dp2dp_pool *pool, dp2dp_model **out,
                             dp2dp_error *error) {
    if (made != DP2DP_STATUS_OK) {
        return made;
    }
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_status status = core_tell_noticed(f->noticed, pool, f->fit.rows_per_person);
    if (status == DP2DP_STATUS_OK) {
        status = fit_source(f, &source, out, error);
    }
    dp2dp_pool_free(pool);
    return status;
}

static dp2dp_status fit_people(fitting *f, dp2dp_model **out, dp2dp_error *error) {
    dp2dp_pool *pool = NULL;
    dp2dp_status status = core_people_pool(&f->people, &f->pool, &pool, error);
    return fit_pool(f, status, pool, out, error);
}

static dp2dp_status fit_rows(fitting *f, struct ArrowArrayStream *rows,
                             const dp2dp_pool_columns *columns, dp2dp_model **out,
                             dp2dp_error *error) {
    dp2dp_pool *pool = NULL;
    dp2dp_status status = core_stream_listen(rows, error);
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_pool_read(rows, columns, &f->pool, &pool, error);
    }
    return fit_pool(f, status, pool, out, error);
}

/* Takes the names of the columns of an Arrow stream. The caller has already taken the names that
 * the model stores, with take_criterion and take_fit_options. */
static dp2dp_pool_columns take_columns(fitting *f) {
    dp2dp_pool_columns columns = DP2DP_POOL_COLUMNS_INIT;
    size_t classes = f->people.scores.columns;
    core_take_word(&f->keywords, "score_list", &columns.score_list);
    core_take_word(&f->keywords, "label_column", &columns.label);
    core_take_names(&f->keywords, "label_names", &classes, &columns.label_names);
    core_take_word(&f->keywords, "id_column", &columns.id);
    core_take_word(&f->keywords, "multiplicity_column", &columns.multiplicity);
    columns.classes = classes;
    columns.scores = f->fit.names.scores;
    columns.group = f->fit.names.group_column;
    columns.group_names = f->fit.names.groups;
    columns.weights = f->fit.weight_names;
    columns.weight_count = f->people.weights.columns;
    return columns;
}

/* The public sizes of a fit whose records come from a stream or a function, not from arrays.
 * `weights` is the number of weight columns, or 0 if the rule sees the group. */
typedef struct sizes {
    unsigned long long groups, classes, weights;
} sizes;

static void open_fit(fitting *f, const sizes *given, PyObject *dict) {
    f->pool.strata = (size_t)given->groups;
    f->people.scores.columns = (size_t)given->classes;
    f->people.weights.columns = (size_t)given->weights;
    f->people.has_weights = given->weights > 0;
    core_options_open(&f->keywords, dict);
    take_criterion(f);
    take_fit_options(f);
}

/* _fit_stream(capsule, n_groups, n_classes, n_weights, options) -> model */
PyObject *core_model_fit_stream(PyObject *type, PyObject *args) {
    PyObject *capsule, *dict, *result = NULL;
    sizes given;
    struct ArrowArrayStream rows;
    dp2dp_error error;
    dp2dp_status status;
    fitting f = {.pool = DP2DP_POOL_OPTIONS_INIT, .fit = DP2DP_FIT_OPTIONS_INIT, .dither = Py_NAN};
    if (!PyArg_ParseTuple(args, "OKKKO!", &capsule, &given.groups, &given.classes, &given.weights,
                          &PyDict_Type, &dict)) {
        return NULL;
    }
    open_fit(&f, &given, dict);
    const dp2dp_pool_columns columns = take_columns(&f);
    core_model *self = core_options_check(&f.keywords) < 0 ? NULL : core_new(type);
    if (self && core_stream_take(capsule, &rows) < 0) {
        Py_DECREF(self);
    } else if (self) {
        CORE_WITHOUT_GIL(status = fit_rows(&f, &rows, &columns, &self->model, &error));
        result = core_made(self, status, &error);
    }
    core_options_close(&f.keywords);
    return result;
}

/* _fit(scores, groups or None, n_groups, options) -> model. The option `labelled` says whether a
 * record is counted under its group and label, or under its group alone. */
PyObject *core_model_fit(PyObject *type, PyObject *args) {
    PyObject *scores, *groups, *count, *dict, *result = NULL;
    uint64_t strata;
    dp2dp_error error;
    dp2dp_status status;
    fitting f = {.pool = DP2DP_POOL_OPTIONS_INIT, .fit = DP2DP_FIT_OPTIONS_INIT, .dither = Py_NAN};
    if (!PyArg_ParseTuple(args, "OOOO!", &scores, &groups, &count, &PyDict_Type, &dict) ||
        core_count_of(count, "n_groups", &strata) < 0) {
        return NULL;
    }
    f.pool.strata = (size_t)strata;
    if (core_people_open(&f.people, scores, Py_IsNone(groups) ? NULL : groups) < 0) {
        goto done;
    }
    core_options_open(&f.keywords, dict);
    take_criterion(&f);
    take_fit_options(&f);
    core_model *self = core_options_check(&f.keywords) < 0 ? NULL : core_new(type);
    if (self == NULL) {
        goto done;
    }
    CORE_WITHOUT_GIL(status = fit_people(&f, &self->model, &error));
    result = core_made(self, status, &error);
done:
    core_options_close(&f.keywords);
    core_people_close(&f.people);
    return result;
}

/* Returns a source with the options of the fit. The source counts with the caller's Python
 * function, which *context holds. */
static dp2dp_source source_of(const fitting *f, uint64_t records, core_source *context) {
    dp2dp_source source = DP2DP_SOURCE_INIT;
    source.records = records;
    source.strata = f->pool.strata;
    source.classes = f->people.scores.columns;
    source.row_sums = f->pool.row_sums;
    source.dither = f->pool.dither;
    source.dither_key = f->pool.dither_key;
    source.grid_bits = f->pool.grid_bits;
    source.leaves_out = f->pool.leaves_out;
    source.labels = f->pool.labels;
    source.counted = f->pool.counted;
    source.unit_bits = f->pool.counted == DP2DP_COUNTED_SCORES ? CORE_UNIT_BITS : 0;
    source.weight_columns = f->people.weights.columns;
    source.rule = f->people.has_weights ? DP2DP_RULE_WEIGHTED
                  : f->pool.labels > 1  ? DP2DP_RULE_LINEAR
                                        : DP2DP_RULE_OFFSET;
    source.context = context;
    source.count = core_source_count;
    context->offsets = source.strata * source.classes;
    context->cells = context->offsets + (size_t)source.leaves_out;
    return source;
}

/* Fails if the criterion needs a dither (public random numbers that are added to the scores) and
 * the caller did not give the option "dither". The caller's function must add the dither to the
 * scores, so the caller must know the width of the dither. */
static void check_dither(const fitting *f, PyObject *dict) {
    PyObject *stated = PyDict_GetItemString(dict, "dither");
    if (!PyErr_Occurred() && f->dither > 0.0 && (stated == NULL || Py_IsNone(stated))) {
        char width[32];
        snprintf(width, sizeof width, "%g", f->dither);
        PyErr_Format(core.option_error,
                     "dither is missing: with this criterion, the source must add public random "
                     "numbers to the scores. Pass dither=%s both here and to core.count, or pass "
                     "dither=0 to add nothing",
                     width);
    }
}

/* _fit_source(function, records, n_groups, n_classes, n_weights, options) -> model. The function
 * counts the records; struct core_source describes the function. */
PyObject *core_model_fit_source(PyObject *type, PyObject *args) {
    PyObject *dict, *result = NULL;
    unsigned long long records;
    sizes given;
    core_source context = {0};
    dp2dp_error error;
    dp2dp_status status;
    fitting f = {.pool = DP2DP_POOL_OPTIONS_INIT, .fit = DP2DP_FIT_OPTIONS_INIT, .dither = Py_NAN};
    if (!PyArg_ParseTuple(args, "OKKKKO!", &context.function, &records, &given.groups,
                          &given.classes, &given.weights, &PyDict_Type, &dict)) {
        return NULL;
    }
    open_fit(&f, &given, dict);
    check_dither(&f, dict);
    core_model *self = core_options_check(&f.keywords) < 0 ? NULL : core_new(type);
    if (self) {
        dp2dp_source source = source_of(&f, records, &context);
        CORE_WITHOUT_GIL(status = fit_source(&f, &source, &self->model, &error));
        result = core_made(self, status, &error);
    }
    core_options_close(&f.keywords);
    return result;
}

/* _fit_plan(records, n_groups, n_classes, n_weights, options, ledger, planned) charges to `ledger`
 * what a fit to that many records would charge. `planned` is None, or a ledger with what the
 * training on the same people would charge. */
PyObject *core_model_fit_plan(PyObject *type, PyObject *args) {
    PyObject *dict, *ledger, *planned, *result = NULL;
    unsigned long long records;
    sizes given;
    core_source unused = {0};
    dp2dp_error error;
    dp2dp_status status;
    fitting f = {.pool = DP2DP_POOL_OPTIONS_INIT, .fit = DP2DP_FIT_OPTIONS_INIT, .dither = Py_NAN};
    (void)type;
    if (!PyArg_ParseTuple(args, "KKKKO!O!O", &records, &given.groups, &given.classes,
                          &given.weights, &PyDict_Type, &dict, core.ledger, &ledger, &planned)) {
        return NULL;
    }
    open_fit(&f, &given, dict);
    if (core_options_check(&f.keywords) == 0) {
        dp2dp_source source = source_of(&f, records, &unused);
        f.fit.base_plan = Py_IsNone(planned) ? NULL : ((core_ledger *)planned)->ledger;
        f.fit.ledger = NULL;
        CORE_WITHOUT_GIL(
            status = dp2dp_fit_plan(&source, &f.fit, ((core_ledger *)ledger)->ledger, &error));
        result = core_none(status, &error);
    }
    core_options_close(&f.keywords);
    return result;
}
