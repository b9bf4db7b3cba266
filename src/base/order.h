/* Compares the names of score columns with names of classes and groups. dp2dp_check_order, in
 * <dp2dp/model.h>, finds a wrong order. */
#ifndef DP2DPI_BASE_ORDER_H
#define DP2DPI_BASE_ORDER_H

#include <stddef.h>

/* Returns 1 if the columns are named after `others` and not after `names`. For example, p_home and
 * p_ward are named after `others` if `others` has home and ward, and `names` has neither. There are
 * `count` columns and `count` names. Numbers and single letters do not count as names of `others`.
 */
int dp2dpi_order_is_of_others(const char *const *columns, const char *const *names, size_t count,
                              const char *const *others, size_t other_count);

/* Returns 1 if the two lists have the same names in different orders. Neither list may have a name
 * twice. */
int dp2dpi_are_reordered(const char *const *names, size_t count, const char *const *others,
                         size_t other_count);

#endif
