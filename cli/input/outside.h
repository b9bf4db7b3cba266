/* Prints cautions and notes about columns of a table that are probably not what the schema
 * describes. The enum `notice` in outside.c lists what may be wrong with a column. */
#ifndef CLI_OUTSIDE_H
#define CLI_OUTSIDE_H

#include "common/json.h"
#include "common/out.h"
#include "input/stream.h"

/* Prepares a watch. cli_encoded_open counts in this watch the values that are outside the bounds or
 * the list of their column. Does nothing if the schema is NULL, as for a table of scores.
 * Ownership: call cli_outside_free, even after a failure. */
dp2dp_status cli_outside_count(const dp2dp_schema *schema, cli_watch *watch, dp2dp_error *error);
/* Returns whether a model has a rule that must not see the group. */
static inline int cli_model_hides_group(const dp2dp_model *model) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    return info->strata > 0 && info->rule == DP2DP_RULE_WEIGHTED;
}
void cli_outside_free(cli_watch *watch);

enum {
    CLI_OUTSIDE_SIZE = 2048
};
/* Finds the first column, from position *at on, that gets a caution. Writes the caution, sets *at
 * to the next position, and returns 1. Returns 0 if no such column is left. */
int cli_outside_next(const dp2dp_schema *schema, const cli_watch *watch, size_t *at,
                     char text[CLI_OUTSIDE_SIZE]);

/* Print the cautions and notes about columns. The JSON member "outside" has the columns with a
 * caution, and the columns in which all people have the same value, group or class. The member
 * "outside_counts" has the columns with values outside their bounds or list. */
void cli_outside_text(const dp2dp_schema *schema, const cli_watch *watch, cli_out *out);
void cli_outside_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json);
/* Prints the cautions and notes to stderr, for commands whose answer is private, or whose stdout
 * has other content. Leaves out the note about values outside the bounds or the list of a column if
 * fewer than one value in ten is outside. The cautions reveal something about the data, so they
 * must not be part of a release. */
void cli_outside_tell(const dp2dp_schema *schema, const cli_watch *watch);

#endif
