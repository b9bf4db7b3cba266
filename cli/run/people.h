/* Encoded rows in memory, and parts of them as streams: what is split again and again is read and
 * encoded once. */
#ifndef CLI_PEOPLE_H
#define CLI_PEOPLE_H

#include <stdint.h>

#include "args/args.h"

/* The children of a batch of dp2dp_schema_encode with all parts, in its order. */
typedef enum cli_field {
    CLI_FIELD_ROW,     /* int64_t */
    CLI_FIELD_NUMBERS, /* float, a list */
    CLI_FIELD_LEVELS,  /* int32_t, a list */
    CLI_FIELD_SCALE,   /* float */
    CLI_FIELD_LABEL,   /* int32_t */
    CLI_FIELD_GROUP,   /* int32_t */
    CLI_FIELDS
} cli_field;

typedef struct cli_people {
    size_t count, capacity;
    size_t each[CLI_FIELDS];  /* values of a row */
    void *values[CLI_FIELDS]; /* of all rows */
} cli_people;

/* Reads the stream to its end and releases it. Ownership: the caller frees the people, even after a
 * failure. */
dp2dp_status cli_people_load(const dp2dp_schema *schema, struct ArrowArrayStream *stream,
                             cli_people *out, dp2dp_error *error);
void cli_people_free(cli_people *people);

/* Those i with parts[i] = part, in order; parts NULL: everybody. Batches are those of
 * dp2dp_schema_encode. Ownership: people and parts are borrowed until the stream is released; on
 * failure out->release is NULL. */
dp2dp_status cli_people_stream(const cli_people *people, const uint8_t *parts, uint8_t part,
                               struct ArrowArrayStream *out, dp2dp_error *error);

#endif
