#include "common/error.h"

#include <stdarg.h>
#include <stdio.h>

dp2dp_status(cli_fail)(dp2dp_error *error, dp2dp_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}
