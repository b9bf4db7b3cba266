#include "support.h"

#include "export/protobuf.h"

static void clear_text(dp2dpi_text *t) {
    dp2dpi_text_clear(t);
}
#define WRITER __attribute__((cleanup(clear_text))) dp2dpi_text

/* The bytes are those of the examples in the documentation of Protocol Buffers. */
TEST(numbers_texts_and_messages_have_the_documented_bytes) {
    WRITER t = {0}, inner = {0};
    dp2dpi_protobuf_int(&t, 1, 150);
    dp2dpi_protobuf_string(&t, 2, "testing");
    dp2dpi_protobuf_int(&inner, 1, 150);
    dp2dpi_protobuf_message(&t, 3, &inner);
    static const char bytes[] = "\x08\x96\x01\x12\x07testing\x1a\x03\x08\x96\x01";
    assert_int_equal(t.length, sizeof bytes - 1);
    assert_memory_equal(t.bytes, bytes, t.length);
    assert_null(inner.bytes);
}

TEST(a_negative_number_has_ten_bytes) {
    WRITER t = {0};
    dp2dpi_protobuf_int(&t, 20, -2);
    static const char bytes[] = "\xa0\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01";
    assert_int_equal(t.length, sizeof bytes - 1);
    assert_memory_equal(t.bytes, bytes, t.length);
}

TEST(a_failure_of_a_part_is_a_failure_of_the_whole) {
    WRITER t = {0};
    dp2dpi_text inner = {.status = DP2DP_STATUS_MEMORY};
    dp2dpi_protobuf_message(&t, 1, &inner);
    dp2dpi_text_put(&t, "nothing more");
    assert_int_equal(t.status, DP2DP_STATUS_MEMORY);
    assert_int_equal(t.length, 0);
}
