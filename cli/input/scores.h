/* Tables of people: which columns to read, and rows in memory as scores, groups and labels. Group
 * and class names become codes: their positions in a list of names. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "args/args.h"
#include "input/stream.h"

typedef struct cli_rows cli_rows;
/* Called with every batch of rows, in the order of the table. */
typedef dp2dp_status (*cli_rows_use)(void *context, const cli_rows *rows, dp2dp_error *error);

/* What to read. Ownership: everything but the schema is borrowed; cli_columns_free. */
typedef struct cli_columns {
    const cli_args *args; /* has the options of table.def */
    const char *path;
    const char *const *scores; /* the column of each class */
    size_t classes;
    const char *group; /* the column of the groups */
    const char *const *group_names;
    size_t groups;
    const char *label; /* the column of the labels; NULL: labels are not read */
    const char *const *class_names;
    dp2dp_unknown_group unknown; /* BASE: an unknown group gets the code -1 */
    dp2dp_row_sums row_sums;     /* what the scores of a row must sum to, as in a pool */
    int fitted;                  /* these columns come from a model; 0: from the options of a fit */
    const dp2dp_model *classifier; /* computes the scores of raw rows; NULL: the table has scores */
    dp2dp_schema *schema;          /* of the raw rows; else NULL */
    unsigned parts;                /* which parts of the raw rows are read: dp2dp_part bits */
    cli_watch *watch;              /* of the table; NULL: the reader makes its own */
    cli_rows_use use;  /* gets each batch, which is then dropped; NULL: all rows are kept */
    void *use_context; /* first argument of `use` */
} cli_columns;

void cli_columns_free(cli_columns *columns);

/* If *error says that this column, the group, is missing: adds why a decision needs the group. */
void cli_explain_group(const char *column, dp2dp_error *error);

/* Some rows of the table, or all of them. */
struct cli_rows {
    const cli_columns *columns; /* valid only while the table is read */
    uint64_t first;             /* how many rows of the table came before these */
    size_t count, classes;
    dp2dp_type type; /* of the scores: FLOAT32 or FLOAT64, as in the table */
    void *scores;    /* count x classes, row-major */
    int32_t *groups;
    int32_t *labels;          /* NULL: none */
    const int64_t *positions; /* row numbers in the table; NULL: consecutive from `first` */
    size_t capacity;          /* rows that the arrays have room for */
};

/* Makes room for `more` rows. Ownership: cli_rows_free, even after a failure. */
dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error);
void cli_rows_free(cli_rows *rows);
dp2dp_matrix cli_rows_scores(const cli_rows *rows);
/* The i-th score, counted row by row. */
double cli_rows_score(const cli_rows *rows, size_t i);
dp2dp_column cli_rows_groups(const cli_rows *rows);

/* Counts the rows that a batch has just added to the arrays, and passes them to the columns' `use`
 * unless NULL. */
dp2dp_status cli_rows_add(cli_rows *rows, size_t more, dp2dp_error *error);

/* Reads rows that have scores: columns of probabilities, one of groups, maybe one of labels. */
dp2dp_status cli_scored_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error);

/* The columns that a model's classifier reads from raw rows; parts: dp2dp_part bits to read besides
 * the features. Groups and classes come from the model's schema. ARGUMENT if the model has no
 * classifier, or if groups are wanted and the schema has none. Ownership: cli_columns_free, even
 * after a failure. */
dp2dp_status cli_raw_columns(const cli_args *args, const dp2dp_model *model, const char *path,
                             unsigned parts, cli_columns *out, dp2dp_error *error);
/* Reads raw rows through the schema of a model, and scores them with its classifier. */
dp2dp_status cli_raw_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error);

/* The columns and names that a model stores, for the table in the second operand; parts: dp2dp_part
 * bits of raw rows to read besides those that a decision needs. Refuses a model without columns. */
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
