/* Markers of missing values are compared without the blanks around them, by every reader. */
#include "unit/table/duckdb_data.h"

#define MARKERS " NA\t", "  ", "-9 ", "n a"

TEST(blanks_around_a_marker_do_not_count_in_csv) {
    expect_cells_in_all_blocks(WANT_MARKED("a,#b", MARKERS),
                               "a,b\nNA,1\n NA ,-9\n, NA\n\" \",-9.0\nn a,\nna, 7 \n",
                               "~|1|/~|~|/~|~|/~|-9|/~|~|/na|7|/");
}

TEST(blanks_around_a_marker_do_not_count_in_sql) {
    dp2dpi_duckdb_api api;
    need_duckdb(&api);
    expect_cells_of("SELECT * FROM (VALUES ('NA', '1'), (' NA ', '-9'), ('', 'NA'), "
                    "('na', ' 7 ')) AS t(a, b)",
                    WANT_MARKED("a,#b", MARKERS), 0, "~|1|/~|~|/~|~|/na|7|/");
}
