/* Why a model is not private, and whether it promises anything. */
#ifndef CLI_LEAKS_H
#define CLI_LEAKS_H

#include "common/json.h"
#include "common/out.h"

/* Has the model an epsilon at all? One without noise has not, whatever its ledger says. */
int cli_rule_has_epsilon(const dp2dp_model_info *info);

/* Members private and leaks; the line NOT PRIVATE with the reasons, if there are any. */
void cli_leaks_json(const dp2dp_model_info *info, cli_json *json);
void cli_leaks_text(const dp2dp_model_info *info, cli_out *out);
/* The same of dp2dp_leak bits alone, without the member private. */
void cli_leaks_list_json(unsigned bits, cli_json *json);
void cli_leaks_list_text(unsigned bits, cli_out *out);

/* The row "claimed": what the paper's own accounting says, if the model has that. */
void cli_claimed_text(const dp2dp_model_info *info, cli_out *out);

#endif
