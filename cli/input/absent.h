/* Says how many rows of each group the schema leaves out, because a value is missing: nothing is
 * decided for them. Says nothing if no row is left out, if the groups are not read, or if bad rows
 * are ignored: then no message may depend on the rows. */
#ifndef CLI_ABSENT_H
#define CLI_ABSENT_H

#include "common/json.h"
#include "common/out.h"
#include "input/stream.h"

/* Returns LEFT_OUT_DIFFERS as a dp2dp_warning bit, or 0. */
unsigned cli_absent_warnings(const dp2dp_schema *schema, const cli_watch *watch);
/* Print the numbers of every group in the table. The text is a row with a label; the JSON member is
 * "left_out_groups". */
void cli_absent_text(const dp2dp_schema *schema, const cli_watch *watch, const char *label,
                     cli_out *out);
void cli_absent_json(const dp2dp_schema *schema, const cli_watch *watch, cli_json *json);

#endif
