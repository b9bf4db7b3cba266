#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints x as %g does, but a whole number below 1e15 without an exponent: 1000, not 1e+03. */
static dp2dpi_number print(double x, int digits) {
    dp2dpi_number number;
    int whole = fabs(x) < 1e15 && x == floor(x);
    (void)snprintf(number.text, sizeof number.text, "%.*g", whole ? 15 : digits, x == 0 ? 0.0 : x);
    return number;
}

dp2dpi_number dp2dpi_number_exact(double x) {
    dp2dpi_number number = print(x, 1);
    for (int digits = 2; digits <= 17 && strtod(number.text, NULL) != x; digits++) {
        number = print(x, digits);
    }
    return number;
}

/* Rounds x to `digits` significant digits, so that the result is not below x (direction +1) or not
 * above x (direction -1). */
static dp2dpi_number rounded(double x, int digits, int direction) {
    dp2dpi_number number;
    (void)snprintf(number.text, sizeof number.text, "%.*e", digits - 1, x);
    double nearest = strtod(number.text, NULL);
    if (direction > 0 ? nearest < x : nearest > x) {
        const char *exponent = strchr(number.text, 'e');
        long power = exponent ? strtol(exponent + 1, NULL, 10) : 0;
        nearest += direction * pow(10, (double)(power - (digits - 1)));
    }
    return print(nearest, digits);
}

dp2dpi_number dp2dpi_number_up(double x, int digits) {
    return rounded(x, digits, +1);
}

dp2dpi_number dp2dpi_number_down(double x, int digits) {
    return rounded(x, digits, -1);
}
