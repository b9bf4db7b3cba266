/* Rows that are in a table more than once are noticed while they are encoded. */
#include "unit/schema/data.h"

enum {
    ROWS = 600
};

static const char people_schema[] =
    HEADING "\"name\": \"people\", \"origin\": \"public\", \"missing\": [\"?\"], \"columns\": ["
            "{\"name\": \"age\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, "
            "\"upper\": 100, \"missing\": \"level\"},"
            "{\"name\": \"job\", \"role\": \"feature\", \"kind\": \"categorical\", "
            "\"levels\": [\"clerk\", \"smith\"], \"missing\": \"level\"},"
            "{\"name\": \"sex\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
            "\"levels\": [\"female\", \"male\"]}]}";

/* Writes a table whose rows from `first` on are copies of the first rows. The rows differ only in
 * the age, in the job if the age is missing, and in what is missing. */
static void write_people(size_t first) {
    static char table[ROWS * 64];
    size_t used = (size_t)snprintf(table, sizeof table, "age,job,sex\n");
    for (size_t i = 0; i < ROWS; i++) {
        size_t of = i % first;
        if (of < 2) {
            used += (size_t)snprintf(table + used, sizeof table - used, "?,%s,male\n",
                                     of == 0 ? "?" : "clerk");
        } else {
            used += (size_t)snprintf(table + used, sizeof table - used, "%.2f,smith,male\n",
                                     (double)of / 8);
        }
    }
    write_text(table);
}

/* Reads the table in batches of `chunk` rows and returns what it says about repeated rows. */
static int repeated_in(unsigned parts, size_t chunk) {
    HANDLE(dp2dp_schema) *schema = schema_of(people_schema);
    uint64_t columns[3] = {0};
    int repeated = -1;
    dp2dp_outside outside = {.columns = columns, .rows_repeated = &repeated};
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    options.chunk_rows = chunk;
    options.outside = &outside;
    assert_ok(dp2dp_schema_open(schema, parts, table_path, &options, &stream, &test_error));
    while (dp2dp_stream_next(&stream, &batch, &test_error) == OK && batch.release) {
        batch.release(&batch);
    }
    stream.release(&stream);
    return repeated;
}

TEST(a_table_that_was_joined_to_itself_is_noticed_in_every_batch_size) {
    static const unsigned read = DP2DP_PART_FEATURES | DP2DP_PART_GROUP;
    static const size_t chunks[] = {7, 1000};
    for (size_t i = 0; i < 2; i++) {
        write_people(ROWS / 2);
        assert_int_equal(repeated_in(read, chunks[i]), 1);
        assert_int_equal(repeated_in(read | DP2DP_PART_FINDINGS, chunks[i]), 1);
        write_people(ROWS);
        assert_int_equal(repeated_in(read, chunks[i]), 0);
        assert_int_equal(repeated_in(read | DP2DP_PART_FINDINGS, chunks[i]), 0);
    }
}

TEST(repeated_rows_are_not_sought_if_bad_rows_are_left_out) {
    write_people(ROWS / 2);
    assert_int_equal(
        repeated_in(DP2DP_PART_FEATURES | DP2DP_PART_LEFT_OUT | DP2DP_PART_IGNORE_BAD, 1000), -1);
}
