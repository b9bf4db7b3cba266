/* Phase 1: from labelled rows to a probabilistic classifier. docs/train.md says which method does
 * what.
 *
 * Data flows one way: dp2dp_table_open → dp2dp_schema_encode → dp2dp_train, and later
 * dp2dp_table_open → dp2dp_schema_encode → dp2dp_model_score → a pool, or decisions. */
#ifndef DP2DP_TRAIN_H
#define DP2DP_TRAIN_H

#include <dp2dp/arrow.h>
#include <dp2dp/fit.h>
#include <dp2dp/model.h>
#include <dp2dp/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dp2dp_train_options {
    size_t struct_size;
    dp2dp_train_method method;
    /* dp2dp_options(DP2DP_STRUCT_TRAIN_OPTIONS) has default, bounds and meaning of these. */
    double epsilon; /* no default: the user must choose; INFINITY: no noise, NOT PRIVATE */
    double delta;   /* no default */
    double clip;
    double step_size;
    double momentum;
    double tail;
    double penalty;
    uint64_t rows_per_person;
    uint64_t steps;
    uint64_t batch;
    const double *weights; /* external: K × (features + 1), row-major, bias last; else NULL */
    dp2dp_rng_kind rng;    /* INSECURE: noise from insecure_seed, the model is NOT PRIVATE */
    uint64_t insecure_seed;
    unsigned threads;        /* 0: one per processor */
    dp2dp_ledger *ledger;    /* charged as well as the model's own; NULL: the model's own only */
    dp2dp_progress progress; /* may be NULL; dpgd and dpsgd: called after every step */
    void *progress_context;
} dp2dp_train_options;

/* Method `dpgd`, secure noise. */
DP2DP_DEFINE_DEFAULT(dp2dp_train_options, DP2DP_STRUCT_TRAIN_OPTIONS)
#define DP2DP_TRAIN_OPTIONS_INIT dp2dp_train_options_default()

/* Trains multinomial logistic regression. `rows` comes from dp2dp_schema_encode with this schema
 * and at least the parts FEATURES and LABEL; it is read to its end and released, also on failure.
 * Method `external` takes options->weights instead, rows is NULL, and epsilon and delta are what
 * the makers of the weights state (both NAN: nothing), which is recorded as declared: delta is
 * above 0, and a guarantee at delta 0 is one at any. The model has a classifier and no rule yet: J
 * = 0. Privacy: the private methods charge all their releases, for the set of people "train",
 * before any noise is drawn; `none` and epsilon = INFINITY charge nothing and mark the model not
 * private. Ownership: the caller frees the model; the schema is copied. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_train(
    const dp2dp_schema *schema, struct ArrowArrayStream *rows, const dp2dp_train_options *options,
    dp2dp_model **out, dp2dp_error *error);

/* What such a training on so many records would charge to *ledger, never to options->ledger. Reads
 * and draws nothing. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_train_plan(
    const dp2dp_schema *schema, uint64_t records, const dp2dp_train_options *options,
    dp2dp_ledger *ledger, dp2dp_error *error);

/* The classifier's probabilities, batch by batch, in constant memory. `rows` comes from
 * dp2dp_schema_encode with the model's schema. Batches of `out` are those of `rows` with a list of
 * K float32, "scores", in place of numbers, levels and scale: "row", "scores", then "label" and
 * "group" where rows has them. ARGUMENT for a model without a classifier. Privacy: scores tell
 * about the rows they are of. Ownership: rows is moved into *out, also on failure; the model is
 * borrowed until out is released. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_score(
    const dp2dp_model *model, struct ArrowArrayStream *rows, struct ArrowArrayStream *out,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
