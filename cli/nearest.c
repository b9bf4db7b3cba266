/* "Did you mean …?": edit distance with swaps of neighbours. */
#include <string.h>

#include "args.h"

enum {
    LONGEST = 32
};

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Insertions, deletions, substitutions and swaps of neighbouring letters between two short words.
 */
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

const char *cli_nearest(const char *typed, const char *(*next)(const void *context, size_t i),
                        const void *context) {
    size_t n = strlen(typed);
    const char *nearest = NULL;
    size_t least_cost = 3;
    if (n == 0 || n > LONGEST) {
        return NULL;
    }
    for (size_t i = 0;; i++) {
        const char *word = next(context, i);
        if (word == NULL) {
            return nearest;
        }
        size_t m = strlen(word);
        if (m > LONGEST) {
            continue;
        }
        /* A beginning, as in --pop for --population, counts as two slips. */
        size_t cost = n >= 3 && strncmp(word, typed, n) == 0 ? 2 : distance(typed, n, word, m);
        if (cost < least_cost && cost < n) {
            least_cost = cost;
            nearest = word;
        }
    }
}
