/* Recognises files of other programs that are often mistaken for tables. */
#ifndef DP2DPI_TABLE_FOREIGN_H
#define DP2DPI_TABLE_FOREIGN_H

#include <dp2dp/status.h>

#include <stddef.h>

enum {
    DP2DPI_FOREIGN_START = 64 /* number of bytes at the start of a file from which its format is
                                 recognised */
};

/* Fails with DATA if `bytes`, the first bytes of a file, show a format that this library does not
 * read. The message names the format and says what to do. */
dp2dp_status dp2dpi_foreign_refuse(const char *bytes, size_t length, const char *name,
                                   dp2dp_error *error);

/* `path` is what DuckDB is asked to read: an SQL query, which is not checked here, or the name of a
 * file that ends in .parquet. Fails with DATA if `path` is a folder, or a regular file that does
 * not begin and end as a Parquet file. DuckDB would refuse such a file too, but would not say what
 * is wrong. */
dp2dp_status dp2dpi_foreign_check_parquet(const char *path, const char *name, dp2dp_error *error);

#endif
