#include "base/json.h"

#include <string.h>

#include "base/alloc.h"
#include "base/c_locale.h"
#include "base/utf8.h"

/* The parser, Jansson, collects each token in a buffer. If memory runs out while the buffer grows,
 * Jansson silently drops bytes, perhaps digits of a sensitivity. To notice this, the library puts a
 * padding string, longer than any allowed token, in front of the text. Then the buffer grows only
 * for the padding, and a failure damages only the padding, which the library checks. The buffer
 * grows at the lengths 2^k - 1. PADDING must be far from all these lengths, so that the closing
 * quote of the padding does not make the buffer grow. */
enum {
    PADDING = 5000
};
_Static_assert(PADDING > DP2DPI_JSON_TOKEN_MAX + 8, "the padding must be longer than every token");

static const char opening[] = "[\"";
static const char between[] = "\",\n";
static const char closing[] = "\n]";

typedef struct wrapped {
    char *text;
    size_t length;
    size_t end;  /* offset at which the caller's text ends */
    int is_open; /* 1 if the caller's text ends within a string, an object or an array */
} wrapped;

static dp2dp_status wrap(const char *what, const char *text, size_t length, wrapped *out,
                         dp2dp_error *error) {
    out->length = strlen(opening) + PADDING + strlen(between) + length + strlen(closing);
    DP2DPI_TRY(DP2DPI_ALLOC(out->text, out->length + 1, what, error));
    char *at = stpcpy(out->text, opening);
    memset(at, '.', PADDING);
    at = stpcpy(at + PADDING, between);
    memcpy(at, text, length);
    out->end = (size_t)(at - out->text) + length;
    (void)stpcpy(at + length, closing);
    return DP2DP_STATUS_OK;
}

static json_t *parse_once(const wrapped *whole, json_error_t *failure) {
    memset(failure, 0, sizeof *failure);
    return json_loadb(whole->text, whole->length, JSON_REJECT_DUPLICATES, failure);
}

/* Checks the limits on depth and token length, which keep the parser's recursion and token buffer
 * small. Sets *is_open to 1 if the text ends within a string, an object or an array. In
 * well-formed text, this function and the parser find the same strings. In malformed text they may
 * find different strings, but only after the place where the parser stops with an error. */
static dp2dp_status check_limits(const char *what, const char *text, size_t length, int *is_open,
                                 dp2dp_error *error) {
    size_t token = 0;
    size_t depth = 0;
    int in_string = 0;
    int escaped = 0;
    for (size_t i = 0; i < length; i++) {
        char c = text[i];
        int ends_token = 0;
        token++;
        if (in_string) {
            ends_token = c == '"' && !escaped;
            in_string = !ends_token;
            escaped = c == '\\' && !escaped;
        } else if (c == '"') {
            in_string = 1;
            token = 1;
        } else if (strchr(" \t\r\n,:[]{}", c)) {
            ends_token = 1;
            depth += c == '[' || c == '{';
            depth -= (c == ']' || c == '}') && depth > 0;
        }
        if (token > DP2DPI_JSON_TOKEN_MAX) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "%s: a string or number before byte %zu is longer than %d bytes",
                               what, i, (int)DP2DPI_JSON_TOKEN_MAX);
        }
        if (depth > DP2DPI_JSON_DEPTH_MAX) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "%s: nested deeper than %d levels at byte %zu", what,
                               (int)DP2DPI_JSON_DEPTH_MAX, i);
        }
        if (ends_token) {
            token = 0;
        }
    }
    *is_open = in_string || depth > 0;
    return DP2DP_STATUS_OK;
}

static int padding_is_whole(const json_t *padding) {
    const char *text = json_string_value(padding);
    return text && json_string_length(padding) == PADDING && strspn(text, ".") == PADDING;
}

static dp2dp_status out_of_memory(const char *doing, const char *what, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory while %s %s", doing, what);
}

/* Turns a failure of the parser into an error: DATA for a syntax error, MEMORY for an allocation
 * failure. The parser reports both as a syntax error, so this function parses a second time: a real
 * syntax error occurs again at the same place. A real syntax error is never on the first line,
 * which holds only the padding. */
static dp2dp_status explain_failure(const char *what, const wrapped *whole,
                                    const json_error_t *first, dp2dp_error *error) {
    json_error_t second;
    json_t *again = parse_once(whole, &second);
    int same =
        again == NULL && first->position == second.position && first->line > 1 && second.line > 1;
    json_decref(again);
    if (!same) {
        return out_of_memory("reading", what, error);
    }
    char reason[DP2DPI_JSON_PRINTABLE_SIZE];
    const dp2dpi_place place = {.line = (uint64_t)first->line - 1};
    /* If the text was cut within a UTF-8 character, the parser stops up to 3 bytes before the
     * end. */
    if (whole->is_open && (size_t)first->position + 3 >= whole->end) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "%s: the text ends too early: it was cut off, or is not complete yet",
                           what);
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place, "%s, line %d column %d: %s", what,
                          first->line - 1, first->column,
                          dp2dpi_json_printable(first->text, reason));
}

dp2dp_status dp2dpi_json_expect_object(const char *what, const char *text, size_t length,
                                       dp2dp_error *error) {
    static const char blank[] = " \t\r\n", separators[] = ",;\t|";
    size_t start = 0, end = 0;
    while (start < length && memchr(blank, text[start], sizeof blank - 1)) {
        start++;
    }
    if (start < length && text[start] == '{') {
        return DP2DP_STATUS_OK;
    }
    int is_table = 0;
    for (; end < length && text[end] != '\r' && text[end] != '\n'; end++) {
        is_table |= memchr(separators, text[end], sizeof separators - 1) != NULL;
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                          &(dp2dpi_place) {.reason = DP2DP_REASON_WRONG_FILE}, "not a %s: it %s",
                          what,
                          length == 0 ? "is empty"
                          : is_table  ? "looks like a table"
                                      : "is not a JSON object");
}

dp2dp_status dp2dpi_json_parse(const char *what, const char *text, size_t length, json_t **out,
                               dp2dp_error *error) {
    dp2dpi_c_locale scope = {0};
    json_error_t failure;
    wrapped whole = {.text = NULL};
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = NULL;
    if (length == 0 || length > DP2DPI_JSON_TEXT_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                           "%s: the text has %zu bytes; it must have from 1 to %d", what, length,
                           (int)DP2DPI_JSON_TEXT_MAX);
    }
    DP2DPI_TRY(check_limits(what, text, length, &whole.is_open, error));
    DP2DPI_TRY(dp2dpi_c_locale_enter(&scope, error));
    DP2DPI_TRY_OR_DONE(wrap(what, text, length, &whole, error));
    json_t *wrapper = parse_once(&whole, &failure);
    if (wrapper == NULL) {
        status = explain_failure(what, &whole, &failure, error);
    } else if (!padding_is_whole(json_array_get(wrapper, 0))) {
        status = out_of_memory("reading", what, error);
    } else if (json_array_size(wrapper) != 2) {
        status = dp2dpi_fail(error, DP2DP_STATUS_DATA, "%s: more than one JSON value", what);
    } else {
        *out = json_incref(json_array_get(wrapper, 1));
    }
    json_decref(wrapper);
done:
    dp2dpi_free(whole.text);
    dp2dpi_c_locale_leave(&scope);
    return status;
}

/* Writes a value to *text. Two NULs follow the text, so that dp2dpi_json_dump can put a newline in
 * place of the first one. */
static dp2dp_status dump(const char *what, const json_t *value, size_t flags, char **text,
                         size_t *length, dp2dp_error *error) {
    dp2dpi_c_locale scope = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    *text = NULL;
    DP2DPI_TRY(dp2dpi_c_locale_enter(&scope, error));
    size_t needed = json_dumpb(value, NULL, 0, flags);
    if (needed == 0) {
        DP2DPI_TRY_OR_DONE(out_of_memory("writing", what, error));
    }
    if (needed >= DP2DPI_JSON_TEXT_MAX) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail(error, DP2DP_STATUS_IO, "%s would be longer than %d bytes",
                                       what, (int)DP2DPI_JSON_TEXT_MAX));
    }
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(*text, needed + 2, what, error));
    if (json_dumpb(value, *text, needed, flags) != needed) {
        dp2dpi_free(*text);
        *text = NULL;
        DP2DPI_TRY_OR_DONE(out_of_memory("writing", what, error));
    }
    *length = needed;
done:
    dp2dpi_c_locale_leave(&scope);
    return status;
}

dp2dp_status dp2dpi_json_dump(const char *what, const json_t *value, char **text, size_t *length,
                              dp2dp_error *error) {
    DP2DPI_TRY(dump(what, value, JSON_INDENT(2) | JSON_REAL_PRECISION(17), text, length, error));
    (*text)[(*length)++] = '\n';
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_json_dump_line(const char *what, const json_t *value, char **text,
                                   size_t *length, dp2dp_error *error) {
    return dump(what, value, JSON_COMPACT | JSON_REAL_PRECISION(17), text, length, error);
}

json_t *dp2dpi_json_finish(json_t *value, int failed) {
    if (failed) {
        json_decref(value);
    }
    return failed ? NULL : value;
}

json_t *dp2dpi_json_object(const dp2dpi_member *members) {
    json_t *object = json_object();
    int failed = 0;
    for (; members->key; members++) {
        failed |= json_object_set_new(object, members->key, members->value);
    }
    return dp2dpi_json_finish(object, failed);
}

json_t *dp2dpi_json_texts(const char *const *texts, size_t n) {
    json_t *array = json_array();
    int failed = 0;
    for (size_t i = 0; i < n && !failed; i++) {
        failed = json_array_append_new(array, json_string(texts[i]));
    }
    return dp2dpi_json_finish(array, failed);
}

json_t *dp2dpi_json_version(int major, int minor) {
    return DP2DPI_JSON_OBJECT({"major", json_integer(major)}, {"minor", json_integer(minor)});
}

json_t *dp2dpi_text_or_null(const char *text) {
    return text ? json_string(text) : json_null();
}

const char *dp2dpi_json_printable(const char *text, char out[DP2DPI_JSON_PRINTABLE_SIZE]) {
    size_t n = 0;
    for (; text[n] && n + 1 < DP2DPI_JSON_PRINTABLE_SIZE; n++) {
        out[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
    }
    out[n] = '\0';
    return out;
}

int dp2dpi_json_number(const json_t *value, double *out) {
    const json_int_t exact = (json_int_t)1 << 53;
    if (json_is_integer(value)) {
        json_int_t integer = json_integer_value(value);
        *out = (double)integer;
        return integer >= -exact && integer <= exact;
    }
    *out = json_real_value(value);
    return json_is_real(value);
}

int dp2dpi_json_is_utf8(const char *text) {
    return dp2dpi_utf8_valid(text, strlen(text));
}
