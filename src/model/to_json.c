/* The model as text; docs/model.md has the members. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "mechanism/ledger_json.h"
#include "model/model_json.h"

/* JSON has neither NaN (here: not chosen, or none) nor infinity. */
static json_t *number_to_json(double value) {
    if (isnan(value)) {
        return json_null();
    }
    return isinf(value) ? json_string(DP2DPI_JSON_INFINITY) : json_real(value);
}

/* As text: most JSON libraries cannot hold 64 bits. */
static json_t *seed_to_json(uint64_t seed) {
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, seed);
    return json_string(digits);
}

static json_t *count_to_json(uint64_t count) {
    return json_integer((json_int_t)count);
}

static json_t *word_to_json(const dp2dpi_word *table, int value) {
    return json_string(dp2dpi_word_of(table, value));
}

static json_t *text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
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

static json_t *table_to_json(const double *numbers, size_t rows, size_t columns) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < rows && !failed; i++) {
        failed = json_array_append_new(array, numbers_to_json(numbers + i * columns, columns));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *insecure_seed_to_json(dp2dp_rng_kind rng, uint64_t seed) {
    return rng == DP2DP_RNG_INSECURE ? seed_to_json(seed) : json_null();
}

static json_t *columns_to_json(const dp2dp_model_info *info) {
    json_t *object = json_object();
    int failed =
        json_object_set_new(object, "scores", texts_or_null(info->names.scores, info->classes)) ||
        json_object_set_new(object, "group", text_or_null(info->names.event_column));
    return dp2dpi_json_finish(object, failed);
}

static json_t *dither_to_json(const dp2dp_dither *dither) {
    json_t *object = json_object();
    int failed = json_object_set_new(object, "width", json_real(dither->width)) ||
                 json_object_set_new(object, "seed", seed_to_json(dither->seed));
    return dp2dpi_json_finish(object, failed);
}

static json_t *rule_to_json(const dp2dp_model_info *info) {
    json_t *object = json_object();
    int failed =
        json_object_set_new(object, "kind", json_string(DP2DPI_MODEL_RULE)) ||
        json_object_set_new(object, "groups", texts_or_null(info->names.events, info->events)) ||
        json_object_set_new(object, "classes", texts_or_null(info->names.classes, info->classes)) ||
        json_object_set_new(object, "offsets",
                            table_to_json(info->offsets, info->events, info->classes)) ||
        json_object_set_new(object, "shares", numbers_to_json(info->shares, info->events)) ||
        json_object_set_new(object, "columns", columns_to_json(info)) ||
        json_object_set_new(object, "row_sums",
                            word_to_json(dp2dpi_row_sums_words, (int)info->row_sums)) ||
        json_object_set_new(object, "dither", dither_to_json(&info->dither));
    return dp2dpi_json_finish(object, failed);
}

static json_t *options_to_json(const dp2dp_model_info *info) {
    json_t *object = json_object();
    int failed =
        json_object_set_new(object, "solver", word_to_json(dp2dpi_solver_words, (int)info->solver));
#define DP2DP_FIT_NUMBER(name, default_value, min, max, help) \
    failed = failed || json_object_set_new(object, #name, number_to_json(info->settings.name));
#define DP2DP_FIT_COUNT(name, default_value, min, max, help) \
    failed = failed || json_object_set_new(object, #name, count_to_json(info->settings.name));
#include <dp2dp/fit.def>
#undef DP2DP_FIT_NUMBER
#undef DP2DP_FIT_COUNT
    return dp2dpi_json_finish(object, failed);
}

static json_t *leaks_to_json(unsigned leaks) {
    json_t *array = json_array();
    int failed = 0;
    for (const dp2dpi_word *leak = dp2dpi_leak_words; leak->word && !failed; leak++) {
        failed = (leaks & (unsigned)leak->value) &&
                 json_array_append_new(array, json_string(leak->word));
    }
    return dp2dpi_json_finish(array, failed);
}

static json_t *privacy_to_json(const dp2dp_model_info *info) {
    json_t *object = json_object();
    dp2dp_adjacency adjacency = dp2dp_ledger_adjacency(info->ledger);
    int failed =
        json_object_set_new(object, "private", json_boolean(info->leaks == 0)) ||
        json_object_set_new(object, "not_private_because", leaks_to_json(info->leaks)) ||
        json_object_set_new(object, "epsilon", number_to_json(info->epsilon)) ||
        json_object_set_new(object, "delta", number_to_json(info->delta)) ||
        json_object_set_new(object, "adjacency", json_string(dp2dp_adjacency_name(adjacency))) ||
        json_object_set_new(object, "claimed", number_to_json(info->epsilon_claimed)) ||
        json_object_set_new(object, "rng", word_to_json(dp2dpi_rng_words, (int)info->rng)) ||
        json_object_set_new(object, "insecure_seed",
                            insecure_seed_to_json(info->rng, info->insecure_seed));
    return dp2dpi_json_finish(object, failed);
}

static json_t *optimality_to_json(const dp2dp_optimality *optimality) {
    if (optimality == NULL) {
        return json_null();
    }
    json_t *object = json_object();
    int failed = json_object_set_new(object, "dual", json_real(optimality->dual)) ||
                 json_object_set_new(object, "primal", json_real(optimality->primal)) ||
                 json_object_set_new(object, "rule", json_real(optimality->rule)) ||
                 json_object_set_new(object, "unfairness", json_real(optimality->unfairness));
    return dp2dpi_json_finish(object, failed);
}

static json_t *settings_to_json(const dp2dp_train_settings *settings) {
    json_t *object = json_object();
    int failed = 0;
#define DP2DP_TRAIN_NUMBER(name, default_value, min, max, help) \
    failed = failed || json_object_set_new(object, #name, number_to_json(settings->name));
#define DP2DP_TRAIN_COUNT(name, default_value, min, max, help) \
    failed = failed || json_object_set_new(object, #name, count_to_json(settings->name));
#include <dp2dp/train.def>
#undef DP2DP_TRAIN_NUMBER
#undef DP2DP_TRAIN_COUNT
    return dp2dpi_json_finish(object, failed);
}

/* schema is NULL where there is no classifier. */
static json_t *phase1_to_json(const dp2dp_model_info *info, json_t *schema) {
    const dp2dp_classifier *c = info->classifier;
    if (c == NULL) {
        return json_null();
    }
    json_t *object = json_object();
    int failed =
        json_object_set(object, "schema", schema) ||
        json_object_set_new(object, "method", word_to_json(dp2dpi_method_words, (int)c->method)) ||
        json_object_set_new(object, "options", settings_to_json(&c->settings)) ||
        json_object_set_new(object, "records", count_to_json(c->records)) ||
        json_object_set_new(object, "features", count_to_json(c->features)) ||
        json_object_set_new(object, "weights",
                            table_to_json(c->weights, info->classes, c->features + 1)) ||
        json_object_set_new(object, "rng", word_to_json(dp2dpi_rng_words, (int)c->rng)) ||
        json_object_set_new(object, "insecure_seed",
                            insecure_seed_to_json(c->rng, c->insecure_seed)) ||
        json_object_set_new(object, "library", json_string(c->library_version));
    return dp2dpi_json_finish(object, failed);
}

/* Without a rule, the members that belong to it are null. */
static json_t *model_to_json(const dp2dp_model_info *info, json_t *schema, json_t *ledger) {
    json_t *root = json_object();
    int is_ruled = info->events > 0;
    int failed =
        json_object_set_new(root, "format", json_string(DP2DPI_MODEL_FORMAT)) ||
        json_object_set_new(root, "version",
                            dp2dpi_json_version(DP2DPI_MODEL_MAJOR, DP2DPI_MODEL_MINOR)) ||
        json_object_set_new(root, "library", json_string(info->library_version)) ||
        json_object_set_new(root, "rule", is_ruled ? rule_to_json(info) : json_null()) ||
        json_object_set_new(root, "options", is_ruled ? options_to_json(info) : json_null()) ||
        json_object_set_new(root, "records",
                            is_ruled ? count_to_json(info->records) : json_null()) ||
        json_object_set_new(root, "privacy", privacy_to_json(info)) ||
        json_object_set_new(root, "optimality", optimality_to_json(info->optimality)) ||
        json_object_set_new(root, "phase1", phase1_to_json(info, schema)) ||
        json_object_set(root, "ledger", ledger);
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
    if (root == NULL) {
        DP2DPI_TRY_OR_DONE(
            dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory while writing a model"));
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_json_dump("model", root, text, length, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_model_seal(text, length, error));
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
