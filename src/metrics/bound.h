/* Computes an upper bound on the unfairness U of the population from a noisy table of decisions.
 * This is post-processing: the bound may depend on the table in any way. docs/certificate.md has
 * the argument. K is the number of classes. */
#ifndef DP2DPI_METRICS_BOUND_H
#define DP2DPI_METRICS_BOUND_H

#include <stddef.h>

typedef struct dp2dpi_noisy_table {
    size_t strata, classes;
    const double *cells;  /* C̃: noisy counts, strata × classes */
    const double *totals; /* Ñ_g: the row sums of C̃ */
    double sigma;         /* σ: standard deviation of the noise on each cell, above 0 */
    double rows;          /* m: the most rows of one person, at least 1 */
} dp2dpi_noisy_table;

void dp2dpi_bound_totals(size_t strata, size_t classes, const double *cells, double *totals);

/* Returns 1 if some Ñ_g ≤ 4 √K σ: the noise hides that group. */
int dp2dpi_bound_too_small(const dp2dpi_noisy_table *table);

/* Returns a bound that is below U with probability at most about miss, by a normal approximation; 1
 * if a group is too small. 0 < miss ≤ 1/2. */
double dp2dpi_bound_normal(const dp2dpi_noisy_table *table, double miss);
/* Returns a bound that is below U with probability at most miss, for every sample size and every σ.
 * The noise may be Gaussian or discrete Gaussian on a grid of at most 2^-30 σ. Returns 1 if a
 * person may have several rows, because nothing is proven for that case. */
double dp2dpi_bound_strict(const dp2dpi_noisy_table *table, double miss);

#endif
