/* CSV as RFC 4180 defines it; everything else is refused. */
#include "unit/table/data.h"

/* Expected cells: Python 3's csv.reader(strict=True) on the same text without its byte order mark,
 * columns a and b. */
static const struct {
    const char *text, *cells;
} corpus[] = {
    {"a,b\n1,2\n", "1|2|/"},
    {"a,b\r\n1,2\r\n", "1|2|/"},
    {"a,b\n1,2", "1|2|/"},
    {"a,b\r\n1,2", "1|2|/"},
    {"a,b\n", ""},
    {"a,b", ""},
    {"a,b\n1,2\n\n", "1|2|/"},
    {"a,b\r\n1,2\r\n\r\n", "1|2|/"},
    {"a,b\n1,2\r\n3,4\n", "1|2|/3|4|/"},
    {"a,b\n\"1\",\"2\"\n", "1|2|/"},
    {"\"a\",\"b\"\n1,2\n", "1|2|/"},
    {"a,b\n\"x \"\"y\"\" z\",2\n", "x \"y\" z|2|/"},
    {"a,b\n\"\"\"\",\"\"\"\"\"\"\n", "\"|\"\"|/"},
    {"a,b\n\"\",\"\"\n", "||/"},
    {"a,b\n,\n", "||/"},
    {"a,b\n\"x\ny\",2\nz,3\n", "x\ny|2|/z|3|/"},
    {"a,b\n\"x\r\ny\",2\r\n", "x\r\ny|2|/"},
    {"a,b\n\"x,y\",\",\"\n", "x,y|,|/"},
    {"a,b\n x , y \n", " x | y |/"},
    {"a,b\n\"\n\n\",\"\r\"\n", "\n\n|\r|/"},
    {"\357\273\277a,b\n1,2\n", "1|2|/"},
    {"\357\273\277\"a\",b\n1,2\n", "1|2|/"},
    {"a,b\n\303\274bergro\303\237,\346\227\245\346\234\254\n",
     "\303\274bergro\303\237|\346\227\245\346\234\254|/"},
    {"a,b\n\"\360\237\230\200\",\"\303\251\"\"\"\n", "\360\237\230\200|\303\251\"|/"},
    {"c,b,a\n9,2,1\n8,4,3\n", "1|2|/3|4|/"},
    {"x,a,y,b,z\n\"q\nq\",1,\"\"\"\",2,\n,3,,4,\"\r\n\"\n", "1|2|/3|4|/"},
    {"a,b\n1,2\n\"3\",4\n5,\"6\"\n7,8\n", "1|2|/3|4|/5|6|/7|8|/"},
    {"a,b\n'1',it's\n", "'1'|it's|/"},
    {"a,b\n\\n,\\\n", "\\n|\\|/"},
    {"\"a\nb\",a,b\n0,1,2\n", "1|2|/"},
    {"a,b\n\"1\",\"2\"", "1|2|/"},
};

TEST(a_file_reads_as_python_reads_it_wherever_blocks_end) {
    for (size_t i = 0; i < sizeof corpus / sizeof corpus[0]; i++) {
        expect_cells_in_all_blocks(WANT("a,b"), corpus[i].text, corpus[i].cells);
    }
}

/* Column a is text, b a number. Malformed cells contain SECRET. */
static const struct {
    const char *text, *words;
} refused[] = {
    {"a,b\nx\n", "line 2: fewer fields"},
    {"a,b\nx,1\nx,1,2\n", "line 3: more fields"},
    {"a,b\n\"x\n\",1\nx,1,\n", "line 4: more fields"},
    {"a,b\n\"SECRET,1\nx,2\n", "line 2: a quote is opened and never closed"},
    {"a,\"b\n", "line 1: a quote is opened and never closed"},
    {"a,b\nSECRET\"x,1\n", "line 2, column \"a\": a quote inside a field"},
    {"a,b\n\"SECRET\"x,1\n", "line 2, column \"a\": text after a closing quote"},
    {"a,b\n\"SECRET\" ,1\n", "line 2, column \"a\": text after a closing quote"},
    {"a,b\nx,SECRET\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,1\n\"\n\n\",SECRET\n", "line 3, column \"b\": not a number"},
    {"a,b\nx,1SECRET\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,1 2\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,\"1\"\"\"\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,True\n", "not a number but a boolean: write 1 and 0"},
    {"a,b\nx, FALSE \n", "not a number but a boolean: write 1 and 0"},
    {"a,b\nx,trues\n", "line 2, column \"b\": not a number: "},
    {"a,b\nx,nan\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,-inf\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,Infinity\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,0x10\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,1e\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,.\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,--1\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,+\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,1_000\n", "line 2, column \"b\": not a number"},
    {"a,b\nx,1e309\n", "line 2, column \"b\": a number beyond the range"},
    {"a,b\nx,-2e308\n", "line 2, column \"b\": a number beyond the range"},
    {"a,b\nx,\n", "line 2, column \"b\": empty where a number is expected"},
    {"a,b\nx,\" \"\n", "line 2, column \"b\": empty where a number is expected"},
    {"a,b\nx\ry,1\n", "line 2, column \"a\": a carriage return without a line feed"},
    {"a,b\rx,1\r", "line 1, column 1 (counted from 0): a carriage return without a line feed"},
    {"a,b\nSECRET\xFF,1\n", "line 2, column \"a\": text that is not UTF-8"},
    {"a,b\nx\xC0\xAF,1\n", "line 2, column \"a\": text that is not UTF-8"},
    {"a,b\nx\xED\xA0\x80,1\n", "line 2, column \"a\": text that is not UTF-8"},
    {"a,b\nx\xF4\x90\x80\x80,1\n", "line 2, column \"a\": text that is not UTF-8"},
    {"a,b\nx\xE2\x82,1\n", "line 2, column \"a\": text that is not UTF-8"},
    {"a,b\nx,1\n\nx,2\n", "line 3: an empty line among the rows"},
    {"a,b\n\n\nx,2\n", "line 2: an empty line among the rows"},
    {"\na,b\nx,2\n", "line 1: an empty line where the table begins"},
    {"", "the file is empty"},
    {"\xEF\xBB\xBF", "the file is empty"},
    {"a,c\nx,1\n", "no column is named \"b\" in "},
    {"a,B\nx,1\n", "no column is named \"b\"; the nearest name is \"B\""},
    {"a, b\nx,1\n", "no column is named \"b\"; the nearest name is \" b\""},
    {"a,b\x1B\nx,1\n", "no column is named \"b\"; the nearest name is \"b?\""},
    {"SECRET,0.25\nSECRET,0.5\n", "no column is named \"a\" in "},
    {"a,b,a\nx,1,y\n", "several columns are named \"a\""},
    {"b,a,b\n1,x,2\n", "several columns are named \"b\""},
    {"a;b\nx;1\n", "no column is named \"a\""},
};

TEST(a_malformed_file_is_refused_with_line_and_column_and_no_value) {
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        expect_refusal_in_all_blocks(WANT("a,#b"), refused[i].text, refused[i].words);
    }
}

TEST(a_nul_byte_is_refused_in_any_column) {
    static const char in_text[] = "a,b,c\nx\0y,1,2\n", in_number[] = "a,b,c\nx,1\0,2\n";
    static const char skipped[] = "a,b,c\nx,1,\"\0\"\n";
    wanted *w = WANT("a,#b");
    for (size_t block = 0; block < sizeof in_text; block++) {
        write_table(in_text, sizeof in_text - 1);
        expect_refusal(w, block, "line 2, column \"a\": a NUL byte");
        write_table(in_number, sizeof in_number - 1);
        expect_refusal(w, block, "line 2, column \"b\": a NUL byte");
        write_table(skipped, sizeof skipped - 1);
        expect_refusal(w, block, "line 2, column \"c\": a NUL byte");
    }
}

TEST(columns_that_nobody_asked_for_are_not_parsed) {
    write_text("a,junk,b\nx,nan \xFF,1.5\n");
    expect_cells(WANT("#b"), 0, "1.5|/");
}

TEST(the_order_is_the_one_asked_for) {
    write_text("a,b,c\n1,2,3\n4,5,6\n");
    expect_cells(WANT("c,#a"), 0, "3|1|/6|4|/");
}

TEST(numbers_may_have_quotes_and_blanks_around_them) {
    expect_cells_in_all_blocks(WANT("#n"), "n\n\"1.5\"\n 2\t\n\" -3e0 \"\n+.5\n5.\n-0\n",
                               "1.5|/2|/-3|/0.5|/5|/-0|/");
}

TEST(any_separator_that_is_no_part_of_a_number_will_do) {
    static const char good[] = ";\t| :,", bad[] = "\"\n\r.+-eX7\x80";
    wanted *w = WANT("a,#b");
    for (const char *s = good; *s; s++) {
        char text[64], expected[16];
        (void)snprintf(text, sizeof text, "a%cb\n\"x%c\"%c2\n", *s, *s, *s);
        (void)snprintf(expected, sizeof expected, "x%c|2|/", *s);
        write_text(text);
        w->options.separator = *s;
        expect_cells(w, 0, expected);
    }
    for (const char *s = bad; s < bad + sizeof bad; s++) {
        w->options.separator = *s;
        OWNED(cells) c = read_path(table_path, w, 0);
        assert_int_equal(c.status, DP2DP_STATUS_ARGUMENT);
        assert_says(c.message, "separator");
    }
}

static wanted *want_numbered(wanted *w, const char *names) {
    want(w, names)->options.header = DP2DP_TABLE_HEADER_NONE;
    return w;
}

TEST(without_a_header_columns_have_numbers) {
    wanted w;
    expect_cells_in_all_blocks(want_numbered(&w, "#1,0"), "x,1\ny,2\n", "1|x|/2|y|/");
    expect_refusal(want_numbered(&w, "2"), 0,
                   "no column is named \"2\": the names of the 2 columns of this file are their "
                   "positions");
    expect_refusal(want_numbered(&w, "01"), 0, "no column is named \"01\"");
    expect_refusal(want_numbered(&w, "#0"), 0, "line 1, column 0 (counted from 0): not a number");
}

TEST(an_empty_value_of_a_lone_column_is_written_in_quotes) {
    expect_cells_in_all_blocks(WANT("a"), "a\n\"\"\nx\n\"\"\n\n\n", "|/x|/|/");
}

TEST(a_field_of_a_megabyte_is_whole) {
    enum {
        SIZE = 1 << 20
    };
    FREED char *text = malloc(2 * SIZE + 64);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "a,b\n\"");
    for (size_t i = 0; i < SIZE / 2; i++) {
        memcpy(text + n, i % 1000 ? "xy" : "\"\"", 2);
        n += 2;
    }
    n += (size_t)sprintf(text + n, "\",2\n");
    write_table(text, n);
    OWNED(cells) c = read_path(table_path, WANT("a,#b"), 16);
    assert_int_equal(c.code, 0);
    assert_int_equal(c.rows, 1);
    assert_int_equal(c.length, SIZE - (SIZE / 2 + 999) / 1000 + strlen("|2|/"));
    assert_memory_equal(c.text, "\"xyxy", 5);
    assert_string_equal(c.text + c.length - 4, "|2|/");
}

TEST(a_record_that_never_ends_is_refused_and_not_kept) {
    enum {
        BLOCK = 1 << 20
    };
    FREED char *block = malloc(BLOCK);
    assert_non_null(block);
    memset(block, 'x', BLOCK);
    FILE *file = fopen(table_path, "wb");
    assert_non_null(file);
    assert_true(fputs("a,b\n1,2\n\"", file) >= 0);
    for (int i = 0; i < 80; i++) {
        assert_int_equal(fwrite(block, 1, BLOCK, file), BLOCK);
    }
    assert_int_equal(fclose(file), 0);
    expect_refusal(WANT("a"), 0, "line 3: a record longer than 64 MiB");
}

/* Markers are compared without blanks and quotes; ~ is a null. */
TEST(markers_are_nulls_in_numbers_and_text) {
    wanted *w = WANT_MARKED("a,#b", "NA", "", "?");
    for (size_t rows = 1; rows <= 12; rows += 5) {
        w->options.chunk_rows = rows;
        expect_cells_in_all_blocks(
            w,
            "a,b\nNA,NA\n ? ,?\n,\n\"\",\"\"\n\"NA\", NA\r\nx,1\nNAN,2\n\"NA\n\",3\n"
            "y,-4.5",
            "~|~|/~|~|/~|~|/~|~|/~|~|/x|1|/NAN|2|/NA\n|3|/y|-4.5|/");
    }
}

TEST(a_marker_that_looks_like_a_number_is_missing_too) {
    write_text("a,b\n-999,-999\n-999.0,-999.0\n999,-99\n");
    expect_cells(WANT_MARKED("a,#b", "-999"), 0, "~|~|/-999.0|-999|/999|-99|/");
}

TEST(below_the_null_of_a_number_is_nan_and_the_column_says_it_is_nullable) {
    struct ArrowSchema schema;
    write_text("b\n1\nNA\n2\n");
    struct ArrowArray batch = first_batch(table_path, WANT_MARKED("#b", "NA"), &schema);
    assert_true(schema.children[0]->flags & ARROW_FLAG_NULLABLE);
    schema.release(&schema);
    assert_int_equal(batch.children[0]->null_count, 1);
    const double *values = batch.children[0]->buffers[1];
    assert_true(values[0] == 1 && values[1] != values[1] && values[2] == 2);
    batch.release(&batch);
}

TEST(lines_before_the_table_are_skipped_and_counted) {
    wanted *w = WANT("#b");
    w->options.skip_lines = 2;
    expect_refusal_in_all_blocks(w, "|1x3 \"Cross validator\n\na,b\nx,1\ny,SECRET\n",
                                 "line 5, column \"b\": not a number");
    expect_cells_in_all_blocks(w, "|1x3 \"Cross validator\n\na,b\nx,1\n", "1|/");
    w->options.skip_lines = 4;
    expect_refusal(w, 0, "the file has no lines after the skipped ones");
    w->options.skip_lines = 1 << 20;
    expect_refusal(w, 0, "the file has no lines after the skipped ones");
}
