/* Files named on the command line, and advice if one is of the wrong kind. */
#ifndef CLI_KIND_H
#define CLI_KIND_H

#include "args/args.h"

/* Does the file begin like a model? Only chooses the reader, which then checks the whole file. */
int cli_kind_is_model(const char *path);
/* The model of the operand MODEL. Ownership: the caller frees it. */
dp2dp_status cli_kind_model(const cli_args *args, dp2dp_model **out, dp2dp_error *error);

/* The model of fit --model. Ownership: the caller frees it. */
dp2dp_status cli_kind_base(const char *path, dp2dp_model **out, dp2dp_error *error);

/* The ledger of `account`, which takes a model too. Ownership: the caller frees it. */
dp2dp_status cli_kind_ledger(const char *path, dp2dp_ledger **out, dp2dp_error *error);

/* A schema by its built-in name or its file. Ownership: the caller frees it. */
dp2dp_status cli_kind_schema(const char *source, dp2dp_schema **out, dp2dp_error *error);

#endif
