/* Finds texts in a public list of names. A text stands for the name that equals it byte by byte. If
 * all names are different numbers, a text also stands for the name with the same value: 1.0 and 01
 * stand for "1". */
#ifndef DP2DPI_ARROW_CODES_H
#define DP2DPI_ARROW_CODES_H

#include "arrow/stream_read.h"
#include "base/lookup.h"

enum {
    DP2DPI_CODES_SHORT = 8, /* for speed, names are compared as integers if there are at most this
                               many names and no name is longer than DP2DPI_CODES_WORD bytes */
    DP2DPI_CODES_WORD = sizeof(uint64_t),
    DP2DPI_CODES_SMALL = 256 /* size of the array `small`, which remembers the codes of small
                                integers, so that each small integer is searched only once. Small
                                integers are those from 0 to 255, and all integers of an 8-bit
                                column */
};

typedef struct dp2dpi_codes {
    const char *const *texts; /* borrowed */
    size_t count;
    int is_short; /* 1: words and lengths are filled in, because the names are few and short */
    uint64_t words[DP2DPI_CODES_SHORT];
    uint64_t lengths[DP2DPI_CODES_SHORT];
    uint64_t masks[DP2DPI_CODES_WORD + 1]; /* masks[n] selects the first n bytes of a word */
    int has_values;         /* 1: by_value is prepared; this is done at the first text that equals
                               no name */
    dp2dpi_lookup by_value; /* finds names by their value as numbers; empty if a name is not a
                               number, or if two names are the same number */
    dp2dpi_meaning *meanings;
    char (*keys)[DP2DPI_NUMBER_KEY_SIZE];
    int32_t small[DP2DPI_CODES_SMALL]; /* small[i] is the code of the integer i, plus 2; 0 if the
                                          code is not yet known */
} dp2dpi_codes;

/* Prepares a list of names. Ownership: the names are borrowed until dp2dpi_codes_close, which
 * accepts a zero-filled struct. */
void dp2dpi_codes_open(dp2dpi_codes *codes, const char *const *names, size_t count);
void dp2dpi_codes_close(dp2dpi_codes *codes);

/* Finds n texts; text i begins at bytes + offsets[i] and ends before bytes + offsets[i + 1]. out[i]
 * is the position of the name that text i stands for; -1 if text i stands for no name. */
dp2dp_status dp2dpi_codes_find(dp2dpi_codes *codes, const char *bytes, const int32_t *offsets,
                               size_t n, int32_t *out, dp2dp_error *error);

/* Finds n values of a TEXT column of a stream, from `row` on, like dp2dpi_codes_find. out[i] is
 * also -1 for a null. Fails with DATA if a value cannot be read as text; if bad rows are ignored,
 * out[i] is -1 instead. */
dp2dp_status dp2dpi_stream_codes(const dp2dpi_stream *stream, size_t column, uint64_t row, size_t n,
                                 dp2dp_bad_rows bad_rows, dp2dpi_codes *codes, int32_t *out,
                                 dp2dp_error *error);

#endif
