/* Levels are found by text, or by value where all levels are numbers. */
#include "support.h"

#include "base/lookup.h"

static const char *key_of(const char *text) {
    static char key[DP2DPI_NUMBER_KEY_SIZE];
    key[0] = '\0';
    size_t length = dp2dpi_number_key(text, strlen(text), key);
    assert_int_equal(length, strlen(key));
    return key;
}

TEST(texts_of_one_number_have_one_key) {
    static const char *const same[][8] = {
        {"1e0", "1", "1.0", "01", "+1", "1.", "10e-1", ".1E1"},
        {"0", "0", "-0", "0.0", "000", "0e99", "+.0", "-0.e-5"},
        {"-12e-1", "-1.2", "-01.20", "-12e-1", "-.12e+1", "-0.012e2", "-120e-2", "-1.2e0"},
        {"12e2", "1200", "1200.0", "1.2e3", "0.12e4", "12e+2", "+1200", "1200e0"},
        {"1001e-3", "1.001", "1.0010", "01.001", "1001e-3", ".1001e1", "1001.e-3", "+1.001"},
        {"12345678901234567891e0", "12345678901234567891", "012345678901234567891.0",
         "1.2345678901234567891e19", "12345678901234567891.", "+12345678901234567891",
         "123456789012345678910e-1", "0.12345678901234567891e20"},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        for (size_t j = 1; j < 8; j++) {
            assert_string_equal(key_of(same[i][j]), same[i][0]);
        }
    }
}

TEST(what_is_no_plain_number_has_no_key) {
    static const char *const wrong[] = {"",     "-",   "+",   ".",       "e5",       "1e",   "1e+",
                                        "1e5x", " 1",  "1 ",  "1,0",     "0x10",     "inf",  "nan",
                                        "1..0", "--1", "1-2", "1e99999", "1e-99999", "1_000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_string_equal(key_of(wrong[i]), "");
    }
    assert_string_equal(key_of("123456789012345678912"), ""); /* 21 digits are never rounded */
    char zeros[12000];
    memset(zeros, '0', sizeof zeros);
    char key[DP2DPI_NUMBER_KEY_SIZE];
    assert_int_equal(dp2dpi_number_key(zeros, sizeof zeros, key), 0);
    memset(zeros, '9', 20);
    zeros[9990] = 'e';
    memcpy(zeros + 9991, "9999", 4);
    assert_int_equal(dp2dpi_number_key(zeros, 9995, key), 26);
    assert_string_equal(key, "99999999999999999999e19969");
}

enum {
    MOST = 4
};

/* The level of a text in a list of levels, with the alias "yes" or, if it is given, another one for
 * level 1. */
static int32_t level_of(const char *const *levels, size_t count, const char *alias,
                        const char *text) {
    dp2dpi_meaning meanings[MOST + 1], by_value[MOST + 1];
    char keys[MOST + 1][DP2DPI_NUMBER_KEY_SIZE];
    dp2dpi_lookup texts = {meanings, count + 1}, values = {NULL, 0};
    for (size_t i = 0; i <= count; i++) {
        const char *name = i < count ? levels[i] : alias;
        meanings[i] = (dp2dpi_meaning) {name, strlen(name), i < count ? (int32_t)i : 1};
    }
    assert_true(dp2dpi_lookup_sort(&texts));
    if (dp2dpi_all_numbers(levels, count)) {
        dp2dpi_lookup_by_value(&texts, by_value, keys, &values);
    }
    int32_t level = dp2dpi_lookup_find(&texts, text, strlen(text));
    return level >= 0 ? level : dp2dpi_lookup_find_value(&values, text, strlen(text));
}

TEST(a_list_of_numbers_is_searched_by_value) {
    static const char *const levels[] = {"0", "1", "2.5"};
    assert_int_equal(level_of(levels, 3, "yes", "1.0"), 1);
    assert_int_equal(level_of(levels, 3, "yes", "00"), 0);
    assert_int_equal(level_of(levels, 3, "yes", "25e-1"), 2);
    assert_int_equal(level_of(levels, 3, "yes", "yes"), 1);
    assert_int_equal(level_of(levels, 3, "yes", "1.5"), -1);
    assert_int_equal(level_of(levels, 3, "yes", "no"), -1);
    assert_int_equal(level_of(levels, 3, "7", "7.0"), 1);   /* an alias that is a number */
    assert_int_equal(level_of(levels, 3, "1.0", "01"), 1);  /* the same number, the same level */
    assert_int_equal(level_of(levels, 3, "0.0", "00"), -1); /* one number, two levels: text */
    assert_int_equal(level_of(levels, 3, "0.0", "0.0"), 1);
}

TEST(other_lists_are_searched_by_text_alone) {
    static const char *const mixed[] = {"0", "1", "2+"}, *const postcodes[] = {"01234", "1234",
                                                                               "99"};
    assert_int_equal(level_of(mixed, 3, "yes", "1"), 1);
    assert_int_equal(level_of(mixed, 3, "yes", "1.0"), -1);
    assert_int_equal(level_of(postcodes, 3, "yes", "01234"), 0);
    assert_int_equal(level_of(postcodes, 3, "yes", "1234"), 1);
    assert_int_equal(level_of(postcodes, 3, "yes", "1234.0"), -1);
    assert_int_equal(level_of(postcodes, 3, "yes", "099"), -1);
}

TEST(a_number_with_and_without_a_point_is_one_name) {
    static const struct {
        const char *names[3], *first, *second;
    } lists[] = {
        {{"1", "1.0", "2"}, "1", "1.0"},
        {{"2e0", "x", "2"}, "2", "2e0"},
        {{"01", "a", "1."}, "01", "1."},
        {{"01234", "1234", "99"}, NULL, NULL},
        {{"3.1", "3.10", "3.2"}, NULL, NULL},
        {{"1", "1.5", "15"}, NULL, NULL},
        {{"1", "one point zero", ".e"}, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const char *first, *second;
        assert_ok(dp2dpi_names_same_number(lists[i].names, 3, &first, &second, &test_error));
        assert_int_equal(first == NULL, lists[i].first == NULL);
        if (first && lists[i].first) {
            assert_string_equal(first, lists[i].first);
            assert_string_equal(second, lists[i].second);
        }
    }
}
