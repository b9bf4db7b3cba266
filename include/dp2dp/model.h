/* A model: a classifier, a fitted rule, or both. For a record of stratum e with class probabilities
 * p, the rule chooses the class k with the largest p_k − θ_ek, where θ are the offsets. On a tie it
 * chooses the lowest k. Decisions are computed in float32. A model is immutable, and threads may
 * share it. */
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

/* Bits of dp2dp_model_info.warnings and dp2dp_certificate.warnings. */
typedef enum dp2dp_warning {
#define DP2DP_WARNING(name, bit, word, help) DP2DP_WARNING_##name = (bit),
#include <dp2dp/warning.def>
#undef DP2DP_WARNING
} dp2dp_warning;
DP2DP_DEFINE_WORDS(dp2dp_warning, DP2DP_WORDS_WARNING)

/* Bits of dp2dp_model_info.oddities, and of dp2dp_pool_warnings besides dp2dp_warning. All are
 * below DP2DP_WARNING_MEASURED. */
typedef enum dp2dp_oddity {
#define DP2DP_ODDITY(name, bit, word, help) DP2DP_ODDITY_##name = (bit),
#include <dp2dp/oddity.def>
#undef DP2DP_ODDITY
} dp2dp_oddity;
DP2DP_DEFINE_WORDS(dp2dp_oddity, DP2DP_WORDS_ODDITY)

/* The lowest warning bit about a measurement, or about the people who were measured. A model never
 * has a warning with this bit or a higher bit. The file of a certificate leaves these warnings out.
 */
#define DP2DP_WARNING_MEASURED (1U << 15)

/* Returns the warnings about a budget, before anything is charged: delta is above 1/records or
 * close to it (from three quarters of it on), epsilon is above 10, or epsilon is below delta.
 * records 0 means not known. */
static inline unsigned dp2dp_warn_of_budget(double epsilon, double delta, uint64_t records) {
    int is_finite = epsilon - epsilon == 0.0;
    return !is_finite
               ? 0U
               : (delta * (double)records >= 0.75 ? (unsigned)DP2DP_WARNING_DELTA_LARGE : 0U) |
                     (epsilon > 10.0 ? (unsigned)DP2DP_WARNING_EPSILON_LARGE : 0U) |
                     (epsilon < delta ? (unsigned)DP2DP_WARNING_EPSILON_BELOW_DELTA : 0U);
}

/* Names for the group and class codes of a rule. The names are public: the caller states them, and
 * they must not be taken from private rows. */
typedef struct dp2dp_names {
    const char *const *groups;  /* names of the groups; NULL: "0", "1", … */
    const char *const *classes; /* names of the classes; NULL: "0", "1", … */
    /* Names of the columns with the class probabilities; NULL: unknown. */
    const char *const *scores;
    const char *group_column; /* name of the column with the group; NULL: unknown */
} dp2dp_names;

/* Fails with ARGUMENT if `columns`, the columns of scores, are very likely in the wrong order.
 * There are two signs of this: a column stands at another position in `own`, the model's columns;
 * or the columns contain `names` in another order, for example the columns p_no, p_yes for the
 * names yes, no. All lists have `count` entries; own and names may be NULL. `what` is the word for
 * a name in messages: "class" or "group". dp2dp_fit and dp2dp_export call this function themselves.
 */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_check_order(
    const char *what, const char *const *columns, const char *const *own, const char *const *names,
    size_t count, dp2dp_error *error);

/* How a classifier is trained. dpgd: noisy gradient descent on all rows. dpsgd: noisy gradient
 * descent on Poisson samples. output: noise is added once, to the trained weights. none: no noise,
 * NOT PRIVATE. external: the weights were trained elsewhere. */
typedef enum dp2dp_train_method {
#define DP2DP_TRAIN_METHOD(name, value, word) DP2DP_TRAIN_##name = (value),
#include <dp2dp/method.def>
#undef DP2DP_TRAIN_METHOD
} dp2dp_train_method;
DP2DP_DEFINE_WORDS(dp2dp_train_method, DP2DP_WORDS_METHOD)

/* What a classifier predicts from the features: the label, the group, or the pair of group and
 * label. A group is a combination of levels of the sensitive columns. The group is never a feature.
 * The pair of group g and class y is output g × (number of classes) + y. Rules that do not see the
 * group get their weights from classifiers that predict the group or the pair. */
typedef enum dp2dp_target {
    DP2DP_TARGET_LABEL = 0,
    DP2DP_TARGET_GROUP = 1,
    DP2DP_TARGET_GROUP_LABEL = 2
} dp2dp_target;
DP2DP_DEFINE_WORDS(dp2dp_target, DP2DP_WORDS_TARGET)

/* A classifier. Its outputs are softmax(W (x, 1)), where W holds the classifier's weights and x is
 * a row as the schema encodes it. The outputs are the scores of a rule, or the weights of a rule
 * that does not see the group. */
typedef struct dp2dp_classifier {
    const char *schema;    /* JSON text of the schema; dp2dp_schema_load reads it */
    size_t features;       /* number of features of the schema */
    const double *weights; /* outputs × (features + 1), row-major, bias last */
    dp2dp_train_method method;
    const struct dp2dp_train_options *options; /* the options as used for training; pointers in them
                                                  are NULL */
    uint64_t records; /* public number of records; 0 for the method external */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;      /* seed of the noise if rng is INSECURE */
    const char *library_version; /* version of the library that trained the classifier */
    int leaves_out; /* 1 if the public options allow records to be left out; such records still
                       count in `records` */
    dp2dp_target target;
    size_t outputs; /* number of outputs: the number of classes, of groups, or of pairs, depending
                       on the target */
    const char *const *schema_groups; /* the groups of the schema; NULL if it declares none */
    size_t schema_group_count;
} dp2dp_classifier;

/* Whether some people in a table were also used to make the model that is applied to the table. */
typedef enum dp2dp_people {
    DP2DP_PEOPLE_OTHER = 0, /* no: each person bears only the cost of the model or only that of the
                               table, so the larger cost counts */
    DP2DP_PEOPLE_SAME = 1   /* perhaps: some people may bear both costs, so the costs add up */
} dp2dp_people;

/* How to treat rows of scores that do not sum to 1 within 1e-6 (float64) or 1e-3 (float32). */
typedef enum dp2dp_row_sums {
    DP2DP_ROW_SUMS_CHECK = 0,    /* refuse the table */
    DP2DP_ROW_SUMS_NORMALIZE = 1 /* divide each row by its sum, which must be above 0 */
} dp2dp_row_sums;

/* How a rule decides. A record has a score p_k for each class k, which the dither may raise by u_k,
 * and a weight w_e for each stratum e. Θ is the strata × classes table of offsets. The decision is
 * the class k with the largest
 *     p_k + u_k − Σ_e w_e Θ_ek,   the lowest class on a tie.
 * offset: the record's group has the weight 1, all other groups have 0, and there are no labels.
 * linear: for the record's group g, the weight of the stratum (g, y) is the score p_y, and the
 * strata of other groups have the weight 0. weighted: the weights are given with the record, as an
 * estimate of the probability of each stratum; the rule does not see the group. */
typedef enum dp2dp_rule {
    DP2DP_RULE_OFFSET = 0,
    DP2DP_RULE_LINEAR = 1,
    DP2DP_RULE_WEIGHTED = 2
} dp2dp_rule;
DP2DP_DEFINE_WORDS(dp2dp_rule, DP2DP_WORDS_RULE)

/* How a pool counts a record. LABELS: the record adds 1 to its own stratum. SCORES: the record adds
 * a fraction to every stratum, in proportion to the weights (see dp2dp_rule). SCORES needs no
 * labels, and for the rule `weighted` no groups either. If the weights are wrong, the rule that is
 * learned may be unfair. */
typedef enum dp2dp_counted {
    DP2DP_COUNTED_LABELS = 0,
    DP2DP_COUNTED_SCORES = 1
} dp2dp_counted;
DP2DP_DEFINE_WORDS(dp2dp_counted, DP2DP_WORDS_COUNTED)

/* What the dither of a record depends on, besides seed and class. ROW: the record's position in the
 * table. SCORES: the record's scores, rounded to 2^-14. ID: a number that the caller gives. Records
 * with equal keys get equal dither. */
typedef enum dp2dp_dither_key {
    DP2DP_DITHER_KEY_ROW = 0,
    DP2DP_DITHER_KEY_SCORES = 1,
    DP2DP_DITHER_KEY_ID = 2
} dp2dp_dither_key;
DP2DP_DEFINE_WORDS(dp2dp_dither_key, DP2DP_WORDS_DITHER_KEY)

/* Randomises decisions with public random numbers. Fit and predict both add width · u(seed, key,
 * class) to every score, where u is uniform on [0, 1). This breaks ties between equal scores, and
 * lets a rule satisfy a criterion that no deterministic rule satisfies. Width 0 means no dither. */
typedef struct dp2dp_dither {
    double width; /* from 0 to 1 */
    uint64_t seed;
} dp2dp_dither;

/* The proof of solver `exact`. dual, primal and rule are mean accuracies, computed as if the scores
 * were true probabilities. Consider all randomised rules whose unfairness on the pool is at most
 * rho. No such rule has an accuracy above `dual`, and one of them has the accuracy `primal`. The
 * model's deterministic rule has the accuracy `rule`. `unfairness` is the unfairness of this
 * deterministic rule on the pool; it may exceed rho because of ties. */
typedef struct dp2dp_optimality {
    double dual, primal;
    double rule, unfairness;
} dp2dp_optimality;

/* One set of people that a model was made from. */
typedef struct dp2dp_cover {
    const char *role;      /* "train" or "pool" */
    const char *people;    /* the caller's name for these people, or NULL */
    uint64_t records;      /* 0: not known */
    double epsilon, delta; /* the guarantee to these people; NAN if they are not covered */
    unsigned because;      /* dp2dp_not_private bits: why these people are not covered; else 0 */
} dp2dp_cover;

/* What a model promises to one set of people in its ledger. The costs of different sets are not
 * added, because nobody is assumed to be in two sets. */
typedef struct dp2dp_promise {
    const char *people; /* the caller's name for these people, or else their role, "train" or
                           "pool". "" means everybody: a second fit charges everybody */
    double epsilon;   /* ε of the promise, at the model's delta; INFINITY if something about these
                         people was released without noise */
    uint64_t records; /* 0: not known */
    uint64_t rows_per_person;
    int declared; /* 1: epsilon includes a cost that somebody declared and nobody has checked */
    int trained, pooled; /* 1: the classifier (trained) or a rule (pooled) was learned from these
                            people */
    int of_rule;         /* 1: the present rule was learned from some or all of these people */
} dp2dp_promise;

typedef struct dp2dp_model dp2dp_model;

/* All facts about a model. Later versions add fields at the end. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): new fields come at the end */
typedef struct dp2dp_model_info {
    size_t struct_size;      /* sizeof this struct in the library */
    size_t strata, classes;  /* numbers of strata and classes. strata is 0 if there is no rule.
                                classes is 0 for a classifier that predicts groups, because it
                                decides nothing */
    const double *offsets;   /* strata × classes, row-major; each value is exactly a float32 */
    const double *shares;    /* share of each stratum among the records, noisy if private */
    dp2dp_names names;       /* groups and classes are never NULL */
    dp2dp_row_sums row_sums; /* NORMALIZE: predict divides each row by its sum, as the fit did */
    dp2dp_dither dither;
    dp2dp_solver solver; /* solver of the fit; solver, options and records are 0 if there is no
                            rule */
    const struct dp2dp_fit_options *options; /* the options as used for the fit; pointers in them
                                                are NULL */
    uint64_t records;                        /* public number of records */
    dp2dp_rng_kind rng;           /* generator of the noise in the fit, or in training if there is
                                     no rule */
    uint64_t insecure_seed;       /* seed of the noise if rng is INSECURE */
    unsigned not_private_because; /* dp2dp_not_private bits; 0: the model is private */
    const dp2dp_ledger *ledger;   /* all charges for this model */
    double epsilon, delta;        /* upper bound computed from `ledger`; NAN if there is no bound */
    double epsilon_claimed; /* for the solver sgd-as-published, the ε that the paper claims, which
                               is not sound; else NAN */
    const dp2dp_optimality *optimality; /* for the solver exact; else NULL */
    const char *library_version;        /* version of the library that fitted the model */
    const dp2dp_classifier *classifier; /* NULL if the scores come from elsewhere; predicts groups
                                           if classes is 0 */
    unsigned warnings;                  /* dp2dp_warning bits */
    size_t cover_count;
    /* All people that the model was made from, as far as is known. If a rule replaced another, two
     * covers have the role "pool": the first pool and the last pool. People of the last pool may
     * also be in the other sets. */
    const dp2dp_cover *covers;
    int leaves_out;   /* 1 if the public options let records be left out; such records were counted
                         in a noisy cell of their own */
    int from_version; /* 1 if read from a file of version 1; else 0 */
    const char *checksum;  /* checksum of the text that the model was read from, 64 hexadecimal
                              digits; NULL if it was made in memory */
    size_t groups, labels; /* stratum g × labels + y has group g and label y. Without labels, labels
                              is 1 and a stratum is a group. Without a rule, groups is 0 except for
                              a classifier that predicts groups */
    dp2dp_rule rule;
    dp2dp_criterion criterion;
    int32_t positive; /* the positive class of the criterion, or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *statistics; /* statistics of the criterion custom; else NULL */
    size_t statistic_count;
    dp2dp_counted counted;
    dp2dp_dither_key dither_key;
    size_t weight_columns; /* for the rule `weighted`, the number of weights that predict needs for
                              each row: one for each stratum, or one for each group. Predict
                              multiplies weights of groups by the scores. 0 for other rules */
    const char *const *weights; /* names of the columns with the weights; NULL: unknown */
    double tolerance; /* the fit does not correct gaps of at most this size between the rates of two
                         groups. The size is rho or the noise of a rate, whichever is larger. NAN if
                         the solver is not `counts` */
    /* For a rule that does not see the group, a second classifier, which predicts groups and has
     * the same schema as `classifier`; may be NULL. */
    const dp2dp_classifier *group_classifier;
    unsigned grid_bits; /* fit and predict round each score p, in float32 and after row_sums, to
                           floor(p 2^b + 1/2) / 2^b, where b is grid_bits. 0: no rounding */
    size_t promise_count;
    const dp2dp_promise *promises; /* in the order of the ledger; at most 8, and none if the model
                                      promises nothing */
    /* For each stratum, the approximate standard deviation that the noise of the fit gives to the
     * rate of a class; NAN if the fit has no such noise. Sampling error is not included. */
    const double *rate_noise;
    /* For a classifier without a rule, the norm of the noise divided by the largest possible norm
     * of the signal: near 0 there is little noise, at 1 or more there is only noise. NAN for other
     * models, for weights of the method external, and if there was no noise. */
    double classifier_noise;
    /* If clearly many records were left out of the fit, the number of the other records, estimated
     * from the released tables. 0: few records or none were left out, or it is not known. */
    uint64_t kept;
    /* dp2dp_oddity bits about the source of a fit, found in the released tables. Files do not store
     * them, so they are 0 in a model that was read. */
    unsigned oddities;
    /* Standard deviation of the noise in the number of people of a stratum, which is its share of
     * the records; NAN if the fit has no such noise. */
    double size_noise;
} dp2dp_model_info;

/* Returns 1 if the model has an epsilon. A model whose rule has no noise or no known bound has no
 * epsilon, even if the ledger has entries for the classifier. */
static inline int dp2dp_model_has_epsilon(const dp2dp_model_info *info) {
    const unsigned none = DP2DP_NOT_PRIVATE_NO_NOISE | DP2DP_NOT_PRIVATE_NO_BOUND;
    return (info->not_private_because & none) == 0 && info->epsilon >= 0;
}

/* Returns 1 if a tolerance is so large that it was probably meant as a ratio or as a percentage. */
static inline int dp2dp_rho_is_large(double rho) {
    return rho >= 0.5;
}

/* Returns 1 if the rule changes hardly any decision: there is no dither, and no offset is as large
 * as 0.001. Such a rule changes a decision only if two scores differ by less than 0.002. */
static inline int dp2dp_model_changes_nothing(const dp2dp_model_info *info) {
    int same = info->strata > 0 && info->dither.width == 0.0;
    for (size_t i = 0; same && i < info->strata * info->classes; i++) {
        same = info->offsets[i] < 1e-3 && info->offsets[i] > -1e-3;
    }
    return same;
}

/* Returns the stratum with the fewest people according to `shares`. Returns `strata` if there is
 * only one stratum. Also returns `strata` if the noise may hide which stratum is the smallest: if
 * the difference to another stratum is at most 4 standard deviations of the noise in this
 * difference. */
static inline size_t dp2dp_model_smallest(const dp2dp_model_info *info) {
    double records = (double)(info->kept > 0 ? info->kept : info->records);
    size_t first = 0, others = 0;
    for (size_t e = 1; e < info->strata; e++) {
        first = info->shares[e] < info->shares[first] ? e : first;
    }
    for (size_t e = 0; e < info->strata; e++) {
        double more = (info->shares[e] - info->shares[first]) * records;
        int is_apart = !(more * more <= 16 * 2 * info->size_noise * info->size_noise);
        others += e != first && is_apart;
    }
    return info->strata > 1 && others == info->strata - 1 ? first : info->strata;
}

/* Returns the class that a constant rule (DP2DP_WARNING_CONSTANT_RULE) gives to everybody. Returns
 * -1 if the rule is not constant. */
static inline int32_t dp2dp_model_constant(const dp2dp_model_info *info) {
    for (size_t k = 0; (info->warnings & DP2DP_WARNING_CONSTANT_RULE) && k < info->classes; k++) {
        size_t e = 0;
        while (e < info->strata && info->offsets[e * info->classes + k] == -4.0) {
            e++;
        }
        if (e > 0 && e == info->strata) {
            return (int32_t)k;
        }
    }
    return -1;
}

/* Returns DP2DP_WARNING_AS_MANY_PEOPLE if `records` is exactly the number of records that the
 * rule or the classifier of the model was learned from; else 0. */
static inline unsigned dp2dp_warn_of_people(const dp2dp_model_info *info, uint64_t records) {
    int found = info->strata > 0 && records == info->records;
    for (size_t i = 0; i < info->cover_count; i++) {
        found |= records == info->covers[i].records;
    }
    return found && records > 0 ? (unsigned)DP2DP_WARNING_AS_MANY_PEOPLE : 0U;
}

/* If classifier_noise is above DP2DP_NOISE_MUCH, the classifier is of little use; above
 * DP2DP_NOISE_ALL, it is of no use. */
#define DP2DP_NOISE_MUCH 0.1
#define DP2DP_NOISE_ALL 0.5

/* Returns a caution if `noise`, a classifier_noise, is large; otherwise "". */
static inline const char *dp2dp_noise_caution(double noise) {
    return noise > DP2DP_NOISE_ALL    ? dp2dp_statement_text(DP2DP_STATEMENT_ONLY_NOISE)
           : noise > DP2DP_NOISE_MUCH ? dp2dp_statement_text(DP2DP_STATEMENT_MUCH_NOISE)
                                      : "";
}

/* Returns the facts about a model. Ownership: the facts belong to the model and live until the
 * model is freed. */
DP2DP_API const dp2dp_model_info *dp2dp_model_view(const dp2dp_model *model);
DP2DP_API void dp2dp_model_free(dp2dp_model *model);

/* How to treat a record of a group that the model does not know. */
typedef enum dp2dp_unknown_group {
    DP2DP_UNKNOWN_REFUSE = 0,
    DP2DP_UNKNOWN_BASE = 1 /* use offsets 0, so the decision is the class with the largest score
                              (plus the dither, if there is one) */
} dp2dp_unknown_group;

typedef struct dp2dp_predict_options {
    size_t struct_size;
    dp2dp_unknown_group unknown;
    /* Position of row 0 in the whole table, used in messages and for the dither. */
    uint64_t first_row;
    unsigned threads; /* 0: one per processor */
    /* The weights of each row, as probabilities. The number of columns is
     * dp2dp_model_info.weight_columns. Used only by the rule `weighted`. */
    const dp2dp_matrix *weights;
    const uint64_t *ids; /* only for the dither key `id`: one number for each row */
    int without_dither;  /* 1: leaves the dither out; ids must then be NULL. Use this only to find
                            out how many decisions depend on the dither. A decision depends on the
                            dither if its two largest adjusted scores differ by less than the
                            dither's width */
} dp2dp_predict_options;

DP2DP_DEFINE_DEFAULT(dp2dp_predict_options, DP2DP_STRUCT_PREDICT_OPTIONS)
#define DP2DP_PREDICT_OPTIONS_INIT dp2dp_predict_options_default()

/* Returns the dither key of an id: the 64-bit FNV-1a hash of its UTF-8 text. Write an integer id as
 * its decimal digits, so that 7 and "7" are the same person in every language. */
DP2DP_API uint64_t dp2dp_dither_id(const char *text, size_t length);

/* Decides for many records: out[i] is the class of row i. If the model has no rule, the decision is
 * the class with the largest score, and groups is ignored. options NULL means the defaults.
 * Allocates nothing.
 *
 * Refuses group codes that the model does not know, except if options->unknown is BASE. Refuses
 * rows that the pool would refuse: scores that are not probabilities, such as percentages or
 * log-odds, and rows that do not sum to 1. (If the model has row_sums NORMALIZE, each row is
 * divided by its sum instead.) The error names the row.
 *
 * Privacy: charges nothing. A decision reveals something about the person it is made for; the
 * guarantee does not cover that. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_predict(
    const dp2dp_model *model, const dp2dp_matrix *scores, const dp2dp_column *groups,
    const dp2dp_predict_options *options, int32_t *out, dp2dp_error *error);

/* Computes the adjusted scores that the rule compares. For the rule `offset` they are the scores
 * minus the offsets of the row's group. The decision for a row is the class with the largest
 * adjusted score. out is rows × classes, row-major. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_adjust(
    const dp2dp_model *model, const dp2dp_matrix *scores, const dp2dp_column *groups,
    const dp2dp_predict_options *options, float *out, dp2dp_error *error);

/* Decides for one person. `scores` has the score of each class, in order. `group` is the name of
 * the person's group, and is ignored if the model has no rule. Sets *decision to the name of the
 * class. Privacy and checks are as for dp2dp_model_predict; an unknown group is refused. Ownership:
 * the name belongs to the model. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_model_decide(
    const dp2dp_model *model, const double *scores, const char *group, const char **decision,
    dp2dp_error *error);

/* Write and read a model as JSON with a checksum (docs/model.md). save replaces an existing file
 * atomically, but refuses to replace the file of a ledger kept for people. from_json and load
 * refuse a damaged or truncated text and a newer major format, and give the reason. Privacy: the
 * whole text may be published if not_private_because is 0. Ownership: the caller frees the model,
 * and frees the text with dp2dp_text_free. */
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
