/* Declarations for the files that read and write models.
 *
 * checksum.c    adds and checks the checksum
 * check.c       checks a model after reading and before writing
 * classifier.c  checks and reads the classifiers
 * criterion.c   checks, reads and writes the member "criterion" of a rule
 * to_json.c     writes the text
 * from_json.c   reads the text
 * file.c        saves to a file and loads from it
 *
 * certificate.h has the declarations for certificates. */
#ifndef DP2DPI_MODEL_MODEL_JSON_H
#define DP2DPI_MODEL_MODEL_JSON_H

#include <dp2dp/model.h>
#include <dp2dp/schema.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/options.h"

#define DP2DPI_MODEL_FORMAT "dp2dp-model"

enum {
    DP2DPI_MODEL_MAJOR = 2,
    /* The minor version of a model with records_kept. Any other model has minor 3 if its rule has a
     * dither; else 2 if its rule has a grid; else 1 if it has a criterion or a classifier that
     * predicts the group; else 0. */
    DP2DPI_MODEL_MINOR = 4,
    DP2DPI_MODEL_OPTIONS_MAX = 40 /* largest number of numeric options in a struct */
};

/* Adds the checksum as the last member of a text that dp2dpi_json_dump wrote. The checksum is the
 * SHA-256 of the resulting text without the line of the checksum. Ownership: frees and replaces
 * *text. On failure *text is unchanged. */
dp2dp_status dp2dpi_seal(char **text, size_t *length, dp2dp_error *error);
/* Fails with DATA if a byte has changed since dp2dpi_seal added the checksum. Writes the checksum
 * to hex. */
dp2dp_status dp2dpi_check_seal(const char *text, size_t length, char hex[DP2DPI_HASH_SIZE],
                               dp2dp_error *error);

typedef dp2dp_status (*dp2dpi_document_reader)(const char *text, size_t length, void *out,
                                               dp2dp_error *error);
/* Reads a file that must begin like a JSON object. `what` describes the file in messages, which end
 * with the path. */
dp2dp_status dp2dpi_document_load(const char *what, const char *path, dp2dpi_document_reader read,
                                  void *out, dp2dp_error *error);

/* A condition on a member of the JSON text. */
typedef struct dp2dpi_model_rule {
    int holds;
    const char *member; /* name in messages, for example "rule.offsets" */
    const char *must;   /* the end of the message "<member>: must be …" */
} dp2dpi_model_rule;
/* DP2DPI_MODEL_REQUIRE(error, {holds, member, must}, …) fails with ARGUMENT at the first condition
 * that does not hold. */
#define DP2DPI_MODEL_REQUIRE(error, ...) \
    dp2dpi_model_require((const dp2dpi_model_rule[]) {__VA_ARGS__, {0}}, error)
dp2dp_status dp2dpi_model_require(const dp2dpi_model_rule *rules, dp2dp_error *error);

/* Write a value as JSON, or return NULL if memory runs out. NaN means "not set" and becomes
 * null. */
json_t *dp2dpi_number_to_json(double value);
json_t *dp2dpi_table_to_json(const double *numbers, size_t rows, size_t columns);
json_t *dp2dpi_rng_seed_to_json(dp2dp_rng_kind rng, uint64_t seed);

/* dp2dpi_words_to_json writes the words of all bits that are set; dp2dpi_words_read reads them
 * back. The words must be in the order of `table`, each at most once. */
json_t *dp2dpi_words_to_json(dp2dp_word_table table, unsigned bits);
unsigned dp2dpi_words_read(dp2dpi_reader *r, const json_t *object, const char *key,
                           dp2dp_word_table table);

/* Writes the member "covers" (covered is 1) or "not_covered" (covered is 0) of "privacy". Returns
 * NULL if memory runs out. */
json_t *dp2dpi_covers_to_json(const dp2dp_model_info *info, int covered);

/* Checks everything about a model except ε. Fails with ARGUMENT; the message names the member of
 * the JSON text. The offsets must be exact in float32. */
dp2dp_status dp2dpi_model_check(const dp2dp_model_info *info, dp2dp_error *error);
/* Checks that the numeric options of a struct are within their bounds. An option without a default
 * may be unset. */
dp2dp_status dp2dpi_model_check_options(const char *member, dp2dp_struct which, const void *object,
                                        dp2dp_error *error);
/* Checks the classifiers; part of dp2dpi_model_check. */
dp2dp_status dp2dpi_model_check_phase1(const dp2dp_model_info *info, dp2dp_error *error);
/* Returns 1 if the text can be a library version: UTF-8 of 1 to 64 bytes. */
int dp2dpi_model_is_version(const char *version);
/* Checks that the stated ε is not below the ε that the ledger gives. */
dp2dp_status dp2dpi_check_epsilon(const char *member, double stated, double delta,
                                  const dp2dp_ledger *ledger, dp2dp_error *error);
dp2dp_status dp2dpi_model_check_epsilon(const dp2dp_model_info *info, dp2dp_error *error);

/* The members of a model that hold a classifier: "phase1", whose classifier computes the scores,
 * and "group_classifier", an object with the same structure. A classifier that predicts the group
 * is never in phase1: an older library does not know the member "target", and would take the
 * outputs for classes. */
typedef struct dp2dpi_classifier_member {
    const char *key, *where, *where_options;
} dp2dpi_classifier_member;
extern const dp2dpi_classifier_member dp2dpi_phase1, dp2dpi_group_classifier;

dp2dp_target dp2dpi_phase1_target(dp2dpi_reader *r, const json_t *root,
                                  const dp2dpi_classifier_member *member);
/* Reads the schema of a classifier. Returns NULL on failure. Ownership: the caller frees the
 * schema. */
dp2dp_schema *dp2dpi_phase1_schema(dp2dpi_reader *r, const json_t *root,
                                   const dp2dpi_classifier_member *member);
/* Reads a classifier into a model. `schema` is the classifier's schema, which was read before. */
void dp2dpi_phase1_read(dp2dpi_reader *r, json_t *root, const dp2dpi_classifier_member *member,
                        const dp2dp_schema *schema, dp2dp_model *model);

/* Reads the member "options" of parent into the struct *object. `first` (may be NULL) names one
 * more member that is allowed. Returns the JSON object. */
json_t *dp2dpi_model_take_options(dp2dpi_reader *r, json_t *parent, const char *where,
                                  dp2dp_struct which, const char *first, void *object);

#endif
