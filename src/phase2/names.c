#include "phase2/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/lookup.h"

enum {
    CLASSES_MAX = 64, /* if there are more classes, their names are not compared with the columns */
    NUMBER_SIZE = 24
};

/* Rows may spell a number differently from the list, so two names must not be the same number. */
static dp2dp_status check_numbers(const char *what, const char *const *names, size_t count,
                                  dp2dp_error *error) {
    const char *first = NULL, *second = NULL;
    if (names) {
        DP2DPI_TRY(dp2dpi_names_same_number(names, count, &first, &second, error));
    }
    return first ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                               "%s: '%.40s' and '%.40s' are the same number; list it once, since "
                               "rows may use either spelling",
                               what, first, second)
                 : DP2DP_STATUS_OK;
}

/* The text around the name of a class in the name of its column, such as p_ in p_yes. */
typedef struct frame {
    const char *column; /* its first bytes are the prefix */
    size_t prefix;
    const char *suffix;
} frame;

/* Returns whether the column is called like the name, put into the frame. */
static int fits(const frame *f, const char *column, const char *name) {
    size_t length = strlen(name);
    return strncmp(column, f->column, f->prefix) == 0 &&
           strncasecmp(column + f->prefix, name, length) == 0 &&
           strcmp(column + f->prefix + length, f->suffix) == 0;
}

/* A column like p_not_yes has the scores of another class than the one it names. */
static int is_negation(const frame *f) {
    for (size_t i = 0; i + 1 < f->prefix; i++) {
        if (strncasecmp(f->column + i, "no", 2) == 0 || strncmp(f->column + i, "1-", 2) == 0) {
            return 1;
        }
    }
    return 0;
}

/* If every column is named after a class in this frame, returns the first column that is named
 * after a class other than its own. Returns `classes` if there is none. */
static size_t find_moved(const frame *f, const char *const *columns, const char *const *names,
                         size_t classes) {
    size_t moved = classes;
    for (size_t k = 0; k < classes; k++) {
        size_t named = 0;
        while (named < classes && !fits(f, columns[k], names[named])) {
            named++;
        }
        if (named == classes) {
            return classes;
        }
        moved = named != k && moved == classes ? k : moved;
    }
    return moved;
}

/* Tries every frame in which the first column is named after a class. */
static dp2dp_status check_order(const char *const *columns, const char *const *names,
                                size_t classes, dp2dp_error *error) {
    for (size_t named = 0; named < classes; named++) {
        size_t length = strlen(names[named]), whole = strlen(columns[0]);
        for (size_t at = 0; at + length <= whole; at++) {
            const frame f = {columns[0], at, columns[0] + at + length};
            size_t moved =
                strncasecmp(columns[0] + at, names[named], length) == 0 && !is_negation(&f)
                    ? find_moved(&f, columns, names, classes)
                    : classes;
            if (moved < classes) {
                return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                   "classes: the scores '%.40s' would be those of the class "
                                   "'%.40s'; list the classes in the order of the score columns",
                                   columns[moved], names[moved]);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_names_check(const dp2dp_names *names, const dp2dp_source *source,
                                dp2dp_error *error) {
    size_t groups = source->strata / source->labels, classes = source->classes;
    char numbers[CLASSES_MAX][NUMBER_SIZE];
    const char *numbered[CLASSES_MAX];
    DP2DPI_TRY(check_numbers("groups", names->groups, groups, error));
    DP2DPI_TRY(check_numbers("classes", names->classes, classes, error));
    if (names->scores == NULL || classes > CLASSES_MAX) {
        return DP2DP_STATUS_OK;
    }
    for (size_t k = 0; k < classes; k++) {
        (void)snprintf(numbers[k], NUMBER_SIZE, "%zu", k);
        numbered[k] = numbers[k];
    }
    return check_order(names->scores, names->classes ? names->classes : numbered, classes, error);
}
