/* Reads batches that dp2dp_schema_encode made, without copying the rows. Checks the batches,
 * because other code may have changed them meanwhile. */
#ifndef DP2DPI_TRAINING_BATCH_H
#define DP2DPI_TRAINING_BATCH_H

#include "schema/block.h"

typedef struct dp2dpi_encoded {
    struct ArrowArrayStream *source;     /* borrowed */
    const dp2dp_schema_info *schema;     /* the schema that encoded the rows, borrowed */
    int64_t children;                    /* number of children of the source's struct */
    int64_t at[DP2DPI_ENCODED_CHILDREN]; /* position of each column in the source's struct; -1 if
                                            the column is missing */
    struct ArrowArray batch; /* the current batch; batch.release is NULL if there is no batch */
    uint64_t rows_before;    /* number of rows in all earlier batches */
    dp2dpi_rows rows;        /* rows of the current batch, read-only; rows.count is 0 if there is no
                                batch */
    const void *values[DP2DPI_ENCODED_CHILDREN]; /* address of the first value of each column; NULL
                                                    if the column is missing */
} dp2dpi_encoded;

/* Opens a stream of encoded rows. The stream must have the columns "row", "numbers", "levels" and
 * "scale", and the columns that `parts` (LABEL, GROUP) asks for. Fails with DATA if one of these
 * columns is missing or does not have the form that this schema gives it. Ownership: borrows source
 * and schema until dp2dpi_encoded_close, which does not release them. The caller may call
 * dp2dpi_encoded_close after this function failed. */
dp2dp_status dp2dpi_encoded_open(dp2dpi_encoded *encoded, struct ArrowArrayStream *source,
                                 const dp2dp_schema_info *schema, unsigned parts,
                                 dp2dp_error *error);
void dp2dpi_encoded_close(dp2dpi_encoded *encoded);

/* Gets the next batch that has rows. At the end of the stream, encoded->rows.count is 0. Fails with
 * DATA if the batch is not of the type that the source announced. Also fails with DATA if a row of
 * the batch cannot have been encoded by a schema with as many features as encoded->schema has. */
dp2dp_status dp2dpi_encoded_next(dp2dpi_encoded *encoded, dp2dp_error *error);

#endif
