#include "schema/tells.h"

enum {
    MANY = 20,  /* a feature is reported only if at least this many rows are outside the largest
                   group */
    ENOUGH = 10 /* a feature is reported only if it has at least this many rows per different value,
                   on average */
};

/* This function is cheap for most features: after a few rows, some value has been seen in two
 * groups, and later calls return at once. */
void dp2dpi_tells_add(double value, int32_t code, dp2dpi_tells *t) {
    size_t i = 0;
    if (t->is_over) {
        return;
    }
    while (i < t->count && t->values[i] != value) {
        i++;
    }
    if (i == DP2DPI_TELLS_SEEN || (i < t->count && t->codes[i] != code)) {
        t->is_over = 1;
        return;
    }
    t->values[i] = value;
    t->codes[i] = code;
    t->counts[i]++;
    t->count += i == t->count;
}

static uint64_t largest_group(const dp2dpi_tells *t) {
    uint64_t largest = 0;
    for (size_t i = 0; i < t->count; i++) {
        uint64_t rows = 0;
        for (size_t k = 0; k < t->count; k++) {
            rows += t->codes[k] == t->codes[i] ? t->counts[k] : 0;
        }
        largest = rows > largest ? rows : largest;
    }
    return largest;
}

/* A feature is reported only if each of at least 20 rows outside the largest group has a value that
 * no row of that group has. This is unlikely for a feature that is independent of the group: for 40
 * rows, two groups of equal size and two equally frequent values, the probability is 2^-38. For
 * other frequencies of the groups and values, the probability is at most about 2^-19. */
int dp2dpi_tells_all(const dp2dpi_tells *t) {
    uint64_t rows = 0;
    for (size_t i = 0; i < t->count; i++) {
        rows += t->counts[i];
    }
    return !t->is_over && rows >= ENOUGH * t->count && rows - largest_group(t) >= MANY;
}
