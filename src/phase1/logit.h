/* Softmax of one row's logits, and the norm of a row. Every sum has a fixed order and no libm
 * function is called, so a model is the same on every machine. */
#ifndef DP2DPI_PHASE1_LOGIT_H
#define DP2DPI_PHASE1_LOGIT_H

#include "num/elementary.h"
#include "num/rows.h"

/* Softmax in place. With one output, z[0] becomes the probability of the second class; the first
 * class has logit 0. For the loss, returns the largest logit m of all classes and writes Σ
 * exp(logit − m) over all classes to *sum. */
static inline double dp2dpi_softmax(double *z, size_t outputs, double *sum) {
    if (outputs == 1) { /* the larger of z[0] and 0 contributes exp(0) = 1 */
        double largest = z[0] > 0.0 ? z[0] : 0.0,
               below = dp2dpi_exp_fast(z[0] > 0.0 ? -z[0] : z[0]);
        *sum = 1.0 + below;
        z[0] = (z[0] > 0.0 ? 1.0 : below) / *sum;
        return largest;
    }
    double largest = z[0];
    for (size_t h = 1; h < outputs; h++) {
        largest = z[h] > largest ? z[h] : largest;
    }
    *sum = 0.0;
    for (size_t h = 0; h < outputs; h++) {
        z[h] = dp2dpi_exp_fast(z[h] - largest);
        *sum += z[h];
    }
    for (size_t h = 0; h < outputs; h++) {
        z[h] /= *sum;
    }
    return largest;
}

/* |(row, 1)|², computed from the same float32 entries that the logits multiply. */
static inline double dp2dpi_square(const dp2dpi_rows *rows, size_t i) {
    const float *x = rows->x + i * rows->numbers;
    const int32_t *codes = rows->codes + i * rows->categories;
    double scale = (double)rows->scale[i], sum = 0.0;
    for (size_t j = 0; j < rows->numbers; j++) {
        sum += (double)x[j] * (double)x[j];
    }
    for (size_t q = 0; q < rows->categories; q++) {
        sum += codes[q] >= 0;
    }
    return scale * scale * sum + 1.0;
}

#endif
