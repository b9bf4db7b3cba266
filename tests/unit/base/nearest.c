/* The word that a misspelled one was meant to be. */
#include "support.h"

#include <dp2dp/words.h>

static void expect(const char *typed, const char *wanted) {
    static const char *const words[] = {"epsilon", "delta", "population", "people", "out", "note"};
    const char *found = dp2dp_word_nearest(typed, words, sizeof words / sizeof *words);
    if (wanted) {
        assert_non_null(found);
        assert_string_equal(found, wanted);
    } else {
        assert_null(found);
    }
}

TEST(two_slips_are_forgiven) {
    expect("epsilom", "epsilon");
    expect("espilon", "epsilon");
    expect("eplison", "epsilon");
    expect("dleta", "delta");
    expect("deltaa", "delta");
    expect("pepole", "people");
}

TEST(the_beginning_of_a_word_is_enough) {
    expect("pop", "population");
    expect("output", "out");
    expect("po", NULL);
}

TEST(what_is_far_from_every_word_is_not_guessed) {
    expect("frobnicate", NULL);
    expect("", NULL);
    expect("x", NULL);
    expect(NULL, NULL);
    char longest[100];
    memset(longest, 'a', sizeof longest);
    longest[99] = '\0';
    expect(longest, NULL);
    assert_null(dp2dp_word_nearest("delta", NULL, 0));
}

TEST(of_two_words_that_are_equally_near_the_same_first_letter_wins) {
    static const char *const words[] = {"bat", "cat"};
    assert_string_equal(dp2dp_word_nearest("cats", words, 2), "cat");
    static const char *const swapped[] = {"tore", "sore"};
    assert_string_equal(dp2dp_word_nearest("sare", swapped, 2), "sore");
}
