/* The inner loops over records. They use only comparisons and one subtraction per class, so every
 * instruction set gives the same result. */
#ifndef DP2DPI_PHASE2_KERNEL_H
#define DP2DPI_PHASE2_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* counts[k] += number of i < n with argmax_j columns[j stride + i] − offsets[j] = k. */
void dp2dpi_kernel_count(const float *columns, size_t stride, size_t n, size_t classes,
                         const float *offsets, int64_t *counts);

/* Adds (diag x − x xᵀ)/β, the derivative of a softmax x, to h on and below the diagonal: h[k n + l]
 * −= weight_k x_l for l ≤ k, with weight_k = x_k/β, and h[k n + k] += weight_k. */
void dp2dpi_kernel_spread(const double *x, size_t n, double beta, double *h);

/* Returns 1 if every stratum is in 0..known−1. */
int dp2dpi_kernel_known(const int32_t *strata, size_t n, uint32_t known);

/* Returns 1 if the numbers of every row are non-negative and sum to 1 within the tolerance, added
 * in double precision from left to right. */
int dp2dpi_kernel_sums(const float *rows, size_t stride, size_t n, size_t classes,
                       double tolerance);

/* The most classes that dp2dpi_kernel_check, dp2dpi_kernel_decide and dp2dpi_kernel_adjust accept.
 */
enum {
    DP2DPI_KERNEL_CLASSES = 8
};

/* How far from 1 the kernels let the sum of a row be. Sums in float32 are off by less than the
 * difference to DP2DPI_VIEW_TOLERANCE_SINGLE, so a row that the kernels accept is within it. */
#define DP2DPI_KERNEL_TOLERANCE 0.999e-3F

/* Returns 0 if the numbers of every row are non-negative and sum to 1 within the tolerance, added
 * in float32 in any order. The first of `readable` rows, n or more, is at `rows`. */
uint32_t dp2dpi_kernel_check(const float *rows, size_t stride, size_t n, size_t readable,
                             size_t classes);

/* which[i] = argmax_k rows[i stride + k] − offsets[strata[i] classes + k] for i < n. Returns 0 if a
 * score is negative or not a number, or if a row may not sum to 1 within
 * DP2DPI_VIEW_TOLERANCE_SINGLE; which is then meaningless. */
int dp2dpi_kernel_decide(const float *rows, size_t stride, size_t n, size_t classes,
                         const float *offsets, const int32_t *strata, int32_t *which);

/* Writes the differences themselves to out, n × classes. Returns 0 as dp2dpi_kernel_decide. */
int dp2dpi_kernel_adjust(const float *rows, size_t stride, size_t n, size_t classes,
                         const float *offsets, const int32_t *strata, float *out);

/* Processes one class: if column[i] − offset[i] is above best[i], the difference replaces best[i]
 * and which[i] becomes class_index. Returns 0 if a score is negative or not a number. */
int dp2dpi_kernel_fold(const float *column, const float *offset, size_t n, int32_t class_index,
                       float *best, int32_t *which);

/* sums[i] += column[i]. */
void dp2dpi_kernel_add(const float *column, size_t n, double *sums);
/* Returns 1 if every sum is 1 within the tolerance. */
int dp2dpi_kernel_are_one(const double *sums, size_t n, double tolerance);

#endif
