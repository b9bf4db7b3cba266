/* Reads the members of a JSON object one by one. The first failure stays in the reader, and values
 * read after it are meaningless, so a function can read all it needs and check once. */
#ifndef DP2DPI_BASE_JSON_READER_H
#define DP2DPI_BASE_JSON_READER_H

#include <dp2dp/ledger.h>

#include "base/json.h"
#include "base/words.h"

#define DP2DPI_JSON_INFINITY "infinity" /* JSON has no number for infinity */

typedef struct dp2dpi_reader {
    dp2dp_status status;
    dp2dp_error *error;
    int newer;         /* the text has a newer minor version: unknown members are ignored */
    const char *where; /* prefix of a member's name in messages: "rule." */
} dp2dpi_reader;

/* Sets the failure DATA, "<member>: must be <must>". */
void dp2dpi_reader_refuse(dp2dpi_reader *r, const char *key, const char *must);
/* Does the same unless the condition holds. */
void dp2dpi_reader_require(dp2dpi_reader *r, int holds, const char *key, const char *must);
/* Passes on another module's failure with `prefix` before its message. Every failure but
 * MEMORY becomes DATA, because the text is at fault. */
void dp2dpi_reader_retell(dp2dpi_reader *r, dp2dp_status status, const char *prefix,
                          const dp2dp_error *inner);

/* Refuses a member whose name is not in known, which ends with NULL; `of` names the object in
 * messages. */
void dp2dpi_reader_keys(dp2dpi_reader *r, json_t *object, const char *const *known, const char *of);
/* Reads a member that is an object; sets r->where for its own members. */
json_t *dp2dpi_reader_object(dp2dpi_reader *r, json_t *parent, const char *key, const char *where,
                             const char *const *known);

/* Reads the members format and version of a text; `of` says what the text must be, for example "a
 * model". They come first: a newer version may have members that this library cannot understand.
 * Sets r->newer and returns the minor version. */
uint64_t dp2dpi_reader_heading(dp2dpi_reader *r, json_t *root, const char *format, const char *of,
                               unsigned major_max, unsigned minor_max);

/* Reads null as NaN and "infinity" as infinity. */
double dp2dpi_reader_number(dp2dpi_reader *r, const json_t *object, const char *key);
uint64_t dp2dpi_reader_count(dp2dpi_reader *r, const json_t *object, const char *key);
/* Accepts only the digits that the writer would write: no sign, no space, no leading zero. */
uint64_t dp2dpi_reader_seed(dp2dpi_reader *r, const json_t *object, const char *key);
/* Members rng and insecure_seed: the seed is null if rng is secure. */
void dp2dpi_reader_rng(dp2dpi_reader *r, const json_t *object, dp2dp_rng_kind *rng, uint64_t *seed);
int dp2dpi_reader_word(dp2dpi_reader *r, const json_t *object, const char *key,
                       dp2dp_word_table table);

/* Reads an array of exactly n numbers, or texts, into out. The texts belong to the array. */
void dp2dpi_reader_numbers(dp2dpi_reader *r, const json_t *array, const char *key, size_t n,
                           double *out);
void dp2dpi_reader_texts(dp2dpi_reader *r, const json_t *array, const char *key, size_t n,
                         const char **out);

#endif
