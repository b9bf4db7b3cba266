/* All rows of an encoded stream, in one piece: what training goes over again and again. */
#ifndef DP2DPI_TRAINING_ROWS_H
#define DP2DPI_TRAINING_ROWS_H

#include "training/batch.h"

typedef struct dp2dpi_training {
    dp2dpi_rows rows;
    int32_t *labels;
} dp2dpi_training;

/* Reads the stream to its end. DATA for a row that cannot be trained on, with its number: another
 * label, longer than the schema's norm. At no time is there much more memory in use than the rows
 * need: the source is released as soon as its end is reached. Ownership: freed by the caller, also
 * after failure, the source then too if it is still there. Privacy: wiped when freed. */
dp2dp_status dp2dpi_training_read(struct ArrowArrayStream *source, const dp2dp_schema_info *schema,
                                  dp2dpi_training *out, dp2dp_error *error);
void dp2dpi_training_free(dp2dpi_training *training);

#endif
