/* Writes numbers as text for people. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/html.h"

static void put(dp2dpi_number number, char out[DP2DPI_FORM_SIZE]) {
    snprintf(out, DP2DPI_FORM_SIZE, "%s", number.text);
}

/* Writes a whole number with commas between groups of three digits. */
static void grouped(double x, char out[DP2DPI_FORM_SIZE]) {
    char digits[DP2DPI_FORM_SIZE];
    size_t at = 0;
    snprintf(digits, sizeof digits, "%.0f", fabs(x) < 0.5 ? 0.0 : x);
    size_t sign = digits[0] == '-', length = strlen(digits);
    if (length > DP2DPI_FORM_SIZE / 2) {
        snprintf(out, DP2DPI_FORM_SIZE, "%.3g", x);
        return;
    }
    for (size_t i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0) {
            out[at++] = ',';
        }
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

/* Writes x with a fixed number of decimals. A number that rounds to 0 loses its sign. */
static void fixed(double x, int decimals, const char *after, char out[DP2DPI_FORM_SIZE]) {
    double unit = pow(10, -decimals);
    snprintf(out, DP2DPI_FORM_SIZE, "%.*f%s", decimals, fabs(x) < unit / 2 ? 0.0 : x, after);
}

/* Writes a probability as "1 in n" rounded up, which means that n is rounded down: "1 in 30,000"
 * for 3.3e-5. */
static void one_in(double x, char out[DP2DPI_FORM_SIZE]) {
    char whole[DP2DPI_FORM_SIZE];
    double people = 1 / x;
    double unit = pow(10, floor(log10(people)) - 1);
    /* Rounds n down to two digits. The factor keeps the rounding error of 1 / x from lowering n by
     * a whole unit. */
    grouped(unit * floor(people / unit * (1 + 1e-12)), whole);
    snprintf(out, DP2DPI_FORM_SIZE, "1 in %.40s", whole);
}

const char *dp2dpi_form_write(dp2dpi_form form, double x, char out[DP2DPI_FORM_SIZE]) {
    if (isinf(x)) {
        snprintf(out, DP2DPI_FORM_SIZE, "infinite");
        return out;
    }
    switch (form) {
    case DP2DPI_FORM_COUNT:
    case DP2DPI_FORM_ROUND:
        grouped(x, out);
        break;
    case DP2DPI_FORM_PERCENT:
        fixed(100 * x, 1, " %", out);
        break;
    case DP2DPI_FORM_POINTS:
        fixed(100 * x, 1, "", out);
        break;
    case DP2DPI_FORM_IN_1000:
        fixed(1000 * fabs(x), fabs(x) < 0.00995 ? 1 : 0, "", out);
        break;
    case DP2DPI_FORM_DECIMAL:
        fixed(x, 4, "", out);
        break;
    case DP2DPI_FORM_SIGNED:
        snprintf(out, DP2DPI_FORM_SIZE, fabs(x) < 0.00005 ? "0" : "%+.4f", x);
        break;
    case DP2DPI_FORM_UP:
        put(dp2dpi_number_up(x, 4), out);
        break;
    case DP2DPI_FORM_DOWN:
        put(dp2dpi_number_down(x, 4), out);
        break;
    case DP2DPI_FORM_LEVEL:
        snprintf(out, DP2DPI_FORM_SIZE, "%.10g %%", 100 * x);
        break;
    case DP2DPI_FORM_POINTS_UP:
        fixed(ceil(1000 * x) / 10, 1, "", out);
        break;
    case DP2DPI_FORM_ONE_IN:
        one_in(x, out);
        break;
    case DP2DPI_FORM_GUESS:
        fixed(fmin(1000, ceil(1000 * x)) / 10, 1, "", out);
        break;
    case DP2DPI_FORM_FACTOR:
        put(dp2dpi_number_up(exp(x), 3), out);
        break;
    case DP2DPI_FORM_EXACT:
    default:
        put(dp2dpi_number_exact(x), out);
        break;
    }
    return out;
}
