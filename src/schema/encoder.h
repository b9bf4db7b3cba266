/* Rows of a table through a schema, block by block. The result for a row depends on the schema and
 * the row alone, not on its position, its batch or other rows. */
#ifndef DP2DPI_SCHEMA_ENCODER_H
#define DP2DPI_SCHEMA_ENCODER_H

#include <dp2dp/schema.h>

#include "arrow/stream_read.h"
#include "num/rows.h"

typedef struct dp2dpi_encoder dp2dpi_encoder;

/* Beside the public dp2dp_part bits, in place of features. */
enum {
    DP2DPI_PART_SCORES = 8
};

typedef struct dp2dpi_block {
    dp2dpi_rows rows;   /* rows.count of them, also where no features are wanted */
    int64_t *positions; /* in the table, from 0 */
    int32_t *labels;    /* NULL where not wanted */
    int32_t *groups;    /* NULL where not wanted */
    float *scores;      /* rows.count × K; NULL where not wanted */
    /* 1: the schema drops this row (missing: drop), and only its position is set */
    unsigned char *left_out;
    size_t left_out_count;
} dp2dpi_block;

/* The columns of encoded rows in an Arrow stream, in their order. */
typedef enum dp2dpi_encoded_child {
    DP2DPI_ENCODED_ROW = 0,
    DP2DPI_ENCODED_NUMBERS,
    DP2DPI_ENCODED_LEVELS,
    DP2DPI_ENCODED_SCALE,
    DP2DPI_ENCODED_SCORES,
    DP2DPI_ENCODED_LABEL,
    DP2DPI_ENCODED_GROUP,
    DP2DPI_ENCODED_CHILDREN
} dp2dpi_encoded_child;

typedef struct dp2dpi_encoded_column {
    const char *name;
    const char *format; /* of the values, in Arrow's letters */
    size_t size;        /* of a value */
    unsigned part;      /* 0: always there */
} dp2dpi_encoded_column;

extern const dp2dpi_encoded_column dp2dpi_encoded_columns[DP2DPI_ENCODED_CHILDREN];

enum {
    DP2DPI_ENCODED_FORMAT_SIZE = 32 /* "+w:<each>" */
};

/* Values of one row; SIZE_MAX: one, not in a list. */
size_t dp2dpi_encoded_each(const dp2dp_schema_info *info, dp2dpi_encoded_child child);

/* 1 if the parts (dp2dp_part bits) need the column. */
int dp2dpi_schema_wants(const dp2dp_schema_column *column, unsigned parts);

/* ARGUMENT unless the schema has all parts. */
dp2dp_status dp2dpi_encoder_check(const dp2dp_schema_info *info, unsigned parts,
                                  dp2dp_error *error);

/* parts: dp2dp_part bits. ARGUMENT if the schema has no such column, DATA if the rows do not.
 * Ownership: rows is moved; after a failure the caller releases it if it is still there. schema is
 * borrowed, source (may be NULL) copied. */
dp2dp_status dp2dpi_encoder_new(const dp2dp_schema *schema, unsigned parts,
                                struct ArrowArrayStream *rows, const char *source,
                                dp2dpi_encoder **out, dp2dp_error *error);
void dp2dpi_encoder_free(dp2dpi_encoder *encoder);
const dp2dp_schema *dp2dpi_encoder_schema(const dp2dpi_encoder *encoder, unsigned *parts);

/* The next rows, those left out among them; block->rows.count is 0 at the end. Ownership: the
 * caller frees the block. */
dp2dp_status dp2dpi_encoder_next(dp2dpi_encoder *encoder, dp2dpi_block *block, dp2dp_error *error);
void dp2dpi_block_free(dp2dpi_block *block);

/* Removes the rows that are left out. */
void dp2dpi_block_compact(dp2dpi_block *block);
/* Moves the parts of a block into an array; the caller frees the rest. */
dp2dp_status dp2dpi_block_publish(dp2dpi_block *block, unsigned parts,
                                  const dp2dp_schema_info *info, struct ArrowArray *out,
                                  dp2dp_error *error);
/* The type of such arrays. */
dp2dp_status dp2dpi_block_describe(const dp2dp_schema_info *info, unsigned parts,
                                   struct ArrowSchema *out, dp2dp_error *error);

#endif
