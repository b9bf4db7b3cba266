/* base: allocation reports its failures and overflows, and leaves nothing behind. */
#include "fault/fault_alloc.h"

static dp2dp_status copy_string(size_t at, fault_mode how) {
    char *copy = (char *)&copy;
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_strdup("text", &copy, NULL);
    assert_int_equal(copy == NULL, fault_happened);
    dp2dpi_free(copy);
    return status;
}

static dp2dp_status make_array(size_t at, fault_mode how) {
    void *array = &array;
    dp2dp_error error = {0};
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_alloc_for("the array", 10, 8, &array, &error);
    if (fault_happened) {
        assert_null(array);
        assert_says(error.message, "the array");
    }
    dp2dpi_free(array);
    return status;
}

TEST(a_failed_allocation_is_reported) {
    assert_int_equal(fault_every_allocation(copy_string), 1);
    assert_int_equal(fault_every_allocation(make_array), 1);
}

TEST(an_overflowing_size_never_reaches_the_allocator) {
    void *array = &array;
    fault_arm(SIZE_MAX, FAULT_ONCE);
    assert_null(dp2dpi_alloc(SIZE_MAX / 2, 3));
    assert_status(dp2dpi_alloc_for("x", SIZE_MAX, SIZE_MAX, &array, NULL), MEMORY);
    assert_null(array);
    assert_int_equal(fault_seen, 0);
}
