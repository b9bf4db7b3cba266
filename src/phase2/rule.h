/* Steps that the solvers share. */
#ifndef DP2DPI_PHASE2_RULE_H
#define DP2DPI_PHASE2_RULE_H

#include <stddef.h>

/* Group shares from noisy counts: subtract the excess over N equally, apply the floor, divide by
 * the sum. */
void dp2dpi_rule_shares(const double *counts, size_t strata, double records, double floor_share,
                        double *shares);

/* One class of a table of groups by classes, and the penalty on it. */
typedef struct dp2dpi_rule_class {
    size_t strata;
    size_t stride; /* distance from one group to the next, in x and in lengths */
    const double *shares;
    const double *lengths; /* η_g of the step that led to x; NULL: all are 1 */
    double kappa;          /* ρ/2, times the part of η that lengths leave out */
    double offset_max;
} dp2dpi_rule_class;

/* The proximal step of (ρ/2) Σ π_g |θ_g| under Σ_g π_g θ_g = 0, where group g took a step of length
 * η_g: θ_g = soft(x_g − τ η_g, κ η_g) with τ such that the weighted sum is 0. The others hardly
 * move a group that takes short steps. In place. */
void dp2dpi_rule_prox(const dp2dpi_rule_class *c, double *x);

#endif
