/* Used by the solvers counts and sgd: group shares from noisy counts, and the proximal step. */
#ifndef DP2DPI_PHASE2_RULE_H
#define DP2DPI_PHASE2_RULE_H

#include <stddef.h>

/* Computes group shares from noisy counts: subtracts the excess of their sum over N in equal parts,
 * divides by N, raises every share below floor_share to floor_share, and divides by the sum of the
 * shares. */
void dp2dpi_rule_shares(const double *counts, size_t strata, double records, double floor_share,
                        double *shares);

/* Estimates how many records are not left out, from the noisy counts of all groups and, last, of
 * the records that are left out: subtracts the excess of their sum over N from all of them in equal
 * parts. With this number in place of N, dp2dpi_rule_shares subtracts the same parts from the
 * groups. The result is from 1 to N. */
double dp2dpi_rule_kept(const double *counts, size_t strata, double records);

/* One statistic (column) of a table of groups × statistics, and the penalty on it. */
typedef struct dp2dpi_rule_class {
    size_t strata;       /* number of groups */
    size_t stride;       /* distance from one group to the next, in x, lengths and kappas */
    size_t share_stride; /* the same in shares; 0 means 1 */
    const double *shares;
    const double *lengths; /* η_g: length of the step that group g took; NULL: all are 1 */
    double kappa;          /* ρ/2 if lengths has the step lengths, η ρ/2 if lengths is NULL */
    const double *kappas;  /* κ_g of each group, with kappa the largest; NULL: all are kappa */
    double offset_max;
} dp2dpi_rule_class;

/* The proximal step of (ρ/2) Σ π_g |θ_g| under Σ_g π_g θ_g = 0, in place, after group g took a step
 * of length η_g: θ_g = soft(x_g − τ η_g, κ_g η_g), where soft(x, κ) moves x towards 0 by at most κ
 * and τ makes Σ_g π_g θ_g = 0. Then clamps θ_g to ±offset_max. Other groups hardly move a group
 * that takes short steps. */
void dp2dpi_rule_prox(const dp2dpi_rule_class *c, double *x);

#endif
