/* Warns of scores in a table that are probably not the probabilities of all classes, for example
 * because all are 0 or 1. Also warns of group scores that are all 0 or 1, of ids that many rows
 * share, and of a table in which everybody is in the same group. Scores that a model's own
 * classifier computes are not checked. */
#ifndef CLI_ODD_SCORES_H
#define CLI_ODD_SCORES_H

#include "common/json.h"
#include "common/out.h"
#include "input/scores.h"

/* Notes the scores of `count` rows, and the sum of each row, in columns->watch. If bad rows are
 * left out, does nothing, because no message may depend on the rows. */
void cli_odd_scores_note(const cli_columns *columns, const double *sums, const void *scores,
                         dp2dp_type type, size_t count);
/* Notes the group scores of `count` rows, unless bad rows are left out. */
void cli_odd_scores_note_weights(const cli_columns *columns, const void *weights, dp2dp_type type,
                                 size_t count);

/* Notes the group codes of `count` rows of a table of scores, unless bad rows are left out. */
void cli_odd_scores_note_groups(const cli_columns *columns, const int32_t *groups, size_t count);

/* Notes the ids of `count` rows, unless bad rows are left out. */
void cli_odd_scores_note_ids(const cli_columns *columns, const uint64_t *ids, size_t count);

/* Returns whether all group scores of the table are 0 or 1. Such scores are probably the groups
 * themselves, so a rule that uses them sees the group. */
int cli_odd_scores_are_groups(const cli_columns *columns);

/* Print a caution or a note for each oddity that was noted in columns->watch. The JSON members are
 * "row_sums", "scores_are_decisions", "scores_are_equal", "group_scores_are_groups",
 * "ids_are_few" and "one_group". cli_odd_scores_tell prints to stderr, for commands whose stdout
 * has other content or whose answer is private. */
void cli_odd_scores_text(const cli_columns *columns, cli_out *out);
void cli_odd_scores_json(const cli_columns *columns, cli_json *json);
void cli_odd_scores_tell(const cli_columns *columns);

#endif
