/* Tables: whatever allocation fails, the stream says so, nothing leaks, no batch is half-made. */
#include "fault/fault_alloc.h"

#include "unit/table_data.h"

static const char csv_text[] = "a,skipped,b\n\"x \"\"y\"\"\",,0.123456789012345678901234\n"
                               "a rather long text for the room that a row of text is given,,2\n";
static const char npy_text[] = "\x93NUMPY\1\0\x3E\0{'descr': '|i1', 'fortran_order': False, "
                               "'shape': (2, 2), }  \n\1\2\3\4";

static dp2dp_status status_of(int code) {
    return code == 0 ? DP2DP_STATUS_OK : code == ENOMEM ? DP2DP_STATUS_MEMORY : DP2DP_STATUS_IO;
}

static dp2dp_status read_all(size_t at, fault_mode how, const char *names) {
    wanted w;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    int code;
    want(&w, names);
    w.options.chunk_rows = 1;
    fault_arm(at, how);
    dp2dp_status status = dp2dpi_table_open(table_path, &w.options, 4, &stream, &fault_error);
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
        assert_non_null(strstr(stream.get_last_error(&stream), "memory"));
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

static void a_csv_file_is_read_whole_or_memory_is_what_it_lacked(void **state) {
    (void)state;
    write_table(csv_text, sizeof csv_text - 1);
    assert_true(fault_every_allocation(read_csv) >= 30);
}

static void an_npy_file_is_read_whole_or_memory_is_what_it_lacked(void **state) {
    (void)state;
    write_table(npy_text, sizeof npy_text - 1);
    assert_true(fault_every_allocation(read_npy) >= 25);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_csv_file_is_read_whole_or_memory_is_what_it_lacked),
        cmocka_unit_test(an_npy_file_is_read_whole_or_memory_is_what_it_lacked),
    };
    return cmocka_run_group_tests(tests, make_table_path, remove_table_path);
}
