/* Warns of odd scores in a table: row sums that differ widely although rows are normalized, or
 * scores that are all 0 or 1. The columns are then probably not the probabilities of all classes.
 * Scores that a model's own classifier computes are not checked. */
#ifndef CLI_ODD_SCORES_H
#define CLI_ODD_SCORES_H

#include "common/json.h"
#include "common/out.h"
#include "input/scores.h"

/* Notes the scores of `count` rows, which sum to `sums`, in the watch of the columns. Does nothing
 * if bad rows are left out: then no message may depend on the rows. */
void cli_odd_scores_note(const cli_columns *columns, const double *sums, const void *scores,
                         dp2dp_type type, size_t count);

/* Print a caution for each oddity that the watch of the columns has seen, and nothing if there is
 * none. The JSON members are "row_sums" and "scores_are_decisions". cli_odd_scores_tell prints to
 * stderr, for commands whose stdout has other content or whose answer is private. */
void cli_odd_scores_text(const cli_columns *columns, cli_out *out);
void cli_odd_scores_json(const cli_columns *columns, cli_json *json);
void cli_odd_scores_tell(const cli_columns *columns);

#endif
