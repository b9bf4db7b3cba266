/* A model as text and JSON. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

/* Why a model is not private, and whether it promises anything. */

/* Does the model have an epsilon? One without noise has none, whatever its ledger says. */
int cli_rule_has_epsilon(const dp2dp_model_info *info);

/* dp2dp_not_private bits as the JSON member leaks, and as NOT PRIVATE lines. */
void cli_reasons_json(unsigned bits, cli_json *json);
void cli_reasons_text(unsigned bits, cli_out *out);
/* JSON members private and leaks. */
void cli_model_reasons_json(const dp2dp_model_info *info, cli_json *json);

/* JSON member and text row "claimed": the epsilon of the paper's own accounting, if the model has
 * one. */
void cli_claimed_json(const dp2dp_model_info *info, cli_json *json);
void cli_claimed_text(const dp2dp_model_info *info, cli_out *out);

/* Phase 1 on the command line: options, and a trained classifier as text and JSON. */

/* --method, --epsilon, --delta, --rows-per-person and --insecure-seed, over the library's defaults.
 */
void cli_classifier_options(const cli_args *args, dp2dp_train_options *options);
/* Does the method add noise, with a finite epsilon? */
int cli_classifier_is_noisy(const dp2dp_train_options *options);

/* How much of a newly trained model is noise, from public numbers alone: near 0 is little, 1 or
 * more is pure noise. NAN if no noise was added. */
double cli_classifier_noise(const dp2dp_model_info *info);
/* Warns if that is a lot. */
void cli_classifier_caution(double noise, cli_out *out);

void cli_classifier_json(const dp2dp_model_info *info, cli_json *json);
void cli_classifier_text(const dp2dp_model_info *info, cli_out *out);

/* Warns if there are few people for the rule's noise. */
void cli_rule_caution(const dp2dp_model_info *info, cli_out *out);

/* The parts of a model's cost, at its delta. */
typedef struct cli_costs {
    double fit;    /* the last fit alone; NAN: no noise, or no bound */
    double before; /* everything before it: the classifier, an earlier rule; NAN: nothing */
    int refitted;  /* there was a rule before */
    int adds_up;   /* some people may be in both */
    int declared;  /* the earlier cost is taken on trust */
} cli_costs;

void cli_rule_json(const dp2dp_model_info *info, const cli_costs *costs, cli_json *json);
void cli_rule_text(const dp2dp_model_info *info, const cli_costs *costs, cli_out *out);

/* A model as `show` describes it: the file's contents, and what its ledger implies. */

enum {
    CLI_SETS_MAX = 8
};

/* One set of people, and the model's cost for them. */
typedef struct cli_set {
    const char *name;         /* as in the ledger; "": everybody */
    double epsilon;           /* at the model's delta, from the ledger */
    uint64_t records;         /* 0: not known; of "train", where both are: the classifier's */
    uint64_t rows_per_person; /* the largest of its entries */
    int declared;             /* some of it is taken on trust */
    int of_rule;              /* the rule was learned from them, or from some of them */
} cli_set;

typedef struct cli_explained {
    const char *path;
    const dp2dp_model_info *info;
    const dp2dp_schema_info *schema; /* of the classifier, or NULL */
    double epsilon;                  /* total over the ledger; NAN: nothing is promised */
    cli_set sets[CLI_SETS_MAX];
    size_t set_count;
} cli_explained;

/* NULL: no set has that name. */
cli_set *cli_set_find(const cli_explained *model, const char *name);

void cli_explained_text(const cli_explained *model, cli_out *out);

#endif
