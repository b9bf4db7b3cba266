/* Prints how many rows of each group get no decision, because the schema leaves out rows with a
 * missing value. Prints nothing if no row is left out or if the groups are not read. With
 * --bad-rows ignore, also prints nothing, because no message may depend on the rows. */
#ifndef CLI_ABSENT_H
#define CLI_ABSENT_H

#include "common/json.h"
#include "common/out.h"
#include "input/stream.h"

/* Returns the dp2dp_warning bit LEFT_OUT_DIFFERS if the schema leaves out a clearly larger share of
 * one group than of another, else 0. */
unsigned cli_absent_warnings(const dp2dp_schema *schema, const cli_watch *watch);
/* Print the numbers of left-out rows and of all rows, for every group. The text has a line for each
 * group, and `label` stands before the first line. The JSON member is "left_out_groups". */
void cli_absent_text(const dp2dp_schema *schema, const cli_watch *watch, const char *label,
                     cli_out *out);
void cli_absent_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json);

#endif
