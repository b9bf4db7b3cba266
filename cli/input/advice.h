/* What to do about a fault in a table. All that is known of a fault is the sentence of the library:
 * here, and nowhere else, sentences are read. */
#ifndef CLI_ADVICE_H
#define CLI_ADVICE_H

#include "args/args.h"

enum {
    CLI_ADVICE_SIZE = 2 * DP2DP_ERROR_MESSAGE_SIZE
};

/* Adds to a message of DATA what to do, where that is known, and that a row is not a line. */
void cli_advise(const cli_args *args, dp2dp_error *error);

/* Is it that a column is not there? */
int cli_advice_lacks_column(const dp2dp_error *error);
/* Then: what may be the matter with the table. Names that may be values are kept back. */
void cli_advise_table(const char *path, const dp2dp_table_options *options, dp2dp_error *error);
/* Then: why the column is needed, if it is this one. */
void cli_advise_column(const char *column, const char *why, dp2dp_error *error);

/* The message, with the levels of its column, which are public, if it is about a level. Ownership:
 * borrowed from message or text. */
const char *cli_advise_levels(const dp2dp_schema_info *schema, const char *message,
                              char text[CLI_ADVICE_SIZE]);

/* The reason, the row and the score column, both from 1, of a message about a score; NULL: of
 * another. */
const char *cli_advice_score(const dp2dp_error *error, uint64_t *row, uint64_t *column);

#endif
