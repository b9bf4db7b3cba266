/* Status and message in one call: `return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rate must
 * …");` */
#ifndef DP2DPI_BASE_ERROR_H
#define DP2DPI_BASE_ERROR_H

#include <dp2dp/status.h>

/* Writes status and formatted message into *error (if not NULL), truncating, and returns status. */
dp2dp_status dp2dpi_fail(dp2dp_error *error, dp2dp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ARGUMENT, with name, value and bounds, unless least ≤ value ≤ most. NaN, not chosen, will do only
 * where it is the standard. */
dp2dp_status dp2dpi_check_option(const char *name, double value, double standard, double least,
                                 double most, dp2dp_error *error);

/* The analyzer cannot see that the status handed in is the one returned. */
#ifdef __clang_analyzer__
#define dp2dpi_fail(error, status, ...) (dp2dpi_fail(error, status, __VA_ARGS__), (status))
#endif

#endif
