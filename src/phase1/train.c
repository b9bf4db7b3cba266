#include "phase1/train.h"

#include <math.h>

#include "accountant/share.h"
#include "base/alloc.h"
#include "base/options.h"
#include "phase1/descent.h"
#include "phase1/output.h"

/* Checks epsilon and delta. Method `none` ignores them. With method `external`, either both are
 * given or neither is. */
static dp2dp_status check_budget(const dp2dp_train_options *o, dp2dp_error *error) {
    int is_external = o->method == DP2DP_TRAIN_EXTERNAL;
    if (o->method == DP2DP_TRAIN_NONE || (is_external && isnan(o->epsilon) && isnan(o->delta))) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_release_check_budget(
        o->epsilon, o->delta, is_external ? DP2DPI_EPSILON_FINITE : DP2DPI_EPSILON_MAY_BE_INFINITE,
        error);
}

dp2dp_status dp2dpi_train_check(const dp2dp_train_options *o, dp2dp_error *error) {
    if (dp2dp_word_name(DP2DP_WORDS_METHOD, (int)o->method) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "method = %d: not a known method",
                           (int)o->method);
    }
    if (dp2dp_target_name(o->target) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "target = %d: not a known target",
                           (int)o->target);
    }
    DP2DPI_TRY(check_budget(o, error));
    if ((o->weights != NULL) != (o->method == DP2DP_TRAIN_EXTERNAL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "weights must be given with method external, and must not be given with "
                           "any other method");
    }
    if (!(o->train_share >= 0.0 && o->train_share < 1.0) ||
        (o->train_share > 0.0 && o->method == DP2DP_TRAIN_EXTERNAL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "train_share = %g: it must be above 0 and below 1, or 0 for the whole "
                           "budget; with method external it must be 0",
                           o->train_share);
    }
    DP2DPI_TRY(dp2dpi_ledger_check_people(o->people_name, error));
    if (o->people_name && o->method == DP2DP_TRAIN_EXTERNAL && isnan(o->epsilon)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "people: with method external, also give epsilon, because the name of "
                           "the people is kept in the ledger entry that epsilon makes");
    }
    DP2DPI_TRY(dp2dpi_release_check(o->rng, o->ledger, error));
    return dp2dpi_options_check(DP2DP_STRUCT_TRAIN_OPTIONS, o, error);
}

dp2dp_status dp2dpi_train_take_share(dp2dp_train_options *o, dp2dp_error *error) {
    double whole = o->epsilon;
    return o->train_share > 0.0 && o->method != DP2DP_TRAIN_NONE && isfinite(whole)
               ? dp2dpi_share_of_epsilon(whole, o->delta, o->train_share, &o->epsilon, error)
               : DP2DP_STATUS_OK;
}

dp2dpi_release_terms dp2dpi_train_terms(const dp2dp_train_options *options, dp2dp_ledger *own) {
    return (dp2dpi_release_terms) {.epsilon = options->epsilon,
                                   .delta = options->delta,
                                   .rows_per_person = options->rows_per_person,
                                   .people = options->people_name,
                                   .role = DP2DPI_ROLE_TRAIN,
                                   .own_set = options->people_name,
                                   .verb = "train",
                                   .subject = options->target == DP2DP_TARGET_LABEL
                                                  ? NULL
                                                  : dp2dp_target_name(options->target),
                                   .rng = options->rng,
                                   .insecure_seed = options->insecure_seed,
                                   .ledger = options->ledger,
                                   .own = own};
}

static dp2dp_status check_sizes(const dp2dpi_examples *e, dp2dp_error *error) {
    const dp2dpi_rows *rows = e->rows;
    if (e->classes < 2 || e->classes > DP2DPI_TRAIN_CLASSES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "there are %zu classes, but there must be from 2 to %d", e->classes,
                           DP2DPI_TRAIN_CLASSES_MAX);
    }
    if (rows->numbers > e->width || e->width >= (size_t)1 << 30 ||
        rows->categories > DP2DPI_TRAIN_ENTRIES_MAX || rows->numbers > DP2DPI_TRAIN_ENTRIES_MAX ||
        (rows->numbers + rows->categories + 1) * e->outputs > DP2DPI_TRAIN_ENTRIES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "%zu numeric columns, %zu categorical columns and %zu classes are too "
                           "many: (numeric + categorical + 1) x outputs must be at most %d; "
                           "outputs is 1 for 2 classes, else the number of classes",
                           rows->numbers, rows->categories, e->classes, DP2DPI_TRAIN_ENTRIES_MAX);
    }
    if (!(e->norm > 0.0) || !(e->norm <= 1e6)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "norm = %g: it must be above 0 and at most 1e6", e->norm);
    }
    return DP2DP_STATUS_OK;
}

int dp2dpi_row_is_encoded(const dp2dpi_rows *rows, size_t i, size_t width) {
    const float *x = rows->x + i * rows->numbers;
    const int32_t *codes = rows->codes + i * rows->categories;
    int64_t before = (int64_t)rows->numbers - 1;
    int sound = rows->scale[i] >= 0.0F && rows->scale[i] <= 1.0F;
    for (size_t j = 0; j < rows->numbers; j++) {
        sound &= isfinite(x[j]) != 0;
    }
    for (size_t q = 0; q < rows->categories; q++) {
        sound &= codes[q] == -1 || (codes[q] > before && (size_t)codes[q] < width);
        before = codes[q] >= 0 ? codes[q] : before;
    }
    return sound;
}

/* Returns the squared norm of a row, computed from the same float32 entries that the logits use. */
static double square_of(const dp2dpi_rows *rows, size_t i) {
    const float *x = rows->x + i * rows->numbers;
    const int32_t *codes = rows->codes + i * rows->categories;
    double scale = (double)rows->scale[i], sum = 0.0;
    for (size_t j = 0; j < rows->numbers; j++) {
        sum += (double)x[j] * (double)x[j];
    }
    for (size_t q = 0; q < rows->categories; q++) {
        sum += codes[q] >= 0;
    }
    return scale * scale * sum;
}

/* Returns NULL if row i satisfies the assumptions of the privacy proofs. Otherwise returns the end
 * of an error message; the message starts with the number of the row. */
static const char *flaw_of(const dp2dpi_examples *e, size_t i) {
    double norm_max = e->norm * (1.0 + DP2DPI_TRAIN_NORM_SLACK);
    if (!dp2dpi_row_is_encoded(e->rows, i, e->width)) {
        return "does not match the schema";
    }
    if (e->labels[i] < 0 || (size_t)e->labels[i] >= e->classes) {
        return "has a label or group that is not in the schema";
    }
    return square_of(e->rows, i) <= norm_max * norm_max
               ? NULL
               : "has a norm above the largest that the schema allows";
}

/* Fails with DATA at the first row that violates an assumption of the proofs. Must run before the
 * charge, because no row may be refused after the charge. */
static dp2dp_status check_rows(const dp2dpi_examples *e, dp2dp_error *error) {
    for (size_t i = 0; i < e->rows->count; i++) {
        const char *flaw = flaw_of(e, i);
        if (flaw) {
            const dp2dpi_place place = {.reason = DP2DP_REASON_OTHER_SCHEMA, .row = i + 1};
            return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                                  "row %zu of the encoded rows %s", i + 1, flaw);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_examples_check(const dp2dpi_examples *e, dp2dp_error *error) {
    DP2DPI_TRY(check_sizes(e, error));
    return check_rows(e, error);
}

dp2dp_status dp2dpi_train_resolve(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_train_options *used, dp2dp_error *error) {
    if (e->records < 1 || e->records > (size_t)1 << 39) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "there are %zu rows, but there must be from 1 to 2^39", e->records);
    }
    DP2DPI_TRY(check_sizes(e, error));
    *used = *options;
    if (used->method == DP2DP_TRAIN_NONE) {
        used->penalty = used->penalty > 0.0 ? used->penalty : 1.0;
        return DP2DP_STATUS_OK;
    }
    return used->method == DP2DP_TRAIN_OUTPUT ? dp2dpi_output_resolve(e, used, error)
                                              : dp2dpi_descent_resolve(e, used, error);
}

static dp2dp_status expose(const dp2dp_train_options *options, dp2dp_ledger *own,
                           dp2dp_error *error) {
    dp2dpi_release_terms terms = dp2dpi_train_terms(options, own);
    return dp2dpi_release_expose(&terms, error);
}

static dp2dp_status train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                          dp2dp_ledger *own, double *weights, dp2dp_error *error) {
    if (options->method == DP2DP_TRAIN_NONE) {
        DP2DPI_TRY(expose(options, own, error));
        return dp2dpi_newton_train(e, options, weights, error);
    }
    return options->method == DP2DP_TRAIN_OUTPUT
               ? dp2dpi_output_train(e, options, own, weights, error)
               : dp2dpi_descent_train(e, options, own, weights, error);
}

/* Transposes the weights from (width + 1) × outputs to classes × (width + 1). With two classes, the
 * first class gets zeros. */
static void publish(const dp2dpi_examples *e, const double *cells, double *weights) {
    size_t length = e->width + 1;
    for (size_t k = 0; k < e->classes; k++) {
        for (size_t j = 0; j < length; j++) {
            weights[k * length + j] = e->outputs > 1 ? cells[j * e->outputs + k]
                                      : k == 1       ? cells[j]
                                                     : 0.0;
        }
    }
}

dp2dp_status dp2dpi_train_examples(const dp2dpi_examples *e, const dp2dp_train_options *resolved,
                                   dp2dp_ledger *own, double *weights, dp2dp_error *error) {
    double *cells = NULL;
    DP2DPI_TRY(check_rows(e, error));
    DP2DPI_TRY(DP2DPI_ALLOC(cells, dp2dpi_examples_cells(e), "weights", error));
    dp2dp_status status = train(e, resolved, own, cells, error);
    if (status == DP2DP_STATUS_OK) {
        publish(e, cells, weights);
    }
    dp2dpi_wipe_and_free(cells, dp2dpi_examples_cells(e) * sizeof *cells);
    return status;
}

dp2dp_status dp2dpi_train_charge(const dp2dpi_examples *e, const dp2dp_train_options *resolved,
                                 dp2dp_error *error) {
    dp2dpi_output_plan plan;
    dp2dpi_release release;
    if (resolved->method == DP2DP_TRAIN_NONE) {
        return expose(resolved, NULL, error);
    }
    DP2DPI_TRY(resolved->method == DP2DP_TRAIN_OUTPUT
                   ? dp2dpi_output_open(e, resolved, NULL, &plan, &release, error)
                   : dp2dpi_descent_open(e, resolved, NULL, &release, error));
    dp2dpi_release_free(&release);
    return DP2DP_STATUS_OK;
}
