#include "show/show.h"

#include <inttypes.h>
#include <math.h>

#include "common/number.h"
#include "privacy/privacy.h"

static int draws_noise(const dp2dp_train_options *options) {
    return options->method != DP2DP_TRAIN_NONE && options->method != DP2DP_TRAIN_EXTERNAL;
}

void cli_classifier_options(const cli_args *args, dp2dp_train_options *options) {
    *options = DP2DP_TRAIN_OPTIONS_INIT;
    options->method = (dp2dp_train_method)cli_enum(args, "method", DP2DP_WORDS_METHOD);
    cli_set_options(args, DP2DP_STRUCT_TRAIN_OPTIONS, options);
    /* A method without noise ignores the seed. */
    if (draws_noise(options) && cli_given(args, "insecure-seed")) {
        options->rng = DP2DP_RNG_INSECURE;
        options->insecure_seed = cli_count(args, "insecure-seed");
    }
}

int cli_classifier_is_noisy(const dp2dp_train_options *options) {
    return draws_noise(options) && !isinf(options->epsilon);
}

int cli_classifier_is_weak(double noise) {
    return *dp2dp_noise_caution(noise) != '\0';
}

void cli_classifier_caution(double noise, cli_out *out) {
    if (cli_classifier_is_weak(noise)) {
        cli_out_prose(out, "CAUTION: %s.", dp2dp_noise_caution(noise));
    }
}

/* If the classifier predicts groups, writes the JSON members target and outputs. */
static void target_json(const dp2dp_classifier *c, cli_json *json) {
    if (c->target != DP2DP_TARGET_LABEL) {
        cli_json_text(json, "target", dp2dp_target_name(c->target));
        cli_json_count(json, "outputs", c->outputs);
    }
}

void cli_classifier_member(const dp2dp_model_info *info, const dp2dp_schema_info *schema,
                           cli_json *json) {
    const dp2dp_classifier *c = info->classifier;
    if (c == NULL) {
        cli_json_text(json, "classifier", NULL);
        return;
    }
    cli_json_open_object(json, "classifier");
    cli_json_text(json, "method", dp2dp_train_method_name(c->method));
    target_json(c, json);
    cli_json_count(json, "records", c->records);
    cli_json_count(json, "features", c->features);
    if (schema) {
        cli_json_text(json, "schema", schema->name);
        cli_json_open_array(json, "columns");
        for (size_t i = 0; i < schema->column_count; i++) {
            if (schema->columns[i].role == DP2DP_ROLE_FEATURE) {
                cli_json_text(json, NULL, schema->columns[i].name);
            }
        }
        cli_json_close_array(json);
    }
    cli_json_close_object(json);
    if (info->group_classifier) {
        cli_json_open_object(json, "group_classifier");
        cli_json_text(json, "method", dp2dp_train_method_name(info->group_classifier->method));
        target_json(info->group_classifier, json);
        cli_json_count(json, "records", info->group_classifier->records);
        cli_json_close_object(json);
    }
}

dp2dp_status cli_classifier_json(const dp2dp_model_info *info, cli_json *json, dp2dp_error *error) {
    const dp2dp_classifier *c = info->classifier;
    double noise = info->classifier_noise;
    cli_json_text(json, "method", dp2dp_train_method_name(c->method));
    cli_cost_json(info->epsilon, info->delta, DP2DP_REPLACE_ONE, json);
    cli_json_count(json, "rows_per_person", c->options->rows_per_person);
    cli_reasons_json(info->not_private_because == 0, info->not_private_because, json);
    CLI_TRY(cli_model_json(info, json, error));
    cli_json_count(json, "records", c->records);
    cli_json_count(json, "features", c->features);
    cli_json_texts(json, "classes", info->names.classes, info->classes);
    target_json(c, json);
    cli_json_real(json, "noise", noise);
    cli_json_truth(json, "is_noise", noise > DP2DP_NOISE_ALL);
    return DP2DP_STATUS_OK;
}

void cli_left_out_text(int leaves_out, cli_out *out) {
    if (leaves_out) {
        cli_out_row(out, "left out",
                    "people whose row is bad or lacks a needed value. The number above includes "
                    "them, but nothing was learned from them. Their number is private");
    }
}

dp2dp_status cli_classifier_text(const dp2dp_model *model, cli_out *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    const dp2dp_classifier *c = info->classifier;
    int external = c->method == DP2DP_TRAIN_EXTERNAL, lacks = 0;
    cli_out_row(out, "method", "%s", dp2dp_train_method_name(c->method));
    if (external) {
        cli_out_row(out, "weights",
                    "apply to the features as the schema encodes them: numbers clipped, centred "
                    "and scaled, not in the units of the table");
    } else {
        cli_out_row(out, "learned from", "%" PRIu64 " %s", c->records,
                    c->options->rows_per_person > 1 ? cli_noun(c->records, "row", "rows")
                                                    : cli_noun(c->records, "person", "people"));
        cli_left_out_text(c->leaves_out, out);
    }
    cli_out_row(out, "features", "%zu, and a bias", c->features);
    if (info->classes > 0) {
        cli_out_row(out, "classes", "%zu", info->classes);
    }
    CLI_TRY(cli_explain(model, DP2DP_EXPLAIN_TARGET, NULL, out, error));
    CLI_TRY(cli_lacks_sensitive(info, &lacks, error));
    if (isnan(info->epsilon)) {
        cli_out_row(out, "epsilon", "none: nothing is promised");
        cli_warnings_text(info->warnings, out);
        cli_no_sensitive_text(lacks, out);
        return DP2DP_STATUS_OK;
    }
    cli_protects_text(DP2DP_REPLACE_ONE, c->options->rows_per_person, out);
    if (!external) {
        cli_one_row_text(c->options->rows_per_person, out);
    }
    cli_out_row(out, "epsilon", "%s%s", cli_number_up(info->epsilon, 4).text,
                external ? ", as declared" : "");
    cli_out_row(out, "delta", "%s", cli_number_up(info->delta, 4).text);
    double noise = info->classifier_noise;
    if (info->not_private_because == 0 || info->warnings || lacks ||
        cli_classifier_is_weak(noise)) {
        cli_out_section(out, "What it means");
    }
    if (info->not_private_because == 0) {
        cli_explain_guess(info->epsilon, info->delta, out);
    }
    cli_warnings_text(info->warnings, out);
    cli_classifier_caution(noise, out);
    cli_no_sensitive_text(lacks, out);
    return DP2DP_STATUS_OK;
}
