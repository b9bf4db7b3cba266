#include <dp2dp/metrics.h>

#include <math.h>

#include "base/alloc.h"
#include "base/column.h"
#include "base/options.h"
#include "base/source.h"
#include "metrics/criteria.h"
#include "metrics/rates.h"
#include "metrics/unfairness.h"
#include "metrics/warn.h"

enum {
    DRAWS_MAX = 1000000,
    JOINT_MAX = 1 << 20 /* largest number of cells in a table of groups, labels and classes */
};

/* All memory of an evaluation. The caller gets the address of `seen`, which is also the address of
 * the block, because `seen` comes first. */
typedef struct block {
    dp2dp_evaluation seen;
    dp2dpi_tables tables;
    double *rates;
    dp2dp_interval *intervals;
    dp2dp_class_rates *class_rates;
    dp2dp_proportion *errors;
    double *impacts;
    dp2dpi_criteria criteria;
} block;

static dp2dp_status check_column(const char *name, const dp2dp_column *column, size_t rows,
                                 dp2dp_error *error) {
    if (column == NULL || column->data == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s must not be NULL", name);
    }
    if (column->type != DP2DP_INT8 && column->type != DP2DP_INT16 && column->type != DP2DP_INT32) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s must be int8, int16 or int32", name);
    }
    if (column->rows != rows || rows < 1) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "%s have %zu rows; all columns must have the same number of rows, and at least 1 row",
            name, column->rows);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_options(const dp2dp_evaluate_options *o, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_sizes_check(o->strata, o->classes, error));
    if (!(o->confidence > 0.0 && o->confidence < 1.0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "confidence = %g: it must be above 0 and below 1", o->confidence);
    }
    if (o->bootstrap_draws > DRAWS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "bootstrap_draws = %llu: it must be at most %d",
                           (unsigned long long)o->bootstrap_draws, (int)DRAWS_MAX);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_code(const char *name, const dp2dp_column *column, size_t row,
                              size_t codes, size_t *out, dp2dp_error *error) {
    int32_t code = dp2dpi_column_read(column, row);
    if (code < 0 || (size_t)code >= codes) {
        const dp2dpi_place place = {
            .reason = DP2DP_REASON_CODE_RANGE, .row = row + 1, .column = name};
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                              "%s, row %zu: the code must be from 0 to %zu", name, row + 1,
                              codes - 1);
    }
    *out = (size_t)code;
    return DP2DP_STATUS_OK;
}

/* Allocates everything except the criteria. */
static dp2dp_status block_new(const dp2dp_evaluate_options *options, int has_labels, block **out,
                              dp2dp_error *error) {
    static const char what[] = "an evaluation";
    size_t groups = options->strata, classes = options->classes, cells = groups * classes;
    DP2DPI_TRY(DP2DPI_ALLOC(*out, 1, what, error));
    block *b = *out;
    b->tables = (dp2dpi_tables) {.groups = groups, .classes = classes};
    DP2DPI_TRY(DP2DPI_ALLOC(b->tables.counts, 3 * cells + groups, what, error));
    b->tables.labelled = b->tables.counts + cells;
    b->tables.correct = b->tables.labelled + cells;
    b->tables.totals = b->tables.correct + cells;
    if (has_labels && cells <= JOINT_MAX / classes) {
        DP2DPI_TRY(DP2DPI_ALLOC(b->tables.joint, cells * classes, what, error));
    }
    DP2DPI_TRY(DP2DPI_ALLOC(b->rates, cells, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(b->intervals, cells, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(b->class_rates, cells, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(b->errors, groups, what, error));
    return DP2DPI_ALLOC(b->impacts, classes, what, error);
}

void dp2dp_evaluation_free(dp2dp_evaluation *evaluation) {
    if (evaluation) {
        block *b = (block *)evaluation;
        dp2dpi_criteria_free(&b->criteria);
        dp2dpi_free(b->tables.counts);
        dp2dpi_free(b->tables.joint);
        dp2dpi_free(b->rates);
        dp2dpi_free(b->intervals);
        dp2dpi_free(b->class_rates);
        dp2dpi_free(b->errors);
        dp2dpi_free(b->impacts);
        dp2dpi_free(b);
    }
}

static dp2dp_status count(const dp2dp_column *predictions, const dp2dp_column *strata,
                          const dp2dp_column *labels, const dp2dpi_tables *t, dp2dp_error *error) {
    for (size_t row = 0; row < predictions->rows; row++) {
        size_t prediction = 0, stratum = 0, label = 0;
        DP2DPI_TRY(read_code("predictions", predictions, row, t->classes, &prediction, error));
        DP2DPI_TRY(read_code("strata", strata, row, t->groups, &stratum, error));
        t->counts[stratum * t->classes + prediction]++;
        t->totals[stratum]++;
        if (labels) {
            DP2DPI_TRY(read_code("labels", labels, row, t->classes, &label, error));
            size_t pair = stratum * t->classes + label;
            t->labelled[pair]++;
            t->correct[pair] += label == prediction;
            if (t->joint) {
                t->joint[pair * t->classes + prediction]++;
            }
        }
    }
    return DP2DP_STATUS_OK;
}

static void measure_rates(block *b, double tail) {
    const dp2dpi_tables *t = &b->tables;
    for (size_t cell = 0; cell < t->groups * t->classes; cell++) {
        size_t stratum = cell / t->classes;
        double count = (double)t->counts[cell], total = (double)t->totals[stratum];
        b->rates[cell] = total > 0.0 ? count / total : NAN;
        b->intervals[cell] = dp2dpi_interval(count, total - count, tail);
    }
    b->seen.unfairness = dp2dpi_unfairness(t->counts, t->totals, t->groups, t->classes);
    dp2dpi_class_rates(t, tail, b->class_rates, b->errors);
}

static void measure_accuracy(block *b, double tail) {
    const dp2dpi_tables *t = &b->tables;
    dp2dp_evaluation *seen = &b->seen;
    double correct = 0.0, recalls = 0.0, present = 0.0;
    seen->accuracy = seen->error = seen->balanced_accuracy = NAN;
    seen->accuracy_interval = (dp2dp_interval) {NAN, NAN};
    if (!seen->has_labels) {
        return;
    }
    for (size_t k = 0; k < t->classes; k++) {
        int64_t labelled = 0, right = 0;
        for (size_t g = 0; g < t->groups; g++) {
            labelled += t->labelled[g * t->classes + k];
            right += t->correct[g * t->classes + k];
        }
        correct += (double)right;
        if (labelled > 0) {
            recalls += (double)right / (double)labelled;
            present += 1.0;
        }
    }
    double misses = (double)seen->records - correct;
    seen->accuracy = correct / (double)seen->records;
    seen->error = misses / (double)seen->records;
    seen->balanced_accuracy = recalls / present;
    seen->accuracy_interval = dp2dpi_interval(correct, misses, tail);
}

static dp2dp_status measure(const dp2dp_evaluate_options *options, block *b, dp2dp_error *error) {
    double tail = 0.5 * (1.0 - options->confidence);
    dp2dp_evaluation *seen = &b->seen;
    measure_rates(b, tail);
    measure_accuracy(b, tail);
    DP2DPI_TRY(dp2dpi_unfairness_interval(seen, b->tables.totals, options,
                                          &seen->unfairness_interval, error));
    DP2DPI_TRY(dp2dpi_criteria_measure(&b->tables, options, seen, &b->criteria, error));
    seen->criterion_count = b->criteria.count;
    seen->unfairness_interval = seen->criteria[DP2DP_DEMOGRAPHIC_PARITY].interval;
    seen->disparate_impact =
        dp2dpi_disparate_impacts(&b->tables, b->class_rates, options->positive, b->impacts);
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_input(const dp2dp_column *predictions, const dp2dp_column *strata,
                                const dp2dp_column *labels, const dp2dp_evaluate_options *options,
                                dp2dp_error *error) {
    size_t rows = predictions ? predictions->rows : 0;
    DP2DPI_TRY(check_options(options, error));
    DP2DPI_TRY(check_column("predictions", predictions, rows, error));
    DP2DPI_TRY(check_column("strata", strata, rows, error));
    return labels ? check_column("labels", labels, rows, error) : DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_evaluate(const dp2dp_column *predictions, const dp2dp_column *strata,
                            const dp2dp_column *labels, const dp2dp_evaluate_options *given,
                            dp2dp_evaluation **out, dp2dp_error *error) {
    dp2dp_evaluate_options options;
    block *b = NULL;
    if (out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "out must not be NULL");
    }
    *out = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_EVALUATE_OPTIONS, given, &options, error));
    DP2DPI_TRY(check_input(predictions, strata, labels, &options, error));
    DP2DPI_TRY_OR_DONE(block_new(&options, labels != NULL, &b, error));
    b->seen = (dp2dp_evaluation) {.records = predictions->rows,
                                  .strata = options.strata,
                                  .classes = options.classes,
                                  .confidence = options.confidence,
                                  .counts = b->tables.counts,
                                  .rates = b->rates,
                                  .rate_intervals = b->intervals,
                                  .has_labels = labels != NULL,
                                  .positive = options.positive,
                                  .class_rates = b->class_rates,
                                  .errors = b->errors,
                                  .disparate_impacts = b->impacts,
                                  .label_counts = b->tables.joint,
                                  .criteria = b->criteria.of};
    DP2DPI_TRY_OR_DONE(count(predictions, strata, labels, &b->tables, error));
    DP2DPI_TRY_OR_DONE(measure(&options, b, error));
    b->seen.warnings = dp2dpi_warn_of_evaluation(&b->seen);
    *out = &b->seen;
    b = NULL;
done:
    dp2dp_evaluation_free(b ? &b->seen : NULL);
    return status;
}
