/* What the released tables of a fit tell about the rule that it ends with: whether the rates became
 * equal, and whether the rule is any better than one decision for everybody. Post-processing of
 * released tables. G is the number of groups, S of statistics, J of strata, K of classes. */
#ifndef DP2DPI_PHASE2_OUTCOME_H
#define DP2DPI_PHASE2_OUTCOME_H

#include <stdint.h>

#include "base/criterion.h"

/* One released table, reduced to rates. */
typedef struct dp2dpi_outcome_table {
    const double *rates;   /* J × K */
    const double *sizes;   /* J: number of records */
    const double *centred; /* G × S: rate of each statistic minus a number that all groups share */
    const double *people;  /* G × S: number of people that it is about */
} dp2dpi_outcome_table;

typedef struct dp2dpi_outcome {
    const dp2dpi_statistics *statistics;
    size_t groups, classes;
    uint64_t steps;
    int labelled;     /* 1: records are counted under their own labels */
    double noise;     /* variance of the noise on one count of one table, row sums known */
    double *gaps;     /* G × S: sum of centred rates over the second half of the tables */
    uint64_t tables;  /* how many these are */
    double correct;   /* sum over them of the share of right decisions */
    int within_noise; /* 1: the gaps of the plain rule are no larger than noise */
} dp2dpi_outcome;

/* Takes table t, from 1 to steps. Table 1 is that of the plain rule. */
void dp2dpi_outcome_add(dp2dpi_outcome *o, uint64_t t, const dp2dpi_outcome_table *table);

/* Returns 1 if a gap exceeds the tolerances κ_g + κ_h (kappas is G × S) of its two groups by more
 * than .01 and 4 standard deviations of its noise. */
int dp2dpi_outcome_is_apart(const dp2dpi_outcome *o, const double *kappas, const double *people);

/* Returns the class that, given to everybody, is right more often than the rule, by more than 4
 * standard deviations of the noise; −1 if there is none, or if labels are not counted. */
int32_t dp2dpi_outcome_constant(const dp2dpi_outcome *o, const double *sizes);

#endif
