#include "input/scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/out.h"
#include "input/codes.h"
#include "input/encoded.h"
#include "input/raw.h"
#include "input/table.h"

enum {
    NAMES_SIZE = 110, /* of a message */
    DECLARED_SIZE = NAMES_SIZE + 40
};

void cli_columns_free(cli_columns *columns) {
    dp2dp_schema_free(columns->schema);
    columns->schema = NULL;
}

static dp2dp_status raw_columns_of_model(const cli_args *args, const dp2dp_model *model,
                                         unsigned parts, cli_columns *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    parts |= info->events > 0 ? DP2DP_PART_GROUP : 0;
    dp2dp_status status = cli_raw_columns(args, model, args->operands[1], parts, out, error);
    int alike = info->events == 0 || info->events == out->groups;
    for (size_t g = 0; g < info->events && alike && status == DP2DP_STATUS_OK; g++) {
        alike = strcmp(info->names.events[g], out->group_names[g]) == 0;
    }
    return status == DP2DP_STATUS_OK && !alike
               ? cli_fail(error, DP2DP_STATUS_DATA,
                          "the groups of the model's rule are not those of its schema")
               : status;
}

dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, unsigned parts,
                                  cli_columns *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    if (info->classifier) {
        return raw_columns_of_model(args, model, parts, out, error);
    }
    *out = (cli_columns) {.args = args,
                          .path = args->operands[1],
                          .scores = info->names.scores,
                          .classes = info->classes,
                          .group = info->names.event_column,
                          .group_names = info->names.events,
                          .groups = info->events,
                          .class_names = info->names.classes,
                          .row_sums = info->row_sums,
                          .fitted = 1};
    if (out->scores == NULL || out->group == NULL) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "the model does not say which columns it was fitted on: it was not made "
                        "from a table");
    }
    return DP2DP_STATUS_OK;
}

static size_t score_size(const cli_rows *rows) {
    return rows->type == DP2DP_FLOAT32 ? sizeof(float) : sizeof(double);
}

dp2dp_matrix cli_rows_scores(const cli_rows *rows) {
    return (dp2dp_matrix) {.data = rows->scores,
                           .type = rows->type,
                           .rows = rows->count,
                           .columns = rows->classes,
                           .row_stride = (ptrdiff_t)(rows->classes * score_size(rows)),
                           .column_stride = (ptrdiff_t)score_size(rows)};
}

dp2dp_column cli_rows_groups(const cli_rows *rows) {
    return (dp2dp_column) {
        .data = rows->groups, .type = DP2DP_INT32, .rows = rows->count, .stride = sizeof(int32_t)};
}

void cli_rows_free(cli_rows *rows) {
    free(rows->scores);
    free(rows->groups);
    free(rows->labels);
    *rows = (cli_rows) {0};
}

/* realloc of count elements; NULL if there are too many. */
static void *longer(void *array, size_t count, size_t size) {
    return size > 0 && count <= SIZE_MAX / size ? realloc(array, count * size) : NULL;
}

dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error) {
    size_t need = rows->count + more;
    if (need <= rows->capacity) {
        return DP2DP_STATUS_OK;
    }
    /* The first batch gets what it needs, so that a stream of equal batches never grows. */
    size_t capacity = rows->capacity == 0 ? need : need + need / 2;
    void *scores = longer(rows->scores, capacity, rows->classes * score_size(rows));
    int32_t *groups = longer(rows->groups, capacity, sizeof *groups);
    int32_t *labels = labelled ? longer(rows->labels, capacity, sizeof *labels) : NULL;
    rows->scores = scores ? scores : rows->scores;
    rows->groups = groups ? groups : rows->groups;
    rows->labels = labels ? labels : rows->labels;
    if (scores == NULL || groups == NULL || (labelled && labels == NULL)) {
        (void)cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu rows", capacity);
        return DP2DP_STATUS_MEMORY;
    }
    rows->capacity = capacity;
    return DP2DP_STATUS_OK;
}

/* In the form of the table reader's own messages; it knows lines, and here rows are known. The
 * advice, if any, comes last. */
static dp2dp_status fail_row(const cli_columns *columns, const char *column, uint64_t row,
                             const char *reason, const char *advice, dp2dp_error *error) {
    return cli_fail(error, DP2DP_STATUS_DATA, "row %" PRIu64 ", column \"%.60s\": %.60s: %.80s%s%s",
                    row + 1, column, reason, columns->path, *advice ? "; " : "", advice);
}

double cli_rows_score(const cli_rows *rows, size_t i) {
    return rows->type == DP2DP_FLOAT32 ? (double)((const float *)rows->scores)[i]
                                       : ((const double *)rows->scores)[i];
}

static const char *sum_advice(const cli_columns *columns) {
    return columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE ? ""
           : columns->fitted
               ? "; the model was fitted on probabilities (for others, fit with --normalize)"
               : "; --scores must name every class; --normalize takes rounded or other scores";
}

/* The pool's own test, in the form of <dp2dp/model.h>, of one row. */
static dp2dp_status check_row(const cli_columns *columns, const cli_rows *rows, size_t i,
                              dp2dp_error *error) {
    double sum = 0, tolerance = rows->type == DP2DP_FLOAT32 ? 1e-3 : 1e-6;
    int normalized = columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    for (size_t k = 0; k < columns->classes; k++) {
        double value = cli_rows_score(rows, i * columns->classes + k);
        if (!(value >= 0) || value > 1e30) {
            return fail_row(
                columns, columns->scores[k], rows->first + i,
                isnan(value) ? "not a number" : "a probability must be a number from 0 to 1",
                isnan(value) ? "" : "log-odds must be turned into probabilities first", error);
        }
        sum += value;
    }
    if (normalized ? sum > 0 : fabs(sum - 1) <= tolerance) {
        return DP2DP_STATUS_OK;
    }
    return cli_fail(error, DP2DP_STATUS_DATA,
                    "row %" PRIu64 ": the probabilities do not sum to 1%s: %.80s%s",
                    rows->first + i + 1, normalized ? " and cannot be normalized" : "",
                    columns->path, sum_advice(columns));
}

/* One score of every row of a batch goes to its place, and is added to the row's sum; a score that
 * is no number from 0 to 1e30 makes the sum NAN. Columns come first here, for speed: check_row says
 * afterwards what is wrong. */
static void take_floats(const float *from, size_t rows, size_t stride, float *to, double *sums) {
    for (size_t i = 0; i < rows; i++) {
        to[i * stride] = from[i];
        sums[i] += from[i] >= 0 && from[i] <= 1e30F ? (double)from[i] : (double)NAN;
    }
}

static void take_doubles(const double *from, size_t rows, size_t stride, double *to, double *sums) {
    for (size_t i = 0; i < rows; i++) {
        to[i * stride] = from[i];
        sums[i] += from[i] >= 0 && from[i] <= 1e30 ? from[i] : (double)NAN;
    }
}

enum {
    ROWS_AT_ONCE = 1024
};

static dp2dp_status take_scores(const cli_columns *columns, const struct ArrowArray *batch,
                                cli_rows *rows, dp2dp_error *error) {
    size_t length = (size_t)batch->length, classes = columns->classes, single = rows->count;
    int normalized = columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    double sums[ROWS_AT_ONCE], tolerance = rows->type == DP2DP_FLOAT32 ? 1e-3 : 1e-6;
    for (size_t i = 0; i < length; i += ROWS_AT_ONCE, single += ROWS_AT_ONCE) {
        size_t count = length - i < ROWS_AT_ONCE ? length - i : ROWS_AT_ONCE;
        memset(sums, 0, sizeof sums);
        for (size_t k = 0; k < classes; k++) {
            const struct ArrowArray *column = batch->children[k];
            size_t at = (size_t)column->offset + i;
            if (rows->type == DP2DP_FLOAT32) {
                take_floats((const float *)column->buffers[1] + at, count, classes,
                            (float *)rows->scores + single * classes + k, sums);
            } else {
                take_doubles((const double *)column->buffers[1] + at, count, classes,
                             (double *)rows->scores + single * classes + k, sums);
            }
        }
        for (size_t j = 0; j < count; j++) {
            if (!(normalized ? sums[j] > 0 : fabs(sums[j] - 1) <= tolerance)) {
                dp2dp_status status = check_row(columns, rows, single + j, error);
                if (status != DP2DP_STATUS_OK) {
                    return status;
                }
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* The names that were declared, which are public, in quotes: a blank too many shows. */
static const char *declared(const cli_columns *columns, int is_label, char text[DECLARED_SIZE]) {
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    const char *whose = is_label          ? "the model's classes are"
                        : columns->fitted ? "the model's groups are"
                                          : "--groups must name all there are, and has";
    size_t used = (size_t)snprintf(text, DECLARED_SIZE, "%s", whose);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (used + length + 10 > NAMES_SIZE) {
            used += (size_t)snprintf(text + used, DECLARED_SIZE - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, DECLARED_SIZE - used, "%s \"%s\"", i ? "," : "",
                                 names[i]);
    }
    int offers =
        columns->fitted && !is_label && cli_option_find(columns->args->verb, "unknown-group");
    int unnamed = is_label && strcmp(names[0], "0") == 0;
    snprintf(text + used, DECLARED_SIZE - used, "%s",
             offers    ? "; --unknown-group base takes others"
             : unnamed ? "; fit --classes names them"
                       : "");
    return text;
}

/* The column of the groups follows the scores, that of the labels the groups. */
static dp2dp_status take_codes(const cli_columns *columns, const struct ArrowArray *batch,
                               int is_label, cli_rows *rows, dp2dp_error *error) {
    const struct ArrowArray *column = batch->children[columns->classes + (size_t)is_label];
    const int32_t *offsets = (const int32_t *)column->buffers[1] + column->offset;
    const char *bytes = column->buffers[2];
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    int32_t *to = (is_label ? rows->labels : rows->groups) + rows->count;
    int refuse = is_label || columns->unknown == DP2DP_UNKNOWN_REFUSE;
    cli_codes codes = cli_codes_of(names, count);
    size_t end = (size_t)offsets[batch->length];
    char text[DECLARED_SIZE];
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        size_t at = (size_t)offsets[i], length = (size_t)offsets[i + 1] - at;
        to[i] = cli_code(&codes, length ? bytes + at : "", length, length ? end - at : 0);
        if (to[i] < 0 && refuse) {
            return fail_row(columns, is_label ? columns->label : columns->group,
                            rows->first + rows->count + i,
                            is_label ? "the label is not one of those declared"
                                     : "the group is not one of those declared",
                            declared(columns, is_label, text), error);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Refuses a missing value, but that of a group where a group may be unknown. */
static dp2dp_status check_present(const cli_columns *columns, const struct ArrowArray *batch,
                                  const cli_rows *rows, dp2dp_error *error) {
    for (size_t j = 0; j < (size_t)batch->n_children; j++) {
        const struct ArrowArray *column = batch->children[j];
        const unsigned char *valid = column->buffers[0];
        const char *name = j < columns->classes    ? columns->scores[j]
                           : j == columns->classes ? columns->group
                                                   : columns->label;
        if (valid == NULL || (j == columns->classes && columns->unknown == DP2DP_UNKNOWN_BASE)) {
            continue;
        }
        for (size_t i = 0; i < (size_t)batch->length; i++) {
            size_t at = (size_t)column->offset + i;
            if (!(valid[at / 8] >> (at % 8) & 1)) {
                return fail_row(columns, name, rows->first + rows->count + i,
                                "the value is missing", "", error);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_batch(const cli_columns *columns, const struct ArrowArray *batch,
                               cli_rows *rows, dp2dp_error *error) {
    dp2dp_status status = check_present(columns, batch, rows, error);
    if (status == DP2DP_STATUS_OK) {
        status = cli_rows_make_room(rows, (size_t)batch->length, columns->label != NULL, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = take_scores(columns, batch, rows, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = take_codes(columns, batch, 0, rows, error);
    }
    if (status == DP2DP_STATUS_OK && columns->label) {
        status = take_codes(columns, batch, 1, rows, error);
    }
    if (status == DP2DP_STATUS_OK) {
        rows->count += (size_t)batch->length;
    }
    return status;
}

static dp2dp_status open_table(const cli_columns *columns, struct ArrowArrayStream *out,
                               dp2dp_error *error) {
    size_t count = columns->classes + 1 + (columns->label != NULL);
    dp2dp_table_column *wanted = calloc(count, sizeof *wanted);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    out->release = NULL;
    if (wanted == NULL) {
        (void)cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu columns", count);
        return DP2DP_STATUS_MEMORY;
    }
    for (size_t k = 0; k < columns->classes; k++) {
        wanted[k] = (dp2dp_table_column) {columns->scores[k], DP2DP_TABLE_NUMBER};
    }
    wanted[columns->classes] = (dp2dp_table_column) {columns->group, DP2DP_TABLE_TEXT};
    if (columns->label) {
        wanted[count - 1] = (dp2dp_table_column) {columns->label, DP2DP_TABLE_TEXT};
    }
    options.columns = wanted;
    options.column_count = count;
    options.cancel = cli_watch_given_up;
    options.cancel_context = columns->watch;
    dp2dp_status status = cli_table_open(columns->args, columns->path, &options, out, error);
    if (status == DP2DP_STATUS_DATA && columns->fitted) {
        cli_table_explain(columns->group, CLI_WHY_GROUP, error);
    }
    free(wanted);
    return status;
}

/* Every batch is added to *rows, then handed to `use` unless NULL, after which it may go. */
static dp2dp_status read_table(const cli_columns *columns, cli_rows *rows, cli_rows_use use,
                               void *context, dp2dp_error *error) {
    struct ArrowArrayStream stream;
    cli_ahead *ahead = NULL;
    dp2dp_status status = open_table(columns, &stream, error);
    *rows = (cli_rows) {.classes = columns->classes};
    if (status == DP2DP_STATUS_OK) {
        status = cli_stream_type(&stream, &rows->type, error);
        if (status == DP2DP_STATUS_OK) {
            status = cli_ahead_start(&stream, columns->watch, &ahead, error);
        } else {
            stream.release(&stream);
        }
    }
    while (status == DP2DP_STATUS_OK) {
        struct ArrowArray batch;
        status = cli_ahead_next(ahead, &batch, error);
        if (status != DP2DP_STATUS_OK || batch.release == NULL) {
            break;
        }
        status = take_batch(columns, &batch, rows, error);
        batch.release(&batch);
        if (status == DP2DP_STATUS_OK && use) {
            status = use(context, rows, error);
            rows->first += rows->count;
            rows->count = 0;
        }
    }
    cli_ahead_stop(ahead);
    return status;
}

/* With a watch of its own where the caller has none. */
static dp2dp_status read_rows(const cli_columns *columns, cli_rows *rows, cli_rows_use use,
                              void *context, dp2dp_error *error) {
    cli_watch watch = {0};
    cli_columns watched = *columns;
    watched.watch = columns->watch ? columns->watch : &watch;
    return (columns->classifier ? cli_raw_read : read_table)(&watched, rows, use, context, error);
}

dp2dp_status cli_scores_stream(const cli_columns *columns, cli_rows_use use, void *context,
                               dp2dp_error *error) {
    cli_rows rows;
    dp2dp_status status = read_rows(columns, &rows, use, context, error);
    cli_rows_free(&rows);
    return status;
}

dp2dp_status cli_scores_load(const cli_columns *columns, cli_rows *out, dp2dp_error *error) {
    return read_rows(columns, out, NULL, NULL, error);
}

/* Moves *text behind the words and the number after them, if it begins so. */
static int skip_number(const char **text, const char *words, uint64_t *number) {
    size_t length = strlen(words);
    char *end;
    if (strncmp(*text, words, length) != 0) {
        return 0;
    }
    *number = strtoull(*text + length, &end, 10);
    *text = end;
    return *number > 0;
}

/* The library counts score columns and knows no file; people know both by name. */
static dp2dp_status name_fault(const cli_columns *columns, dp2dp_error *error) {
    dp2dp_error found = *error;
    const char *rest = found.message;
    uint64_t row, column;
    if (skip_number(&rest, "row ", &row) && skip_number(&rest, ", score column ", &column) &&
        columns->scores && column <= columns->classes && strncmp(rest, ": ", 2) == 0) {
        return fail_row(columns, columns->scores[column - 1], row - 1, rest + 2, "", error);
    }
    return cli_fail(error, found.status, "%.190s: %.120s", found.message, columns->path);
}

dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error) {
    cli_rows rows = {0};
    *out = NULL;
    dp2dp_status status = cli_scores_load(columns, &rows, error);
    if (status == DP2DP_STATUS_OK && rows.count < 2) {
        status = cli_fail(error, DP2DP_STATUS_DATA, "%zu row%s: there must be at least 2: %.120s",
                          rows.count, rows.count == 1 ? "" : "s", columns->path);
    }
    if (status == DP2DP_STATUS_OK) {
        dp2dp_matrix scores = cli_rows_scores(&rows);
        dp2dp_column groups = cli_rows_groups(&rows);
        status = dp2dp_pool_new(&scores, &groups, options, out, error);
        if (status == DP2DP_STATUS_DATA) {
            status = name_fault(columns, error);
        }
    }
    cli_rows_free(&rows);
    return status;
}
