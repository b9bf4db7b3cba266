#include "input/scores.h"

#include <stdlib.h>
#include <string.h>

void cli_columns_free(cli_columns *columns) {
    dp2dp_schema_free(columns->schema);
    cli_list_free(&columns->own_weights);
    columns->schema = NULL;
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
    void *weights =
        weighted ? reallocarray(rows->weights, capacity, rows->weight_count * score_size(rows))
                 : NULL;
    uint64_t *ids = identified ? reallocarray(rows->ids, capacity, sizeof *ids) : NULL;
    rows->scores = scores ? scores : rows->scores;
    rows->groups = groups ? groups : rows->groups;
    rows->labels = labels ? labels : rows->labels;
    rows->weights = weights ? weights : rows->weights;
    rows->ids = ids ? ids : rows->ids;
    CLI_TRY(cli_check_memory(scores && groups && (labels || !labelled) && (weights || !weighted) &&
                                 (ids || !identified),
                             "the rows", error));
    rows->capacity = capacity;
    return DP2DP_STATUS_OK;
}

void cli_explain_group(const char *column, dp2dp_error *error) {
    const dp2dp_error found = *error;
    size_t length = strlen(found.column);
    if (found.reason == DP2DP_REASON_NO_SUCH_COLUMN && length > 0 &&
        strncmp(column, found.column, length) == 0) {
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
