/* Measures how well the probabilities in a pool, which are its weights or its scores, predict the
 * codes of its records. Weights predict groups, or pairs of group and label; scores predict labels.
 */
#ifndef DP2DPI_POOL_SIGNAL_H
#define DP2DPI_POOL_SIGNAL_H

#include "pool/pool.h"

enum {
    DP2DPI_SIGNAL_COLUMNS = 64, /* probabilities with more columns than this are not judged */
    DP2DPI_SIGNAL_FEW = 100,    /* with fewer records than this, nothing is judged */
    DP2DPI_SIGNAL_CHANCE = 2,   /* below this many standard errors, `own` (see below) may be due to
                                   chance */
    DP2DPI_SIGNAL_CLEAR = 10    /* if `expected` (see below) is at least this many standard errors,
                                   true probabilities would hardly look random */
};

/* The probabilities to judge. read writes the probabilities of record i of a bin, which sum to 1.
 * code returns the code of all records of a bin. */
typedef struct dp2dpi_signal_view dp2dpi_signal_view;
struct dp2dpi_signal_view {
    const dp2dp_pool *pool;
    size_t columns; /* number of probabilities of a record, and of codes */
    void (*read)(const dp2dpi_signal_view *view, size_t bin, size_t i, double *out);
    size_t (*code)(const dp2dpi_signal_view *view, size_t bin);
};

typedef struct dp2dpi_signal {
    double records;                        /* number of records that were used */
    double of_code[DP2DPI_SIGNAL_COLUMNS]; /* number of records with each code */
    double mean[DP2DPI_SIGNAL_COLUMNS];    /* mean of each column */
    double own;      /* sum over the records: the probability in the column of the record's code,
                        minus the mean of that column */
    double expected; /* average of `own` if the probabilities are true */
    double error;    /* standard error of `own` if the probabilities are in random order */
} dp2dpi_signal;

/* Returns how many records to skip from one that is used to the next, so that about 100,000 are
 * used at most. */
size_t dp2dpi_signal_step(const dp2dp_pool *pool);

/* Sets records, of_code and mean. */
void dp2dpi_signal_means(const dp2dpi_signal_view *view, dp2dpi_signal *out);
/* Sets all members. */
void dp2dpi_signal_measure(const dp2dpi_signal_view *view, dp2dpi_signal *out);

/* Returns 1 if the records say no more about their codes than chance would, although true
 * probabilities that vary so much would clearly do so. True probabilities look like that in fewer
 * than 1 of 10^15 pools. */
int dp2dpi_signal_is_chance(const dp2dpi_signal *signal);

#endif
