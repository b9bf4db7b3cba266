/* Reads tables of people into rows of scores, groups and labels. The code of a group or class is
 * the position of its name in a list of names. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "args/args.h"
#include "input/stream.h"

typedef struct cli_rows cli_rows;
/* Called with every batch of rows, in the order of the table. */
typedef dp2dp_status (*cli_rows_use)(void *context, const cli_rows *rows, dp2dp_error *error);

/* Which columns to read from which table. Ownership: cli_columns_free frees the schema,
 * own_weights and own_scores; everything else is borrowed. */
typedef struct cli_columns {
    const cli_args *args; /* the command line, which has the options of table.def */
    const char *path;
    const char *const *scores; /* the name of each class's score column */
    size_t classes;
    const char
        *group; /* the name of the group column; NULL: groups are not read, all codes are 0 */
    const char *const *group_names;
    size_t groups;
    const char *label; /* the name of the label column; NULL: labels are not read */
    const char *const *class_names;
    const char *const
        *weights; /* names of the columns with group scores, the weights of a rule that does not see
                     the group; NULL: a classifier computes the weights */
    size_t weight_count;      /* number of weights of a row; 0: no weights are read */
    const char *id;           /* the name of the column with ids; NULL: ids are not read */
    const char *multiplicity; /* the name of the column that says how many records a row stands for;
                                 NULL: each row is one record */
    cli_list own_weights;     /* the column names in --group-scores, if given for a model */
    cli_list own_scores;      /* the column names in --scores, if given for a model */
    dp2dp_unknown_group unknown; /* BASE: an unknown group gets the code -1 */
    dp2dp_row_sums row_sums; /* how to treat rows that do not sum to 1, as in dp2dp_pool_options */
    unsigned grid_bits;      /* the grid that scores are rounded to, as in dp2dp_pool_options */
    int is_shard; /* 1: the table may have 0 or 1 rows, since the fit reads other tables too */
    int fitted;   /* 1: the columns come from a model; 0: from the options of fit */
    const dp2dp_model *classifier; /* computes the scores of raw rows; NULL: the table has scores */
    const dp2dp_model *group_classifier; /* computes the weights of raw rows if the classifier does
                                            not; may be NULL */
    dp2dp_schema *schema;                /* the schema of the raw rows, or NULL */
    unsigned parts;                      /* which parts of the raw rows are read: dp2dp_part bits */
    int leaves_out; /* 1: some rows may be left out, and these get the group code -1. In a table of
                       scores, only --bad-rows ignore leaves rows out */
    cli_watch *watch;  /* the watch of the table; NULL: the reader makes one */
    cli_rows_use use;  /* gets each batch, which is then dropped; NULL: all rows are kept */
    void *use_context; /* first argument of `use` */
} cli_columns;

void cli_columns_free(cli_columns *columns);

/* Returns the name of the group column; NULL if groups are not read, or if several columns define
 * the groups. Ownership: the name belongs to the model or to the command line. */
const char *cli_columns_group(const cli_columns *columns);
/* If *error says that the group column, named `column`, is missing, adds that the fair rule needs
 * the group. */
void cli_explain_group(const char *column, dp2dp_error *error);
/* If *error says that the group column `column` is missing, and `column` looks like a list of
 * names, replaces the message: it then says that --sensitive takes one column. */
void cli_explain_sensitive(const char *column, dp2dp_error *error);

/* Rows in memory: one batch of the table, or the whole table. */
struct cli_rows {
    const cli_columns *columns; /* valid only while the table is read */
    uint64_t first;             /* number of table rows before the first of these rows */
    size_t count, classes;
    size_t weight_count; /* as in `columns`, but valid even after the table was read */
    dp2dp_type type;     /* the type of the scores: FLOAT32 or FLOAT64, as in the table */
    void *scores;        /* count x classes, row-major */
    int32_t *groups;
    int32_t *labels;          /* NULL: none */
    void *weights;            /* count x weight_count, in the type of the scores; NULL: none */
    uint64_t *ids;            /* NULL: none */
    uint64_t *multiplicity;   /* NULL: each row is one record */
    const int64_t *positions; /* row numbers in the table; NULL: consecutive from `first` */
    size_t capacity;          /* rows that the arrays have room for */
};

/* Makes room for `more` rows after the present ones, with labels if `labelled`. Ownership:
 * call cli_rows_free, even after a failure. */
dp2dp_status cli_rows_make_room(cli_rows *rows, size_t more, int labelled, dp2dp_error *error);
void cli_rows_free(cli_rows *rows);
/* Returns the scores as a matrix, without a copy. */
dp2dp_matrix cli_rows_scores(const cli_rows *rows);
/* Returns the group scores as a matrix, without a copy. The rows must have group scores. */
dp2dp_matrix cli_rows_weights(const cli_rows *rows);
/* Sets options->weights and options->ids for dp2dp_model_predict; NULL if the rows have none.
 * options->weights points to *weights, which must live as long as the options are used. */
void cli_rows_predict(const cli_rows *rows, dp2dp_matrix *weights, dp2dp_predict_options *options);
/* Returns the i-th score, counted from 0, row by row. */
double cli_rows_score(const cli_rows *rows, size_t i);
/* Returns the groups as a column, without a copy. */
dp2dp_column cli_rows_groups(const cli_rows *rows);

/* Copies a row, with its scores, group, label and weights. `from` and `to` must have the same
 * columns, and `to` must have room. */
void cli_rows_copy(const cli_rows *from, size_t row, size_t to_row, cli_rows *to);
/* Returns the class of row i with the largest score; on a tie, the first such class. */
int32_t cli_rows_best(const cli_rows *rows, size_t i);
/* Writes the class with the largest score of each row i to out[i]. */
void cli_rows_argmax(const cli_rows *rows, int32_t *out);
/* Makes a pool of the rows, with their weights and ids. If options->labels is above 1 and
 * options->counted is LABELS, the rows must have labels. Ownership: the caller frees the pool. */
dp2dp_status cli_rows_pool(const cli_rows *rows, const dp2dp_pool_options *options,
                           dp2dp_pool **out, dp2dp_error *error);

/* Call this after `more` rows of a batch were written to the arrays. Adds `more` to rows->count. If
 * rows->columns->use is set, passes the rows to that function and then drops them. */
dp2dp_status cli_rows_add(cli_rows *rows, size_t more, dp2dp_error *error);

/* Opens a table that has scores: one column of probabilities per class, one column of groups and,
 * if `columns` names them, labels, group scores and ids. Sets up `rows`, to which cli_scored_take
 * adds each batch. */
dp2dp_status cli_scored_open(const cli_columns *columns, cli_rows *rows,
                             struct ArrowArrayStream *out, dp2dp_error *error);
/* Checks a batch and adds its rows to the cli_rows `rows`. */
dp2dp_status cli_scored_take(void *rows, const struct ArrowArray *batch, dp2dp_error *error);
/* Returns the column of ids in a batch of cli_scored_open. The columns must have ids. */
struct ArrowArray *cli_scored_ids(const cli_columns *columns, const struct ArrowArray *batch);

/* Finds the columns that a model's classifier reads from raw rows. `parts` (dp2dp_part bits) says
 * what to read besides the features. If `parts` has LEFT_OUT, also reads rows that the schema
 * leaves out. Fails with ARGUMENT if the model has no classifier for the label, or if `parts` has
 * GROUP and the model's schema has no groups. Ownership: call cli_columns_free, even after a
 * failure. */
dp2dp_status cli_raw_columns(const cli_args *args, const dp2dp_model *model, const char *path,
                             unsigned parts, cli_columns *out, dp2dp_error *error);
/* Opens a table of raw rows. The model's schema encodes the rows, and the model's classifier scores
 * them. Sets up `rows`, to which cli_raw_take adds each batch. */
dp2dp_status cli_raw_open(const cli_columns *columns, cli_rows *rows, struct ArrowArrayStream *out,
                          dp2dp_error *error);
dp2dp_status cli_raw_take(void *rows, const struct ArrowArray *batch, dp2dp_error *error);

/* Computes the scores of the rows in `encoded` with columns->classifier, and sets up `rows` with
 * these scores. `encoded` must have the columns of columns->parts; this function releases that
 * stream. Ownership: the caller frees `rows`, even after a failure. */
dp2dp_status cli_raw_score(const cli_columns *columns, struct ArrowArrayStream *encoded,
                           cli_rows *rows, dp2dp_error *error);

/* Finds the columns to read from a table: the options of columns.def name them, or the model stores
 * them. `parts` (dp2dp_part bits) says what to read besides what a decision needs. Does not set the
 * label column of a table of scores. Fails if neither the options nor the model name the columns.
 * Ownership: call cli_columns_free, even after a failure. */
dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, const char *path,
                                  unsigned parts, cli_columns *out, dp2dp_error *error);
/* Refuses a label column that the model uses as the group or as a score, and refuses --label for a
 * table of raw rows. */
dp2dp_status cli_columns_check_label(const cli_columns *columns, dp2dp_error *error);
/* Finds the columns like cli_columns_of_model, with groups and labels. In a table of scores,
 * --label names the column with the labels; without --label, labels are not read. */
dp2dp_status cli_columns_of_test(const cli_args *args, const dp2dp_model *model, const char *path,
                                 cli_columns *out, dp2dp_error *error);

/* In the error of a table of scores, changes the reason LOOKS_MISSING to VALUE_MISSING. The advice
 * for LOOKS_MISSING is about schemas, and a table of scores has no schema. */
void cli_scores_explain(const cli_columns *columns, dp2dp_error *error);

/* Opens the table that `columns` describes, with cli_scored_open or cli_raw_open, and sets *take to
 * the function that adds a batch to the rows. `columns` must have a watch. */
dp2dp_status cli_scores_open(const cli_columns *columns, cli_rows *rows,
                             struct ArrowArrayStream *out, cli_batch_use *take, dp2dp_error *error);

/* Reads the table, in constant memory if columns->use is set. Refuses scores that are not
 * probabilities, since the rule's offsets have no meaning for percentages or log-odds. Messages
 * name file, row and column, never a value. Ownership: the caller frees the rows, even after a
 * failure. */
dp2dp_status cli_scores_read(const cli_columns *columns, cli_rows *out, dp2dp_error *error);

/* Reads the table into a pool in one pass, with the group scores and ids of the columns. Fails with
 * DATA if the table has fewer than two rows. There are two exceptions: columns->is_shard is 1, or
 * the only row has a multiplicity. If options->labels is above 1 and options->counted is LABELS,
 * the columns must have labels. Ownership: the caller frees the pool. */
dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error);

#endif
