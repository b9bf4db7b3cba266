/* A privacy-loss distribution (PLD) on a grid, rounded so that it never promises too much privacy
 * (connect-the-dots method, docs/proofs/pld.md).
 *
 * Between two neighbouring grid losses the true pair has some mass p under P and q under Q. This
 * mass is moved to the two grid losses so that p and q stay the same. The new pair dominates the
 * true pair: the true privacy curve is convex in e^ε, and the new curve is its chord between the
 * two grid losses, so the new curve is nowhere lower. */
#ifndef DP2DPI_ACCOUNTANT_PLD_PMF_H
#define DP2DPI_ACCOUNTANT_PLD_PMF_H

#include <stddef.h>
#include <stdint.h>

#include "accountant/loss.h"

typedef struct dp2dpi_pld_pmf {
    size_t n;
    int64_t *index; /* in ascending order; the loss is index * step */
    double *mass;
    double step;
    double infinity; /* probability of an infinite loss under P */
} dp2dpi_pld_pmf;

/* How finely to discretise. The largest losses, of probability at most upper_limit, become
 * infinite. The smallest losses, of probability at most lower_limit, become the lowest grid loss.
 * The spacing of the grid is one step near `centre` and grows to at most 1/resolution of the
 * distance from `centre`. */
typedef struct dp2dpi_grid {
    double step;
    int64_t resolution;
    int64_t centre; /* index of the loss around which the grid is finest; 0 except for the Gaussian
                       kind */
    double upper_limit, lower_limit;
} dp2dpi_grid;

/* Discretises one release. Ownership: free with dp2dpi_pld_pmf_free. */
dp2dp_status dp2dpi_pld_pmf_new(const dp2dpi_loss *loss, const dp2dpi_grid *grid,
                                dp2dpi_pld_pmf *out, dp2dp_error *error);
void dp2dpi_pld_pmf_free(dp2dpi_pld_pmf *pmf);

double dp2dpi_pld_pmf_cgf(const dp2dpi_pld_pmf *pmf, double lambda);

#endif
