/* Rows that a screening kernel could not decide. */
#ifndef DP2DPI_DECIDE_CLOSE_ROWS_H
#define DP2DPI_DECIDE_CLOSE_ROWS_H

#include "decide/columns.h"

enum {
    DP2DPI_SCREEN_ROWS = 256, /* most rows of a call of a screening kernel */
    DP2DPI_CLOSE_ROWS = 512,
    DP2DPI_CLOSE_SLACK = 16 /* kernels may write this many more, which do not count */
};

typedef struct dp2dpi_close_rows {
    size_t count;
    int32_t rows[DP2DPI_CLOSE_ROWS + DP2DPI_CLOSE_SLACK];   /* their numbers in a block */
    int32_t groups[DP2DPI_CLOSE_ROWS + DP2DPI_CLOSE_SLACK]; /* only if the rule sees the group */
} dp2dpi_close_rows;

/* Returns how much the best class must lead before a screening kernel may decide a row: by more
 * than the dither, and by more than all rounding errors of the kernel and the rule. The rule
 * multiplies `parts` weights, which sum to about 1, by offsets of absolute value up to `largest`.
 *
 * A value of the rule is off by at most (parts + 3) 2^-24 (2 + largest) 1.01, and a value of the
 * kernel by (parts + 4) 2^-24 (2 + 2 largest) 1.01. Two of each, and the rounding of their
 * difference, are less than what is allowed here. */
static inline float dp2dpi_screen_reach(double width, size_t parts, double largest) {
    return (float)(width * (1.0 + 0x1p-20) + (double)(parts + 8) * 0x1p-20 * (1.0 + largest));
}

#endif
