#include "base/options.h"

#include <math.h>
#include <string.h>

#include <dp2dp/dp2dp.h>

_Static_assert(sizeof(double) == sizeof(uint64_t), "an option must have eight bytes");

enum {
    SIZE_LIMIT = 4096 /* largest struct_size accepted, in bytes. Every struct of the interface is
                         smaller, so a larger struct_size means that the caller did not
                         initialise the struct */
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Lint exceptions for the rows of tables and for the sizes of pointer fields:
 * NOLINTBEGIN(bugprone-macro-parentheses,bugprone-sizeof-expression) */
/* Makes a row of an option table. low_open and high_open say which bounds are exclusive, `solvers`
 * lists the solvers or methods that use the option, and `text` is the option's help. */
#define ROW(object, kind, field, unset, low, high, low_open, high_open, solvers, text)            \
    {                                                                                             \
        .name = #field, .type = kind, .offset = offsetof(object, field), .default_value = unset,  \
        .min = low, .max = high, .min_open = low_open, .max_open = high_open, .used_by = solvers, \
        .help = text                                                                              \
    }
#define REAL(field, unset, low, high, solvers, text) \
    ROW(OBJECT, DP2DP_OPTION_REAL, field, unset, low, high, 0, 0, solvers, text)
#define COUNT(field, unset, low, high, solvers, text) \
    ROW(OBJECT, DP2DP_OPTION_COUNT, field, unset, low, high, 0, 0, solvers, text)
#define EPSILON                                                                         \
    ROW(OBJECT, DP2DP_OPTION_REAL, epsilon, NAN, 0.0, INFINITY, 1, 0, NULL,             \
        "epsilon of the privacy guarantee: smaller protects more; infinite: no noise, " \
        "not private")
#define DELTA                                                        \
    ROW(OBJECT, DP2DP_OPTION_REAL, delta, NAN, 0.0, 1.0, 1, 1, NULL, \
        "delta of the privacy guarantee: choose it far below 1 / number of people")
#define ROWS_PER_PERSON(methods)                   \
    COUNT(rows_per_person, 1, 1, 1000000, methods, \
          "largest number of rows of one person; the guarantee protects the person")

#define OBJECT dp2dp_fit_options
#define ITERATIVE "counts|sgd|sgd-as-published"
#define SGD "sgd|sgd-as-published"
static const dp2dp_option fit_options[] = {
    REAL(rho, 0.0, 0.0, 1.0, NULL,
         "the fit aims at unfairness U <= rho; U is the largest gap between two groups in the rate "
         "of a class"),
    EPSILON,
    DELTA,
    ROWS_PER_PERSON(NULL),
    COUNT(steps, 0, 0, 1000000, ITERATIVE, "number of noisy steps; 0: the solver's own default"),
    REAL(share_budget, 0.0, 0.0, 0.5, ITERATIVE,
         "fraction of the privacy budget, measured in mu^2, that is spent on estimating group "
         "shares; 0: the solver's own default"),
    REAL(share_floor, 0.002, 1e-6, 0.5, ITERATIVE, "smaller group shares are raised to this value"),
    REAL(step_size, 1.0, 1e-6, 1e3, ITERATIVE,
         "factor by which the solver's own step lengths are multiplied"),
    REAL(tail, 1.0, 0.0, 1.0, "counts|sgd",
         "fraction of the iterates, counted from the end, that is averaged; 0: only the last"),
    REAL(offset_max, 2.0, 1e-3, 100.0, ITERATIVE,
         "largest absolute offset; a decision is argmax of score minus offset"),
    REAL(beta, 1e-5, 1e-12, 10.0, SGD,
         "sgd: temperature of the log-sum-exp that replaces the maximum over the classes"),
    COUNT(batch, 128, 1, 1000000000, SGD, "sgd: expected records per step"),
    REAL(lambda_max, 1.0, 1e-3, 100.0, SGD,
         "sgd: C_lambda, upper bound on each Lagrange multiplier"),
    COUNT(group_least, 0, 0, 1000000000, "sgd-as-published",
          "sgd-as-published: public lower bound on the size of the smaller group; 0: none"),
    REAL(scores_epsilon, NAN, 0.0, 1e6, NULL,
         "epsilon of the model that made the scores, as its makers state it; it is not "
         "checked, and the ledger marks it as declared"),
    ROW(OBJECT, DP2DP_OPTION_REAL, scores_delta, NAN, 0.0, 1.0, 0, 1, NULL,
        "delta stated for the model behind the scores"),
};
#undef OBJECT

#define OBJECT dp2dp_train_options
#define DESCENT "dpgd|dpsgd"
static const dp2dp_option train_options[] = {
    EPSILON,
    DELTA,
    REAL(clip, 1.0, 1e-6, 1e6, DESCENT,
         "dpgd, dpsgd: L2 norm to which each record's gradient is clipped"),
    REAL(step_size, 0.0, 0.0, 1e6, DESCENT,
         "dpgd, dpsgd: learning rate; 0: chosen from n and epsilon"),
    REAL(momentum, 0.9, 0.0, 0.999, DESCENT,
         "dpgd, dpsgd: fraction of the last step that is added to the next step"),
    REAL(tail, 0.5, 0.0, 1.0, DESCENT,
         "dpgd, dpsgd: fraction of the iterates, counted from the end, that is averaged"),
    REAL(penalty, 0.0, 0.0, 1e6, "output|none",
         "weight of the L2 penalty. The method 'output' adds the penalty to the mean loss; with "
         "the value 0 it chooses the weight from n, epsilon and the schema's norm. The method "
         "'none' adds the penalty to the sum of losses, like scikit-learn with C = 1/weight; the "
         "value 0 means 1"),
    ROWS_PER_PERSON("dpgd|dpsgd|output|none"),
    COUNT(steps, 0, 0, 1000000, DESCENT,
          "dpgd, dpsgd: number of noisy releases; 0: the method's own default"),
    COUNT(batch, 0, 0, 1000000000, "dpsgd", "dpsgd: expected records per step; 0: chosen from n"),
};
#undef OBJECT

/* Defaults of the fields that the option tables do not list. */
static const dp2dp_event event_default = {.count = 1, .rows_per_person = 1};
static const dp2dp_fit_options fit_default = {
    .solver = DP2DP_SOLVER_COUNTS, .rng = DP2DP_RNG_SECURE, .positive = DP2DP_POSITIVE_DEFAULT};
static const dp2dp_train_options train_default = {.method = DP2DP_TRAIN_DPGD,
                                                  .rng = DP2DP_RNG_SECURE};
static const dp2dp_evaluate_options evaluate_default = {
    .confidence = 0.95, .bootstrap_draws = 2000, .positive = DP2DP_POSITIVE_DEFAULT};
static const dp2dp_certify_options certify_default = {.confidence = 0.95, .rng = DP2DP_RNG_SECURE};
static const dp2dp_table_options table_default = {.separator = ',', .chunk_rows = 65536};
static const dp2dp_report_options report_default = {.confidence = 0.95};

/* Describes a struct of the interface. If defaults is NULL, every field defaults to zero. */
typedef struct description {
    size_t size;
    size_t
        first; /* smallest struct_size that is accepted: the size of the struct's first version */
    const char *init; /* name of the struct's INIT macro */
    const void *defaults;
    const dp2dp_option *options;
    size_t option_count;
} description;

/* `last` is the last field of the struct's first version, not of its newest version. */
#define DESCRIBE(NAME, object, last, ...)                                                          \
    [DP2DP_STRUCT_##NAME] = {sizeof(object), offsetof(object, last) + sizeof(((object *)0)->last), \
                             "DP2DP_" #NAME "_INIT", __VA_ARGS__}

static const description descriptions[] = {
    DESCRIBE(EVENT, dp2dp_event, delta, &event_default, NULL, 0),
    DESCRIBE(LAST_ITERATE, dp2dp_last_iterate, intermediate_released, NULL, NULL, 0),
    DESCRIBE(POOL_OPTIONS, dp2dp_pool_options, dither, NULL, NULL, 0),
    DESCRIBE(SOURCE, dp2dp_source, count, NULL, NULL, 0),
    DESCRIBE(FIT_OPTIONS, dp2dp_fit_options, ledger, &fit_default, fit_options,
             COUNT_OF(fit_options)),
    DESCRIBE(TRAIN_OPTIONS, dp2dp_train_options, ledger, &train_default, train_options,
             COUNT_OF(train_options)),
    DESCRIBE(PREDICT_OPTIONS, dp2dp_predict_options, first_row, NULL, NULL, 0),
    DESCRIBE(EVALUATE_OPTIONS, dp2dp_evaluate_options, bootstrap_draws, &evaluate_default, NULL, 0),
    DESCRIBE(CERTIFY_OPTIONS, dp2dp_certify_options, ledger, &certify_default, NULL, 0),
    DESCRIBE(CERTIFICATE, dp2dp_certificate, sigma, NULL, NULL, 0),
    DESCRIBE(TABLE_OPTIONS, dp2dp_table_options, cancel_context, &table_default, NULL, 0),
    DESCRIBE(ENTRY_INFO, dp2dp_entry_info, hash, NULL, NULL, 0),
    DESCRIBE(REPORT_OPTIONS, dp2dp_report_options, label_name, &report_default, NULL, 0),
    DESCRIBE(EXPORT_OPTIONS, dp2dp_export_options, prediction, NULL, NULL, 0),
    DESCRIBE(GRADIENT_QUESTION, dp2dp_gradient_question, clip, NULL, NULL, 0),
    DESCRIBE(GRADIENT_SOURCE, dp2dp_gradient_source, leaves_out, NULL, NULL, 0),
    DESCRIBE(COUNTS_OPTIONS, dp2dp_counts_options, row_sums, NULL, NULL, 0),
    DESCRIBE(EXPLAIN_OPTIONS, dp2dp_explain_options, ledger, NULL, NULL, 0),
    DESCRIBE(POOL_COLUMNS, dp2dp_pool_columns, multiplicity, NULL, NULL, 0),
};

/* NOLINTEND(bugprone-macro-parentheses,bugprone-sizeof-expression) */
static const description *find(dp2dp_struct which) {
    size_t at = (size_t)which;
    return at < COUNT_OF(descriptions) && descriptions[at].size > 0 ? &descriptions[at] : NULL;
}

static size_t size_of(const void *object) {
    size_t size;
    memcpy(&size, object, sizeof size);
    return size;
}

static void set_defaults(const description *d, void *object) {
    memset(object, 0, d->size);
    if (d->defaults) {
        memcpy(object, d->defaults, d->size);
    }
    for (size_t i = 0; i < d->option_count; i++) {
        dp2dpi_option_set(&d->options[i], object, d->options[i].default_value);
    }
    memcpy(object, &d->size, sizeof d->size);
}

void dp2dp_struct_init(dp2dp_struct which, void *object, size_t size) {
    const description *d = find(which);
    max_align_t room[SIZE_LIMIT / sizeof(max_align_t)];
    memset(object, 0, size);
    if (d && size >= sizeof size) {
        set_defaults(d, room);
        memcpy(object, room, size < d->size ? size : d->size);
        memcpy(object, &size, sizeof size);
    }
}

dp2dp_status dp2dpi_struct_check(dp2dp_struct which, const void *given, dp2dp_error *error) {
    size_t size = given ? size_of(given) : 0;
    if (size < find(which)->first || size > SIZE_LIMIT || size % sizeof size != 0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "a struct argument is NULL or was not initialised: initialise it with %s",
            find(which)->init);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_struct_read(dp2dp_struct which, const void *given, void *out,
                                dp2dp_error *error) {
    const description *d = find(which);
    DP2DPI_TRY(dp2dpi_struct_check(which, given, error));
    size_t size = size_of(given);
    for (size_t i = d->size; i < size; i++) {
        if (((const unsigned char *)given)[i] != 0) {
            return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "the program was compiled for a newer version of dp2dp and sets a "
                               "field that this library does not know (in a struct made by %s)",
                               d->init);
        }
    }
    set_defaults(d, out);
    memcpy(out, given, size < d->size ? size : d->size);
    memcpy(out, &d->size, sizeof d->size);
    return DP2DP_STATUS_OK;
}

void dp2dpi_struct_write(dp2dp_struct which, const void *from, void *given) {
    size_t size = size_of(given), known = find(which)->size;
    memcpy(given, from, size < known ? size : known);
    memcpy(given, &size, sizeof size);
}

const dp2dp_option *dp2dp_options(dp2dp_struct which, size_t *count) {
    const description *d = find(which);
    *count = d ? d->option_count : 0;
    return d ? d->options : NULL;
}

double dp2dpi_option_value(const dp2dp_option *option, const void *object) {
    const char *at = (const char *)object + option->offset;
    double real;
    uint64_t count;
    if (option->type == DP2DP_OPTION_COUNT) {
        memcpy(&count, at, sizeof count);
        return (double)count;
    }
    memcpy(&real, at, sizeof real);
    return real;
}

void dp2dpi_option_set(const dp2dp_option *option, void *object, double value) {
    char *at = (char *)object + option->offset;
    if (option->type == DP2DP_OPTION_COUNT) {
        uint64_t count = (uint64_t)value;
        memcpy(at, &count, sizeof count);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

void dp2dpi_options_copy(dp2dp_struct which, const void *from, void *to) {
    const description *d = find(which);
    for (size_t i = 0; i < d->option_count; i++) {
        size_t at = d->options[i].offset;
        memcpy((char *)to + at, (const char *)from + at, sizeof(double));
    }
    memcpy(to, &d->size, sizeof d->size);
}

dp2dp_status dp2dpi_option_check(const dp2dp_option *option, double value, dp2dp_error *error) {
    if ((value >= option->min && value <= option->max) ||
        (isnan(value) && isnan(option->default_value))) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s = %.15g: it must be from %.15g to %.15g",
                       option->name, value, option->min, option->max);
}

dp2dp_status dp2dpi_options_check(dp2dp_struct which, const void *object, dp2dp_error *error) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(which, &count);
    for (size_t i = 0; i < count; i++) {
        DP2DPI_TRY(
            dp2dpi_option_check(&options[i], dp2dpi_option_value(&options[i], object), error));
    }
    return DP2DP_STATUS_OK;
}
