#include "source/protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/wipe.h"

enum {
    VERSION = 1
};

/* Turns a JSON object into a line of text. Takes over the reference to `line`; `line` is NULL if
 * memory ran out. */
static dp2dp_status finish(json_t *line, char **text, dp2dp_error *error) {
    char *plain = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    size_t length = plain ? strlen(plain) : 0;
    json_decref(line);
    *text = plain ? malloc(length + 2) : NULL;
    if (*text) {
        memcpy(*text, plain, length);
        memcpy(*text + length, "\n", 2);
    }
    cli_wipe_and_free(plain, length);
    return cli_check_memory(*text, "a line for a source", error);
}

/* Adds a member. Takes over the references to object and value. The functions of Jansson fail if
 * they get NULL, so only the final result needs to be checked. */
static json_t *with(json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value) != 0) {
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *appended(json_t *array, json_t *value) {
    if (json_array_append_new(array, value) != 0) {
        json_decref(array);
        return NULL;
    }
    return array;
}

static json_t *greeting(void) {
    json_t *line = with(json_object(), "dp2dp", json_string("source"));
    return with(line, "version", json_integer(VERSION));
}

static json_t *names_json(const char *const *names, size_t count) {
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        array = appended(array, json_string(names[i]));
    }
    return array;
}

static json_t *dither_json(const dp2dp_dither *dither) {
    if (!(dither->width > 0)) {
        return json_null();
    }
    json_t *object = with(json_object(), "width", json_real(dither->width));
    object = with(object, "key", json_string(dp2dp_dither_key_name(DP2DP_DITHER_KEY_SCORES)));
    object = with(object, "seed", json_integer((json_int_t)dither->seed));
    return with(object, "hash", json_integer(CLI_DITHER_HASH));
}

/* Writes infinity and NAN as null: JSON has neither. */
static json_t *real_or_null(double x) {
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *privacy_json(const cli_hello *hello) {
    json_t *object = with(json_object(), "epsilon", real_or_null(hello->epsilon));
    object = with(object, "delta", real_or_null(hello->delta));
    object = with(object, "rows_per_person", json_integer((json_int_t)hello->rows_per_person));
    return with(object, "rng", json_string(dp2dp_rng_kind_name(hello->rng)));
}

static dp2dp_status check_names(const char *const *names, size_t count, dp2dp_error *error) {
    for (size_t i = 0; i < count; i++) {
        if (!cli_json_is_text(names[i])) {
            return cli_refuse(error, "the names of groups and classes must be UTF-8 to be sent to "
                                     "a source");
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_hello_write(const cli_hello *hello, char **text, dp2dp_error *error) {
    *text = NULL;
    CLI_TRY(check_names(hello->groups, hello->group_count, error));
    CLI_TRY(check_names(hello->classes, hello->class_count, error));
    json_t *line = greeting();
    line = with(line, "groups", names_json(hello->groups, hello->group_count));
    line = with(line, "classes", names_json(hello->classes, hello->class_count));
    line = with(line, "criterion", json_string(dp2dp_criterion_name(hello->criterion)));
    line = with(line, "strata", json_integer((json_int_t)hello->strata));
    line = with(line, "rule", json_string(dp2dp_rule_name(hello->rule)));
    if (hello->rule == DP2DP_RULE_WEIGHTED) {
        line = with(line, "weights", json_integer((json_int_t)hello->weights));
    }
    line = with(line, "dither", dither_json(&hello->dither));
    if (hello->grid_bits > 0) {
        line = with(line, "grid", json_integer((json_int_t)hello->grid_bits));
    }
    line = with(line, "questions", json_integer((json_int_t)hello->questions));
    line = with(line, "privacy", privacy_json(hello));
    return finish(line, text, error);
}

dp2dp_status cli_question_write(uint64_t number, const float *offsets, size_t strata,
                                size_t classes, char **text, dp2dp_error *error) {
    json_t *table = json_array();
    for (size_t e = 0; e < strata; e++) {
        json_t *row = json_array();
        for (size_t k = 0; k < classes; k++) {
            row = appended(row, json_real((double)offsets[e * classes + k]));
        }
        table = appended(table, row);
    }
    json_t *line = with(json_object(), "count", json_integer((json_int_t)number));
    return finish(with(line, "offsets", table), text, error);
}

dp2dp_status cli_promise_write(const cli_promise *promise, char **text, dp2dp_error *error) {
    json_t *line = with(greeting(), "records", json_integer((json_int_t)promise->records));
    int normalize = promise->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    line = with(line, "row_sums", json_string(normalize ? "normalize" : "check"));
    return finish(promise->leaves_out ? with(line, "left_out", json_true()) : line, text, error);
}

dp2dp_status cli_table_write(uint64_t number, const int64_t *table, size_t strata, size_t classes,
                             int leaves_out, char **text, dp2dp_error *error) {
    json_t *rows = json_array();
    for (size_t e = 0; e < strata; e++) {
        json_t *row = json_array();
        for (size_t k = 0; k < classes; k++) {
            row = appended(row, json_integer(table[e * classes + k]));
        }
        rows = appended(rows, row);
    }
    json_t *line = with(json_object(), "count", json_integer((json_int_t)number));
    line = with(line, "table", rows);
    if (leaves_out) {
        line = with(line, "left_out", json_integer(table[strata * classes]));
    }
    return finish(line, text, error);
}

dp2dp_status cli_refusal_write(const char *words, char **text, dp2dp_error *error) {
    const char *sent = cli_json_is_text(words) ? words : "refused";
    return finish(with(json_object(), "error", json_string(sent)), text, error);
}
