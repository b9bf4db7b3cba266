/* Detects rates that jump from one released table to the next. Rates jump where many people have
 * equal scores. This is post-processing of released tables. */
#ifndef DP2DPI_PHASE2_JUMPS_H
#define DP2DPI_PHASE2_JUMPS_H

#include <stddef.h>

#include "base/error.h"

typedef struct dp2dpi_jumps {
    size_t strata, labels, classes;
    int together; /* 1 if the offsets of all strata affect the decision about a record; 0 if only
                     the offsets of the record's group affect the decision */
    size_t tables;
    double *offsets; /* strata × classes: the offsets at which the previous table was released */
    double *rates;   /* strata × classes: the rates in the previous table */
    double *sizes;   /* one per stratum (group, or group and label): the size by which the counts of
                        the previous table were divided */
    int noticed;     /* 1 if some rate jumped */
} dp2dpi_jumps;

/* Allocates the arrays of *jumps. The caller must set strata, labels, classes and together, and set
 * all other fields to 0. */
dp2dp_status dp2dpi_jumps_alloc(dp2dpi_jumps *jumps, dp2dp_error *error);
void dp2dpi_jumps_free(dp2dpi_jumps *jumps);

/* Compares the rates of a table with those of the previous table, and sets jumps->noticed if a rate
 * jumped. offsets and rates are strata × classes; sizes has one number per stratum. `variance` is
 * the variance of one count. */
void dp2dpi_jumps_add(dp2dpi_jumps *jumps, const double *offsets, const double *rates,
                      const double *sizes, double variance);

#endif
