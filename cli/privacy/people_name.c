/* Prints a note if the name in --people is probably a misspelling of a name in the ledger. If the
 * same people had two names, the ledger would not add up their costs. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "privacy/privacy.h"

/* Returns whether two names differ in one letter of a word. Returns 0 for names that are probably
 * meant to differ: in a digit (pool-1, pool-2), or in a word of one letter (site A, site B). Also
 * returns 0 if only upper and lower case differ: the ledger itself refuses such names. */
static int is_near(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b), start = 0, end = 0;
    while (a[start] && a[start] == b[start]) {
        start++;
    }
    while (end < n - start && end < m - start && a[n - 1 - end] == b[m - 1 - end]) {
        end++;
    }
    const unsigned char *at = (const unsigned char *)(n > m ? a : b) + start;
    int is_letter = !isdigit(at[0]) && !(n == m && isdigit((unsigned char)a[start]));
    int is_in_word = (start > 0 && isalpha(at[-1])) || (end > 0 && isalpha(at[1]));
    return n - start - end <= 1 && m - start - end <= 1 && is_letter && is_in_word &&
           strcasecmp(a, b) != 0;
}

void cli_people_tell(const cli_args *args, const dp2dp_ledger *ledger) {
    const char *name = cli_option_find(args->verb, "people") ? cli_word(args, "people") : NULL;
    const char *near = NULL;
    for (size_t i = 0; name && i < dp2dp_ledger_size(ledger); i++) {
        dp2dp_event event = cli_entry(ledger, i, NULL);
        const char *known = cli_entry_set(&event);
        if (strcmp(known, name) == 0) {
            return;
        }
        if (*known && is_near(name, known)) {
            near = known;
        }
    }
    if (near) {
        fprintf(stderr, "dp2dp %s: note: --people ", args->verb->name);
        cli_print_safely(stderr, name);
        fputs(" is not yet in the ledger, but the similar name \"", stderr);
        cli_print_safely(stderr, near);
        fputs("\" is. Did you mean that name? If the same people have two names, their costs are "
              "not added up\n",
              stderr);
    }
}
