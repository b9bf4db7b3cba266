/* Finds out from the released tables of a fit whether the rates became equal, and whether the rule
 * is better than giving everybody one class. A statistic is the rate of one class among the people
 * whose label is in a set (base/criterion.h). This is post-processing of released tables. */
#ifndef DP2DPI_PHASE2_OUTCOME_H
#define DP2DPI_PHASE2_OUTCOME_H

#include <stdint.h>

#include "base/criterion.h"

typedef struct dp2dpi_outcome_table {
    const double *rates;   /* strata × classes */
    const double *sizes;   /* number of records in each stratum (group, or group and label) */
    const double *centred; /* groups × statistics: rate of each statistic minus a number that is the
                              same for all groups */
    const double *people;  /* groups × statistics: number of people that the rate is about */
    const double *offsets; /* groups × statistics: the offsets at which the table was counted */
} dp2dpi_outcome_table;

/* Sums for a regression line through the tables of a fit: how a centred rate depends on its own
 * offset. */
typedef struct dp2dpi_outcome_line {
    double tables, offset, rate, offset_square, offset_rate;
} dp2dpi_outcome_line;

typedef struct dp2dpi_outcome {
    const dp2dpi_statistics *statistics;
    size_t groups, classes;
    uint64_t steps;
    int labelled; /* 1 if records are counted under their own labels */
    double noise; /* variance of the noise on one count of one table, given the sum of its row, plus
                     1; so 1 if tables have no noise */
    dp2dpi_outcome_line *lines; /* groups × statistics */
    /* Groups × statistics: the member `centred` of dp2dpi_outcome_table, summed over the second
     * half of the tables. */
    double *gaps;
    uint64_t tables; /* number of tables added in the second half of the steps */
    double *own;     /* number of people who get each class at offsets 0, from the first table */
    /* Number of people who get each class, summed over the second half of the tables. */
    double *ruled;
    double correct; /* share of right decisions, summed over the second half of the tables */
} dp2dpi_outcome;

/* Adds table number t, where t is from 1 to `steps`. Table 1 has the rates at offsets 0. */
void dp2dpi_outcome_add(dp2dpi_outcome *o, uint64_t t, const dp2dpi_outcome_table *table);

/* Returns 1 if the gaps between the groups without a rule (at offsets 0) are no larger than the
 * error of a fit. The error of a fit has two parts: the noise of all tables together and, for new
 * people, the sampling error of the pool. people is groups × statistics. */
int dp2dpi_outcome_is_within_noise(const dp2dpi_outcome *o, const double *people);

/* Returns 1 if some rate differs too much between two groups: by more than the kappas of the two
 * groups (half the tolerance each) plus 0.01 plus 4 standard deviations of the noise in the
 * difference. kappas and people are groups × statistics. */
int dp2dpi_outcome_is_apart(const dp2dpi_outcome *o, const double *kappas, const double *people);

/* Judges from the released tables how the rates depend on the offsets. Returns a dp2dp_oddity bit:
 * OFFSETS_ADDED if the rates grow where the offsets grow, or OFFSETS_IGNORED if they hardly fall
 * there. Returns 0 if the rates fall, or if the tables are too noisy to tell. people is groups ×
 * statistics. */
unsigned dp2dpi_outcome_judge_source(const dp2dpi_outcome *o, const double *people);

/* Compares the rule with a constant rule, which gives everybody the same class and so has no gap.
 * Returns that class if the constant rule is clearly better, otherwise −1. If records are counted
 * under their own labels, better means right more often. Otherwise, better means that fewer
 * decisions differ from the decisions of the classifier alone, which are those at offsets 0. */
int32_t dp2dpi_outcome_constant(const dp2dpi_outcome *o, const double *sizes);

#endif
