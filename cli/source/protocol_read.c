#include "source/protocol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char cli_protocol_refused[] =
    "is a refusal; the command may have printed the reason to standard error";
static const char no_memory[] = "cannot be read: out of memory";

enum {
    LINE_SIZE = 4096, /* largest size of a line without its table, in bytes */
    CELL_SIZE = 32,   /* largest size of a cell of the table with its comma, in bytes */
    GRID_BITS_MAX = 20
};

size_t cli_protocol_most(size_t strata, size_t classes) {
    return LINE_SIZE + strata * classes * CELL_SIZE;
}

json_t *cli_protocol_parse(const char *text, size_t length, const char **fault) {
    json_error_t found;
    json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &found);
    *fault = NULL;
    if (line == NULL) {
        *fault = json_error_code(&found) == json_error_out_of_memory   ? no_memory
                 : json_error_code(&found) == json_error_duplicate_key ? "has a key twice"
                                                                       : "is not a line of JSON";
        return NULL;
    }
    if (!json_is_object(line)) {
        *fault = "is not a JSON object";
        json_decref(line);
        return NULL;
    }
    return line;
}

/* Returns how many keys of a list like "a|b" the object has. Sets *all to the length of the list.
 */
static size_t count_keys(const json_t *object, const char *keys, size_t *all) {
    size_t count = 0;
    char key[32];
    for (*all = 0; keys; ++*all) {
        size_t length = strcspn(keys, "|");
        (void)snprintf(key, sizeof key, "%.*s", (int)length, keys);
        keys = keys[length] == '|' ? keys + length + 1 : NULL;
        count += json_object_get(object, key) != NULL;
    }
    return count;
}

/* Returns whether the object has all keys of the list `needed`, and no others except those of the
 * list `optional`, which may be NULL. */
static int has_only(const json_t *object, const char *needed, const char *optional) {
    size_t needed_count, optional_count;
    size_t found = count_keys(object, needed, &needed_count);
    return found == needed_count &&
           found + count_keys(object, optional, &optional_count) == json_object_size(object);
}

static int is_text(const json_t *value, const char *text) {
    return json_is_string(value) && json_string_length(value) == strlen(text) &&
           strcmp(json_string_value(value), text) == 0;
}

/* Reads an integer that is at least low and at most high. Returns 0 for anything else, such as
 * 1.0. */
static int read_integer(const json_t *value, uint64_t low, uint64_t high, uint64_t *out) {
    json_int_t x = json_integer_value(value);
    if (!json_is_integer(value) || x < 0 || (uint64_t)x < low || (uint64_t)x > high) {
        return 0;
    }
    *out = (uint64_t)x;
    return 1;
}

static int is_greeting(const json_t *line) {
    return is_text(json_object_get(line, "dp2dp"), "source") &&
           json_is_integer(json_object_get(line, "version")) &&
           json_integer_value(json_object_get(line, "version")) == 1;
}

/* If the line is a refusal, which a source may send at any time, returns cli_protocol_refused;
 * otherwise NULL. The message of the source is not repeated. */
static const char *refusal(const json_t *line) {
    return json_is_string(json_object_get(line, "error")) ? cli_protocol_refused : NULL;
}

static const char *read_promise(const json_t *line, cli_promise *out) {
    const json_t *left_out = json_object_get(line, "left_out");
    const json_t *row_sums = json_object_get(line, "row_sums");
    *out = (cli_promise) {.leaves_out = json_is_true(left_out)};
    if (refusal(line)) {
        return refusal(line);
    }
    if (!is_greeting(line)) {
        return "does not begin with \"dp2dp\":\"source\",\"version\":1";
    }
    if (!has_only(line, "dp2dp|version|records|row_sums", "left_out")) {
        return "must have the members \"dp2dp\", \"version\", \"records\" and \"row_sums\", and "
               "may have \"left_out\"";
    }
    if (!read_integer(json_object_get(line, "records"), 0, CLI_RECORDS_MAX, &out->records)) {
        return "has a member \"records\" that is not an integer from 0 to 2^48";
    }
    if (left_out && !json_is_boolean(left_out)) {
        return "has a member \"left_out\" that is not true or false";
    }
    if (is_text(row_sums, "normalize")) {
        out->row_sums = DP2DP_ROW_SUMS_NORMALIZE;
        return NULL;
    }
    out->row_sums = DP2DP_ROW_SUMS_CHECK;
    return is_text(row_sums, "check") ? NULL
                                      : "has a member \"row_sums\" that is neither \"check\" nor "
                                        "\"normalize\"";
}

const char *cli_promise_read(const char *text, size_t length, cli_promise *out) {
    const char *fault;
    json_t *line = cli_protocol_parse(text, length, &fault);
    fault = line ? read_promise(line, out) : fault;
    json_decref(line);
    return fault;
}

/* Reads `strata` arrays of `classes` integers each. Adds the cells to *sum. The sum cannot
 * overflow, because neither a cell nor the sum may exceed `records`. */
static const char *read_cells(const json_t *rows, size_t strata, size_t classes, uint64_t records,
                              int64_t *table, uint64_t *sum) {
    int fits = json_is_array(rows) && json_array_size(rows) == strata;
    for (size_t e = 0; e < strata && fits; e++) {
        const json_t *row = json_array_get(rows, e);
        fits = json_is_array(row) && json_array_size(row) == classes;
        for (size_t k = 0; k < classes && fits; k++) {
            uint64_t cell = 0;
            if (!read_integer(json_array_get(row, k), 0, records, &cell) || *sum + cell > records) {
                return "has a count that is not an integer from 0 to the number of records, or "
                       "counts that sum to more than the number of records";
            }
            table[e * classes + k] = (int64_t)cell;
            *sum += cell;
        }
    }
    return fits ? NULL
                : "has a member \"table\" of the wrong size: it must be one array for each "
                  "stratum, with one count for each class";
}

static const char *read_table(const json_t *line, uint64_t number, const cli_promise *promise,
                              size_t strata, size_t classes, int64_t *table) {
    uint64_t answered = 0, left = 0, sum = 0;
    if (refusal(line)) {
        return refusal(line);
    }
    if (!has_only(line, promise->leaves_out ? "count|table|left_out" : "count|table", NULL)) {
        return promise->leaves_out
                   ? "must have the members \"count\", \"table\" and \"left_out\" and no others"
                   : "must have the members \"count\" and \"table\" and no others";
    }
    if (!read_integer(json_object_get(line, "count"), number, number, &answered)) {
        return "is not about the question that was asked";
    }
    if (promise->leaves_out &&
        !read_integer(json_object_get(line, "left_out"), 0, promise->records, &left)) {
        return "has a member \"left_out\" that is not an integer from 0 to the number of records";
    }
    const char *fault =
        read_cells(json_object_get(line, "table"), strata, classes, promise->records, table, &sum);
    table[strata * classes] = (int64_t)left;
    return fault                            ? fault
           : sum + left != promise->records ? "has counts that do not sum to the number of records"
                                            : NULL;
}

const char *cli_table_read(const char *text, size_t length, uint64_t number,
                           const cli_promise *promise, size_t strata, size_t classes,
                           int64_t *table) {
    const char *fault;
    json_t *line = cli_protocol_parse(text, length, &fault);
    fault = line ? read_table(line, number, promise, strata, classes, table) : fault;
    json_decref(line);
    return fault;
}

/* Sets *out to a new array of the names in a JSON array; the names themselves are borrowed. */
static const char *read_names(const json_t *array, const char *const **out, size_t *count) {
    size_t n = json_array_size(array);
    if (n < 2) {
        return "must have at least two groups and two classes";
    }
    const char **names = calloc(n, sizeof *names);
    *out = names;
    *count = n;
    for (size_t i = 0; names && i < n; i++) {
        const json_t *name = json_array_get(array, i);
        names[i] = json_string_value(name);
        if (names[i] == NULL || strlen(names[i]) != json_string_length(name)) {
            return "has a group or class whose name is not a text";
        }
    }
    return names ? NULL : no_memory;
}

static int read_real(const json_t *value, double *out) {
    *out = json_number_value(value);
    return json_is_number(value);
}

/* Reads a word of a word table of the library. Sets *out to the enum value of the word. */
static int read_word(const json_t *value, dp2dp_word_table table, int *out) {
    dp2dp_error ignored;
    return json_is_string(value) &&
           dp2dp_word_parse(table, json_string_value(value), out, &ignored) == DP2DP_STATUS_OK;
}

static const char *read_dither(const json_t *dither, dp2dp_dither *out) {
    *out = (dp2dp_dither) {0};
    if (json_is_null(dither)) {
        return NULL;
    }
    uint64_t hash = 0;
    if (!has_only(dither, "width|key|seed|hash", NULL) ||
        !is_text(json_object_get(dither, "key"), "scores") ||
        !read_integer(json_object_get(dither, "hash"), CLI_DITHER_HASH, CLI_DITHER_HASH, &hash)) {
        return "has a dither that this source does not support: its \"key\" must be \"scores\", "
               "and its \"hash\" must be the number that this version of dp2dp uses";
    }
    return read_real(json_object_get(dither, "width"), &out->width) && out->width > 0 &&
                   out->width <= 1 &&
                   read_integer(json_object_get(dither, "seed"), 0, INT64_MAX, &out->seed)
               ? NULL
               : "has a dither whose width or seed is out of range";
}

static const char *read_privacy(const json_t *privacy, cli_hello *out) {
    int rng = 0;
    const json_t *epsilon = json_object_get(privacy, "epsilon");
    const json_t *delta = json_object_get(privacy, "delta");
    out->epsilon = INFINITY;
    out->delta = NAN;
    if (privacy == NULL) {
        return NULL;
    }
    if (!has_only(privacy, "epsilon|delta|rows_per_person|rng", NULL) ||
        !(json_is_null(epsilon) || (read_real(epsilon, &out->epsilon) && out->epsilon > 0)) ||
        !(json_is_null(delta) ||
          (read_real(delta, &out->delta) && out->delta > 0 && out->delta < 1)) ||
        (isnan(out->delta) && isfinite(out->epsilon)) ||
        !read_integer(json_object_get(privacy, "rows_per_person"), 1, 1000000,
                      &out->rows_per_person) ||
        !read_word(json_object_get(privacy, "rng"), DP2DP_WORDS_RNG, &rng)) {
        return "has a wrong \"privacy\": it must have valid values of \"epsilon\", \"delta\", "
               "\"rows_per_person\" and \"rng\", and no other member";
    }
    out->rng = (dp2dp_rng_kind)rng;
    return NULL;
}

/* Checks that the numbers of the hello fit together. */
static const char *check_hello(const cli_hello *h) {
    int labelled = h->criterion != DP2DP_DEMOGRAPHIC_PARITY;
    int weighted = h->rule == DP2DP_RULE_WEIGHTED;
    int fits =
        h->strata == h->group_count * (labelled ? h->class_count : 1) &&
        (weighted ? h->weights == 0 || h->weights == h->group_count || h->weights == h->strata
                  : h->weights == 0 && (h->rule == DP2DP_RULE_LINEAR) == labelled);
    return fits ? NULL
                : "has \"groups\", \"classes\", \"criterion\", \"strata\" and \"rule\" that "
                  "do not fit together";
}

static const char *read_hello(const json_t *line, cli_hello *out) {
    int criterion = 0, rule = 0;
    uint64_t strata = 0, weights = 0, grid = 0;
    if (!is_greeting(line)) {
        return "does not begin with \"dp2dp\":\"source\",\"version\":1";
    }
    const char *fault =
        read_names(json_object_get(line, "groups"), &out->groups, &out->group_count);
    fault = fault ? fault
                  : read_names(json_object_get(line, "classes"), &out->classes, &out->class_count);
    fault = fault ? fault : read_dither(json_object_get(line, "dither"), &out->dither);
    fault = fault ? fault : read_privacy(json_object_get(line, "privacy"), out);
    if (fault) {
        return fault;
    }
    if (!read_word(json_object_get(line, "criterion"), DP2DP_WORDS_CRITERION, &criterion) ||
        criterion == DP2DP_CUSTOM ||
        !read_word(json_object_get(line, "rule"), DP2DP_WORDS_RULE, &rule)) {
        return "has a criterion or a rule that this source does not support";
    }
    if (!has_only(line, "dp2dp|version|groups|classes|criterion|strata|rule|dither|questions",
                  "weights|grid|privacy")) {
        return "lacks a member, or has a member that this source does not know";
    }
    if (!read_integer(json_object_get(line, "strata"), 2, INT32_MAX, &strata) ||
        (json_object_get(line, "weights") &&
         !read_integer(json_object_get(line, "weights"), 2, INT32_MAX, &weights)) ||
        (json_object_get(line, "grid") &&
         !read_integer(json_object_get(line, "grid"), 1, GRID_BITS_MAX, &grid)) ||
        !read_integer(json_object_get(line, "questions"), 1, INT32_MAX, &out->questions)) {
        return "has a value of \"strata\", \"weights\", \"grid\" or \"questions\" that is not an "
               "integer in the allowed range";
    }
    out->criterion = (dp2dp_criterion)criterion;
    out->rule = (dp2dp_rule)rule;
    out->strata = (size_t)strata;
    out->weights = (size_t)weights;
    out->grid_bits = (unsigned)grid;
    return check_hello(out);
}

const char *cli_hello_read(const char *text, size_t length, cli_hello *out) {
    const char *fault;
    *out = (cli_hello) {0};
    out->own = cli_protocol_parse(text, length, &fault);
    return out->own ? read_hello(out->own, out) : fault;
}

void cli_hello_free(cli_hello *hello) {
    if (hello->own) {
        free((void *)hello->groups);
        free((void *)hello->classes);
        json_decref(hello->own);
    }
    *hello = (cli_hello) {0};
}

/* Reads `strata` arrays of `classes` float32 values each. */
static int read_offsets(const json_t *rows, size_t strata, size_t classes, float *offsets) {
    int fits = json_is_array(rows) && json_array_size(rows) == strata;
    for (size_t e = 0; e < strata && fits; e++) {
        const json_t *row = json_array_get(rows, e);
        fits = json_is_array(row) && json_array_size(row) == classes;
        for (size_t k = 0; k < classes && fits; k++) {
            double x = 0;
            fits =
                read_real(json_array_get(row, k), &x) && fabs(x) <= 1e30 && (double)(float)x == x;
            offsets[e * classes + k] = fits ? (float)x : 0;
        }
    }
    return fits;
}

const char *cli_question_read(const char *text, size_t length, size_t strata, size_t classes,
                              uint64_t *number, float *offsets) {
    const char *fault;
    json_t *line = cli_protocol_parse(text, length, &fault);
    *number = 0;
    if (line == NULL) {
        return fault;
    }
    if (has_only(line, "end", NULL)) {
        fault = is_text(json_object_get(line, "end"), "done") ? NULL
                                                              : "has a member \"end\" that is not "
                                                                "\"done\"";
    } else if (!has_only(line, "count|offsets", NULL) ||
               !read_integer(json_object_get(line, "count"), 1, INT32_MAX, number)) {
        fault = "is not a question: it must have the members \"count\", a whole number above 0, "
                "and \"offsets\"";
    } else if (!read_offsets(json_object_get(line, "offsets"), strata, classes, offsets)) {
        fault = "has \"offsets\" that are not one float32 number for each stratum and class";
    }
    json_decref(line);
    return fault;
}
