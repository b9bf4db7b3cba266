/* Computes upper bounds on the unfairness of the population from a noisy table of decisions. This
 * is post-processing: a bound may depend on the table in any way. docs/certificate.md has the
 * argument. G is the number of groups, Y of labels, K of classes, S of statistics. */
#ifndef DP2DPI_METRICS_BOUND_H
#define DP2DPI_METRICS_BOUND_H

#include <dp2dp/metrics.h>

#include "base/criterion.h"

/* What the released table tells about the statistics of a criterion. */
typedef struct dp2dpi_noisy_rates {
    size_t groups, count, classes; /* G, S and K */
    const double *given; /* C̃_gs, [g S + s]: noisy number of people of group g who get the class of
                       statistic s, among those with a label in its set */
    const double *people; /* Ñ_gs, [g S + s]: noisy number of people with a label in that set */
    const size_t *sizes;  /* |Y_s|: number of labels in the set */
    double sigma;         /* σ: standard deviation of the noise on each cell, above 0 */
    double rows;          /* m: the most rows of one person, at least 1 */
    double *memory;       /* of given and people */
} dp2dpi_noisy_rates;

/* Adds up the cells of the J × K table of *certificate, which also has G, Y, K, σ and m. Ownership:
 * free with dp2dpi_noisy_rates_free, also after failure; borrows the sizes of the statistics. */
dp2dp_status dp2dpi_noisy_rates_new(const dp2dp_certificate *certificate, const double *table,
                                    const dp2dpi_statistics *statistics, dp2dpi_noisy_rates *out,
                                    dp2dp_error *error);
void dp2dpi_noisy_rates_free(dp2dpi_noisy_rates *rates);

/* Returns 1 if some Ñ_gs ≤ 4 √(K |Y_s|) σ: the noise hides these people. */
int dp2dpi_bound_too_small(const dp2dpi_noisy_rates *rates);

/* Returns a bound that is below the unfairness with probability at most about miss, by a normal
 * approximation; 1 if a group is too small. 0 < miss ≤ 1/2. */
double dp2dpi_bound_normal(const dp2dpi_noisy_rates *rates, double miss);
/* Returns a bound that is below the unfairness with probability at most miss, for every sample size
 * and every σ. The noise may be Gaussian or discrete Gaussian on a grid of at most 2^-30 σ. Returns
 * 1 if a person may have several rows, because nothing is proven for that case. */
double dp2dpi_bound_strict(const dp2dpi_noisy_rates *rates, double miss);

/* Computes the bounds for every criterion that the table allows, from the sizes, the criterion, σ,
 * m, the confidence and held_out in *certificate: fills the DP2DP_CRITERIA_MAX entries of *out. A
 * built-in criterion with too many statistics is left NAN unless it is the certificate's own. */
dp2dp_status dp2dpi_bounds(const dp2dp_certificate *certificate, const double *table,
                           dp2dp_unfairness_bound *out, dp2dp_error *error);

#endif
