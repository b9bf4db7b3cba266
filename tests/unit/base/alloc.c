/* Allocation, string copies and wiping. */
#include "support.h"

#include "base/alloc.h"

TEST(allocation_is_zero_filled) {
    enum {
        LENGTH = 1000
    };
    /* Fills and frees a block of the same size first, so that a new block is not zero by chance. */
    unsigned char *dirty = dp2dpi_alloc(LENGTH, 1);
    assert_non_null(dirty);
    memset(dirty, 0xff, LENGTH);
    dp2dpi_free(dirty);
    unsigned char *memory = dp2dpi_alloc(LENGTH, 1);
    assert_non_null(memory);
    for (size_t i = 0; i < LENGTH; i++) {
        assert_int_equal(memory[i], 0);
    }
    dp2dpi_free(memory);
}

TEST(allocation_that_overflows_is_refused) {
    /* 2^(w/2) * 2^(w/2) wraps to 0 and 2^(w/2) * (2^(w/2) + 1) to a small number. */
    const size_t half = (size_t)1 << (sizeof(size_t) * 4);
    assert_null(dp2dpi_alloc(half, half));
    assert_null(dp2dpi_alloc(half, half + 1));
    assert_null(dp2dpi_alloc(SIZE_MAX, 2));
    assert_null(dp2dpi_alloc((size_t)PTRDIFF_MAX + 1, 1));
}

TEST(allocation_failure_names_what_it_was_for) {
    int here;
    void *out = &here;
    assert_status(dp2dpi_alloc_for("the count table", SIZE_MAX, 8, &out, &test_error), MEMORY);
    assert_null(out);
    assert_int_equal(test_error.status, DP2DP_STATUS_MEMORY);
    assert_says(test_error.message, "the count table");
}

TEST(empty_allocation_is_a_valid_pointer) {
    void *none = dp2dpi_alloc(0, 8);
    assert_non_null(none);
    dp2dpi_free(none);
    dp2dpi_free(NULL);
}

TEST(string_copy_is_equal_and_separate) {
    char text[] = "group counts";
    char *copy = NULL;
    assert_ok(dp2dpi_strdup(text, &copy, NULL));
    text[0] = 'G';
    assert_string_equal(copy, "group counts");
    dp2dpi_free(copy);
}

TEST(copy_of_no_string_is_no_string) {
    char here = 'x';
    char *copy = &here;
    assert_ok(dp2dpi_strdup(NULL, &copy, NULL));
    assert_null(copy);
}

TEST(wipe_clears_its_bytes_and_no_others) {
    unsigned char memory[64];
    memset(memory, 0xa5, sizeof memory);
    dp2dpi_wipe(memory + 8, 48);
    for (size_t i = 0; i < sizeof memory; i++) {
        assert_int_equal(memory[i], i >= 8 && i < 56 ? 0 : 0xa5);
    }
}
