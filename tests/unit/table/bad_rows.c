/* Tests that bad rows are null where they are ignored, and that a damaged file is refused all the
 * same. */
#include "unit/table/data.h"

static wanted *ignoring(wanted *w, size_t chunk_rows) {
    w->options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    w->options.chunk_rows = chunk_rows;
    return w;
}

/* Reads the table with small and large buffers and batches. */
static void expect_all_ways(wanted *w, const char *expected) {
    static const size_t blocks[] = {1, 7, 64, 0}, chunks[] = {1, 3, 1000};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        for (size_t j = 0; j < sizeof chunks / sizeof *chunks; j++) {
            OWNED(cells) c = read_path(table_path, ignoring(w, chunks[j]), blocks[i]);
            assert_int_equal(c.code, 0);
            assert_string_equal(c.text, expected);
        }
    }
}

TEST(a_row_with_a_value_that_cannot_be_read_is_null) {
    write_text("a,b,c\n1,x,2\nnan,x,2\n,x,2\n1,\xff,2\n1,x,1e999\n1,NA,NA\nSECRET,\xff,0x1\n"
               "\"1 \",\"x\ny\",3\n\"x\ny\",z,4\n5,x,6\n");
    expect_all_ways(WANT_MARKED("#a,b,#c", "NA"),
                    "1|x|2|/bad/bad/bad/bad/1|~|~|/bad/1|x\ny|3|/bad/5|x|6|/");
}

TEST(no_record_changes_the_words_about_a_missing_column) {
    static const char *const tables[] = {"# remark\na,b\n1,2\n", "# remark\n3,4\n1,2\n"};
    char words[2][DP2DP_ERROR_MESSAGE_SIZE];
    struct ArrowArrayStream stream;
    for (size_t i = 0; i < 2; i++) {
        write_text(tables[i]);
        wanted *w = ignoring(WANT("#a,#b"), 1);
        assert_fails(dp2dp_table_open(table_path, &w->options, &stream, &test_error), DATA, "#");
        memcpy(words[i], test_error.message, sizeof words[i]);
    }
    assert_string_equal(words[0], words[1]);
}

TEST(a_column_that_is_not_read_makes_no_row_bad) {
    write_text("a,b\n1,\xff\n2,x\n");
    expect_all_ways(WANT("#a"), "1|/2|/");
}

TEST(only_the_struct_says_which_rows_are_bad) {
    struct ArrowArrayStream stream;
    struct ArrowSchema type;
    struct ArrowArray batch;
    write_text("a\n1\nx\n");
    for (int ignore = 0; ignore < 2; ignore++) {
        wanted *w = WANT("#a");
        w->options.bad_rows = ignore ? DP2DP_BAD_ROWS_IGNORE : DP2DP_BAD_ROWS_REFUSE;
        assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
        assert_int_equal(stream.get_schema(&stream, &type), 0);
        assert_int_equal(type.flags, ignore ? ARROW_FLAG_NULLABLE : 0);
        type.release(&type);
        assert_int_equal(stream.get_next(&stream, &batch), ignore ? 0 : EINVAL);
        if (ignore) {
            assert_int_equal(batch.null_count, 1);
            assert_int_equal(batch.children[0]->null_count, 0);
            assert_true(isnan(((const double *)batch.children[0]->buffers[1])[1]));
            batch.release(&batch);
        }
        stream.release(&stream);
    }
}

TEST(damage_that_changes_where_rows_begin_is_refused) {
    static const char *const tables[] = {"a,b\n1,x\n2\n3,x\n",       "a,b\n1,x\n2,x,y\n3,x\n",
                                         "a,b\n1,x\n\n3,x\n",        "a,b\n1,x\n2,\"x\n3,x\n",
                                         "a,b\n1,x\n2,x\"y\n3,x\n",  "a,b\n1,x\n2,\"x\"y\n3,x\n",
                                         "a,b\n1,x\n2,x\r3,x\n4,x\n"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        write_text(tables[i]);
        OWNED(cells) c = read_path(table_path, ignoring(WANT("#a,b"), 1000), 0);
        assert_int_equal(c.code, EINVAL);
    }
    write_table("a,b\n1,x\n2,\0\n", 12);
    OWNED(cells) c = read_path(table_path, ignoring(WANT("#a,b"), 1000), 0);
    assert_int_equal(c.code, EINVAL);
}

/* Long enough for two threads; the bad rows are not where a thread begins to guess. */
TEST(two_threads_find_the_same_bad_rows) {
    enum {
        ROWS = 150000
    };
    size_t used = 4, bad = 0, found = 0, rows = 0;
    FREED char *text = malloc((size_t)ROWS * 64);
    assert_non_null(text);
    memcpy(text, "a,b\n", 4);
    for (size_t i = 0; i < ROWS; i++) {
        bad += i % 777 == 5;
        used += (size_t)sprintf(text + used,
                                i % 777 == 5 ? "\"t%zu\nx,1\n\",SECRET\n"
                                : i % 3 == 0 ? "\"t%zu\nx,z\ny,2\n\",7\n"
                                             : "t%zu,12.25\n",
                                i);
    }
    write_table(text, used);
    wanted *w = ignoring(WANT("a,#b"), 20000);
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    assert_ok(dp2dp_table_open(table_path, &w->options, &stream, &test_error));
    while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
        for (int64_t i = 0; i < batch.length; i++, rows++) {
            assert_int_equal(is_null(&batch, i), rows % 777 == 5);
            found += rows % 777 == 5;
        }
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(rows, ROWS);
    assert_int_equal(found, bad);
}

/* Writes an NPY file of int64 with two columns, in C or Fortran order. */
static void save_integers(const int64_t *values, size_t rows, int fortran) {
    char bytes[512], header[119];
    int length = snprintf(header, sizeof header,
                          "{'descr': '<i8', 'fortran_order': %s, 'shape': (%zu, 2), }",
                          fortran ? "True" : "False", rows);
    memcpy(bytes, "\x93NUMPY\x01\x00\x76\x00", 10);
    memset(bytes + 10, ' ', 117);
    memcpy(bytes + 10, header, (size_t)length);
    bytes[127] = '\n';
    memcpy(bytes + 128, values, rows * 16);
    write_table(bytes, 128 + rows * 16);
}

TEST(an_item_of_an_array_that_cannot_be_read_makes_its_row_null) {
    const int64_t far = INT64_C(1) << 60;
    save_integers((const int64_t[]) {1, 2, far, 4, 5, far, 7, 8}, 4, 0);
    expect_all_ways(WANT("#0,#1"), "1|2|/bad/bad/7|8|/");
    save_integers((const int64_t[]) {1, far, 5, 7, 2, 4, far, 8}, 4, 1);
    expect_all_ways(WANT("#0,#1"), "1|2|/bad/bad/7|8|/");
}

TEST(another_value_of_the_option_is_refused) {
    wanted *w = WANT("#a");
    struct ArrowArrayStream stream;
    write_text("a\n1\n");
    w->options.bad_rows = (dp2dp_bad_rows)2;
    assert_fails(dp2dp_table_open(table_path, &w->options, &stream, &test_error), ARGUMENT,
                 "bad_rows = 2");
}
