#include "input/scores.h"

#include <stdlib.h>
#include <string.h>

void cli_columns_free(cli_columns *columns) {
    dp2dp_schema_free(columns->schema);
    columns->schema = NULL;
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
    *rows = (cli_rows) {0};
}

dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error) {
    size_t need = rows->count + more;
    if (need <= rows->capacity) {
        return DP2DP_STATUS_OK;
    }
    /* At first, make room for one batch only: if each batch is used and dropped, that is enough. */
    size_t capacity = rows->capacity == 0 ? need : need + need / 2;
    void *scores = reallocarray(rows->scores, capacity, rows->classes * score_size(rows));
    int32_t *groups = reallocarray(rows->groups, capacity, sizeof *groups);
    int32_t *labels = labelled ? reallocarray(rows->labels, capacity, sizeof *labels) : NULL;
    rows->scores = scores ? scores : rows->scores;
    rows->groups = groups ? groups : rows->groups;
    rows->labels = labels ? labels : rows->labels;
    CLI_TRY(cli_check_memory(scores && groups && (labels || !labelled), "the rows", error));
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
