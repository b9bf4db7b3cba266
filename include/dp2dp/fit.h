/* Phase 2: from a pool to a fair rule. */
#ifndef DP2DP_FIT_H
#define DP2DP_FIT_H

#include <dp2dp/ledger.h>
#include <dp2dp/model.h>
#include <dp2dp/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called after every step; a value other than 0 cancels the fit. Privacy: what was charged stays
 * charged; give a ledger to keep the record of it. */
typedef int (*dp2dp_progress)(void *context, uint64_t step, uint64_t total);

/* Whom the pool consists of, seen from the model behind the scores. */
typedef enum dp2dp_people {
    DP2DP_PEOPLE_OTHER = 0, /* nobody it was trained on: the larger of both costs counts */
    DP2DP_PEOPLE_SAME = 1   /* some of those it was trained on: the costs compose */
} dp2dp_people;

typedef struct dp2dp_fit_options {
    size_t struct_size;
    dp2dp_solver solver;
    /* dp2dp_options(DP2DP_STRUCT_FIT_OPTIONS) has default, bounds and meaning of these. */
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
    double scores_epsilon; /* NAN: nothing is declared */
    double scores_delta;
    dp2dp_names names; /* copied into the model; with a base: classes, scores NULL or its own */
    const dp2dp_model *base; /* what gave the scores: its classifier and all its charges are
                                copied into the model, rows_per_person is that of its
                                charges; NULL: something else */
    dp2dp_people people;     /* not looked at where base has a rule: everybody is charged then */
    unsigned not_private_because; /* what the caller knows: LABELS_FROM_DATA, SCHEMA_FROM_DATA,
                                     SCORES_FROM_POOL */
    dp2dp_rng_kind rng;           /* INSECURE: noise from insecure_seed, the model is NOT PRIVATE */
    uint64_t insecure_seed;
    dp2dp_ledger *ledger;    /* charged as well as the model's own; NULL: the model's own only */
    dp2dp_progress progress; /* may be NULL */
    void *progress_context;
} dp2dp_fit_options;

/* Solver `counts`, secure noise. */
DP2DP_DEFINE_DEFAULT(dp2dp_fit_options, DP2DP_STRUCT_FIT_OPTIONS)
#define DP2DP_FIT_OPTIONS_INIT dp2dp_fit_options_default()

/* Learns the offsets of a rule. Privacy: the private solvers charge all their releases before any
 * noise is drawn, to the people "pool" or, where some are the SAME, "train"; what base was charged,
 * or scores_epsilon says, goes to the model's own ledger alone. ε of the model is at delta, that of
 * base where there is none, plus that of a guarantee declared at a larger one; `exact` and epsilon
 * = INFINITY charge nothing and mark the model not private. Ownership: the caller frees the model.
 */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_fit(
    const dp2dp_source *source, const dp2dp_fit_options *options, dp2dp_model **out,
    dp2dp_error *error);

/* What such a fit would charge, without records: of *source only the sizes are used, and count may
 * be NULL. Charges *ledger, never options->ledger, and draws nothing. BUDGET if *ledger refuses. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_fit_plan(
    const dp2dp_source *source, const dp2dp_fit_options *options, dp2dp_ledger *ledger,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
