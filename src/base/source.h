/* Checks a caller's source of count tables. */
#ifndef DP2DPI_BASE_SOURCE_H
#define DP2DPI_BASE_SOURCE_H

#include <dp2dp/pool.h>

#include "base/error.h"

/* Fails with ARGUMENT unless strata (groups) and classes are both from 2 to DP2DPI_CODES_MAX. */
dp2dp_status dp2dpi_sizes_check(size_t strata, size_t classes, dp2dp_error *error);

/* Functions of a source that this library makes. The context of such a source begins with a pointer
 * to this struct, and its callback is dp2dpi_counter_count. */
typedef struct dp2dpi_counter {
    /* Fails with ARGUMENT if the caller changed the sizes, because `count` relies on them. */
    dp2dp_status (*check)(const dp2dp_source *source, dp2dp_error *error);
    dp2dp_status (*count)(void *context, const float *offsets, int64_t *table, dp2dp_error *error);
} dp2dpi_counter;
dp2dp_status dp2dpi_counter_count(void *context, const float *offsets, int64_t *table,
                                  dp2dp_error *error);

/* Copies a caller's source. Fails with ARGUMENT if one of its numbers is out of bounds or, in a
 * source that this library made from a pool, differs from the pool's number. given->count, the
 * callback, may be NULL. */
dp2dp_status dp2dpi_source_read(const dp2dp_source *given, dp2dp_source *source,
                                dp2dp_error *error);
/* Returns the number of cells of the source's table: strata × classes, and one more if the source
 * may leave records out. */
size_t dp2dpi_source_cells(const dp2dp_source *source);
/* Fails with ARGUMENT if the source has no count callback. */
dp2dp_status dp2dpi_source_check_count(const dp2dp_source *source, dp2dp_error *error);

/* Asks the source for its table at these offsets. Fails with DATA if a count is negative, or if the
 * sum of all counts and of the records left out is not the number of records. If scores are
 * counted, the sum may also be smaller. If a caller's own callback fails, fails with IO and hides
 * the callback's message, which may depend on a record. `charged` becomes the end of the message
 * and says whether a charge was made. */
dp2dp_status dp2dpi_source_ask(const dp2dp_source *source, const float *offsets, int64_t *table,
                               const char *charged, dp2dp_error *error);
/* Fails with DATA unless every row has the same sum in `table` as in `first`, the source's first
 * table, and the number of records left out is also the same. */
dp2dp_status dp2dpi_source_compare(const dp2dp_source *source, const int64_t *first,
                                   const int64_t *table, const char *charged, dp2dp_error *error);

#endif
