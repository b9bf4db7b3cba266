/* Finds features that reveal the group of every row, such as a title Ms or Mr where the group is
 * the sex, and features that reveal the label. See dp2dp_spread. */
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
    int32_t codes[DP2DPI_TELLS_SEEN];   /* the group (or label) of all rows with this value */
    uint64_t counts[DP2DPI_TELLS_SEEN]; /* number of rows with this value */
    size_t count;
    int is_over; /* 1 if the feature is no longer examined, because a value was seen in two groups
                    (so the feature does not reveal the group), or because there are too many
                    different values */
} dp2dpi_tells;

/* Adds a row. `value` is a number or the position of a level, and `code` is the group or the label
 * of the row. */
void dp2dpi_tells_add(double value, int32_t code, dp2dpi_tells *tells);
/* Returns 1 if the feature reveals the code of all rows. This needs three things: each value was
 * seen with only one code, there are enough rows for each value, and enough rows have another code
 * than the most frequent one. */
int dp2dpi_tells_all(const dp2dpi_tells *tells);

#endif
