/* Schemas and encoders: if any allocation fails, the call returns MEMORY and nothing leaks. */
#include "fault/fault_stream.h"

#include "unit/schema/data.h"

static const char table[] = "age,pay,hours,job,town,note,sex,race,score\n"
                            "40,0,1,clerk,A,,female,black,0\n"
                            "40,0,1,smith,?,,female,black,0\n"
                            "?,9,50,other,B,,male,green,30\n";

static void expect_schema_or_nothing(const char *source) {
    FAIL_EACH_ALLOCATION(200) {
        HANDLE(dp2dp_schema) *schema = NULL;
        FAULTY(dp2dp_schema_load(source, &schema, &fault_error));
        assert_int_equal(schema == NULL, fault_status != OK);
    }
}

TEST(a_schema_is_read_whole_or_memory_is_what_it_lacked) {
    (void)fault_include_json(NULL);
    expect_schema_or_nothing(sample_schema);
    write_text(sample_schema);
    expect_schema_or_nothing(table_path);
}

TEST(rows_are_encoded_whole_or_memory_is_what_they_lacked) {
    const unsigned parts = DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP;
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    write_table(table, sizeof table - 1);
    FAIL_EACH_ALLOCATION(40) {
        struct ArrowArrayStream rows, stream;
        assert_ok(open_rows(schema, parts, 2, &rows, NULL));
        fault_arm_run();
        fault_status = dp2dp_schema_encode(schema, parts, &rows, table_path, &stream, &fault_error);
        assert_null(rows.release);
        fault_read_all(&stream);
    }
}
