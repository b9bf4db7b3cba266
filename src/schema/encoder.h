/* Rows of a table through a schema, block by block. What becomes of a row depends on the schema and
 * on the row, and on nothing else: not on its place, its batch or its neighbours. */
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
} dp2dpi_block;

/* parts: dp2dp_part bits. ARGUMENT if the schema has no such column, DATA if the rows have not.
 * Ownership: rows is moved, also on failure; schema is borrowed, source (may be NULL) copied. */
dp2dp_status dp2dpi_encoder_new(const dp2dp_schema *schema, unsigned parts,
                                struct ArrowArrayStream *rows, const char *source,
                                dp2dpi_encoder **out, dp2dp_error *error);
void dp2dpi_encoder_free(dp2dpi_encoder *encoder);

/* The next rows; block->rows.count is 0 at the end. Ownership: the caller frees the block. */
dp2dp_status dp2dpi_encoder_next(dp2dpi_encoder *encoder, dp2dpi_block *block, dp2dp_error *error);
void dp2dpi_block_free(dp2dpi_block *block);

/* Moves the parts of a block into an array; what is left is the caller's to free. */
dp2dp_status dp2dpi_block_publish(dp2dpi_block *block, unsigned parts,
                                  const dp2dp_schema_info *info, struct ArrowArray *out,
                                  dp2dp_error *error);
/* The type of such arrays. */
dp2dp_status dp2dpi_block_describe(const dp2dp_schema_info *info, unsigned parts,
                                   struct ArrowSchema *out, dp2dp_error *error);

#endif
