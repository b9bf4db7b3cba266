/* One function per verb, each in cmd/<verb>.c. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "args/args.h"

#define CLI_VERB(name, operands, summary, description, examples) \
    dp2dp_status cmd_##name(const cli_args *args, cli_out *out, dp2dp_error *error);
#include "cmd/verbs.def"
#undef CLI_VERB

/* Check the command line of a verb; see cli_verb.check. */
void cli_account_check(const cli_args *args);
void cli_calibrate_check(const cli_args *args);
void cli_certify_check(const cli_args *args);
void cli_count_check(const cli_args *args);
void cli_export_check(const cli_args *args);
void cli_fit_check(const cli_args *args);
void cli_predict_check(const cli_args *args);
void cli_report_check(const cli_args *args);
void cli_run_check(const cli_args *args);
void cli_sweep_check(const cli_args *args);
void cli_train_check(const cli_args *args);

/* Runs `dp2dp account FILE`, which prints the cost of a ledger, or of the ledger inside a model. */
dp2dp_status cli_account_ledger(const cli_args *args, cli_out *out, dp2dp_error *error);

/* Runs `dp2dp schema check SCHEMA TABLE`. */
dp2dp_status cli_schema_check(const cli_args *args, cli_out *out, dp2dp_error *error);

#endif
