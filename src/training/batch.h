/* Reads batches of dp2dp_schema_encode, which may come from anywhere. Rows are not copied. */
#ifndef DP2DPI_TRAINING_BATCH_H
#define DP2DPI_TRAINING_BATCH_H

#include "schema/encoder.h"

typedef struct dp2dpi_encoded {
    struct ArrowArrayStream *source;             /* borrowed */
    const dp2dp_schema_info *schema;             /* the schema that encoded them, borrowed */
    int64_t children;                            /* number of children of the source's struct */
    int64_t at[DP2DPI_ENCODED_CHILDREN];         /* positions of our columns in it; -1: absent */
    struct ArrowArray batch;                     /* the current batch; release NULL: none */
    uint64_t rows_before;                        /* rows in the batches before */
    dp2dpi_rows rows;                            /* of the batch, read-only; count 0: none */
    const void *values[DP2DPI_ENCODED_CHILDREN]; /* as in the Arrow batch; NULL: absent */
} dp2dpi_encoded;

/* DATA unless the source has rows, numbers, levels and scale in the form this schema gives them,
 * and also `parts` (LABEL, GROUP). Ownership: source and schema are borrowed until close, which
 * does not release them; close may be called after open failed. */
dp2dp_status dp2dpi_encoded_open(dp2dpi_encoded *encoded, struct ArrowArrayStream *source,
                                 const dp2dp_schema_info *schema, unsigned parts,
                                 dp2dp_error *error);
void dp2dpi_encoded_close(dp2dpi_encoded *encoded);

/* The next batch that has rows; encoded->rows.count is 0 at the end. DATA for a batch that differs
 * from what the source announced, or for a row that no schema of this width makes. */
dp2dp_status dp2dpi_encoded_next(dp2dpi_encoded *encoded, dp2dp_error *error);

#endif
