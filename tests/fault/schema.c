/* Schemas and encoders when memory gives out: a clean status, and nothing leaks. */
#include "fault/fault_alloc.h"

#include "unit/schema/data.h"

static const char table[] = "age,pay,hours,job,town,note,sex,race,score\n"
                            "40,0,1,clerk,A,,female,black,0\n"
                            "40,0,1,smith,?,,female,black,0\n"
                            "?,9,50,other,B,,male,green,30\n";

static dp2dp_status load(size_t at, fault_mode how) {
    HANDLE(dp2dp_schema) *schema = NULL;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_schema_load(sample_schema, &schema, &fault_error);
    assert_int_equal(schema == NULL, status != OK);
    return status;
}

static dp2dp_status load_file(size_t at, fault_mode how) {
    HANDLE(dp2dp_schema) *schema = NULL;
    fault_arm(at, how);
    dp2dp_status status = dp2dp_schema_load(table_path, &schema, &fault_error);
    assert_int_equal(schema == NULL, status != OK);
    return status;
}

static const dp2dp_schema *sample;

static dp2dp_status encode(size_t at, fault_mode how) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowSchema type;
    struct ArrowArray batch;
    int code = 0;
    options.chunk_rows = 2;
    fault_arm(at, how);
    dp2dp_status status =
        dp2dp_schema_open(sample, ALL_PARTS, table_path, &options, &stream, &fault_error);
    assert_int_equal(stream.release == NULL, status != OK);
    if (status != OK) {
        return status;
    }
    code = stream.get_schema(&stream, &type);
    assert_int_equal(type.release == NULL, code != 0);
    if (code == 0) {
        type.release(&type);
        while ((code = stream.get_next(&stream, &batch)) == 0 && batch.release) {
            batch.release(&batch);
        }
    }
    if (code != 0) {
        assert_says(stream.get_last_error(&stream), "memory");
    }
    stream.release(&stream);
    return code == 0 ? OK : code == ENOMEM ? DP2DP_STATUS_MEMORY : DP2DP_STATUS_IO;
}

TEST(a_schema_is_read_whole_or_memory_is_what_it_lacked) {
    (void)fault_include_json(NULL);
    assert_true(fault_every_allocation(load) >= 200);
    write_text(sample_schema);
    assert_true(fault_every_allocation(load_file) >= 200);
}

TEST(rows_are_encoded_whole_or_memory_is_what_they_lacked) {
    dp2dp_schema *schema = schema_of(sample_schema);
    sample = schema;
    write_table(table, sizeof table - 1);
    assert_true(fault_every_allocation(encode) >= 40);
    dp2dp_schema_free(schema);
}
