#include "base/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dp2dp/words.h>

#include "base/utf8.h"

/* Stores a column name, cut after a whole character if it is too long. A name that is not UTF-8 is
 * made printable first. */
static void set_column(dp2dp_error *error, const char *column) {
    char shown[DP2DPI_SHOWN_SIZE];
    size_t length = strlen(column), most = sizeof error->column - 1;
    if (!dp2dpi_utf8_valid(column, length)) {
        column = dp2dpi_utf8_show(column, length, shown);
        length = strlen(column);
    }
    for (; length > most || ((unsigned char)column[length] & 0xC0) == 0x80; length--) {
    }
    memcpy(error->column, column, length);
    error->column[length] = '\0';
}

__attribute__((format(printf, 4, 0))) static void set(dp2dp_error *error, dp2dp_status status,
                                                      const dp2dpi_place *place, const char *format,
                                                      va_list args) {
    const dp2dp_word *reason = dp2dp_word_find(DP2DP_WORDS_REASON, (int)place->reason);
    error->status = status;
    error->reason = place->reason;
    error->row = place->row;
    error->line = place->line;
    set_column(error, place->column ? place->column : "");
    vsnprintf(error->message, sizeof error->message, format, args);
    if (reason && reason->help) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "; %s", reason->help);
    }
}

dp2dp_status(dp2dpi_fail)(dp2dp_error *error, dp2dp_status status, const char *format, ...) {
    if (error) {
        va_list args;
        va_start(args, format);
        set(error, status, &(dp2dpi_place) {0}, format, args);
        va_end(args);
    }
    return status;
}

dp2dp_status(dp2dpi_fail_at)(dp2dp_error *error, dp2dp_status status, const dp2dpi_place *place,
                             const char *format, ...) {
    if (error) {
        va_list args;
        va_start(args, format);
        set(error, status, place, format, args);
        va_end(args);
    }
    return status;
}

dp2dp_status(dp2dpi_fail_cell)(dp2dp_error *error, const dp2dpi_place *place, const char *what,
                               const char *source) {
    char at[32], column[DP2DPI_SHOWN_SIZE + 16] = "", shown[DP2DPI_SHOWN_SIZE];
    (void)snprintf(at, sizeof at, "%s %" PRIu64, place->line ? "line" : "row",
                   place->line ? place->line : place->row);
    if (place->column) {
        (void)snprintf(column, sizeof column, ", column \"%s\"",
                       dp2dpi_utf8_show(place->column, strlen(place->column), shown));
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, place, "%s%s: %s: %s", at, column, what,
                          source);
}

dp2dp_status(dp2dpi_fail_again)(dp2dp_error *error, const dp2dp_error *found) {
    if (error) {
        *error = *found;
    }
    return found->status;
}

dp2dp_status(dp2dpi_fail_in)(dp2dp_error *error, const dp2dp_error *found, const char *path) {
    if (error) {
        *error = *found;
        (void)snprintf(error->message, sizeof error->message, "%.200s: %s", found->message, path);
    }
    return found->status;
}

dp2dp_status(dp2dpi_fail_io)(dp2dp_error *error, const char *action, int err, const char *path) {
    char reason[96];
    if (strerror_r(err, reason, sizeof reason) != 0) {
        (void)snprintf(reason, sizeof reason, "error %d", err);
    }
    const dp2dpi_place place = {.reason =
                                    err == EPIPE ? DP2DP_REASON_PIPE_CLOSED : DP2DP_REASON_NONE};
    return dp2dpi_fail_at(error, DP2DP_STATUS_IO, &place, "cannot %s: %s: %s", action, reason,
                          path);
}
