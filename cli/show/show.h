/* Prints models as text and JSON. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

/* Returns whether some epsilon holds for the model. None holds for a rule without noise or without
 * a known bound, even if the ledger has entries for the classifier. */
int cli_rule_has_epsilon(const dp2dp_model_info *info);

/* Returns whether a part of the model was made without noise. */
int cli_is_exposed(const dp2dp_model_info *info);

/* Writes the JSON members private and leaks. The bits (dp2dp_not_private) say why a model is not
 * private. */
void cli_reasons_json(int is_private, unsigned bits, cli_json *json);
/* Prints each reason as a line of text that begins with NOT PRIVATE. */
void cli_reasons_text(unsigned bits, cli_out *out);

/* Writes the JSON members covers and not_covered, which list the people a model was made from. */
void cli_covers_json(const dp2dp_cover *covers, size_t count, cli_json *json);
/* Writes the JSON members warnings, covers and not_covered of a model, and the members of
 * cli_marks_json for its own ledger. */
void cli_model_json(const dp2dp_model_info *info, cli_json *json);

/* Print "claimed", the epsilon of the paper's own accounting, if the model has one. */
void cli_claimed_json(const dp2dp_model_info *info, cli_json *json);
void cli_claimed_text(const dp2dp_model_info *info, cli_out *out);

/* Reads the training options; those that are not given get the library's defaults. */
void cli_classifier_options(const cli_args *args, dp2dp_train_options *options);
/* Returns whether training adds noise. Methods none and external add none. With --epsilon inf, no
 * method adds noise. */
int cli_classifier_is_noisy(const dp2dp_train_options *options);
/* Prints what the classifier predicts, if it predicts groups. */
void cli_target_text(const dp2dp_model_info *info, cli_out *out);

/* Returns the norm of the noise in a newly trained model, divided by the largest possible norm of
 * the signal. Near 0 there is little noise; at 1 or more there is only noise. Computed from public
 * numbers. Returns NAN if there is no noise. */
double cli_classifier_noise(const dp2dp_model_info *info);
/* Is `noise` so large that cli_classifier_caution warns? */
int cli_classifier_is_weak(double noise);
/* Warns if `noise`, from cli_classifier_noise, is large. */
void cli_classifier_caution(double noise, cli_out *out);

/* Writes the JSON member classifier, null if the model has no classifier. If the schema is not
 * NULL, the member includes the schema's name and feature columns. */
void cli_classifier_member(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                           cli_json *json);
void cli_classifier_json(const dp2dp_model_info *info, cli_json *json);
void cli_classifier_text(const dp2dp_model_info *info, cli_out *out);

/* If leaves_out is 1, says that some of the records may be left out. */
void cli_left_out_text(int leaves_out, cli_out *out);

/* The parts of a model's epsilon, at the model's delta. */
typedef struct cli_costs {
    double fit;    /* epsilon of the last fit; NAN: no noise, or no bound */
    double before; /* epsilon of the classifier and earlier rules; NAN: nothing was charged for
                      them, or they were made without noise */
    int refitted;  /* the model had a rule before this fit */
    int same;      /* the caller says that people of this fit are among those of `before` */
    int adds_up;   /* people of this fit may be among those of `before`: both costs count */
    int declared;  /* `before` was declared by the makers of the classifier */
    int has_cells; /* a row of the table stands for several records */
} cli_costs;

/* Returns whether the model aims at demographic parity with a rule that sees the group. */
int cli_criterion_is_plain(const dp2dp_model_info *info);
/* Returns words that say what the criterion makes equal. */
const char *cli_criterion_help(const dp2dp_model_info *info);
/* Print what a rule makes equal and how it decides. For a plain rule, JSON has only the member
 * criterion. */
void cli_criterion_json(const dp2dp_model_info *info, cli_json *json);
void cli_criterion_text(const dp2dp_model_info *info, cli_out *out);
/* Prints a table with a row for each stratum: a group, or a group and a label. */
void cli_strata_table(const dp2dp_model_info *info, const char *const *columns, size_t count,
                      const double *values, int decimals, cli_out *out);

void cli_rule_json(const dp2dp_model_info *info, const cli_costs *costs, cli_json *json);
void cli_rule_text(const dp2dp_model_info *info, const cli_costs *costs, cli_out *out);

enum {
    CLI_SETS_MAX = 8
};

/* A set of people in the model's ledger. */
typedef struct cli_set {
    const char *name;         /* as cli_entry_set returns it; "" stands for everybody */
    double epsilon;           /* at the model's delta, from the ledger */
    uint64_t records;         /* rows the model was learned from; 0: not known */
    uint64_t rows_per_person; /* the largest of any entry of the set */
    int declared;             /* epsilon includes a declared cost, which is not checked */
    int of_rule;              /* the rule was learned from some or all of these people */
    int trained, pooled;      /* the classifier, or a rule, was learned from these people */
} cli_set;

/* A model as `show` explains it. */
typedef struct cli_explained {
    const char *path;
    const dp2dp_model_info *info;
    const dp2dp_schema_info *schema; /* the schema of the classifier, or NULL */
    double epsilon;                  /* epsilon of the whole ledger; NAN: nothing is promised */
    cli_set sets[CLI_SETS_MAX];
    size_t set_count;
} cli_explained;

/* Returns the set of this name, or NULL. */
cli_set *cli_set_find(const cli_explained *model, const char *name);
/* Returns the people that the classifier was trained on, or NULL. */
cli_set *cli_set_trained(const cli_explained *model);

void cli_explained_text(const cli_explained *model, cli_out *out);

#endif
