/* Help, manual pages and shell completions, all from the tables in verbs.h. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "args/verbs.h"

/* verb NULL: the program as a whole. */
void cli_help_print(const cli_verb *verb, FILE *stream);
void cli_man_print(const cli_verb *verb, FILE *stream);
/* For bash or zsh; 0: no such shell. */
int cli_completion_print(const char *shell, FILE *stream);

enum {
    CLI_NOTES_SIZE = 256
};
/* What help adds after an option's text, from its table: range, default and the mechanisms it goes
 * with, each as a sentence; empty if there is nothing to add. */
void cli_option_notes(const cli_verb *verb, const cli_option *option, char notes[CLI_NOTES_SIZE]);

#endif
