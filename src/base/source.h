/* Checks a source (dp2dp_source) that the caller gives, and the tables of counts that the source
 * returns. */
#ifndef DP2DPI_BASE_SOURCE_H
#define DP2DPI_BASE_SOURCE_H

#include <dp2dp/pool.h>

#include "base/error.h"

/* Fails with ARGUMENT if the number of strata or of classes is below 2 or above DP2DPI_CODES_MAX.
 * The message says groups instead of strata. */
dp2dp_status dp2dpi_sizes_check(size_t strata, size_t classes, dp2dp_error *error);

/* Functions of a source that this library makes. The context of such a source begins with a pointer
 * to this struct, and its callback is dp2dpi_counter_count. */
typedef struct dp2dpi_counter {
    /* Fails with ARGUMENT if the caller changed a field of the source that `count` relies on, such
     * as the number of strata. */
    dp2dp_status (*check)(const dp2dp_source *source, dp2dp_error *error);
    dp2dp_status (*count)(void *context, const float *offsets, int64_t *table, dp2dp_error *error);
} dp2dpi_counter;
dp2dp_status dp2dpi_counter_count(void *context, const float *offsets, int64_t *table,
                                  dp2dp_error *error);

/* Copies a caller's source. Fails with ARGUMENT if a number in the source is out of bounds. If this
 * library made the source from a pool, also fails if the caller changed a number that came from the
 * pool. given->count, the callback, may be NULL. */
dp2dp_status dp2dpi_source_read(const dp2dp_source *given, dp2dp_source *source,
                                dp2dp_error *error);
/* Returns the number of cells of the source's table: strata × classes, and one more if the source
 * may leave records out. */
size_t dp2dpi_source_cells(const dp2dp_source *source);
/* Fails with ARGUMENT if the source has no count callback. */
dp2dp_status dp2dpi_source_check_count(const dp2dp_source *source, dp2dp_error *error);

/* Asks the source for its table at these offsets. Fails with DATA if a count is negative, or if the
 * sum of all counts and of the records left out is not the number of records. If source->counted is
 * SCORES, the sum may also be smaller than the number of records. If the caller's own callback
 * fails, the status is IO and the callback's message is hidden, because that message may depend on
 * a record. `charged` becomes the end of the error message and says whether a charge was made. */
dp2dp_status dp2dpi_source_ask(const dp2dp_source *source, const float *offsets, int64_t *table,
                               const char *charged, dp2dp_error *error);
/* Compares `table` with `first`, the first table that the source returned. Fails with DATA if the
 * sum of a row differs between the two tables, or if the number of records left out differs. */
dp2dp_status dp2dpi_source_compare(const dp2dp_source *source, const int64_t *first,
                                   const int64_t *table, const char *charged, dp2dp_error *error);

#endif
