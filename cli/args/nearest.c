/* Guesses what was meant, for "did you mean …?": a word by its edit distance, a number by reading
 * it as a percentage or with a decimal comma. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "args/args.h"
#include "common/number.h"

enum {
    LONGEST = 32
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Returns the smallest number of insertions, deletions, substitutions and swaps of neighbouring
 * letters that turns a, of n letters, into b, of m letters. */
static size_t distance(const char *a, size_t n, const char *b, size_t m) {
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++) {
        d[i][0] = i;
    }
    for (size_t j = 0; j <= m; j++) {
        d[0][j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]),
                            least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[n][m];
}

void cli_nearest_try(cli_nearest *nearest, const char *word) {
    size_t n = strlen(nearest->typed), m = strlen(word);
    if (n == 0 || n > LONGEST || m > LONGEST) {
        return;
    }
    /* Counts as two edits if one word begins with the other, as --population begins with --pop. */
    size_t common = least(n, m);
    size_t cost = common >= 3 && strncmp(word, nearest->typed, common) == 0
                      ? 2
                      : distance(nearest->typed, n, word, m);
    /* Of two words that are equally near, one with the same first letter is likelier. */
    int likelier = nearest->word && cost == nearest->cost && word[0] == nearest->typed[0] &&
                   nearest->word[0] != word[0];
    if (cost < n && (likelier || cost < (nearest->word ? nearest->cost : 3))) {
        nearest->cost = cost;
        nearest->word = word;
    }
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
    if (comma) {
        *comma = '.';
    }
    if (cli_number_parse(copy, &x) != CLI_PARSED) {
        return hint;
    }
    int out_of_range = cli_range_fault(&option->range, x, &bound) != NULL;
    if (percent || out_of_range) {
        x = is_share && (percent || option->fallback) ? x / 100 : NAN;
    }
    if (isnan(x) || cli_range_fault(&option->range, x, &bound) != NULL) {
        return hint;
    }
    int used = is_share ? snprintf(hint, CLI_GUESS_SIZE, " (between %s and %s)",
                                   cli_number_exact(option->range.low).text,
                                   cli_number_exact(option->range.high).text)
                        : 0;
    snprintf(hint + used, CLI_GUESS_SIZE - (size_t)used, "; did you mean %s?",
             cli_number_exact(x).text);
    return hint;
}
