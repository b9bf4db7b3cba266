/* Measures a rule: an evaluation without privacy, and a private certificate. The unfairness under a
 * criterion is the largest difference between two groups in any of the criterion's rates
 * (dp2dp/criterion.h). Without a criterion, "unfairness" means unfairness under demographic parity.
 */
#ifndef DP2DP_METRICS_H
#define DP2DP_METRICS_H

#include <stdint.h>

#include <dp2dp/criterion.h>
#include <dp2dp/data.h>
#include <dp2dp/ledger.h>
#include <dp2dp/model.h>
#include <dp2dp/options.h>
#include <dp2dp/pool.h>
#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dp2dp_interval {
    double low, high;
} dp2dp_interval;

typedef struct dp2dp_evaluate_options {
    size_t struct_size;
    size_t strata, classes;   /* both at least 2; codes count from 0 */
    double confidence;        /* confidence of each single interval, above 0 and below 1 */
    uint64_t bootstrap_draws; /* number of resamples for the bootstrap intervals, at most 10^6; 0:
                                 no intervals */
    uint64_t insecure_seed;   /* seed of the bootstrap; the same seed gives the same intervals */
    int32_t positive; /* the positive class for true and false positive rates and disparate impact,
                         or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *statistics; /* statistics of the criterion custom; NULL: custom is not
                                          measured */
    size_t statistic_count;
} dp2dp_evaluate_options;

DP2DP_DEFINE_DEFAULT(dp2dp_evaluate_options, DP2DP_STRUCT_EVALUATE_OPTIONS)
#define DP2DP_EVALUATE_OPTIONS_INIT dp2dp_evaluate_options_default()

/* A proportion: `part` people out of `whole`. */
typedef struct dp2dp_proportion {
    int64_t part, whole;
    double rate;             /* part / whole; NAN if whole is 0 */
    dp2dp_interval interval; /* Clopper–Pearson; [0, 1] if whole is 0 */
} dp2dp_proportion;

/* The rates of one class in one group. Without labels, only selection is measured: `whole` is 0 in
 * the other proportions. */
typedef struct dp2dp_class_rates {
    dp2dp_proportion selection; /* share of people who get the class, among all people */
    /* Share of people who get the class, among people whose label is the class. */
    dp2dp_proportion true_positive;
    /* Share of people who get the class, among people with another label. */
    dp2dp_proportion false_positive;
    dp2dp_proportion precision; /* share of people whose label is the class, among people who get
                                   the class; also called positive predictive value (PPV) */
} dp2dp_class_rates;

/* The unfairness under one criterion. The rate of a statistic is compared only between groups that
 * have people whose label is in the statistic's set. */
typedef struct dp2dp_unfairness {
    int measured; /* 1 if the unfairness under this criterion was measured. If 0, `unfairness` and
                     `interval` are NAN, and the other members are not set */
    double unfairness; /* the largest difference of a rate between two groups. NAN if there are no
                          two groups to compare */
    dp2dp_interval interval;      /* bootstrap interval. If a rate is computed from fewer than 20
                                     people, or if two groups have rates of exactly 0 or 1, the
                                     interval is widened by exact (Clopper–Pearson) limits of these
                                     rates. NAN if bootstrap_draws is 0 */
    size_t statistic;             /* the statistic with the largest difference */
    size_t group_high, group_low; /* the groups in which the rate of `statistic` is largest and
                                     smallest; may be the same group if unfairness is 0 or NAN */
    size_t statistic_count;       /* number of statistics of the criterion */
    const dp2dp_statistic *statistics;
    /* The rate of statistic s in group g is rates[g × statistic_count + s]. */
    const dp2dp_proportion *rates;
} dp2dp_unfairness;

enum {
    DP2DP_PEOPLE_FEW = 100 /* some warnings need at least this many people, because with fewer they
                              would often appear by chance */
};

/* Compares decisions with labels: `right` of `records` decisions are right. Returns
 * WORSE_THAN_GUESSING or LABELS_ARE_DECISIONS as dp2dp_warning bits, or 0. */
static inline unsigned dp2dp_warn_of_labels(uint64_t records, uint64_t right, size_t classes) {
    return right == records && records >= DP2DP_PEOPLE_FEW
               ? (unsigned)DP2DP_WARNING_LABELS_ARE_DECISIONS
           : (double)right * (double)classes < (double)records
               ? (unsigned)DP2DP_WARNING_WORSE_THAN_GUESSING
               : 0U;
}

/* Returns ONE_CLASS as a dp2dp_warning bit if all `records` people get the same class, else 0.
 * `most` is the number of people who get the class that most people get. */
static inline unsigned dp2dp_warn_of_classes(uint64_t records, uint64_t most) {
    return records >= DP2DP_PEOPLE_FEW && most == records ? (unsigned)DP2DP_WARNING_ONE_CLASS : 0U;
}

/* Returns LEFT_OUT_DIFFERS as a dp2dp_warning bit if the share of people who are left out is
 * clearly larger in one group than in another, else 0. Only groups of at least DP2DP_PEOPLE_FEW
 * people are compared. A share is clearly larger if it is larger by more than 5 percentage points
 * and by more than four standard errors. Groups with the same true share get this warning in less
 * than one table in 1000. */
static inline unsigned dp2dp_warn_of_left_out(
    const uint64_t *kept, const uint64_t *left_out, size_t groups) {
    double low = 2, high = -1, low_size = 1, high_size = 1;
    for (size_t g = 0; g < groups; g++) {
        double size = (double)kept[g] + (double)left_out[g];
        double share = size < DP2DP_PEOPLE_FEW ? -1 : (double)left_out[g] / size;
        if (share >= 0 && share < low) {
            low = share;
            low_size = size;
        }
        if (share > high) {
            high = share;
            high_size = size;
        }
    }
    double gap = high - low;
    double mean = (low * low_size + high * high_size) / (low_size + high_size);
    double variance = mean * (1 - mean) * (1 / low_size + 1 / high_size);
    return gap > 0.05 && gap * gap > 16 * variance ? (unsigned)DP2DP_WARNING_LEFT_OUT_DIFFERS : 0U;
}

/* The result of dp2dp_evaluate. A number is NAN if there is nothing to measure, such as the rates
 * of a stratum without records, or accuracies without labels. Tables are strata × classes,
 * row-major. */
typedef struct dp2dp_evaluation {
    uint64_t records;
    size_t strata, classes;
    double confidence;
    const int64_t *counts; /* number of records of each stratum that get each class */
    const double *rates;   /* counts divided by the number of records of the stratum */
    /* Clopper–Pearson intervals; [0, 1] for a stratum without records. */
    const dp2dp_interval *rate_intervals;
    double unfairness; /* unfairness under demographic parity, among strata that have records; NAN
                          if fewer than two strata have records */
    dp2dp_interval unfairness_interval; /* computed like dp2dp_unfairness.interval; NAN if
                                           unfairness is NAN or bootstrap_draws is 0 */
    int has_labels;
    double accuracy, error;               /* error is 1 − accuracy */
    dp2dp_interval accuracy_interval;     /* Clopper–Pearson */
    double balanced_accuracy;             /* mean recall over the classes that occur as labels */
    int32_t positive;                     /* the positive class, as in the options */
    const dp2dp_class_rates *class_rates; /* rates of each class in each group, groups × classes */
    /* For each group, the share of people who get another class than their label. */
    const dp2dp_proportion *errors;
    const double *disparate_impacts; /* for each class, the smallest selection rate of any group
                                        divided by the largest selection rate of any group; NAN if
                                        nobody gets the class */
    double disparate_impact; /* disparate impact of the positive class. If positive is DEFAULT and
                                there are more than two classes, the smallest disparate impact of
                                any class */
    /* Number of records of group g with label y that get class k, at (g × classes + y) × classes +
     * k. NULL if there are no labels or the table would have more than 2^20 numbers. If NULL, no
     * criterion with labels is measured. */
    const int64_t *label_counts;
    const dp2dp_unfairness *criteria; /* indexed by dp2dp_criterion. demographic_parity is always
                                         measured, the other built-in criteria if there are labels,
                                         and custom if its statistics are given */
    size_t criterion_count;
    /* What is suspicious, as dp2dp_warning bits: those of dp2dp_warn_of_labels, and
     * NO_BETTER_THAN_GUESSING, EMPTY_CLASS and ONE_CLASS. WORSE_THAN_GUESSING is also set if
     * exchanging two classes would make clearly more decisions right. */
    unsigned warnings;
} dp2dp_evaluation;

/* Compares predictions with strata and, if labels is not NULL, with labels. Refuses a code outside
 * its range; the error names row and column. Privacy: NONE. Every number in the result depends
 * directly on the records, so use this function only if the data need no protection. Ownership: the
 * caller frees the evaluation, which is read-only; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_evaluate(
    const dp2dp_column *predictions, const dp2dp_column *strata, const dp2dp_column *labels,
    const dp2dp_evaluate_options *options, dp2dp_evaluation **out, dp2dp_error *error);
DP2DP_API void dp2dp_evaluation_free(dp2dp_evaluation *evaluation);

/* Returns dp2dp_warning bits about suspicious labels and decisions. `before` measures the decisions
 * without the rule, and `after` the decisions with the rule. If all labels equal the decisions of
 * `before` or of `after`, the labels are probably copies of these decisions and not the truth.
 * Privacy: NONE, as for dp2dp_evaluate. */
static inline unsigned dp2dp_warn_of_decisions(
    const dp2dp_evaluation *before, const dp2dp_evaluation *after) {
    const unsigned of_both =
        (unsigned)DP2DP_WARNING_ONE_CLASS | (unsigned)DP2DP_WARNING_LABELS_ARE_DECISIONS;
    return before->warnings | (after->warnings & of_both);
}

/* A class that two groups get at different rates. */
typedef struct dp2dp_rate_gap {
    size_t class_code, group_high, group_low;
    double rate_high, rate_low;
} dp2dp_rate_gap;

/* Returns RATES_DIFFER as a dp2dp_warning bit if groups get a class at clearly different rates
 * although the model should make these rates equal; else 0. `table` has the number of people of
 * each group who get each class, groups × classes; `sigma` is the standard deviation of the noise
 * on these numbers, or 0 without noise. Compares only groups of at least DP2DP_PEOPLE_FEW people,
 * both in the fit and in `table`. In `table`, 20 people are enough if there is no noise, each
 * person has one row, and there are at most 1000 pairs of group and class. The warning exists only
 * for models with the criterion demographic parity and the solver `counts` or `exact`. If the
 * warning is returned and `gap` is not NULL, sets *gap to the largest difference. Privacy: the
 * results are as private as `table`. */
DP2DP_API unsigned dp2dp_warn_of_rates(
    const dp2dp_model_info *info, const double *table, double sigma, dp2dp_rate_gap *gap);

/* Returns the share that column j of the weights should have on average, according to the model. */
static inline double dp2dp_weight_share(const dp2dp_model_info *info, size_t j) {
    size_t each = info->strata / info->weight_columns; /* strata of one column */
    double share = 0;
    for (size_t i = 0; i < each; i++) {
        share += info->shares[j * each + i];
    }
    return share;
}

/* Returns how many of the values, one for each column of the weights, are smaller than value j, or
 * are equal and stand before it. `values` NULL: the shares of the model. */
static inline size_t dp2dp_weight_rank(
    const dp2dp_model_info *info, const double *values, size_t j) {
    double own = values ? values[j] : dp2dp_weight_share(info, j);
    size_t rank = 0;
    for (size_t i = 0; i < info->weight_columns; i++) {
        double other = values ? values[i] : dp2dp_weight_share(info, i);
        rank += other < own || (other == own && i < j);
    }
    return rank;
}

/* Says whether the columns of the weights, for a rule that does not see the group, seem to be in
 * the wrong order. Returns 1 if the means of the columns over `rows` rows are far from the shares
 * of the model, but would be near these shares in another order. Column order[j] then fits best as
 * column j. `means` and `order` have info->weight_columns entries; rows of weights sum to 1.
 * Returns 0 if there are fewer than DP2DP_PEOPLE_FEW rows. Far: some mean differs from its share by
 * more than 0.1 plus four standard errors. Near: in the other order, no mean differs by more than
 * 0.05 or two standard errors, whichever is larger, or by more than a third of the largest
 * difference in the given order. For a table drawn at random from the population of the fit, the
 * result is 1 by chance with a probability below 1 in 10000. Privacy: NONE, if `means` are
 * exact. */
static inline int dp2dp_weights_order(
    const dp2dp_model_info *info, const double *means, uint64_t rows, size_t *order) {
    double farthest = 0, nearest = 0;
    int is_far = 0, is_near = 1;
    if (info->rule != DP2DP_RULE_WEIGHTED || info->weight_columns < 2 || rows < DP2DP_PEOPLE_FEW ||
        info->records == 0 || (info->warnings & (unsigned)DP2DP_WARNING_GROUP_TOO_SMALL) != 0) {
        return 0;
    }
    for (size_t j = 0; j < info->weight_columns; j++) {
        double share = dp2dp_weight_share(info, j);
        double variance = share * (1 - share) * (1 / (double)rows + 1 / (double)info->records);
        size_t rank = dp2dp_weight_rank(info, NULL, j), fit = 0;
        while (fit + 1 < info->weight_columns && dp2dp_weight_rank(info, means, fit) != rank) {
            fit++;
        }
        order[j] = fit;
        double off = means[j] < share ? share - means[j] : means[j] - share;
        double left = means[fit] < share ? share - means[fit] : means[fit] - share;
        is_far = is_far || (off > 0.1 && (off - 0.1) * (off - 0.1) > 16 * variance);
        is_near = is_near && (left <= 0.05 || left * left <= 4 * variance);
        farthest = off > farthest ? off : farthest;
        nearest = left > nearest ? left : nearest;
    }
    return is_far && is_near && 3 * nearest <= farthest;
}

typedef struct dp2dp_certify_options {
    size_t struct_size;
    double epsilon, delta;    /* the budget of the certificate; no default: the user must choose */
    double confidence;        /* from 0.5 to 1 − 1e-9 */
    uint64_t rows_per_person; /* largest number of rows of one person; all these rows are protected
                                 together. 0: as in the model */
    /* If rng is INSECURE, the noise comes from insecure_seed and the certificate is NOT PRIVATE. */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;
    dp2dp_ledger *ledger;    /* the ledger kept for the people in the source, with adjacency
                                replace-one; must not be NULL */
    const char *people_name; /* the caller's name for these people; NULL: everybody */
    dp2dp_people people;     /* SAME: data of some of these people were used to make the model. The
                                model's own charges are then charged to these people too, and both
                                bounds of the certificate are NAN */
    /* If not NULL, dp2dp_certify_plan sets *unfairness_least to approximately the smallest
     * strict bound that is possible with this number of people, even if the rule is perfectly fair:
     * without noise in the counts, with equal groups, and with everybody in the same class. 1 if
     * people is SAME. Depends on public numbers only. dp2dp_certify does not use it. */
    double *unfairness_least;
} dp2dp_certify_options;

DP2DP_DEFINE_DEFAULT(dp2dp_certify_options, DP2DP_STRUCT_CERTIFY_OPTIONS)
#define DP2DP_CERTIFY_OPTIONS_INIT dp2dp_certify_options_default()

enum {
    DP2DP_CRITERIA_MAX = 8 /* every dp2dp_criterion is below this number */
};

/* Two upper bounds on the unfairness under one criterion. */
typedef struct dp2dp_unfairness_bound {
    double upper;        /* bound by a normal approximation; NAN if measured is 0, or if the
                            certificate's held_out is 0 */
    double upper_strict; /* bound that is proven for every sample size; usually larger */
    int measured; /* 1 if there is a bound; 0 if the table gives no bound for this criterion */
    int group_too_small; /* 1 if the noise is too large for the number of people that a rate is
                            about; both bounds are then 1 */
} dp2dp_unfairness_bound;

typedef struct dp2dp_certificate {
    size_t struct_size;
    double *table; /* memory of the caller, into which dp2dp_certify writes the strata × classes
                      released numbers; may be NULL */
    double unfairness_upper; /* upper bound on the unfairness in the population under the model's
                                criterion; holds with probability `confidence` */
    /* A second upper bound on the unfairness, proven for every sample size; usually larger. */
    double unfairness_upper_strict;
    double confidence;
    double sigma; /* standard deviation of the noise on each count, as charged to the ledger */
    int group_too_small; /* 1 if the noise is too large for the number of people in some group; both
                            bounds are then 1 */
    int is_private;      /* 1 if the noise was secure */
    int held_out;        /* 0 if people was SAME in the options; the two bounds are then NAN */
    char release_id[40]; /* identifies the release, as text */
    uint64_t records;    /* number of rows of the source, which is public */
    size_t strata, classes;   /* size of the table */
    uint64_t rows_per_person; /* the largest number of rows of one person that the bounds assume */
    int leaves_out;    /* 1 if the public options let records be left out. Records that are left out
                          count in `records` and in a noisy cell of their own, which is not in the
                          table */
    unsigned warnings; /* dp2dp_warning bits about the budget, the groups and the people */
    size_t groups, labels; /* row g × labels + y of the table is for group g and label y. Without
                              labels, labels is 1 */
    /* Criterion of the model; demographic_parity if the model has no rule. */
    dp2dp_criterion criterion;
    int32_t positive; /* positive class of the model */
    /* The model's statistics if its criterion is custom; else NULL. */
    const dp2dp_statistic *statistics;
    size_t statistic_count;
    /* Indexed by dp2dp_criterion: the bounds that the same table gives for each criterion, at no
     * further cost. A table without labels gives bounds only for demographic_parity. Each single
     * bound holds with probability `confidence`. The probability that all bounds hold together may
     * be smaller. */
    dp2dp_unfairness_bound criteria[DP2DP_CRITERIA_MAX];
} dp2dp_certificate;

DP2DP_DEFINE_DEFAULT(dp2dp_certificate, DP2DP_STRUCT_CERTIFICATE)
#define DP2DP_CERTIFICATE_INIT dp2dp_certificate_default()

/* Computes an upper bound on the unfairness of a model, under its own criterion, in the population
 * that the people of the source were drawn from. The bound allows for sampling and for privacy
 * noise (docs/certificate.md).
 *
 * Nobody in the source may have been used to make the model. If somebody was, set options->people
 * to SAME; both bounds are then NAN. The source must normalise, dither and decide as the model
 * does, have labels if the model has them, and have `counted` set to LABELS. For a model without a
 * rule, the source may have labels. If a person may have several rows, the bound assumes the worst
 * case: the rows of a person all belong to one group and are all equal. The strict bound is then 1.
 *
 * Privacy: charges one Gaussian release of the table of decisions, with the label "certificate",
 * sensitivity √2 and options->rows_per_person, before any noise is drawn. If source->leaves_out is
 * 1, the release also has the number of records left out, which the bounds ignore. source->count is
 * called before the charge, so nothing is charged if source->count fails or gives an impossible
 * table. If people is SAME, the model's charges are charged together with this release, all or
 * none; charges whose release_id the ledger already holds are skipped. If people is SAME and the
 * model was made without noise, the ledger marks these people as exposed. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_certify(
    const dp2dp_source *source, const dp2dp_model *model, const dp2dp_certify_options *options,
    dp2dp_certificate *out, dp2dp_error *error);

/* Charges to *ledger what dp2dp_certify would charge with the same options. Draws no noise. Uses
 * only the sizes in *source; the callback source->count is not called and may be NULL. Never
 * charges options->ledger. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_certify_plan(
    const dp2dp_source *source, const dp2dp_model *model, const dp2dp_certify_options *options,
    dp2dp_ledger *ledger, dp2dp_error *error);

/* A certificate as it is stored in a file (docs/certificate.md). Later versions add fields at the
 * end. */
typedef struct dp2dp_certificate_file {
    size_t struct_size; /* sizeof this struct in the library */
    const dp2dp_certificate *certificate;
    const char *const *groups;  /* names of the groups */
    const char *const *classes; /* names of the classes */
    double epsilon, delta;      /* privacy cost to the people of the source */
    const char *people;         /* the caller's name for these people; NULL: everybody */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;     /* seed of the noise if rng is INSECURE */
    const dp2dp_ledger *ledger; /* ledger with the charges for this certificate */
    const char *ledger_hash; /* hash of the certificate's entry in the user's ledger; NULL if that
                                ledger is not in a file */
    const char *model_checksum;  /* checksum of the model's text */
    const char *library_version; /* version of the library that made the certificate */
    const char *checksum;        /* checksum of the certificate's own text */
} dp2dp_certificate_file;

/* Writes a certificate as JSON with a checksum. The certificate must have a table. `model` and
 * `options` must be the arguments that dp2dp_certify got, and options->ledger must hold the charge
 * of this certificate. Privacy: the text may be published if the certificate is private. Ownership:
 * the caller frees the text with dp2dp_text_free. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_certificate_to_json(
    const dp2dp_certificate *certificate, const dp2dp_model *model,
    const dp2dp_certify_options *options, char **text, size_t *length, dp2dp_error *error);
/* Reads a certificate from a file. Refuses a damaged text and a newer major format. Also refuses an
 * ε that is smaller than the ledger entry of the certificate allows, and bounds that are smaller
 * than the table allows. Ownership: the caller frees the certificate, which is read-only; free
 * accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_certificate_load(const char *path, dp2dp_certificate_file **out, dp2dp_error *error);
DP2DP_API void dp2dp_certificate_file_free(dp2dp_certificate_file *certificate);

typedef enum dp2dp_check_result {
    DP2DP_CHECK_HOLDS = 1,
    DP2DP_CHECK_FAILS = 2,
    DP2DP_CHECK_NOTED = 3 /* these files are not enough for the check, or the finding is no
                             contradiction but should be known */
} dp2dp_check_result;
DP2DP_DEFINE_WORDS(dp2dp_check_result, DP2DP_WORDS_CHECK)

/* One check of dp2dp_verify. Later versions add fields at the end. */
typedef struct dp2dp_check {
    size_t struct_size; /* sizeof this struct in the library */
    const char *what;   /* what was checked: "file", "release", "training", "published", "model",
                           "ledger-entry", "copy", "people" or "certificates" */
    const char *file;   /* path of the file that was checked */
    const char *other;  /* path of the file that `file` was compared with, or NULL */
    dp2dp_check_result result;
    const char *message; /* the finding, as a sentence */
} dp2dp_check;

/* Called for each check in turn. Ownership: the check and its texts live until the callback
 * returns. */
typedef void (*dp2dp_check_report)(void *context, const dp2dp_check *check);

/* Checks models, ledgers and certificates, each file by itself and against the other files. Calls
 * report for each check; report may be NULL. Fails with DATA if a check fails; the error has the
 * first failure.
 *
 * Each file alone must pass the checks of the function that reads it. The charges that a model
 * records for its rule must be entries in one of the ledgers. If a model has no rule, the charges
 * for its training must be entries in one of the ledgers. The charge of a certificate must be an
 * entry in one of the ledgers too. If a ledger says which file a release was published in, the
 * release must be in this file. A certificate must be about one of the models, and the ledger entry
 * that it cites must exist. Two ledgers must not be copies of one ledger that were both charged.
 * Notes if several ledgers have charges for people of the same name, and if several certificates
 * are about one model. If the last entries of a ledger were removed, these checks notice it
 * only if some file cites one of those entries.
 *
 * Privacy: reads no records and charges nothing. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_verify(
    const char *const *paths, size_t count, dp2dp_check_report report, void *context,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
