/* Phase 1: trains a probabilistic classifier on labelled rows. docs/train.md explains the methods.
 *
 * To train, call dp2dp_table_open → dp2dp_schema_encode → dp2dp_train. To score, call
 * dp2dp_table_open → dp2dp_schema_encode → dp2dp_model_score, and pass the scores to a pool or to
 * dp2dp_model_predict. */
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
    /* dp2dp_options(DP2DP_STRUCT_TRAIN_OPTIONS) lists defaults, bounds and help texts. */
    double epsilon; /* no default: the user must choose. INFINITY: no noise, NOT PRIVATE */
    double delta;   /* no default */
    double clip;
    double step_size;
    double momentum;
    double tail;
    double penalty;
    uint64_t rows_per_person;
    uint64_t steps;
    uint64_t batch;
    const double *weights; /* only for the method external: outputs × (features + 1), row-major,
                              bias last; else NULL */
    /* If rng is INSECURE, the noise comes from insecure_seed and the model is NOT PRIVATE. */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;
    unsigned threads;        /* 0: one per processor */
    dp2dp_ledger *ledger;    /* a ledger kept for people, charged in addition to the model's own
                                ledger; may be NULL */
    dp2dp_progress progress; /* dpgd and dpsgd call it after every step; may be NULL */
    void *progress_context;
    /* A name that the caller chooses for the set of people in `rows`. Nobody may be in two sets
     * with different names. NULL: the cost counts for everybody. With the method external, a name
     * may be given only together with epsilon. */
    const char *people_name;
    dp2dp_target target; /* what the classifier predicts */
    /* The share of the budget (epsilon, delta) that training may spend, above 0 and below 1; 0: all
     * of it. The share is a fraction of μ², the squared parameter of Gaussian differential privacy.
     * μ² is used because it adds up under composition. A fit on the same people may then spend the
     * rest (dp2dp_fit_options.total_epsilon). The model stores the ε of the share as its epsilon.
     * Not allowed with the method external. */
    double train_share;
} dp2dp_train_options;

/* The default: method `dpgd`, secure noise. */
DP2DP_DEFINE_DEFAULT(dp2dp_train_options, DP2DP_STRUCT_TRAIN_OPTIONS)
#define DP2DP_TRAIN_OPTIONS_INIT dp2dp_train_options_default()

/* Returns the number of outputs of a classifier with this target; 0 if the schema lacks a column
 * that the target needs. */
static inline size_t dp2dp_target_outputs(dp2dp_target target, const dp2dp_schema_info *schema) {
    return target == DP2DP_TARGET_LABEL   ? schema->class_count
           : target == DP2DP_TARGET_GROUP ? schema->group_count
                                          : schema->group_count * schema->class_count;
}

/* Returns the parts of a row (dp2dp_part bits) that training for this target reads. */
static inline unsigned dp2dp_target_parts(dp2dp_target target) {
    unsigned parts = DP2DP_PART_FEATURES;
    if (target != DP2DP_TARGET_GROUP) {
        parts |= DP2DP_PART_LABEL;
    }
    if (target != DP2DP_TARGET_LABEL) {
        parts |= DP2DP_PART_GROUP;
    }
    return parts;
}

/* Trains multinomial logistic regression. `rows` must come from dp2dp_schema_encode with this
 * schema and at least the parts that dp2dp_target_parts gives. `rows` is read to its end and
 * released, also on failure.
 *
 * The method `external` takes options->weights instead, and rows is NULL. epsilon and delta are
 * then the guarantee that the makers of the weights state, or both NAN if they state none. The
 * guarantee is recorded as declared. delta must be above 0. If the makers state delta 0, give
 * any small delta: the guarantee holds at that delta too.
 *
 * The model has a classifier and no rule yet, so its number of strata is 0. A model with the target
 * `group` decides nothing; it only gives weights to a rule that does not see the group.
 *
 * Privacy: the private methods charge all their releases, before any noise is drawn. In the model's
 * own ledger these charges have the role "train". The method `none` and epsilon = INFINITY mark the
 * model as not private, and mark options->ledger as exposed. A ledger with a budget refuses this
 * mark. Ownership: the caller frees the model; the schema is copied. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_train(
    const dp2dp_schema *schema, struct ArrowArrayStream *rows, const dp2dp_train_options *options,
    dp2dp_model **out, dp2dp_error *error);

/* The vector that a record adds to a sum. v is the encoded row followed by a 1 for the bias. All
 * features of the row are multiplied by the row's scale. If feature j is a level, it is also
 * multiplied by dp2dp_gradient_question.levels[j]. z are the logits. softmax is the vector of the
 * probabilities that z gives, and onehot the unit vector of the value that the classifier should
 * predict. softmax and onehot have one entry for each value that the classifier can predict; if
 * there are only two values, they have one entry, for the second value. */
typedef enum dp2dp_term {
    DP2DP_TERM_GRADIENT = 1, /* (softmax - onehot) x v, the gradient of the record's loss */
    DP2DP_TERM_ROW = 2,      /* v, added to the cells of the first output */
    DP2DP_TERM_SLOPE = 3 /* (softmax - onehot) . z, added to the first cell; it is the derivative of
                            the record's loss with respect to a common factor of the logits */
} dp2dp_term;

DP2DP_DEFINE_WORDS(dp2dp_term, DP2DP_WORDS_TERM)

/* What the method `dpgd` asks about the records: the sum of the records' terms (dp2dp_term). Each
 * term is clipped to the L2 norm `clip` and rounded towards zero to integers in units of clip /
 * 2^grid_bits, so that its norm is at most 2^grid_bits. A record that is left out adds nothing. */
typedef struct dp2dp_gradient_question {
    size_t struct_size;
    dp2dp_term term;
    unsigned grid_bits;
    size_t features; /* dp2dp_schema_info.width */
    size_t outputs;  /* number of values that the classifier can predict, or 1 if it can predict two
                        values */
    const double *weights; /* (features + 1) x outputs, the bias last, already multiplied by
                              `levels`; not used, and may be NULL, if term is ROW */
    const double *levels;  /* factor of each feature, from 0 to 1 and a multiple of 2^-12; ignored
                              for numeric features */
    double clip;
} dp2dp_gradient_question;

DP2DP_DEFINE_DEFAULT(dp2dp_gradient_question, DP2DP_STRUCT_GRADIENT_QUESTION)
#define DP2DP_GRADIENT_QUESTION_INIT dp2dp_gradient_question_default()

/* Returns the number of cells of a sum, which is also the number of weights. */
static inline size_t dp2dp_gradient_cells(const dp2dp_gradient_question *question) {
    return (question->features + 1) * question->outputs;
}

/* A source answers questions about records that it holds. The answers of several sources, each for
 * one shard of the records, add up cell by cell, exactly, to the answer for all records. So a
 * source may hold records in several files, on several machines or at several sites.
 *
 * Privacy: the proof needs only that each record adds one vector of norm at most 2^grid_bits that
 * depends on no other record. A custom source must guarantee this. The answers have no noise:
 * anyone who sees an answer learns something about the records. */
typedef struct dp2dp_gradient_source {
    size_t struct_size;
    uint64_t records; /* public number of records, including those that are left out */
    void *context;
    /* Writes all dp2dp_gradient_cells(question) numbers of sum, in the order of the weights. The
     * question is valid during the call. */
    dp2dp_status (*sum)(
        void *context, const dp2dp_gradient_question *question, int64_t *sum, dp2dp_error *error);
    void (*release)(void *context); /* frees the context; NULL if there is nothing to free */
    int leaves_out;                 /* 1 if records may be left out; public */
} dp2dp_gradient_source;

DP2DP_DEFINE_DEFAULT(dp2dp_gradient_source, DP2DP_STRUCT_GRADIENT_SOURCE)
#define DP2DP_GRADIENT_SOURCE_INIT dp2dp_gradient_source_default()

/* Makes *out a source that answers questions about `rows`. *out must come from
 * DP2DP_GRADIENT_SOURCE_INIT. `rows` holds one shard of the records, and may be empty. It must come
 * from dp2dp_schema_encode with this schema and at least the parts that dp2dp_target_parts gives.
 * The rows are kept in memory. The stream is read to its end and released, also on failure.
 * threads = 0: one per processor.
 *
 * out->sum fails with ARGUMENT if a question does not fit the schema and the target. The answers
 * are the same for any number of threads. Only one thread at a time may ask. Privacy: charges
 * nothing; see dp2dp_gradient_source. Ownership: free with out->release(out->context); the schema
 * may be freed before that. After a failure there is nothing to free. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_gradient_source_open(
    const dp2dp_schema *schema, struct ArrowArrayStream *rows, dp2dp_target target,
    unsigned threads, dp2dp_gradient_source *out, dp2dp_error *error);

/* Trains as dp2dp_train does, but asks a source for the sums. options->method must be DPGD. The
 * weights are equal, bit for bit, to those that dp2dp_train computes from all rows. Asks at most
 * steps + 1 questions, one after another.
 *
 * The first question comes before the charge. Its answer shows how many records were summed. So
 * nothing is charged if the source fails or does not hold source->records records. (If leaves_out
 * is 1, the source may hold fewer.) Every later answer must be a possible sum over this number of
 * records; otherwise training stops, and the charge stays. If the source fails, the error says only
 * that the source failed.
 *
 * Privacy: as for dp2dp_train. Ownership: the source is borrowed, and not released. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_train_source(
    const dp2dp_schema *schema, const dp2dp_gradient_source *source,
    const dp2dp_train_options *options, dp2dp_model **out, dp2dp_error *error);

/* Charges to *ledger what dp2dp_train would charge with the same options for this number of
 * records. Reads no rows and draws no noise. Never charges options->ledger. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_train_plan(
    const dp2dp_schema *schema, uint64_t records, const dp2dp_train_options *options,
    dp2dp_ledger *ledger, dp2dp_error *error);

/* Scores rows like dp2dp_model_score, but takes group_weights from a second model. Call this before
 * a fit with base and group_base (dp2dp/fit.h), which makes one model of both. The target of
 * `model` must be `label`, the target of group_model must be `group`, and both must have the same
 * schema; otherwise the call fails with ARGUMENT. If group_model is NULL, the call does the same as
 * dp2dp_model_score. Both models are borrowed until out is released. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_score_with_groups(
    const dp2dp_model *model, const dp2dp_model *group_model, struct ArrowArrayStream *rows,
    struct ArrowArrayStream *out, dp2dp_error *error);

/* Computes the classifier's probabilities, batch by batch, in constant memory. `rows` must come
 * from dp2dp_schema_encode with the model's schema. Each batch of `rows` gives one batch of `out`,
 * in which probabilities replace "numbers", "levels" and "scale". The children are:
 *
 * - "row", as in rows;
 * - "scores", a list of float32 with the probability of each class; absent if the target is
 *   `group`;
 * - "label", "group" and "left_out" if rows has them;
 * - "group_weights", a list of float32 with the probability of each group, if the target is `group`
 *   or `group-label`, or if the model has a group_classifier;
 * - "stratum_weights", a list of float32 with the probability of each pair of group g and class y,
 *   at g × (number of classes) + y, if the target is `group-label`.
 *
 * A rule that does not see the group takes stratum_weights for a criterion with labels, else
 * group_weights (dp2dp_pool_options.weights, dp2dp_predict_options.weights). Fails with ARGUMENT
 * for a model without a classifier.
 *
 * Privacy: charges nothing. Scores and weights reveal something about their rows. Weights are
 * guesses of a sensitive attribute: never store them with a name. Ownership: rows is moved into
 * *out, also on failure; the model is borrowed until out is released. */
DP2DP_MUST_CHECK static inline dp2dp_status dp2dp_model_score(
    const dp2dp_model *model, struct ArrowArrayStream *rows, struct ArrowArrayStream *out,
    dp2dp_error *error) {
    return dp2dp_model_score_with_groups(model, NULL, rows, out, error);
}

#ifdef __cplusplus
}
#endif
#endif
