/* The part of `dp2dp account` that is about a ledger. */
#ifndef CLI_ACCOUNT_H
#define CLI_ACCOUNT_H

#include "args/args.h"
#include "common/out.h"

/* Everything in the ledger, or the model's ledger, args->operands[0]. */
dp2dp_status cli_account_ledger(const cli_args *args, cli_out *out, dp2dp_error *error);

#endif
