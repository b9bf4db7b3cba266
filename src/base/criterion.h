/* The statistics of a fairness criterion. A statistic has a class and a set of labels. The rate of
 * a statistic in a group is the share of people who get the class, among the people of the group
 * whose label is in the set.
 *
 * There are G groups, Y labels, K classes and S statistics. Y is 1 if the criterion does not use
 * labels. A record of group g with label y belongs to the stratum g Y + y. */
#ifndef DP2DPI_BASE_CRITERION_H
#define DP2DPI_BASE_CRITERION_H

#include <dp2dp/criterion.h>

#include "base/error.h"

typedef struct dp2dpi_statistics {
    size_t count;        /* number of statistics, S */
    size_t labels;       /* number of labels, Y */
    size_t *classes;     /* S entries: the class of each statistic */
    size_t *sizes;       /* S entries: the number of labels in each statistic's set */
    unsigned char *sets; /* S × Y flags: 1 if label y is in the set of statistic s */
} dp2dpi_statistics;

/* The criterion that the caller asked for. */
typedef struct dp2dpi_criterion {
    dp2dp_criterion criterion;
    int32_t positive;              /* a class, or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *custom; /* the caller's statistics if the criterion is CUSTOM; otherwise
                                      NULL */
    size_t custom_count;
} dp2dpi_criterion;

/* Returns 1 if the criterion needs labels. */
int dp2dpi_criterion_is_labelled(const dp2dpi_criterion *c, size_t classes);

/* Lists the statistics. `labels` is Y, which must be 1 or the number of classes. Fails with
 * ARGUMENT in these cases: the criterion needs labels but Y is 1; positive is not a class; a custom
 * statistic has an unknown class or an empty set of labels; the list would be too long. Ownership:
 * free with dp2dpi_statistics_free, also after failure. */
dp2dp_status dp2dpi_statistics_new(const dp2dpi_criterion *c, size_t labels, size_t classes,
                                   dp2dpi_statistics *out, dp2dp_error *error);
void dp2dpi_statistics_free(dp2dpi_statistics *s);

static inline int dp2dpi_statistic_has(const dp2dpi_statistics *s, size_t statistic, size_t label) {
    return s->sets[statistic * s->labels + label];
}

/* Returns the number of people of the group who have a label from the statistic's set. `totals` has
 * the number of people of each stratum. */
double dp2dpi_statistic_people(const dp2dpi_statistics *s, size_t statistic, size_t group,
                               const double *totals);
/* Returns the number of people who are given the statistic's class, among the people that
 * dp2dpi_statistic_people counts. `table` has strata × K counts. */
double dp2dpi_statistic_given(const dp2dpi_statistics *s, size_t statistic, size_t group,
                              size_t classes, const double *table);

/* Returns how many of the statistics' rates in one group are independent, but at most K. If K
 * statistics are about the same people and different classes, their rates sum to 1, so only K − 1
 * of these rates are independent. */
size_t dp2dpi_statistics_free_rates(const dp2dpi_statistics *s, size_t classes);

#endif
