#ifndef DP2DPI_BASE_CLOCK_H
#define DP2DPI_BASE_CLOCK_H

enum {
    DP2DPI_CLOCK_SIZE = 32
};

/* Writes the current time in UTC, for example 2026-11-16T08:30:00Z, to `out` and returns `out`. The
 * environment variable SOURCE_DATE_EPOCH (seconds since 1970) replaces the clock, so that files can
 * be reproduced byte for byte. */
const char *dp2dpi_clock_now(char out[DP2DPI_CLOCK_SIZE]);

#endif
