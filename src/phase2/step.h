/* How far one offset moves: as far as the schedule says, and less where it overshot.
 *
 * Where scores crowd, a step that suits others throws an offset across the whole crowd, and the
 * next one throws it back. Gaps of successive steps that point against each other by more than
 * their noise explains show it. Post-processing of released tables. */
#ifndef DP2DPI_PHASE2_STEP_H
#define DP2DPI_PHASE2_STEP_H

typedef struct dp2dpi_step {
    double longest;  /* no step is longer */
    double gap;      /* along which the last step went, in rates; 0 before the first */
    double variance; /* of its noise */
    double product;  /* of successive gaps, summed; what is older counts less */
    double spread;   /* variance of product if the gaps were noise and nothing else */
} dp2dpi_step;

typedef enum dp2dpi_stride {
    DP2DPI_STRIDE_KEPT = 0,
    DP2DPI_STRIDE_SHORTER,
    DP2DPI_STRIDE_LONGER
} dp2dpi_stride;

/* No bound yet: the schedule alone. */
dp2dpi_step dp2dpi_step_first(void);

/* The scheduled length, or the longest if that is less. */
double dp2dpi_step_length(const dp2dpi_step *step, double scheduled);

/* Judges the step before by the gap along which one of this length would go now. */
dp2dpi_stride dp2dpi_step_judge(dp2dpi_step *step, double length, double gap, double variance);

#endif
