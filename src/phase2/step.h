/* Computes the step length of one offset: the scheduled length, or a shorter length after an
 * overshoot.
 *
 * The gap of a step is the step divided by its length. Where scores are dense, a normal step may
 * carry an offset across the whole dense part, and the next step carries it back. The gaps of the
 * two steps then have opposite signs and are larger than noise explains. All of this is
 * post-processing of released tables. */
#ifndef DP2DPI_PHASE2_STEP_H
#define DP2DPI_PHASE2_STEP_H

typedef struct dp2dpi_step {
    double longest;  /* upper bound on the step length */
    double gap;      /* last step divided by its length, in units of a rate; 0 at first */
    double variance; /* variance of the noise in gap */
    double product;  /* sum of the products of successive gaps; older products count less */
    double spread;   /* variance that `product` would have if the gaps were only noise */
} dp2dpi_step;

typedef enum dp2dpi_stride {
    DP2DPI_STRIDE_KEPT = 0,
    DP2DPI_STRIDE_SHORTER,
    DP2DPI_STRIDE_LONGER
} dp2dpi_stride;

/* Returns the initial state. Its `longest` is infinite, so at first the schedule alone sets the
 * length of a step. */
dp2dpi_step dp2dpi_step_first(void);

/* Returns the smaller of the scheduled length and step->longest. */
double dp2dpi_step_length(const dp2dpi_step *step, double scheduled);

/* Takes the next step into account and updates step->longest. `length` is the length of this step,
 * `gap` is the step divided by `length`, and `variance` is the variance of the noise in `gap`.
 *
 * If successive gaps have opposite signs beyond what noise explains, the offset overshoots, and
 * step->longest becomes half of `length`. If they have the same sign beyond what noise explains,
 * step->longest grows. Returns whether step->longest became shorter, became longer or was kept. */
dp2dpi_stride dp2dpi_step_judge(dp2dpi_step *step, double length, double gap, double variance);

#endif
