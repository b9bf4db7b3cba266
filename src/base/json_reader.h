/* Reads the members of a JSON object one by one. The reader keeps the first failure, so a function
 * can read all members and then check `status` once. Values read after a failure are
 * meaningless. */
#ifndef DP2DPI_BASE_JSON_READER_H
#define DP2DPI_BASE_JSON_READER_H

#include <dp2dp/ledger.h>

#include "base/json.h"
#include "base/words.h"

#define DP2DPI_JSON_INFINITY "infinity" /* a string, because JSON has no number for infinity */

typedef struct dp2dpi_reader {
    dp2dp_status status;
    dp2dp_error *error;
    int newer; /* 1 if the minor version of the text is newer than this library's; unknown members
                  are then ignored */
    const char *where; /* prefix of member names in messages, for example "rule." */
    const char *of;    /* the kind of text, for messages, for example "a model"; set by
                          dp2dpi_reader_heading */
} dp2dpi_reader;

/* Stores a failure with status DATA and the message "<key>: must be <must>" in the reader. */
void dp2dpi_reader_refuse(dp2dpi_reader *r, const char *key, const char *must);
/* If `holds` is 0, stores a failure like dp2dpi_reader_refuse. */
void dp2dpi_reader_require(dp2dpi_reader *r, int holds, const char *key, const char *must);
/* Stores in the reader the failure *inner that another module reported, with `prefix` before its
 * message. MEMORY stays MEMORY; every other status becomes DATA, because the JSON text has caused
 * the failure. */
void dp2dpi_reader_retell(dp2dpi_reader *r, dp2dp_status status, const char *prefix,
                          const dp2dp_error *inner);

/* Refuses a member whose name is not in the list `known`, which ends with NULL. `of` names the
 * object in messages. */
void dp2dpi_reader_keys(dp2dpi_reader *r, json_t *object, const char *const *known, const char *of);
/* Returns the member `key`, which must be an object whose members are all in the list `known`. Sets
 * r->where to `where`, the prefix of the names of these members in messages. */
json_t *dp2dpi_reader_object(dp2dpi_reader *r, json_t *parent, const char *key, const char *where,
                             const char *const *known);

/* Fails with DATA and the reason WRONG_FILE, because the member "format" is `found` instead of
 * `format`. `found` may be NULL. If `found` is the format of another kind of dp2dp file, the
 * message names this kind. */
dp2dp_status dp2dpi_fail_format(const char *found, const char *format, const char *of,
                                dp2dp_error *error);

/* Reads the members format and version of a text; `of` says what the text must be, for example "a
 * model". Call this first: a newer version may have members that this library cannot understand.
 * Sets r->newer and returns the minor version. */
uint64_t dp2dpi_reader_heading(dp2dpi_reader *r, json_t *root, const char *format, const char *of,
                               unsigned major_max, unsigned minor_max);

/* Reads a number; null gives NaN, and "infinity" gives infinity. */
double dp2dpi_reader_number(dp2dpi_reader *r, const json_t *object, const char *key);
uint64_t dp2dpi_reader_count(dp2dpi_reader *r, const json_t *object, const char *key);
int dp2dpi_reader_boolean(dp2dpi_reader *r, const json_t *object, const char *key);
/* Reads a seed. Accepts only the form in which this library writes a seed: a string of digits
 * without sign, space or leading zero. */
uint64_t dp2dpi_reader_seed(dp2dpi_reader *r, const json_t *object, const char *key);
/* Reads the members rng and insecure_seed; the seed must be null if rng is secure. */
void dp2dpi_reader_rng(dp2dpi_reader *r, const json_t *object, dp2dp_rng_kind *rng, uint64_t *seed);
int dp2dpi_reader_word(dp2dpi_reader *r, const json_t *object, const char *key,
                       dp2dp_word_table table);

/* dp2dpi_reader_numbers reads an array of exactly n numbers into out, dp2dpi_reader_texts an array
 * of exactly n texts. The texts belong to the array. */
void dp2dpi_reader_numbers(dp2dpi_reader *r, const json_t *array, const char *key, size_t n,
                           double *out);
void dp2dpi_reader_texts(dp2dpi_reader *r, const json_t *array, const char *key, size_t n,
                         const char **out);

#endif
