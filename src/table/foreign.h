/* Recognises files of other programs that are often mistaken for tables. */
#ifndef DP2DPI_TABLE_FOREIGN_H
#define DP2DPI_TABLE_FOREIGN_H

#include <dp2dp/status.h>

#include <stddef.h>

enum {
    DP2DPI_FOREIGN_START = 64 /* the format is recognised from this many first bytes */
};

/* Fails with DATA if these first bytes belong to a format that this library does not read. The
 * message names the format and says what to do. */
dp2dp_status dp2dpi_foreign_refuse(const char *bytes, size_t length, const char *name,
                                   dp2dp_error *error);

/* Fails with DATA if a regular file whose name ends in .parquet does not begin and end as a Parquet
 * file. DuckDB refuses it too, but does not say what is wrong. */
dp2dp_status dp2dpi_foreign_check_parquet(const char *path, const char *name, dp2dp_error *error);

#endif
