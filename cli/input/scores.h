/* Scores and groups from a table file: its own scores, or those that a classifier gives. */
#ifndef CLI_SCORES_H
#define CLI_SCORES_H

#include "input/rows.h"

/* The columns and names that a model carries, of the table that is the second operand; parts: what
 * is wanted of raw rows beside what the decision needs. Refuses a model without columns. */
dp2dp_status cli_columns_of_model(const cli_args *args, const dp2dp_model *model, unsigned parts,
                                  cli_columns *out, dp2dp_error *error);

/* Reads the table in constant memory. Scores that are no probabilities are refused in every verb:
 * the offsets of a rule mean nothing for percentages or log-odds. Messages name file, row and
 * column, never a value. */
dp2dp_status cli_scores_stream(const cli_columns *columns, cli_rows_use use, void *context,
                               dp2dp_error *error);

/* Reads the whole table. Ownership: the caller frees the rows, even after a failure. */
dp2dp_status cli_scores_load(const cli_columns *columns, cli_rows *out, dp2dp_error *error);

/* The whole table as a pool; at least two rows. Ownership: the caller frees the pool. */
dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error);

#endif
