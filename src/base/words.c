#include "base/words.h"

#include <stdio.h>
#include <string.h>

#include <dp2dp/dp2dp.h>

#include "base/error.h"

static const dp2dp_word statuses[] = {
#define DP2DP_STATUS(name, value, exit_code, help) {value, #name, help},
#include <dp2dp/status.def>
#undef DP2DP_STATUS
};
static const dp2dp_word reasons[] = {
#define DP2DP_REASON(name, value, word, help) {value, word, help},
#include <dp2dp/reason.def>
#undef DP2DP_REASON
};
static const dp2dp_word mechanisms[] = {
#define DP2DP_MECHANISM(name, value, word, help) {value, word, help},
#include <dp2dp/event.def>
#undef DP2DP_MECHANISM
};
static const dp2dp_word adjacencies[] = {
    {DP2DP_REPLACE_ONE, "replace-one", "the record is replaced by any other"},
    {DP2DP_ADD_REMOVE, "add-remove", "the record is added or removed"},
};
static const dp2dp_word backends[] = {
    {DP2DP_BACKEND_AUTO, "auto", NULL},
    {DP2DP_BACKEND_ANALYTIC, "analytic", NULL},
    {DP2DP_BACKEND_PLD, "pld", NULL},
    {DP2DP_BACKEND_RDP, "rdp", NULL},
};
static const dp2dp_word sampling_units[] = {
    {DP2DP_SAMPLE_ROWS, "rows", NULL},
    {DP2DP_SAMPLE_PERSONS, "persons", NULL},
};
static const dp2dp_word solvers[] = {
#define DP2DP_SOLVER(name, value, word) {value, word, NULL},
#include <dp2dp/solver.def>
#undef DP2DP_SOLVER
};
static const dp2dp_word methods[] = {
#define DP2DP_TRAIN_METHOD(name, value, word) {value, word, NULL},
#include <dp2dp/method.def>
#undef DP2DP_TRAIN_METHOD
};
static const dp2dp_word not_private[] = {
#define DP2DP_NOT_PRIVATE(name, bit, word, help) {bit, word, help},
#include <dp2dp/not_private.def>
#undef DP2DP_NOT_PRIVATE
};
static const dp2dp_word warnings[] = {
#define DP2DP_WARNING(name, bit, word, help) {bit, word, help},
#include <dp2dp/warning.def>
#undef DP2DP_WARNING
};
static const dp2dp_word oddities[] = {
#define DP2DP_ODDITY(name, bit, word, help) {bit, word, help},
#include <dp2dp/oddity.def>
#undef DP2DP_ODDITY
};
static const dp2dp_word rngs[] = {
    {DP2DP_RNG_SECURE, "secure", NULL},
    {DP2DP_RNG_INSECURE, "insecure", NULL},
};
static const dp2dp_word entries[] = {
    {DP2DP_ENTRY_CHARGE, "charge", NULL},
    {DP2DP_ENTRY_BUDGET, "budget", NULL},
    {DP2DP_ENTRY_PUBLISHED, "published", NULL},
};
static const dp2dp_word missing[] = {
    {1, "na", "NA"},     {2, "n/a", "N/A"},          {3, "#n/a", "#N/A"}, {4, "nan", "NaN"},
    {5, "null", "NULL"}, {6, "none", "None"},        {7, "?", "?"},       {8, "-", "-"},
    {9, ".", "."},       {10, "missing", "missing"},
};
static const dp2dp_word check_results[] = {
    {DP2DP_CHECK_HOLDS, "holds", NULL},
    {DP2DP_CHECK_FAILS, "fails", NULL},
    {DP2DP_CHECK_NOTED, "noted",
     "cannot be checked with these files, or should be known but is no contradiction"},
};
static const dp2dp_word row_sums[] = {
    {DP2DP_ROW_SUMS_CHECK, "check", NULL},
    {DP2DP_ROW_SUMS_NORMALIZE, "normalize", NULL},
};
static const dp2dp_word criteria[] = {
#define DP2DP_CRITERION(name, value, word, help) {value, word, help},
#define DP2DP_CRITERION_ALIAS(name, word) {DP2DP_##name, word, NULL},
#include <dp2dp/criterion.def>
#undef DP2DP_CRITERION_ALIAS
#undef DP2DP_CRITERION
};
static const dp2dp_word rules[] = {
    {DP2DP_RULE_OFFSET, "offset", NULL},
    {DP2DP_RULE_LINEAR, "linear", NULL},
    {DP2DP_RULE_WEIGHTED, "weighted", NULL},
};
static const dp2dp_word counted[] = {
    {DP2DP_COUNTED_LABELS, "labels", NULL},
    {DP2DP_COUNTED_SCORES, "scores", NULL},
};
static const dp2dp_word dither_keys[] = {
    {DP2DP_DITHER_KEY_ROW, "row",
     "the row's position, so sorting a table, or deciding it in parts, changes decisions"},
    {DP2DP_DITHER_KEY_SCORES, "scores", "the person's scores, so equal scores get equal decisions"},
    {DP2DP_DITHER_KEY_ID, "id",
     "the person's id; anyone who knows the seed and can choose an id can choose the decision"},
};
static const dp2dp_word bad_rows[] = {
    {DP2DP_BAD_ROWS_REFUSE, "refuse", NULL},
    {DP2DP_BAD_ROWS_IGNORE, "ignore", NULL},
};
static const dp2dp_word targets[] = {
    {DP2DP_TARGET_LABEL, "label", NULL},
    {DP2DP_TARGET_GROUP, "group", NULL},
    {DP2DP_TARGET_GROUP_LABEL, "group-label", NULL},
};
static const dp2dp_word statements[] = {
#define DP2DP_STATEMENT(name, value, word, text) {value, word, text},
#include <dp2dp/statement.def>
#undef DP2DP_STATEMENT
};
static const dp2dp_word sweep_people[] = {
    {DP2DP_SWEEP_OTHER, "other", "people whose data were not used to make the model"},
    {DP2DP_SWEEP_PUBLIC, "public", "people whose rows are public"},
    {DP2DP_SWEEP_EXPOSED, "exposed", "people whose data the model was made from"},
};
static const dp2dp_word export_formats[] = {
    {DP2DP_EXPORT_DUCKDB, "duckdb", NULL},        {DP2DP_EXPORT_POSTGRESQL, "postgresql", NULL},
    {DP2DP_EXPORT_SQLITE, "sqlite", NULL},        {DP2DP_EXPORT_SPARK, "spark", NULL},
    {DP2DP_EXPORT_ONNX, "onnx", "an ONNX model"}, {DP2DP_EXPORT_C_HEADER, "c-header", "a C header"},
};
static const dp2dp_word terms[] = {
    {DP2DP_TERM_GRADIENT, "gradient", NULL},
    {DP2DP_TERM_ROW, "row", NULL},
    {DP2DP_TERM_SLOPE, "slope", NULL},
};
#define DP2DP_WORD(name, value, word) {value, word, NULL},
static const dp2dp_word roles[] = {
#define DP2DP_ROLE DP2DP_WORD
#include <dp2dp/schema.def>
#undef DP2DP_ROLE
};
static const dp2dp_word kinds[] = {
#define DP2DP_KIND DP2DP_WORD
#include <dp2dp/schema.def>
#undef DP2DP_KIND
};
static const dp2dp_word policies[] = {
#define DP2DP_POLICY DP2DP_WORD
#include <dp2dp/schema.def>
#undef DP2DP_POLICY
};
static const dp2dp_word origins[] = {
#define DP2DP_ORIGIN DP2DP_WORD
#include <dp2dp/schema.def>
#undef DP2DP_ORIGIN
};

#define TABLE(what, words) \
    { what, words, sizeof(words) / sizeof *(words) }
static const struct {
    const char *what; /* what the enum is called in messages */
    const dp2dp_word *words;
    size_t count;
} tables[] = {
    [DP2DP_WORDS_STATUS] = TABLE("status", statuses),
    [DP2DP_WORDS_REASON] = TABLE("reason", reasons),
    [DP2DP_WORDS_MECHANISM] = TABLE("mechanism", mechanisms),
    [DP2DP_WORDS_ADJACENCY] = TABLE("adjacency", adjacencies),
    [DP2DP_WORDS_BACKEND] = TABLE("accountant", backends),
    [DP2DP_WORDS_SOLVER] = TABLE("solver", solvers),
    [DP2DP_WORDS_METHOD] = TABLE("method", methods),
    [DP2DP_WORDS_NOT_PRIVATE] = TABLE("reason for not being private", not_private),
    [DP2DP_WORDS_RNG] = TABLE("rng", rngs),
    [DP2DP_WORDS_ROW_SUMS] = TABLE("treatment of row sums", row_sums),
    [DP2DP_WORDS_ROLE] = TABLE("role", roles),
    [DP2DP_WORDS_KIND] = TABLE("kind", kinds),
    [DP2DP_WORDS_POLICY] = TABLE("policy", policies),
    [DP2DP_WORDS_ORIGIN] = TABLE("origin", origins),
    [DP2DP_WORDS_BAD_ROWS] = TABLE("treatment of bad rows", bad_rows),
    [DP2DP_WORDS_SAMPLING_UNIT] = TABLE("sampling unit", sampling_units),
    [DP2DP_WORDS_ENTRY] = TABLE("kind of entry", entries),
    [DP2DP_WORDS_WARNING] = TABLE("warning", warnings),
    [DP2DP_WORDS_ODDITY] = TABLE("oddity", oddities),
    [DP2DP_WORDS_MISSING] = TABLE("text for a missing value", missing),
    [DP2DP_WORDS_CHECK] = TABLE("result of a check", check_results),
    [DP2DP_WORDS_CRITERION] = TABLE("criterion", criteria),
    [DP2DP_WORDS_RULE] = TABLE("kind of rule", rules),
    [DP2DP_WORDS_COUNTED] = TABLE("way of counting", counted),
    [DP2DP_WORDS_DITHER_KEY] = TABLE("dither key", dither_keys),
    [DP2DP_WORDS_TARGET] = TABLE("target", targets),
    [DP2DP_WORDS_SWEEP_PEOPLE] = TABLE("kind of people of a sweep", sweep_people),
    [DP2DP_WORDS_STATEMENT] = TABLE("statement", statements),
    [DP2DP_WORDS_EXPORT] = TABLE("format of an export", export_formats),
    [DP2DP_WORDS_TERM] = TABLE("term of a sum", terms),
};

const dp2dp_word *dp2dp_words(dp2dp_word_table table, size_t *count) {
    size_t at = (size_t)table;
    int known = at < sizeof tables / sizeof tables[0];
    *count = known ? tables[at].count : 0;
    return known ? tables[at].words : NULL;
}

int dp2dpi_word_find(dp2dp_word_table table, const char *word, int *value) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; word && i < count; i++) {
        if (strcmp(words[i].word, word) == 0) {
            *value = words[i].value;
            return 1;
        }
    }
    return 0;
}

enum {
    WORDS_SIZE = 220 /* bytes for the list of known words in a message */
};

dp2dp_status dp2dp_word_parse(dp2dp_word_table table, const char *word, int *value,
                              dp2dp_error *error) {
    char known[WORDS_SIZE + 8] = "";
    size_t count, used = 0;
    const dp2dp_word *words = dp2dp_words(table, &count);
    if (words == NULL || value == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "table and value must not be NULL");
    }
    if (dp2dpi_word_find(table, word, value)) {
        return DP2DP_STATUS_OK;
    }
    for (size_t i = 0; i < count; i++) {
        const char *next = words[i].word;
        int fits = used + strlen(next) + 2 < WORDS_SIZE;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                 fits ? next : "...");
        if (!fits) {
            break;
        }
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "unknown %s '%.40s': it must be one of %s",
                       tables[table].what, word ? word : "(null)", known);
}
