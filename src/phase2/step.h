/* The step length of one offset: the scheduled length, or less after an overshoot.
 *
 * Where scores are dense, a step length that suits other offsets carries this offset across the
 * whole dense part, and the next step carries it back. Successive gaps of opposite sign, beyond
 * what noise explains, reveal this. All of this is post-processing of released tables. */
#ifndef DP2DPI_PHASE2_STEP_H
#define DP2DPI_PHASE2_STEP_H

typedef struct dp2dpi_step {
    double longest;  /* upper bound on the step length */
    double gap;      /* direction and size of the last step, in rates; 0 before the first */
    double variance; /* variance of the noise in gap */
    double product;  /* sum of products of successive gaps; older products count less */
    double spread;   /* variance of product if the gaps were only noise */
} dp2dpi_step;

typedef enum dp2dpi_stride {
    DP2DPI_STRIDE_KEPT = 0,
    DP2DPI_STRIDE_SHORTER,
    DP2DPI_STRIDE_LONGER
} dp2dpi_stride;

/* The initial state: longest is infinite, so the schedule alone decides. */
dp2dpi_step dp2dpi_step_first(void);

/* Returns the scheduled length, but at most step->longest. */
double dp2dpi_step_length(const dp2dpi_step *step, double scheduled);

/* Judges the previous step and updates step->longest. gap is the next step, if it has this length,
 * divided by the length: its sign is opposite to the last gap's if the previous step overshot.
 * variance is the variance of the noise in gap. */
dp2dpi_stride dp2dpi_step_judge(dp2dpi_step *step, double length, double gap, double variance);

#endif
