/* Computes upper bounds on the unfairness in the population from a noisy table of decisions. This
 * is post-processing of a released table, so it has no privacy cost. docs/certificate.md proves the
 * bounds. */
#ifndef DP2DPI_METRICS_CERTIFICATE_BOUND_H
#define DP2DPI_METRICS_CERTIFICATE_BOUND_H

#include <dp2dp/metrics.h>

#include "base/criterion.h"

/* The noisy counts behind the rates of a criterion, from the released table. */
typedef struct dp2dpi_noisy_rates {
    size_t groups, count, classes; /* number of groups, statistics and classes */
    const double *given;  /* groups × statistics: noisy number of people whose label is in the
                             statistic's set, and who get the statistic's class */
    const double *people; /* groups × statistics: noisy number of people whose label is in the
                             statistic's set */
    const size_t *sizes;  /* number of labels in the set of each statistic */
    double sigma;         /* standard deviation σ of the noise on each cell, above 0 */
    double rows;          /* the largest number of rows of one person, at least 1 */
    double *memory;       /* the memory of given and people */
} dp2dpi_noisy_rates;

/* Fills *out by adding up cells of `table`, the noisy table (strata × classes) of *certificate.
 * Ownership: free with dp2dpi_noisy_rates_free, also after failure; *out borrows
 * statistics->sizes. */
dp2dp_status dp2dpi_noisy_rates_new(const dp2dp_certificate *certificate, const double *table,
                                    const dp2dpi_statistics *statistics, dp2dpi_noisy_rates *out,
                                    dp2dp_error *error);
void dp2dpi_noisy_rates_free(dp2dpi_noisy_rates *rates);

/* Returns 1 if an entry of `people` is so small that the noise hides it: at most 4 σ times the
 * square root of the number of cells that were added up for this entry. */
int dp2dpi_bound_too_small(const dp2dpi_noisy_rates *rates);

/* Returns an upper bound on the unfairness, computed with a normal approximation. The bound is too
 * small with probability at most about `miss`, 0 < miss ≤ 1/2. If a group is too small
 * (dp2dpi_bound_too_small), returns 1, the bound that always holds. */
double dp2dpi_bound_normal(const dp2dpi_noisy_rates *rates, double miss);
/* Returns an upper bound on the unfairness that is too small with probability at most `miss`, for
 * every sample size and every σ. The noise may be Gaussian, or discrete Gaussian on a grid of at
 * most 2^-30 σ. If a person may have several rows, returns 1, the bound that always holds, because
 * nothing smaller is proven for that case. */
double dp2dpi_bound_strict(const dp2dpi_noisy_rates *rates, double miss);

/* Returns DP2DP_WARNING_MOST_LEFT_OUT if records may be left out and the cells of the noisy table
 * sum to less than half of all records, else 0. */
unsigned dp2dpi_bound_warn_kept(const dp2dp_certificate *certificate, const double *table);

/* Computes the bounds for every criterion that the table allows, and fills the DP2DP_CRITERIA_MAX
 * entries of *out. Uses the sizes, criterion, sigma, rows_per_person, confidence and held_out of
 * *certificate. The bounds of a built-in criterion are NAN if the criterion needs labels and the
 * table has none, or if the criterion has too many statistics. Fails with ARGUMENT if the
 * certificate's own criterion is such a criterion. */
dp2dp_status dp2dpi_bounds(const dp2dp_certificate *certificate, const double *table,
                           dp2dp_unfairness_bound *out, dp2dp_error *error);

/* Sets *out to about the smallest strict bound for the certificate's own criterion that a table of
 * certificate->records people can give. To find this bound, makes tables without noise, with equal
 * groups, in which everybody gets the same class. In one of these tables all labels are equally
 * frequent; in the others all people have the same label. Takes the smallest bound. Uses the
 * members of *certificate that dp2dpi_bounds uses, and its records. */
dp2dp_status dp2dpi_bound_least(const dp2dp_certificate *certificate, double *out,
                                dp2dp_error *error);

#endif
