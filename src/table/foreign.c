#include "table/foreign.h"

#include <string.h>

#include "base/error.h"

typedef struct format {
    const char *start; /* the first bytes of every file of the format */
    size_t length;
    int before_binary; /* 1: text could begin like this, so the next byte must not be text */
    const char *what, *advice;
} format;

#define START(text) (text), sizeof(text) - 1

static const format formats[] = {
    {START("PAR1"), 1, "a Parquet file",
     "give it a name that ends in .parquet, and DuckDB's library reads it"},
    {START("ARROW1\0\0"), 0, "an Arrow file (Feather)", "save the table as CSV or Parquet"},
    {START("FEA1"), 1, "a Feather file", "save the table as CSV or Parquet"},
    {START("ORC"), 1, "an ORC file", "save the table as CSV or Parquet"},
    {START("\x89HDF\r\n\x1a\n"), 0, "an HDF5 file", "save the table as CSV or NPY"},
    {START("SQLite format 3\0"), 0, "an SQLite database",
     "save the table as CSV, for example with sqlite3 -header -csv"},
    {START("\xfd"
           "7zXZ\0"),
     0, "compressed with xz", "unpack it, or read it from xz -dc by a pipe"},
    {START("BZh"), 0, "compressed with bzip2", "unpack it, or read it from bzip2 -dc by a pipe"},
    {START("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 0, "an Excel workbook", "save the sheet as CSV"},
};

/* After "BZh" come one digit and the six bytes with which every block begins. */
static int is_bzip2(const char *bytes, size_t length) {
    return length >= 10 && bytes[3] >= '1' && bytes[3] <= '9' &&
           memcmp(bytes + 4, "1AY&SY", 6) == 0;
}

static int is_text(char byte) {
    unsigned char c = (unsigned char)byte;
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0x7f);
}

static int begins_with(const format *f, const char *bytes, size_t length) {
    if (length < f->length || memcmp(bytes, f->start, f->length) != 0) {
        return 0;
    }
    return strcmp(f->start, "BZh") == 0
               ? is_bzip2(bytes, length)
               : !f->before_binary || (length > f->length && !is_text(bytes[f->length]));
}

dp2dp_status dp2dpi_foreign_refuse(const char *bytes, size_t length, const char *name,
                                   dp2dp_error *error) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (begins_with(&formats[i], bytes, length)) {
            return dp2dpi_fail_at(
                error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.reason = DP2DP_REASON_OTHER_FORMAT},
                "the file is %s: %s; %s", formats[i].what, name, formats[i].advice);
        }
    }
    return DP2DP_STATUS_OK;
}
