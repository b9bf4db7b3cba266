#include <string.h>
#include <strings.h>

#include <dp2dp/model.h>

#include "base/error.h"
#include "base/order.h"

enum {
    NAMES_MAX = 64 /* largest number of names that are compared with the columns */
};

/* The parts of a column's name before and after the name of a class. For the column p_yes and the
 * class yes, the prefix is "p_" and the suffix is empty. */
typedef struct frame {
    const char *column; /* name of a column; the prefix is the beginning of this name */
    size_t prefix;      /* length of the prefix */
    const char *suffix;
} frame;

/* Returns 1 if the column's name consists of the frame's prefix, `name` (in any case) and the
 * suffix. */
static int fits(const frame *f, const char *column, const char *name) {
    size_t length = strlen(name);
    return strncmp(column, f->column, f->prefix) == 0 &&
           strncasecmp(column + f->prefix, name, length) == 0 &&
           strcmp(column + f->prefix + length, f->suffix) == 0;
}

/* Returns 1 if the prefix means "not". For example, the column p_not_yes does not hold the scores
 * of the class yes. */
static int is_negation(const frame *f) {
    for (size_t i = 0; i + 1 < f->prefix; i++) {
        if (strncasecmp(f->column + i, "no", 2) == 0 || strncmp(f->column + i, "1-", 2) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Column k should contain names[k] between the prefix and the suffix of the frame. If every column
 * contains one of the names at this place, returns the first column k that contains another name
 * than names[k]. Returns `count` if all columns contain their own name, or if some column contains
 * none of the names. */
static size_t find_moved(const frame *f, const char *const *columns, const char *const *names,
                         size_t count) {
    size_t moved = count;
    for (size_t k = 0; k < count; k++) {
        size_t named = fits(f, columns[k], names[k]) ? k : 0;
        while (named < count && !fits(f, columns[k], names[named])) {
            named++;
        }
        if (named == count) {
            return count;
        }
        moved = named != k && moved == count ? k : moved;
    }
    return moved;
}

/* Finds a frame for each place at which columns[0] contains one of the names, and calls find_moved
 * with each frame. Returns the first column that find_moved finds, or `count` if find_moved finds
 * none. Skips frames whose prefix means "not". */
static size_t find_misnamed(const char *const *columns, const char *const *names, size_t count) {
    size_t moved = count;
    for (size_t named = 0; named < count && moved == count; named++) {
        size_t length = strlen(names[named]), whole = strlen(columns[0]);
        for (size_t at = 0; at + length <= whole && moved == count; at++) {
            const frame f = {columns[0], at, columns[0] + at + length};
            if (strncasecmp(columns[0] + at, names[named], length) == 0 && !is_negation(&f)) {
                moved = find_moved(&f, columns, names, count);
            }
        }
    }
    return moved;
}

/* Returns the first column whose name stands at another position in `own`, the model's list of
 * columns. Returns `count` if there is no such column. */
static size_t find_swapped(const char *const *columns, const char *const *own, size_t count) {
    for (size_t k = 0; k < count; k++) {
        for (size_t j = 0; j < count; j++) {
            if (j != k && strcmp(columns[k], own[j]) == 0) {
                return k;
            }
        }
    }
    return count;
}

/* Returns 1 if `name` may be a running number: a number such as 0 or 1.0, or a single letter such
 * as a. A column whose name contains such a `name` may simply number the classes. */
static int is_number(const char *name) {
    return strlen(name) < 2 || name[strspn(name, "0123456789.+-")] == '\0';
}

/* Returns 1 if, between the prefix and the suffix of the frame, every column contains a different
 * one of `others` and no column contains one of `names`. */
static int names_others(const frame *f, const char *const *columns, const char *const *names,
                        size_t count, const char *const *others, size_t other_count) {
    char used[NAMES_MAX] = {0};
    for (size_t k = 0; k < count; k++) {
        size_t other = 0, named = 0;
        while (other < other_count && !fits(f, columns[k], others[other])) {
            other++;
        }
        while (named < count && !fits(f, columns[k], names[named])) {
            named++;
        }
        if (other == other_count || used[other] || is_number(others[other]) || named < count) {
            return 0;
        }
        used[other] = 1;
    }
    return 1;
}

int dp2dpi_order_is_of_others(const char *const *columns, const char *const *names, size_t count,
                              const char *const *others, size_t other_count) {
    int found = 0;
    if (count < 2 || count > NAMES_MAX || other_count > NAMES_MAX) {
        return 0;
    }
    for (size_t j = 0; j < other_count && !found; j++) {
        size_t length = strlen(others[j]), whole = strlen(columns[0]);
        for (size_t at = 0; at + length <= whole && !found; at++) {
            const frame f = {columns[0], at, columns[0] + at + length};
            found = names_others(&f, columns, names, count, others, other_count);
        }
    }
    return found;
}

int dp2dpi_are_reordered(const char *const *names, size_t count, const char *const *others,
                         size_t other_count) {
    size_t moved = 0;
    if (count != other_count) {
        return 0;
    }
    for (size_t k = 0; k < count; k++) {
        size_t at = 0;
        while (at < count && names[k] && strcmp(names[k], others[at]) != 0) {
            at++;
        }
        if (at == count || names[k] == NULL) {
            return 0;
        }
        moved += at != k;
    }
    return moved > 0;
}

dp2dp_status dp2dp_check_order(const char *what, const char *const *columns, const char *const *own,
                               const char *const *names, size_t count, dp2dp_error *error) {
    if (what == NULL || columns == NULL || count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "what and columns must not be NULL, and count must not be 0");
    }
    size_t moved = own ? find_swapped(columns, own, count) : count;
    if (moved < count) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the column '%.40s' stands where the model has its column '%.40s'; list "
                           "the columns in the order of the model",
                           columns[moved], own[moved]);
    }
    moved = names && count <= NAMES_MAX ? find_misnamed(columns, names, count) : count;
    return moved < count
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "the column '%.40s' would be used as the scores of the %s '%.40s'; "
                             "list the score columns and the names in the same order",
                             columns[moved], what, names[moved])
               : DP2DP_STATUS_OK;
}
