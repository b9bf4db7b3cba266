/* Finds features whose numbers are probably ids of people or positions in a table. */
#ifndef DP2DPI_SCHEMA_NUMBER_IDS_H
#define DP2DPI_SCHEMA_NUMBER_IDS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DP2DPI_IDS_FIRST = 32,   /* how many numbers of a column are compared without a sample */
    DP2DPI_IDS_SLOTS = 2048, /* a power of 2 */
    DP2DPI_IDS_SAMPLES = 64  /* number of columns that can have a sample at the same time */
};

/* A sample of the numbers of one column. It has the hash of every number whose hash is 0 in all
 * bits of `mask`. So either all copies of a number count for the sample, or none. */
typedef struct dp2dpi_ids_sample {
    uint64_t hashes[DP2DPI_IDS_SLOTS]; /* 0 if the slot is free */
    uint64_t mask;
    size_t kept;
    int is_taken; /* 1 if a column uses the sample */
} dp2dpi_ids_sample;

/* What is known about the numbers of one column. Starts as all zeros. */
typedef struct dp2dpi_ids {
    int is_over; /* 1 if the column is no longer examined, because a number is a fraction or occurs
                    twice (so the numbers are no ids), or because no sample was free */
    uint64_t count;
    double first[DP2DPI_IDS_FIRST];
    double smallest, largest;
    dp2dpi_ids_sample *sample; /* NULL until the first numbers have all been different */
} dp2dpi_ids;

/* Adds a number. `samples` is an array of DP2DPI_IDS_SAMPLES samples for all columns together,
 * which starts as all zeros. The array must stay at the same address. */
void dp2dpi_ids_add(double x, dp2dpi_ids_sample *samples, dp2dpi_ids *ids);
/* Returns 1 if the numbers are probably ids: at least 1000 numbers, all whole and all different,
 * in a range of at most 20 times their count. */
int dp2dpi_ids_are(const dp2dpi_ids *ids);

#endif
