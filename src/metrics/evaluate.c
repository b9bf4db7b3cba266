#include <dp2dp/metrics.h>

#include <math.h>

#include "base/alloc.h"
#include "base/column.h"
#include "base/options.h"
#include "base/source.h"
#include "metrics/clopper_pearson.h"
#include "metrics/unfairness.h"

enum {
    DRAWS_MAX = 1000000
};

/* All memory of an evaluation. `seen` is the part that the caller gets; it comes first, so that its
 * address is also the block's. */
typedef struct block {
    dp2dp_evaluation seen;
    int64_t *counts;
    int64_t *totals;  /* number of records of each stratum */
    int64_t *labels;  /* for each class, the number of records with that label */
    int64_t *correct; /* for each class, how many of these records were predicted correctly */
    double *rates;
    dp2dp_interval *intervals;
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
            "%s have %zu rows: all columns must have the same number of rows, at least 1", name,
            column->rows);
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
                              "%s, row %zu: the code is not in 0..%zu", name, row + 1, codes - 1);
    }
    *out = (size_t)code;
    return DP2DP_STATUS_OK;
}

static dp2dp_status block_new(const dp2dp_evaluate_options *options, block **out,
                              dp2dp_error *error) {
    static const char what[] = "an evaluation";
    size_t cells = options->strata * options->classes;
    DP2DPI_TRY(DP2DPI_ALLOC(*out, 1, what, error));
    block *b = *out;
    DP2DPI_TRY(
        DP2DPI_ALLOC(b->counts, cells + options->strata + 2 * options->classes, what, error));
    b->totals = b->counts + cells;
    b->labels = b->totals + options->strata;
    b->correct = b->labels + options->classes;
    DP2DPI_TRY(DP2DPI_ALLOC(b->rates, cells, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(b->intervals, cells, what, error));
    return DP2DP_STATUS_OK;
}

void dp2dp_evaluation_free(dp2dp_evaluation *evaluation) {
    if (evaluation) {
        block *b = (block *)evaluation;
        dp2dpi_free(b->counts);
        dp2dpi_free(b->rates);
        dp2dpi_free(b->intervals);
        dp2dpi_free(b);
    }
}

static dp2dp_status count(const dp2dp_column *predictions, const dp2dp_column *strata,
                          const dp2dp_column *labels, block *b, dp2dp_error *error) {
    size_t classes = b->seen.classes;
    for (size_t row = 0; row < predictions->rows; row++) {
        size_t prediction = 0, stratum = 0, label = 0;
        DP2DPI_TRY(read_code("predictions", predictions, row, classes, &prediction, error));
        DP2DPI_TRY(read_code("strata", strata, row, b->seen.strata, &stratum, error));
        b->counts[stratum * classes + prediction]++;
        b->totals[stratum]++;
        if (labels) {
            DP2DPI_TRY(read_code("labels", labels, row, classes, &label, error));
            b->labels[label]++;
            b->correct[label] += label == prediction;
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_interval exact(double successes, double failures, double tail) {
    return (dp2dp_interval) {dp2dpi_interval_low(successes, failures, tail),
                             dp2dpi_interval_high(successes, failures, tail)};
}

static void measure_rates(block *b, double tail) {
    size_t classes = b->seen.classes;
    for (size_t cell = 0; cell < b->seen.strata * classes; cell++) {
        size_t stratum = cell / classes;
        double count = (double)b->counts[cell], total = (double)b->totals[stratum];
        b->rates[cell] = total > 0.0 ? count / total : NAN;
        b->intervals[cell] = exact(count, total - count, tail);
    }
    b->seen.unfairness = dp2dpi_unfairness(b->counts, b->totals, b->seen.strata, classes);
}

static void measure_accuracy(block *b, double tail) {
    dp2dp_evaluation *seen = &b->seen;
    double correct = 0.0, recalls = 0.0, present = 0.0;
    seen->accuracy = seen->error = seen->balanced_accuracy = NAN;
    seen->accuracy_interval = (dp2dp_interval) {NAN, NAN};
    if (!seen->has_labels) {
        return;
    }
    for (size_t k = 0; k < seen->classes; k++) {
        correct += (double)b->correct[k];
        if (b->labels[k] > 0) {
            recalls += (double)b->correct[k] / (double)b->labels[k];
            present += 1.0;
        }
    }
    double misses = (double)seen->records - correct;
    seen->accuracy = correct / (double)seen->records;
    seen->error = misses / (double)seen->records;
    seen->balanced_accuracy = recalls / present;
    seen->accuracy_interval = exact(correct, misses, tail);
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
    DP2DPI_TRY_OR_DONE(block_new(&options, &b, error));
    b->seen = (dp2dp_evaluation) {.records = predictions->rows,
                                  .strata = options.strata,
                                  .classes = options.classes,
                                  .confidence = options.confidence,
                                  .counts = b->counts,
                                  .rates = b->rates,
                                  .rate_intervals = b->intervals,
                                  .has_labels = labels != NULL};
    DP2DPI_TRY_OR_DONE(count(predictions, strata, labels, b, error));
    double tail = 0.5 * (1.0 - options.confidence);
    measure_rates(b, tail);
    measure_accuracy(b, tail);
    DP2DPI_TRY_OR_DONE(dp2dpi_unfairness_interval(&b->seen, b->totals, &options,
                                                  &b->seen.unfairness_interval, error));
    *out = &b->seen;
    b = NULL;
done:
    dp2dp_evaluation_free(b ? &b->seen : NULL);
    return status;
}
