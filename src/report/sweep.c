/* Reads the CSV table of dp2dp sweep, and averages the runs of every point. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dp2dp/fit.h>
#include <dp2dp/table.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "report/report.h"

enum {
    POINTS_MAX = 20000
};

/* The columns that are read, in this order. */
enum {
    CRITERION,
    METHOD,
    SOLVER,
    EPSILON, /* read as a text, because it may be "inf" */
    POSITIVE,
    SEES_GROUP,
    DATA,
    PROTECTS,
    TEXTS,
    RHO = TEXTS,
    DELTA,
    EPSILON_HOLDS,
    EPSILON_CLAIMED,
    FIRST_MEASURE,
    RECORDS = FIRST_MEASURE + DP2DPI_MEASURES,
    COLUMNS
};
static const dp2dp_table_column columns[COLUMNS] = {
    [CRITERION] = {"criterion", DP2DP_TABLE_TEXT},
    [METHOD] = {"method", DP2DP_TABLE_TEXT},
    [SOLVER] = {"solver", DP2DP_TABLE_TEXT},
    [EPSILON] = {"epsilon", DP2DP_TABLE_TEXT},
    [POSITIVE] = {"positive", DP2DP_TABLE_TEXT},
    [SEES_GROUP] = {"sees_group", DP2DP_TABLE_TEXT},
    [DATA] = {"data", DP2DP_TABLE_TEXT},
    [PROTECTS] = {"protects", DP2DP_TABLE_TEXT},
    [RHO] = {"rho", DP2DP_TABLE_NUMBER},
    [DELTA] = {"delta", DP2DP_TABLE_NUMBER},
    [EPSILON_HOLDS] = {"epsilon_holds", DP2DP_TABLE_NUMBER},
    [EPSILON_CLAIMED] = {"epsilon_claimed", DP2DP_TABLE_NUMBER},
    [FIRST_MEASURE + DP2DPI_ERROR] = {"error", DP2DP_TABLE_NUMBER},
    [FIRST_MEASURE + DP2DPI_UNFAIRNESS] = {"unfairness", DP2DP_TABLE_NUMBER},
    [FIRST_MEASURE + DP2DPI_ERROR_BEFORE] = {"error_before", DP2DP_TABLE_NUMBER},
    [FIRST_MEASURE + DP2DPI_UNFAIRNESS_BEFORE] = {"unfairness_before", DP2DP_TABLE_NUMBER},
    [RECORDS] = {"records", DP2DP_TABLE_NUMBER},
};

/* A text in a batch of rows. The text does not end with a NUL. */
typedef struct cell {
    const char *text;
    size_t length;
} cell;

typedef struct reader {
    const dp2dpi_report *r;
    dp2dpi_sweep *sweep;
    const char *path;
    uint64_t rows;
    char other[64]; /* criterion of the first row that is not about the model */
} reader;

static cell text_at(const struct ArrowArray *batch, size_t column, size_t row) {
    const struct ArrowArray *array = batch->children[column];
    const unsigned char *valid = array->buffers[0];
    const int32_t *offsets = array->buffers[1];
    row += (size_t)array->offset;
    if (valid && !(valid[row / 8] >> (row % 8) & 1)) {
        return (cell) {"", 0};
    }
    return (cell) {(const char *)array->buffers[2] + offsets[row],
                   (size_t)(offsets[row + 1] - offsets[row])};
}

static double number_at(const struct ArrowArray *batch, size_t column, size_t row) {
    const struct ArrowArray *array = batch->children[column];
    return ((const double *)array->buffers[1])[row + (size_t)array->offset];
}

static int is(cell c, const char *text) {
    return strlen(text) == c.length && memcmp(c.text, text, c.length) == 0;
}

static dp2dp_status refuse(const reader *in, const char *why, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "row %llu of the sweep: %s: %.160s",
                       (unsigned long long)in->rows, why, in->path);
}

/* Returns the name of the positive class if the criterion compares true or false positive rates,
 * else NULL. If the model states no positive class, returns the name of class 1 for two classes,
 * and "" for more classes. */
static const char *positive_of(const dp2dp_model_info *info) {
    int rate = info->criterion == DP2DP_TRUE_POSITIVE_RATE_PARITY ||
               info->criterion == DP2DP_FALSE_POSITIVE_RATE_PARITY;
    return !rate                 ? NULL
           : info->positive >= 0 ? info->names.classes[info->positive]
           : info->classes == 2  ? info->names.classes[1]
                                 : "";
}

/* Returns 1 if the row is about the model's criterion, with the same positive class and the same
 * kind of rule. */
static int is_about(reader *in, const struct ArrowArray *batch, size_t row) {
    const dp2dp_model_info *info = in->r->info;
    cell criterion = text_at(batch, CRITERION, row), positive = text_at(batch, POSITIVE, row);
    const char *own = positive_of(info);
    int sees = !is(text_at(batch, SEES_GROUP, row), "false");
    if (own && positive.length == 0 && info->classes == 2) {
        positive = (cell) {info->names.classes[1], strlen(info->names.classes[1])};
    }
    int about = is(criterion, dp2dp_criterion_name(info->criterion)) &&
                (own == NULL || is(positive, own)) && sees == (info->rule != DP2DP_RULE_WEIGHTED);
    if (!about && in->other[0] == '\0') {
        char shown[DP2DPI_SHOWN_SIZE];
        snprintf(in->other, sizeof in->other, "%.50s",
                 dp2dpi_utf8_show(criterion.text, criterion.length, shown));
    }
    return about;
}

/* Refuses a row about other data than the rows before it: a whole sweep must be about one table. */
static dp2dp_status take_data(reader *in, const struct ArrowArray *batch, size_t row,
                              dp2dp_error *error) {
    cell data = text_at(batch, DATA, row);
    double records = number_at(batch, RECORDS, row);
    if (!(records >= 1 && records < 1e15 && records == floor(records))) {
        return refuse(in, "records must be a whole number of at least 1", error);
    }
    if (in->sweep->data == NULL) {
        DP2DPI_TRY(DP2DPI_ALLOC(in->sweep->data, data.length + 1, "a sweep", error));
        memcpy(in->sweep->data, data.text, data.length);
        in->sweep->records = (uint64_t)records;
    }
    return is(data, in->sweep->data) && in->sweep->records == (uint64_t)records
               ? DP2DP_STATUS_OK
               : refuse(in,
                        "this row and the rows before it are about different data; give the "
                        "sweep of one table",
                        error);
}

static dp2dp_status take_word(const reader *in, cell word, char out[DP2DPI_REPORT_WORD],
                              dp2dp_error *error) {
    if (word.length == 0 || word.length >= DP2DPI_REPORT_WORD) {
        return refuse(in, "method and solver must be names of 1 to 39 bytes", error);
    }
    memcpy(out, word.text, word.length);
    out[word.length] = '\0';
    return DP2DP_STATUS_OK;
}

/* Reads an epsilon: a number, "inf" (INFINITY), or an empty text (NAN). The last two mean no
 * noise. */
static dp2dp_status take_epsilon(const reader *in, cell text, double *out, dp2dp_error *error) {
    char digits[48];
    char *end;
    *out = text.length == 0 ? NAN : INFINITY;
    if (text.length == 0 || is(text, "inf")) {
        return DP2DP_STATUS_OK;
    }
    if (text.length >= sizeof digits) {
        return refuse(in, "epsilon must be 0 or larger, or inf", error);
    }
    memcpy(digits, text.text, text.length);
    digits[text.length] = '\0';
    *out = strtod(digits, &end);
    return *end == '\0' && *out >= 0 && isfinite(*out)
               ? DP2DP_STATUS_OK
               : refuse(in, "epsilon must be 0 or larger, or inf", error);
}

static int is_equal(double x, double y) {
    return x == y || (isnan(x) && isnan(y));
}

/* Finds the point with the settings of *found, searching from the last point backwards. If no point
 * has these settings, adds a point. */
static dp2dp_status find_point(const reader *in, const dp2dpi_point *found, dp2dpi_point **out,
                               dp2dp_error *error) {
    dp2dpi_sweep *sweep = in->sweep;
    void *points = sweep->points;
    for (size_t i = sweep->count; i > 0; i--) {
        dp2dpi_point *p = &sweep->points[i - 1];
        if (p->rho == found->rho && is_equal(p->epsilon, found->epsilon) &&
            is_equal(p->delta, found->delta) && is_equal(p->holds, found->holds) &&
            is_equal(p->claimed, found->claimed) && strcmp(p->method, found->method) == 0 &&
            strcmp(p->solver, found->solver) == 0) {
            *out = p;
            return DP2DP_STATUS_OK;
        }
    }
    if (sweep->count == POINTS_MAX) {
        return refuse(in, "a page shows at most 20,000 points", error);
    }
    DP2DPI_TRY(
        dp2dpi_grow("a sweep", sweep->count, sizeof *found, &points, &sweep->capacity, error));
    sweep->points = points;
    *out = &sweep->points[sweep->count++];
    **out = *found;
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_row(reader *in, const struct ArrowArray *batch, size_t row,
                             dp2dp_error *error) {
    dp2dpi_point found = {.rho = number_at(batch, RHO, row),
                          .delta = number_at(batch, DELTA, row),
                          .holds = number_at(batch, EPSILON_HOLDS, row),
                          .claimed = number_at(batch, EPSILON_CLAIMED, row)};
    dp2dpi_point *point = NULL;
    in->rows++;
    in->sweep->protects_rows |= is(text_at(batch, PROTECTS, row), "rows");
    DP2DPI_TRY(take_data(in, batch, row, error));
    if (!is_about(in, batch, row)) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(take_word(in, text_at(batch, METHOD, row), found.method, error));
    DP2DPI_TRY(take_word(in, text_at(batch, SOLVER, row), found.solver, error));
    DP2DPI_TRY(take_epsilon(in, text_at(batch, EPSILON, row), &found.epsilon, error));
    if (!(found.rho >= 0 && found.rho <= 1)) {
        return refuse(in, "rho must be a number from 0 to 1", error);
    }
    if (found.holds < 0 || isinf(found.holds) || found.claimed < 0 || isinf(found.claimed)) {
        return refuse(in,
                      "epsilon_holds and epsilon_claimed must be finite and 0 or larger, or empty",
                      error);
    }
    DP2DPI_TRY(find_point(in, &found, &point, error));
    point->runs++;
    for (size_t m = 0; m < DP2DPI_MEASURES; m++) {
        double x = number_at(batch, FIRST_MEASURE + m, row);
        dp2dpi_average *a = &point->measures[m];
        double away = x - a->mean;
        if (!(x >= 0 && x <= 1)) {
            return refuse(in, "errors and unfairness must be numbers from 0 to 1", error);
        }
        a->mean += away / (double)point->runs;
        a->squares += away * (x - a->mean);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_rows(reader *in, dp2dp_error *error) {
    static const char *const missing[] = {""};
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream = {0};
    struct ArrowArray batch = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    options.columns = columns;
    options.column_count = COLUMNS;
    options.missing = missing;
    options.missing_count = 1;
    DP2DPI_TRY(dp2dp_table_open(in->path, &options, &stream, error));
    for (;;) {
        DP2DPI_TRY_OR_DONE(dp2dp_stream_next(&stream, &batch, error));
        if (batch.release == NULL) {
            break;
        }
        for (int64_t i = 0; i < batch.length && status == DP2DP_STATUS_OK; i++) {
            status = take_row(in, &batch, (size_t)i, error);
        }
        batch.release(&batch);
        DP2DPI_TRY_OR_DONE(status);
    }
done:
    stream.release(&stream);
    return status;
}

/* Returns the name that the sweep must give its data; NULL if the model's data have no known
 * name. */
static const char *expected_data(const dp2dpi_report *r) {
    return r->options.data_name                ? r->options.data_name
           : r->schema_name && *r->schema_name ? r->schema_name
                                               : NULL;
}

/* Fails because the sweep's data have no name, or another name than `expected`. */
static dp2dp_status refuse_name(const reader *in, const char *expected, dp2dp_error *error) {
    const dp2dpi_report *r = in->r;
    char shown[DP2DPI_SHOWN_SIZE], own[DP2DPI_SHOWN_SIZE];
    dp2dpi_utf8_show(expected, strlen(expected), own);
    if (*in->sweep->data == '\0') {
        int is_chosen = r->options.data_name && !(r->schema_name && *r->schema_name);
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "the sweep has no name for its data, but the model is about \"%s\". "
                           "Repeat dp2dp sweep with --name \"%s\"%s: %.60s",
                           own, own,
                           is_chosen ? ", or leave the name out of the report (--name, data_name "
                                       "in Python)"
                                     : "",
                           in->path);
    }
    return dp2dpi_fail(
        error, DP2DP_STATUS_DATA,
        "the sweep is about the data \"%s\", but the model is about \"%s\"; if both names mean "
        "the same data, give the name that the sweep has (--name, data_name in Python): %.60s",
        dp2dpi_utf8_show(in->sweep->data, strlen(in->sweep->data), shown), own, in->path);
}

static dp2dp_status check_match(const reader *in, dp2dp_error *error) {
    const dp2dpi_report *r = in->r;
    const dp2dpi_sweep *sweep = in->sweep;
    const char *expected = expected_data(r);
    if (in->rows == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the sweep has no rows: %.160s", in->path);
    }
    if (expected && strcmp(expected, sweep->data) != 0) {
        return refuse_name(in, expected, error);
    }
    if (sweep->count == 0) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_DATA,
            "no row of the sweep has the same criterion, positive class and kind of rule as the "
            "model. The first row has the criterion %s, the model has %s (rule: %s); run dp2dp "
            "sweep with the settings of the model: %.60s",
            in->other, dp2dp_criterion_name(r->info->criterion),
            r->info->rule == DP2DP_RULE_WEIGHTED ? "unaware" : "sees the group", in->path);
    }
    if (r->options.sweep_people == DP2DP_SWEEP_PUBLIC && sweep->records < r->info->records) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "the sweep is not about the model's data: the sweep's table has only "
                           "%llu rows, but the model was learned from %llu. If the sweep was made "
                           "on other people, say so (--sweep-people other, sweep_people='other' in "
                           "Python): %.60s",
                           (unsigned long long)sweep->records, (unsigned long long)r->info->records,
                           in->path);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_sweep_read(const dp2dpi_report *r, dp2dpi_sweep *out, dp2dp_error *error) {
    reader in = {.r = r, .sweep = out, .path = r->options.sweep};
    if (dp2dp_sweep_people_name(r->options.sweep_people) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "a sweep shows exact numbers about people, so say who they are: "
                           "sweep_people must be other, public or exposed");
    }
    DP2DPI_TRY(read_rows(&in, error));
    return check_match(&in, error);
}

void dp2dpi_sweep_free(dp2dpi_sweep *sweep) {
    dp2dpi_free(sweep->points);
    dp2dpi_free(sweep->data);
    *sweep = (dp2dpi_sweep) {0};
}

int dp2dpi_report_sweep_is_as_many(const dp2dpi_report *r) {
    return r->sweep.points && r->options.sweep_people == DP2DP_SWEEP_OTHER &&
           r->sweep.records == r->info->records;
}

int dp2dpi_report_sweep_is_unchecked(const dp2dpi_report *r) {
    return r->sweep.points && expected_data(r) == NULL;
}

void dp2dpi_report_sweep_cautions(const dp2dpi_report *r, dp2dpi_html *h) {
    if (dp2dpi_report_sweep_is_unchecked(r)) {
        dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> the model does not name "
                           "its data, so nobody has checked that the sweep is about the same kind "
                           "of data.</p>\n");
    }
    if (dp2dpi_report_sweep_is_as_many(r)) {
        dp2dpi_html_put(h, "<p class=\"caution\"><strong>Caution:</strong> the sweep is about "
                           "exactly as many people as the rule was learned from. If they are the "
                           "same people, the model is NOT PRIVATE.</p>\n");
    }
    if (dp2dpi_report_exposes(r)) {
        dp2dpi_html_put(
            h, "<p class=\"caution\"><strong>NOT PRIVATE:</strong> the people of the sweep are "
               "those the model was made from. What the sweep reveals about them has no finite "
               "epsilon. A rho that was chosen with the sweep has no finite epsilon either.</p>\n");
    }
}
