#include "common/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_parsed cli_number_parse(const char *text, double *out) {
    if (*text == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0') {
        return CLI_NOT_A_NUMBER;
    }
    char *end;
    errno = 0;
    double x = strtod(text, &end);
    if (end == text || *end != '\0') {
        return CLI_NOT_A_NUMBER;
    }
    if (errno == ERANGE || !isfinite(x)) {
        return CLI_OUT_OF_RANGE;
    }
    *out = x;
    return CLI_PARSED;
}

/* Prints x as %g does, but a whole number below 1e15 without an exponent: 1000, not 1e+03. */
static void print(cli_number *number, int digits, double x) {
    int whole = fabs(x) < 1e15 && x == floor(x);
    snprintf(number->text, sizeof number->text, "%.*g", whole ? 15 : digits, x);
}

cli_number cli_number_exact(double x) {
    cli_number number;
    for (int digits = 1; digits <= 17; digits++) {
        print(&number, digits, x);
        if (strtod(number.text, NULL) == x) {
            break;
        }
    }
    return number;
}

/* Returns the smallest number ≥ x (direction +1) or the largest number ≤ x (direction -1) that has
 * `digits` significant digits. */
static cli_number rounded(double x, int digits, int direction) {
    cli_number number;
    snprintf(number.text, sizeof number.text, "%.*e", digits - 1, x);
    double nearest = strtod(number.text, NULL);
    if (direction > 0 ? nearest < x : nearest > x) {
        const char *exponent = strchr(number.text, 'e');
        double unit =
            exponent ? pow(10, (double)(strtol(exponent + 1, NULL, 10) - (digits - 1))) : 0;
        nearest += direction * unit;
    }
    print(&number, digits, nearest);
    return number;
}

cli_number cli_number_up(double x, int digits) {
    return rounded(x, digits, +1);
}

cli_number cli_number_down(double x, int digits) {
    return rounded(x, digits, -1);
}
