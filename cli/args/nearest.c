/* Guesses what the user meant, for "did you mean …?": a word with a similar spelling, or a number
 * that was written as a percentage or with a decimal comma. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "common/number.h"

void cli_nearest_try(cli_nearest *nearest, const char *word) {
    const char *const words[] = {nearest->word ? nearest->word : word, word};
    nearest->word = dp2dp_word_nearest(nearest->typed, words, 2);
}

const char *cli_range_fault(const cli_range *range, double x, double *bound) {
    *bound = range->low;
    if (range->low_edge == CLI_CLOSED && x < range->low) {
        return "is below";
    }
    if (range->low_edge == CLI_OPEN && x <= range->low) {
        return "is not above";
    }
    *bound = range->high;
    if (range->high_edge == CLI_CLOSED && x > range->high) {
        return "is above";
    }
    return range->high_edge == CLI_OPEN && x >= range->high ? "is not below" : NULL;
}

const char *cli_guess(const cli_option *option, const char *text, char hint[CLI_GUESS_SIZE]) {
    char copy[CLI_NUMBER_SIZE];
    double x, bound;
    size_t length = strlen(text);
    int is_share = option->range.high_edge != CLI_UNBOUNDED && option->range.high <= 1;
    hint[0] = '\0';
    if (length == 0 || length >= sizeof copy || option->kind == CLI_COUNT) {
        return hint;
    }
    memcpy(copy, text, length + 1);
    int percent = copy[length - 1] == '%';
    copy[length - (size_t)percent] = '\0';
    char *comma = strchr(copy, ',');
    int is_swept =
        comma && (strcmp(option->name, "epsilon") == 0 || strcmp(option->name, "rho") == 0);
    const char *list = is_swept ? "; only dp2dp sweep takes a list" : "";
    if (comma) {
        *comma = '.';
    }
    if (cli_number_parse(copy, &x) != CLI_PARSED) {
        int is_formula = copy[strspn(copy, "0123456789.+-^*/")] == '\0' && strpbrk(copy, "^*/");
        snprintf(hint, CLI_GUESS_SIZE, "%s",
                 is_formula ? "; write it as a decimal number, such as 1e-5 or 0.01" : list);
        return hint;
    }
    int out_of_range = cli_range_fault(&option->range, x, &bound) != NULL;
    if (out_of_range && strcmp(option->name, "confidence") == 0 && x > 0 && x < 0.5) {
        x = 1 - x; /* the user probably gave the probability of failure */
    } else if (percent || out_of_range) {
        x = is_share && (percent || option->fallback || strcmp(option->name, "at-most") == 0)
                ? x / 100
                : NAN;
    }
    if (isnan(x) || cli_range_fault(&option->range, x, &bound) != NULL) {
        return hint;
    }
    int used = is_share ? snprintf(hint, CLI_GUESS_SIZE, " (between %s and %s)",
                                   cli_number_exact(option->range.low).text,
                                   cli_number_exact(option->range.high).text)
                        : 0;
    snprintf(hint + used, CLI_GUESS_SIZE - (size_t)used, "; did you mean %s?%s",
             cli_number_exact(x).text, list);
    return hint;
}
