/* Says what is odd about the scores of a table: sums that differ widely where rows are normalized,
 * and scores that are all 0 or 1. Then the columns are probably not the probabilities of all
 * classes. A model with a classifier makes its own scores, about which nothing is said. */
#ifndef CLI_ODD_SCORES_H
#define CLI_ODD_SCORES_H

#include "common/json.h"
#include "common/out.h"
#include "input/scores.h"

/* Notes the scores of `count` rows, which sum to `sums`, in the watch of the columns. Does nothing
 * if bad rows are left out: then nothing that is said may depend on the rows. */
void cli_odd_scores_note(const cli_columns *columns, const double *sums, const void *scores,
                         dp2dp_type type, size_t count);

/* Print a caution for each oddity that the watch of the columns has seen, and nothing if there is
 * none. The JSON members are "row_sums" and "scores_are_decisions". cli_odd_scores_tell prints to
 * stderr, where stdout has other content or the answer is private, as cli_outside_tell does. */
void cli_odd_scores_text(const cli_columns *columns, cli_out *out);
void cli_odd_scores_json(const cli_columns *columns, cli_json *json);
void cli_odd_scores_tell(const cli_columns *columns);

#endif
