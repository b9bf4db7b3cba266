/* Says which columns of a table have values outside the schema's bounds or lists. A column that has
 * mostly such values probably has another unit or spelling than the schema, and the classifier
 * learns next to nothing from it: this is a caution. A column where it is one value in a hundred
 * may be in another unit in part: this is a note, which only commands that are not private make. */
#ifndef CLI_OUTSIDE_H
#define CLI_OUTSIDE_H

#include "common/json.h"
#include "common/out.h"
#include "input/stream.h"

/* Prepares a watch. cli_encoded_open then counts in it the values that are outside their bounds or
 * lists. Does nothing if the schema is NULL, as for a table of scores. Ownership: cli_outside_free,
 * even after a failure. */
dp2dp_status cli_outside_count(const dp2dp_schema *schema, cli_watch *watch, dp2dp_error *error);
void cli_outside_free(cli_watch *watch);

/* Print a caution or a note for each such column, and nothing if there is none. The JSON member
 * "outside" has the cautions, "outside_counts" all columns. */
void cli_outside_text(const dp2dp_schema *schema, const cli_watch *watch, cli_out *out);
void cli_outside_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json);
/* Prints the cautions, but no notes, to stderr, for commands whose answer is private. A caution
 * reveals something about the data. Its reader has the data anyway, but it must not be part of a
 * release. */
void cli_outside_tell(const dp2dp_schema *schema, const cli_watch *watch);
/* Prints cautions, and notes from one value in ten on, to stderr, for commands that are not private
 * and whose stdout has other content. */
void cli_outside_tell_some(const dp2dp_schema *schema, const cli_watch *watch);

#endif
