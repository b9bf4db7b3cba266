#include "explain/explain.h"

#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/options.h"

static void explain_reasons(unsigned bits, dp2dpi_text *t) {
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)reasons[i].value) {
            dp2dpi_text_put(t, "NOT PRIVATE: ");
            dp2dpi_text_put(t, reasons[i].help);
            dp2dpi_text_put(t, "\n");
        }
    }
}

static void explain_warnings(unsigned bits, dp2dpi_text *t) {
    size_t count;
    const dp2dp_word *warnings = dp2dp_words(DP2DP_WORDS_WARNING, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)warnings[i].value) {
            const char *help = warnings[i].help;
            dp2dpi_layout_prose(t, "CAUTION: %s%s", help, help[strlen(help) - 1] == '?' ? "" : ".");
        }
    }
}

static void explain_limits(const dp2dp_model_info *info, dp2dpi_text *t) {
    dp2dpi_layout_section(t, "What it does not promise");
    if (info->strata > 0) {
        dp2dpi_layout_prose(
            t,
            "%s To bound the remaining unfairness, run dp2dp certify on people whose data were not "
            "used to make the model. \"Fair\" here means%s%s.%s",
            dp2dp_statement_text(DP2DP_STATEMENT_AIM), info->labels > 1 ? ": " : " ",
            info->labels > 1 ? dp2dpi_explain_equal(info)
                             : "demographic parity: each group gets each class equally "
                               "often. Error rates may differ between groups",
            info->labels > 1 ? " Other notions of fairness are not promised; dp2dp evaluate "
                               "prints the gap under each notion."
                             : "");
    }
    if (info->dither.width > 0) {
        dp2dpi_layout_prose(
            t, "The model does not show how many decisions depend on the public random number. "
               "dp2dp predict --out FILE counts these decisions.");
    }
    dp2dpi_layout_prose(t, "%s", dp2dp_statement_text(DP2DP_STATEMENT_DECISIONS));
    dp2dpi_explain_trust(info, t);
    explain_warnings(info->warnings, t);
    dp2dpi_explain_cautions(info, t);
    if (*dp2dp_noise_caution(info->classifier_noise)) {
        dp2dpi_layout_prose(t, "CAUTION: %s.", dp2dp_noise_caution(info->classifier_noise));
    }
}

/* `schema` is the schema of the model's classifier; NULL if the model has no classifier. */
static void explain_all(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                        const char *name, dp2dpi_text *t) {
    explain_reasons(info->not_private_because, t);
    dp2dpi_layout_name(t, name);
    dp2dpi_text_format(t, ", %s\n",
                       info->strata == 0  ? "a classifier"
                       : info->classifier ? "a classifier with a fair rule"
                                          : "a fair rule for scores");
    if (info->from_version > 0) {
        dp2dpi_layout_row(t, "file",
                          "in the format of version %d, which does not say whom the model covers. "
                          "What this explanation says about these people comes from the model's "
                          "ledger. Save the model again to write the newer format",
                          info->from_version);
    }
    dp2dpi_explain_purpose(info, schema, t);
    dp2dpi_explain_promise(info, t);
    dp2dpi_explain_change(info, t);
    explain_limits(info, t);
}

static dp2dp_status explain_model(const dp2dp_model_info *info, const char *name, dp2dpi_text *t) {
    dp2dp_schema *schema = NULL;
    if (info->classifier) {
        DP2DPI_TRY(dp2dp_schema_load(info->classifier->schema, &schema, t->error));
    }
    explain_all(info, schema ? dp2dp_schema_view(schema) : NULL, name ? name : "this model", t);
    dp2dp_schema_free(schema);
    return t->status;
}

static dp2dp_status explain_part(const dp2dp_model *model, const dp2dp_explain_options *o,
                                 dp2dpi_text *t) {
    const dp2dp_model_info *info = model ? dp2dp_model_view(model) : NULL;
    if (o->part == DP2DP_EXPLAIN_ASSUMES) {
        char assumes[DP2DPI_ASSUMES_SIZE];
        dp2dpi_explain_assumes(o->ledger ? o->ledger : info->ledger, assumes);
        dp2dpi_text_put(t, assumes);
        return t->status;
    }
    if (o->part == DP2DP_EXPLAIN_ALL) {
        return explain_model(info, o->name, t);
    }
    dp2dpi_text_put(t, ""); /* if the part has no lines, makes the text "" instead of NULL */
    (o->part == DP2DP_EXPLAIN_CRITERION  ? dp2dpi_explain_criterion
     : o->part == DP2DP_EXPLAIN_CAUTIONS ? dp2dpi_explain_cautions
                                         : dp2dpi_explain_target)(info, t);
    return t->status;
}

static dp2dp_status check(const dp2dp_model *model, const dp2dp_explain_options *o,
                          dp2dp_error *error) {
    if ((int)o->part < DP2DP_EXPLAIN_ALL || (int)o->part > DP2DP_EXPLAIN_CAUTIONS) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "part = %d: not a known part",
                           (int)o->part);
    }
    if (o->ledger && o->part != DP2DP_EXPLAIN_ASSUMES) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "ledger is for the part ASSUMES alone; for any other part, ledger must be NULL");
    }
    return model || o->ledger ? DP2DP_STATUS_OK
                              : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model must not be NULL");
}

dp2dp_status dp2dp_explain(const dp2dp_model *model, const dp2dp_explain_options *options,
                           char **text, size_t *length, dp2dp_error *error) {
    const dp2dp_explain_options defaults = DP2DP_EXPLAIN_OPTIONS_INIT;
    dp2dp_explain_options o;
    dp2dpi_text t = {.error = error};
    dp2dpi_c_locale scope = {0};
    if (text == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "text and length must not be NULL");
    }
    *text = NULL;
    *length = 0;
    DP2DPI_TRY(
        dp2dpi_struct_read(DP2DP_STRUCT_EXPLAIN_OPTIONS, options ? options : &defaults, &o, error));
    DP2DPI_TRY(check(model, &o, error));
    DP2DPI_TRY(dp2dpi_c_locale_enter(&scope, error));
    dp2dp_status status = explain_part(model, &o, &t);
    dp2dpi_c_locale_leave(&scope);
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_text_clear(&t);
        return status;
    }
    *text = t.bytes;
    *length = t.length;
    return DP2DP_STATUS_OK;
}
