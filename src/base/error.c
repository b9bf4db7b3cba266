#include "base/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dp2dp_status(dp2dpi_fail)(dp2dp_error *error, dp2dp_status status, const char *format, ...) {
    if (error) {
        va_list args;
        va_start(args, format);
        error->status = status;
        vsnprintf(error->message, sizeof error->message, format, args);
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

const char *dp2dp_status_name(dp2dp_status status) {
    switch (status) {
#define DP2DP_STATUS(name, value, exit_code, help) \
    case DP2DP_STATUS_##name:                      \
        return #name;
#include <dp2dp/status.def>
#undef DP2DP_STATUS
    }
    return "UNKNOWN";
}

const char *dp2dp_status_help(dp2dp_status status) {
    switch (status) {
#define DP2DP_STATUS(name, value, exit_code, help) \
    case DP2DP_STATUS_##name:                      \
        return help;
#include <dp2dp/status.def>
#undef DP2DP_STATUS
    }
    return "unknown status";
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

dp2dp_status dp2dpi_check_option(const char *name, double value, double default_value, double min,
                                 double max, dp2dp_error *error) {
    if ((value >= min && value <= max) || (isnan(value) && isnan(default_value))) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s = %g: it must be from %g to %g", name,
                       value, min, max);
}
