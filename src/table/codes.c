#include <dp2dp/table.h>

#include <string.h>

#include "base/alloc.h"
#include "base/lookup.h"

enum {
    SHORT_NAMES = 8, /* with at most this many names of at most WORD_SIZE bytes, names are compared
                        as integers */
    WORD_SIZE = sizeof(uint64_t)
};

typedef struct name_list {
    const char *const *texts;
    size_t count;
    int is_short; /* 1: words and lengths are filled in, because the names are few and short */
    uint64_t words[SHORT_NAMES];
    uint64_t lengths[SHORT_NAMES];
    uint64_t masks[WORD_SIZE + 1]; /* masks[n] selects the first n bytes of a word */
    int has_values;         /* 1: by_value is filled in (at the first text that is not a name) */
    dp2dpi_lookup by_value; /* empty if texts are compared only as texts */
    dp2dpi_meaning *meanings;
    char (*keys)[DP2DPI_NUMBER_KEY_SIZE];
} name_list;

static name_list names_of(const char *const *texts, size_t count) {
    name_list out = {.texts = texts, .count = count, .is_short = count <= SHORT_NAMES};
    for (size_t i = 0; i <= WORD_SIZE; i++) {
        memset(&out.masks[i], 0xFF, i);
    }
    for (size_t i = 0; i < count && out.is_short; i++) {
        out.lengths[i] = strlen(texts[i]);
        out.is_short = out.lengths[i] <= WORD_SIZE;
        if (out.is_short) {
            memcpy(&out.words[i], texts[i], out.lengths[i]);
        }
    }
    return out;
}

static int32_t search(const name_list *names, const char *text, size_t length) {
    for (size_t i = 0; i < names->count; i++) {
        if (strlen(names->texts[i]) == length && memcmp(names->texts[i], text, length) == 0) {
            return (int32_t)i;
        }
    }
    return -1;
}

/* Returns the code of a text of `length` bytes; -1 if the text is not a name. `readable` bytes may
 * be read from `text` on. Groups come in random order, which defeats branch prediction, so short
 * names are compared without branches. */
static inline int32_t find(const name_list *names, const char *text, size_t length,
                           size_t readable) {
    if (!names->is_short || length > WORD_SIZE || readable < WORD_SIZE) {
        return search(names, text, length);
    }
    uint64_t word;
    int32_t found = 0; /* code of the name, plus 1; 0 if no name was found */
    memcpy(&word, text, WORD_SIZE);
    word &= names->masks[length];
    for (size_t i = 0; i < names->count; i++) {
        uint64_t difference = (word ^ names->words[i]) | (length ^ names->lengths[i]);
        found |= (int32_t)(i + 1) & -(int32_t)(difference == 0);
    }
    return found - 1;
}

static dp2dp_status prepare_values(name_list *names, dp2dp_error *error) {
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

dp2dp_status dp2dp_table_codes(const struct ArrowArray *column, const char *const *given,
                               size_t count, int32_t *codes, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    if (column == NULL || (given == NULL && count > 0) || codes == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "column, names and codes must not be NULL");
    }
    if (column->length == 0) {
        return DP2DP_STATUS_OK;
    }
    name_list names = names_of(given, count);
    const int32_t *offsets = (const int32_t *)column->buffers[1] + column->offset;
    const unsigned char *valid = column->buffers[0];
    const char *bytes = column->buffers[2];
    size_t rows = (size_t)column->length, end = (size_t)offsets[rows];
    for (size_t i = 0; i < rows; i++) {
        size_t at = (size_t)offsets[i], length = (size_t)offsets[i + 1] - at;
        const char *text = length ? bytes + at : "";
        codes[i] = find(&names, text, length, length ? end - at : 0);
        if (codes[i] < 0) {
            if (!names.has_values) {
                DP2DPI_TRY_OR_DONE(prepare_values(&names, error));
            }
            codes[i] = dp2dpi_lookup_find_value(&names.by_value, text, length);
        }
    }
    for (size_t i = 0; valid && i < rows; i++) {
        size_t at = (size_t)column->offset + i;
        codes[i] = valid[at / 8] >> (at % 8) & 1 ? codes[i] : -1;
    }
done:
    dp2dpi_free(names.meanings);
    dp2dpi_free(names.keys);
    return status;
}
