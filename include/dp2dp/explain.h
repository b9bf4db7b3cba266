/* Explains a model in words: what it does, what it promises to whom, what changes for which group,
 * and what it does not promise. `dp2dp show` prints this text. */
#ifndef DP2DP_EXPLAIN_H
#define DP2DP_EXPLAIN_H

#include <stddef.h>

#include <dp2dp/ledger.h>
#include <dp2dp/model.h>
#include <dp2dp/options.h>
#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_explain_part {
    DP2DP_EXPLAIN_ALL = 0,
    DP2DP_EXPLAIN_CRITERION = 1, /* the lines that say what the rule makes equal, and how */
    DP2DP_EXPLAIN_TARGET = 2,    /* the lines about the classifier of the group (alone, or together
                                    with the label); empty if the model does not predict groups */
    DP2DP_EXPLAIN_CAUTIONS = 4,  /* what the warnings of the rule mean for this model: the class
                                    that everybody gets, the smallest group, a label that nobody
                                    has, and records that were left out; may be empty */
    DP2DP_EXPLAIN_ASSUMES = 3    /* a sentence that says which people's costs are added in the total
                                    of a ledger; one line, without full stop and newline */
} dp2dp_explain_part;

typedef struct dp2dp_explain_options {
    size_t struct_size;
    dp2dp_explain_part part;
    const char *name;           /* what the first line calls the model; NULL: "this model" */
    const dp2dp_ledger *ledger; /* used only by part ASSUMES; NULL: the model's own ledger */
} dp2dp_explain_options;

DP2DP_DEFINE_DEFAULT(dp2dp_explain_options, DP2DP_STRUCT_EXPLAIN_OPTIONS)
#define DP2DP_EXPLAIN_OPTIONS_INIT dp2dp_explain_options_default()

/* Explains a model as plain text. Lines are broken after at most 80 columns, but never inside a
 * word, a name at the top or a reason after NOT PRIVATE. Lines that begin with a space belong to
 * the title above them. Control characters in names become '?'. Equal models give equal bytes.
 * options NULL: the defaults. The model may be NULL only for part ASSUMES with options->ledger.
 *
 * Privacy: the text says nothing that is not in the model. It says NOT PRIVATE at the top if the
 * model is not private. Charges nothing. Ownership: the caller frees the text with dp2dp_text_free.
 * The text ends with a NUL, which *length does not count. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_explain(
    const dp2dp_model *model, const dp2dp_explain_options *options, char **text, size_t *length,
    dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
