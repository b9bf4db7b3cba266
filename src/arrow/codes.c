#include "arrow/codes.h"

#include <string.h>

#include "base/alloc.h"

void dp2dpi_codes_open(dp2dpi_codes *codes, const char *const *names, size_t count) {
    *codes =
        (dp2dpi_codes) {.texts = names, .count = count, .is_short = count <= DP2DPI_CODES_SHORT};
    for (size_t i = 0; i <= DP2DPI_CODES_WORD; i++) {
        memset(&codes->masks[i], 0xFF, i);
    }
    for (size_t i = 0; i < count && codes->is_short; i++) {
        codes->lengths[i] = strlen(names[i]);
        codes->is_short = codes->lengths[i] <= DP2DPI_CODES_WORD;
        if (codes->is_short) {
            memcpy(&codes->words[i], names[i], codes->lengths[i]);
        }
    }
}

void dp2dpi_codes_close(dp2dpi_codes *codes) {
    dp2dpi_free(codes->meanings);
    dp2dpi_free(codes->keys);
    codes->meanings = NULL;
    codes->keys = NULL;
}

static int32_t search(const dp2dpi_codes *names, const char *text, size_t length) {
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->texts[i]) == length && memcmp(names->texts[i], text, length) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

/* Returns the code of a text of `length` bytes; -1 if the text is not a name. `readable` is the
 * number of bytes, from `text` on, that are safe to read. Groups come in random order, so the
 * processor cannot predict branches; short names are therefore compared without branches. */
static inline int32_t find(const dp2dpi_codes *names, const char *text, size_t length,
                           size_t readable) {
    if (!names->is_short || length > DP2DPI_CODES_WORD || readable < DP2DPI_CODES_WORD) {
        return search(names, text, length);
    }
    uint64_t word;
    int32_t found = 0; /* code of the name, plus 1; 0 if no name was found */
    memcpy(&word, text, DP2DPI_CODES_WORD);
    word &= names->masks[length];
    for (size_t i = 0; i < names->count; i++) {
        uint64_t difference = (word ^ names->words[i]) | (length ^ names->lengths[i]);
        found |= (int32_t)(i + 1) & -(int32_t)(difference == 0);
    }
    return found - 1;
}

static dp2dp_status prepare_values(dp2dpi_codes *names, dp2dp_error *error) {
    static const char what[] = "a list of names";
    names->has_values = 1;
    if (!dp2dpi_all_numbers(names->texts, names->count)) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(names->meanings, 2 * names->count, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(names->keys, names->count, what, error));
    dp2dpi_lookup texts = {names->meanings + names->count, names->count};
    for (size_t i = 0; i < names->count; i++) {
        texts.meanings[i] = (dp2dpi_meaning) {names->texts[i], strlen(names->texts[i]), (int32_t)i};
    }
    dp2dpi_lookup_by_value(&texts, names->meanings, names->keys, &names->by_value);
    return DP2DP_STATUS_OK;
}

static dp2dp_status find_value(dp2dpi_codes *names, const char *text, size_t length, int32_t *out,
                               dp2dp_error *error) {
    if (!names->has_values) {
        DP2DPI_TRY(prepare_values(names, error));
    }
    *out = dp2dpi_lookup_find_value(&names->by_value, text, length);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_codes_find(dp2dpi_codes *codes, const char *bytes, const int32_t *offsets,
                               size_t n, int32_t *out, dp2dp_error *error) {
    size_t end = (size_t)offsets[n];
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)offsets[i], length = (size_t)offsets[i + 1] - at;
        const char *text = length ? bytes + at : "";
        out[i] = find(codes, text, length, length ? end - at : 0);
        if (out[i] < 0) {
            DP2DPI_TRY(find_value(codes, text, length, &out[i], error));
        }
    }
    return DP2DP_STATUS_OK;
}

static int are_ascending(const int32_t *offsets, size_t n) {
    int ascending = offsets[0] >= 0;
    for (size_t i = 0; i < n; i++) {
        ascending &= offsets[i] <= offsets[i + 1];
    }
    return ascending;
}

/* Returns the index of a small integer in codes->small (codes.h); -1 for any other value. The
 * column must have no nulls. An 8-bit integer is always small, and its byte is the index. */
static int small_at(const dp2dpi_stream_column *c, uint64_t row) {
    size_t at = (size_t)c->first + row;
    const void *values = c->array->buffers[1];
    int64_t value = -1;
    switch (c->format) {
    case 'c':
    case 'C':
        value = ((const unsigned char *)values)[at];
        break;
    case 's':
        value = ((const int16_t *)values)[at];
        break;
    case 'i':
        value = ((const int32_t *)values)[at];
        break;
    case 'l':
        value = ((const int64_t *)values)[at];
        break;
    default:
        break;
    }
    return value >= 0 && value < DP2DPI_CODES_SMALL ? (int)value : -1;
}

/* Finds one value. If bad rows are ignored, a value that cannot be read gives -1 and no error. */
static dp2dp_status find_cell(const dp2dpi_stream *stream, size_t column, uint64_t row,
                              dp2dp_bad_rows bad_rows, dp2dpi_codes *codes, int32_t *out,
                              dp2dp_error *error) {
    int ignore = bad_rows == DP2DP_BAD_ROWS_IGNORE;
    char buffer[DP2DPI_STREAM_TEXT_SIZE];
    const char *text = NULL;
    size_t length;
    dp2dp_status status =
        dp2dpi_stream_text(stream, column, row, buffer, &text, &length, ignore ? NULL : error);
    *out = -1;
    if (status != DP2DP_STATUS_OK || text == NULL) {
        return ignore ? DP2DP_STATUS_OK : status;
    }
    *out = find(codes, text, length, length);
    return *out < 0 ? find_value(codes, text, length, out, error) : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_stream_codes(const dp2dpi_stream *stream, size_t column, uint64_t row, size_t n,
                                 dp2dp_bad_rows bad_rows, dp2dpi_codes *codes, int32_t *out,
                                 dp2dp_error *error) {
    const dp2dpi_stream_column *c = &stream->columns[column];
    int complete = c->dictionary_format == '\0' && dp2dpi_stream_is_complete(stream, c->array);
    if (complete && c->format == 'u' && n > 0) {
        const int32_t *offsets = (const int32_t *)c->array->buffers[1] + c->first + row;
        const char *bytes = c->array->buffers[2];
        if (are_ascending(offsets, n) && (bytes || offsets[0] == offsets[n])) {
            return dp2dpi_codes_find(codes, bytes ? bytes : "", offsets, n, out, error);
        }
    }
    for (size_t i = 0; i < n; i++) {
        int small = complete ? small_at(c, row + i) : -1;
        if (small >= 0 && codes->small[small] > 0) {
            out[i] = codes->small[small] - 2;
            continue;
        }
        DP2DPI_TRY(find_cell(stream, column, row + i, bad_rows, codes, &out[i], error));
        if (small >= 0) {
            codes->small[small] = out[i] + 2;
        }
    }
    return DP2DP_STATUS_OK;
}
