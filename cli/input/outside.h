/* Says which columns of a table are probably not what the schema means. A caution: most values are
 * outside the bounds or the list, or the bounds are much wider than the values, so the classifier
 * learns next to nothing from the column. A note: all values of a sensitive column or of the label
 * are one group or class, or a feature has one value. Also a note: one value in a hundred is
 * outside (on stderr: one in ten), so the column may be in another unit in part. */
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

enum {
    CLI_OUTSIDE_SIZE = 2048
};
/* Writes the caution about column *at, or about the first later column that has one, and sets *at
 * to the column after it. Returns 0 if there is no more caution. */
int cli_outside_next(const dp2dp_schema *schema, const cli_watch *watch, size_t *at,
                     char text[CLI_OUTSIDE_SIZE]);

/* Print a caution or a note for each such column, and nothing if there is none. The JSON member
 * "outside" has the cautions and the columns with one group or class, "outside_counts" all columns
 * with values outside. */
void cli_outside_text(const dp2dp_schema *schema, const cli_watch *watch, cli_out *out);
void cli_outside_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json);
/* Prints these to stderr, but notes of values outside only from one value in ten on: for commands
 * whose answer is private, or whose stdout has other content. A caution reveals something about the
 * data. Its reader has the data anyway, but it must not be part of a release. */
void cli_outside_tell(const dp2dp_schema *schema, const cli_watch *watch);

#endif
