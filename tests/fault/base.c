/* base: allocation reports its failures and overflows, and leaves nothing behind. */
#include "fault/fault_alloc.h"

TEST(a_failed_allocation_is_reported) {
    FAIL_EACH_ALLOCATION(1) {
        char *copy = (char *)&copy;
        FAULTY(dp2dpi_strdup("text", &copy, NULL));
        assert_int_equal(copy == NULL, fault_happened);
        dp2dpi_free(copy);
    }
    assert_int_equal(fault_run.failures, 1);
    FAIL_EACH_ALLOCATION(1) {
        void *array = &array;
        FAULTY(dp2dpi_alloc_for("the array", 10, 8, &array, &fault_error));
        if (fault_happened) {
            assert_null(array);
            assert_says(fault_error.message, "the array");
        }
        dp2dpi_free(array);
    }
    assert_int_equal(fault_run.failures, 1);
}

TEST(an_overflowing_size_never_reaches_the_allocator) {
    void *array = &array;
    fault_arm(SIZE_MAX, FAULT_ONCE);
    assert_null(dp2dpi_alloc(SIZE_MAX / 2, 3));
    assert_status(dp2dpi_alloc_for("x", SIZE_MAX, SIZE_MAX, &array, NULL), MEMORY);
    assert_null(array);
    assert_int_equal(fault_seen, 0);
}
