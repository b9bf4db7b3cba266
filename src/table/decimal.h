/* Converts decimal text to float64: correctly rounded, and the same in every locale. */
#ifndef DP2DPI_TABLE_DECIMAL_H
#define DP2DPI_TABLE_DECIMAL_H

#include <stddef.h>

#include <dp2dp/status.h>

enum {
    DP2DPI_DECIMAL_SPARE = 8 /* bytes that must be readable after the last byte of a number */
};

typedef enum dp2dpi_decimal {
    DP2DPI_DECIMAL_READ = 0,
    DP2DPI_DECIMAL_NONE,  /* the text does not begin with a number */
    DP2DPI_DECIMAL_RANGE, /* the number is beyond the largest double */
    DP2DPI_DECIMAL_MEMORY
} dp2dpi_decimal;

/* Reads the longest number at the start of the text: [+-] digits [. digits] [e [+-] digits], with
 * at least one digit before the exponent. *end is the first byte after the number. Values of at
 * most half the smallest subnormal become 0. Words (inf, nan) and hexadecimal are not numbers. */
dp2dpi_decimal dp2dpi_decimal_read(const char *text, const char **end, double *value);

/* Reads a text of `length` bytes that must be one number, with or without blanks around it. Returns
 * NULL on success. Otherwise returns a text that says what is wrong, and sets *reason (to NONE if
 * memory ran out). */
const char *dp2dpi_decimal_read_all(const char *text, size_t length, double *value,
                                    dp2dp_reason *reason);

#endif
