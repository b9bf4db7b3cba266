/* A shard: a source that answers the questions of dp2dp_train_source from rows in memory. */
#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "phase1/sums.h"
#include "training/rows.h"

typedef struct shard {
    dp2dpi_training training;
    dp2dpi_examples examples;
    dp2dpi_gradient gradient;
    dp2dp_gradient_source rows; /* source that sums the gradients of the rows in `training` */
} shard;

static dp2dp_status answer(void *context, const dp2dp_gradient_question *question, int64_t *sum,
                           dp2dp_error *error) {
    const dp2dp_gradient_source *rows = &((shard *)context)->rows;
    return rows->sum(rows->context, question, sum, error);
}

static void drop(void *context) {
    shard *s = context;
    if (s) {
        dp2dpi_gradient_free(&s->gradient);
        dp2dpi_training_free(&s->training);
    }
    dp2dpi_free(s);
}

static dp2dp_status fill(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                         dp2dp_target target, unsigned threads, shard *s, dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    DP2DPI_TRY(dp2dpi_training_check_target(target, info, error));
    DP2DPI_TRY(dp2dpi_training_read(rows, info, target, &s->training, error));
    s->examples = dp2dpi_training_examples(&s->training, info, target, threads);
    DP2DPI_TRY(dp2dpi_examples_check(&s->examples, error));
    DP2DPI_TRY(dp2dpi_gradient_new(&s->examples, &s->gradient, error));
    s->rows = dp2dpi_sums_of(&s->gradient);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_gradient_source_open(const dp2dp_schema *schema, struct ArrowArrayStream *rows,
                                        dp2dp_target target, unsigned threads,
                                        dp2dp_gradient_source *out, dp2dp_error *error) {
    shard *s = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (schema == NULL || rows == NULL || rows->release == NULL ||
        dp2dp_target_name(target) == NULL) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                       "schema must not be NULL, rows must be a stream, and target "
                                       "must be a known target"));
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_struct_check(DP2DP_STRUCT_GRADIENT_SOURCE, out, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(s, 1, "a shard", error));
    DP2DPI_TRY_OR_DONE(fill(schema, rows, target, threads, s, error));
    dp2dp_gradient_source filled = s->rows;
    filled.leaves_out = s->training.leaves_out;
    filled.context = s;
    filled.sum = answer;
    filled.release = drop;
    dp2dpi_struct_write(DP2DP_STRUCT_GRADIENT_SOURCE, &filled, out);
done:
    if (rows && rows->release) {
        rows->release(rows);
    }
    if (status != DP2DP_STATUS_OK) {
        drop(s);
    }
    return status;
}
