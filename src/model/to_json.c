/* Writes a model as JSON. docs/model.md lists the members. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "mechanism/ledger_json.h"
#include "model/criterion.h"
#include "model/model_json.h"

/* JSON has neither NaN nor infinity. NaN means "not set" and becomes null; infinity becomes a text.
 */
json_t *dp2dpi_number_to_json(double value) {
    if (isnan(value)) {
        return json_null();
    }
    return isinf(value) ? json_string(DP2DPI_JSON_INFINITY) : json_real(value);
}

/* A seed is written as text, because most JSON libraries cannot hold 64-bit integers. */
static json_t *seed_to_json(uint64_t seed) {
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, seed);
    return json_string(digits);
}

static json_t *word_to_json(dp2dp_word_table table, int value) {
    return json_string(dp2dp_word_name(table, value));
}

static json_t *texts_or_null(const char *const *texts, size_t n) {
    return texts ? dp2dpi_json_texts(texts, n) : json_null();
}

static json_t *numbers_to_json(const double *numbers, size_t n) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < n && !failed; i++) {
        failed = json_array_append_new(array, json_real(numbers[i]));
    }
    return dp2dpi_json_finish(array, failed);
}

json_t *dp2dpi_table_to_json(const double *numbers, size_t rows, size_t columns) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < rows && !failed; i++) {
        failed = json_array_append_new(array, numbers_to_json(numbers + i * columns, columns));
    }
    return dp2dpi_json_finish(array, failed);
}

json_t *dp2dpi_rng_seed_to_json(dp2dp_rng_kind rng, uint64_t seed) {
    return rng == DP2DP_RNG_INSECURE ? seed_to_json(seed) : json_null();
}

static json_t *columns_to_json(const dp2dp_model_info *info) {
    return DP2DPI_JSON_OBJECT({"scores", texts_or_null(info->names.scores, info->classes)},
                              {"group", dp2dpi_text_or_null(info->names.group_column)});
}

static json_t *dither_to_json(const dp2dp_dither *dither) {
    return DP2DPI_JSON_OBJECT({"width", json_real(dither->width)},
                              {"seed", seed_to_json(dither->seed)});
}

static json_t *rule_to_json(const dp2dp_model_info *info) {
    json_t *rule = DP2DPI_JSON_OBJECT(
        {"kind", dp2dpi_kind_to_json(info)},
        {"groups", texts_or_null(info->names.groups, info->groups)},
        {"classes", texts_or_null(info->names.classes, info->classes)},
        {"offsets", dp2dpi_table_to_json(info->offsets, info->strata, info->classes)},
        {"shares", numbers_to_json(info->shares, info->strata)}, {"columns", columns_to_json(info)},
        {"row_sums", word_to_json(DP2DP_WORDS_ROW_SUMS, (int)info->row_sums)},
        {"dither", dither_to_json(&info->dither)});
    int failed = dp2dpi_criterion_is_needed(info) &&
                 json_object_set_new(rule, "criterion", dp2dpi_criterion_to_json(info));
    failed = failed || (info->grid_bits > 0 &&
                        json_object_set_new(rule, "grid_bits", json_integer(info->grid_bits)));
    return dp2dpi_json_finish(rule, failed);
}

/* Adds the numeric options of a struct to a JSON object. Returns NULL on failure. Ownership: takes
 * object. */
static json_t *add_options(json_t *object, dp2dp_struct which, const void *from) {
    size_t count;
    const dp2dp_option *options = dp2dp_options(which, &count);
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        double value = dp2dpi_option_value(&options[i], from);
        failed = json_object_set_new(object, options[i].name,
                                     options[i].type == DP2DP_OPTION_COUNT
                                         ? json_integer((json_int_t)value)
                                         : dp2dpi_number_to_json(value));
    }
    return dp2dpi_json_finish(object, failed);
}

static json_t *options_to_json(const dp2dp_model_info *info) {
    return add_options(
        DP2DPI_JSON_OBJECT({"solver", word_to_json(DP2DP_WORDS_SOLVER, (int)info->solver)}),
        DP2DP_STRUCT_FIT_OPTIONS, info->options);
}

json_t *dp2dpi_words_to_json(dp2dp_word_table table, unsigned bits) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < count && !failed; i++) {
        failed = (bits & (unsigned)words[i].value) &&
                 json_array_append_new(array, json_string(words[i].word));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *reasons_to_json(unsigned reasons) {
    return dp2dpi_words_to_json(DP2DP_WORDS_NOT_PRIVATE, reasons);
}

static json_t *cover_to_json(const dp2dp_cover *cover) {
    json_t *object = DP2DPI_JSON_OBJECT(
        {"role", json_string(cover->role)}, {"people", dp2dpi_text_or_null(cover->people)},
        {"records", cover->records ? json_integer((json_int_t)cover->records) : json_null()});
    int failed = cover->because
                     ? json_object_set_new(object, "because", reasons_to_json(cover->because))
                     : json_object_set_new(object, "epsilon", json_real(cover->epsilon)) ||
                           json_object_set_new(object, "delta", json_real(cover->delta));
    return dp2dpi_json_finish(object, failed);
}

json_t *dp2dpi_covers_to_json(const dp2dp_model_info *info, int covered) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < info->cover_count && !failed; i++) {
        failed = (info->covers[i].because == 0) == covered &&
                 json_array_append_new(array, cover_to_json(&info->covers[i]));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *privacy_to_json(const dp2dp_model_info *info) {
    dp2dp_adjacency adjacency = dp2dp_ledger_adjacency(info->ledger);
    return DP2DPI_JSON_OBJECT(
        {"private", json_boolean(info->not_private_because == 0)},
        {"not_private_because", reasons_to_json(info->not_private_because)},
        {"epsilon", dp2dpi_number_to_json(info->epsilon)},
        {"delta", dp2dpi_number_to_json(info->delta)},
        {"adjacency", json_string(dp2dp_adjacency_name(adjacency))},
        {"covers", dp2dpi_covers_to_json(info, 1)}, {"not_covered", dp2dpi_covers_to_json(info, 0)},
        {"claimed", dp2dpi_number_to_json(info->epsilon_claimed)},
        {"rng", word_to_json(DP2DP_WORDS_RNG, (int)info->rng)},
        {"insecure_seed", dp2dpi_rng_seed_to_json(info->rng, info->insecure_seed)});
}

static json_t *optimality_to_json(const dp2dp_optimality *optimality) {
    if (optimality == NULL) {
        return json_null();
    }
    return DP2DPI_JSON_OBJECT(
        {"dual", json_real(optimality->dual)}, {"primal", json_real(optimality->primal)},
        {"rule", json_real(optimality->rule)}, {"unfairness", json_real(optimality->unfairness)});
}

static json_t *classifier_to_json(const dp2dp_classifier *c, json_t *schema) {
    if (c == NULL) {
        return json_null();
    }
    json_t *object = DP2DPI_JSON_OBJECT(
        {"schema", json_incref(schema)},
        {"method", word_to_json(DP2DP_WORDS_METHOD, (int)c->method)},
        {"options", add_options(json_object(), DP2DP_STRUCT_TRAIN_OPTIONS, c->options)},
        {"records", json_integer((json_int_t)c->records)},
        {"features", json_integer((json_int_t)c->features)},
        {"weights", dp2dpi_table_to_json(c->weights, c->outputs, c->features + 1)},
        {"rng", word_to_json(DP2DP_WORDS_RNG, (int)c->rng)},
        {"insecure_seed", dp2dpi_rng_seed_to_json(c->rng, c->insecure_seed)},
        {"library", json_string(c->library_version)}, {"leaves_out", json_boolean(c->leaves_out)});
    int failed =
        c->target != DP2DP_TARGET_LABEL &&
        (json_object_set_new(object, "target", word_to_json(DP2DP_WORDS_TARGET, (int)c->target)) ||
         json_object_set_new(object, "outputs", json_integer((json_int_t)c->outputs)));
    return dp2dpi_json_finish(object, failed);
}

/* Returns the lowest minor version that has all members of the model. */
static int minor_of(const dp2dp_model_info *info) {
    const dp2dp_classifier *c = info->classifier;
    return info->kept > 0             ? DP2DPI_MODEL_MINOR
           : info->dither.width > 0.0 ? 3
           : info->grid_bits > 0      ? 2
           : dp2dpi_criterion_is_needed(info) || (c && c->target != DP2DP_TARGET_LABEL) ? 1
                                                                                        : 0;
}

/* Writes the whole model. Without a rule, every member that describes the rule is null. Both
 * classifiers have the same schema. */
static json_t *model_to_json(const dp2dp_model_info *info, json_t *schema, json_t *ledger) {
    int is_ruled = info->strata > 0, alone = info->classes == 0;
    const dp2dp_classifier *groups = alone ? info->classifier : info->group_classifier;
    json_t *root = DP2DPI_JSON_OBJECT(
        {"format", json_string(DP2DPI_MODEL_FORMAT)},
        {"version", dp2dpi_json_version(DP2DPI_MODEL_MAJOR, minor_of(info))},
        {"library", json_string(info->library_version)},
        {"from_version", info->from_version ? json_integer(info->from_version) : json_null()},
        {"rule", is_ruled ? rule_to_json(info) : json_null()},
        {"options", is_ruled ? options_to_json(info) : json_null()},
        {"records", is_ruled ? json_integer((json_int_t)info->records) : json_null()},
        {"leaves_out", is_ruled ? json_boolean(info->leaves_out) : json_null()},
        {"privacy", privacy_to_json(info)},
        {"warnings", dp2dpi_words_to_json(DP2DP_WORDS_WARNING,
                                          info->warnings & ~(unsigned)DP2DP_WARNING_RATES_NOISY)},
        {"optimality", optimality_to_json(info->optimality)},
        {"phase1", classifier_to_json(alone ? NULL : info->classifier, schema)},
        {"ledger", json_incref(ledger)});
    int failed = (info->kept > 0 && json_object_set_new(root, "records_kept",
                                                        json_integer((json_int_t)info->kept))) ||
                 (groups && json_object_set_new(root, "group_classifier",
                                                classifier_to_json(groups, schema)));
    return dp2dpi_json_finish(root, failed);
}

static dp2dp_status write_model(const dp2dp_model_info *info, char **text, size_t *length,
                                dp2dp_error *error) {
    const char *schema_text = info->classifier ? info->classifier->schema : NULL;
    json_t *ledger = NULL, *schema = NULL, *root = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_model_check(info, error));
    if (schema_text) {
        DP2DPI_TRY_OR_DONE(
            dp2dpi_json_parse("schema", schema_text, strlen(schema_text), &schema, error));
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_ledger_to_value(info->ledger, &ledger, error));
    root = model_to_json(info, schema, ledger);
    DP2DPI_TRY_OR_DONE(dp2dpi_json_dump("model", root, text, length, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_seal(text, length, error));
done:
    json_decref(schema);
    json_decref(ledger);
    json_decref(root);
    return status;
}

dp2dp_status dp2dp_model_to_json(const dp2dp_model *model, char **text, size_t *length,
                                 dp2dp_error *error) {
    if (text) {
        *text = NULL;
    }
    if (model == NULL || text == NULL || length == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model, text and length must not be NULL");
    }
    *length = 0;
    dp2dp_status status = write_model(dp2dp_model_view(model), text, length, error);
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_free(*text);
        *text = NULL;
        *length = 0;
    }
    return status;
}
