/* The insecure seeded generator gives the words in noise_rng.csv, which noise_rng.py makes. */
#include "support.h"

#include "rng/rng.h"

static uint64_t word_at(uint64_t seed, uint64_t index) {
    HANDLE(dp2dpi_rng) *rng = seeded_rng(seed);
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    uint64_t word = dp2dpi_rng_word(rng);
    for (uint64_t i = 0; i < index; i++) {
        word = dp2dpi_rng_word(rng);
    }
    assert_ok(dp2dpi_rng_end(rng, NULL));
    return word;
}

TEST(the_seeded_generator_gives_the_documented_words) {
    char line[128];
    int rows = 0;
    FILE *file = fopen(DP2DP_TEST_DIR "/reference/noise_rng.csv", "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        char *end;
        uint64_t seed = strtoull(line, &end, 10);
        assert_int_equal(*end, ',');
        uint64_t index = strtoull(end + 1, &end, 10);
        assert_int_equal(*end, ',');
        uint64_t word = strtoull(end + 1, &end, 16);
        assert_int_equal(*end, '\n');
        assert_true(word_at(seed, index) == word);
        rows++;
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rows, 4 * 11);
}
