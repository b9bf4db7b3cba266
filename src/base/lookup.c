#include "base/lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int compare(const void *left, const void *right) {
    const dp2dpi_meaning *a = left, *b = right;
    int by_length = (a->length > b->length) - (a->length < b->length);
    return by_length || a->length == 0 ? by_length : memcmp(a->text, b->text, a->length);
}

int dp2dpi_lookup_sort(dp2dpi_lookup *lookup) {
    int distinct = 1;
    if (lookup->count > 0) {
        qsort(lookup->meanings, lookup->count, sizeof *lookup->meanings, compare);
    }
    for (size_t i = 1; i < lookup->count; i++) {
        distinct &= compare(&lookup->meanings[i - 1], &lookup->meanings[i]) != 0;
    }
    return distinct;
}

int32_t dp2dpi_lookup_find(const dp2dpi_lookup *lookup, const char *text, size_t length) {
    dp2dpi_meaning wanted = {text, length, -1};
    if (lookup->count == 0) {
        return -1;
    }
    const dp2dpi_meaning *found =
        bsearch(&wanted, lookup->meanings, lookup->count, sizeof wanted, compare);
    return found ? found->level : -1;
}

enum {
    DIGITS_MAX = 20,
    EXPONENT_MAX = 9999
};

/* The part of a decimal number that has been read so far. The value of this part is
 * digits × 10^(zeros − behind). */
typedef struct number {
    char digits[DIGITS_MAX]; /* from the first to the last digit that is not 0 */
    size_t count;
    size_t zeros;  /* zeros read after the last digit that is not 0 */
    size_t behind; /* digits read after the decimal point, including zeros */
    size_t read;   /* all digits read */
} number;

static int is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads digits and returns the first byte after them. Sets count to more than DIGITS_MAX if there
 * are too many digits. */
static const char *read_digits(const char *at, const char *end, number *n) {
    for (; at < end && is_digit(*at); at++, n->read++) {
        if (*at == '0') {
            n->zeros += n->count > 0;
        } else if (n->count + n->zeros >= DIGITS_MAX) {
            n->count = DIGITS_MAX + 1;
        } else {
            memset(n->digits + n->count, '0', n->zeros);
            n->count += n->zeros;
            n->digits[n->count++] = *at;
            n->zeros = 0;
        }
    }
    return at;
}

/* Reads an exponent like "e-5". Returns the first byte after the digits of the exponent; NULL if
 * the text ends before these digits. If the exponent is beyond ±EXPONENT_MAX, *out is also beyond
 * ±EXPONENT_MAX, but may be another number. */
static const char *read_exponent(const char *at, const char *end, long *out) {
    int negative = ++at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    if (at == end) {
        return NULL;
    }
    for (; at < end && is_digit(*at); at++) {
        *out = *out > EXPONENT_MAX ? *out : *out * 10 + (*at - '0');
    }
    *out = negative ? -*out : *out;
    return at;
}

size_t dp2dpi_number_key(const char *text, size_t length, char key[DP2DPI_NUMBER_KEY_SIZE]) {
    const char *at = text, *end = text + length;
    number n = {.count = 0};
    long exponent = 0;
    int negative = length > 0 && *at == '-';
    at += length > 0 && (*at == '-' || *at == '+');
    at = read_digits(at, end, &n);
    if (at < end && *at == '.') {
        size_t before = n.read;
        at = read_digits(at + 1, end, &n);
        n.behind = n.read - before;
    }
    if (at < end && n.read > 0 && (*at == 'e' || *at == 'E')) {
        at = read_exponent(at, end, &exponent);
    }
    if (at != end || n.read == 0 || n.count > DIGITS_MAX || labs(exponent) > EXPONENT_MAX ||
        n.read > EXPONENT_MAX) {
        return 0;
    }
    if (n.count == 0) {
        return (size_t)snprintf(key, DP2DPI_NUMBER_KEY_SIZE, "0");
    }
    return (size_t)snprintf(key, DP2DPI_NUMBER_KEY_SIZE, "%s%.*se%ld", negative ? "-" : "",
                            (int)n.count, n.digits, exponent + (long)n.zeros - (long)n.behind);
}

typedef struct spelling {
    char key[DP2DPI_NUMBER_KEY_SIZE];
    const char *name;
    int plain; /* 1: the name is written without a decimal point or exponent */
} spelling;

/* Sorts by key. Among names with the same key, the names with a decimal point or exponent come
 * first. */
static int compare_spellings(const void *left, const void *right) {
    const spelling *a = left, *b = right;
    int by_key = strcmp(a->key, b->key);
    return by_key ? by_key : a->plain - b->plain;
}

dp2dp_status dp2dpi_names_same_number(const char *const *names, size_t count, const char **first,
                                      const char **second, dp2dp_error *error) {
    spelling *found = NULL;
    size_t numbers = 0;
    *first = *second = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(found, count + 1, "a list of names", error));
    for (size_t i = 0; i < count; i++) {
        spelling *s = &found[numbers];
        s->name = names[i];
        s->plain = strpbrk(names[i], ".eE") == NULL;
        numbers += dp2dpi_number_key(names[i], strlen(names[i]), s->key) > 0;
    }
    qsort(found, numbers, sizeof *found, compare_spellings);
    for (size_t i = 1; i < numbers && *first == NULL; i++) {
        if (strcmp(found[i - 1].key, found[i].key) == 0 && found[i - 1].plain != found[i].plain) {
            *first = found[i].name;
            *second = found[i - 1].name;
        }
    }
    dp2dpi_free(found);
    return DP2DP_STATUS_OK;
}

int dp2dpi_all_numbers(const char *const *levels, size_t count) {
    char key[DP2DPI_NUMBER_KEY_SIZE];
    size_t i = 0;
    while (i < count && dp2dpi_number_key(levels[i], strlen(levels[i]), key) > 0) {
        i++;
    }
    return i == count;
}

void dp2dpi_lookup_by_value(const dp2dpi_lookup *texts, dp2dpi_meaning *meanings,
                            char (*keys)[DP2DPI_NUMBER_KEY_SIZE], dp2dpi_lookup *out) {
    dp2dpi_lookup found = {meanings, 0};
    int ambiguous = 0;
    for (size_t i = 0; i < texts->count; i++) {
        const dp2dpi_meaning *m = &texts->meanings[i];
        size_t length = dp2dpi_number_key(m->text, m->length, keys[i]);
        if (length > 0) {
            meanings[found.count++] = (dp2dpi_meaning) {keys[i], length, m->level};
        }
    }
    (void)dp2dpi_lookup_sort(&found);
    for (size_t i = 1; i < found.count; i++) {
        ambiguous |= compare(&meanings[i - 1], &meanings[i]) == 0 &&
                     meanings[i - 1].level != meanings[i].level;
    }
    *out = ambiguous ? (dp2dpi_lookup) {NULL, 0} : found;
}

int32_t dp2dpi_lookup_find_value(const dp2dpi_lookup *by_value, const char *text, size_t length) {
    char key[DP2DPI_NUMBER_KEY_SIZE];
    if (by_value->count == 0) {
        return -1;
    }
    size_t key_length = dp2dpi_number_key(text, length, key);
    return key_length > 0 ? dp2dpi_lookup_find(by_value, key, key_length) : -1;
}
