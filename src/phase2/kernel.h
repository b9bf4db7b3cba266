/* The inner loops over records. Comparisons and one subtraction per class: the same result on every
 * instruction set. */
#ifndef DP2DPI_PHASE2_KERNEL_H
#define DP2DPI_PHASE2_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* counts[k] += number of i < n with argmax_j columns[j stride + i] − offsets[j] = k. */
void dp2dpi_kernel_count(const float *columns, size_t stride, size_t n, size_t classes,
                         const float *offsets, int64_t *counts);

#endif
