#include "base/json_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/meant.h"

void dp2dpi_reader_refuse(dp2dpi_reader *r, const char *key, const char *must) {
    if (r->status == DP2DP_STATUS_OK) {
        r->status =
            dp2dpi_fail(r->error, DP2DP_STATUS_DATA, "%s%s: must be %s", r->where, key, must);
    }
}

void dp2dpi_reader_require(dp2dpi_reader *r, int holds, const char *key, const char *must) {
    if (!holds) {
        dp2dpi_reader_refuse(r, key, must);
    }
}

void dp2dpi_reader_retell(dp2dpi_reader *r, dp2dp_status status, const char *prefix,
                          const dp2dp_error *inner) {
    if (r->status == DP2DP_STATUS_OK && status != DP2DP_STATUS_OK) {
        status = status == DP2DP_STATUS_MEMORY ? status : DP2DP_STATUS_DATA;
        r->status = dp2dpi_fail(r->error, status, "%s%.250s", prefix, inner->message);
    }
}

void dp2dpi_reader_keys(dp2dpi_reader *r, json_t *object, const char *const *known,
                        const char *of) {
    const char *key;
    json_t *value;
    char name[DP2DPI_JSON_PRINTABLE_SIZE];
    json_object_foreach(object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(key, known[i]) != 0) {
            i++;
        }
        if (known[i] == NULL && !r->newer && r->status == DP2DP_STATUS_OK) {
            char hint[DP2DPI_MEANT_SIZE];
            r->status = dp2dpi_fail(r->error, DP2DP_STATUS_DATA, "%s%s: unknown member of %s%s",
                                    r->where, dp2dpi_json_printable(key, name), of,
                                    dp2dpi_meant(key, known, i, hint));
        }
    }
}

json_t *dp2dpi_reader_object(dp2dpi_reader *r, json_t *parent, const char *key, const char *where,
                             const char *const *known) {
    json_t *object = json_object_get(parent, key);
    if (!json_is_object(object)) {
        dp2dpi_reader_refuse(r, key, "an object");
    }
    r->where = where;
    dp2dpi_reader_keys(r, object, known, r->of);
    return object;
}

dp2dp_status dp2dpi_fail_format(const char *found, const char *format, const char *of,
                                dp2dp_error *error) {
    static const char *const kinds[][2] = {{"dp2dp-model", "a model"},
                                           {"dp2dp-ledger", "a ledger"},
                                           {"dp2dp-certificate", "a certificate"},
                                           {"dp2dp-schema", "a schema"}};
    const char *kind = NULL;
    for (size_t i = 0; found && i < sizeof kinds / sizeof *kinds; i++) {
        kind = strcmp(found, kinds[i][0]) == 0 ? kinds[i][1] : kind;
    }
    const dp2dpi_place place = {.reason = DP2DP_REASON_WRONG_FILE};
    return kind ? dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place, "this is %s, not %s", kind, of)
                : dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                                 "format: must be \"%s\"; this is not %s", format, of);
}

uint64_t dp2dpi_reader_heading(dp2dpi_reader *r, json_t *root, const char *format, const char *of,
                               unsigned major_max, unsigned minor_max) {
    static const char *const known[] = {"major", "minor", NULL};
    const char *found = json_string_value(json_object_get(root, "format"));
    json_t *version = json_object_get(root, "version");
    r->of = of;
    if (found == NULL || strcmp(found, format) != 0) {
        if (r->status == DP2DP_STATUS_OK) {
            r->status = dp2dpi_fail_format(found, format, of, r->error);
        }
        return 0;
    }
    if (!json_is_object(version)) {
        dp2dpi_reader_refuse(r, "version", "an object");
        return 0;
    }
    r->where = "version.";
    uint64_t major = dp2dpi_reader_count(r, version, "major");
    uint64_t minor = dp2dpi_reader_count(r, version, "minor");
    if (r->status == DP2DP_STATUS_OK && major > major_max) {
        r->status = dp2dpi_fail(
            r->error, DP2DP_STATUS_DATA,
            "version: %llu.%llu is newer than %u, the newest major version that this library "
            "reads; update dp2dp",
            (unsigned long long)major, (unsigned long long)minor, major_max);
    }
    if (major < 1) {
        dp2dpi_reader_refuse(r, "major", "at least 1");
    }
    r->newer = major == major_max && minor > minor_max;
    dp2dpi_reader_keys(r, version, known, of);
    r->where = "";
    return minor;
}

double dp2dpi_reader_number(dp2dpi_reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    const char *word = json_string_value(value);
    double number = NAN;
    if (word && strcmp(word, DP2DPI_JSON_INFINITY) == 0) {
        number = INFINITY;
    } else if (!json_is_null(value) && !dp2dpi_json_number(value, &number)) {
        dp2dpi_reader_refuse(r, key, "a number, null or \"" DP2DPI_JSON_INFINITY "\"");
    }
    return number;
}

uint64_t dp2dpi_reader_count(dp2dpi_reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        dp2dpi_reader_refuse(r, key, "an integer of at least 0");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

int dp2dpi_reader_boolean(dp2dpi_reader *r, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    dp2dpi_reader_require(r, json_is_boolean(value), key, "true or false");
    return json_is_true(value);
}

uint64_t dp2dpi_reader_seed(dp2dpi_reader *r, const json_t *object, const char *key) {
    const char *digits = json_string_value(json_object_get(object, key));
    size_t n = digits ? strspn(digits, "0123456789") : 0;
    if (n == 0 || digits[n] != '\0' || (digits[0] == '0' && n > 1)) {
        dp2dpi_reader_refuse(r, key, "a whole number below 2^64, as a string");
        return 0;
    }
    errno = 0;
    unsigned long long seed = strtoull(digits, NULL, 10);
    if (errno != 0) {
        dp2dpi_reader_refuse(r, key, "below 2^64");
    }
    return seed;
}

void dp2dpi_reader_rng(dp2dpi_reader *r, const json_t *object, dp2dp_rng_kind *rng,
                       uint64_t *seed) {
    *rng = (dp2dp_rng_kind)dp2dpi_reader_word(r, object, "rng", DP2DP_WORDS_RNG);
    *seed = 0;
    if (*rng == DP2DP_RNG_INSECURE) {
        *seed = dp2dpi_reader_seed(r, object, "insecure_seed");
    } else if (!json_is_null(json_object_get(object, "insecure_seed"))) {
        dp2dpi_reader_refuse(r, "insecure_seed", "null, because rng is secure");
    }
}

static void refuse_word(dp2dpi_reader *r, const char *key, const char *typed,
                        dp2dp_word_table table) {
    enum {
        LISTED = 4 /* largest number of known words that a message lists */
    };
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    const char *texts[LISTED];
    char must[160] = "", hint[DP2DPI_MEANT_SIZE];
    size_t used = 0;
    if (count > LISTED) {
        dp2dpi_reader_refuse(r, key, "a word that this version knows");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] = words[i].word;
        used += (size_t)snprintf(must + used, sizeof must - used, "%s%s",
                                 i == 0           ? ""
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 texts[i]);
    }
    int is_open = strcmp(typed, "?") == 0; /* 1 for the placeholder that `dp2dp schema` writes */
    (void)snprintf(must + used, sizeof must - used, "%s",
                   is_open ? " (replace every \"?\")" : dp2dpi_meant(typed, texts, count, hint));
    dp2dpi_reader_refuse(r, key, must);
}

int dp2dpi_reader_word(dp2dpi_reader *r, const json_t *object, const char *key,
                       dp2dp_word_table table) {
    const char *word = json_string_value(json_object_get(object, key));
    int value = 0;
    if (word == NULL || !dp2dpi_word_find(table, word, &value)) {
        refuse_word(r, key, word ? word : "", table);
    }
    return value;
}

void dp2dpi_reader_numbers(dp2dpi_reader *r, const json_t *array, const char *key, size_t n,
                           double *out) {
    if (!json_is_array(array) || json_array_size(array) != n) {
        dp2dpi_reader_refuse(r, key, "an array with one number for each group, class or feature");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!dp2dpi_json_number(json_array_get(array, i), &out[i])) {
            dp2dpi_reader_refuse(r, key, "numbers");
        }
    }
}

void dp2dpi_reader_texts(dp2dpi_reader *r, const json_t *array, const char *key, size_t n,
                         const char **out) {
    if (!json_is_array(array) || json_array_size(array) != n) {
        dp2dpi_reader_refuse(r, key, "an array with one text for each group or class");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        out[i] = json_string_value(json_array_get(array, i));
        if (out[i] == NULL) {
            dp2dpi_reader_refuse(r, key, "an array of texts");
        }
    }
}
