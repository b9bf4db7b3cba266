/* A guard around Jansson. It checks size, depth and token length before the parser runs, uses the C
 * locale, and returns the right status when memory runs out inside the parser. */
#ifndef DP2DPI_BASE_JSON_H
#define DP2DPI_BASE_JSON_H

#include <stddef.h>

#include <jansson.h>

#include "base/error.h"

enum {
    DP2DPI_JSON_TEXT_MAX = 64 * 1024 * 1024, /* longest text, in bytes */
    DP2DPI_JSON_TOKEN_MAX = 4096,            /* longest string or number as written, in bytes */
    DP2DPI_JSON_DEPTH_MAX = 8,               /* deepest nesting of objects and arrays */
    DP2DPI_JSON_PRINTABLE_SIZE = 80
};

/* Parses one JSON value. The text must be exactly one value, its keys must be unique, and it must
 * be within the limits above; otherwise fails with DATA. Fails with MEMORY if memory runs out.
 * `what` names the text in messages. Ownership: the caller drops the reference with json_decref. */
dp2dp_status dp2dpi_json_parse(const char *what, const char *text, size_t length, json_t **out,
                               dp2dp_error *error);

/* Fails with DATA and the reason WRONG_FILE if the first character that is not blank is not "{".
 * Call this before parsing a file: the parser's message quotes the text, and the file may be a
 * table of people. */
dp2dp_status dp2dpi_json_expect_object(const char *what, const char *text, size_t length,
                                       dp2dp_error *error);

/* Writes a value as text, indented, with a newline and a NUL at the end. Fails with MEMORY if value
 * is NULL. Ownership: free the text with dp2dpi_free. */
dp2dp_status dp2dpi_json_dump(const char *what, const json_t *value, char **text, size_t *length,
                              dp2dp_error *error);

/* Writes a value as text on one line, without blanks and without a newline, so that values with the
 * same content and the same order of members give equal bytes. Fails with MEMORY if value is NULL.
 * Ownership: free the text with dp2dpi_free. */
dp2dp_status dp2dpi_json_dump_line(const char *what, const json_t *value, char **text,
                                   size_t *length, dp2dp_error *error);

/* Call this after filling `value`, an object or array. `failed` says whether a call that put a part
 * into `value` failed. Such a call also fails if memory ran out for its part, because the part is
 * then NULL. Returns `value` if `failed` is 0; otherwise drops the reference to `value` and returns
 * NULL. */
json_t *dp2dpi_json_finish(json_t *value, int failed);
/* DP2DPI_JSON_OBJECT({"key", value}, …) makes an object and takes over the caller's references to
 * the values. */
typedef struct dp2dpi_member {
    const char *key;
    json_t *value;
} dp2dpi_member;
#define DP2DPI_JSON_OBJECT(...) \
    dp2dpi_json_object((const dp2dpi_member[]) {__VA_ARGS__, {NULL, NULL}})
json_t *dp2dpi_json_object(const dp2dpi_member *members);
json_t *dp2dpi_json_texts(const char *const *texts, size_t n);
json_t *dp2dpi_json_version(int major, int minor);
/* Makes a JSON string, or a JSON null if text is NULL. */
json_t *dp2dpi_text_or_null(const char *text);

/* Copies text from a file to `out` for use in a message: cuts the text to the size of `out` and
 * replaces every byte that is not printable ASCII by '?'. Returns out. */
const char *dp2dpi_json_printable(const char *text, char out[DP2DPI_JSON_PRINTABLE_SIZE]);

/* Reads a number into *out. Returns 1 if `value` is a real, or an integer from −2^53 to 2^53, which
 * a double holds exactly. Returns 0 for any other value. */
int dp2dpi_json_number(const json_t *value, double *out);

/* Returns 1 if the text is well-formed UTF-8 (RFC 3629). JSON can hold no other text. */
int dp2dpi_json_is_utf8(const char *text);

#endif
