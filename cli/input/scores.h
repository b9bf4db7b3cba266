/* Rows of a table of people, with their scores and groups: what to read, and rows in memory. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "args/args.h"
#include "input/stream.h"

/* What is read of a table of people, and rows of it in memory, with names turned into codes. */

typedef struct cli_rows cli_rows;
/* Called with every batch of rows, in the order of the table. */
typedef dp2dp_status (*cli_rows_use)(void *context, const cli_rows *rows, dp2dp_error *error);

/* What to read. Ownership: everything but the schema is borrowed; cli_columns_free. */
typedef struct cli_columns {
    const cli_args *args; /* have the options of table.def */
    const char *path;
    const char *const *scores; /* one column for each class */
    size_t classes;
    const char *group; /* the column of the groups */
    const char *const *group_names;
    size_t groups;
    const char *label; /* the column of the labels; NULL: none */
    const char *const *class_names;
    dp2dp_unknown_group unknown;   /* BASE: a group that has no name gets the code -1 */
    dp2dp_row_sums row_sums;       /* what is asked of a row of scores, as in a pool */
    int fitted;                    /* a model asks for these columns; 0: the options of a fit do */
    const dp2dp_model *classifier; /* gives the scores of raw rows; NULL: the table has them */
    dp2dp_schema *schema;          /* of the raw rows; else NULL */
    unsigned parts;                /* of the raw rows that are read: dp2dp_part bits */
    cli_watch *watch;              /* of the table */
    cli_rows_use use;              /* takes each batch, which then goes; NULL: all are kept */
    void *use_context;
} cli_columns;

void cli_columns_free(cli_columns *columns);

/* If it is the column of the groups that is missing: why a decision needs it. */
void cli_explain_group(const char *column, dp2dp_error *error);

/* Some rows of the table, or all of them. */
struct cli_rows {
    uint64_t first; /* how many rows came before */
    size_t count, classes;
    dp2dp_type type; /* of the scores: FLOAT32 or FLOAT64, as in the table */
    void *scores;    /* count x classes, row-major */
    int32_t *groups;
    int32_t *labels;          /* NULL: none */
    const int64_t *positions; /* in the table, of raw rows in a stream; NULL: from `first` on */
    size_t capacity;
};

/* Room for more rows. Ownership: cli_rows_free, even after a failure. */
dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error);
void cli_rows_free(cli_rows *rows);
dp2dp_matrix cli_rows_scores(const cli_rows *rows);
/* The i-th score, row by row. */
double cli_rows_score(const cli_rows *rows, size_t i);
dp2dp_column cli_rows_groups(const cli_rows *rows);

/* DATA: what is wrong with a row, from 0, in the form of the table reader's own messages, which
 * know lines where here rows are known. The advice, if any, comes last. */
dp2dp_status cli_rows_fail(const cli_columns *columns, dp2dp_reason reason, const char *column,
                           uint64_t row, const char *what, const char *advice, dp2dp_error *error);

/* Adds a batch of a table to *rows. */
typedef dp2dp_status (*cli_rows_take)(const cli_columns *columns, const struct ArrowArray *batch,
                                      cli_rows *rows, dp2dp_error *error);
/* Takes every batch of a stream, which it releases. */
dp2dp_status cli_rows_read(const cli_columns *columns, struct ArrowArrayStream *stream,
                           cli_rows_take take, cli_rows *rows, dp2dp_error *error);

/* Rows that carry their scores: columns of probabilities, one of groups, maybe one of labels. */

dp2dp_status cli_scored_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error);

/* Raw rows: read through the schema of a model and scored by its classifier. */

/* The columns of a table that the classifier of a model reads; parts: dp2dp_part bits beside the
 * features. Groups and classes are those of its schema. ARGUMENT for a model without a classifier,
 * and for groups of a schema that has none. Ownership: cli_columns_free, even after a failure. */
dp2dp_status cli_raw_columns(const cli_args *args, const dp2dp_model *model, const char *path,
                             unsigned parts, cli_columns *out, dp2dp_error *error);

dp2dp_status cli_raw_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error);

/* The columns and names that a model carries, of the table that is the second operand; parts: what
 * is wanted of raw rows beside what the decision needs. Refuses a model without columns. */
dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, unsigned parts,
                                  cli_columns *out, dp2dp_error *error);

/* Reads the table, in constant memory if the columns have a `use`. Scores that are no probabilities
 * are refused in every verb: the offsets of a rule mean nothing for percentages or log-odds.
 * Messages name file, row and column, never a value. Ownership: the caller frees the rows, even
 * after a failure. */
dp2dp_status cli_scores_read(const cli_columns *columns, cli_rows *out, dp2dp_error *error);

/* The whole table as a pool; at least two rows. Ownership: the caller frees the pool. */
dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error);

#endif
