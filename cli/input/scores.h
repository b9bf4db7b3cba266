/* Rows of a table of people, with their scores and groups: what to read, and rows in memory. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "args/args.h"
#include "input/stream.h"

/* Which columns of a table of people to read, and its rows in memory, with names turned into codes.
 */

typedef struct cli_rows cli_rows;
/* Called with every batch of rows, in the order of the table. */
typedef dp2dp_status (*cli_rows_use)(void *context, const cli_rows *rows, dp2dp_error *error);

/* What to read. Ownership: everything but the schema is borrowed; cli_columns_free. */
typedef struct cli_columns {
    const cli_args *args; /* these hold the options of table.def */
    const char *path;
    const char *const *scores; /* one column for each class */
    size_t classes;
    const char *group; /* the column of the groups */
    const char *const *group_names;
    size_t groups;
    const char *label; /* the column of the labels; NULL: none */
    const char *const *class_names;
    dp2dp_unknown_group unknown; /* BASE: an unknown group gets the code -1 */
    dp2dp_row_sums row_sums;     /* what a row of scores must satisfy, as in a pool */
    int fitted;                  /* these columns come from a model; 0: from the options of a fit */
    const dp2dp_model *classifier; /* computes the scores of raw rows; NULL: the table has them */
    dp2dp_schema *schema;          /* of the raw rows; else NULL */
    unsigned parts;                /* which parts of the raw rows are read: dp2dp_part bits */
    cli_watch *watch;              /* of the table */
    cli_rows_use use;              /* takes each batch, which then goes; NULL: all are kept */
    void *use_context;
} cli_columns;

void cli_columns_free(cli_columns *columns);

/* If the group column is missing: says why a decision needs it. */
void cli_explain_group(const char *column, dp2dp_error *error);

/* Some rows of the table, or all of them. */
struct cli_rows {
    uint64_t first; /* how many rows came before */
    size_t count, classes;
    dp2dp_type type; /* of the scores: FLOAT32 or FLOAT64, as in the table */
    void *scores;    /* count x classes, row-major */
    int32_t *groups;
    int32_t *labels; /* NULL: none */
    const int64_t
        *positions; /* in the table or, for raw rows, in a stream; NULL: consecutive from `first` */
    size_t capacity;
};

/* Room for more rows. Ownership: cli_rows_free, even after a failure. */
dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error);
void cli_rows_free(cli_rows *rows);
dp2dp_matrix cli_rows_scores(const cli_rows *rows);
/* The i-th score, row by row. */
double cli_rows_score(const cli_rows *rows, size_t i);
dp2dp_column cli_rows_groups(const cli_rows *rows);

/* DATA: what is wrong with a row (from 0), in the form of the table reader's messages, but with a
 * row in place of a line. The advice, if any, comes last. */
dp2dp_status cli_rows_fail(const cli_columns *columns, dp2dp_reason reason, const char *column,
                           uint64_t row, const char *what, const char *advice, dp2dp_error *error);

/* Adds a batch of a table to *rows. */
typedef dp2dp_status (*cli_rows_take)(const cli_columns *columns, const struct ArrowArray *batch,
                                      cli_rows *rows, dp2dp_error *error);
/* Reads every batch of a stream, which it releases, and passes the rows to `use` unless NULL; `use`
 * may then drop them. */
dp2dp_status cli_rows_read(const cli_columns *columns, struct ArrowArrayStream *stream,
                           cli_rows_take take, cli_rows *rows, dp2dp_error *error);

/* Rows that carry their scores: columns of probabilities, one of groups, maybe one of labels. */

dp2dp_status cli_scored_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error);

/* Raw rows: read through the schema of a model and scored by its classifier. */

/* The columns of a table that the classifier of a model reads; parts: dp2dp_part bits beside the
 * features. Groups and classes come from its schema. ARGUMENT if the model has no classifier, or
 * groups are wanted and the schema has none. Ownership: cli_columns_free, even after a failure. */
dp2dp_status cli_raw_columns(const cli_args *args, const dp2dp_model *model, const char *path,
                             unsigned parts, cli_columns *out, dp2dp_error *error);

dp2dp_status cli_raw_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error);

/* The columns and names that a model stores, for the table in the second operand; parts: what to
 * read of raw rows beyond what the decision needs. Refuses a model without columns. */
dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, unsigned parts,
                                  cli_columns *out, dp2dp_error *error);

/* Reads the table, in constant memory if the columns have a `use`. Scores that are not
 * probabilities are refused by every verb: offsets are meaningless for percentages or log-odds.
 * Messages name file, row and column, never a value. Ownership: the caller frees the rows, even
 * after a failure. */
dp2dp_status cli_scores_read(const cli_columns *columns, cli_rows *out, dp2dp_error *error);

/* The whole table as a pool; at least two rows. Ownership: the caller frees the pool. */
dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error);

#endif
