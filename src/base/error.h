#ifndef DP2DPI_BASE_ERROR_H
#define DP2DPI_BASE_ERROR_H

#include <dp2dp/status.h>

/* Writes status and formatted message into *error (if not NULL) and returns status. A message that
 * is too long is cut. */
dp2dp_status dp2dpi_fail(dp2dp_error *error, dp2dp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The place of an error in the data, and a reason that a program can react to. A field that is 0 or
 * NULL is unknown. */
typedef struct dp2dpi_place {
    dp2dp_reason reason;
    uint64_t row;  /* row of the table, counted from 1 */
    uint64_t line; /* line of the file, counted from 1 */
    const char *column;
} dp2dpi_place;

/* Fails like dp2dpi_fail, and stores the place in *error. If reason.def has advice for
 * place->reason, appends it to the message. */
dp2dp_status dp2dpi_fail_at(dp2dp_error *error, dp2dp_status status, const dp2dpi_place *place,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Fails with DATA. The message names the line and the column, says what is wrong, and ends with
 * `source`, the name of the table. If the line is unknown, the message names the row instead. The
 * message never shows the value. */
dp2dp_status dp2dpi_fail_cell(dp2dp_error *error, const dp2dpi_place *place, const char *what,
                              const char *source);

/* Copies *found, including place and reason, to *error (if not NULL) and returns found->status. */
dp2dp_status dp2dpi_fail_again(dp2dp_error *error, const dp2dp_error *found);
/* Copies *found like dp2dpi_fail_again, with the path appended to the message. */
dp2dp_status dp2dpi_fail_in(dp2dp_error *error, const dp2dp_error *found, const char *path);

/* Fails with IO and the message "cannot <action>: <text of the errno value err>: <path>". The path
 * comes last so that a long path cannot push the reason out of the message. */
dp2dp_status dp2dpi_fail_io(dp2dp_error *error, const char *action, int err, const char *path);

/* Error flow: a function reads top to bottom. Where there is nothing to clean up,
 *     DP2DPI_TRY(step(…, error));
 * returns the status of a step that failed. Where there is something to clean up,
 *     DP2DPI_TRY_OR_DONE(step(…, error));
 * stores the status in the variable `status` and, if the step failed, jumps to the label `done`.
 * Such a function sets `status` to DP2DP_STATUS_OK first; after the label `done` it cleans up and
 * returns `status`. */
#define DP2DPI_TRY(step)                         \
    do {                                         \
        const dp2dp_status try_status_ = (step); \
        if (try_status_ != DP2DP_STATUS_OK) {    \
            return try_status_;                  \
        }                                        \
    } while (0)
#define DP2DPI_TRY_OR_DONE(step)         \
    do {                                 \
        status = (step);                 \
        if (status != DP2DP_STATUS_OK) { \
            goto done;                   \
        }                                \
    } while (0)

/* Tells the clang analyzer that a dp2dpi_fail function never returns OK. */
#ifdef __clang_analyzer__
#define dp2dpi_fail(error, status, ...) (dp2dpi_fail(error, status, __VA_ARGS__), (status))
#define dp2dpi_fail_at(error, status, place, ...) \
    (dp2dpi_fail_at(error, status, place, __VA_ARGS__), (status))
#define dp2dpi_fail_cell(...) (dp2dpi_fail_cell(__VA_ARGS__), DP2DP_STATUS_DATA)
#define dp2dpi_fail_again(error, found) (dp2dpi_fail_again(error, found), (found)->status)
#define dp2dpi_fail_in(error, found, path) (dp2dpi_fail_in(error, found, path), (found)->status)
#define dp2dpi_fail_io(...) (dp2dpi_fail_io(__VA_ARGS__), DP2DP_STATUS_IO)
#endif

#endif
