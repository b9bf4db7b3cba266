/* What a file looks like from its first bytes, to say what it is not before a parser quotes it. */
#ifndef CLI_KIND_H
#define CLI_KIND_H

#include "verbs.h"

/* Does the file begin like a model? Only for choosing the reader, which then checks all of it. */
int cli_kind_is_model(const char *path);

/* Refuses a file that is no JSON object, before the JSON parser would print a piece of it, which
 * may be a table of people. `what` is "model" or "ledger". A file that cannot be read passes: its
 * reader says why. */
dp2dp_status cli_kind_check(const char *path, const char *what, const char *advice,
                            dp2dp_error *error);

/* The model of the operand MODEL. Ownership: the caller frees it. */
dp2dp_status cli_kind_model(const char *path, dp2dp_model **out, dp2dp_error *error);

/* Why a table may lack a column, from its first line after those skipped; "" where that gives no
 * reason. *headless: the line holds a number, so that its "names" may be somebody's values. */
const char *cli_kind_table_advice(const char *path, char separator, size_t skip_lines,
                                  int *headless);

/* Do two paths name one file, or would they once it exists? */
int cli_kind_same(const char *path, const char *other);

#endif
