/* Decisions: the definition of every rule, and blocks of the rules that multiply weights by
 * offsets. */
#ifndef DP2DPI_PHASE2_DECIDE_COMBINED_H
#define DP2DPI_PHASE2_DECIDE_COMBINED_H

#include "phase2/record.h"

/* A rule and the records that it decides for. */
typedef struct dp2dpi_combined {
    dp2dpi_records records;
    const float *offsets; /* J × K, then Y rows of zeros for records of unknown groups */
} dp2dpi_combined;

/* Decides for one row; the definition of the rule. group is the code of the row's group, or G
 * for a group that the model does not know; ignored by the rule `weighted`. Writes the K adjusted
 * scores to adjusted, which may be NULL, and returns the class. The row must be sound. */
int32_t dp2dpi_combined_one(const dp2dpi_combined *c, size_t row, size_t group, float *adjusted);

enum {
    DP2DPI_COMBINED_BLOCK = 256 /* most rows at a time */
};

/* Decides for rows first..first+n−1, n ≤ DP2DPI_COMBINED_BLOCK; groups has their codes, as above.
 * Returns 0, and decides nothing, if there are too many groups, classes or weights for the block,
 * or if a row is not sound. */
int dp2dpi_combined_block(const dp2dpi_combined *c, size_t first, size_t n, const int32_t *groups,
                          int32_t *decisions);

#endif
