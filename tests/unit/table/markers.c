/* Markers of missing values: what is around them does not count, whichever reader compares them. */
#include "unit/table/duckdb_data.h"

static const char *const markers[] = {" NA\t", "  ", "-9 ", "n a"};

static void want_marked(wanted *w) {
    want(w, "a,#b");
    w->options.missing = markers;
    w->options.missing_count = 4;
}

TEST(blanks_around_a_marker_do_not_count_in_csv) {
    static const char text[] = "a,b\nNA,1\n NA ,-9\n, NA\n\" \",-9.0\nn a,\nna, 7 \n";
    wanted w;
    want_marked(&w);
    write_table(text, sizeof text - 1);
    for (size_t block = 0; block <= sizeof text; block++) {
        expect_cells(&w, block, "~|1|/~|~|/~|~|/~|-9|/~|~|/na|7|/");
    }
}

TEST(blanks_around_a_marker_do_not_count_in_sql) {
    dp2dpi_duckdb_api api;
    wanted w;
    need_duckdb(&api);
    want_marked(&w);
    OWNED(cells) c = read_path("SELECT * FROM (VALUES ('NA', '1'), (' NA ', '-9'), ('', 'NA'), "
                               "('na', ' 7 ')) AS t(a, b)",
                               &w, 0);
    assert_string_equal(c.text, "~|1|/~|~|/~|~|/na|7|/");
}
