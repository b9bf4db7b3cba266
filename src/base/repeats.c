#include "base/repeats.h"

enum {
    SLOTS = DP2DPI_REPEATS_SLOTS,
    MOST = SLOTS / 2, /* largest number of different rows in the sample */
    ENOUGH = 100,     /* with fewer different rows, no sign of repeated rows is tested */
    TRIPLES = 200     /* the second sign below is tested only if its bound on E[n3] is above this */
};

static size_t slot_of(const dp2dpi_repeats *s, uint64_t hash) {
    size_t i = (size_t)(hash >> 32) % SLOTS;
    while (s->hashes[i] != 0 && s->hashes[i] != hash) {
        i = (i + 1) % SLOTS;
    }
    return i;
}

static void put(dp2dpi_repeats *s, uint64_t hash, uint32_t copies) {
    size_t i = slot_of(s, hash);
    s->rows += s->hashes[i] == 0;
    s->hashes[i] = hash;
    s->copies[i] += copies;
}

/* Keeps half of the different rows. */
static void shrink(dp2dpi_repeats *s) {
    dp2dpi_repeats half = {.mask = 2 * s->mask + 1};
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->hashes[i] != 0 && (s->hashes[i] & half.mask) == 0) {
            put(&half, s->hashes[i], s->copies[i]);
        }
    }
    *s = half;
}

uint64_t dp2dpi_repeats_mix(uint64_t hash, uint32_t bits) {
    hash = (hash ^ bits) * 0x9e3779b97f4a7c15U;
    return hash ^ hash >> 32;
}

void dp2dpi_repeats_add(uint64_t hash, dp2dpi_repeats *s) {
    if ((hash & s->mask) == 0 && hash != 0) {
        put(s, hash, 1);
        while (s->rows > MOST) {
            shrink(s);
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

/* Tests two signs of repeated rows.
 *
 * First, all numbers of copies have a common divisor above 1, so every row occurs at least twice.
 * For people drawn independently, a row has an even number of copies with probability at most 1/2.
 * So 100 different rows all have even numbers of copies with probability at most 2^-100.
 *
 * Second, n3 is too small for n2, where n1, n2 and n3 are the numbers of different rows that occur
 * once, twice and three times. If people are drawn independently, then
 *     E[n3] ≥ 2 E[n2]² / (3 E[n1]).
 * This follows from the Cauchy–Schwarz inequality, because a row that occurs λ times on average
 * occurs c times with probability λ^c e^-λ / c!. The test replaces E[n1] and E[n2] by n1 and n2,
 * and finds the sign if n3 is below half of this bound. The sign is tested only if the bound is
 * above TRIPLES; a false alarm then has a probability below 1 in 100,000. */
int dp2dpi_repeats_are_many(const dp2dpi_repeats *s) {
    double occurring[4] = {0};
    uint32_t common = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        common = divisor(common, s->copies[i]);
        occurring[s->copies[i] < 4 ? s->copies[i] : 0]++;
    }
    double allowed = occurring[2] * occurring[2] / 1.5;
    return s->rows >= ENOUGH && (common > 1 || (allowed > TRIPLES * occurring[1] &&
                                                2 * occurring[3] * occurring[1] < allowed));
}
