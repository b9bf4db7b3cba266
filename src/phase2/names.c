#include "phase2/names.h"

#include <stdio.h>

#include "base/lookup.h"
#include "base/order.h"

enum {
    NUMBERS_MAX = 64, /* largest number of default names (0, 1, ...) that are checked */
    NUMBER_SIZE = 24
};

/* Fails if two names are the same number, such as 1 and 1.0, because rows may use either spelling.
 */
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

/* Fails if the column names contain `names`, the names of the classes or groups, in another order.
 * If `groups` is not NULL, also fails if the columns have the names of the groups and none has the
 * name of a class: groups and classes are then probably exchanged. If `names` is NULL, the names
 * are 0, 1, ... */
static dp2dp_status check_order(const char *what, const char *const *columns,
                                const char *const *names, size_t count, const char *const *groups,
                                size_t group_count, dp2dp_error *error) {
    char numbers[NUMBERS_MAX][NUMBER_SIZE];
    const char *numbered[NUMBERS_MAX];
    if (columns == NULL || (names == NULL && count > NUMBERS_MAX)) {
        return DP2DP_STATUS_OK;
    }
    for (size_t k = 0; names == NULL && k < count; k++) {
        (void)snprintf(numbers[k], NUMBER_SIZE, "%zu", k);
        numbered[k] = numbers[k];
    }
    names = names ? names : numbered;
    DP2DPI_TRY(dp2dp_check_order(what, columns, NULL, names, count, error));
    return groups && dp2dpi_order_is_of_others(columns, names, count, groups, group_count)
               ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "the score columns, such as '%.40s', have the names of groups, and "
                             "none has the name of a class. Are groups and classes exchanged? If "
                             "not, rename the columns",
                             columns[0])
               : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_names_check(const dp2dp_fit_options *o, const dp2dp_source *source,
                                dp2dp_error *error) {
    const dp2dp_names *names = &o->names;
    size_t groups = source->strata / source->labels, classes = source->classes;
    DP2DPI_TRY(check_numbers("groups", names->groups, groups, error));
    DP2DPI_TRY(check_numbers("classes", names->classes, classes, error));
    DP2DPI_TRY(
        check_order("class", names->scores, names->classes, classes, names->groups, groups, error));
    return source->weight_columns == groups
               ? check_order("group", o->weight_names, names->groups, groups, NULL, 0, error)
               : DP2DP_STATUS_OK;
}
