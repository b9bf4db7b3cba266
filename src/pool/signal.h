/* Measures how well the probabilities in a pool (its weights or its scores) predict the codes of
 * its records. For weights, the code of a record is its group, or its pair of group and label. For
 * scores, the code is its label. */
#ifndef DP2DPI_POOL_SIGNAL_H
#define DP2DPI_POOL_SIGNAL_H

#include "pool/pool.h"

enum {
    DP2DPI_SIGNAL_COLUMNS = 64, /* probabilities with more columns than this are not judged */
    DP2DPI_SIGNAL_FEW = 100,    /* with fewer records than this, nothing is judged */
    DP2DPI_SIGNAL_CHANCE = 2,   /* below this many standard errors, `own` (see below) may be due to
                                   chance */
    DP2DPI_SIGNAL_CLEAR = 10    /* if `expected` (see below) is at least this many standard errors,
                                   true probabilities hardly ever look random */
};

/* The probabilities to judge. `read` writes the probabilities of record i of a bin, which sum to 1.
 * `code` returns the code that all records of a bin have. */
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
    double own;      /* sum over the records of p − m: p is the record's probability in the column
                        of its own code, and m is the mean of that column */
    double expected; /* what `own` is on average if the probabilities are true */
    double error;    /* standard error of `own` if the probabilities are in random order */
} dp2dpi_signal;

/* Returns a number n. If only every n-th record of a bin is used, at most about 100,000 are used.
 */
size_t dp2dpi_signal_step(const dp2dp_pool *pool);

/* Sets records, of_code and mean. */
void dp2dpi_signal_means(const dp2dpi_signal_view *view, dp2dpi_signal *out);
/* Sets all members. */
void dp2dpi_signal_measure(const dp2dpi_signal_view *view, dp2dpi_signal *out);

/* Returns 1 if the probabilities predict the codes no better than chance, although they vary so
 * much that true probabilities would clearly predict better. For true probabilities, returns 1 in
 * fewer than 1 of 10^15 pools. */
int dp2dpi_signal_is_chance(const dp2dpi_signal *signal);

#endif
