#include "common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dp2dp_status(cli_fail)(dp2dp_error *error, dp2dp_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    *error = (dp2dp_error) {.status = status};
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

dp2dp_status cli_fail_write(dp2dp_error *error, const char *what, int err) {
    (void)cli_fail(error, DP2DP_STATUS_IO, "cannot write to %s: %s", what, strerror(err));
    error->reason = err == EPIPE ? DP2DP_REASON_PIPE_CLOSED : DP2DP_REASON_NONE;
    return DP2DP_STATUS_IO;
}

void cli_error_add(dp2dp_error *error, const char *format, ...) {
    size_t used = strlen(error->message), room = sizeof error->message - used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(error->message + used, room, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= room) {
        error->message[used] = '\0';
    }
}
