/* Detects rows that are in a table more than once, for example because the table was joined to
 * itself. Keeps a sample of the rows' hashes in constant memory. */
#ifndef DP2DPI_BASE_REPEATS_H
#define DP2DPI_BASE_REPEATS_H

#include <stddef.h>
#include <stdint.h>

enum {
    DP2DPI_REPEATS_SLOTS = 4096 /* a power of 2 */
};

/* How often each row of a sample occurs. A row is in the sample if its hash has zeros where `mask`
 * has ones, so either all copies of a row are in the sample, or none. Fill the struct with
 * zeros before the first use. */
typedef struct dp2dpi_repeats {
    uint64_t hashes[DP2DPI_REPEATS_SLOTS]; /* 0 if the slot is free */
    uint32_t copies[DP2DPI_REPEATS_SLOTS];
    uint64_t mask;
    size_t rows; /* number of different rows in the sample */
} dp2dpi_repeats;

/* Returns a new hash, made from `hash` and the 32 bits of `bits`. */
uint64_t dp2dpi_repeats_mix(uint64_t hash, uint32_t bits);
/* Adds a row. Equal rows must have equal hashes. */
void dp2dpi_repeats_add(uint64_t hash, dp2dpi_repeats *repeats);
/* Returns 1 if far more rows are equal than chance allows. */
int dp2dpi_repeats_are_many(const dp2dpi_repeats *repeats);

#endif
