/* Computes the dither: public random numbers that a rule adds to the scores. There is one number
 * for each pair of a record's key and a class. */
#include <string.h>

#include "base/clones.h"
#include "decide/dither_hash.h"
#include "decide/model.h"

enum {
    WORD = 4,   /* number of scores that fit into the 64 bits of a key */
    PIECE = 256 /* number of records that are hashed at a time */
};

int dp2dpi_dither_is_sound(const dp2dp_dither *dither) {
    return dither->width >= 0.0 && dither->width <= 1.0;
}

uint64_t dp2dp_dither_id(const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/* Returns score × 2^14, rounded to the nearest integer (ties to even). The score must be valid.
 * Adding 2^23 to the product rounds it, because float32 has no fractional bits at 2^23. The product
 * itself is exact, so a fused multiply-add gives the same result. */
static inline uint64_t units_of(float score) {
    float shifted = score * 0x1p14F + 0x1p23F;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return bits & 0xFFFF;
}

/* Adds `count` scores (at most four) of each record to the record's key. Each score gets its own 16
 * bits of the key. The first score added is score number `first` of the record. */
DP2DPI_CLONED static void add_scores(const float *restrict scores, size_t apart, size_t first,
                                     size_t count, size_t n, uint64_t *restrict keys) {
    for (size_t i = 0; i < n; i++) {
        keys[i] = first > 0 ? dp2dpi_dither_fold(keys[i]) : 0;
    }
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < n; i++) {
            keys[i] += units_of(scores[k * apart + i]) << 16 * k;
        }
    }
}

void dp2dpi_dither_keys_of_scores(const float *scores, size_t apart, size_t classes, size_t n,
                                  uint64_t *keys) {
    for (size_t k = 0; k < classes; k += WORD) {
        add_scores(scores + k * apart, apart, k, classes - k < WORD ? classes - k : WORD, n, keys);
    }
}

uint64_t dp2dpi_dither_key_of_scores(const float *scores, size_t apart, size_t classes) {
    uint64_t key;
    dp2dpi_dither_keys_of_scores(scores, apart, classes, 1, &key);
    return key;
}

DP2DPI_CLONED static void hash_keys(const uint64_t *restrict keys, uint64_t addend, size_t n,
                                    uint64_t *restrict hashes) {
    for (size_t i = 0; i < n; i++) {
        hashes[i] = dp2dpi_dither_mix(keys[i] + addend);
    }
}

/* Adds to each score one random number (a draw, see dither_hash.h) times `unit`. */
DP2DPI_CLONED static void add_draws(float unit, const uint64_t *restrict hashes, size_t part,
                                    size_t n, const float *restrict scores, float *restrict out) {
    for (size_t i = 0; i < n; i++) {
        out[i] = scores[i] + unit * (float)(int32_t)dp2dpi_dither_part(hashes[i], part);
    }
}

void dp2dpi_dither_add(const dp2dp_dither *dither, const uint64_t *keys, size_t n, size_t apart,
                       size_t classes, const float *scores, float *out) {
    const float unit = dp2dpi_dither_unit(dither->width);
    uint64_t hashes[PIECE];
    for (size_t i = 0; i < n; i += PIECE) {
        size_t piece = n - i < PIECE ? n - i : PIECE;
        for (size_t k = 0; k < classes; k++) {
            size_t part = k % DP2DPI_DITHER_DRAWS;
            if (part == 0) {
                uint64_t addend = dp2dpi_dither_addend(dither->seed, k / DP2DPI_DITHER_DRAWS);
                hash_keys(keys + i, addend, piece, hashes);
            }
            add_draws(unit, hashes, part, piece, scores + k * apart + i, out + k * apart + i);
        }
    }
}

float dp2dpi_dither_draw(const dp2dp_dither *dither, uint64_t key, size_t class_index) {
    uint64_t addend = dp2dpi_dither_addend(dither->seed, class_index / DP2DPI_DITHER_DRAWS);
    uint64_t hash = dp2dpi_dither_mix(key + addend);
    uint32_t draw = dp2dpi_dither_part(hash, class_index % DP2DPI_DITHER_DRAWS);
    return dp2dpi_dither_unit(dither->width) * (float)draw;
}
