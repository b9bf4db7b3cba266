#include "input/scores.h"

#include <stdlib.h>
#include <string.h>

void cli_columns_free(cli_columns *columns) {
    dp2dp_schema_free(columns->schema);
    cli_list_free(&columns->own_weights);
    cli_list_free(&columns->own_scores);
    columns->schema = NULL;
}

const char *cli_columns_group(const cli_columns *columns) {
    if (columns->classifier == NULL) {
        return columns->group;
    }
    return columns->parts & DP2DP_PART_GROUP
               ? dp2dp_model_view(columns->classifier)->names.group_column
               : NULL;
}

static size_t score_size(const cli_rows *rows) {
    return rows->type == DP2DP_FLOAT32 ? sizeof(float) : sizeof(double);
}

static dp2dp_matrix matrix_of(const cli_rows *rows, const void *data, size_t columns) {
    return (dp2dp_matrix) {.data = data,
                           .type = rows->type,
                           .rows = rows->count,
                           .columns = columns,
                           .row_stride = (ptrdiff_t)(columns * score_size(rows)),
                           .column_stride = (ptrdiff_t)score_size(rows)};
}

dp2dp_matrix cli_rows_scores(const cli_rows *rows) {
    return matrix_of(rows, rows->scores, rows->classes);
}

dp2dp_matrix cli_rows_weights(const cli_rows *rows) {
    return matrix_of(rows, rows->weights, rows->weight_count);
}

void cli_rows_predict(const cli_rows *rows, dp2dp_matrix *weights, dp2dp_predict_options *options) {
    *weights = cli_rows_weights(rows);
    options->weights = rows->weight_count > 0 ? weights : NULL;
    options->ids = rows->ids;
}

double cli_rows_score(const cli_rows *rows, size_t i) {
    return rows->type == DP2DP_FLOAT32 ? (double)((const float *)rows->scores)[i]
                                       : ((const double *)rows->scores)[i];
}

dp2dp_column cli_rows_groups(const cli_rows *rows) {
    return (dp2dp_column) {
        .data = rows->groups, .type = DP2DP_INT32, .rows = rows->count, .stride = sizeof(int32_t)};
}

void cli_rows_free(cli_rows *rows) {
    free(rows->scores);
    free(rows->groups);
    free(rows->labels);
    free(rows->weights);
    free(rows->ids);
    free(rows->multiplicity);
    *rows = (cli_rows) {0};
}

dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error) {
    size_t need = rows->count + more;
    if (need <= rows->capacity) {
        return DP2DP_STATUS_OK;
    }
    /* At first, make room for one batch only, which is enough if each batch is used and dropped. */
    size_t capacity = rows->capacity == 0 ? need : need + need / 2;
    void *scores = reallocarray(rows->scores, capacity, rows->classes * score_size(rows));
    int32_t *groups = reallocarray(rows->groups, capacity, sizeof *groups);
    int32_t *labels = labelled ? reallocarray(rows->labels, capacity, sizeof *labels) : NULL;
    int weighted = rows->weight_count > 0, identified = rows->columns->id != NULL;
    int multiple = rows->columns->multiplicity != NULL;
    void *weights =
        weighted ? reallocarray(rows->weights, capacity, rows->weight_count * score_size(rows))
                 : NULL;
    uint64_t *ids = identified ? reallocarray(rows->ids, capacity, sizeof *ids) : NULL;
    uint64_t *multiplicity =
        multiple ? reallocarray(rows->multiplicity, capacity, sizeof *multiplicity) : NULL;
    rows->scores = scores ? scores : rows->scores;
    rows->groups = groups ? groups : rows->groups;
    rows->labels = labels ? labels : rows->labels;
    rows->weights = weights ? weights : rows->weights;
    rows->ids = ids ? ids : rows->ids;
    rows->multiplicity = multiplicity ? multiplicity : rows->multiplicity;
    CLI_TRY(cli_check_memory(scores && groups && (labels || !labelled) && (weights || !weighted) &&
                                 (ids || !identified) && (multiplicity || !multiple),
                             "the rows", error));
    rows->capacity = capacity;
    return DP2DP_STATUS_OK;
}

/* Returns whether *error says that this column is missing. *error may have only the beginning of
 * the name. */
static int is_missing(const char *column, const dp2dp_error *error) {
    size_t length = strlen(error->column);
    return error->reason == DP2DP_REASON_NO_SUCH_COLUMN && length > 0 &&
           strncmp(column, error->column, length) == 0;
}

void cli_explain_sensitive(const char *column, dp2dp_error *error) {
    if (is_missing(column, error) && strchr(column, ',') != NULL) {
        snprintf(error->message, sizeof error->message,
                 "no column is named \"%.60s\": --sensitive takes one column. For groups that "
                 "several columns define, make a column of their combinations, or use a schema "
                 "with several sensitive columns (docs/schema.md)",
                 column);
    }
}

void cli_explain_group(const char *column, dp2dp_error *error) {
    const dp2dp_error found = *error;
    if (is_missing(column, &found)) {
        snprintf(error->message, sizeof error->message,
                 "the fair rule needs each person's group: %.270s", found.message);
    }
}

dp2dp_status cli_rows_add(cli_rows *rows, size_t more, dp2dp_error *error) {
    const cli_columns *columns = rows->columns;
    rows->count += more;
    if (columns->use) {
        CLI_TRY(columns->use(columns->use_context, rows, error));
        rows->first += rows->count;
        rows->count = 0;
    }
    rows->positions = NULL;
    return DP2DP_STATUS_OK;
}

void cli_rows_copy(const cli_rows *from, size_t row, size_t to_row, cli_rows *to) {
    size_t scores = from->classes * score_size(from);
    size_t weights = from->weight_count * score_size(from);
    memmove((char *)to->scores + to_row * scores, (const char *)from->scores + row * scores,
            scores);
    if (weights > 0) {
        memmove((char *)to->weights + to_row * weights, (const char *)from->weights + row * weights,
                weights);
    }
    to->groups[to_row] = from->groups[row];
    to->labels[to_row] = from->labels[row];
}

int32_t cli_rows_best(const cli_rows *rows, size_t i) {
    size_t best = 0;
    for (size_t k = 1; k < rows->classes; k++) {
        float score = (float)cli_rows_score(rows, i * rows->classes + k);
        best = score > (float)cli_rows_score(rows, i * rows->classes + best) ? k : best;
    }
    return (int32_t)best;
}

void cli_rows_argmax(const cli_rows *rows, int32_t *out) {
    for (size_t i = 0; i < rows->count; i++) {
        out[i] = cli_rows_best(rows, i);
    }
}

/* Returns the stratum of each row: g K + y for group g and label y, where K is the number of
 * classes. A row that is left out has the stratum -1. */
static int32_t *find_strata(const cli_rows *rows) {
    int32_t *strata = calloc(rows->count, sizeof *strata);
    for (size_t i = 0; strata && i < rows->count; i++) {
        int32_t g = rows->groups[i], y = rows->labels[i];
        strata[i] = g < 0 || y < 0 ? -1 : g * (int32_t)rows->classes + y;
    }
    return strata;
}

dp2dp_status cli_rows_pool(const cli_rows *rows, const dp2dp_pool_options *options,
                           dp2dp_pool **out, dp2dp_error *error) {
    dp2dp_pool_options used = *options;
    dp2dp_matrix scores = cli_rows_scores(rows), weights = cli_rows_weights(rows);
    dp2dp_column strata = cli_rows_groups(rows);
    int by_label = used.labels > 1 && used.counted == DP2DP_COUNTED_LABELS;
    int32_t *codes = by_label ? find_strata(rows) : NULL;
    used.weights = rows->weight_count > 0 ? &weights : NULL;
    used.ids = rows->ids;
    used.multiplicity = rows->multiplicity;
    strata.data = by_label ? codes : strata.data;
    *out = NULL;
    dp2dp_status status = by_label && codes == NULL
                              ? cli_check_memory(codes, "the rows", error)
                              : dp2dp_pool_new(&scores, &strata, &used, out, error);
    free(codes);
    return status;
}
