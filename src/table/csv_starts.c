/* Turns every 64 bytes of text into a 64-bit word with a 1 for each separator or line feed, and
 * finds the positions of these bits one by one. */
#include "table/csv_starts.h"

#include "base/clones.h"
#include "table/decimal_short.h"

#ifdef __x86_64__
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,bmi,popcnt")))
#endif

enum {
    AT_ONCE = 4 /* store_starts always stores this many positions at a time, even if fewer were
                   found, to avoid a branch. 64 bytes of text usually have few cells */
};

typedef uint64_t (*ends_finder)(const char *p, char separator);

/* Finds the bytes of w that are 0. In the result, the highest bit of these bytes is 1. All other
 * bits of the result are 0. */
static inline uint64_t zero_bytes(uint64_t w) {
    const uint64_t low = UINT64_C(0x7F7F7F7F7F7F7F7F);
    return ~(((w & low) + low) | w | low);
}

/* Finds the ends of cells with 64-bit registers. The multiplication moves the bit that was found
 * for byte k to bit 56 + k, so that all eight bits are in the highest byte. The terms of the
 * product do not overlap. */
static inline uint64_t find_ends(const char *p, char separator) {
    const uint64_t each = UINT64_C(0x0101010101010101);
    uint64_t ends = 0;
    for (size_t i = 0; i < DP2DPI_STARTS_STEP; i += 8) {
        uint64_t w = dp2dpi_decimal_load(p + i);
        uint64_t found =
            zero_bytes(w ^ each * '\n') | zero_bytes(w ^ each * (unsigned char)separator);
        ends |= (found >> 7) * UINT64_C(0x0102040810204080) >> 56 << i;
    }
    return ends;
}

/* Stores the position after each byte that ends a cell. Each 1 in `ends` marks such a byte; bit 0
 * of `ends` stands for the byte at position `at`. For up to AT_ONCE cells, no branch depends on the
 * number of cells. */
DP2DPI_INLINE size_t store_starts(uint64_t ends, size_t at, uint16_t *out) {
    size_t count = (size_t)__builtin_popcountll(ends);
    for (size_t i = 0; i < count || i == 0; i += AT_ONCE) {
        for (size_t k = 0; k < AT_ONCE; k++) {
            /* Sets bit 63, because __builtin_ctzll(0) is undefined. */
            size_t bit = (size_t)__builtin_ctzll(ends | UINT64_C(1) << 63);
            out[i + k] = (uint16_t)(at + 1 + bit);
            ends &= ends - 1;
        }
    }
    return count;
}

DP2DPI_INLINE size_t find_starts(ends_finder find, const char *text, size_t size, char separator,
                                 size_t most, uint16_t *starts) {
    size_t found = 0;
    size = size < DP2DPI_STARTS_BYTES_MOST ? size : DP2DPI_STARTS_BYTES_MOST;
    starts[0] = 0;
    for (size_t at = 0; at + DP2DPI_STARTS_STEP <= size && found < most; at += DP2DPI_STARTS_STEP) {
        found += store_starts(find(text + at, separator), at, starts + 1 + found);
    }
    return found;
}

size_t dp2dpi_csv_find_starts_plain(const char *text, size_t size, char separator, size_t most,
                                    uint16_t *starts) {
    return find_starts(find_ends, text, size, separator, most, starts);
}

#ifdef AVX2

AVX2 static inline uint64_t find_ends_avx2(const char *p, char separator) {
    const __m256i first = _mm256_set1_epi8(separator), second = _mm256_set1_epi8('\n');
    uint64_t ends = 0;
    for (int i = 0; i < DP2DPI_STARTS_STEP; i += 32) {
        __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i found =
            _mm256_or_si256(_mm256_cmpeq_epi8(bytes, first), _mm256_cmpeq_epi8(bytes, second));
        ends |= (uint64_t)(unsigned)_mm256_movemask_epi8(found) << i;
    }
    return ends;
}

AVX2 static size_t find_starts_avx2(const char *text, size_t size, char separator, size_t most,
                                    uint16_t *starts) {
    return find_starts(find_ends_avx2, text, size, separator, most, starts);
}

#endif

size_t dp2dpi_csv_find_starts(const char *text, size_t size, char separator, size_t most,
                              uint16_t *starts) {
#ifdef AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
        return find_starts_avx2(text, size, separator, most, starts);
    }
#endif
    return dp2dpi_csv_find_starts_plain(text, size, separator, most, starts);
}
