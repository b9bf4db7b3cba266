#include "pool/repeats.h"

#include <string.h>

enum {
    SLOTS = 4096,     /* a power of 2 */
    MOST = SLOTS / 2, /* different rows that are kept */
    ENOUGH = 100,     /* different rows needed before all counts say something */
    TRIPLES = 200     /* expected rows with three copies, needed to miss some of them */
};

/* How often each row of a sample occurs. A row is in the sample if its hash has zeros where `mask`
 * has ones, so either all copies of a row are in the sample, or none. */
typedef struct sample {
    uint64_t hashes[SLOTS]; /* 0: the slot is free */
    uint32_t copies[SLOTS];
    uint64_t mask;
    size_t rows; /* different rows */
} sample;

static size_t slot_of(const sample *s, uint64_t hash) {
    size_t i = (size_t)(hash >> 32) % SLOTS;
    while (s->hashes[i] != 0 && s->hashes[i] != hash) {
        i = (i + 1) % SLOTS;
    }
    return i;
}

static void add(sample *s, uint64_t hash, uint32_t copies) {
    size_t i = slot_of(s, hash);
    s->rows += s->hashes[i] == 0;
    s->hashes[i] = hash;
    s->copies[i] += copies;
}

/* Keeps half of the different rows. */
static void shrink(sample *s) {
    sample half = {.mask = 2 * s->mask + 1};
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->hashes[i] != 0 && (s->hashes[i] & half.mask) == 0) {
            add(&half, s->hashes[i], s->copies[i]);
        }
    }
    *s = half;
}

/* Returns the hash that continues `hash` with one number. */
static uint64_t mix(uint64_t hash, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 32;
}

static void add_bin(const dp2dp_pool *pool, size_t bin, sample *s) {
    size_t begin = pool->begin[bin], size = pool->begin[bin + 1] - begin;
    const float *scores = pool->values + begin * pool->classes;
    const float *weights = pool->weights ? pool->weights + begin * pool->parts : NULL;
    for (size_t i = 0; i < size; i++) {
        uint64_t hash = bin + 1;
        for (size_t k = 0; k < pool->classes; k++) {
            hash = mix(hash, scores[k * size + i]);
        }
        for (size_t j = 0; weights && j < pool->parts; j++) {
            hash = mix(hash, weights[j * size + i]);
        }
        if ((hash & s->mask) == 0 && hash != 0) {
            add(s, hash, 1);
            while (s->rows > MOST) {
                shrink(s);
            }
        }
    }
}

static uint32_t divisor(uint32_t a, uint32_t b) {
    while (b != 0) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Let n1, n2 and n3 be the numbers of different rows that occur once, twice and three times. There
 * are two signs of repeated rows.
 *
 * First, the number of copies of every row is a multiple of the same number above 1. If people are
 * drawn independently, at most half of all rows have an even number of copies, so 100 different
 * rows all do so with probability at most 2^-100.
 *
 * Second, n3 is too small for n2. A row that occurs λ times on average occurs c times with
 * probability λ^c e^-λ / c!. Summed over all possible rows, the Cauchy–Schwarz inequality gives
 * E[n2]² ≤ 3/2 E[n1] E[n3]. The test is n3 < n2² / (3 n1), half of what this allows, where the
 * allowed number is at least TRIPLES. The probability of this is then below 1 in 100,000. */
int dp2dpi_pool_repeats(const dp2dp_pool *pool) {
    sample s = {.mask = 0};
    double occurring[4] = {0};
    uint32_t common = 0;
    for (size_t bin = 0; bin < pool->bins && !pool->multiplicity; bin++) {
        add_bin(pool, bin, &s);
    }
    for (size_t i = 0; i < SLOTS; i++) {
        common = divisor(common, s.copies[i]);
        occurring[s.copies[i] < 4 ? s.copies[i] : 0]++;
    }
    double allowed = occurring[2] * occurring[2] / 1.5;
    return s.rows >= ENOUGH && (common > 1 || (allowed > TRIPLES * occurring[1] &&
                                               2 * occurring[3] * occurring[1] < allowed));
}
