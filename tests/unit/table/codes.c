/* dp2dp_table_codes finds texts in a list of names, as a schema finds levels. */
#include "unit/table/data.h"

/* Reads the column "s" of the table and looks for its texts, `chunk` rows at a time. */
static void expect_codes(const char *table, const char *const *names, size_t count, size_t chunk,
                         const int32_t *expected, size_t rows) {
    static const char *const markers[] = {"?"};
    wanted *w = WANT("s");
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    int32_t codes[16];
    size_t row = 0;
    write_text(table);
    w->options.missing = markers;
    w->options.missing_count = 1;
    w->options.chunk_rows = chunk;
    assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
    while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
        assert_ok(dp2dp_table_codes(batch.children[0], names, count, codes, &test_error));
        for (int64_t i = 0; i < batch.length; i++, row++) {
            assert_int_equal(codes[i], expected[row]);
        }
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(row, rows);
}

#define EXPECT(table, names, ...)                                                           \
    do {                                                                                    \
        static const int32_t codes[] = {__VA_ARGS__};                                       \
        for (size_t chunk = 1; chunk <= 16; chunk += 3) {                                   \
            expect_codes("s\n" table, names, sizeof(names) / sizeof *(names), chunk, codes, \
                         sizeof codes / sizeof *codes);                                     \
        }                                                                                   \
    } while (0)

TEST(texts_are_found_by_their_bytes) {
    static const char *const sexes[] = {"F", "M", "a much longer name"};
    EXPECT("M\nF\n?\na much longer name\nf\n1\nMM\n", sexes, 1, 0, -1, 2, -1, -1, -1);
    static const char *const many[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};
    EXPECT("j\na\nx\n", many, 9, 0, -1);
}

TEST(numbers_are_found_by_their_value) {
    static const char *const groups[] = {"-1", "1"};
    EXPECT("1\n1.0\n-1.00\n+1\n2\n?\n01\nx\n10e-1\n", groups, 1, 1, 0, 1, -1, -1, 1, -1, 1);
    static const char *const many[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    EXPECT("9.0\n3\n10\n", many, 9, 3, -1);
}

TEST(text_stays_text) {
    static const char *const mixed[] = {"1", "2+"}, *const postcodes[] = {"01234", "1234"};
    EXPECT("1\n1.0\n2+\n", mixed, 0, -1, 1);
    EXPECT("01234\n1234\n1234.0\n", postcodes, 0, 1, -1);
}

TEST(arguments_must_not_be_null) {
    static const char *const names[] = {"a"};
    struct ArrowArray column = {.length = 0};
    int32_t code;
    assert_status(dp2dp_table_codes(NULL, names, 1, &code, &test_error), ARGUMENT);
    assert_status(dp2dp_table_codes(&column, NULL, 1, &code, &test_error), ARGUMENT);
    assert_status(dp2dp_table_codes(&column, names, 1, NULL, &test_error), ARGUMENT);
    assert_ok(dp2dp_table_codes(&column, names, 1, &code, &test_error));
}
