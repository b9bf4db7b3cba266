/* Prints models as text and JSON. The library explains them in words. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include "args/args.h"
#include "common/json.h"
#include "common/out.h"

/* Returns whether a part of the model was made without noise. */
int cli_is_exposed(const dp2dp_model_info *info);

/* Writes the JSON members `private` and `leaks`. The bits (dp2dp_not_private) say why a model is
 * not private. */
void cli_reasons_json(int is_private, unsigned bits, cli_json *json);
/* Prints each reason as a line of text that begins with NOT PRIVATE. */
void cli_reasons_text(unsigned bits, cli_out *out);

/* If the model was learned from exactly `records` people, returns a note for the end of a sentence:
 * the user must check that these are different people. Otherwise returns "". */
const char *cli_as_many(const dp2dp_model_info *info, uint64_t records);

/* Prints the name of the column that the groups of a table were read from. If the model was learned
 * with another column, also prints the name of that column. Prints nothing if `column` is NULL. */
void cli_group_text(const char *column, const dp2dp_model_info *info, cli_out *out);

/* If --scores names other columns than those the model was learned with, prints which column has
 * the scores of which class, in this table and in the model. */
void cli_scores_text(const cli_args *args, const dp2dp_model_info *info, cli_out *out);

/* Writes the JSON members `covers` and `not_covered`, which list the people a model was made from.
 */
void cli_covers_json(const dp2dp_cover *covers, size_t count, cli_json *json);
/* Sets *lacks to 1 if the model is a classifier without a fair rule, and its schema has no
 * sensitive column: dp2dp fit --model then cannot learn a rule. */
dp2dp_status cli_lacks_sensitive(const dp2dp_model_info *info, int *lacks, dp2dp_error *error);

/* Writes the JSON members `warnings`, `covers` and `not_covered` of a model. Also writes what
 * cli_marks_json writes about the model's own ledger. */
dp2dp_status cli_model_json(const dp2dp_model_info *info, cli_json *json, dp2dp_error *error);

/* Print the epsilon that the paper's own accounting would claim. Print nothing if the model does
 * not store that epsilon. */
void cli_claimed_json(const dp2dp_model_info *info, cli_json *json);
void cli_claimed_text(const dp2dp_model_info *info, cli_out *out);

/* Reads the training options. Options that are not given get the library's defaults. */
void cli_classifier_options(const cli_args *args, dp2dp_train_options *options);
/* Returns whether training adds noise. Methods none and external add none. With --epsilon inf, no
 * method adds noise. */
int cli_classifier_is_noisy(const dp2dp_train_options *options);

/* Returns whether `noise` is so large that cli_classifier_caution warns. */
int cli_classifier_is_weak(double noise);
/* Warns if `noise`, the classifier_noise of a model, is large. */
void cli_classifier_caution(double noise, cli_out *out);

/* Writes the JSON member `classifier`, which is null if the model has no classifier. If `schema` is
 * not NULL, the member has the name and the feature columns of the schema, too. */
void cli_classifier_member(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                           cli_json *json);
dp2dp_status cli_classifier_json(const dp2dp_model_info *info, cli_json *json, dp2dp_error *error);
dp2dp_status cli_classifier_text(const dp2dp_model *model, cli_out *out, dp2dp_error *error);

/* If leaves_out is 1, prints that some of the records may be left out. */
void cli_left_out_text(int leaves_out, cli_out *out);

/* What a fit costs, and what was charged before the fit, as epsilons at the model's delta. */
typedef struct cli_costs {
    double
        fit; /* epsilon of the last fit; NAN if the fit added no noise, or if no bound is known */
    double before; /* epsilon of the classifier and earlier rules; NAN: nothing was charged for
                      them, or they were made without noise */
    int refitted;  /* 1: the model had a rule before this fit */
    int same;    /* 1: --same-people or --people says that some people of this fit were also charged
                    for `before` */
    int adds_up; /* 1: some people of this fit may also be charged for `before`, so both costs count
                  */
    int declared;  /* 1: the makers of the classifier declared `before` */
    int has_cells; /* 1: a row of the table may stand for several records */
} cli_costs;

/* The class whose rates a criterion compares, if there is one such class. */
typedef struct cli_positive {
    const char *name; /* NULL: the criterion compares several classes */
    int is_chosen; /* 1: --positive names the class; 0: the class is the second of two, by default
                    */
} cli_positive;

/* Returns the class whose rates `criterion` compares. `positive` is the position in `names` of the
 * class that --positive chose, or below 0 if --positive was not given. */
cli_positive cli_positive_of(dp2dp_criterion criterion, int32_t positive, const char *const *names,
                             size_t classes);
/* Writes the JSON member `positive`: the class that --positive chose, or null. If a class is the
 * default, also writes the member `positive_by_default`. */
void cli_positive_json(const cli_positive *positive, cli_json *json);
/* Prints the class, and whether --positive chose it. Prints nothing if positive->name is NULL. */
void cli_positive_text(const cli_positive *positive, cli_out *out);

/* Returns whether the model aims at demographic parity with a rule that sees the group. */
int cli_criterion_is_plain(const dp2dp_model_info *info);
/* Writes JSON members that say what a rule makes equal and how the rule decides. If
 * cli_criterion_is_plain returns 1, writes only the members `criterion` and, if scores are
 * rounded, `grid_bits`. */
void cli_criterion_json(const dp2dp_model_info *info, cli_json *json);
/* Prints a table with a row for each stratum: a group, or a group and a label. */
void cli_strata_table(const dp2dp_model_info *info, const char *const *columns, size_t count,
                      const double *values, int decimals, cli_out *out);

dp2dp_status cli_rule_json(const dp2dp_model_info *info, const cli_costs *costs, cli_json *json,
                           dp2dp_error *error);
dp2dp_status cli_rule_text(const dp2dp_model *model, const cli_costs *costs, cli_out *out,
                           dp2dp_error *error);

/* Prints a part of what dp2dp_explain says about a model, with titles in bold and NOT PRIVATE in
 * colour. */
dp2dp_status cli_explain(const dp2dp_model *model, dp2dp_explain_part part, const char *name,
                         cli_out *out, dp2dp_error *error);

/* Returns about how many records the table of a certificate leaves out, if these are clearly many:
 * at least 5 % of all, and more than 5 standard deviations of the noise. Otherwise returns 0. Uses
 * only the released table. */
double cli_uncovered(const dp2dp_certificate *certificate);
void cli_uncovered_text(const dp2dp_certificate *certificate, const dp2dp_model_info *info,
                        cli_out *out);

#endif
