/* Tables: if any allocation fails, the stream returns ENOMEM, nothing leaks, and no batch is
 * incomplete. */
#include "fault/fault_stream.h"

#include <zlib.h>

#include "unit/table/data.h"

#include "arrow/stream_read.h"

static const char csv_text[] = "a,skipped,b\n\"x \"\"y\"\"\",,0.123456789012345678901234\n"
                               "a rather long text for the room that a row of text is given,,2\n";
static const char npy_text[] = "\x93NUMPY\1\0\x3E\0{'descr': '|i1', 'fortran_order': False, "
                               "'shape': (2, 2), }  \n\1\2\3\4";

static void expect_table_or_memory(const char *names, size_t least) {
    static const char *const markers[] = {"?", ""};
    wanted *w = WANT(names);
    w->options.columns = *names ? w->options.columns : NULL; /* NULL: all columns */
    w->options.chunk_rows = 1;
    w->options.missing = markers;
    w->options.missing_count = 2;
    FAIL_EACH_ALLOCATION(least) {
        struct ArrowArrayStream stream;
        fault_arm_run();
        fault_status = dp2dpi_table_open(table_path, &w->options, 4, &stream, &fault_error);
        fault_read_all(&stream);
    }
}

/* An archive with one uncompressed member: local header, array, central directory, end record. */
static void write_archive(void) {
    static const char local[] = "PK\3\4\x14\0\0\0\0\0\0\0\0\0";
    static const char central[] = "PK\1\2\x14\0\x14\0\0\0\0\0\0\0\0\0";
    static const char end[] = "PK\5\6\0\0\0\0\1\0\1\0";
    uint32_t size = sizeof npy_text - 1, start = 30 + 5 + size, length = 46 + 5;
    uint32_t checksum = (uint32_t)crc32(0, (const Bytef *)npy_text, size);
    FILE *file = fopen(table_path, "wb");
    assert_non_null(file);
    (void)fwrite(local, 1, 14, file);
    (void)fwrite(&checksum, 4, 1, file);
    (void)fwrite(&size, 4, 1, file);
    (void)fwrite(&size, 4, 1, file);
    (void)fwrite("\5\0\0\0p.npy", 1, 9, file);
    (void)fwrite(npy_text, 1, size, file);
    (void)fwrite(central, 1, 16, file);
    (void)fwrite(&checksum, 4, 1, file);
    (void)fwrite(&size, 4, 1, file);
    (void)fwrite(&size, 4, 1, file);
    (void)fwrite("\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0p.npy", 1, 23, file);
    (void)fwrite(end, 1, 12, file);
    (void)fwrite(&length, 4, 1, file);
    (void)fwrite(&start, 4, 1, file);
    (void)fwrite("\0", 1, 2, file);
    assert_int_equal(fclose(file), 0);
}

TEST(a_csv_file_is_read_whole_or_memory_is_what_it_lacked) {
    write_table(csv_text, sizeof csv_text - 1);
    expect_table_or_memory("#b,a", 30);
    expect_table_or_memory("", 30);
}

TEST(an_npy_file_is_read_whole_or_memory_is_what_it_lacked) {
    write_table(npy_text, sizeof npy_text - 1);
    expect_table_or_memory("#1,0", 25);
}

TEST(a_compressed_file_is_read_whole_or_memory_is_what_it_lacked) {
    gzFile file = gzopen(table_path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, csv_text, sizeof csv_text - 1), sizeof csv_text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    expect_table_or_memory("#b,a", 34);
}

TEST(an_archive_is_read_whole_or_memory_is_what_it_lacked) {
    write_archive();
    expect_table_or_memory("#1,0", 29);
}

/* The consumer of streams from any producer reads the same CSV file. */
TEST(a_stream_is_read_whole_or_memory_is_what_it_lacked) {
    wanted *w = WANT("#b,a");
    write_table(csv_text, sizeof csv_text - 1);
    FAIL_EACH_ALLOCATION(8) {
        struct ArrowArrayStream source;
        dp2dpi_stream stream;
        assert_ok(dp2dpi_table_open(table_path, &w->options, 64, &source, NULL));
        fault_arm_run();
        fault_status =
            dp2dpi_stream_open(&stream, &source, w->columns, 2, "a stream", &fault_error);
        if (fault_status == OK) {
            do {
                fault_status = dp2dpi_stream_next(&stream, &fault_error);
            } while (fault_status == OK && stream.rows > 0);
            dp2dpi_stream_close(&stream);
        }
        source.release(&source);
    }
}

TEST(codes_are_found_or_memory_is_what_they_lacked) {
    static const char *const names[] = {"1", "2"};
    static const int32_t offsets[] = {0, 3, 4};
    const void *buffers[] = {NULL, offsets, "1.02"};
    const struct ArrowArray column = {.length = 2, .n_buffers = 3, .buffers = buffers};
    FAIL_EACH_ALLOCATION(2) {
        int32_t codes[2];
        FAULTY(dp2dp_table_codes(&column, names, 2, codes, &fault_error));
        assert_true(fault_status != OK || (codes[0] == 0 && codes[1] == 1));
    }
}
