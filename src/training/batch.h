/* The batches of dp2dp_schema_encode, which may come from anywhere. Rows are not copied. */
#ifndef DP2DPI_TRAINING_BATCH_H
#define DP2DPI_TRAINING_BATCH_H

#include "schema/encoder.h"

typedef struct dp2dpi_encoded {
    struct ArrowArrayStream *source;     /* borrowed */
    const dp2dp_schema_info *schema;     /* that encoded them, borrowed */
    int64_t children;                    /* of the source's struct */
    int64_t at[DP2DPI_ENCODED_CHILDREN]; /* positions of ours in it; -1: not there */
    struct ArrowArray batch;             /* the current one; release NULL: none */
    uint64_t rows_before;                /* in the batches before */
    dp2dpi_rows rows;                    /* of the batch, not to be written; count 0: none */
    const void *values[DP2DPI_ENCODED_CHILDREN]; /* as Arrow has them; NULL: not there */
} dp2dpi_encoded;

/* DATA unless the source has rows, numbers, levels and scale as this schema makes them, and
 * `parts` (LABEL, GROUP) beside them. Ownership: source and schema are borrowed until close, which
 * does not release them; close accepts what open failed on. */
dp2dp_status dp2dpi_encoded_open(dp2dpi_encoded *encoded, struct ArrowArrayStream *source,
                                 const dp2dp_schema_info *schema, unsigned parts,
                                 dp2dp_error *error);
void dp2dpi_encoded_close(dp2dpi_encoded *encoded);

/* The next batch that has rows; encoded->rows.count is 0 at the end. DATA for a batch that is not
 * what the source said, or for a row that no schema of this width makes. */
dp2dp_status dp2dpi_encoded_next(dp2dpi_encoded *encoded, dp2dp_error *error);

#endif
