/* A model in words and in JSON. */
#ifndef CLI_RULE_H
#define CLI_RULE_H

#include "common/json.h"
#include "common/out.h"

const char *cli_rule_solver(dp2dp_solver solver);

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

/* The warning where people are few against the noise of the rule. */
void cli_rule_caution(const dp2dp_model_info *info, cli_out *out);

/* What a model cost in parts, at its delta. */
typedef struct cli_costs {
    double fit;    /* the last fit alone; NAN: no noise, or no bound */
    double before; /* all that came before it: the classifier, an earlier rule; NAN: nothing */
    int refitted;  /* there was a rule before */
    int adds_up;   /* some people may be in both */
    int declared;  /* what came before is taken on trust */
} cli_costs;

void cli_rule_json(const dp2dp_model_info *info, const cli_costs *costs, cli_json *json);
void cli_rule_text(const dp2dp_model_info *info, const cli_costs *costs, cli_out *out);

#endif
