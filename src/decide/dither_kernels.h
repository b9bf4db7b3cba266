/* The kernels that dp2dpi_dither_rows_decide calls: one for each number of classes from 2 to 8 and
 * each instruction set. */
#ifndef DP2DPI_DECIDE_DITHER_KERNELS_H
#define DP2DPI_DECIDE_DITHER_KERNELS_H

#include "decide/dither_rows.h"

/* Decides for n rows. n must be a multiple of the number of lanes of a register. Eight floats of
 * every row must be readable. Returns 1 if a row may be invalid. */
typedef int (*dp2dpi_dither_kernel)(const dp2dpi_dither_rows *d, size_t n, const int32_t *groups,
                                    int32_t *which);

enum {
    DP2DPI_DITHER_CLASSES_MIN = 2,
    DP2DPI_DITHER_CLASSES_MAX = 8
};

/* Each table has the kernels for one instruction set; entry K − 2 is the kernel for K classes. */
extern const dp2dpi_dither_kernel dp2dpi_dither_avx2[], dp2dpi_dither_avx512[];

#define DP2DPI_DITHER_KERNEL(TARGET, K)                                                        \
    TARGET static int decide_##K(const dp2dpi_dither_rows *d, size_t n, const int32_t *groups, \
                                 int32_t *which) {                                             \
        return decide(d, n, K, groups, which);                                                 \
    }

/* Defines a table of kernels. The including file must define the function `decide`, which the
 * kernels call. */
#define DP2DPI_DITHER_KERNELS(TARGET, TABLE)                                      \
    DP2DPI_DITHER_KERNEL(TARGET, 2)                                               \
    DP2DPI_DITHER_KERNEL(TARGET, 3)                                               \
    DP2DPI_DITHER_KERNEL(TARGET, 4)                                               \
    DP2DPI_DITHER_KERNEL(TARGET, 5)                                               \
    DP2DPI_DITHER_KERNEL(TARGET, 6)                                               \
    DP2DPI_DITHER_KERNEL(TARGET, 7)                                               \
    DP2DPI_DITHER_KERNEL(TARGET, 8)                                               \
    const dp2dpi_dither_kernel TABLE[] = {decide_2, decide_3, decide_4, decide_5, \
                                          decide_6, decide_7, decide_8};

#endif
