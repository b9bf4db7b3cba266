/* Loads files named on the command line. If a file is of the wrong kind, the error message says
 * what to do. */
#ifndef CLI_KIND_H
#define CLI_KIND_H

#include "args/args.h"

/* Return whether the file begins like a model or a ledger. This is only a guess, used to choose the
 * function that then reads and checks the whole file. */
int cli_kind_is_model(const char *path);
int cli_kind_is_ledger(const char *path);
/* Loads the model that the operand MODEL names. Ownership: the caller frees *out. */
dp2dp_status cli_kind_model(const cli_args *args, dp2dp_model **out, dp2dp_error *error);

/* Loads the model that the option --model of `fit` names. Ownership: the caller frees *out. */
dp2dp_status cli_kind_base(const char *path, dp2dp_model **out, dp2dp_error *error);

/* Loads the ledger for `account`. If the file is of no known kind, the message says that it is not
 * a model either, since `account` takes ledgers and models. Ownership: the caller frees *out. */
dp2dp_status cli_kind_ledger(const char *path, dp2dp_ledger **out, dp2dp_error *error);

/* Loads a schema from its built-in name or its file. Ownership: the caller frees *out. */
dp2dp_status cli_kind_schema(const char *source, dp2dp_schema **out, dp2dp_error *error);
/* Loads a schema for a command that only shows it. If the file is not a schema, the message says
 * which command shows that file. Ownership: the caller frees *out. */
dp2dp_status cli_kind_schema_shown(const char *source, dp2dp_schema **out, dp2dp_error *error);
/* Loads a schema for a command that takes a schema and then a table. If the user swapped schema
 * and table, the message says so. Ownership: the caller frees *out. */
dp2dp_status cli_kind_schema_of_table(const char *source, const char *table, dp2dp_schema **out,
                                      dp2dp_error *error);

/* If a table could not be opened because its file is JSON, adds to the message which command or
 * option takes such a file. Returns `status`. */
dp2dp_status cli_kind_table(dp2dp_status status, const char *path, dp2dp_error *error);

#endif
