/* Reproducible random numbers for synthetic data and random splits: the same on every machine, and
 * not secret. Uses only integer arithmetic, comparisons and exactly rounded operations, and no
 * function of the system's mathematical library. */
#ifndef CLI_RANDOM_H
#define CLI_RANDOM_H

#include <stdint.h>

typedef struct cli_random {
    uint64_t state[4];
} cli_random;

cli_random cli_random_insecure(uint64_t seed);
/* Returns a uniform multiple of 2^-53 in [0, 1). */
double cli_random_uniform(cli_random *random);
uint64_t cli_random_below(cli_random *random, uint64_t n);
/* Returns a standard normal number, a multiple of 2^-53. */
double cli_random_normal(cli_random *random);

#endif
