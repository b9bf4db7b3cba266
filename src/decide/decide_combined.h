/* Decides for single rows by any rule, and for blocks of rows by the rules that multiply weights by
 * offsets. */
#ifndef DP2DPI_DECIDE_DECIDE_COMBINED_H
#define DP2DPI_DECIDE_DECIDE_COMBINED_H

#include "decide/group_lookup.h"
#include "decide/record.h"

typedef struct dp2dpi_combined {
    DP2DPI_TABLE float tables[DP2DPI_COLUMNS_TABLES]; /* the offsets, in the layout that the fast
                                                         kernels read */
    dp2dpi_records records;
    const float *offsets; /* one row of offsets for each stratum (group, or group and label), then
                             one row of zeros for each label, then DP2DPI_COLUMNS_SLACK zeros; an
                             unknown group uses the rows of zeros */
    int tabulated;        /* 1 if `tables` is filled */
} dp2dpi_combined;

/* Fills the tables. Call this once, after records and offsets are set and checked. */
void dp2dpi_combined_prepare(dp2dpi_combined *c);

/* Decides for one row and returns the class. All faster code must agree with this function. `group`
 * is the code of the row's group, or the number of groups if the model does not know the group. The
 * rule `weighted` ignores `group`. If `adjusted` is not NULL, writes the adjusted score of each
 * class to `adjusted`. The row must already have been checked. */
int32_t dp2dpi_combined_one(const dp2dpi_combined *c, size_t row, size_t group, float *adjusted);

enum {
    DP2DPI_COMBINED_ROWS = 1024
};

/* Decides for n rows from row `first` on, with n ≤ DP2DPI_COMBINED_ROWS. `groups` has one group
 * code for each row, as in dp2dpi_combined_one. Returns 0 if there are too many classes or weights
 * for the block, or if a row may be invalid; decisions is then meaningless. */
int dp2dpi_combined_block(const dp2dpi_combined *c, size_t first, size_t n, const int32_t *groups,
                          int32_t *decisions);

#endif
