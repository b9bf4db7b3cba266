#include "scores.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kind.h"
#include "out.h"

dp2dp_status cli_columns_of_model(const dp2dp_model *model, const char *path, cli_columns *out,
                                  dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    *out = (cli_columns) {.path = path,
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

static dp2dp_status make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error) {
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
    return cli_fail(error, DP2DP_STATUS_DATA,
                    "row %" PRIu64 ", column \"%.60s\": %.60s: %.80s%s%.100s", row + 1, column,
                    reason, columns->path, *advice ? "; " : "", advice);
}

static double score_at(const cli_rows *rows, size_t i) {
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
        double value = score_at(rows, i * columns->classes + k);
        if (!(value >= 0) || value > 1e30) {
            return fail_row(columns, columns->scores[k], rows->first + i,
                            isnan(value) ? "not a number"
                                         : "a probability must be a number from 0 to 1",
                            "", error);
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

static dp2dp_status take_scores(const cli_columns *columns, const struct ArrowArray *batch,
                                cli_rows *rows, dp2dp_error *error) {
    size_t length = (size_t)batch->length, size = score_size(rows);
    for (size_t k = 0; k < columns->classes; k++) {
        const struct ArrowArray *column = batch->children[k];
        const char *from = (const char *)column->buffers[1] + (size_t)column->offset * size;
        char *to = (char *)rows->scores + (rows->count * columns->classes + k) * size;
        for (size_t i = 0; i < length; i++) {
            memcpy(to + i * columns->classes * size, from + i * size, size);
        }
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    for (size_t i = 0; i < length && status == DP2DP_STATUS_OK; i++) {
        status = check_row(columns, rows, rows->count + i, error);
    }
    return status;
}

/* The code of a text that is not NUL-terminated; -1: it is no name of the list. */
static int32_t code_of(const char *text, size_t length, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

/* The names that were declared, which are public, in quotes: a blank too many shows. */
static const char *declared(const cli_columns *columns, int is_label, char text[100]) {
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    const char *whose = is_label          ? "the model's classes are"
                        : columns->fitted ? "the model's groups are"
                                          : "--groups has";
    size_t used = (size_t)snprintf(text, 100, "%s", whose);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (used + length + 10 > 100) {
            snprintf(text + used, 100 - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, 100 - used, "%s \"%s\"", i ? "," : "", names[i]);
    }
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
    char text[100];
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        to[i] = code_of(length ? bytes + offsets[i] : "", length, names, count);
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

static dp2dp_status take_batch(const cli_columns *columns, const struct ArrowArray *batch,
                               cli_rows *rows, dp2dp_error *error) {
    dp2dp_status status = make_room(rows, (size_t)batch->length, columns->label != NULL, error);
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

/* What may be the matter with a table that lacks a column. The nearest name, which the reader
 * offers, is kept back where it may be a value. */
static void advise(const cli_columns *columns, dp2dp_error *error) {
    int headless;
    const char *advice = cli_kind_table_advice(columns->path, &headless);
    const char *nearest = strstr(error->message, "; the nearest name is ");
    dp2dp_error found = *error;
    if (headless && nearest) {
        (void)cli_fail(error, found.status, "%.*s: %.100s%s", (int)(nearest - error->message),
                       found.message, columns->path, advice);
    } else {
        (void)cli_fail(error, found.status, "%.230s%s", found.message, advice);
    }
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
    dp2dp_status status = dp2dp_table_open(columns->path, &options, out, error);
    free(wanted);
    if (status == DP2DP_STATUS_DATA && strncmp(error->message, "no column ", 10) == 0) {
        advise(columns, error);
    }
    return status;
}

/* The scores of an NPY file of float32 come as such, those of other tables as float64. */
static dp2dp_status find_type(struct ArrowArrayStream *stream, dp2dp_type *out) {
    struct ArrowSchema schema = {.release = NULL};
    *out = DP2DP_FLOAT64;
    if (stream->get_schema(stream, &schema) != 0) {
        return DP2DP_STATUS_INTERNAL;
    }
    if (strcmp(schema.children[0]->format, "f") == 0) {
        *out = DP2DP_FLOAT32;
    }
    schema.release(&schema);
    return DP2DP_STATUS_OK;
}

static dp2dp_status stream_failure(struct ArrowArrayStream *stream, int number,
                                   dp2dp_error *error) {
    const char *message = stream->get_last_error(stream);
    dp2dp_status status = number == ENOMEM      ? DP2DP_STATUS_MEMORY
                          : number == EIO       ? DP2DP_STATUS_IO
                          : number == ECANCELED ? DP2DP_STATUS_CANCELLED
                                                : DP2DP_STATUS_DATA;
    return cli_fail(error, status, "%s", message ? message : strerror(number));
}

/* Every batch is added to *rows, then handed to `use` unless NULL, after which it may go. */
static dp2dp_status read_table(const cli_columns *columns, cli_rows *rows, cli_rows_use use,
                               void *context, dp2dp_error *error) {
    struct ArrowArrayStream stream;
    dp2dp_status status = open_table(columns, &stream, error);
    *rows = (cli_rows) {.classes = columns->classes};
    if (status == DP2DP_STATUS_OK && (status = find_type(&stream, &rows->type)) != 0) {
        (void)cli_fail(error, status, "the table does not say what its columns are: %.120s",
                       columns->path);
    }
    while (status == DP2DP_STATUS_OK) {
        struct ArrowArray batch = {.release = NULL};
        int number = stream.get_next(&stream, &batch);
        if (number != 0) {
            status = stream_failure(&stream, number, error);
            break;
        }
        if (batch.release == NULL) {
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
    if (stream.release) {
        stream.release(&stream);
    }
    return status;
}

dp2dp_status cli_scores_stream(const cli_columns *columns, cli_rows_use use, void *context,
                               dp2dp_error *error) {
    cli_rows rows;
    dp2dp_status status = read_table(columns, &rows, use, context, error);
    cli_rows_free(&rows);
    return status;
}

dp2dp_status cli_scores_load(const cli_columns *columns, cli_rows *out, dp2dp_error *error) {
    return read_table(columns, out, NULL, NULL, error);
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
        column <= columns->classes && strncmp(rest, ": ", 2) == 0) {
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
