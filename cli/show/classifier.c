#include "show/show.h"

#include <inttypes.h>
#include <math.h>

#include "common/number.h"
#include "privacy/privacy.h"

/* Values of cli_classifier_noise above which the model is of little use, and of no use. */
static const double noise_much = 0.1, noise_all = 0.5;

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

/* For noisy gradients, divides the noise on the mean gradient, averaged over the steps, by the clip
 * norm. For noisy weights W (method output), divides the noise on W by the radius of the ball in
 * which the penalty Λ keeps W: Λ/2 |W|² ≤ log K, with K outputs. */
double cli_classifier_noise(const dp2dp_model_info *info) {
    const dp2dp_classifier *c = info->classifier;
    dp2dp_event event;
    if (c->method == DP2DP_TRAIN_EXTERNAL || !cli_last_event(info->ledger, &event) ||
        event.mechanism == DP2DP_EXPOSED) {
        return NAN;
    }
    double norm = event.sigma * sqrt((double)event.coordinates);
    if (c->method == DP2DP_TRAIN_OUTPUT) {
        return norm / sqrt(2 * log((double)c->outputs) / c->options->penalty);
    }
    double rate = event.rate > 0 ? event.rate : 1;
    return norm / (rate * (double)c->records * sqrt((double)event.count));
}

int cli_classifier_is_weak(double noise) {
    return noise > noise_much;
}

void cli_classifier_caution(double noise, cli_out *out) {
    if (noise > noise_all) {
        cli_out_prose(
            out, "CAUTION: the budget is too small for so few people: the result is noise and says "
                 "nothing about them. More people, a larger epsilon or fewer columns would help.");
    } else if (noise > noise_much) {
        cli_out_prose(out, "CAUTION: much of the result is noise. More people, a larger epsilon or "
                           "fewer columns would help.");
    }
}

/* Writes the members of a classifier that predicts groups. */
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
}

void cli_classifier_json(const dp2dp_model_info *info, cli_json *json) {
    const dp2dp_classifier *c = info->classifier;
    double noise = cli_classifier_noise(info);
    cli_json_text(json, "method", dp2dp_train_method_name(c->method));
    cli_cost_json(info->epsilon, info->delta, DP2DP_REPLACE_ONE, json);
    cli_json_count(json, "rows_per_person", c->options->rows_per_person);
    cli_reasons_json(info->not_private_because == 0, info->not_private_because, json);
    cli_model_json(info, json);
    cli_json_count(json, "records", c->records);
    cli_json_count(json, "features", c->features);
    cli_json_texts(json, "classes", info->names.classes, info->classes);
    target_json(c, json);
    cli_json_real(json, "noise", noise);
    cli_json_truth(json, "is_noise", noise > noise_all);
}

void cli_left_out_text(int leaves_out, cli_out *out) {
    if (leaves_out) {
        cli_out_row(out, "left out",
                    "people whose row is bad or lacks a needed value: they are counted here, but "
                    "nothing was learned from them. Their number is private");
    }
}

void cli_target_text(const dp2dp_model_info *info, cli_out *out) {
    const dp2dp_classifier *c = info->classifier;
    if (c && c->target == DP2DP_TARGET_GROUP) {
        cli_out_row(out, "predicts",
                    "which of %zu groups a person is in, for the weights of a rule that does not "
                    "see the group; it decides nothing",
                    c->outputs);
    } else if (c && c->target == DP2DP_TARGET_GROUP_LABEL) {
        cli_out_row(out, "predicts",
                    "%zu pairs of group and class; a rule that does not see the group takes its "
                    "weights from them",
                    c->outputs);
    }
}

void cli_classifier_text(const dp2dp_model_info *info, cli_out *out) {
    const dp2dp_classifier *c = info->classifier;
    int external = c->method == DP2DP_TRAIN_EXTERNAL;
    cli_out_row(out, "method", "%s", dp2dp_train_method_name(c->method));
    if (!external) {
        cli_out_row(out, "learned from", "%" PRIu64 " %s", c->records,
                    c->options->rows_per_person > 1 ? cli_noun(c->records, "row", "rows")
                                                    : cli_noun(c->records, "person", "people"));
        cli_left_out_text(c->leaves_out, out);
    }
    cli_out_row(out, "features", "%zu, and a bias", c->features);
    if (info->classes > 0) {
        cli_out_row(out, "classes", "%zu", info->classes);
    }
    cli_target_text(info, out);
    if (isnan(info->epsilon)) {
        cli_out_row(out, "epsilon", "none: nothing is promised");
        cli_warnings_text(info->warnings, out);
        return;
    }
    cli_protects_text(DP2DP_REPLACE_ONE, c->options->rows_per_person, out);
    cli_out_row(out, "epsilon", "%s%s", cli_number_up(info->epsilon, 4).text,
                external ? ", as declared" : "");
    cli_out_row(out, "delta", "%s", cli_number_up(info->delta, 4).text);
    double noise = cli_classifier_noise(info);
    if (info->not_private_because == 0 || info->warnings || noise > noise_much) {
        cli_out_section(out, "What it means");
    }
    if (info->not_private_because == 0) {
        cli_explain_guess(info->epsilon, info->delta, out);
    }
    cli_warnings_text(info->warnings, out);
    cli_classifier_caution(noise, out);
}
