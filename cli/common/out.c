#include "common/out.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/progress.h"

enum {
    LINE_WIDTH = 80,
    PROSE_SIZE = 1024,
    NAME_WIDTH = 13,
    CELL_WIDTH = 8
};

dp2dp_status cli_out_open(cli_out *out, dp2dp_error *error) {
    const char *no_colour = getenv("NO_COLOR");
    *out = (cli_out) {.colour = cli_is_terminal(STDOUT_FILENO) && !(no_colour && *no_colour)};
    out->stream = open_memstream(&out->text, &out->length);
    return cli_check_memory(out->stream, "the output", error);
}

dp2dp_status cli_write_all(int fd, const char *text, size_t length, dp2dp_error *error) {
    const char *what = fd == STDOUT_FILENO ? "standard output" : "a pipe or device";
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return cli_fail_write(error, what, written < 0 ? errno : EIO);
        }
        text += written;
        length -= (size_t)written;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_out_send(cli_out *out, dp2dp_error *error) {
    int failed = ferror(out->stream);
    failed |= fclose(out->stream);
    out->stream = NULL;
    CLI_TRY(cli_check_memory(!failed, "the output", error));
    CLI_TRY(cli_write_all(STDOUT_FILENO, out->text, out->length, error));
    /* Some file systems report a full disk only at close. */
    if (close(STDOUT_FILENO) != 0) {
        return cli_fail_write(error, "standard output", errno);
    }
    return DP2DP_STATUS_OK;
}

void cli_out_drop(cli_out *out) {
    if (out->stream) {
        fclose(out->stream);
    }
    free(out->text);
    *out = (cli_out) {0};
}

const char *cli_bold(const cli_out *out) {
    return out->colour ? "\033[1m" : "";
}

const char *cli_alarm(const cli_out *out) {
    return out->colour ? "\033[1;31m" : "";
}

const char *cli_plain(const cli_out *out) {
    return out->colour ? "\033[0m" : "";
}

/* Returns the length in bytes of the control character at c; 0 if c is an ordinary character. The
 * control characters U+0080..U+009F are C2 80..9F in UTF-8. */
static int control_length(const char *c) {
    unsigned char first = (unsigned char)c[0], second = first ? (unsigned char)c[1] : 0;
    if (first == 0xC2 && second >= 0x80 && second <= 0x9F) {
        return 2;
    }
    return (first > 0 && first < 0x20) || first == 0x7F;
}

void cli_make_safe(char *text) {
    for (; *text != '\0'; text++) {
        for (int length = control_length(text); length > 0; length--) {
            text[length - 1] = '?';
        }
    }
}

void cli_out_section(cli_out *out, const char *title) {
    fprintf(out->stream, "\n%s%s%s\n", cli_bold(out), title, cli_plain(out));
}

/* Prints formatted text like cli_wrap, with '?' for control characters. */
static void wrap_safely(cli_out *out, int indent, int column, const char *format, va_list args) {
    char text[PROSE_SIZE];
    vsnprintf(text, sizeof text, format, args);
    cli_make_safe(text);
    cli_wrap(out->stream, indent, column, text);
}

void cli_out_row(cli_out *out, const char *name, const char *format, ...) {
    va_list args;
    va_start(args, format);
    wrap_safely(out, 2 + NAME_WIDTH, fprintf(out->stream, "  %-*s", NAME_WIDTH, name), format,
                args);
    va_end(args);
}

void cli_out_prose(cli_out *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    wrap_safely(out, 2, 0, format, args);
    va_end(args);
}

/* Prints a name in |width| columns: at most |width| - 1 characters of the name, with spaces before
 * the name or, if width is negative, after it. A character of several UTF-8 bytes counts as one. */
static void cell(FILE *stream, const char *name, int width) {
    char cut[4 * LINE_WIDTH];
    int most = abs(width) - 1, used = 0;
    size_t length = 0;
    for (; name[length] != '\0' && length + 1 < sizeof cut; length++) {
        int starts = ((unsigned char)name[length] & 0xC0) != 0x80;
        if (starts && used == most) {
            break;
        }
        used += starts;
        cut[length] = name[length];
    }
    cut[length] = '\0';
    fprintf(stream, "%*s", width > 0 ? width - used : 0, "");
    cli_print_safely(stream, cut);
    fprintf(stream, "%*s", width < 0 ? -width - used : 0, "");
}

/* Returns the width of the longest name plus a space, but at most `most` and at least `least`. */
static int width_of(const char *const *names, size_t count, int least, int most) {
    int width = least;
    for (size_t i = 0; i < count; i++) {
        int used = 1;
        for (const char *c = names[i]; *c != '\0'; c++) {
            used += ((unsigned char)*c & 0xC0) != 0x80;
        }
        width = used > width ? used : width;
    }
    return width < most ? width : most > least ? most : least;
}

void cli_out_table(cli_out *out, const cli_table *table) {
    if (table->columns > CLI_TABLE_COLUMNS) {
        cli_out_prose(out, "%zu %s of %zu numbers, too wide to print here: use --json", table->rows,
                      cli_noun(table->rows, "row", "rows"), table->columns);
        return;
    }
    int name_width = width_of(table->row_names, table->rows, NAME_WIDTH, LINE_WIDTH / 3);
    int cell_width = width_of(table->column_names, table->columns, CELL_WIDTH,
                              (LINE_WIDTH - 2 - name_width) / (int)table->columns);
    double least =
        0.5 * pow(10, -table->decimals); /* smaller values must print as 0 and not as -0 */
    fprintf(out->stream, "  %-*s", name_width, "");
    for (size_t k = 0; k < table->columns; k++) {
        cell(out->stream, table->column_names[k], cell_width);
    }
    for (size_t g = 0; g < table->rows; g++) {
        fputs("\n  ", out->stream);
        cell(out->stream, table->row_names[g], -name_width);
        for (size_t k = 0; k < table->columns; k++) {
            double x = table->values[g * table->columns + k];
            if (isnan(x)) {
                fprintf(out->stream, "%*s", cell_width, "-");
            } else {
                /* The space comes first even if the number is too long for its cell. */
                fprintf(out->stream, " %*.*f", cell_width - 1, table->decimals,
                        fabs(x) < least ? 0 : x);
            }
        }
    }
    fputc('\n', out->stream);
}

void cli_out_before_after(cli_out *out, const double values[4]) {
    static const char *const before_after[] = {"before", "after"};
    static const char *const measures[] = {"error", "unfairness"};
    cli_out_table(out, &(cli_table) {2, 2, measures, before_after, values, 4});
}

void cli_wrap(FILE *stream, int indent, int column, const char *text) {
    int start = 1;
    while (*text != '\0') {
        text += strspn(text, " ");
        int length = (int)strcspn(text, " ");
        if (length == 0) {
            break;
        }
        if (!start && column + 1 + length > LINE_WIDTH) {
            fputc('\n', stream);
            column = 0;
            start = 1;
        }
        if (start) {
            int pad = column < indent ? indent - column : 0;
            column += fprintf(stream, "%*s%.*s", pad, "", length, text);
        } else {
            column += fprintf(stream, " %.*s", length, text);
        }
        start = 0;
        text += length;
    }
    fputc('\n', stream);
}

void cli_print_safely(FILE *stream, const char *text) {
    for (const char *c = text; *c != '\0'; c += control_length(c) > 1 ? 2 : 1) {
        fputc(control_length(c) > 0 ? '?' : *c, stream);
    }
}

void cli_csv_cell(FILE *stream, const char *text) {
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stream);
    } else {
        cli_csv_quoted(stream, text);
    }
}

void cli_csv_quoted(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

const char *cli_noun(uint64_t count, const char *one, const char *many) {
    return count == 1 ? one : many;
}

const char *cli_listed(const char *const *names, size_t count, const char *last, char *text,
                       size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *between = i == 0 ? "" : i + 1 == count ? last : ", ";
        if (used + strlen(between) + strlen(names[i]) + 8 > size) {
            snprintf(text + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, names[i]);
    }
    return text;
}
