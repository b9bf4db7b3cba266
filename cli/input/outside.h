/* Says which columns of a table have mostly values outside the schema's bounds or lists. Such a
 * column probably has another unit or spelling than the schema, and the classifier learns next to
 * nothing from it. */
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

/* Print a caution for each such column, and nothing if there is none. The JSON member is "outside".
 * cli_outside_tell prints to stderr, for commands whose stdout has other content or whose answer is
 * private. The caution reveals something about the data. Its reader has the data anyway, but it
 * must not be part of a release. */
void cli_outside_text(const dp2dp_schema *schema, const cli_watch *watch, cli_out *out);
void cli_outside_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json);
void cli_outside_tell(const dp2dp_schema *schema, const cli_watch *watch);

#endif
