#include "pool/survey_weights.h"

#include <math.h>
#include <string.h>

#include "base/repeats.h"

enum {
    PERSONS = 1000,  /* with fewer rows than this, the multiplicities are not judged */
    POWERS = 64,     /* number of possible positions of the highest bit of a multiplicity */
    APART = 5,       /* the highest bits of survey weights lie fewer than this many places apart */
    FIRST = 2000,    /* number of multiplicities, or of rows, that are compared with each other */
    WORDS = 1 << 10, /* words of 64 bits in a set; of 2000 different numbers, about 30 collide in
                        such a set */
    SHARE = 32,      /* if there are more rows than FIRST, about one row in SHARE is compared */
    DIFFERENT = 95   /* "nearly all" means more than this percentage */
};

static size_t power_of(uint64_t multiplicity) {
    size_t power = 0;
    while (multiplicity > 1) {
        multiplicity >>= 1;
        power++;
    }
    return power;
}

/* Returns 1 if 98 % of the multiplicities are above 1 and of about the same size. Counts of a GROUP
 * BY usually differ much more, and some are 1. */
static int are_alike(const dp2dp_pool *pool, size_t rows) {
    size_t counts[POWERS] = {0}, below = 0, low = 0, high = 0, tail = rows / 100;
    for (size_t i = 0; i < rows; i++) {
        counts[power_of(pool->multiplicity[i])]++;
    }
    for (size_t p = 0; p < POWERS; p++) {
        low = below <= tail ? p : low;
        high = below < rows - tail ? p : high;
        below += counts[p];
    }
    return low >= 1 && high - low < APART;
}

/* A set of hashes. */
typedef struct set {
    uint64_t bits[WORDS];
    size_t added, different;
} set;

static void add(set *s, uint64_t hash) {
    hash >>= 48;
    s->added++;
    s->different += !(s->bits[hash / 64] >> (hash % 64) & 1);
    s->bits[hash / 64] |= UINT64_C(1) << (hash % 64);
}

static int are_different(const set *s) {
    return 100 * s->different > DIFFERENT * s->added;
}

/* Returns 1 if the first multiplicities (at most FIRST of them) are nearly all different. */
static int are_ids(const dp2dp_pool *pool, size_t rows) {
    set seen = {.added = 0};
    for (size_t i = 0; i < rows && seen.added < FIRST; i++) {
        add(&seen, pool->multiplicity[i] * 0x9e3779b97f4a7c15U);
    }
    return are_different(&seen);
}

/* Returns 1 if nearly all rows differ in their scores. The cells of a GROUP BY usually have the
 * same scores in several groups. A row is chosen for the comparison by its scores alone. So if rows
 * of different groups have equal scores, all or none of them are chosen. */
static int have_own_scores(const dp2dp_pool *pool, size_t rows) {
    set seen = {.added = 0};
    for (size_t bin = 0; bin < pool->bins; bin++) {
        size_t size = pool->begin[bin + 1] - pool->begin[bin];
        const float *scores = pool->values + pool->begin[bin] * pool->classes;
        for (size_t i = 0; i < size && seen.added < FIRST; i++) {
            uint64_t hash = 1;
            for (size_t k = 0; k < pool->classes; k++) {
                uint32_t bits;
                memcpy(&bits, &scores[k * size + i], sizeof bits);
                hash = dp2dpi_repeats_mix(hash, bits);
            }
            if (rows <= FIRST || hash % SHARE == 0) {
                add(&seen, hash * 0x9e3779b97f4a7c15U);
            }
        }
    }
    return are_different(&seen);
}

/* Returns 1 if most scores have more digits than the scores of a GROUP BY, which are usually
 * rounded to six decimals or to multiples of 2^-20. A score rounded to six decimals differs from
 * the decimal number by at most 0.06 units of the sixth decimal, because it is stored in float32.
 */
static int are_exact(const dp2dp_pool *pool, size_t rows) {
    size_t exact = 0, scores = rows * pool->classes;
    for (size_t i = 0; i < scores; i++) {
        double decimal = (double)pool->values[i] * 1e6, binary = (double)pool->values[i] * 0x1p20;
        exact += fabs(decimal - round(decimal)) > 0.1 && binary != floor(binary);
    }
    return 2 * exact > scores;
}

int dp2dpi_pool_has_survey_weights(const dp2dp_pool *pool) {
    size_t rows = pool->begin[pool->bins];
    return pool->multiplicity && rows >= PERSONS && pool->grid_bits == 0 && are_alike(pool, rows) &&
           (are_exact(pool, rows) || are_ids(pool, rows)) && have_own_scores(pool, rows);
}
