/* Schemas and tables as text, for the tests of schema and encoder. */
#ifndef DP2DP_TESTS_UNIT_SCHEMA_DATA_H
#define DP2DP_TESTS_UNIT_SCHEMA_DATA_H

#include "unit/edited.h"
#include "unit/table/data.h"

#include <dp2dp/schema.h>

#include "schema/block.h"
#include "schema/schema.h"

#define HEADING "{\"format\": \"dp2dp-schema\", \"version\": {\"major\": 1, \"minor\": 0}, "

/* A schema that uses every member and every policy. */
__attribute__((unused)) static const char sample_schema[] = HEADING
    "\"name\": \"sample\", \"origin\": \"public\", \"norm\": 2, \"trim\": true, "
    "\"missing\": [\"?\", \"\"], \"columns\": ["
    "{\"name\": \"age\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, "
    "\"upper\": 100, \"centre\": 40, \"scale\": 20, \"missing\": \"level\"},"
    "{\"name\": \"pay\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": 0, "
    "\"upper\": 1e6, \"log1p\": true, \"centre\": 10, \"scale\": 2},"
    "{\"name\": \"hours\", \"role\": \"feature\", \"kind\": \"numeric\", \"cuts\": [20, 40.5]},"
    "{\"name\": \"job\", \"role\": \"feature\", \"kind\": \"categorical\", "
    "\"levels\": [\"clerk\", \"smith\"], \"aliases\": {\"Clerk.\": \"clerk\"}, "
    "\"missing\": \"level\"},"
    "{\"name\": \"town\", \"role\": \"feature\", \"kind\": \"categorical\", "
    "\"levels\": [\"A\", \"B\"], \"unknown\": \"refuse\", \"missing\": \"drop\"},"
    "{\"name\": \"note\", \"role\": \"ignore\"},"
    "{\"name\": \"sex\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
    "\"levels\": [\"female\", \"male\"]},"
    "{\"name\": \"race\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
    "\"levels\": [\"black\", \"white\"], \"unknown\": \"level\"},"
    "{\"name\": \"score\", \"role\": \"label\", \"kind\": \"numeric\", \"cuts\": [27.576], "
    "\"levels\": [\"low\", \"high\"]}]}";

static inline dp2dp_schema *schema_of(const char *source) {
    dp2dp_schema *schema = NULL;
    assert_ok(dp2dp_schema_load(source, &schema, &test_error));
    return schema;
}

enum {
    ALL_PARTS = DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP
};

/* Opens the table at table_path and encodes it, chunk_rows rows at a time. */
static inline void open_encoded(const dp2dp_schema *schema, unsigned parts, size_t chunk_rows,
                                struct ArrowArrayStream *out) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    options.chunk_rows = chunk_rows;
    assert_ok(dp2dp_schema_open(schema, parts, table_path, &options, out, &test_error));
}

/* The values of child i of a batch of encoded rows; for a list, the values of all lists. */
static inline const void *values_of(const struct ArrowArray *batch, size_t i) {
    const struct ArrowArray *child = batch->children[i];
    return child->n_children > 0 ? child->children[0]->buffers[1] : child->buffers[1];
}

#endif
