#include "model/criterion.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

static const char member[] = "criterion";

int dp2dpi_criterion_is_needed(const dp2dp_model_info *info) {
    return info->strata > 0 &&
           (info->rule != DP2DP_RULE_OFFSET || info->criterion != DP2DP_DEMOGRAPHIC_PARITY ||
            info->counted != DP2DP_COUNTED_LABELS || info->dither_key != DP2DP_DITHER_KEY_ROW);
}

static json_t *word_to_json(dp2dp_word_table table, int value) {
    return json_string(dp2dp_word_name(table, value));
}

static json_t *set_to_json(const dp2dp_statistic *s, size_t labels) {
    if (labels == 1) {
        return json_null();
    }
    json_t *set = json_array();
    int failed = 0;
    for (size_t y = 0; y < labels && !failed; y++) {
        failed = s->labels[y] && json_array_append_new(set, json_integer((json_int_t)y));
    }
    return dp2dpi_json_finish(set, failed);
}

static json_t *statistic_to_json(const dp2dp_statistic *s, size_t labels) {
    return DP2DPI_JSON_OBJECT({"class", json_integer((json_int_t)s->class_index)},
                              {"labels", set_to_json(s, labels)});
}

json_t *dp2dpi_custom_to_json(const dp2dp_statistic *statistics, size_t count, size_t labels) {
    if (statistics == NULL) {
        return json_null();
    }
    json_t *array = json_array();
    int failed = 0;
    for (size_t s = 0; s < count && !failed; s++) {
        failed = json_array_append_new(array, statistic_to_json(&statistics[s], labels));
    }
    return dp2dpi_json_finish(array, failed);
}

static const char dither_suffix[] = "-dithered", grid_suffix[] = "-grid";

json_t *dp2dpi_kind_to_json(const dp2dp_model_info *info) {
    return json_sprintf("%s%s%s", dp2dp_rule_name(info->rule),
                        info->dither.width > 0.0 ? dither_suffix : "",
                        info->grid_bits > 0 ? grid_suffix : "");
}

/* If *text begins with `part`, moves *text past it and returns 1. */
static int skip_part(const char **text, const char *part) {
    size_t length = strlen(part);
    int found = strncmp(*text, part, length) == 0;
    *text += found ? length : 0;
    return found;
}

int dp2dpi_kind_find(const char *kind, dp2dpi_kind *out) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(DP2DP_WORDS_RULE, &count);
    for (size_t i = 0; i < count; i++) {
        const char *rest = kind;
        if (skip_part(&rest, words[i].word)) {
            out->rule = (dp2dp_rule)words[i].value;
            out->dithered = skip_part(&rest, dither_suffix);
            out->gridded = skip_part(&rest, grid_suffix);
            return *rest == '\0';
        }
    }
    return 0;
}

json_t *dp2dpi_criterion_to_json(const dp2dp_model_info *info) {
    return DP2DPI_JSON_OBJECT(
        {"name", word_to_json(DP2DP_WORDS_CRITERION, (int)info->criterion)},
        {"positive", info->positive >= 0 ? json_integer(info->positive) : json_null()},
        {"statistics",
         dp2dpi_custom_to_json(info->statistics, info->statistic_count, info->labels)},
        {"labels", json_integer((json_int_t)info->labels)},
        {"counted", word_to_json(DP2DP_WORDS_COUNTED, (int)info->counted)},
        {"tolerance", dp2dpi_number_to_json(info->tolerance)},
        {"dither_key", word_to_json(DP2DP_WORDS_DITHER_KEY, (int)info->dither_key)},
        {"weight_columns", json_integer((json_int_t)info->weight_columns)},
        {"weights",
         info->weights ? dp2dpi_json_texts(info->weights, info->weight_columns) : json_null()});
}

static json_t *take_member(dp2dpi_reader *r, json_t *rule) {
    static const char *const known[] = {"name",    "positive",  "statistics", "labels",
                                        "counted", "tolerance", "dither_key", "weight_columns",
                                        "weights", NULL};
    return dp2dpi_reader_object(r, rule, member, "rule.criterion.", known);
}

void dp2dpi_criterion_read_kind(dp2dpi_reader *r, json_t *rule, size_t groups,
                                dp2dpi_model_kind *kind) {
    kind->labels = 1;
    kind->strata = groups;
    const char *word = json_string_value(json_object_get(rule, "kind"));
    dp2dpi_kind found = {0};
    dp2dpi_reader_require(r, word && dp2dpi_kind_find(word, &found), "kind",
                          "a word that this version knows");
    kind->rule = found.rule;
    dp2dpi_reader_require(r, found.gridded == (json_object_get(rule, "grid_bits") != NULL),
                          "grid_bits", "present if and only if the kind ends in -grid");
    if (json_object_get(rule, member) == NULL) {
        dp2dpi_reader_require(r, kind->rule == DP2DP_RULE_OFFSET, member,
                              "an object, because the kind is not offset");
        return;
    }
    json_t *object = take_member(r, rule);
    kind->labels = dp2dpi_reader_count(r, object, "labels");
    kind->weight_columns = dp2dpi_reader_count(r, object, "weight_columns");
    dp2dpi_reader_require(r, kind->labels == 1 || kind->labels == kind->classes, "labels",
                          "1 or the number of classes");
    dp2dpi_reader_require(r, groups * kind->labels <= DP2DPI_CODES_MAX, "labels",
                          "at most 4096 divided by the number of groups");
    kind->strata = groups * kind->labels;
    int weighted = kind->rule == DP2DP_RULE_WEIGHTED;
    dp2dpi_reader_require(
        r,
        weighted
            ? kind->weight_columns == groups || kind->weight_columns == kind->strata
            : kind->weight_columns == 0 && (kind->rule == DP2DP_RULE_LINEAR) == (kind->labels > 1),
        "weight_columns",
        "the number of groups, or of pairs of group and label, if the kind is weighted; otherwise "
        "0. The kind linear needs labels; the kind offset must have none");
    r->where = "rule.";
}

/* Reads a statistic into *out. Sets set[y] to 1 for each label y that the statistic includes. */
static void take_statistic(dp2dpi_reader *r, json_t *object, size_t label_count, size_t classes,
                           unsigned char *set, dp2dp_statistic *out) {
    static const char *const known[] = {"class", "labels", NULL};
    const json_t *labels = json_object_get(object, "labels");
    int whole = label_count == 1;
    dp2dpi_reader_require(
        r, json_is_object(object) && (whole ? json_is_null(labels) : json_is_array(labels)),
        "statistics",
        "a list of objects with class and labels; labels is null if the rule has no labels, and a "
        "list otherwise");
    for (size_t y = 0; y < classes && whole; y++) {
        set[y] = 1;
    }
    dp2dpi_reader_keys(r, object, known, "a statistic");
    json_int_t last = -1;
    for (size_t i = 0; i < json_array_size(labels); i++) {
        const json_t *label = json_array_get(labels, i);
        json_int_t y = json_integer_value(label);
        int sound = json_is_integer(label) && y > last && (size_t)y < label_count;
        dp2dpi_reader_require(r, sound, "statistics",
                              "a list in which the labels of each statistic are label indices, in "
                              "ascending order");
        if (r->status != DP2DP_STATUS_OK) {
            return;
        }
        set[y] = 1;
        last = y;
    }
    *out = (dp2dp_statistic) {(size_t)dp2dpi_reader_count(r, object, "class"), set};
}

void dp2dpi_custom_read(dp2dpi_reader *r, const json_t *array, size_t labels, size_t classes,
                        dp2dpi_custom *out) {
    size_t n = json_array_size(array);
    *out = (dp2dpi_custom) {.count = n};
    dp2dpi_reader_require(r, json_is_null(array) || n > 0, "statistics", "null or a list");
    if (r->status == DP2DP_STATUS_OK && n > 0) {
        r->status = DP2DPI_ALLOC(out->statistics, n, "a criterion", r->error);
    }
    if (r->status == DP2DP_STATUS_OK && n > 0) {
        r->status = DP2DPI_ALLOC(out->sets, n * classes, "a criterion", r->error);
    }
    for (size_t s = 0; s < n && r->status == DP2DP_STATUS_OK; s++) {
        take_statistic(r, json_array_get(array, s), labels, classes, out->sets + s * classes,
                       &out->statistics[s]);
    }
}

void dp2dpi_custom_free(dp2dpi_custom *custom) {
    dp2dpi_free(custom->statistics);
    dp2dpi_free(custom->sets);
    *custom = (dp2dpi_custom) {0};
}

int32_t dp2dpi_positive_read(dp2dpi_reader *r, const json_t *object, size_t classes) {
    if (json_is_null(json_object_get(object, "positive"))) {
        return DP2DP_POSITIVE_DEFAULT;
    }
    uint64_t class_index = dp2dpi_reader_count(r, object, "positive");
    dp2dpi_reader_require(r, class_index < classes, "positive", "null or a class index");
    return (int32_t)class_index;
}

void dp2dpi_criterion_read(dp2dpi_reader *r, json_t *rule, dp2dp_model *model) {
    dp2dp_model_info *info = &model->info;
    if (json_object_get(rule, member) == NULL) {
        return;
    }
    json_t *object = take_member(r, rule);
    dp2dpi_custom custom;
    dp2dpi_criterion criterion = {.positive = dp2dpi_positive_read(r, object, info->classes)};
    criterion.criterion =
        (dp2dp_criterion)dp2dpi_reader_word(r, object, "name", DP2DP_WORDS_CRITERION);
    info->counted = (dp2dp_counted)dp2dpi_reader_word(r, object, "counted", DP2DP_WORDS_COUNTED);
    info->tolerance = dp2dpi_reader_number(r, object, "tolerance");
    info->dither_key =
        (dp2dp_dither_key)dp2dpi_reader_word(r, object, "dither_key", DP2DP_WORDS_DITHER_KEY);
    dp2dpi_custom_read(r, json_object_get(object, "statistics"), info->labels, info->classes,
                       &custom);
    criterion.custom = custom.statistics;
    criterion.custom_count = custom.count;
    if (r->status == DP2DP_STATUS_OK) {
        r->status = dp2dpi_model_set_criterion(model, &criterion, r->error);
    }
    dp2dpi_custom_free(&custom);
    r->where = "rule.";
    dp2dpi_reader_require(r, dp2dpi_criterion_is_needed(info), member,
                          "absent, because all members of the criterion have their default values");
}

dp2dp_status dp2dpi_criterion_check(const dp2dp_model_info *info, dp2dp_error *error) {
    if (info->strata == 0) {
        return DP2DP_STATUS_OK;
    }
    const dp2dpi_criterion criterion = {.criterion = info->criterion,
                                        .positive = info->positive,
                                        .custom = info->statistics,
                                        .custom_count = info->statistic_count};
    dp2dpi_statistics statistics;
    dp2dp_status status =
        dp2dpi_statistics_new(&criterion, info->labels, info->classes, &statistics, error);
    dp2dpi_statistics_free(&statistics);
    DP2DPI_TRY(status);
    return DP2DPI_MODEL_REQUIRE(
        error,
        {isnan(info->tolerance) || info->tolerance >= 0, "rule.criterion.tolerance",
         "null or at least 0"},
        {!dp2dpi_criterion_is_needed(info) || info->solver == DP2DP_SOLVER_COUNTS ||
             info->solver == DP2DP_SOLVER_EXACT,
         "options.solver", "\"counts\" or \"exact\", because rule.criterion is present"});
}
