#include "out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINE_WIDTH = 80,
    PROSE_SIZE = 1024
};

static int wants_colour(void) {
    const char *no_colour = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && (no_colour == NULL || *no_colour == '\0') && terminal != NULL &&
           *terminal != '\0' && strcmp(terminal, "dumb") != 0;
}

dp2dp_status cli_out_open(cli_out *out, dp2dp_error *error) {
    *out = (cli_out) {.colour = wants_colour()};
    out->stream = open_memstream(&out->text, &out->length);
    if (out->stream == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for the output");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status write_all(const char *text, size_t length, dp2dp_error *error) {
    while (length > 0) {
        ssize_t written = write(STDOUT_FILENO, text, length);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return cli_fail(error, DP2DP_STATUS_IO, "cannot write to standard output: %s",
                            written < 0 ? strerror(errno) : "nothing was taken");
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
    if (failed) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for the output");
    }
    dp2dp_status status = write_all(out->text, out->length, error);
    /* Some file systems report a full disk only here. */
    if (status == DP2DP_STATUS_OK && close(STDOUT_FILENO) != 0) {
        status = cli_fail(error, DP2DP_STATUS_IO, "cannot write to standard output: %s",
                          strerror(errno));
    }
    return status;
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

void cli_out_row(cli_out *out, const char *name, const char *format, ...) {
    char value[PROSE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(value, sizeof value, format, args);
    va_end(args);
    int column = fprintf(out->stream, "  %-13s", name);
    cli_wrap(out->stream, 15, column, value);
}

void cli_out_prose(cli_out *out, const char *format, ...) {
    char text[PROSE_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_wrap(out->stream, 2, 0, text);
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
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        /* U+0080..U+009F, the second set of control characters, are C2 80..9F in UTF-8. */
        int control_pair = c[0] == 0xC2 && c[1] >= 0x80 && c[1] <= 0x9F;
        if (control_pair) {
            c++;
        }
        fputc(control_pair || *c < 0x20 || *c == 0x7F ? '?' : *c, stream);
    }
}

dp2dp_status cli_fail(dp2dp_error *error, dp2dp_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}
