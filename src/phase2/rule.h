/* For the solvers counts and sgd: computes group shares from noisy counts, and applies the proximal
 * operator that ends a step. */
#ifndef DP2DPI_PHASE2_RULE_H
#define DP2DPI_PHASE2_RULE_H

#include <stddef.h>
#include <stdint.h>

/* Computes group shares from noisy counts. Shifts all counts by the same number, so that they sum
 * to `records`. Then divides by `records`, raises every share below floor_share to floor_share, and
 * divides by the sum of the shares. */
void dp2dpi_rule_shares(const double *counts, size_t strata, double records, double floor_share,
                        double *shares);

/* Returns whether dp2dpi_rule_shares raised a share to floor_share. A group whose share was raised
 * may be empty, and its rates mean nothing. The result is the same if the caller multiplies both
 * `shares` and `floor_share` by the number of records. */
int dp2dpi_rule_is_floored(const double *shares, size_t strata, double floor_share);

/* Estimates how many records are not left out; the result is from 1 to `records`. counts has the
 * noisy count of each group and, last, the noisy count of the records left out. Shifts all counts
 * by the same number, so that they sum to `records`. If the caller passes the result to
 * dp2dpi_rule_shares as its `records`, that function makes the same shift. */
double dp2dpi_rule_kept(const double *counts, size_t strata, double records);

/* Returns DP2DP_WARNING_MOST_LEFT_OUT if less than half of the records are kept, else 0. `kept` is
 * the estimate of dp2dpi_rule_kept, or the exact number in a solver that is not private. */
unsigned dp2dpi_rule_warn_kept(double kept, double records);

/* Returns `kept`, rounded, if the records that are left out are clearly many: at least 5 % of all,
 * and more than 5 standard deviations of the noise. Otherwise returns 0. `precision` is 1/variance
 * of the released number of these records; 0 if there is no noise. */
uint64_t dp2dpi_rule_tell_kept(double kept, double records, double precision);

/* One column of a table of groups × statistics, and the penalty on it. A statistic is the rate of
 * one class (base/criterion.h). */
typedef struct dp2dpi_rule_class {
    size_t strata;       /* number of groups */
    size_t stride;       /* distance between neighbouring groups in x, lengths and kappas */
    size_t share_stride; /* distance between neighbouring groups in shares; 0 means 1 */
    const double *shares;
    const double *lengths; /* step length η_g of each group; NULL if all groups have the same step
                              length */
    double kappa; /* half the tolerance ρ; if `lengths` is NULL, half of ρ times the step length */
    const double *kappas; /* one kappa per group, of which `kappa` must be the largest; NULL if all
                             groups use `kappa` */
    double offset_max;
} dp2dpi_rule_class;

/* Applies the proximal operator of the penalty Σ_g κ_g π_g |θ_g| under Σ_g π_g θ_g = 0, in place.
 * π_g is the share of group g, and κ_g its kappa, by default half the tolerance ρ. A step of length
 * η_g has moved group g to x_g. The operator replaces x_g by
 *     θ_g = soft(x_g − τ η_g, κ_g η_g), clamped to ±offset_max.
 * soft(x, κ) moves x towards 0 by at most κ. τ makes Σ_g π_g θ_g = 0 before the clamp. If η_g is
 * small, the other groups hardly move group g. */
void dp2dpi_rule_prox(const dp2dpi_rule_class *c, double *x);

#endif
