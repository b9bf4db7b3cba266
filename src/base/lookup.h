/* Finds the level that a text stands for: by the bytes of the text or, in a list of numbers, by the
 * number that the text spells. */
#ifndef DP2DPI_BASE_LOOKUP_H
#define DP2DPI_BASE_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dp2dpi_meaning {
    const char *text;
    size_t length;
    int32_t level;
} dp2dpi_meaning;

/* Texts with their levels, sorted by length, then by bytes. */
typedef struct dp2dpi_lookup {
    dp2dpi_meaning *meanings;
    size_t count;
} dp2dpi_lookup;

/* Sorts the meanings. Returns 0 if a text occurs twice. */
int dp2dpi_lookup_sort(dp2dpi_lookup *lookup);

/* Returns the level that a text stands for; -1 if the text is unknown. */
int32_t dp2dpi_lookup_find(const dp2dpi_lookup *lookup, const char *text, size_t length);

enum {
    DP2DPI_NUMBER_KEY_SIZE = 32
};

/* Writes the key of a text of the form `[+-] digits [. digits] [e [+-] digits]`, a decimal number.
 * Two texts have the same key if and only if they are the same number: 1, 1.0, 01 and 10e-1 have
 * the key "1e0". Nothing is rounded. Returns the length of the key; 0 if the text is not a decimal
 * number, has more than 20 significant digits or more than 9999 digits in all, or has an exponent
 * beyond ±9999. */
size_t dp2dpi_number_key(const char *text, size_t length, char key[DP2DPI_NUMBER_KEY_SIZE]);

/* Finds two names that spell the same number, the first without and the second with a decimal point
 * or exponent, such as 1 and 1.0. Other spellings of one number, such as 01234 and 1234, or 3.1
 * and 3.10, are allowed, because they may be different codes. Sets *first and *second to the two
 * names, or to NULL if there are no two such names. */
dp2dp_status dp2dpi_names_same_number(const char *const *names, size_t count, const char **first,
                                      const char **second, dp2dp_error *error);

int dp2dpi_all_numbers(const char *const *levels, size_t count);

/* Makes the lookup that finds a level by its value as a number. All levels must be numbers. `texts`
 * has the levels and their aliases; aliases that are not numbers are skipped. Leaves *out empty if
 * two levels are the same number, such as 01234 and 1234. Leading zeros then have a meaning, so
 * levels must be found by their texts only. `meanings` and `keys` need room for texts->count
 * entries; *out points into both arrays. */
void dp2dpi_lookup_by_value(const dp2dpi_lookup *texts, dp2dpi_meaning *meanings,
                            char (*keys)[DP2DPI_NUMBER_KEY_SIZE], dp2dpi_lookup *out);

/* Returns the level that a text stands for in a lookup by value; -1 if the text is unknown. */
int32_t dp2dpi_lookup_find_value(const dp2dpi_lookup *by_value, const char *text, size_t length);

#endif
