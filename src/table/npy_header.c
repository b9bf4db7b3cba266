/* Reads the NPY header, which is the text of a Python dictionary with three keys, in any order:
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } */
#include <string.h>

#include "base/error.h"
#include "table/npy.h"

/* The part of the text that is still unread. Each take_… function reads one thing, moves p to the
 * byte after that thing and returns 1; it returns 0 if p is at something else. */
typedef struct cursor {
    const char *p, *end;
} cursor;

static void skip_blanks(cursor *c) {
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t')) {
        c->p++;
    }
}

static int take(cursor *c, const char *token) {
    size_t length = strlen(token);
    skip_blanks(c);
    if ((size_t)(c->end - c->p) < length || memcmp(c->p, token, length) != 0) {
        return 0;
    }
    c->p += length;
    return 1;
}

static int take_string(cursor *c, char *out, size_t size) {
    skip_blanks(c);
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"')) {
        return 0;
    }
    const char *start = c->p + 1, *stop = memchr(start, *c->p, (size_t)(c->end - start));
    if (stop == NULL || (size_t)(stop - start) >= size) {
        return 0;
    }
    memcpy(out, start, (size_t)(stop - start));
    out[stop - start] = '\0';
    c->p = stop + 1;
    return 1;
}

/* Reads one number of the shape. A number that does not fit 64 bits becomes UINT64_MAX, which is
 * too large for a file. */
static int take_extent(cursor *c, uint64_t *out) {
    skip_blanks(c);
    const char *start = c->p;
    for (*out = 0; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
        if (__builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, (uint64_t)(*c->p - '0'), out)) {
            *out = UINT64_MAX;
        }
    }
    return c->p > start;
}

static int take_shape(cursor *c, dp2dpi_npy *npy) {
    if (!take(c, "(") || !take_extent(c, &npy->rows) || !take(c, ",")) {
        return 0;
    }
    npy->width = 1;
    if (take(c, ")")) {
        return 1;
    }
    return take_extent(c, &npy->width) && (take(c, ",") || 1) && take(c, ")");
}

static int take_type(cursor *c, dp2dpi_npy *npy) {
    static const char known[][4] = {"<f4", "<f8", "|i1", "<i2", "<i4", "<i8",
                                    "|u1", "<u2", "<u4", "<u8", "|b1"};
    char text[8];
    if (!take_string(c, text, sizeof text)) {
        return 0;
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(text, known[i]) == 0) {
            npy->kind = text[1];
            npy->size = (size_t)(text[2] - '0');
            return 1;
        }
    }
    return 0;
}

static int take_order(cursor *c, dp2dpi_npy *npy) {
    npy->is_by_column = take(c, "True");
    return npy->is_by_column || take(c, "False");
}

static dp2dp_status refuse(const dp2dpi_npy *npy, const char *reason, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the NPY header: %s: %s", reason,
                       npy->input->name);
}

dp2dp_status dp2dpi_npy_read_header(dp2dpi_npy *npy, const char *text, size_t length,
                                    dp2dp_error *error) {
    static const struct {
        const char *key;
        int (*take)(cursor *c, dp2dpi_npy *npy);
        const char *reason;
    } entries[] = {
        {"descr", take_type, "items must be little-endian f4, f8, i1 to i8, u1 to u8 or b1"},
        {"fortran_order", take_order, "fortran_order must be True or False"},
        {"shape", take_shape, "an array must have one or two dimensions"},
    };
    enum {
        COUNT = sizeof entries / sizeof entries[0]
    };
    cursor c = {text, text + length};
    char key[16];
    unsigned seen = 0;
    if (!take(&c, "{")) {
        return refuse(npy, "not a dictionary", error);
    }
    while (take_string(&c, key, sizeof key) && take(&c, ":")) {
        size_t i = 0;
        while (i < COUNT && strcmp(key, entries[i].key) != 0) {
            i++;
        }
        if (i == COUNT || (seen & 1U << i)) {
            return refuse(npy, "a key that is unknown or occurs twice", error);
        }
        if (!entries[i].take(&c, npy)) {
            return refuse(npy, entries[i].reason, error);
        }
        seen |= 1U << i;
        if (!take(&c, ",")) {
            break;
        }
    }
    int is_whole = take(&c, "}");
    skip_blanks(&c);
    if (!is_whole || c.p != c.end || seen != (1U << COUNT) - 1) {
        return refuse(npy, "malformed, or a key is missing", error);
    }
    return DP2DP_STATUS_OK;
}
