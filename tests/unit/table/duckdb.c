/* SQL and Parquet: values arrive unchanged and in order, and messages show no cells. */
#include "unit/table/duckdb_data.h"

static dp2dpi_duckdb_api api;

static void expect_rows(const char *names, const char *query, const char *expected) {
    expect_cells_of(query, WANT(names), 0, expected);
}

/* `status` is that of the open, or the one that the code of get_next stands for. */
static void expect_failure(const char *names, const char *query, dp2dp_status status,
                           const char *words) {
    OWNED(cells) c = read_path(query, WANT(names), 0);
    dp2dp_status got = c.status != OK ? c.status : c.code == EINVAL ? DP2DP_STATUS_DATA : OK;
    if (got != status || !strstr(c.message, words) || strstr(c.message, "SECRET")) {
        fail_msg("%s: status %d, code %d, \"%s\" without \"%s\"", query, (int)c.status, c.code,
                 c.message, words);
    }
}

TEST(a_query_begins_with_its_word_and_a_parquet_file_ends_with_its_suffix) {
    static const char *const queries[] = {
        "SELECT 1",  "select*from t", " \n\tSelect 1", "WITH t AS (SELECT 1) FROM t",
        "FROM 'x'",  "from\tx",       "VALUES (1)",    "values(1)",
        "a.parquet", "A.PARQUET",     "s*.parquet"};
    static const char *const files[] = {
        "scores.csv",      "-",        "",          "./select me.csv",
        "selection.csv",   "from.csv", "SELECT",    ".parquet",
        "a.parquet/b.csv", "with",     "values.npy"};
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        if (!dp2dpi_duckdb_is(queries[i])) {
            fail_msg("no query: %s", queries[i]);
        }
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (dp2dpi_duckdb_is(files[i])) {
            fail_msg("a query: %s", files[i]);
        }
    }
}

TEST(without_the_library_the_message_says_what_to_do) {
    const char *before = getenv(duckdb_variable);
    FREED char *kept = before ? strdup(before) : NULL;
    assert_int_equal(setenv(duckdb_variable, "/nowhere/libduckdb.so", 1), 0);
    expect_failure("#a", "SELECT 1 AS a", DP2DP_STATUS_IO, "DP2DP_DUCKDB: cannot be loaded");
    assert_int_equal(setenv(duckdb_variable, "libm.so.6", 1), 0);
    expect_failure("#a", "SELECT 1 AS a", DP2DP_STATUS_IO, "has no function duckdb_");
    if (kept == NULL) {
        assert_int_equal(unsetenv(duckdb_variable), 0);
        if (dp2dpi_duckdb_load(&api, NULL) != OK) {
            expect_failure("#a", "x.parquet", DP2DP_STATUS_IO, "pip install duckdb");
        }
    } else {
        assert_int_equal(setenv(duckdb_variable, kept, 1), 0);
    }
}

TEST(every_type_of_number_is_read_as_the_number_it_is) {
    need_duckdb(&api);
    expect_rows("#a,#b,#c,#d", "SELECT 1::TINYINT AS a, -2::SMALLINT AS b, 3 AS c, 4::BIGINT AS d",
                "1|-2|3|4|/");
    expect_rows("#a,#b,#c,#d",
                "SELECT 1::UTINYINT AS a, 2::UBIGINT AS b, -3::HUGEINT AS c, 4::UHUGEINT AS d",
                "1|2|-3|4|/");
    expect_rows("#a,#b,#c,#d", "SELECT true AS a, 0.1::DOUBLE AS b, 0.5::FLOAT AS c, ' 2e-3 ' AS d",
                "1|0.10000000000000001|0.5|0.002|/");
    expect_rows("#a,#b", "SELECT 9007199254740992 AS a, -9007199254740992::HUGEINT AS b",
                "9007199254740992|-9007199254740992|/");
    expect_rows("#a", "SELECT 'nan'::DOUBLE AS a", "nan|/");
}

/* 36 digits: rounding twice would not give the nearest double. */
TEST(a_decimal_is_rounded_once) {
    need_duckdb(&api);
    expect_rows("#a,#b",
                "SELECT 0.100000000000000005551115123125782702::DECIMAL(38,36) AS a, "
                ".50::DECIMAL(2,2) AS b",
                "0.10000000000000001|0.5|/");
    expect_rows("#a", "SELECT 9007199254740993.0000000001::DECIMAL(38,10) AS a",
                "9007199254740994|/");
}

TEST(text_is_text_and_whole_numbers_are_written_as_integers) {
    need_duckdb(&api);
    expect_rows("a,b,c,d",
                "SELECT ' x ' AS a, 'F'::ENUM('M', 'F') AS b, -1::DOUBLE AS c, 2.00 AS d",
                " x |F|-1|2|/");
    expect_rows("a,b,c,d",
                "SELECT true AS a, -0.0::FLOAT AS b, 170141183460469231731687303715884105727 AS c, "
                "'' AS d",
                "1|0|170141183460469231731687303715884105727||/");
    expect_rows("a,b,c,d",
                "SELECT 9007199254740993::DECIMAL(38,0) AS a, -9007199254740993.00::DECIMAL(38,2) "
                "AS b, .00::DECIMAL(2,2) AS c, 99999999999999999999999999999999999999 AS d",
                "9007199254740993|-9007199254740993|0|99999999999999999999999999999999999999|/");
    expect_rows("a", "SELECT 'twelve bytes' AS a UNION ALL SELECT 'thirteen byte'",
                "twelve bytes|/thirteen byte|/");
}

TEST(what_has_no_exact_form_is_refused_by_row_and_column) {
    static const char *const cases[][3] = {
        {"#a", "SELECT 9007199254740993 AS a", "row 1, column \"a\": an integer beyond 2^53"},
        {"#a", "SELECT 18446744073709551615::UHUGEINT AS a", "beyond 2^53"},
        {"#a", "SELECT 'SEC' || 'RET' AS a", "row 1, column \"a\": not a number"},
        {"#a", "SELECT 'inf' AS a", "not a number"},
        {"#a", "SELECT ' ' AS a", "empty where a number is expected"},
        {"#a", "SELECT '1e999' AS a", "beyond the range of float64"},
        {"#a", "SELECT repeat('1', 2000) AS a", "not a number"},
        {"#a", "SELECT '1' || chr(0) AS a", "not a number"},
        {"a", "SELECT 1.5::DOUBLE AS a", "a number that is not whole cannot be read as text"},
        {"a", "SELECT 1.000000000000000000001 AS a",
         "a number that is not whole cannot be read as text"},
        {"a", "SELECT 9007199254740993.50 AS a",
         "a number that is not whole cannot be read as text"},
        {"a", "SELECT 'nan'::DOUBLE AS a", "a number that is not whole cannot be read as text"},
        {"a", "SELECT 'x' || chr(0) AS a", "a NUL byte"},
        {"a", "SELECT repeat('x', 67108865) AS a", "a text longer than 64 MiB"},
        {"a", "VALUES ('x'), (NULL)", "no column is named \"a\""},
        {"a", "SELECT 'x' AS a UNION ALL SELECT NULL", "row 2, column \"a\": NULL"},
        {"#a", "SELECT [1.5] AS a", "column \"a\" has neither numbers nor text"},
        {"a", "SELECT {'a': 1} AS a", "column \"a\" has neither numbers nor text"},
        {"a", "SELECT DATE '2020-01-01' AS a", "use CAST in the query"},
        {"a", "SELECT ['x'::ENUM('x', 'y')] AS a", "neither numbers nor text"},
    };
    need_duckdb(&api);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_failure(cases[i][0], cases[i][1], DP2DP_STATUS_DATA, cases[i][2]);
    }
}

TEST(a_row_with_a_value_that_cannot_be_read_is_null_if_asked) {
    static const char query[] = "SELECT unnest(['1', 'x', NULL, '1e999', '2']) AS a, "
                                "unnest(['p', 'q', 'r', 's', 't' || chr(0)]) AS b";
    static const char wide[] = "SELECT unnest([1, 9007199254740993, 3]) AS a, "
                               "unnest([1.0, 2.0, 2.5]) AS b";
    need_duckdb(&api);
    wanted *w = WANT("#a,b");
    w->options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    expect_cells_of(query, w, 0, "1|p|/bad/bad/bad/bad/");
    expect_cells_of(wide, w, 0, "1|1|/bad/bad/");
    w = WANT_MARKED("#a,b", "NA");
    w->options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    expect_cells_of(query, w, 0, "1|p|/bad/~|r|/bad/bad/");
}

TEST(columns_are_found_by_their_name_to_the_byte) {
    need_duckdb(&api);
    expect_rows("#A,#a", "SELECT 1 AS a, 2 AS \"A\", 3 AS b", "2|1|/");
    expect_rows("#we\"ird) AS", "SELECT 1 AS \"we\"\"ird) AS\";\n", "1|/");
    expect_rows("#a", "SELECT 7 AS a, [1] AS skipped, 1 AS b, 2 AS b -- twice, and not asked for",
                "7|/");
    expect_failure("#a", "SELECT 1 AS a, 2 AS a", DP2DP_STATUS_DATA,
                   "several columns are named \"a\"");
    expect_failure("#score_0", "SELECT 1 AS score_1", DP2DP_STATUS_DATA,
                   "the nearest name is \"score_1\"");
}

TEST(wrong_sql_is_an_argument_error_in_the_words_of_duckdb) {
    char sql[128];
    need_duckdb(&api);
    expect_failure("#a", "SELECT FROM WHERE", DP2DP_STATUS_ARGUMENT, "Parser Error: syntax error");
    /* The next line of DuckDB's message suggests names, which could be cells. */
    write_table("SECRET,1\nSECRET,2\n", 18);
    (void)snprintf(sql, sizeof sql, "SELECT SECRE FROM read_csv('%s', header = true)", table_path);
    expect_failure("#a", sql, DP2DP_STATUS_ARGUMENT,
                   "Binder Error: Referenced column \"SECRE\" not found");
    expect_failure("#a", "SELECT * FROM nothing", DP2DP_STATUS_ARGUMENT, "Catalog Error: Table");
    expect_failure("#a", "SELECT * FROM '/nowhere/x.parquet'", DP2DP_STATUS_IO,
                   "IO Error: No files");
    expect_failure("#a", "/nowhere/it's.parquet", DP2DP_STATUS_IO, "it's.parquet");
}

TEST(a_query_cannot_write_or_fetch) {
    char sql[256];
    need_duckdb(&api);
    assert_int_equal(unlink(table_path), 0);
    (void)snprintf(sql, sizeof sql, "SELECT 1 AS a; COPY (SELECT 1) TO '%s'", table_path);
    expect_failure("#a", sql, DP2DP_STATUS_ARGUMENT, "Parser Error");
    (void)snprintf(sql, sizeof sql, "SELECT 1 AS a); COPY (SELECT 1) TO '%s'; (SELECT 1",
                   table_path);
    expect_failure("#a", sql, DP2DP_STATUS_ARGUMENT, "");
    assert_int_equal(access(table_path, F_OK), -1);
    expect_failure("#a", "SELECT * FROM 'https://host.invalid/x.parquet'", DP2DP_STATUS_ARGUMENT,
                   "requires the extension httpfs");
    write_table("", 0);
}

TEST(the_value_of_a_cell_is_in_no_message) {
    need_duckdb(&api);
    expect_failure("#a", "SELECT ('SEC' || 'RET')::DOUBLE AS a FROM range(3)", DP2DP_STATUS_DATA,
                   "DuckDB reports: Conversion Error;");
    /* Fails long after the first rows were returned. If another thread of DuckDB is faster, it
     * reports an interrupt instead of the conversion. */
    expect_failure("#a",
                   "SELECT CASE WHEN range = 900000 THEN 'SEC' || 'RET' ELSE '1' END::DOUBLE AS a "
                   "FROM range(1000000)",
                   DP2DP_STATUS_DATA, " Error;");
    expect_failure("#a", "SELECT error('SEC' || 'RET' || range) AS a FROM range(3)",
                   DP2DP_STATUS_DATA, "DuckDB reports: ");
}

TEST(a_query_without_rows_gives_no_batch) {
    need_duckdb(&api);
    expect_rows("#a,b", "SELECT 1.5 AS a, 'x' AS b WHERE false", "");
}

TEST(rows_come_in_order_in_batches_of_any_size) {
    static const size_t sizes[] = {1000, 2048, 100000, 1 << 24};
    need_duckdb(&api);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct ArrowArrayStream stream;
        struct ArrowArray batch;
        int64_t row = 0;
        wanted *w = WANT("#range");
        w->options.chunk_rows = sizes[k];
        assert_ok(dp2dp_table_open("FROM range(300000)", &w->options, &stream, &test_error));
        while (stream.get_next(&stream, &batch) == 0 && batch.release) {
            const double *values = batch.children[0]->buffers[1];
            assert_true(batch.length <= (int64_t)sizes[k]);
            for (int64_t i = 0; i < batch.length; i++, row++) {
                assert_true(values[i] == (double)row);
            }
            batch.release(&batch);
        }
        assert_int_equal(row, 300000);
        stream.release(&stream);
    }
}

TEST(a_parquet_file_is_bit_for_bit_the_csv_of_the_same_numbers) {
    static const char rows[] =
        "SELECT hash(range)::DOUBLE / 18446744073709551616.0::DOUBLE AS p, "
        "'group ' || (hash(range + 7) % 3) AS g, "
        "exp(((hash(range) >> 7) % 1400)::DOUBLE - 700) * (1 - 2 * (range % 2)) AS wide "
        "FROM range(100000)";
    char csv[64], parquet[64], sql[512];
    need_duckdb(&api);
    (void)snprintf(csv, sizeof csv, "%s.csv", table_path);
    (void)snprintf(parquet, sizeof parquet, "%s.parquet", table_path);
    (void)snprintf(sql, sizeof sql, "COPY (%s) TO '%s' (FORMAT csv)", rows, csv);
    run_sql(&api, sql);
    (void)snprintf(sql, sizeof sql, "COPY (%s) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE 2048)", rows,
                   parquet);
    run_sql(&api, sql);
    wanted *w = WANT("#p,g,#wide");
    OWNED(cells) expected = read_path(csv, w, 0);
    assert_int_equal(expected.rows, 100000);
    (void)snprintf(sql, sizeof sql, "FROM read_csv('%s', all_varchar = true)", csv);
    const char *const operands[] = {parquet, sql};
    for (size_t i = 0; i < 2; i++) {
        OWNED(cells) c = read_path(operands[i], w, 0);
        assert_int_equal(c.rows, 100000);
        assert_int_equal(c.length, expected.length);
        assert_memory_equal(c.text, expected.text, c.length);
    }
    assert_int_equal(unlink(csv) + unlink(parquet), 0);
}

TEST(an_endless_query_gives_its_first_rows_and_can_be_left) {
    struct ArrowArrayStream streams[2];
    struct ArrowArray batch;
    need_duckdb(&api);
    wanted *w = WANT("#range");
    for (size_t i = 0; i < 2; i++) {
        assert_ok(dp2dp_table_open("FROM range(1000000000000000)", &w->options, &streams[i],
                                   &test_error));
    }
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(streams[i % 2].get_next(&streams[i % 2], &batch), 0);
        assert_int_equal(batch.length, 65536);
        batch.release(&batch);
    }
    streams[0].release(&streams[0]);
    streams[1].release(&streams[1]);
}

static int after_some(void *context) {
    int *left = context;
    return (*left)-- <= 0;
}

TEST(a_query_is_cancelled_before_and_after_its_first_row) {
    static const char *const queries[] = {
        "SELECT sum(range % 7)::DOUBLE AS a FROM range(1000000000000)",
        "SELECT range AS a FROM range(1000000000000)"};
    need_duckdb(&api);
    for (size_t i = 0; i < 2; i++) {
        int left = 200;
        wanted *w = WANT("#a");
        w->options.cancel = after_some;
        w->options.cancel_context = &left;
        OWNED(cells) c = read_path(queries[i], w, 0);
        assert_int_equal(c.status == OK ? c.code : ECANCELED, ECANCELED);
        assert_true(c.status == OK || c.status == DP2DP_STATUS_CANCELLED);
        assert_int_equal(c.status == OK, i == 1);
    }
}

TEST(a_null_is_a_missing_value_where_there_may_be_some) {
    need_duckdb(&api);
    struct ArrowArray batch =
        first_batch("SELECT * FROM (VALUES (NULL, ' ? '), ('?', NULL), ('2', 'x')) AS t(a, b)",
                    WANT_MARKED("#a,b", "?"), NULL);
    for (size_t i = 0; i < 2; i++) {
        const unsigned char *valid = batch.children[i]->buffers[0];
        assert_int_equal(batch.children[i]->null_count, 2);
        assert_int_equal(valid[0] & 7, 4);
    }
    assert_true(((const double *)batch.children[0]->buffers[1])[2] == 2);
    batch.release(&batch);
}

TEST(values_beside_a_null_are_what_they_were) {
    static const char query[] =
        "SELECT CASE WHEN range %% 3 = 1 THEN NULL ELSE 'text ' || range END AS a, "
        "CASE WHEN range %% 3 = 2 THEN NULL ELSE range END::%s AS b FROM range(3000)";
    static const char *const types[] = {"DOUBLE", "FLOAT"};
    need_duckdb(&api);
    for (size_t k = 0; k < 2; k++) {
        char sql[256], expected[32];
        (void)snprintf(sql, sizeof sql, query, types[k]);
        wanted *w = WANT_MARKED("a,#b", "?");
        w->options.chunk_rows = 1000;
        OWNED(cells) c = read_path(sql, w, 0);
        assert_int_equal(c.rows, 3000);
        const char *at = c.text;
        for (int row = 0; row < 3000; row++) {
            int length = row % 3 == 1 ? snprintf(expected, sizeof expected, "~|%d|/", row)
                         : row % 3 == 2
                             ? snprintf(expected, sizeof expected, "text %d|~|/", row)
                             : snprintf(expected, sizeof expected, "text %d|%d|/", row, row);
            assert_memory_equal(at, expected, (size_t)length);
            at += length;
        }
    }
}

TEST(the_number_below_a_null_is_nan) {
    static const char *const columns[] = {"NULL::DOUBLE", "NULL::FLOAT", "'?'"};
    need_duckdb(&api);
    for (size_t k = 0; k < 3; k++) {
        char sql[64];
        (void)snprintf(sql, sizeof sql, "SELECT %s AS a FROM range(100)", columns[k]);
        struct ArrowArray batch = first_batch(sql, WANT_MARKED("#a", "?"), NULL);
        assert_int_equal(batch.children[0]->null_count, 100);
        const void *values = batch.children[0]->buffers[1];
        for (size_t i = 0; i < 100; i++) {
            assert_true(k == 1 ? isnan(((const float *)values)[i])
                               : isnan(((const double *)values)[i]));
        }
        batch.release(&batch);
    }
}

/* A new working folder, for files with special names. */
typedef struct folder {
    char path[sizeof "/tmp/dp2dp-duckdb-XXXXXX"], before[4096];
} folder;

static void enter_folder(folder *f) {
    *f = (folder) {.path = "/tmp/dp2dp-duckdb-XXXXXX"};
    assert_non_null(getcwd(f->before, sizeof f->before));
    assert_non_null(mkdtemp(f->path));
    assert_int_equal(chdir(f->path), 0);
}

static void leave_folder(const folder *f) {
    assert_int_equal(chdir(f->before) + rmdir(f->path), 0);
}

/* Names that are also patterns or look like queries. */
TEST(a_file_is_the_one_of_its_name) {
    static const char *const names[] = {"s1.parquet",  "s[1].parquet",    "s*.parquet",
                                        "s?.parquet",  "it's [x.parquet", "select 9.parquet",
                                        "s\\1.parquet"};
    char sql[128], expected[16];
    folder f;
    need_duckdb(&api);
    enter_folder(&f);
    enum {
        COUNT = sizeof names / sizeof *names
    };
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(sql, sizeof sql, "COPY (SELECT %d AS a) TO 'x' (FORMAT parquet)", i);
        run_sql(&api, sql);
        assert_int_equal(rename("x", names[i]), 0);
    }
    for (int i = 0; i < COUNT; i++) {
        (void)snprintf(expected, sizeof expected, "%d|/", i);
        expect_rows("#a", names[i], expected);
    }
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(unlink(names[i]), 0);
    }
    expect_failure("#a", "s[1].parquet", DP2DP_STATUS_IO, "IO Error: No files");
    leave_folder(&f);
}

/* Works without DuckDB, since no query is run. */
TEST(an_existing_file_is_no_query) {
    static const char *const names[] = {"values(1).csv", "with'x.csv", "select me.csv"};
    folder f;
    enter_folder(&f);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(dp2dpi_duckdb_is(names[i]));
        FILE *file = fopen(names[i], "w");
        assert_non_null(file);
        assert_true(fputs("a\n7\n", file) >= 0 && fclose(file) == 0);
        assert_false(dp2dpi_duckdb_is(names[i]));
        expect_rows("#a", names[i], "7|/");
        assert_int_equal(unlink(names[i]), 0);
    }
    leave_folder(&f);
}

TEST(columns_of_float32_are_handed_on_as_float32) {
    static const char *const queries[] = {"SELECT 0.1::FLOAT AS a, 0.2::FLOAT AS b, 'x' AS g",
                                          "SELECT 0.1::FLOAT AS a, 0.2::DOUBLE AS b, 'x' AS g"};
    need_duckdb(&api);
    for (size_t i = 0; i < 2; i++) {
        struct ArrowSchema schema;
        struct ArrowArray batch = first_batch(queries[i], WANT("#a,#b,g"), &schema);
        assert_string_equal(schema.children[0]->format, i == 0 ? "f" : "g");
        const void *values = batch.children[0]->buffers[1];
        assert_true(i == 0 ? *(const float *)values == 0.1F : *(const double *)values == 0.1F);
        batch.release(&batch);
        schema.release(&schema);
    }
}
