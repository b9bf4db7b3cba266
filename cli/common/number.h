/* Parses and prints numbers. The program never calls setlocale, so strtod and printf use the C
 * locale. */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stddef.h>

typedef enum cli_parsed {
    CLI_PARSED,
    CLI_NOT_A_NUMBER,
    CLI_OUT_OF_RANGE
} cli_parsed;

/* Reads the whole text as a finite decimal number. Hexadecimal numbers, "nan", "inf" and spaces are
 * NOT_A_NUMBER; a number that overflows or underflows a double is OUT_OF_RANGE. */
cli_parsed cli_number_parse(const char *text, double *out);

enum {
    CLI_NUMBER_SIZE = 40
};
typedef struct cli_number {
    char text[CLI_NUMBER_SIZE];
} cli_number;

/* Returns the shortest decimal that reads back as x. */
cli_number cli_number_exact(double x);
/* Return x ≥ 0 rounded up or down to `digits` significant digits. Costs must be rounded up: the
 * output must not promise more privacy than was certified. */
cli_number cli_number_up(double x, int digits);
cli_number cli_number_down(double x, int digits);

#endif
