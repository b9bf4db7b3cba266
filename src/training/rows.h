/* Reads all rows of an encoded stream into one block, because training reads them many times. */
#ifndef DP2DPI_TRAINING_ROWS_H
#define DP2DPI_TRAINING_ROWS_H

#include <dp2dp/train.h>

#include "training/batch.h"

typedef struct dp2dpi_training {
    dp2dpi_rows rows; /* those that are not left out */
    int32_t *labels;  /* outputs of the target; -1 if a label or group is not in the schema */
    uint64_t records; /* number of all rows */
    int leaves_out;   /* 1: the stream says which rows are left out, so there may be some */
} dp2dpi_training;

/* Reads the stream to its end, with what the classifier is to predict as labels. Labels and norms
 * are not checked; dp2dpi_train_examples does that. Memory use stays close to the size of the rows,
 * because the source is released as soon as its end is reached. Ownership: the caller frees *out,
 * also after a failure, and then also releases the source if source->release is not NULL. Privacy:
 * the rows are wiped when freed. */
dp2dp_status dp2dpi_training_read(struct ArrowArrayStream *source, const dp2dp_schema_info *schema,
                                  dp2dp_target target, dp2dpi_training *out, dp2dp_error *error);
void dp2dpi_training_free(dp2dpi_training *training);

#endif
