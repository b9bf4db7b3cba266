/* Tables: whatever allocation fails, the stream says so, nothing leaks, no batch is half-made. */
#include "fault/fault_alloc.h"

#include <zlib.h>

#include "unit/table/data.h"

#include "arrow/stream_read.h"

static const char csv_text[] = "a,skipped,b\n\"x \"\"y\"\"\",,0.123456789012345678901234\n"
                               "a rather long text for the room that a row of text is given,,2\n";
static const char npy_text[] = "\x93NUMPY\1\0\x3E\0{'descr': '|i1', 'fortran_order': False, "
                               "'shape': (2, 2), }  \n\1\2\3\4";

static dp2dp_status status_of(int code) {
    return code == 0 ? DP2DP_STATUS_OK : code == ENOMEM ? DP2DP_STATUS_MEMORY : DP2DP_STATUS_IO;
}

static dp2dp_status read_all(size_t at, fault_mode how, const char *names) {
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    int code;
    static const char *const markers[] = {"?", ""};
    wanted *w = WANT(names);
    w->options.chunk_rows = 1;
    w->options.missing = markers;
    w->options.missing_count = 2;
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_table_open(table_path, &w->options, 4, &stream, &fault_error);
    assert_int_equal(stream.release == NULL, status != DP2DP_STATUS_OK);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    code = stream.get_schema(&stream, &schema);
    assert_int_equal(schema.release == NULL, code != 0);
    if (code == 0) {
        schema.release(&schema);
        while ((code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
            batch.release(&batch);
        }
    }
    if (code != 0) {
        assert_non_null(stream.get_last_error(&stream));
        assert_says(stream.get_last_error(&stream), "memory");
    }
    stream.release(&stream);
    return status_of(code);
}

static dp2dp_status read_csv(size_t at, fault_mode how) {
    return read_all(at, how, "#b,a");
}

static dp2dp_status read_npy(size_t at, fault_mode how) {
    return read_all(at, how, "#1,0");
}

/* A member stored without compression: local header, array, directory, end. */
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

/* The same file through the consumer of any producer's stream. */
static dp2dp_status read_stream(size_t at, fault_mode how) {
    struct ArrowArrayStream source;
    dp2dpi_stream stream;
    wanted *w = WANT("#b,a");
    dp2dp_status status = dp2dpi_table_open(table_path, &w->options, 64, &source, &fault_error);
    assert_int_equal(status, DP2DP_STATUS_OK);
    fault_arm(at, how);
    status = dp2dpi_stream_open(&stream, &source, w->columns, 2, "a stream", &fault_error);
    if (status == DP2DP_STATUS_OK) {
        do {
            status = dp2dpi_stream_next(&stream, &fault_error);
        } while (status == DP2DP_STATUS_OK && stream.rows > 0);
        dp2dpi_stream_close(&stream);
    }
    source.release(&source);
    return status;
}

TEST(a_csv_file_is_read_whole_or_memory_is_what_it_lacked) {
    write_table(csv_text, sizeof csv_text - 1);
    assert_true(fault_every_allocation(read_csv) >= 30);
}

TEST(an_npy_file_is_read_whole_or_memory_is_what_it_lacked) {
    write_table(npy_text, sizeof npy_text - 1);
    assert_true(fault_every_allocation(read_npy) >= 25);
}

TEST(a_compressed_file_is_read_whole_or_memory_is_what_it_lacked) {
    gzFile file = gzopen(table_path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, csv_text, sizeof csv_text - 1), sizeof csv_text - 1);
    assert_int_equal(gzclose(file), Z_OK);
    assert_true(fault_every_allocation(read_csv) >= 34);
}

TEST(an_archive_is_read_whole_or_memory_is_what_it_lacked) {
    write_archive();
    assert_true(fault_every_allocation(read_npy) >= 29);
}

TEST(a_stream_is_read_whole_or_memory_is_what_it_lacked) {
    write_table(csv_text, sizeof csv_text - 1);
    assert_true(fault_every_allocation(read_stream) >= 8);
}
