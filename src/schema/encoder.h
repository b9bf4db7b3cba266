/* Encodes rows of a table with a schema, block by block. The result for a row depends only on the
 * schema and the row, not on the row's position, its batch or other rows. */
#ifndef DP2DPI_SCHEMA_ENCODER_H
#define DP2DPI_SCHEMA_ENCODER_H

#include <dp2dp/schema.h>

#include "arrow/stream_read.h"
#include "num/rows.h"

typedef struct dp2dpi_encoder dp2dpi_encoder;

/* An internal bit beside the public dp2dp_part bits: the stream has scores instead of features. */
enum {
    DP2DPI_PART_SCORES = 8
};

typedef struct dp2dpi_block {
    dp2dpi_rows rows;   /* rows.count is set even if no features are wanted */
    int64_t *positions; /* of the rows in the table, from 0 */
    int32_t *labels;    /* NULL if not wanted */
    int32_t *groups;    /* NULL if not wanted */
    float *scores;      /* rows.count × K; NULL if not wanted */
    /* 1: the schema leaves this row out (missing: drop); only its position is set */
    unsigned char *left_out;
    size_t left_out_count;
} dp2dpi_block;

/* The columns of an Arrow stream of encoded rows, in order. */
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
    const char *format; /* Arrow format string of one value */
    size_t size;        /* bytes of one value */
    unsigned part;      /* the part that needs the column; 0: always present */
} dp2dpi_encoded_column;

extern const dp2dpi_encoded_column dp2dpi_encoded_columns[DP2DPI_ENCODED_CHILDREN];

enum {
    DP2DPI_ENCODED_FORMAT_SIZE = 32 /* bytes for the list format "+w:<each>" */
};

/* Number of values that one row has in the column, which is a list; SIZE_MAX: one plain value, no
 * list. */
size_t dp2dpi_encoded_each(const dp2dp_schema_info *info, dp2dpi_encoded_child child);

/* 1 if the parts (dp2dp_part bits) need the column. */
int dp2dpi_schema_wants(const dp2dp_schema_column *column, unsigned parts);

/* Returns ARGUMENT unless the schema has the columns for all parts. */
dp2dp_status dp2dpi_encoder_check(const dp2dp_schema_info *info, unsigned parts,
                                  dp2dp_error *error);

/* Makes an encoder. parts: dp2dp_part bits. ARGUMENT if the schema has no column for a part, DATA
 * if `rows` lacks a column. Ownership: rows is moved; after a failure the caller releases it if
 * rows->release is not NULL. schema is borrowed, source (may be NULL) is copied. */
dp2dp_status dp2dpi_encoder_new(const dp2dp_schema *schema, unsigned parts,
                                struct ArrowArrayStream *rows, const char *source,
                                dp2dpi_encoder **out, dp2dp_error *error);
void dp2dpi_encoder_free(dp2dpi_encoder *encoder);
const dp2dp_schema *dp2dpi_encoder_schema(const dp2dpi_encoder *encoder, unsigned *parts);

/* Gets the next rows, including those to be left out; block->rows.count is 0 at the end. Ownership:
 * the caller frees the block. */
dp2dp_status dp2dpi_encoder_next(dp2dpi_encoder *encoder, dp2dpi_block *block, dp2dp_error *error);
void dp2dpi_block_free(dp2dpi_block *block);

/* Removes the rows that are left out. */
void dp2dpi_block_compact(dp2dpi_block *block);
/* Moves the parts of a block into an array. Ownership: the caller frees the block with everything
 * that was not moved. */
dp2dp_status dp2dpi_block_publish(dp2dpi_block *block, unsigned parts,
                                  const dp2dp_schema_info *info, struct ArrowArray *out,
                                  dp2dp_error *error);
/* Makes the type of the arrays that dp2dpi_block_publish makes. */
dp2dp_status dp2dpi_block_describe(const dp2dp_schema_info *info, unsigned parts,
                                   struct ArrowSchema *out, dp2dp_error *error);

#endif
