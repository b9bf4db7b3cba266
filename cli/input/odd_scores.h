/* Warns of odd scores in a table: row sums that differ although rows are normalized, scores that
 * are all 0 or 1, or scores that are the same in every row. The columns are then probably not the
 * probabilities of all classes. Also warns of group scores that are all 0 or 1, which are the
 * groups themselves. Scores that a model's own classifier computes are not checked. */
#ifndef CLI_ODD_SCORES_H
#define CLI_ODD_SCORES_H

#include "common/json.h"
#include "common/out.h"
#include "input/scores.h"

/* Notes the scores of `count` rows, which sum to `sums`, in the watch of the columns. Does nothing
 * if bad rows are left out: then no message may depend on the rows. */
void cli_odd_scores_note(const cli_columns *columns, const double *sums, const void *scores,
                         dp2dp_type type, size_t count);
/* Notes the group scores of `count` rows, under the same conditions. */
void cli_odd_scores_note_weights(const cli_columns *columns, const void *weights, dp2dp_type type,
                                 size_t count);

/* Notes which class has the largest score in each of the `count` rows after rows->count, and
 * compares it with their labels, if they have any. Does nothing if bad rows are ignored, and skips
 * rows that the schema leaves out. */
void cli_guesses_note(const cli_rows *rows, size_t count);
/* Returns the warnings of dp2dp_warn_of_labels and dp2dp_warn_of_classes about all rows that were
 * noted. */
unsigned cli_guesses_warnings(const cli_columns *columns);

/* Returns whether the group scores of the table are the groups themselves: then a rule that takes
 * them in place of the group sees the group. */
int cli_odd_scores_are_groups(const cli_columns *columns);

/* Print a caution for each oddity that the watch of the columns has seen, and nothing if there is
 * none. The JSON members are "row_sums", "scores_are_decisions", "scores_are_equal" and
 * "group_scores_are_groups". cli_odd_scores_tell prints to stderr, for commands whose stdout has
 * other content or whose answer is private. */
void cli_odd_scores_text(const cli_columns *columns, cli_out *out);
void cli_odd_scores_json(const cli_columns *columns, cli_json *json);
void cli_odd_scores_tell(const cli_columns *columns);

#endif
