/* Writes numbers as text for people. The calling thread must be in the C locale (base/c_locale.h).
 */
#ifndef DP2DPI_BASE_NUMBER_H
#define DP2DPI_BASE_NUMBER_H

typedef struct dp2dpi_number {
    char text[40];
} dp2dpi_number;

/* Returns the shortest decimal that reads back as x. */
dp2dpi_number dp2dpi_number_exact(double x);
/* Return x ≥ 0 rounded up or down to `digits` significant digits. Round privacy costs up, so that a
 * text never promises more privacy than was certified. */
dp2dpi_number dp2dpi_number_up(double x, int digits);
dp2dpi_number dp2dpi_number_down(double x, int digits);

#endif
