/* Outcomes and error messages.
 *
 * Every function that can fail returns a dp2dp_status and takes, last, an optional dp2dp_error that
 * the caller owns. On failure every output is NULL or untouched. */
#ifndef DP2DP_STATUS_H
#define DP2DP_STATUS_H

#if defined(__GNUC__)
#define DP2DP_API __attribute__((visibility("default")))
#define DP2DP_MUST_CHECK __attribute__((warn_unused_result))
#else
#define DP2DP_API
#define DP2DP_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dp2dp_status {
#define DP2DP_STATUS(name, value, exit_code, help) DP2DP_STATUS_##name = (value),
#include <dp2dp/status.def>
#undef DP2DP_STATUS
} dp2dp_status;

enum {
    DP2DP_ERROR_MESSAGE_SIZE = 320
};

/* Filled on failure, left alone on success. The message names the parameter, the value if it is an
 * option, and the bound; it never contains a value from the data. */
typedef struct dp2dp_error {
    dp2dp_status status;
    char message[DP2DP_ERROR_MESSAGE_SIZE];
} dp2dp_error;

/* Name of a status ("BUDGET") and its meaning in words; "UNKNOWN" for a value not in the table.
 * Ownership: static strings. */
DP2DP_API const char *dp2dp_status_name(dp2dp_status status);
DP2DP_API const char *dp2dp_status_help(dp2dp_status status);

/* The exit code a command-line program ends with: 0, 1 run-time, 2 usage, 3 budget refused,
 * 4 bad data, 130 interrupted. */
DP2DP_API int dp2dp_status_exit_code(dp2dp_status status);

#ifdef __cplusplus
}
#endif
#endif
