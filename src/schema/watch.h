/* Watches the rows that are encoded, to find columns and rows that are probably wrong although each
 * single value is allowed. See dp2dp_spread and dp2dp_outside. */
#ifndef DP2DPI_SCHEMA_WATCH_H
#define DP2DPI_SCHEMA_WATCH_H

#include "base/repeats.h"
#include "schema/cell.h"
#include "schema/marks.h"
#include "schema/number_ids.h"
#include "schema/schema.h"
#include "schema/spread.h"
#include "schema/tells.h"

typedef struct dp2dpi_watch {
    const dp2dp_schema *schema;
    const size_t *columns; /* columns[w] is the position of cell w in the schema */
    size_t count;
    dp2dp_spread *told;     /* the caller's array for the results of `spreads`, one for each column
                               of the schema; may be NULL */
    dp2dpi_spread *spreads; /* summary of the values of each cell; NULL if `told` is NULL */
    dp2dpi_tells *groups;   /* whether each cell reveals the group; NULL if `told` is NULL */
    dp2dpi_tells *labels;   /* whether each cell reveals the label; NULL if `told` is NULL */
    dp2dpi_marks *marks;    /* whether each cell shows a class; NULL if `told` is NULL */
    dp2dpi_ids *ids;        /* whether each cell is an id; NULL if `told` is NULL */
    dp2dpi_ids_sample *samples; /* samples for `ids`; NULL if `told` is NULL */
    int *rows_repeated;         /* the caller's variable for the result of `repeats`; may be NULL */
    dp2dpi_repeats *repeats;    /* how often rows occur; NULL if `rows_repeated` is NULL */
} dp2dpi_watch;

/* Allocates the memory for the results that the caller wants. The members `schema`, `columns`,
 * `count`, `told` and `rows_repeated` must be set, and all others must be zero. Ownership: call
 * dp2dpi_watch_close, even after a failure. */
dp2dp_status dp2dpi_watch_open(dp2dpi_watch *watch, dp2dp_error *error);
void dp2dpi_watch_close(dp2dpi_watch *watch);
/* Adds the values of a row that is not left out. */
void dp2dpi_watch_row(const dp2dpi_watch *watch, const dp2dpi_cell *cells);
/* Adds a row to find features that reveal the group or the label. The levels of the cells must be
 * known. */
void dp2dpi_watch_levels(const dp2dpi_watch *watch, const dp2dpi_cell *cells);
/* Writes the results for all rows that were added so far to the caller's variables. */
void dp2dpi_watch_sum_up(const dp2dpi_watch *watch);

#endif
