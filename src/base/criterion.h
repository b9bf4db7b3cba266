/* The statistics of a criterion, and the tables of counts that they are computed from. G is the
 * number of groups, Y of labels (1 if labels do not matter), K of classes, S of statistics. A
 * record of group g with label y has the stratum g Y + y. */
#ifndef DP2DPI_BASE_CRITERION_H
#define DP2DPI_BASE_CRITERION_H

#include <dp2dp/criterion.h>

#include "base/error.h"

typedef struct dp2dpi_statistics {
    size_t count;        /* S */
    size_t labels;       /* Y */
    size_t *classes;     /* S: the class whose rate it is */
    size_t *sizes;       /* S: number of labels in its set */
    unsigned char *sets; /* S × Y: 1 if the label is in the set */
} dp2dpi_statistics;

/* What the caller asked for. */
typedef struct dp2dpi_criterion {
    dp2dp_criterion criterion;
    int32_t positive;              /* a class, or DP2DP_POSITIVE_DEFAULT */
    const dp2dp_statistic *custom; /* of the criterion CUSTOM; else NULL */
    size_t custom_count;
} dp2dpi_criterion;

/* Returns 1 if the criterion needs labels. */
int dp2dpi_criterion_is_labelled(const dp2dpi_criterion *c, size_t classes);

/* Lists the statistics. labels is Y: 1, or the number of classes. ARGUMENT if the criterion needs
 * labels and Y is 1, if positive is not a class, if a custom statistic names no class or an empty
 * set, or if the list would be too long. Ownership: free with dp2dpi_statistics_free, also after
 * failure. */
dp2dp_status dp2dpi_statistics_new(const dp2dpi_criterion *c, size_t labels, size_t classes,
                                   dp2dpi_statistics *out, dp2dp_error *error);
void dp2dpi_statistics_free(dp2dpi_statistics *s);

static inline int dp2dpi_statistic_has(const dp2dpi_statistics *s, size_t statistic, size_t label) {
    return s->sets[statistic * s->labels + label];
}

/* Adds up, for group g and one statistic, the people in its set of labels, from J totals. */
double dp2dpi_statistic_people(const dp2dpi_statistics *s, size_t statistic, size_t group,
                               const double *totals);
/* Adds up those of them who get its class, from a J × K table. */
double dp2dpi_statistic_given(const dp2dpi_statistics *s, size_t statistic, size_t group,
                              size_t classes, const double *table);

/* Returns the number of rates that can differ on their own, but at most K: of the rates of all K
 * classes among the same people, K − 1 can. */
size_t dp2dpi_statistics_free_rates(const dp2dpi_statistics *s, size_t classes);

#endif
