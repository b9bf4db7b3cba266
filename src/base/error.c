#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <dp2dp/words.h>

static void set(dp2dp_error *error, dp2dp_status status, const dp2dpi_place *place,
                const char *format, va_list args) {
    const dp2dp_word *reason = dp2dp_word_find(DP2DP_WORDS_REASON, (int)place->reason);
    error->status = status;
    error->reason = place->reason;
    error->row = place->row;
    error->line = place->line;
    snprintf(error->column, sizeof error->column, "%s", place->column ? place->column : "");
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

dp2dp_status(dp2dpi_fail_io)(dp2dp_error *error, const char *action, int err, const char *path) {
    char reason[96];
    if (strerror_r(err, reason, sizeof reason) != 0) {
        (void)snprintf(reason, sizeof reason, "error %d", err);
    }
    return dp2dpi_fail(error, DP2DP_STATUS_IO, "cannot %s: %s: %s", action, reason, path);
}

int dp2dp_status_exit_code(dp2dp_status status) {
    switch (status) {
#define DP2DP_STATUS(name, value, exit_code, help) \
    case DP2DP_STATUS_##name:                      \
        return exit_code;
#include <dp2dp/status.def>
#undef DP2DP_STATUS
    }
    return 1;
}
