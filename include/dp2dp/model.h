/* A model: a classifier, a fitted rule, or both. With class probabilities p of a record of stratum
 * e and offsets θ, the rule is h(p, e) = argmax_k p_k − θ_ek, lowest k on a tie, computed in
 * float32. A model is immutable, and threads may share it. */
#ifndef DP2DP_MODEL_H
#define DP2DP_MODEL_H

#include <stdint.h>

#include <dp2dp/criterion.h>
#include <dp2dp/data.h>
#include <dp2dp/ledger.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>
#include <dp2dp/words.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_solver {
#define DP2DP_SOLVER(name, value, word) DP2DP_SOLVER_##name = (value),
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
} dp2dp_solver;

DP2DP_DEFINE_WORDS(dp2dp_solver, DP2DP_WORDS_SOLVER)

/* Bits of dp2dp_model_info.not_private_because. */
typedef enum dp2dp_not_private {
#define DP2DP_NOT_PRIVATE(name, bit, word, help) DP2DP_NOT_PRIVATE_##name = (bit),
#include <dp2dp/not_private.def>
#undef DP2DP_NOT_PRIVATE
} dp2dp_not_private;
DP2DP_DEFINE_WORDS(dp2dp_not_private, DP2DP_WORDS_NOT_PRIVATE)

/* Bits of dp2dp_model_info.warnings. */
typedef enum dp2dp_warning {
#define DP2DP_WARNING(name, bit, word, help) DP2DP_WARNING_##name = (bit),
#include <dp2dp/warning.def>
#undef DP2DP_WARNING
} dp2dp_warning;
DP2DP_DEFINE_WORDS(dp2dp_warning, DP2DP_WORDS_WARNING)

/* Returns the warnings that a budget of its own gives rise to, before anything is charged: δ not
 * below 1/N, ε above 10, ε below δ. records is N; 0: not known. */
DP2DP_API unsigned dp2dp_warn_of_budget(double epsilon, double delta, uint64_t records);

/* Names for the group and class codes of a rule. They are public: the caller states them, and they
 * are never taken from private rows. */
typedef struct dp2dp_names {
    const char *const *groups;  /* names of the J groups; NULL: "0", "1", … */
    const char *const *classes; /* names of the K classes; NULL: "0", "1", … */
    const char *const *scores;  /* names of the K columns with the probabilities; NULL: unknown */
    const char *group_column;   /* name of the column with the group; NULL: unknown */
} dp2dp_names;

/* dpgd: noisy gradient descent on all rows. dpsgd: noisy gradient descent on Poisson samples.
 * output: noise is added once, to the trained weights. none: no noise, NOT PRIVATE. external:
 * weights trained elsewhere. */
typedef enum dp2dp_train_method {
#define DP2DP_TRAIN_METHOD(name, value, word) DP2DP_TRAIN_##name = (value),
#include <dp2dp/method.def>
#undef DP2DP_TRAIN_METHOD
} dp2dp_train_method;
DP2DP_DEFINE_WORDS(dp2dp_train_method, DP2DP_WORDS_METHOD)

/* What a classifier predicts from the features: the label; the group, which is a combination of
 * the sensitive columns and never a feature; or the pair of both. With G groups and K classes, the
 * pair (g, y) is output g K + y. Rules that do not see the group get their weights from the last
 * two. */
typedef enum dp2dp_target {
    DP2DP_TARGET_LABEL = 0,
    DP2DP_TARGET_GROUP = 1,
    DP2DP_TARGET_GROUP_LABEL = 2
} dp2dp_target;
DP2DP_DEFINE_WORDS(dp2dp_target, DP2DP_WORDS_TARGET)

/* A classifier that computes scores or weights: softmax(W (x, 1)), where its schema encodes a row
 * as x. */
typedef struct dp2dp_classifier {
    const char *schema;    /* JSON text of its schema; dp2dp_schema_load reads it */
    size_t features;       /* number of features of that schema */
    const double *weights; /* outputs × (features + 1), row-major, bias last */
    dp2dp_train_method method;
    const struct dp2dp_train_options *options; /* the values used; pointers are NULL */
    uint64_t records;                          /* n, public; 0 for the method external */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;      /* used if rng is INSECURE */
    const char *library_version; /* version of the library that trained it */
    int leaves_out; /* 1: the public options let records be left out; they count in `records` */
    dp2dp_target target;
    size_t outputs; /* number of probabilities: K, G or G K, as the target says */
} dp2dp_classifier;

/* Whether the people of a table include some that the model behind it was made from. */
typedef enum dp2dp_people {
    DP2DP_PEOPLE_OTHER = 0, /* other people: the larger of the two costs counts */
    DP2DP_PEOPLE_SAME = 1   /* some people are in both: the costs add up */
} dp2dp_people;

/* How to treat rows of scores that do not sum to 1 within 1e-6 (float64) or 1e-3 (float32). */
typedef enum dp2dp_row_sums {
    DP2DP_ROW_SUMS_CHECK = 0,    /* refuse the table */
    DP2DP_ROW_SUMS_NORMALIZE = 1 /* divide each row by its sum, which must be above 0 */
} dp2dp_row_sums;

/* How a rule decides. A record has scores p, which the dither may raise by u, and weights w over
 * the J strata; Θ is the J × K table of offsets. The decision is the class with the largest
 *     p_k + u_k − Σ_e w_e Θ_ek,   the lowest class on a tie.
 * offset: w is 1 for the record's group, and there are no labels. linear: w is p_y for the strata
 * (g, y) of the record's group g. weighted: w comes with the record, as an estimate of the
 * probability of each stratum; the rule does not see the group. */
typedef enum dp2dp_rule {
    DP2DP_RULE_OFFSET = 0,
    DP2DP_RULE_LINEAR = 1,
    DP2DP_RULE_WEIGHTED = 2
} dp2dp_rule;
DP2DP_DEFINE_WORDS(dp2dp_rule, DP2DP_WORDS_RULE)

/* What a pool counts a record under: its own stratum, or its weights w over all strata, which need
 * no label (and for the rule `weighted` no group) but are only as fair as the weights are right. */
typedef enum dp2dp_counted {
    DP2DP_COUNTED_LABELS = 0,
    DP2DP_COUNTED_SCORES = 1
} dp2dp_counted;
DP2DP_DEFINE_WORDS(dp2dp_counted, DP2DP_WORDS_COUNTED)

/* What the dither of a record depends on, besides seed and class: its position in the table, its
 * scores rounded to 2^-14, or a number that the caller gives. Equal keys get equal dither. */
typedef enum dp2dp_dither_key {
    DP2DP_DITHER_KEY_ROW = 0,
    DP2DP_DITHER_KEY_SCORES = 1,
    DP2DP_DITHER_KEY_ID = 2
} dp2dp_dither_key;
DP2DP_DEFINE_WORDS(dp2dp_dither_key, DP2DP_WORDS_DITHER_KEY)

/* Randomises decisions in public: fit and predict both add width · u(seed, key, class) to every
 * score, where u is public and uniform on [0, 1). Breaks ties between equal scores, and lets a rule
 * reach a criterion that no deterministic rule reaches. Width 0: no dither. */
typedef struct dp2dp_dither {
    double width; /* from 0 to 1 */
    uint64_t seed;
} dp2dp_dither;

/* The proof of solver `exact`. dual, primal and rule are mean accuracies, taking the scores as true
 * probabilities. No randomised rule with unfairness U ≤ ρ on the pool exceeds dual; some such rule
 * reaches primal; the deterministic rule that the model has reaches rule. unfairness is the U of
 * the deterministic rule, which may exceed ρ because of ties. */
typedef struct dp2dp_optimality {
    double dual, primal;
    double rule, unfairness;
} dp2dp_optimality;

/* One set of people that a model was made from. */
typedef struct dp2dp_cover {
    const char *role;      /* "train" or "pool" */
    const char *people;    /* the caller's name for them, or NULL */
    uint64_t records;      /* 0: not known */
    double epsilon, delta; /* what they are promised; NAN: they are not covered */
    unsigned because;      /* why not: dp2dp_not_private bits; 0: they are covered */
} dp2dp_cover;

typedef struct dp2dp_model dp2dp_model;

/* All facts about a model. Later versions add fields at the end. */
typedef struct dp2dp_model_info {
    size_t struct_size;     /* sizeof this struct in the library */
    size_t strata, classes; /* J and K; J = 0: a classifier without a rule. K = 0: a classifier of
                               groups, which decides nothing */
    const double *offsets;  /* θ, J × K, row-major; each value is representable as a float32 */
    const double *shares; /* π̄: the J shares of the strata among the records, noisy if private */
    dp2dp_names names;    /* groups and classes are never NULL */
    dp2dp_row_sums row_sums; /* NORMALIZE: predict divides each row by its sum, as the fit did */
    dp2dp_dither dither;
    dp2dp_solver solver;                     /* solver, options and records are 0 if J = 0 */
    const struct dp2dp_fit_options *options; /* the values used; pointers are NULL */
    uint64_t records;                        /* N, public */
    dp2dp_rng_kind rng;                      /* generator of the fit; if J = 0, of the training */
    uint64_t insecure_seed;                  /* used if rng is INSECURE */
    unsigned not_private_because;            /* dp2dp_not_private bits; 0: the model is private */
    const dp2dp_ledger *ledger;              /* everything that was charged for this model */
    double epsilon, delta;  /* an upper bound computed from that ledger; NAN if there is none */
    double epsilon_claimed; /* sgd-as-published: the ε that the paper claims, not sound; else NAN */
    const dp2dp_optimality *optimality; /* for the solver exact; else NULL */
    const char *library_version;        /* version of the library that fitted it */
    const dp2dp_classifier *classifier; /* NULL: the scores come from elsewhere. Its target is
                                           `group` if K = 0 */
    unsigned warnings;                  /* dp2dp_warning bits */
    size_t cover_count;
    const dp2dp_cover *covers; /* all people that the model was made from, as far as is known. If a
                                  rule replaced another, "pool" comes twice: the first pool, and
                                  the last one, any of whom may be in the others too */
    int leaves_out;   /* 1: the public options let records be left out, and they were counted in a
                         noisy cell of their own */
    int from_version; /* 1: read from a file of version 1; else 0 */
    const char *checksum;  /* of the text it was read from, 64 hexadecimal digits; NULL: made in
                              memory, and only its JSON has one */
    size_t groups, labels; /* G and Y: stratum g Y + y has group g and label y; J = G Y. Without
                              labels Y = 1 and a stratum is a group. Without a rule, G is 0 unless
                              the classifier predicts groups */
    dp2dp_rule rule;
    dp2dp_criterion criterion;
    int32_t positive;                  /* the class of a rate parity, or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *statistics; /* of the criterion custom; else NULL */
    size_t statistic_count;
    dp2dp_counted counted;
    dp2dp_dither_key dither_key;
    size_t weight_columns;      /* of the rule `weighted`: J, or G if predict gets weights of the
                                   groups, which are multiplied by p_y; else 0 */
    const char *const *weights; /* names of the columns with the weights; NULL: unknown */
    double tolerance; /* the largest gap that the fit left alone: ρ, or the noise of a rate if that
                         is larger; NAN if there is no such number */
    const dp2dp_classifier *group_classifier; /* with a rule that does not see the group: the
                                                 classifier of groups beside `classifier`, with the
                                                 same schema; NULL: none */
} dp2dp_model_info;

/* The facts about a model. Ownership: they belong to the model and live until it is freed. */
DP2DP_API const dp2dp_model_info *dp2dp_model_view(const dp2dp_model *model);
DP2DP_API void dp2dp_model_free(dp2dp_model *model);

/* How to treat a record of a group that the model does not know. */
typedef enum dp2dp_unknown_group {
    DP2DP_UNKNOWN_REFUSE = 0,
    DP2DP_UNKNOWN_BASE = 1 /* use offsets 0: the decision is the plain argmax */
} dp2dp_unknown_group;

typedef struct dp2dp_predict_options {
    size_t struct_size;
    dp2dp_unknown_group unknown;
    uint64_t first_row; /* position of row 0 in the whole table, for messages and the dither */
    unsigned threads;   /* 0: one per processor */
    const dp2dp_matrix *weights; /* for the rule `weighted`: weight_columns numbers for each row,
                                    probabilities like the scores */
    const uint64_t *ids;         /* for the dither key `id`: one number for each row */
    int without_dither; /* 1: leaves the dither out, and ids must be NULL. To find out how many
                           decisions depend on it: those whose best two values differ by less than
                           its width. Decisions to act upon have the dither */
} dp2dp_predict_options;

DP2DP_DEFINE_DEFAULT(dp2dp_predict_options, DP2DP_STRUCT_PREDICT_OPTIONS)
#define DP2DP_PREDICT_OPTIONS_INIT dp2dp_predict_options_default()

/* The number that stands for an id as a dither key: the 64-bit FNV-1a hash of its UTF-8 text. An
 * integer id has the text of its decimal digits, so 7 and "7" are the same person in every
 * language. */
DP2DP_API uint64_t dp2dp_dither_id(const char *text, size_t length);

/* Decides for many records: out[i] is the class of row i. Refuses group codes outside 0..J−1
 * (unless options->unknown allows them) and rows that the pool would refuse: scores that are not
 * probabilities, such as percentages or log-odds, and rows that do not sum to 1 (a model that
 * normalizes divides by the sum). The error names the row.
 * Without a rule (J = 0) the decision is the plain argmax and groups is ignored. options NULL: the
 * defaults. Allocates nothing. Privacy: charges nothing. A decision reveals something about the
 * person it is made for; the guarantee does not cover that. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_predict(
    const dp2dp_model *model, const dp2dp_matrix *scores, const dp2dp_column *groups,
    const dp2dp_predict_options *options, int32_t *out, dp2dp_error *error);

/* Computes the adjusted scores p_k − θ_gk, whose argmax is the decision for a row of group g; out
 * is rows × K, row-major. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_adjust(
    const dp2dp_model *model, const dp2dp_matrix *scores, const dp2dp_column *groups,
    const dp2dp_predict_options *options, float *out, dp2dp_error *error);

/* Decides for one person, from the scores of the K classes in order and the name of the group
 * (ignored if the model has no rule). *decision is the name of the class. Privacy and checks as for
 * dp2dp_model_predict; refuses an unknown group. Ownership: the name belongs to the model. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_decide(
    const dp2dp_model *model, const double *scores, const char *group, const char **decision,
    dp2dp_error *error);

/* Writes and reads a model (docs/model.md): JSON with a checksum. save replaces the file
 * atomically, unless it is a ledger of people. from_json and load refuse, with the reason, a
 * damaged or truncated text and a newer major format. Privacy: the whole text may be published if
 * not_private_because is 0. Ownership: the caller frees the model, and the text with
 * dp2dp_text_free. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_model_to_json(const dp2dp_model *model, char **text, size_t *length, dp2dp_error *error);
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_model_from_json(const char *text, size_t length, dp2dp_model **out, dp2dp_error *error);
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_model_save(const dp2dp_model *model, const char *path, dp2dp_error *error);
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_model_load(const char *path, dp2dp_model **out, dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
