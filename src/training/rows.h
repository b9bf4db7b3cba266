/* Reads all rows of an encoded stream into one block, because training reads them many times. */
#ifndef DP2DPI_TRAINING_ROWS_H
#define DP2DPI_TRAINING_ROWS_H

#include <dp2dp/train.h>

#include "phase1/train.h"
#include "training/batch.h"

typedef struct dp2dpi_training {
    dp2dpi_rows rows; /* the rows that are not left out */
    int32_t
        *labels; /* for each row, the index of the class, of the group, or of the pair of group and
                    class, as the target says; -1 if a label or group is not in the schema */
    uint64_t records; /* number of all rows, including those left out */
    int leaves_out;   /* 1 if the stream has a column that says which rows are left out */
} dp2dpi_training;

/* Fails with ARGUMENT if the schema lacks a column that the target needs, or if the target has too
 * many outputs. */
dp2dp_status dp2dpi_training_check_target(dp2dp_target target, const dp2dp_schema_info *schema,
                                          dp2dp_error *error);

/* Reads the stream to its end. dp2dpi_train_examples checks the labels and norms later. Memory use
 * stays close to the size of the rows, because the source is released as soon as it ends.
 *
 * Ownership: the caller frees *out, also after failure. After a failure the caller also releases
 * the source if source->release is not NULL. Privacy: the rows are wiped when freed. */
dp2dp_status dp2dpi_training_read(struct ArrowArrayStream *source, const dp2dp_schema_info *schema,
                                  dp2dp_target target, dp2dpi_training *out, dp2dp_error *error);
void dp2dpi_training_free(dp2dpi_training *training);

/* Wraps the rows in a struct of examples, which borrows *training. */
static inline dp2dpi_examples dp2dpi_training_examples(const dp2dpi_training *training,
                                                       const dp2dp_schema_info *schema,
                                                       dp2dp_target target, unsigned threads) {
    dp2dpi_examples examples =
        dp2dpi_examples_of(&training->rows, training->labels, schema->width,
                           dp2dp_target_outputs(target, schema), schema->norm, threads);
    examples.records = (size_t)training->records;
    return examples;
}

#endif
