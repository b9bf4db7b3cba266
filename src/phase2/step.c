#include "phase2/step.h"

#include <math.h>

/* The next four constants were chosen on synthetic scores. Results depend little on them. */
static const double significant = 4.0; /* the sum of the products of gaps is more than noise if it
                                          exceeds this many standard deviations */
static const double memory = 0.8;      /* each step multiplies the sum of older products by
                                          `memory` */
static const double shorter = 0.5, longer = 1.2;

/* step->longest never becomes smaller than this length. A step of this length is below the spacing
 * of float32 scores near 1, so shorter steps would change no decision. */
static const double shortest = 0x1p-30;

dp2dpi_step dp2dpi_step_first(void) {
    return (dp2dpi_step) {.longest = INFINITY};
}

double dp2dpi_step_length(const dp2dpi_step *step, double scheduled) {
    return scheduled < step->longest ? scheduled : step->longest;
}

/* Updates step->product and step->spread with the new gap. The noise of different tables is
 * independent. So if two gaps are only noise, the mean of their product is 0, and the variance of
 * the product is the product of the variances. */
static void remember(dp2dpi_step *step, double gap, double variance) {
    step->product = memory * step->product + gap * step->gap;
    step->spread = memory * memory * step->spread + variance * step->variance;
    step->gap = gap;
    step->variance = variance;
}

dp2dpi_stride dp2dpi_step_judge(dp2dpi_step *step, double length, double gap, double variance) {
    remember(step, gap, variance);
    double bound = significant * sqrt(step->spread);
    dp2dpi_stride stride = DP2DPI_STRIDE_KEPT;
    if (step->product < -bound) {
        stride = DP2DPI_STRIDE_SHORTER;
        step->longest = length * shorter > shortest ? length * shorter : shortest;
    } else if (step->product > bound) {
        stride = DP2DPI_STRIDE_LONGER;
        step->longest *= longer;
    }
    if (stride != DP2DPI_STRIDE_KEPT) {
        step->product = step->spread = 0.0; /* the old products are about steps of another length */
    }
    return stride;
}
