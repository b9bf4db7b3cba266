/* An exact test of whether two groups get a class at different rates. */
#ifndef DP2DPI_METRICS_GAP_TEST_H
#define DP2DPI_METRICS_GAP_TEST_H

/* The decisions about the people of two groups, as whole numbers. */
typedef struct dp2dpi_gap_counts {
    double high, high_people; /* how many people of the first group get the class, and how many
                                 people the group has */
    double low, low_people;   /* the same for the group with the lower rate */
} dp2dpi_gap_counts;

/* Returns the largest probability that the rates of two such groups differ by as much as those of
 * `counts`, if each person's decision is drawn at random, and the true rate of the first group is
 * larger by `allowed` at most. The result may be too large, by up to 2 `tail`, and never too small:
 * the true rate of the second group is only sought within limits that each fail with probability
 * `tail`. Takes time in proportion to the people of the smaller group. */
double dp2dpi_gap_p_value(const dp2dpi_gap_counts *counts, double allowed, double tail);

#endif
