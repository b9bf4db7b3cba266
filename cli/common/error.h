/* How a step of the program fails: a status, and a message for people. */
#ifndef CLI_ERROR_H
#define CLI_ERROR_H

#include <dp2dp/dp2dp.h>

/* Fills *error as the library does, and returns status. */
dp2dp_status cli_fail(dp2dp_error *error, dp2dp_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
