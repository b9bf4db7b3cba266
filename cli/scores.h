/* Scores and groups from a table file, with names turned into codes. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include <stdint.h>

#include "args.h"

/* What to read. Ownership: everything is borrowed. */
typedef struct cli_columns {
    const char *path;
    const char *const *scores; /* one column for each class */
    size_t classes;
    const char *group; /* the column of the groups */
    const char *const *group_names;
    size_t groups;
    const char *label; /* the column of the labels; NULL: none */
    const char *const *class_names;
    dp2dp_unknown_event unknown; /* BASE: a group that has no name gets the code -1 */
    dp2dp_row_sums row_sums;     /* what is asked of a row of scores, as in a pool */
    int fitted;                  /* a model asks for these columns; 0: the options of a fit do */
} cli_columns;

/* The columns and names that a model carries. Refuses a model without them. */
dp2dp_status cli_columns_of_model(const dp2dp_model *model, const char *path, cli_columns *out,
                                  dp2dp_error *error);

/* Some rows of the table, or all of them. */
typedef struct cli_rows {
    uint64_t first; /* position of row 0 in the whole table */
    size_t count, classes;
    dp2dp_type type; /* of the scores: FLOAT32 or FLOAT64, as in the table */
    void *scores;    /* count x classes, row-major */
    int32_t *groups;
    int32_t *labels; /* NULL: none */
    size_t capacity;
} cli_rows;

dp2dp_matrix cli_rows_scores(const cli_rows *rows);
dp2dp_column cli_rows_groups(const cli_rows *rows);

/* Called with every batch of rows, in the order of the table. */
typedef dp2dp_status (*cli_rows_use)(void *context, const cli_rows *rows, dp2dp_error *error);

/* Reads the table in constant memory. Scores that are no probabilities are refused in every verb:
 * the offsets of a rule mean nothing for percentages or log-odds. Messages name file, row and
 * column, never a value. */
dp2dp_status cli_scores_stream(const cli_columns *columns, cli_rows_use use, void *context,
                               dp2dp_error *error);

/* Reads the whole table. Ownership: the caller frees the rows, even after a failure. */
dp2dp_status cli_scores_load(const cli_columns *columns, cli_rows *out, dp2dp_error *error);
void cli_rows_free(cli_rows *rows);

/* The whole table as a pool; at least two rows. Ownership: the caller frees the pool. */
dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error);

#endif
