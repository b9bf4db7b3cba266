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
    FREED char *numbers = edited(sample_schema, "\"A\", \"B\"", "\"0\", \"1\"");
    expect_schema_or_nothing(numbers);
}

TEST(rows_are_encoded_whole_or_memory_is_what_they_lacked) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    HANDLE(dp2dp_schema) *schema = schema_of(sample_schema);
    write_table(table, sizeof table - 1);
    options.chunk_rows = 2;
    for (unsigned extra = 0; extra <= DP2DP_PART_FINDINGS; extra += DP2DP_PART_FINDINGS) {
        FAIL_EACH_ALLOCATION(40) {
            struct ArrowArrayStream stream;
            fault_arm_run();
            fault_status = dp2dp_schema_open(schema, ALL_PARTS | extra, table_path, &options,
                                             &stream, &fault_error);
            fault_read_all(&stream);
        }
    }
}
