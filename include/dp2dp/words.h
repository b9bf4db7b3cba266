/* The words for enum values in options, files and messages. */
#ifndef DP2DP_WORDS_H
#define DP2DP_WORDS_H

#include <stddef.h>

#include <dp2dp/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tables of words, one for each enum. */
typedef enum dp2dp_word_table {
    DP2DP_WORDS_STATUS = 1,
    DP2DP_WORDS_REASON = 2,
    DP2DP_WORDS_MECHANISM = 3,
    DP2DP_WORDS_ADJACENCY = 4,
    DP2DP_WORDS_BACKEND = 5,
    DP2DP_WORDS_SOLVER = 6,
    DP2DP_WORDS_METHOD = 7,
    DP2DP_WORDS_NOT_PRIVATE = 8,
    DP2DP_WORDS_RNG = 9,
    DP2DP_WORDS_ROW_SUMS = 10,
    DP2DP_WORDS_ROLE = 11,
    DP2DP_WORDS_KIND = 12,
    DP2DP_WORDS_POLICY = 13,
    DP2DP_WORDS_ORIGIN = 14,
    DP2DP_WORDS_SAMPLING_UNIT = 15,
    DP2DP_WORDS_ENTRY = 16,
    DP2DP_WORDS_WARNING = 17,
    DP2DP_WORDS_CHECK = 18,
    DP2DP_WORDS_BAD_ROWS = 19,
    DP2DP_WORDS_CRITERION = 20,
    DP2DP_WORDS_RULE = 21,
    DP2DP_WORDS_COUNTED = 22,
    DP2DP_WORDS_DITHER_KEY = 23,
    DP2DP_WORDS_TARGET = 24,
    DP2DP_WORDS_SWEEP_PEOPLE = 25,
    DP2DP_WORDS_STATEMENT = 26,
    DP2DP_WORDS_EXPORT = 27,
    DP2DP_WORDS_TERM = 28,
    DP2DP_WORDS_ODDITY = 29,
    DP2DP_WORDS_MISSING = 30 /* texts that people write for a missing value, in lower case; `help`
                                 is how they usually write it */
} dp2dp_word_table;

typedef struct dp2dp_word {
    int value;
    const char *word; /* for example "replace-one" */
    const char *help; /* an explanation for people; may be NULL */
} dp2dp_word;

/* Returns all words of a table and sets *count to their number. Ownership: the words are static. */
DP2DP_API const dp2dp_word *dp2dp_words(dp2dp_word_table table, size_t *count);

/* Sets *value to the enum value of the word. Fails with ARGUMENT if the word is not in the table;
 * the message lists the table's words. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_word_parse(dp2dp_word_table table, const char *word, int *value, dp2dp_error *error);

/* Returns the word of the list `words` that is most similar to `typed`, or NULL if no word is
 * similar. A word is similar if it has at most two typing errors: a missing letter, an extra
 * letter, a wrong letter or two swapped letters. A word is also similar if it begins with `typed`,
 * or if `typed` begins with the word. Ownership: the result belongs to `words`. */
DP2DP_API const char *dp2dp_word_nearest(const char *typed, const char *const *words, size_t count);

/* Returns the entry with this value, or NULL if the table has no such value. */
static inline const dp2dp_word *dp2dp_word_find(dp2dp_word_table table, int value) {
    size_t count;
    const dp2dp_word *words = dp2dp_words(table, &count);
    for (size_t i = 0; i < count; i++) {
        if (words[i].value == value) {
            return &words[i];
        }
    }
    return NULL;
}

/* Returns the word for a value, or NULL if the table has no such value. */
static inline const char *dp2dp_word_name(dp2dp_word_table table, int value) {
    const dp2dp_word *word = dp2dp_word_find(table, value);
    return word ? word->word : NULL;
}

/* Defines type_name(value) and type_parse(word, &value, error) for one enum. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type name cannot stand in parentheses */
#define DP2DP_DEFINE_WORDS(type, table)                                           \
    static inline const char *type##_name(type value) {                           \
        return dp2dp_word_name(table, (int)value);                                \
    }                                                                             \
    static inline DP2DP_MUST_CHECK dp2dp_status type##_parse(                     \
        const char *word, type *out, dp2dp_error *error) {                        \
        int value;                                                                \
        const dp2dp_status status = dp2dp_word_parse(table, word, &value, error); \
        if (status == DP2DP_STATUS_OK) {                                          \
            *out = (type)value;                                                   \
        }                                                                         \
        return status;                                                            \
    }
/* NOLINTEND(bugprone-macro-parentheses) */

/* Statements that the program, the explanation and the report share. */
typedef enum dp2dp_statement {
#define DP2DP_STATEMENT(name, value, word, text) DP2DP_STATEMENT_##name = (value),
#include <dp2dp/statement.def>
#undef DP2DP_STATEMENT
} dp2dp_statement;

/* Returns a statement as text for people. */
static inline const char *dp2dp_statement_text(dp2dp_statement statement) {
    const dp2dp_word *word = dp2dp_word_find(DP2DP_WORDS_STATEMENT, (int)statement);
    return word ? word->help : "";
}

/* Returns the name of a status, for example "BUDGET"; "UNKNOWN" if the value is not a status. */
static inline const char *dp2dp_status_name(dp2dp_status status) {
    const char *name = dp2dp_word_name(DP2DP_WORDS_STATUS, (int)status);
    return name ? name : "UNKNOWN";
}
/* Returns the meaning of a status; "unknown status" if the value is not a status. */
static inline const char *dp2dp_status_help(dp2dp_status status) {
    const dp2dp_word *word = dp2dp_word_find(DP2DP_WORDS_STATUS, (int)status);
    return word ? word->help : "unknown status";
}

#ifdef __cplusplus
}
#endif
#endif
