#include "base/repeats.h"

#include <math.h>

enum {
    SLOTS = DP2DPI_REPEATS_SLOTS,
    MOST = SLOTS / 2, /* largest number of different rows in the sample */
    ENOUGH = 100,     /* least number of different rows for which the signs of repeated rows are
                         tested */
    COPIES = 32       /* rows that occur this often or more are not counted for the second sign */
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

/* If n rows were counted, the expected number is below mean_below(n) and above mean_above(n). Each
 * bound is wrong with probability below 2e-7, because the rows of the sample are counted
 * independently. */
static double mean_below(double n) {
    return n + 5.2 * sqrt(n) + 16;
}

static double mean_above(double n) {
    return fmax(n - 5.2 * sqrt(n), 0);
}

/* Tests two signs of repeated rows.
 *
 * First, all numbers of copies have a common divisor above 1, so every row occurs at least twice.
 * For people drawn independently, a row has an even number of copies with probability at most 1/2.
 * So 100 different rows all have even numbers of copies with probability at most 2^-100.
 *
 * Second, for some c, too few rows occur c - 1 or c + 1 times compared with the rows that occur c
 * times, as if some rows were repeated c times. Let nc be the number of different rows that occur c
 * times. If people are drawn independently, then
 *     E[n(c-1)] E[n(c+1)] ≥ E[nc]² c / (c + 1).
 * This follows from the Cauchy–Schwarz inequality, because a row that occurs λ times on average
 * occurs c times with probability λ^c e^-λ / c!. The test replaces each mean by a bound, so a false
 * alarm has a probability below 1 in 100,000. For c > 2, the test is made only if at least ENOUGH
 * rows occur once. This avoids false alarms in designed experiments, where people are not drawn
 * independently and all rows may occur nearly equally often. */
int dp2dpi_repeats_are_many(const dp2dpi_repeats *s) {
    double occurring[COPIES] = {0};
    uint32_t common = 0;
    int is_odd = 0;
    for (size_t i = 0; i < SLOTS; i++) {
        common = divisor(common, s->copies[i]);
        occurring[s->copies[i] < COPIES ? s->copies[i] : 0]++;
    }
    for (int c = 2; c + 1 < COPIES && (c == 2 || occurring[1] >= ENOUGH); c++) {
        double mean = mean_above(occurring[c]);
        is_odd |=
            mean_below(occurring[c - 1]) * mean_below(occurring[c + 1]) < mean * mean * c / (c + 1);
    }
    return s->rows >= ENOUGH && (common > 1 || is_odd);
}
