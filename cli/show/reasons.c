#include "show/show.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/number.h"
#include "privacy/privacy.h"

int cli_is_exposed(const dp2dp_model_info *info) {
    return (info->not_private_because &
            (DP2DP_NOT_PRIVATE_NO_NOISE | DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE)) != 0;
}

void cli_reasons_json(int is_private, unsigned bits, cli_json *json) {
    cli_json_truth(json, "private", is_private);
    cli_words_json(DP2DP_WORDS_NOT_PRIVATE, "leaks", bits, json);
}

void cli_reasons_text(unsigned bits, cli_out *out) {
    size_t count;
    const dp2dp_word *reasons = dp2dp_words(DP2DP_WORDS_NOT_PRIVATE, &count);
    for (size_t i = 0; i < count; i++) {
        if (bits & (unsigned)reasons[i].value) {
            fprintf(out->stream, "%sNOT PRIVATE%s: %s\n", cli_alarm(out), cli_plain(out),
                    reasons[i].help);
        }
    }
}

const char *cli_as_many(const dp2dp_model_info *info, uint64_t records) {
    return dp2dp_warn_of_people(info, records) == 0 ? ""
           : info->strata > 0 && records == info->records
               ? " (this table has exactly as many people as the rule was learned from: check that "
                 "they are different people)"
               : " (this table has exactly as many people as the classifier was trained on: check "
                 "that they are different people)";
}

void cli_group_text(const char *column, const dp2dp_model_info *info, cli_out *out) {
    const char *own = info->names.group_column;
    int differs = column && own && strcmp(column, own) != 0;
    if (column) {
        cli_out_row(out, "group", "read from the column %s%s%s", column,
                    differs ? "; the rule was learned with the column " : "", differs ? own : "");
    }
}

void cli_covers_json(const dp2dp_cover *covers, size_t count, cli_json *json) {
    for (int covered = 1; covered >= 0; covered--) {
        cli_json_open_array(json, covered ? "covers" : "not_covered");
        for (size_t i = 0; i < count; i++) {
            const dp2dp_cover *cover = &covers[i];
            if ((cover->because == 0) != covered) {
                continue;
            }
            cli_json_open_object(json, NULL);
            cli_json_text(json, "role", cover->role);
            cli_json_text(json, "people", cover->people);
            cli_json_real(json, "records", cover->records > 0 ? (double)cover->records : NAN);
            if (covered) {
                cli_json_real(json, "epsilon", cover->epsilon);
                cli_json_real(json, "delta", cover->delta);
            } else {
                cli_words_json(DP2DP_WORDS_NOT_PRIVATE, "because", cover->because, json);
            }
            cli_json_close_object(json);
        }
        cli_json_close_array(json);
    }
}

dp2dp_status cli_lacks_sensitive(const dp2dp_model_info *info, int *lacks, dp2dp_error *error) {
    dp2dp_schema *schema = NULL;
    *lacks = 0;
    if (info->classifier == NULL || info->strata > 0) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(dp2dp_schema_load(info->classifier->schema, &schema, error));
    *lacks = dp2dp_schema_view(schema)->group_count == 0;
    dp2dp_schema_free(schema);
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_model_json(const dp2dp_model_info *info, cli_json *json, dp2dp_error *error) {
    char assumes[CLI_ASSUMES_SIZE];
    int lacks = 0;
    CLI_TRY(cli_assumes(info->ledger, assumes, error));
    CLI_TRY(cli_lacks_sensitive(info, &lacks, error));
    cli_warnings_json_with(info->warnings,
                           (lacks ? CLI_NO_SENSITIVE : 0U) |
                               (info->strata > 0 ? cli_rho_warning(info->options->rho) : 0U),
                           json);
    cli_covers_json(info->covers, info->cover_count, json);
    cli_marks_json(&(cli_entries) {.ledger = info->ledger}, cli_is_exposed(info), assumes, json);
    return DP2DP_STATUS_OK;
}

void cli_claimed_json(const dp2dp_model_info *info, cli_json *json) {
    if (!isnan(info->epsilon_claimed)) {
        cli_json_real(json, "claimed", info->epsilon_claimed);
    }
}

void cli_claimed_text(const dp2dp_model_info *info, cli_out *out) {
    if (!isnan(info->epsilon_claimed)) {
        cli_out_row(out, "claimed", "epsilon %s %s", cli_number_up(info->epsilon_claimed, 4).text,
                    dp2dp_statement_text(DP2DP_STATEMENT_CLAIMED));
    }
}

double cli_uncovered(const dp2dp_certificate *c) {
    size_t cells = c->strata * c->classes;
    double kept = 0, left;
    for (size_t i = 0; i < cells; i++) {
        kept += c->table[i];
    }
    left = (double)c->records - kept;
    return c->leaves_out && left >= 0.05 * (double)c->records &&
                   left > 5 * c->sigma * sqrt((double)cells)
               ? left
               : 0;
}

/* Returns whether the schema of the model leaves out rows with a missing value. */
static int drops_missing(const dp2dp_model_info *info) {
    dp2dp_schema *schema = NULL;
    dp2dp_error ignored;
    int drops = info->classifier &&
                dp2dp_schema_load(info->classifier->schema, &schema, &ignored) == DP2DP_STATUS_OK &&
                dp2dp_schema_view(schema)->leaves_out != 0;
    dp2dp_schema_free(schema);
    return drops;
}

void cli_uncovered_text(const dp2dp_certificate *c, const dp2dp_model_info *info, cli_out *out) {
    double left = cli_uncovered(c);
    if (left > 0) {
        cli_out_prose(out,
                      "CAUTION: the bound does not cover about %.0f of %" PRIu64
                      " records (%.0f %%), which were left out according to the released table. Is "
                      "every group in the model's list of groups, and every label in its list of "
                      "classes?%s",
                      left, c->records, 100 * left / (double)c->records,
                      drops_missing(info) ? " Or do they lack a value in a column with the policy "
                                            "drop for missing values?"
                                          : "");
    }
}
