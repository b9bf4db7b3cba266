/* Measures a rule: a plain evaluation without privacy, and a private certificate. The unfairness
 * under a criterion is the largest difference between two groups in any of the criterion's rates
 * (dp2dp/criterion.h). U is the unfairness under demographic parity unless it says otherwise. */
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
    size_t strata, classes;   /* J ≥ 2 and K ≥ 2: codes are 0..J−1 and 0..K−1 */
    double confidence;        /* of each interval taken alone, above 0 and below 1 */
    uint64_t bootstrap_draws; /* resamples for the interval of U, at most 10^6; 0: no interval */
    uint64_t insecure_seed;   /* seed of the bootstrap: the same seed gives the same interval */
    int32_t positive;         /* class of the true and false positive rates and of the disparate
                                 impact, or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *statistics; /* of the criterion custom, which is measured too; or NULL */
    size_t statistic_count;
} dp2dp_evaluate_options;

DP2DP_DEFINE_DEFAULT(dp2dp_evaluate_options, DP2DP_STRUCT_EVALUATE_OPTIONS)
#define DP2DP_EVALUATE_OPTIONS_INIT dp2dp_evaluate_options_default()

/* `part` people out of `whole`. */
typedef struct dp2dp_proportion {
    int64_t part, whole;
    double rate;             /* part / whole; NAN if whole is 0 */
    dp2dp_interval interval; /* Clopper–Pearson; [0, 1] if whole is 0 */
} dp2dp_proportion;

/* What one group sees of one class. Without labels, all but selection has a whole of 0. */
typedef struct dp2dp_class_rates {
    dp2dp_proportion selection;      /* those who get the class, of all */
    dp2dp_proportion true_positive;  /* those who get the class, of those whose label it is */
    dp2dp_proportion false_positive; /* those who get the class, of those with another label */
    dp2dp_proportion precision;      /* those whose label is the class, of those who get it; also
                                        called positive predictive value (PPV) */
} dp2dp_class_rates;

/* The unfairness under one criterion. A rate compares only groups that have people with a label in
 * the set of its statistic. */
typedef struct dp2dp_unfairness {
    int measured; /* 0: not measured, and nothing below is set but unfairness and interval, NAN */
    double unfairness;       /* the largest difference of a rate; NAN if no two groups compare (for
                                demographic_parity it is the U of the evaluation, then 0) */
    dp2dp_interval interval; /* bootstrap; NAN if bootstrap_draws is 0 */
    size_t statistic;        /* the statistic with that difference, */
    size_t group_high, group_low;      /* the group with its largest rate, and with its smallest;
                                          they may be equal if unfairness is 0 or NAN */
    size_t statistic_count;            /* S */
    const dp2dp_statistic *statistics; /* of the criterion */
    const dp2dp_proportion *rates;     /* [g S + s]: of each group and statistic */
} dp2dp_unfairness;

/* The result of dp2dp_evaluate. A number is NAN if there is nothing to measure: the rates of a
 * stratum without records, the accuracies without labels. Tables are strata × classes, row-major.
 */
typedef struct dp2dp_evaluation {
    uint64_t records;
    size_t strata, classes;
    double confidence;
    const int64_t *counts; /* [e K + k]: number of records of stratum e that get class k */
    const double *rates;   /* counts divided by the records of stratum e */
    const dp2dp_interval
        *rate_intervals; /* Clopper–Pearson; [0, 1] for a stratum without records */
    double unfairness;   /* U, computed over the strata that have at least one record */
    dp2dp_interval unfairness_interval; /* bootstrap; NAN if bootstrap_draws is 0 */
    int has_labels;
    double accuracy, error;               /* error = 1 − accuracy */
    dp2dp_interval accuracy_interval;     /* Clopper–Pearson */
    double balanced_accuracy;             /* mean recall over the classes that occur as labels */
    int32_t positive;                     /* as in the options */
    const dp2dp_class_rates *class_rates; /* [g K + k] */
    const dp2dp_proportion *errors;  /* [g]: those who get another class than their label, of all */
    const double *disparate_impacts; /* [k]: the smallest selection rate of class k in a group,
                                        divided by the largest; NAN if nobody gets the class */
    double disparate_impact; /* that of the positive class; if positive is DEFAULT and K > 2, the
                                smallest of all */
    const int64_t *label_counts; /* [(g K + y) K + k]: number of records of group g with label y
                                    that get class k. NULL if there are no labels, or if there would
                                    be more than 2^20 numbers; either way no criterion with labels
                                    is measured */
    const dp2dp_unfairness *criteria; /* [dp2dp_criterion]; demographic_parity is always measured,
                                         the others if there are labels, custom if its statistics
                                         are given */
    size_t criterion_count;
} dp2dp_evaluation;

/* Compares predictions with strata and, unless labels is NULL, with labels. Refuses a code outside
 * its range; the error names its row and column. Privacy: NONE. Every number in the result depends
 * directly on the records: use this function only if the data need no protection. Ownership: the
 * caller frees the evaluation, which is read-only; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_evaluate(
    const dp2dp_column *predictions, const dp2dp_column *strata, const dp2dp_column *labels,
    const dp2dp_evaluate_options *options, dp2dp_evaluation **out, dp2dp_error *error);
DP2DP_API void dp2dp_evaluation_free(dp2dp_evaluation *evaluation);

typedef struct dp2dp_certify_options {
    size_t struct_size;
    double epsilon, delta;    /* the budget of the certificate; no default: the user must choose */
    double confidence;        /* from 0.5 to 1 − 1e-9 */
    uint64_t rows_per_person; /* m: most rows of one person, who is protected; 0: the model's */
    dp2dp_rng_kind rng; /* INSECURE: noise from insecure_seed, the certificate is NOT PRIVATE */
    uint64_t insecure_seed;
    dp2dp_ledger *ledger;    /* of the people in the source, replace-one; must not be NULL */
    const char *people_name; /* your name for these people; NULL: everybody */
    dp2dp_people people;     /* SAME: some of them were used to make the model, so the model's own
                                charges are theirs too; no bound on U follows */
} dp2dp_certify_options;

DP2DP_DEFINE_DEFAULT(dp2dp_certify_options, DP2DP_STRUCT_CERTIFY_OPTIONS)
#define DP2DP_CERTIFY_OPTIONS_INIT dp2dp_certify_options_default()

enum {
    DP2DP_CRITERIA_MAX = 8 /* every dp2dp_criterion is below this */
};

/* Two upper bounds on the unfairness under one criterion. */
typedef struct dp2dp_unfairness_bound {
    double upper;        /* NAN if measured or held_out is 0 */
    double upper_strict; /* proven for every sample size; usually larger */
    int measured;        /* 0: the table does not tell */
    int group_too_small; /* 1: the noise hides the people of a rate, and upper is 1 */
} dp2dp_unfairness_bound;

typedef struct dp2dp_certificate {
    size_t struct_size;
    double *table;           /* set by the caller: room for the J × K released numbers, or NULL */
    double unfairness_upper; /* the unfairness of the population under the model's criterion is at
                                most this, with the confidence below */
    double unfairness_upper_strict; /* the same, proven for every sample size; usually larger */
    double confidence;
    double sigma;             /* std of the noise on each count, as charged */
    int group_too_small;      /* 1: the noise hides a group, and unfairness_upper is 1 */
    int is_private;           /* 1 if the noise was secure */
    int held_out;             /* 0: people was SAME, so the two bounds are NAN */
    char release_id[40];      /* of the release; text */
    uint64_t records;         /* rows of the source, public */
    size_t strata, classes;   /* J and K of the table */
    uint64_t rows_per_person; /* m, as used */
    int leaves_out; /* 1: the public options let records be left out; they are in `records` and in a
                       noisy cell of their own, which is not in the table */
    unsigned warnings; /* dp2dp_warning bits: what to beware of in its budget and in its groups */
    size_t groups, labels; /* G and Y: row g Y + y of the table is of group g and label y; J = G Y.
                              Without labels Y is 1 */
    dp2dp_criterion criterion; /* the model's; demographic_parity if the model has no rule */
    int32_t positive;          /* the model's */
    const dp2dp_statistic *statistics; /* of the criterion custom: the model's; else NULL */
    size_t statistic_count;
    dp2dp_unfairness_bound criteria[DP2DP_CRITERIA_MAX]; /* [dp2dp_criterion]: what the same table
                                says about the others, at no further cost; a table without labels
                                tells about demographic_parity only. Each bound holds with the
                                confidence by itself, not all of them together */
} dp2dp_certificate;

DP2DP_DEFINE_DEFAULT(dp2dp_certificate, DP2DP_STRUCT_CERTIFICATE)
#define DP2DP_CERTIFICATE_INIT dp2dp_certificate_default()

/* Computes an upper bound on a model's unfairness, under its own criterion, in the population that
 * the people of the source were drawn from. The bound allows for sampling and for privacy noise
 * (docs/certificate.md). None of these people may be among those the model was made from. The
 * source must normalise and dither scores and decide as the model does, with labels if the model
 * has them, and count labels, not scores; for a model without a rule it may have labels. If a
 * person has up to m rows, the bound assumes the worst case, that all m are equal, and that they
 * belong to one group; the strict bound is then 1. Privacy: charges one Gaussian release of the J ×
 * K table of decisions (and of the number of records left out, if source->leaves_out is 1; the
 * bounds ignore it), with sensitivity √2, m rows per person, and label "certificate",
 * before any noise is drawn; the charge stays even if the source then fails. If people is SAME, the
 * charges of the model that the ledger does not hold yet, by their release_id, are charged with it,
 * all or none; a model made without noise exposes them. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_certify(
    const dp2dp_source *source, const dp2dp_model *model, const dp2dp_certify_options *options,
    dp2dp_certificate *out, dp2dp_error *error);

/* Charges to *ledger what dp2dp_certify would charge with the same options; draws no noise. Uses
 * only the sizes in *source, whose count may be NULL. Never charges options->ledger. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_certify_plan(
    const dp2dp_source *source, const dp2dp_model *model, const dp2dp_certify_options *options,
    dp2dp_ledger *ledger, dp2dp_error *error);

/* A certificate as its file tells it (docs/certificate.md). Later versions add fields at the end.
 */
typedef struct dp2dp_certificate_file {
    size_t struct_size; /* sizeof this struct in the library */
    const dp2dp_certificate *certificate;
    const char *const *groups;  /* names of the G groups */
    const char *const *classes; /* names of the K classes */
    double epsilon, delta;      /* what it cost the people of the source */
    const char *people;         /* the caller's name for them; NULL: everybody */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;      /* used if rng is INSECURE */
    const dp2dp_ledger *ledger;  /* its own: what was charged for it */
    const char *ledger_hash;     /* hash of its entry in the user's ledger; NULL: not in a file */
    const char *model_checksum;  /* checksum of the model's text */
    const char *library_version; /* version of the library that made it */
    const char *checksum;        /* of its own text */
} dp2dp_certificate_file;

/* Writes a certificate as JSON with a checksum. The certificate must have a table; model and
 * options must be those of the call of dp2dp_certify that made it, whose charge is looked up in
 * options->ledger. Privacy: the text may be published if the certificate is private. Ownership:
 * the caller frees the text with dp2dp_text_free. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_certificate_to_json(
    const dp2dp_certificate *certificate, const dp2dp_model *model,
    const dp2dp_certify_options *options, char **text, size_t *length, dp2dp_error *error);
/* Reads a certificate from a file. Refuses a damaged text, a newer major format, an ε below what
 * its entries give, and bounds below those that its table gives. Ownership: the caller frees the
 * certificate, which is read-only; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_certificate_load(const char *path, dp2dp_certificate_file **out, dp2dp_error *error);
DP2DP_API void dp2dp_certificate_file_free(dp2dp_certificate_file *certificate);

typedef enum dp2dp_check_result {
    DP2DP_CHECK_HOLDS = 1,
    DP2DP_CHECK_FAILS = 2,
    DP2DP_CHECK_NOTED = 3 /* cannot be checked with these files */
} dp2dp_check_result;
DP2DP_DEFINE_WORDS(dp2dp_check_result, DP2DP_WORDS_CHECK)

/* One check of dp2dp_verify. Later versions add fields at the end. */
typedef struct dp2dp_check {
    size_t struct_size; /* sizeof this struct in the library */
    const char *what;   /* file, release, training, published, model or ledger-entry */
    const char *file;   /* path of the file that was checked */
    const char *other;  /* path of the file it was compared with, or NULL */
    dp2dp_check_result result;
    const char *message; /* what was found */
} dp2dp_check;

/* Hears of each check in turn. Ownership: the check and its texts live until it returns. */
typedef void (*dp2dp_check_report)(void *context, const dp2dp_check *check);

/* Checks models, ledgers and certificates, each alone and all against each other. Alone: all that
 * reading the file checks. A model's rule (if it has none, its training) and a certificate must
 * have been charged to one of the ledgers, entry by entry; if a ledger says which file that
 * release was published in, that must be the file given; a certificate must be about one of the
 * models, and the ledger entry that it cites must exist. This finds a ledger whose last entries
 * were removed, if a file cites one of them. DATA if a check fails; the error has the first
 * failure. report may be NULL. Privacy: reads no records and charges nothing. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_verify(
    const char *const *paths, size_t count, dp2dp_check_report report, void *context,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
