/* Phase 2: learns a fair rule from a pool (dp2dp/pool.h). */
#ifndef DP2DP_FIT_H
#define DP2DP_FIT_H

#include <dp2dp/ledger.h>
#include <dp2dp/model.h>
#include <dp2dp/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called after every step. A return value other than 0 cancels the fit or training. Privacy: the
 * charges of a cancelled run stay; pass a ledger to keep a record of them. */
typedef int (*dp2dp_progress)(void *context, uint64_t step, uint64_t total);

typedef struct dp2dp_fit_options {
    size_t struct_size;
    dp2dp_solver solver;
    /* dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS) lists defaults, bounds and help texts. */
    double rho;
    double epsilon; /* no default: the user must choose. INFINITY: no noise, NOT PRIVATE */
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
    double scores_epsilon; /* (ε, δ) that the makers of the scores declare; NAN: they declare
                              nothing */
    double scores_delta;
    dp2dp_names names; /* copied into the model. If base is given, names.classes and names.scores
                          must be NULL or equal to those in base */
    const dp2dp_model *base; /* the model that computed the scores, or NULL if they come from
                                elsewhere. The classifier and all charges of base are copied into
                                the new model, and rows_per_person must be the same as in these
                                charges */
    dp2dp_people people; /* SAME: some people of the pool were also used to make the scores, so the
                            costs of scores and fit add up. If base has a rule, the model's own
                            ledger charges this fit to everybody, whatever `people` is */
    /* dp2dp_not_private bits that only the caller can know. Allowed are LABELS_FROM_DATA,
     * SCHEMA_FROM_DATA and SCORES_FROM_POOL. CLASSIFIER_NOT_PRIVATE is also allowed if neither base
     * nor scores_epsilon is given. */
    unsigned not_private_because;
    /* If rng is INSECURE, the noise comes from insecure_seed and the model is NOT PRIVATE. */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;
    dp2dp_ledger *ledger;    /* a ledger kept for people, charged in addition to the model's own
                                ledger; may be NULL */
    dp2dp_progress progress; /* may be NULL */
    void *progress_context;
    const char *people_name; /* the caller's name for the set of people in the pool; nobody may be
                                in two sets with different names. NULL: everybody */
    const char *scores_id;   /* release_id of the model that computed the scores. May be given only
                                together with scores_epsilon. NULL: not known */
    dp2dp_criterion criterion; /* what the rule makes equal between groups. All criteria except
                                  demographic parity need a source with labels, and the solver
                                  counts or exact */
    int32_t positive; /* the class that counts as positive for true and false positive rates, or
                         DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *statistics; /* statistics of the criterion custom; else NULL */
    size_t statistic_count;
    /* Names of the source's weight columns, copied into the model; may be NULL. */
    const char *const *weight_names;
    /* The model with target `group` that computed the group weights; NULL: none. Allowed only if
     * base predicts the label. The classifier and charges of group_base are copied into the new
     * model like those of base. Both models must have the same schema and be trained on the same
     * people, who are charged for both models. */
    const dp2dp_model *group_base;
    /* The largest ε, at delta, that the scores and the fit together may cost a person whose records
     * were used for both. The fit gets what the scores leave of total_epsilon. May be given only if
     * people is SAME and epsilon is NAN. In the model's options, epsilon is the ε of the fit alone.
     * The ε that the model promises covers scores and fit, and is at most total_epsilon. Not
     * allowed with the solver sgd-as-published. 0: not given. */
    double total_epsilon;
    /* A ledger that holds only what dp2dp_train_plan charged for a base that is not trained yet.
     * Only dp2dp_fit_plan uses this ledger, in place of base or scores_epsilon. May be NULL. */
    const dp2dp_ledger *base_plan;
} dp2dp_fit_options;

/* The default: solver `counts`, secure noise. */
DP2DP_DEFINE_DEFAULT(dp2dp_fit_options, DP2DP_STRUCT_FIT_OPTIONS)
#define DP2DP_FIT_OPTIONS_INIT dp2dp_fit_options_default()

/* Learns the offsets of a rule.
 *
 * The solver `counts` calls source->count options->steps times (by default 80, or 160 with labels).
 * Before charging, the solver checks that options->ledger would accept the charge, and asks the
 * source for the first table, at offsets 0. So nothing is charged if the source fails on the first
 * table or returns an impossible table. If the source fails later, the charge stays.
 *
 * Counts and noise are added as 64-bit integers, so the number of records can be at most about 2^32
 * times the standard deviation of the noise. A source with more records is refused before
 * source->count is called. For example, with two strata, two classes and delta = 1e-12, there must
 * be fewer than 2^38 records at epsilon = 1, and fewer than 2^34 at epsilon = 10 (docs/scale.md).
 *
 * Privacy: the private solvers charge all their releases before drawing any noise. The costs of the
 * scores (the charges of base, or scores_epsilon) always go to the model's own ledger. They also go
 * to options->ledger if people is SAME, or if people_name is the name of the people of base. In
 * that case options->ledger gets the costs of the scores and of the fit together, all or none. A
 * release whose release_id options->ledger already holds is not charged again. The solver `exact`
 * and epsilon = INFINITY mark the model as not private, and mark options->ledger as exposed. A
 * ledger with a budget refuses this mark.
 *
 * If total_epsilon is given, the fit uses the smallest noise that meets the limit: scores and fit
 * together cost at most total_epsilon, for a person whose records were used for both. Fails with
 * BUDGET if the scores leave nothing for the fit. What the scores leave is computed from the
 * charges for the scores, not from records.
 *
 * The model states its ε at options->delta, or at the delta of base if the fit has no delta. If the
 * scores were declared at a larger delta, there may be no ε at options->delta. The model then
 * states its ε at options->delta plus the delta of the scores. Ownership: the caller frees the
 * model. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_fit(
    const dp2dp_source *source, const dp2dp_fit_options *options, dp2dp_model **out,
    dp2dp_error *error);

/* Returns the width of the dither that a rule needs for options->criterion with this number of
 * classes; 0: no dither. A rule that sees the group has classes − 1 free thresholds in each group,
 * so without randomness it cannot make more than classes − 1 independent rates equal. A rule that
 * does not see the group also makes the rates more equal with a dither of this width, especially if
 * the noise is large (docs/criteria.md). */
DP2DP_API double dp2dp_fit_dither(const dp2dp_fit_options *options, size_t classes);

/* Charges to *ledger what dp2dp_fit would charge with the same options. Reads no records and draws
 * no noise. Uses only the sizes in *source; the callback source->count is not called and may be
 * NULL. Never charges options->ledger. Fails with BUDGET if *ledger refuses. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_fit_plan(
    const dp2dp_source *source, const dp2dp_fit_options *options, dp2dp_ledger *ledger,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
