/* Phase 2: learns a fair rule from a pool (dp2dp/pool.h). */
#ifndef DP2DP_FIT_H
#define DP2DP_FIT_H

#include <dp2dp/ledger.h>
#include <dp2dp/model.h>
#include <dp2dp/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called after every step; returning a value other than 0 cancels the fit or training. Privacy: a
 * cancelled run has still paid for its charges; pass a ledger to keep a record of them. */
typedef int (*dp2dp_progress)(void *context, uint64_t step, uint64_t total);

typedef struct dp2dp_fit_options {
    size_t struct_size;
    dp2dp_solver solver;
    /* dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS) lists defaults, bounds and help texts. */
    double rho;
    double epsilon; /* no default: the user must choose; INFINITY: no noise, NOT PRIVATE */
    double delta;   /* no default */
    uint64_t rows_per_person;
    uint64_t steps;
    double share_budget;
    double share_floor;
    double step_size;
    double tail;
    double offset_max;
    double beta;
    uint64_t batch;
    double lambda_max;
    uint64_t group_least;
    double scores_epsilon; /* (ε, δ) declared for the scores; NAN: nothing is declared */
    double scores_delta;
    dp2dp_names names; /* copied into the model; if base is given, classes and scores must be NULL
                          or equal to those of base */
    const dp2dp_model *base;      /* the model that computed the scores; its classifier and all its
                                     charges are copied into the new model, and rows_per_person must
                                     match those charges; NULL: the scores come from elsewhere */
    dp2dp_people people;          /* ignored if base has a rule: the fit then charges everybody */
    unsigned not_private_because; /* reasons that only the caller knows: LABELS_FROM_DATA,
                                     SCHEMA_FROM_DATA, SCORES_FROM_POOL; without base and
                                     scores_epsilon, CLASSIFIER_NOT_PRIVATE */
    dp2dp_rng_kind rng;           /* INSECURE: noise from insecure_seed, the model is NOT PRIVATE */
    uint64_t insecure_seed;
    dp2dp_ledger *ledger;    /* charged in addition to the model's own ledger; may be NULL */
    dp2dp_progress progress; /* may be NULL */
    void *progress_context;
    const char *people_name;   /* your name for the people in the pool, who share nobody with people
                                  of another name; NULL: everybody */
    const char *scores_id;     /* release_id of the model behind the scores, if scores_epsilon is
                                  given; NULL: not known */
    dp2dp_criterion criterion; /* what is made equal; all but demographic parity need a source with
                                  labels, and the solver counts or exact */
    int32_t positive;          /* true and false positive rates: the class that counts as positive,
                                  or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *statistics; /* for the criterion custom; else NULL */
    size_t statistic_count;
    const char *const *weight_names; /* of the source's weight_columns, or NULL; copied into the
                                        model */
    const dp2dp_model *group_base;   /* a model of target `group` that computed the weights of the
                                        groups, if base is a classifier of the label; its classifier
                                        and charges are copied into the new model as those of base.
                                        Both must have one schema and the same people, who pay for
                                        both; NULL: none */
} dp2dp_fit_options;

/* The default: solver `counts`, secure noise. */
DP2DP_DEFINE_DEFAULT(dp2dp_fit_options, DP2DP_STRUCT_FIT_OPTIONS)
#define DP2DP_FIT_OPTIONS_INIT dp2dp_fit_options_default()

/* Learns the offsets of a rule. Privacy: the private solvers charge all their releases before
 * drawing any noise. If people is SAME, or people_name is the name that base gave to its people,
 * the charges of base, or scores_epsilon, are charged to options->ledger with them, all or none,
 * except releases that it already holds by their release_id; otherwise they go only to the model's
 * own ledger. The model states its ε at options->delta; if the fit has no delta, at the delta of
 * base; if a guarantee was declared at a larger delta, at the sum of the two deltas. `exact` and
 * epsilon = INFINITY mark the model not private, and options->ledger as exposed, which a budget
 * does not allow. Ownership: the caller frees the model. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_fit(
    const dp2dp_source *source, const dp2dp_fit_options *options, dp2dp_model **out,
    dp2dp_error *error);

/* Returns the width of the dither that a rule needs for options->criterion with K classes; 0: none.
 * A rule that sees the group has K − 1 free thresholds in each group, so a criterion with more
 * independent rates is out of reach without randomness. A rule that does not see the group comes
 * closer to such a criterion with the same dither, most of all with much noise (docs/criteria.md).
 */
DP2DP_API double dp2dp_fit_dither(const dp2dp_fit_options *options, size_t classes);

/* Charges to *ledger what dp2dp_fit would charge with the same options; reads no records and draws
 * no noise. Uses only the sizes in *source, whose count may be NULL. Never charges options->ledger.
 * BUDGET if *ledger refuses. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_fit_plan(
    const dp2dp_source *source, const dp2dp_fit_options *options, dp2dp_ledger *ledger,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
