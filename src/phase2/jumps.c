#include "phase2/jumps.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

/* A rate has jumped if its change, minus what noise may explain, exceeds two limits: jump_noticed,
 * and density_max times the change of the offsets. The fit then assumes that many people have equal
 * scores, because rates change less with continuous scores. */
static const double jump_noticed = 0.02, density_max = 300.0;

/* A jump must exceed this many standard deviations of the noise. Noise alone then sets `noticed`
 * with probability below 1e-3 in a fit of 80 steps with 10 rates in the table. */
static const double jump_significant = 5.0;

dp2dp_status dp2dpi_jumps_alloc(dp2dpi_jumps *jumps, dp2dp_error *error) {
    size_t cells = jumps->strata * jumps->classes;
    DP2DPI_TRY(DP2DPI_ALLOC(jumps->offsets, 2 * cells + jumps->strata, "a solver", error));
    jumps->rates = jumps->offsets + cells;
    jumps->sizes = jumps->rates + cells;
    return DP2DP_STATUS_OK;
}

void dp2dpi_jumps_free(dp2dpi_jumps *jumps) {
    dp2dpi_free(jumps->offsets);
    jumps->offsets = jumps->rates = jumps->sizes = NULL;
}

/* Returns the largest change since the previous table among the offsets that affect the decisions
 * in stratum e (a group, or a group and label). */
static double moved(const dp2dpi_jumps *jumps, const double *offsets, size_t e) {
    size_t first = e - e % jumps->labels, last = first + jumps->labels;
    double most = 0.0;
    if (jumps->together) {
        first = 0;
        last = jumps->strata;
    }
    for (size_t i = first * jumps->classes; i < last * jumps->classes; i++) {
        most = fmax(most, fabs(offsets[i] - jumps->offsets[i]));
    }
    return most;
}

void dp2dpi_jumps_add(dp2dpi_jumps *jumps, const double *offsets, const double *rates,
                      const double *sizes, double variance) {
    size_t classes = jumps->classes, cells = jumps->strata * classes;
    double noise = jump_significant * sqrt(2.0 * variance);
    for (size_t e = 0; e < jumps->strata && jumps->tables > 0; e++) {
        double jump = 0.0;
        for (size_t i = e * classes; i < (e + 1) * classes; i++) {
            jump = fmax(jump, fabs(rates[i] - jumps->rates[i]));
        }
        double size = fmin(sizes[e], jumps->sizes[e]); /* the smaller size gives the noisier rate */
        jumps->noticed |=
            jump - noise / size > fmax(jump_noticed, density_max * moved(jumps, offsets, e));
    }
    memcpy(jumps->offsets, offsets, cells * sizeof(double));
    memcpy(jumps->rates, rates, cells * sizeof(double));
    memcpy(jumps->sizes, sizes, jumps->strata * sizeof(double));
    jumps->tables++;
}
