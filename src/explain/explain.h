/* Shared by the files that explain a model.
 *
 * explain.c   puts the explanation together
 * purpose.c   what the model does
 * promise.c   what it promises, and to whom
 * change.c    what changes for which group
 * cautions.c  what the warnings mean for this model
 * assumes.c   which people's costs are added in a total
 * layout.c    rows, prose and tables */
#ifndef DP2DPI_EXPLAIN_EXPLAIN_H
#define DP2DPI_EXPLAIN_EXPLAIN_H

#include <dp2dp/explain.h>
#include <dp2dp/fit.h>
#include <dp2dp/schema.h>
#include <dp2dp/train.h>

#include "base/number.h"
#include "base/text.h"
#include "explain/layout.h"

enum {
    DP2DPI_ASSUMES_SIZE = 600
};

void dp2dpi_explain_target(const dp2dp_model_info *info, dp2dpi_text *t);
void dp2dpi_explain_criterion(const dp2dp_model_info *info, dp2dpi_text *t);
/* `schema` is the schema of the model's classifier; NULL if the model has no classifier. */
void dp2dpi_explain_purpose(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                            dp2dpi_text *t);

void dp2dpi_explain_promise(const dp2dp_model_info *info, dp2dpi_text *t);
/* Appends which statements of the model nobody has checked. */
void dp2dpi_explain_trust(const dp2dp_model_info *info, dp2dpi_text *t);

/* Appends what the warnings mean for this model: names and numbers. */
void dp2dpi_explain_cautions(const dp2dp_model_info *info, dp2dpi_text *t);

void dp2dpi_explain_change(const dp2dp_model_info *info, dp2dpi_text *t);

/* Writes a sentence that says which people's costs are added in the total of a ledger. */
void dp2dpi_explain_assumes(const dp2dp_ledger *ledger, char out[DP2DPI_ASSUMES_SIZE]);

/* Returns 1 if the model aims at demographic parity with a rule that sees the group. */
static inline int dp2dpi_explain_is_plain(const dp2dp_model_info *info) {
    return info->criterion == DP2DP_DEMOGRAPHIC_PARITY && info->rule == DP2DP_RULE_OFFSET;
}

/* Returns words that say what the criterion makes equal. */
static inline const char *dp2dpi_explain_equal(const dp2dp_model_info *info) {
    return dp2dp_word_find(DP2DP_WORDS_CRITERION, (int)info->criterion)->help;
}

#endif
