/* Status codes and errors.
 *
 * Every function that can fail returns a dp2dp_status and takes an optional dp2dp_error, owned by
 * the caller, as its last parameter. On failure every output is NULL or unchanged. */
#ifndef DP2DP_STATUS_H
#define DP2DP_STATUS_H

#include <stdint.h>

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

/* The exact cause of a failure, for programs that react to it. */
typedef enum dp2dp_reason {
#define DP2DP_REASON(name, value, word, help) DP2DP_REASON_##name = (value),
#include <dp2dp/reason.def>
#undef DP2DP_REASON
} dp2dp_reason;

enum {
    DP2DP_ERROR_MESSAGE_SIZE = 320,
    DP2DP_ERROR_COLUMN_SIZE = 80
};

/* Filled on failure, unchanged on success. The message is one sentence with the parameter, its
 * value if it is an option, the bound, and what to do. It never contains a value from the data. The
 * other fields give the same facts as numbers and names: read them instead of parsing the message.
 */
typedef struct dp2dp_error {
    dp2dp_status status;
    dp2dp_reason reason;
    uint64_t row;  /* number of the row at fault, counted from 1; 0 if there is none */
    uint64_t line; /* line of a text file, counted from 1; 0 if no line is at fault */
    /* Name of the column at fault, truncated to this size. For a matrix, the number of the column,
     * counted from 1. "" if no column is at fault. */
    char column[DP2DP_ERROR_COLUMN_SIZE];
    char message[DP2DP_ERROR_MESSAGE_SIZE];
} dp2dp_error;

/* Returns the exit code for a command-line program: 0 success, 1 run-time error, 2 usage, 3 budget
 * refused, 4 bad data, 5 limit not met, 130 cancelled. */
static inline int dp2dp_status_exit_code(dp2dp_status status) {
    switch (status) {
#define DP2DP_STATUS(name, value, exit_code, help) \
    case DP2DP_STATUS_##name:                      \
        return exit_code;
#include <dp2dp/status.def>
#undef DP2DP_STATUS
    }
    return 1;
}

#ifdef __cplusplus
}
#endif
#endif
