/* Rates of groups, with exact intervals, from tables of counts. G is the number of groups, K of
 * classes. */
#ifndef DP2DPI_METRICS_RATES_H
#define DP2DPI_METRICS_RATES_H

#include <dp2dp/metrics.h>

/* How many records there are of each kind. Without labels, labelled and correct are 0. */
typedef struct dp2dpi_tables {
    size_t groups, classes;
    int64_t *counts;   /* G × K: records of a group that get a class */
    int64_t *totals;   /* G: records of a group */
    int64_t *labelled; /* G × K: records of a group with a label */
    int64_t *correct;  /* G × K: those of labelled that get their label as class */
    int64_t *joint;    /* G × K × K: records of a group with a label that get a class; or NULL */
} dp2dpi_tables;

/* The Clopper–Pearson interval, which misses the true rate on either side with probability at most
 * tail. */
dp2dp_interval dp2dpi_interval(double successes, double failures, double tail);
dp2dp_proportion dp2dpi_proportion(int64_t part, int64_t whole, double tail);

/* Fills the G × K rates of the classes, and the G errors. */
void dp2dpi_class_rates(const dp2dpi_tables *t, double tail, dp2dp_class_rates *out,
                        dp2dp_proportion *errors);

/* Fills the K disparate impacts from the G × K rates. Returns that of the class `positive`; if
 * positive is DEFAULT, that of class 1 of 2, or the smallest of more than 2. */
double dp2dpi_disparate_impacts(const dp2dpi_tables *t, const dp2dp_class_rates *rates,
                                int32_t positive, double *out);

#endif
