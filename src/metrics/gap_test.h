/* An exact test of whether two groups get a class at different rates. */
#ifndef DP2DPI_METRICS_GAP_TEST_H
#define DP2DPI_METRICS_GAP_TEST_H

/* The decisions about the people of two groups, as whole numbers. */
typedef struct dp2dpi_gap_counts {
    double high, high_people; /* how many people of the first group get the class, and how many
                                 people the group has */
    double low, low_people;   /* the same for the second group, which has the lower rate */
} dp2dpi_gap_counts;

/* Returns the largest probability that the measured rate of the first group exceeds that of the
 * second by as much as in `counts`, if each person's decision is drawn at random and the true rate
 * of the first group exceeds that of the second by at most `allowed`. The function searches for the
 * true rate of the second group only between two limits, and each limit is wrong with probability
 * `tail`. To make up for this, it adds 2 `tail`. So the result is never too small, but may be too
 * large by up to 2 `tail`. Takes time in proportion to the people of the smaller group. */
double dp2dpi_gap_p_value(const dp2dpi_gap_counts *counts, double allowed, double tail);

#endif
