/* Finds features that reveal the group of every row, such as a title Ms or Mr where the group is
 * the sex. See dp2dp_spread. */
#ifndef DP2DPI_SCHEMA_TELLS_H
#define DP2DPI_SCHEMA_TELLS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DP2DPI_TELLS_SEEN = 20 /* a feature with more different values is not judged */
};

/* What is known about the values of one feature. Starts as all zeros. */
typedef struct dp2dpi_tells {
    double values[DP2DPI_TELLS_SEEN];   /* the different values */
    int32_t groups[DP2DPI_TELLS_SEEN];  /* the group of all rows with this value */
    uint64_t counts[DP2DPI_TELLS_SEEN]; /* number of rows with this value */
    size_t count;
    int is_over; /* 1 if a value was seen in two groups, so the feature does not reveal the group,
                    or if the feature has too many different values to judge */
} dp2dpi_tells;

/* Adds a row. `value` is a number or the position of a level. */
void dp2dpi_tells_add(double value, int32_t group, dp2dpi_tells *tells);
/* Returns 1 if the feature reveals the group: each value was seen in one group only, and there are
 * enough rows for each value and enough rows outside the largest group. */
int dp2dpi_tells_group(const dp2dpi_tells *tells);

#endif
