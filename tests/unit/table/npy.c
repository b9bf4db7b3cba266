/* NPY files as NumPy writes them, and damaged files. */
#include "unit/table/data.h"

typedef struct array {
    char bytes[4096];
    size_t length;
} array;

/* Writes the header of the given version, padded as NumPy does. */
static void start(array *a, int version, const char *dictionary) {
    size_t before = version == 1 ? 10 : 12, text = strlen(dictionary);
    size_t total = (before + text + 1 + 63) / 64 * 64, length = total - before;
    memset(a->bytes, ' ', total);
    memcpy(a->bytes, "\x93NUMPY", 6);
    a->bytes[6] = (char)version;
    a->bytes[7] = 0;
    for (size_t i = 8; i < before; i++) {
        a->bytes[i] = (char)(length >> (8 * (i - 8)));
    }
    memcpy(a->bytes + before, dictionary, text);
    a->bytes[total - 1] = '\n';
    a->length = total;
}

static void add(array *a, const void *data, size_t length) {
    memcpy(a->bytes + a->length, data, length);
    a->length += length;
}

static void save(const array *a) {
    write_table(a->bytes, a->length);
}

/* Writes a file of version 1. */
static void save_array(const char *dictionary, const void *data, size_t length) {
    array a;
    start(&a, 1, dictionary);
    add(&a, data, length);
    save(&a);
}

static const double six[] = {1, 2.5, -3, 4, 5e-324, 6e300};
static const char six_cells[] = "1|2.5|/-3|4|/4.9406564584124654e-324|6.0000000000000003e+300|/";

TEST(both_orders_and_all_versions_give_the_same_rows) {
    static const double by_column[] = {1, -3, 5e-324, 2.5, 4, 6e300};
    wanted *w = WANT("#0,#1");
    for (int version = 1; version <= 3; version++) {
        array c, f;
        start(&c, version, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
        start(&f, version, "{'shape': (3,2), 'fortran_order': True, 'descr': \"<f8\"}");
        add(&c, six, sizeof six);
        add(&f, by_column, sizeof by_column);
        for (size_t block = 0; block <= c.length + 1; block++) {
            save(&c);
            expect_cells(w, block, six_cells);
            save(&f);
            expect_cells(w, block, six_cells);
        }
    }
}

TEST(batches_of_either_order_join_to_the_same_rows) {
    static const double by_column[] = {1, -3, 5e-324, 2.5, 4, 6e300};
    for (int order = 0; order < 2; order++) {
        for (size_t rows = 1; rows <= 4; rows++) {
            wanted *w = WANT("#0,#1");
            w->options.chunk_rows = rows;
            save_array(order ? "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }"
                             : "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }",
                       order ? by_column : six, sizeof six);
            expect_cells(w, 0, six_cells);
            OWNED(cells) c = read_path(table_path, w, 0);
            assert_int_equal(c.largest_batch, rows < 3 ? rows : 3);
        }
    }
}

/* Two items of each type: the smallest and the largest that a double can hold. */
static const struct {
    const char *descr;
    size_t size;
    const char *bytes; /* little-endian */
    const char *numbers, *texts;
} types[] = {
    {"<f4", 4, "\0\0\x80\xBF\0\0\x80\x7F", "-1|/inf|/", NULL},
    {"<f8", 8, "\0\0\0\0\0\0\xF0\xBF\0\0\0\0\0\0\0\x40", "-1|/2|/", "-1|/2|/"},
    {"|i1", 1, "\x80\x7F", "-128|/127|/", "-128|/127|/"},
    {"<i2", 2, "\0\x80\xFF\x7F", "-32768|/32767|/", "-32768|/32767|/"},
    {"<i4", 4, "\0\0\0\x80\xFF\xFF\xFF\x7F", "-2147483648|/2147483647|/",
     "-2147483648|/2147483647|/"},
    {"<i8", 8, "\0\0\0\0\0\0\xE0\xFF\0\0\0\0\0\0\x20\0", "-9007199254740992|/9007199254740992|/",
     "-9007199254740992|/9007199254740992|/"},
    {"<i8", 8, "\0\0\0\0\0\0\0\x80\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", NULL,
     "-9223372036854775808|/9223372036854775807|/"},
    {"|u1", 1, "\x80\x7F", "128|/127|/", "128|/127|/"},
    {"<u2", 2, "\0\x80\xFF\xFF", "32768|/65535|/", "32768|/65535|/"},
    {"<u4", 4, "\0\0\0\x80\xFF\xFF\xFF\xFF", "2147483648|/4294967295|/",
     "2147483648|/4294967295|/"},
    {"<u8", 8, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\0", NULL, NULL},
    {"|b1", 1, "\0\1", "0|/1|/", "0|/1|/"},
};

TEST(every_type_is_read_to_its_limits) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        char dictionary[96];
        (void)snprintf(dictionary, sizeof dictionary,
                       "{'descr': '%s', 'fortran_order': %s, 'shape': (2,), }", types[i].descr,
                       i % 2 ? "True" : "False");
        save_array(dictionary, types[i].bytes, 2 * types[i].size);
        if (types[i].numbers) {
            expect_cells(WANT("#0"), 0, types[i].numbers);
        } else {
            expect_refusal(WANT("#0"), 0, "row 1, column \"0\": an integer beyond 2^53");
        }
        if (types[i].texts) {
            expect_cells(WANT("0"), 0, types[i].texts);
        } else {
            expect_refusal(WANT("0"), 0, "column \"0\": a number that is not whole");
        }
    }
}

TEST(numbers_of_float32_stay_float32) {
    static const float items[] = {0.1F, -2};
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2), }"};
    for (size_t i = 0; i < 2; i++) {
        struct ArrowSchema schema;
        save_array(headers[i], items, sizeof items);
        struct ArrowArray batch = first_batch(table_path, WANT("#0"), &schema);
        assert_string_equal(schema.children[0]->format, "f");
        schema.release(&schema);
        assert_memory_equal(batch.children[0]->buffers[1], items,
                            (size_t)batch.length * sizeof(float));
        batch.release(&batch);
    }
}

TEST(nan_is_passed_on_as_a_number_and_refused_as_text) {
    save_array("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
               "\0\0\0\0\0\0\xF0\x3F\0\0\0\0\0\0\xF8\x7F", 16);
    expect_cells(WANT("#0"), 0, "1|/nan|/");
    expect_refusal(WANT("0"), 0,
                   "row 2, column \"0\": a number that is not whole cannot be read as text");
}

TEST(an_array_without_rows_is_a_table_without_rows) {
    save_array("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }", "", 0);
    expect_cells(WANT("#1"), 0, "");
    save_array("{'descr': '<f8', 'fortran_order': True, 'shape': (0, 2), }", "", 0);
    expect_cells(WANT("#1"), 0, "");
}

static const struct {
    const char *dictionary, *words;
} refused[] = {
    {"{'descr': '>f8', 'fortran_order': False, 'shape': (3, 2), }", "little-endian"},
    {"{'descr': '<f2', 'fortran_order': False, 'shape': (3, 2), }", "little-endian"},
    {"{'descr': '<c16', 'fortran_order': False, 'shape': (3, 2), }", "little-endian"},
    {"{'descr': '|O', 'fortran_order': False, 'shape': (3, 2), }", "little-endian"},
    {"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }", "little-endian"},
    {"{'descr': '<f8', 'fortran_order': 0, 'shape': (3, 2), }", "True or False"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "one or two dimensions"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2, 1), }", "one or two dimensions"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 2), }", "one or two dimensions"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }", "too large"},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 99999999999999999999), }", "too large"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 2), }", "too large"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9999999999), }", "columns"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), 'x': 1}", "unknown or occurs"},
    {"{'descr': '<f8', 'descr': '<f8', 'shape': (3, 2)}", "unknown or occurs"},
    {"{'descr': '<f8', 'fortran_order': False}", "missing"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)} x", "malformed"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)", "malformed"},
    {"['descr']", "not a dictionary"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }", "no column is named \"1\""},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }", "ends before row 4 of 4"},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (4, 2), }", "fewer bytes than"},
    {"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", "more bytes than"},
    {"{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", "more bytes than"},
};

TEST(a_header_that_is_not_understood_or_not_true_is_refused) {
    wanted *w = WANT("#1");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        save_array(refused[i].dictionary, six, sizeof six);
        expect_refusal(w, 0, refused[i].words);
        expect_refusal(w, 1, refused[i].words);
    }
}

TEST(a_file_cut_anywhere_is_refused) {
    array a;
    wanted *w = WANT("#0,#1");
    start(&a, 2, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
    size_t header = a.length;
    add(&a, six, sizeof six);
    for (a.length -= 1; a.length >= 6; a.length--) {
        save(&a);
        expect_refusal(w, 0, a.length < header ? "ends within its NPY header" : "ends before row");
    }
}

/* The wanted column comes before the cut. */
TEST(a_cut_in_a_column_that_nobody_wants_is_noticed) {
    array a;
    wanted *w = WANT("#0");
    start(&a, 1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }");
    add(&a, six, sizeof six);
    save(&a);
    expect_cells(w, 0, "1|/2.5|/");
    for (size_t least = a.length - 4 * sizeof *six; --a.length >= least;) {
        save(&a);
        expect_refusal(w, 0, "fewer bytes than its NPY header says");
        expect_refusal(w, 1, "fewer bytes than its NPY header says");
    }
}

/* NumPy reads booleans this way. */
TEST(every_byte_but_zero_is_true) {
    save_array("{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }", "\0\1\2\xFF", 4);
    expect_cells(WANT("#0"), 0, "0|/1|/1|/1|/");
    expect_cells(WANT("0"), 0, "0|/1|/1|/1|/");
}

TEST(a_version_not_known_is_refused) {
    static const char *const versions[] = {"\0\0", "\4\0", "\1\1", "\xFF\0"};
    wanted *w = WANT("#0");
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        array a;
        start(&a, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6,), }");
        add(&a, six, sizeof six);
        memcpy(a.bytes + 6, versions[i], 2);
        save(&a);
        expect_refusal(w, 0, "cannot be read; only 1.0, 2.0 and 3.0 can");
    }
}
