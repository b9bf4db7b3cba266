/* Reads batches that dp2dp_schema_encode made. They may have passed through other code, so they are
 * checked. Rows are not copied. */
#ifndef DP2DPI_TRAINING_BATCH_H
#define DP2DPI_TRAINING_BATCH_H

#include "schema/block.h"

typedef struct dp2dpi_encoded {
    struct ArrowArrayStream *source;     /* borrowed */
    const dp2dp_schema_info *schema;     /* the schema that encoded the rows, borrowed */
    int64_t children;                    /* number of children of the source's struct */
    int64_t at[DP2DPI_ENCODED_CHILDREN]; /* position of each column in that struct; -1: absent */
    struct ArrowArray batch;             /* the current batch; release NULL: none */
    uint64_t rows_before;                /* number of rows in all earlier batches */
    dp2dpi_rows rows;                    /* rows of the current batch, read-only; count 0: none */
    const void *values[DP2DPI_ENCODED_CHILDREN]; /* first value per column; NULL: absent */
} dp2dpi_encoded;

/* Opens a stream of encoded rows. Returns DATA unless the source has "row", "numbers", "levels" and
 * "scale" in the form that this schema gives them, and the columns for `parts` (LABEL, GROUP).
 * Ownership: source and schema are borrowed until close, which does not release them; close may be
 * called after open failed. */
dp2dp_status dp2dpi_encoded_open(dp2dpi_encoded *encoded, struct ArrowArrayStream *source,
                                 const dp2dp_schema_info *schema, unsigned parts,
                                 dp2dp_error *error);
void dp2dpi_encoded_close(dp2dpi_encoded *encoded);

/* Gets the next batch that has rows; encoded->rows.count is 0 at the end. DATA for a batch that
 * differs from the type the source announced, or for a row that no schema of this width produces.
 */
dp2dp_status dp2dpi_encoded_next(dp2dpi_encoded *encoded, dp2dp_error *error);

#endif
