#include "support.h"

#include "base/text.h"

TEST(long_texts_grow_and_quotes_are_doubled) {
    dp2dpi_text t = {0};
    for (int i = 0; i < 5000; i++) {
        dp2dpi_text_put(&t, "0123456789");
    }
    assert_int_equal(t.length, 50000);
    assert_int_equal(strlen(t.bytes), 50000);
    dp2dpi_text_clear(&t);
    dp2dpi_text_quoted(&t, "a'b\n''", '\'');
    dp2dpi_text_format(&t, " %d", 7);
    assert_string_equal(t.bytes, "'a''b\n''''' 7");
    dp2dpi_text_clear(&t);
}
