/* How the program reports a failure on standard error: as text, or as JSON for a program. */
#ifndef CLI_COMPLAINT_H
#define CLI_COMPLAINT_H

#include "common/faults.h"

/* Returns whether the words of the command line have the option --json. Does not parse the command
 * line, so that a command line with mistakes is refused in JSON too. */
int cli_wants_json(int argc, char **argv);

/* Prints the error as text: a sentence and, if the command line is at fault, where to find help. If
 * `faults` has several mistakes, prints each on its own line; `error` is the first of them. `verb`
 * is NULL if the verb is unknown. */
void cli_complain_text(const char *verb, const dp2dp_error *error, const cli_faults *faults);

/* Prints the error as one JSON object. Leaves out members whose value is not known. */
void cli_complain_json(const char *verb, const dp2dp_error *error, const cli_faults *faults);

#endif
