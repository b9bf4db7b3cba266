/* Words for enum values: word and value determine each other, and an error for an unknown word
 * lists the known ones. */
#include "support.h"

#include <dp2dp/dp2dp.h>

enum {
    TABLES = DP2DP_WORDS_MISSING,
    CRITERIA = 5
};

TEST(words_lead_both_ways_in_every_table) {
    for (int t = 1; t <= TABLES; t++) {
        dp2dp_word_table table = (dp2dp_word_table)t;
        size_t count;
        const dp2dp_word *words = dp2dp_words(table, &count);
        assert_true(count >= 2);
        for (size_t i = 0; i < count; i++) {
            int value = -77;
            assert_true(strlen(words[i].word) > 0);
            assert_ok(dp2dp_word_parse(table, words[i].word, &value, &test_error));
            assert_int_equal(value, words[i].value);
            if (table == DP2DP_WORDS_CRITERION && i >= CRITERIA) {
                continue; /* another name for one of the criteria before it */
            }
            assert_ptr_equal(dp2dp_word_find(table, value), &words[i]);
            assert_string_equal(dp2dp_word_name(table, value), words[i].word);
        }
        assert_null(dp2dp_word_name(table, -77));
    }
}

/* Written by hand: files contain the words and programs the values, so neither may change. */
TEST(words_and_values_are_pinned) {
    static const struct {
        dp2dp_word_table table;
        int first;
        const char *words[7];
    } pinned[] = {
        {DP2DP_WORDS_MECHANISM,
         1,
         {"gaussian", "poisson", "without-replacement", "with-replacement", "declared", "exposed"}},
        {DP2DP_WORDS_ADJACENCY, 1, {"replace-one", "add-remove"}},
        {DP2DP_WORDS_BACKEND, 0, {"auto", "analytic", "pld", "rdp"}},
        {DP2DP_WORDS_SOLVER, 1, {"counts", "exact", "sgd", "sgd-as-published"}},
        {DP2DP_WORDS_METHOD, 1, {"dpgd", "dpsgd", "output", "none", "external"}},
        {DP2DP_WORDS_RNG, 1, {"secure", "insecure"}},
        {DP2DP_WORDS_ROW_SUMS, 0, {"check", "normalize"}},
        {DP2DP_WORDS_SAMPLING_UNIT, 0, {"rows", "persons"}},
        {DP2DP_WORDS_ENTRY, 1, {"charge", "budget", "published"}},
        {DP2DP_WORDS_RULE, 0, {"offset", "linear", "weighted"}},
        {DP2DP_WORDS_COUNTED, 0, {"labels", "scores"}},
        {DP2DP_WORDS_DITHER_KEY, 0, {"row", "scores", "id"}},
        {DP2DP_WORDS_TARGET, 0, {"label", "group", "group-label"}},
        {DP2DP_WORDS_SWEEP_PEOPLE, 1, {"other", "public", "exposed"}},
        {DP2DP_WORDS_EXPORT, 1, {"duckdb", "postgresql", "sqlite", "spark", "onnx", "c-header"}},
        {DP2DP_WORDS_TERM, 1, {"gradient", "row", "slope"}},
    };
    for (size_t t = 0; t < sizeof pinned / sizeof *pinned; t++) {
        size_t count;
        assert_non_null(dp2dp_words(pinned[t].table, &count));
        for (size_t i = 0; i < count; i++) {
            assert_string_equal(dp2dp_word_name(pinned[t].table, pinned[t].first + (int)i),
                                pinned[t].words[i]);
        }
        assert_null(pinned[t].words[count]);
    }
}

TEST(unknown_words_are_refused_with_the_list_of_known_ones) {
    static const char *const wrong[] = {NULL,       "",        "Gaussian",     "gaussian ",
                                        "poissonn", "replace", "counts, exact"};
    for (int t = 1; t <= TABLES; t++) {
        dp2dp_word_table table = (dp2dp_word_table)t;
        size_t count;
        const dp2dp_word *words = dp2dp_words(table, &count);
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            dp2dp_error error = {0};
            int value = 77;
            assert_status(dp2dp_word_parse(table, wrong[i], &value, &error), ARGUMENT);
            assert_int_equal(value, 77);
            /* There are more reasons and warnings than a message has room for. */
            int is_whole = table != DP2DP_WORDS_REASON && table != DP2DP_WORDS_WARNING;
            for (size_t w = 0; w < (is_whole ? count : 10); w++) {
                assert_says(error.message, words[w].word);
            }
            assert_int_equal(strstr(error.message, ", ...") == NULL, is_whole);
        }
    }
}

TEST(tables_that_do_not_exist_have_no_words) {
    static const int none[] = {0, -1, TABLES + 1, 1000};
    for (int i = 0; i < 4; i++) {
        size_t count = 1;
        int value = 77;
        assert_null(dp2dp_words((dp2dp_word_table)none[i], &count));
        assert_int_equal(count, 0);
        assert_null(dp2dp_word_name((dp2dp_word_table)none[i], 1));
        assert_status(dp2dp_word_parse((dp2dp_word_table)none[i], "auto", &value, NULL), ARGUMENT);
    }
    assert_status(dp2dp_word_parse(DP2DP_WORDS_BACKEND, "auto", NULL, NULL), ARGUMENT);
}

/* Checks the functions of one type. An unknown word does not change the value. */
#define assert_typed(type, word, expected)                         \
    do {                                                           \
        type value = (type)77;                                     \
        assert_status(type##_parse("no", &value, NULL), ARGUMENT); \
        assert_int_equal(value, 77);                               \
        assert_ok(type##_parse(word, &value, &test_error));        \
        assert_int_equal(value, expected);                         \
        assert_string_equal(type##_name(value), word);             \
        assert_null(type##_name((type)77));                        \
    } while (0)

TEST(every_type_has_its_own_functions) {
    assert_typed(dp2dp_mechanism, "poisson", DP2DP_POISSON);
    assert_typed(dp2dp_adjacency, "add-remove", DP2DP_ADD_REMOVE);
    assert_typed(dp2dp_backend, "pld", DP2DP_BACKEND_PLD);
    assert_typed(dp2dp_solver, "exact", DP2DP_SOLVER_EXACT);
    assert_typed(dp2dp_train_method, "output", DP2DP_TRAIN_OUTPUT);
    assert_typed(dp2dp_not_private, "no-noise", DP2DP_NOT_PRIVATE_NO_NOISE);
    assert_typed(dp2dp_rng_kind, "insecure", DP2DP_RNG_INSECURE);
}
