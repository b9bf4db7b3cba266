#include "explain/layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum {
    LINE_WIDTH = 80,
    PROSE_SIZE = 1024,
    NAME_WIDTH = 13,
    CELL_WIDTH = 8,
    COLUMNS_MAX = 8
};

/* Returns the length in bytes of the control character at c; 0 if c is an ordinary character. The
 * control characters U+0080..U+009F are C2 80..9F in UTF-8. */
static size_t control_length(const char *c) {
    unsigned char first = (unsigned char)c[0], second = first ? (unsigned char)c[1] : 0;
    if (first == 0xC2 && second >= 0x80 && second <= 0x9F) {
        return 2;
    }
    return (first > 0 && first < 0x20) || first == 0x7F;
}

void dp2dpi_layout_name(dp2dpi_text *t, const char *name) {
    while (*name) {
        size_t control = control_length(name);
        dp2dpi_text_bytes(t, control > 0 ? "?" : name, 1);
        name += control > 0 ? control : 1;
    }
}

/* Makes text that was cut to a number of bytes safe: each byte of a control character becomes '?',
 * and a character that was cut in the middle is removed. */
static void make_safe(char *text) {
    const char *end = text + strlen(text);
    char *to = text;
    for (const char *c = text; c < end;) {
        size_t length = dp2dpi_utf8_character(c, (size_t)(end - c));
        if (control_length(c) > 0) {
            memset(to, '?', length);
        } else {
            memmove(to, c, length);
        }
        to += length;
        c += length > 0 ? length : 1;
    }
    *to = '\0';
}

void dp2dpi_layout_padded(dp2dpi_text *t, const char *name, int width) {
    char cut[LINE_WIDTH];
    (void)snprintf(cut, sizeof cut, "%.*s", width, name);
    make_safe(cut);
    dp2dpi_text_format(t, "%-*s", width, cut);
}

static void spaces(dp2dpi_text *t, int count) {
    for (; count > 0; count--) {
        dp2dpi_text_put(t, " ");
    }
}

/* Appends text wrapped to LINE_WIDTH, each line after `indent` spaces, with a newline at the end.
 * `column` is the number of columns that the first line already uses. */
static void wrap(dp2dpi_text *t, int indent, int column, const char *text) {
    int start = 1;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        int length = (int)strcspn(text, " ");
        if (!start && column + 1 + length > LINE_WIDTH) {
            dp2dpi_text_put(t, "\n");
            column = 0;
            start = 1;
        }
        int pad = !start ? 1 : column < indent ? indent - column : 0;
        spaces(t, pad);
        dp2dpi_text_bytes(t, text, (size_t)length);
        column += pad + length;
        start = 0;
        text += length;
    }
    dp2dpi_text_put(t, "\n");
}

static void wrap_safely(dp2dpi_text *t, int indent, int column, const char *format, va_list args) {
    char text[PROSE_SIZE];
    (void)vsnprintf(text, sizeof text, format, args);
    make_safe(text);
    wrap(t, indent, column, text);
}

void dp2dpi_layout_section(dp2dpi_text *t, const char *title) {
    dp2dpi_text_format(t, "\n%s\n", title);
}

void dp2dpi_layout_row(dp2dpi_text *t, const char *name, const char *format, ...) {
    va_list args;
    dp2dpi_text_format(t, "  %-*s", NAME_WIDTH, name);
    va_start(args, format);
    wrap_safely(t, 2 + NAME_WIDTH, 2 + NAME_WIDTH, format, args);
    va_end(args);
}

void dp2dpi_layout_prose(dp2dpi_text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    wrap_safely(t, 2, 0, format, args);
    va_end(args);
}

/* Returns 1 if c is the first byte of a UTF-8 character. Only these bytes count as columns. */
static int starts_character(char c) {
    return ((unsigned char)c & 0xC0) != 0x80;
}

/* Appends at most |width| - 1 characters of a name, padded with spaces to |width| columns: on the
 * left or, if width is negative, on the right. */
static void cell(dp2dpi_text *t, const char *name, int width) {
    char cut[4 * LINE_WIDTH];
    int most = abs(width) - 1, used = 0;
    size_t length = 0;
    for (; name[length] && length + 1 < sizeof cut; length++) {
        int starts = starts_character(name[length]);
        if (starts && used == most) {
            break;
        }
        used += starts;
        cut[length] = name[length];
    }
    cut[length] = '\0';
    spaces(t, width - used);
    dp2dpi_layout_name(t, cut);
    spaces(t, -width - used);
}

/* Returns the width of the longest name plus a space, but at most `most` and at least `least`. */
static int width_of(const char *const *names, size_t count, int least, int most) {
    int width = least;
    for (size_t i = 0; i < count; i++) {
        int used = 1;
        for (const char *c = names[i]; *c; c++) {
            used += starts_character(*c);
        }
        width = used > width ? used : width;
    }
    return width < most ? width : most > least ? most : least;
}

void dp2dpi_layout_numbers(dp2dpi_text *t, const dp2dpi_layout_table *table) {
    if (table->columns > COLUMNS_MAX) {
        dp2dpi_layout_prose(
            t, "too wide to print (%zu %s, %zu columns): dp2dp show --json lists the numbers",
            table->rows, dp2dpi_layout_noun(table->rows, "row", "rows"), table->columns);
        return;
    }
    int name_width = width_of(table->row_names, table->rows, NAME_WIDTH, LINE_WIDTH / 3);
    int cell_width = width_of(table->column_names, table->columns, CELL_WIDTH,
                              (LINE_WIDTH - 2 - name_width) / (int)table->columns);
    spaces(t, 2 + name_width);
    for (size_t k = 0; k < table->columns; k++) {
        cell(t, table->column_names[k], cell_width);
    }
    for (size_t g = 0; g < table->rows; g++) {
        dp2dpi_text_put(t, "\n  ");
        cell(t, table->row_names[g], -name_width);
        for (size_t k = 0; k < table->columns; k++) {
            double x = table->values[g * table->columns + k];
            /* The format begins with a space, so that a number that is too long for its cell does
             * not touch the cell before. Values that round to 0 must print as 0, not as -0. */
            dp2dpi_text_format(t, " %*.4f", cell_width - 1, fabs(x) < 0.00005 ? 0 : x);
        }
    }
    dp2dpi_text_put(t, "\n");
}

const char *dp2dpi_layout_noun(uint64_t count, const char *one, const char *many) {
    return count == 1 ? one : many;
}

const char *dp2dpi_layout_list(const char *const *names, size_t count, const char *last, char *text,
                               size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? last : ", ";
        if (used + strlen(between) + strlen(names[i]) + 8 > size) {
            (void)snprintf(text + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, names[i]);
    }
    return text;
}
