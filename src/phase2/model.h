/* The layout of a model, for this folder and for the code that reads and writes model files. J is
 * the number of groups (strata), K the number of classes. */
#ifndef DP2DPI_PHASE2_MODEL_H
#define DP2DPI_PHASE2_MODEL_H

#include <math.h>

#include <dp2dp/fit.h>
#include <dp2dp/train.h>

#include "base/criterion.h"
#include "base/error.h"
#include "base/hash.h"
#include "mechanism/release.h"

/* Why a classifier of groups is refused where decisions are asked for. */
extern const char dp2dpi_no_decisions[];

enum {
    DP2DPI_NAME_MAX = 512, /* bytes of a label or column name */
    DP2DPI_COVERS_MAX = 3  /* the people of the training, of the first pool, and of later pools */
};

/* A classifier that a model holds. view points into the other members. */
typedef struct dp2dpi_held_classifier {
    dp2dp_classifier view;
    dp2dp_train_options options;
    double *weights; /* outputs × (features + 1) */
    char *schema;
    char *trained_by; /* the library version that trained the classifier */
} dp2dpi_held_classifier;

/* info points into the other members. Only code that builds a model writes to the members. */
struct dp2dp_model {
    dp2dp_model_info info;
    double *offsets;       /* J × K */
    double *shares;        /* J */
    float *offsets_single; /* the offsets as executed: J × K and Y rows of zeros; if J = 0, two rows
                              of zeros */
    dp2dp_ledger *ledger;
    char **names; /* G groups, K classes, K score columns, the group column, and the columns with
                     weights; NULL if unknown */
    dp2dp_statistic *statistics; /* target of info.statistics */
    unsigned char *label_sets;   /* of these statistics, K flags each */
    char *library_version;
    dp2dp_optimality optimality;
    dp2dp_fit_options options;                           /* target of info.options */
    dp2dpi_held_classifier classifier, group_classifier; /* targets of info's, if there are any */
    dp2dp_cover covers[DP2DPI_COVERS_MAX];               /* target of info.covers */
    char checksum[DP2DPI_HASH_SIZE]; /* target of info.checksum, if there is one */
};

/* The sizes and the kind of a rule. Without a rule, only classes and groups may differ from 0. */
typedef struct dp2dpi_model_kind {
    size_t strata, classes;
    size_t groups; /* of a classifier without a rule; with a rule it is strata / labels */
    size_t labels; /* Y; 0 means 1 */
    dp2dp_rule rule;
    size_t weight_columns;
    const char *const *weights; /* their names, or NULL */
} dp2dpi_model_kind;

/* Makes a model with zero offsets, no reason in not_private_because, an empty ledger and copies of
 * the names. Numbers that are not known yet are NAN. ARGUMENT if two names are equal, or if a name
 * is empty or longer than DP2DPI_NAME_MAX. Ownership: dp2dp_model_free. */
dp2dp_status dp2dpi_model_new(const dp2dpi_model_kind *kind, const dp2dp_names *names,
                              dp2dp_model **out, dp2dp_error *error);

/* Makes a model for a classifier of this target, with the names of the schema. */
dp2dp_status dp2dpi_model_new_without_rule(const dp2dp_schema_info *schema, dp2dp_target target,
                                           dp2dp_model **out, dp2dp_error *error);

/* Copies the criterion into a model. custom has the statistics of the criterion custom, else NULL.
 * Call it once. */
dp2dp_status dp2dpi_model_set_criterion(dp2dp_model *model, const dp2dpi_criterion *criterion,
                                        dp2dp_error *error);

/* Copies a classifier into a model: one of groups beside the classifier that computes the scores,
 * if the model has classes; any other, and one of groups that stands alone, as the classifier. If
 * classifier->weights is NULL, the weights are zeros, which the caller fills in. Call it once for
 * each place. */
dp2dp_status dp2dpi_model_add_classifier(dp2dp_model *model, const dp2dp_classifier *classifier,
                                         dp2dp_error *error);

/* Returns 1 if there is no guarantee for the people the weights were learned from. */
static inline int dp2dpi_classifier_lacks_guarantee(const dp2dp_classifier *c) {
    return c->method == DP2DP_TRAIN_NONE || isinf(c->options->epsilon) ||
           (c->method == DP2DP_TRAIN_EXTERNAL && isnan(c->options->epsilon));
}

/* Sets info.delta, and info.epsilon to the ε that the model's ledger alone gives at delta. Leaves
 * both NAN if the ledger has no charge with noise, or no bound. */
dp2dp_status dp2dpi_model_account(dp2dp_model *model, double delta, dp2dp_error *error);

/* The name that a model gave to the people it was trained on, or NULL. */
const char *dp2dpi_trained_people(const dp2dp_model *base);
/* The name of the people in the pool in the model's own ledger: the caller's, or that of the base
 * if they are the same; NULL: none. */
const char *dp2dpi_fit_people(const dp2dp_fit_options *options);
/* Returns the terms (budget, people, randomness, ledgers) that all releases of a fit share. *own is
 * the model's ledger. */
dp2dpi_release_terms dp2dpi_fit_terms(const dp2dp_fit_options *options, dp2dp_ledger *own);

/* Calls the caller's progress callback. CANCELLED if the callback stops the fit after this step. */
dp2dp_status dp2dpi_fit_progress(const dp2dp_fit_options *options, uint64_t step, uint64_t total,
                                 dp2dp_error *error);

/* Rounds the offsets to float32, the values that are published and executed. Call this when the
 * offsets are final. */
void dp2dpi_model_publish(dp2dp_model *model);

int dp2dpi_dither_is_sound(const dp2dp_dither *dither);
/* Returns the key of scores rounded to 2^-14, `apart` floats from one to the next. */
uint64_t dp2dpi_dither_key_of_scores(const float *scores, size_t apart, size_t classes);
/* Returns dither.width · u(seed, key, class), 0 ≤ u < 1, rounded to float32. */
float dp2dpi_dither_draw(const dp2dp_dither *dither, uint64_t key, size_t class_index);

#endif
