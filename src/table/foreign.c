#include "table/foreign.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

typedef struct format {
    const char *start; /* the first bytes of every file of the format */
    size_t length;
    int before_binary; /* 1: a text file could begin with these bytes too, so a file is of this
                          format only if the next byte is not text */
    const char *what, *advice;
} format;

#define START(text) (text), sizeof(text) - 1
/* A pickle of Python begins with the byte 0x80 and the number of its protocol. */
#define PICKLE(protocol)                                                                        \
    {                                                                                           \
        START("\x80" protocol), 0, "a pickle of Python",                                        \
            "save the table as CSV or Parquet, for example with to_csv or to_parquet of pandas" \
    }

static const format formats[] = {
    {START("PAR1"), 1, "a Parquet file",
     "rename it so that its name ends in .parquet; DuckDB then reads it"},
    {START("ARROW1\0\0"), 0, "an Arrow file (Feather)", "save the table as CSV or Parquet"},
    {START("FEA1"), 1, "a Feather file", "save the table as CSV or Parquet"},
    {START("ORC"), 1, "an ORC file", "save the table as CSV or Parquet"},
    {START("\x89HDF\r\n\x1a\n"), 0, "an HDF5 file", "save the table as CSV or NPY"},
    {START("SQLite format 3\0"), 0, "an SQLite database",
     "save the table as CSV, for example with sqlite3 -header -csv"},
    {START("\xfd"
           "7zXZ\0"),
     0, "compressed with xz", "decompress it, or pipe in the output of xz -dc"},
    {START("BZh"), 0, "compressed with bzip2", "decompress it, or pipe in the output of bzip2 -dc"},
    {START("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), 0, "an Excel workbook", "save the sheet as CSV"},
    PICKLE("\x02"),
    PICKLE("\x03"),
    PICKLE("\x04"),
    PICKLE("\x05"),
};

/* Checks what follows "BZh": one digit, and the six bytes with which every block begins. */
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

typedef struct sample {
    char start[DP2DPI_FOREIGN_START], end[4];
    size_t length; /* bytes in start */
} sample;

/* Reads the start and the end of a file. Returns 0 if they cannot be read; DuckDB will then say
 * why. */
static int read_ends(const char *path, off_t size, sample *out) {
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return 0;
    }
    ssize_t first = pread(fd, out->start, sizeof out->start, 0);
    off_t at = size - (off_t)sizeof out->end;
    ssize_t last = at >= 0 ? pread(fd, out->end, sizeof out->end, at) : 0;
    (void)close(fd);
    out->length = first > 0 ? (size_t)first : 0;
    return first >= 0 && last >= 0;
}

static dp2dp_status fail_parquet(const char *what, const char *name, const char *advice,
                                 dp2dp_error *error) {
    return dp2dpi_fail_at(
        error, DP2DP_STATUS_DATA, &(dp2dpi_place) {.reason = DP2DP_REASON_OTHER_FORMAT},
        "the file's name ends in .parquet, but the file %s: %s; %s", what, name, advice);
}

dp2dp_status dp2dpi_foreign_check_parquet(const char *path, const char *name, dp2dp_error *error) {
    static const char plain[] = "PAR1", encrypted[] = "PARE";
    sample s = {.length = 0};
    struct stat info;
    if (stat(path, &info) != 0) {
        return DP2DP_STATUS_OK; /* there is no such file: `path` is a query, or DuckDB will report
                                   the missing file */
    }
    if (S_ISDIR(info.st_mode)) {
        return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                              &(dp2dpi_place) {.reason = DP2DP_REASON_OTHER_FORMAT},
                              "this is a folder, not a Parquet file: %s; to read the files in it, "
                              "give a query such as \"SELECT * FROM 'FOLDER/*.parquet'\"",
                              name);
    }
    if (!S_ISREG(info.st_mode) || !read_ends(path, info.st_size, &s)) {
        return DP2DP_STATUS_OK;
    }
    if (s.length == 0) {
        return fail_parquet("is empty", name, "write it again", error);
    }
    if (s.length >= 4 && (memcmp(s.start, plain, 4) == 0 || memcmp(s.start, encrypted, 4) == 0)) {
        return memcmp(s.start, s.end, 4) == 0
                   ? DP2DP_STATUS_OK
                   : fail_parquet("was cut off: its end is missing", name, "copy it again", error);
    }
    DP2DPI_TRY(dp2dpi_foreign_refuse(s.start, s.length, name, error));
    int text = 1;
    for (size_t i = 0; i < s.length; i++) {
        text = text && is_text(s.start[i]);
    }
    return text ? fail_parquet("is text, perhaps CSV", name, "give it a name that ends in .csv",
                               error)
                : fail_parquet("is not Parquet", name,
                               "save the table as Parquet, or as CSV under another name", error);
}
