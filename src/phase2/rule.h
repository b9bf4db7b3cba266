/* Computes group shares from noisy counts, and the proximal step, for the solvers counts and sgd.
 */
#ifndef DP2DPI_PHASE2_RULE_H
#define DP2DPI_PHASE2_RULE_H

#include <stddef.h>

/* Computes group shares from noisy counts. If the counts sum to more than `records`, or to less,
 * corrects all of them by equal parts. Then divides by `records`, raises every share below
 * floor_share to floor_share, and divides by the sum of the shares. */
void dp2dpi_rule_shares(const double *counts, size_t strata, double records, double floor_share,
                        double *shares);

/* Estimates how many records are not left out. counts has the noisy count of each group and, last,
 * the noisy count of the records left out. Corrects all counts by equal parts, so that they sum to
 * `records`. If dp2dpi_rule_shares gets the result in place of `records`, it makes the same
 * correction. The result is from 1 to `records`. */
double dp2dpi_rule_kept(const double *counts, size_t strata, double records);

/* Returns the warning for a fit that left most of the records out, or 0. `kept` is the estimate of
 * dp2dpi_rule_kept; where nothing is private, it may be exact. */
unsigned dp2dpi_rule_warn_kept(double kept, double records);

/* One column of a table of groups × statistics, and the penalty on it. */
typedef struct dp2dpi_rule_class {
    size_t strata;       /* number of groups */
    size_t stride;       /* distance between two groups in x, lengths and kappas */
    size_t share_stride; /* distance between two groups in shares; 0 means 1 */
    const double *shares;
    const double *lengths; /* length of the step that each group took; NULL if all are 1 */
    double kappa; /* ρ/2, multiplied by the step length if lengths is NULL; ρ is the tolerance */
    const double *kappas; /* the kappa of each group, of which `kappa` is the largest; NULL if all
                             equal `kappa` */
    double offset_max;
} dp2dpi_rule_class;

/* Takes, in place, the proximal step of (ρ/2) Σ_g π_g |θ_g| under Σ_g π_g θ_g = 0, after group g
 * took a step of length η_g to x_g. π_g is the share of group g, κ_g its kappa (ρ/2 by default),
 * and ρ the tolerance. The result is θ_g = soft(x_g − τ η_g, κ_g η_g), where soft(x, κ) moves x
 * towards 0 by at most κ, and τ makes Σ_g π_g θ_g = 0. Then clamps θ_g to ±offset_max. A group that
 * takes short steps is hardly moved by other groups. */
void dp2dpi_rule_prox(const dp2dpi_rule_class *c, double *x);

#endif
