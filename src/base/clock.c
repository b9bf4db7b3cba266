#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

const char *dp2dpi_clock_now(char out[DP2DPI_CLOCK_SIZE]) {
    const char *fixed = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long seconds = fixed ? strtoll(fixed, &end, 10) : 0;
    time_t now = end && end != fixed && *end == '\0' ? (time_t)seconds : time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) == NULL ||
        strftime(out, DP2DPI_CLOCK_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        out[0] = '\0';
    }
    return out;
}
