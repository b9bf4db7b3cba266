#ifndef CLI_ERROR_H
#define CLI_ERROR_H

#include <dp2dp/dp2dp.h>

dp2dp_status cli_fail(dp2dp_error *error, dp2dp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define cli_refuse(error, ...) cli_fail(error, DP2DP_STATUS_ARGUMENT, __VA_ARGS__)

/* Fails with IO, because writing to `what` failed with the errno value `err`. */
dp2dp_status cli_fail_write(dp2dp_error *error, const char *what, int err);

/* Appends a text to error->message. If there is no room for the whole text, leaves the message as
 * it is. */
void cli_error_add(dp2dp_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns OK if `is_there`, a pointer or a condition, is true; otherwise fails with MEMORY. `what`
 * says what the memory was for. */
#define cli_check_memory(is_there, what, error) \
    ((is_there) ? DP2DP_STATUS_OK               \
                : cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %s", what))

/* Two ways to leave a function if a step fails. Without anything to clean up, write
 *     CLI_TRY(step(…, error));
 * which returns the status of the failed step. If something must be cleaned up, write
 *     CLI_TRY_OR_DONE(step(…, error));
 * which stores the status of the step in the variable `status` and, if the step failed, jumps to
 * the label `done`. There the function cleans up and returns `status`. */
#define CLI_TRY(step)                            \
    do {                                         \
        const dp2dp_status try_status_ = (step); \
        if (try_status_ != DP2DP_STATUS_OK) {    \
            return try_status_;                  \
        }                                        \
    } while (0)
#define CLI_TRY_OR_DONE(step)            \
    do {                                 \
        status = (step);                 \
        if (status != DP2DP_STATUS_OK) { \
            goto done;                   \
        }                                \
    } while (0)

/* Tells the clang analyzer that cli_fail returns its argument `status`. */
#ifdef __clang_analyzer__
#define cli_fail(error, status, ...) (cli_fail(error, status, __VA_ARGS__), (status))
#endif

#endif
