/* A model in words and in JSON. */
#ifndef CLI_RULE_H
#define CLI_RULE_H

#include "common/json.h"
#include "common/out.h"

const char *cli_rule_solver(dp2dp_solver solver);

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
