#include "schema/number_ids.h"

#include <math.h>
#include <string.h>

#include "base/repeats.h"

enum {
    SLOTS = DP2DPI_IDS_SLOTS,
    MOST = SLOTS / 4 * 3, /* largest number of hashes in a sample */
    ENOUGH = 1000,        /* with fewer rows, whole numbers may all be different by chance */
    DENSE = 20            /* the range of ids is at most this many times their count */
};

static uint64_t hash_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return dp2dpi_repeats_mix(dp2dpi_repeats_mix(1, (uint32_t)bits), (uint32_t)(bits >> 32));
}

/* Adds a hash to a sample. Returns 0 if the sample already has the hash. */
static int put(uint64_t hash, dp2dpi_ids_sample *s) {
    size_t i = (size_t)(hash >> 32) % SLOTS;
    while (s->hashes[i] != 0 && s->hashes[i] != hash) {
        i = (i + 1) % SLOTS;
    }
    if (s->hashes[i] == hash) {
        return 0;
    }
    s->hashes[i] = hash;
    s->kept++;
    return 1;
}

/* Adds one bit to the mask of a sample. This removes about half of the hashes. */
static void shrink(dp2dpi_ids_sample *s) {
    dp2dpi_ids_sample half = {.mask = 2 * s->mask + 1, .is_taken = 1};
    for (size_t i = 0; i < SLOTS; i++) {
        if (s->hashes[i] != 0 && (s->hashes[i] & half.mask) == 0) {
            put(s->hashes[i], &half);
        }
    }
    *s = half;
}

/* Returns 0 if the sample already has the number, otherwise 1. A new number is added only if its
 * hash is selected, that is, if the hash has no bit of the mask. */
static int is_new(double x, dp2dpi_ids_sample *s) {
    uint64_t hash = hash_of(x);
    if ((hash & s->mask) != 0 || hash == 0) {
        return 1;
    }
    if (!put(hash, s)) {
        return 0;
    }
    while (s->kept > MOST) {
        shrink(s);
    }
    return 1;
}

/* Returns a sample with the first numbers of a column, or NULL if all samples are in use. */
static dp2dpi_ids_sample *take(const double *first, dp2dpi_ids_sample *samples) {
    for (size_t i = 0; i < DP2DPI_IDS_SAMPLES; i++) {
        if (!samples[i].is_taken) {
            samples[i].is_taken = 1;
            for (size_t k = 0; k < DP2DPI_IDS_FIRST; k++) {
                put(hash_of(first[k]), &samples[i]);
            }
            return &samples[i];
        }
    }
    return NULL;
}

static void give_up(dp2dpi_ids *ids) {
    ids->is_over = 1;
    if (ids->sample) {
        memset(ids->sample, 0, sizeof *ids->sample);
        ids->sample = NULL;
    }
}

/* Adds one of the first numbers. Returns 0 if ids->first already has this number. */
static int add_first(double x, dp2dpi_ids *ids) {
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->first[i] == x) {
            return 0;
        }
    }
    ids->first[ids->count] = x;
    return 1;
}

void dp2dpi_ids_add(double x, dp2dpi_ids_sample *samples, dp2dpi_ids *ids) {
    if (ids->is_over) {
        return;
    }
    x = x == 0 ? 0 : x; /* -0 equals 0 */
    if (ids->count == DP2DPI_IDS_FIRST) {
        ids->sample = take(ids->first, samples);
    }
    int is_first = ids->count < DP2DPI_IDS_FIRST;
    if (x != floor(x) || (!is_first && ids->sample == NULL) ||
        !(is_first ? add_first(x, ids) : is_new(x, ids->sample))) {
        give_up(ids);
        return;
    }
    ids->smallest = ids->count == 0 ? x : fmin(x, ids->smallest);
    ids->largest = ids->count == 0 ? x : fmax(x, ids->largest);
    ids->count++;
}

/* Whole numbers that are not ids may all be different if their range is much larger than their
 * count. But if n numbers are drawn at random from a range of 20 n, one number in 40 occurs more
 * than once. The sample has at least 700 different numbers. The probability that each of them
 * occurs only once is at most (39/40)^700, which is below 1 in 10 million. */
int dp2dpi_ids_are(const dp2dpi_ids *ids) {
    return !ids->is_over && ids->count >= ENOUGH &&
           ids->largest - ids->smallest < DENSE * (double)ids->count;
}
