/* The inner loops over records. Decisions use only comparisons and one subtraction per class, so
 * every instruction set gives the same decisions. */
#ifndef DP2DPI_DECIDE_KERNEL_H
#define DP2DPI_DECIDE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

/* Adds to counts[k] the number of i < n with argmax_j columns[j stride + i] − offsets[j] = k. */
void dp2dpi_kernel_count(const float *columns, size_t stride, size_t n, size_t classes,
                         const float *offsets, int64_t *counts);

enum {
    DP2DPI_KERNEL_BLOCK = 1024
};

/* Sets which[i] = argmax_j columns[j stride + i] − offsets[j] for i < n ≤ DP2DPI_KERNEL_BLOCK. */
void dp2dpi_kernel_choose(const float *columns, size_t stride, size_t n, size_t classes,
                          const float *offsets, int32_t *which);

/* Rounds n scores p to multiples of 2^-bits: out[i] = floor(p 2^bits + 1/2) / 2^bits. out[i] is
 * exactly the value of this formula, because p has 24 significant bits, bits ≤ 20, and the result
 * is a multiple of 2^-bits that is at most slightly above 1. out may be `scores`. Returns 0 if a
 * score is negative or not a number. */
int dp2dpi_kernel_round(const float *scores, size_t n, unsigned bits, float *out);

/* Adds (diag x − x xᵀ)/β, the derivative of a softmax x with n entries, to the matrix h on and
 * below the diagonal. */
void dp2dpi_kernel_spread(const double *x, size_t n, double beta, double *h);

/* Returns 1 if every stratum (group code) is in 0..known−1. */
int dp2dpi_kernel_known(const int32_t *strata, size_t n, uint32_t known);

/* Copies n codes to strata. Returns 1 if every code is in 0..known−1. */
int dp2dpi_kernel_widen(const int8_t *codes, size_t n, uint32_t known, int32_t *strata);

/* Returns 1 if the numbers of every row are non-negative and sum to 1 within the tolerance. Each
 * row is summed in double precision, from left to right. */
int dp2dpi_kernel_sums(const float *rows, size_t stride, size_t n, size_t classes,
                       double tolerance);

/* The largest number of classes for dp2dpi_kernel_check, dp2dpi_kernel_decide and
 * dp2dpi_kernel_adjust. */
enum {
    DP2DPI_KERNEL_CLASSES = 8
};

/* dp2dpi_kernel_check, dp2dpi_kernel_decide and dp2dpi_kernel_adjust accept a row if its float32
 * sum differs from 1 by at most DP2DPI_KERNEL_TOLERANCE. This tolerance is below
 * DP2DPI_VIEW_TOLERANCE_SINGLE by more than the rounding error of the sum. So the exact sum of an
 * accepted row differs from 1 by at most DP2DPI_VIEW_TOLERANCE_SINGLE. */
#define DP2DPI_KERNEL_TOLERANCE 0.999e-3F

/* Returns 0 if every row is valid, and another number otherwise. A row is valid if its numbers are
 * non-negative and their float32 sum is 1 within DP2DPI_KERNEL_TOLERANCE. The order of the
 * additions is not fixed. `readable` is the number of rows in memory from `rows` on, at least n. */
uint32_t dp2dpi_kernel_check(const float *rows, size_t stride, size_t n, size_t readable,
                             size_t classes);

/* Sets which[i] = argmax_k rows[i stride + k] − offsets[strata[i] classes + k] for i < n. Returns 0
 * if a score is negative or not a number, or if the sum of a row may differ from 1 by more than
 * DP2DPI_VIEW_TOLERANCE_SINGLE; the array `which` is then undefined. */
int dp2dpi_kernel_decide(const float *rows, size_t stride, size_t n, size_t classes,
                         const float *offsets, const int32_t *strata, int32_t *which);

/* Writes the differences rows[i stride + k] − offsets[strata[i] classes + k] to out, which is n ×
 * classes. Returns 0 in the same cases as dp2dpi_kernel_decide. */
int dp2dpi_kernel_adjust(const float *rows, size_t stride, size_t n, size_t classes,
                         const float *offsets, const int32_t *strata, float *out);

/* Processes the scores of one class. Where column[i] − offset[i] is above best[i], writes this
 * difference to best[i] and class_index to which[i]. Returns 0 if a score is negative or not a
 * number. */
int dp2dpi_kernel_fold(const float *column, const float *offset, size_t n, int32_t class_index,
                       float *best, int32_t *which);

void dp2dpi_kernel_add(const float *column, size_t n, double *sums);
/* Returns 1 if every sum is 1 within the tolerance. */
int dp2dpi_kernel_are_one(const double *sums, size_t n, double tolerance);

#endif
