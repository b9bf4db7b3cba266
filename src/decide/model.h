/* The layout of a model, for this folder and for the code that reads and writes model files. */
#ifndef DP2DPI_DECIDE_MODEL_H
#define DP2DPI_DECIDE_MODEL_H

#include <math.h>

#include <dp2dp/fit.h>
#include <dp2dp/train.h>

#include "base/criterion.h"
#include "base/error.h"
#include "base/hash.h"
#include "mechanism/release.h"

/* The error message for a caller who asks for decisions of a model that predicts only groups. */
extern const char dp2dpi_no_decisions[];

enum {
    DP2DPI_NAME_MAX = 512, /* largest number of bytes in the name of a group, class or column */
    DP2DPI_COVERS_MAX = 3, /* largest number of entries of info.covers: one for the training, one
                              for the first pool and one for the last pool */
    DP2DPI_PROMISES_MAX = 8
};

/* A classifier in a model. Callers see only `view`, whose pointers point to the other members. */
typedef struct dp2dpi_held_classifier {
    dp2dp_classifier view;
    dp2dp_train_options options;
    double *weights; /* outputs × (features + 1) */
    char *schema;
    char *trained_by; /* the library version that trained the classifier */
    char **groups;    /* names of the schema's groups */
} dp2dpi_held_classifier;

/* Callers see only `info`, whose pointers point to the other members. Only code that builds a model
 * may write to these members. */
struct dp2dp_model {
    dp2dp_model_info info;
    double *offsets;       /* strata × classes */
    double *shares;        /* share of each stratum (group, or group and label) among the records */
    double *rate_noise;    /* standard deviation of the noise in a rate of each stratum; NAN if it
                              is not known */
    float *offsets_single; /* the offsets in float32, as decisions use them; then one row of zeros
                              for each label (without a rule: only two rows of zeros); then
                              DP2DPI_COLUMNS_SLACK zeros */
    dp2dp_ledger *ledger;
    char **names; /* names of the groups, the classes, the score columns, the group column and the
                     weight columns; a name is NULL if it is unknown */
    dp2dp_statistic *statistics; /* info.statistics points here */
    unsigned char *label_sets;   /* for each statistic, one flag per class: 1 if the class is in the
                                    statistic's set of labels */
    char *library_version;
    dp2dp_optimality optimality;
    dp2dp_fit_options options; /* info.options points here */
    /* info.classifier and info.group_classifier point to the `view` of these two members, or are
     * NULL. */
    dp2dpi_held_classifier classifier, group_classifier;
    dp2dp_cover covers[DP2DPI_COVERS_MAX];       /* info.covers points here */
    dp2dp_promise promises[DP2DPI_PROMISES_MAX]; /* info.promises points here */
    char checksum[DP2DPI_HASH_SIZE];             /* info.checksum points here, or is NULL */
};

/* Returns the number of records that, times the share of a stratum, gives the size of the stratum:
 * info->kept if it is known, otherwise info->records. */
static inline double dp2dpi_model_kept(const dp2dp_model_info *info) {
    return (double)(info->kept > 0 ? info->kept : info->records);
}

/* The sizes and the kind of a rule. Without a rule, all members except classes and groups are 0. */
typedef struct dp2dpi_model_kind {
    size_t strata, classes;
    size_t groups; /* number of groups, used only without a rule. With a rule, the number of groups
                      is strata / labels */
    size_t labels; /* number of labels; 0 means 1 */
    dp2dp_rule rule;
    size_t weight_columns;
    const char *const *weights; /* names of the weight columns, or NULL */
} dp2dpi_model_kind;

/* Makes a model with zero offsets, no reason in not_private_because, an empty ledger and copies of
 * the names. Numbers that are not known yet are NAN. Fails with ARGUMENT if two names are equal, or
 * if a name is empty or longer than DP2DPI_NAME_MAX. Ownership: free with dp2dp_model_free. */
dp2dp_status dp2dpi_model_new(const dp2dpi_model_kind *kind, const dp2dp_names *names,
                              dp2dp_model **out, dp2dp_error *error);

/* Makes a model without a rule, for a classifier with this target. The names come from the
 * schema. */
dp2dp_status dp2dpi_model_new_without_rule(const dp2dp_schema_info *schema, dp2dp_target target,
                                           dp2dp_model **out, dp2dp_error *error);

/* Copies the criterion into a model. Call this once. */
dp2dp_status dp2dpi_model_set_criterion(dp2dp_model *model, const dp2dpi_criterion *criterion,
                                        dp2dp_error *error);

/* Copies a classifier into a model. A classifier that predicts the group becomes
 * info.group_classifier if the model has classes; any other classifier becomes info.classifier.
 * Call this at most once for each of these two members. If classifier->weights is NULL, the weights
 * are zero, and the caller fills them in. */
dp2dp_status dp2dpi_model_add_classifier(dp2dp_model *model, const dp2dp_classifier *classifier,
                                         dp2dp_error *error);

/* Returns 1 if no guarantee covers the people that the weights were learned from. */
static inline int dp2dpi_classifier_lacks_guarantee(const dp2dp_classifier *c) {
    return c->method == DP2DP_TRAIN_NONE || isinf(c->options->epsilon) ||
           (c->method == DP2DP_TRAIN_EXTERNAL && isnan(c->options->epsilon));
}

/* Sets info.delta to delta, and info.epsilon to the ε of the model's own ledger at delta. Leaves
 * info.delta and info.epsilon unchanged if the ledger has no charge with noise, or if
 * not_private_because has the reason NO_BOUND. Otherwise fails with NO_BOUND if ε has no bound. */
dp2dp_status dp2dpi_model_account(dp2dp_model *model, double delta, dp2dp_error *error);

/* Returns the name of the people that a model was trained on; NULL if they have no name. */
const char *dp2dpi_trained_people(const dp2dp_model *base);
/* Returns the name of the people in the pool, or NULL if they have no name. The name is
 * options->people_name, if the caller gives one. Otherwise, if the pool has the same people as the
 * training, the name is taken from base or group_base. */
const char *dp2dpi_fit_people(const dp2dp_fit_options *options);
/* Returns what all releases of a fit have in common: budget, people, random numbers and ledgers.
 * *own is the model's ledger. */
dp2dpi_release_terms dp2dpi_fit_terms(const dp2dp_fit_options *options, dp2dp_ledger *own);

/* Calls the progress callback. Fails with CANCELLED if the callback stops the fit. */
dp2dp_status dp2dpi_fit_progress(const dp2dp_fit_options *options, uint64_t step, uint64_t total,
                                 dp2dp_error *error);

/* Rounds the offsets to float32, because the rule is published and applied with float32 offsets.
 * Call this when the offsets are final. */
void dp2dpi_model_publish(dp2dp_model *model);

int dp2dpi_dither_is_sound(const dp2dp_dither *dither);
/* Returns the dither key of a record, made from its scores after rounding them to multiples of
 * 2^-14. Neighbouring scores are `apart` floats apart. */
uint64_t dp2dpi_dither_key_of_scores(const float *scores, size_t apart, size_t classes);
/* Returns dither.width · u in float32, where 0 ≤ u < 1 is the public random number that belongs to
 * the seed, the key and the class (dither_hash.h). */
float dp2dpi_dither_draw(const dp2dp_dither *dither, uint64_t key, size_t class_index);

/* Writes the dither keys that dp2dpi_dither_key_of_scores makes for n records. The scores are valid
 * probabilities, stored in columns that start `apart` floats apart. */
void dp2dpi_dither_keys_of_scores(const float *scores, size_t apart, size_t classes, size_t n,
                                  uint64_t *keys);
/* Adds the dither of each key to the scores and writes the sums to out, which has the layout of
 * scores. */
void dp2dpi_dither_add(const dp2dp_dither *dither, const uint64_t *keys, size_t n, size_t apart,
                       size_t classes, const float *scores, float *out);

#endif
