/* The sampler against an independent sampler with exact fractions, bit for bit on the same random
 * words (tapes). noise_tape.py makes noise_tape.csv; docs/proofs/discrete-gaussian.md defines the
 * tapes and how words are read. */
#include "draw.h"
#include "support.h"

#include <inttypes.h>

#include "noise/exact.h"
#include "noise/noise.h"

enum {
    ROWS_MAX = 6000,
    TAPE_MAX = 20000
};

typedef struct row {
    char tape[8];
    uint64_t seed, scale;
    int64_t value;
    uint64_t words;
} row;

static row rows[ROWS_MAX];
static size_t row_count;
static uint64_t tape[TAPE_MAX];

/* Word i of the tape that begins with this row. */
static uint64_t tape_word(const row *first, uint64_t i) {
    uint64_t state = first->seed + i * UINT64_C(0x9E3779B97F4A7C15), m = draw(&state);
    if (strcmp(first->tape, "plain") == 0) {
        return m;
    }
    uint64_t b = m & 8 ? 2 * first->scale : first->scale;
    switch (m % 8) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return (uint64_t)((((dp2dpi_uint128)((m >> 4) % b) << 64) + (b - 1)) / b);
    default:
        return m;
    }
}

/* Reads a line of the table; returns 0 if it is not a row. */
static int parse_row(char *line, row *r) {
    char *end = strchr(line, ',');
    if (end == NULL || (size_t)(end - line) >= sizeof r->tape) {
        return 0;
    }
    memcpy(r->tape, line, (size_t)(end - line));
    r->seed = strtoull(end + 1, &end, 10);
    r->scale = *end == ',' ? strtoull(end + 1, &end, 10) : 0;
    r->value = *end == ',' ? strtoll(end + 1, &end, 10) : 0;
    r->words = *end == ',' ? strtoull(end + 1, &end, 10) : 0;
    return *end == '\n' && r->words > 0;
}

FIXTURE(read_rows) {
    char line[160];
    FILE *file = fopen(DP2DP_TEST_DIR "/reference/noise_tape.csv", "r");
    if (file == NULL) {
        return 1;
    }
    int readable = fgets(line, sizeof line, file) != NULL;
    while (readable && row_count < ROWS_MAX && fgets(line, sizeof line, file)) {
        readable = parse_row(line, &rows[row_count++]);
    }
    return fclose(file) != 0 || !readable;
}

/* Fills `tape` with the words of the tape that begins at row `first`, and one more. Returns how
 * many rows it has, and in *words how many words they read together. */
static size_t block_at(size_t first, size_t *words) {
    size_t n = 0;
    *words = 0;
    while (first + n < row_count && rows[first + n].seed == rows[first].seed &&
           strcmp(rows[first + n].tape, rows[first].tape) == 0) {
        *words += (size_t)rows[first + n].words;
        n++;
    }
    assert_true(*words + 1 <= TAPE_MAX);
    for (size_t i = 0; i <= *words; i++) {
        tape[i] = tape_word(&rows[first], i);
    }
    return n;
}

static size_t unread(const dp2dpi_rng *rng) {
    return rng->tape_left + (size_t)rng->state->left;
}

TEST(the_file_covers_both_tapes_and_all_scales) {
    assert_int_equal(row_count, 2 * 9 * 250);
    size_t blocks = 0, words;
    for (size_t first = 0; first < row_count; first += block_at(first, &words)) {
        blocks++;
    }
    assert_int_equal(blocks, 2 * 9);
}

TEST(every_draw_and_its_word_count_match_the_independent_sampler) {
    size_t words, n;
    for (size_t first = 0; first < row_count; first += n) {
        n = block_at(first, &words);
        HANDLE(dp2dpi_rng) *rng = taped_rng(tape, words + 1);
        for (size_t i = first; i < first + n; i++) {
            int64_t drawn;
            size_t before = unread(rng);
            assert_ok(dp2dpi_noise_gaussian(rng, rows[i].scale, 1, &drawn, NULL));
            if (drawn != rows[i].value || before - unread(rng) != rows[i].words) {
                fail_msg("row %zu: drew %" PRId64 " from %zu words", i + 2, drawn,
                         before - unread(rng));
            }
        }
        assert_int_equal(unread(rng), 1);
    }
}

TEST(one_call_for_many_draws_reads_the_same_words) {
    static int64_t drawn[ROWS_MAX];
    size_t words, n;
    for (size_t first = 0; first < row_count; first += n) {
        n = block_at(first, &words);
        HANDLE(dp2dpi_rng) *rng = taped_rng(tape, words);
        assert_ok(dp2dpi_noise_gaussian(rng, rows[first].scale, n, drawn, NULL));
        assert_int_equal(unread(rng), 0);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(drawn[i], rows[first + i].value);
        }
    }
}

TEST(a_tape_one_word_short_fails_and_zeroes_all_draws) {
    static int64_t drawn[ROWS_MAX];
    size_t words, n;
    for (size_t first = 0; first < row_count; first += n) {
        n = block_at(first, &words);
        memset(drawn, 0x55, sizeof drawn);
        HANDLE(dp2dpi_rng) *rng = taped_rng(tape, words - 1);
        assert_status(dp2dpi_noise_gaussian(rng, rows[first].scale, n, drawn, NULL), ENTROPY);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(drawn[i], 0);
        }
    }
}

GROUP(read_rows, NULL)
