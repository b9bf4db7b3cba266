/* Decimal text to float64: correctly rounded, the same in every locale. */
#ifndef DP2DPI_TABLE_DECIMAL_H
#define DP2DPI_TABLE_DECIMAL_H

#include <stddef.h>

enum {
    DP2DPI_DECIMAL_SPARE = 8 /* bytes that must be readable from where a number ends */
};

typedef enum dp2dpi_decimal {
    DP2DPI_DECIMAL_READ = 0,
    DP2DPI_DECIMAL_NONE,  /* no number starts here */
    DP2DPI_DECIMAL_RANGE, /* beyond the largest double */
    DP2DPI_DECIMAL_MEMORY
} dp2dpi_decimal;

/* Reads [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent, as far
 * as it goes; *end is where it stopped. Values below the smallest subnormal become 0. Words (inf,
 * nan) and hexadecimal are not numbers. */
dp2dpi_decimal dp2dpi_decimal_read(const char *text, const char **end, double *value);

#endif
