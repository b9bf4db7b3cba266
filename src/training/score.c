/* Makes an Arrow stream of the classifier's probabilities from a stream of encoded rows. */
#include <dp2dp/train.h>

#include <string.h>

#include "arrow/stream_make.h"
#include "base/alloc.h"
#include "phase1/train.h"
#include "schema/block.h"
#include "schema/schema.h"
#include "training/batch.h"

static const char what[] = "scores";

typedef struct scoring {
    struct ArrowArrayStream source;
    dp2dpi_encoded encoded;
    const dp2dp_classifier *classifier;
    dp2dp_schema *schema;
    unsigned parts; /* SCORES, and LABEL, GROUP and LEFT_OUT if the encoded rows have them */
} scoring;

static void free_scoring(void *context) {
    scoring *s = context;
    if (s) {
        dp2dpi_encoded_close(&s->encoded);
        s->source.release(&s->source);
        dp2dp_schema_free(s->schema);
        dp2dpi_free(s);
    }
}

static dp2dp_status describe(void *context, struct ArrowSchema *out, dp2dp_error *error) {
    const scoring *s = context;
    return dp2dpi_block_describe(s->encoded.schema, s->parts, out, error);
}

/* Copies one column of the current batch. `out` is the address of a pointer of any type. Sets the
 * pointer to the copy, or to NULL if the batch lacks the column. */
static dp2dp_status copy_values(const dp2dpi_encoded *e, dp2dpi_encoded_child child, void *out,
                                dp2dp_error *error) {
    size_t size = dp2dpi_encoded_columns[child].size;
    void *copy = NULL;
    if (e->values[child]) {
        DP2DPI_TRY(dp2dpi_alloc_for(what, e->rows.count, size, &copy, error));
        memcpy(copy, e->values[child], e->rows.count * size);
    }
    memcpy(out, &copy, sizeof copy);
    return DP2DP_STATUS_OK;
}

static dp2dp_status score_batch(scoring *s, dp2dpi_block *block, dp2dp_error *error) {
    const dp2dpi_encoded *e = &s->encoded;
    size_t classes = e->schema->class_count;
    block->rows.count = e->rows.count;
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_ROW, &block->positions, error));
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_LABEL, &block->labels, error));
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_GROUP, &block->groups, error));
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_LEFT_OUT, &block->left_out, error));
    DP2DPI_TRY(
        dp2dpi_alloc_into(what, e->rows.count, classes * sizeof(float), &block->scores, error));
    dp2dpi_train_scores(s->classifier->weights, s->classifier->features, classes, &e->rows, 1,
                        block->scores);
    return DP2DP_STATUS_OK;
}

static dp2dp_status next(void *context, struct ArrowArray *out, dp2dp_error *error) {
    scoring *s = context;
    dp2dpi_block block = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_encoded_next(&s->encoded, error));
    if (s->encoded.rows.count == 0) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY_OR_DONE(score_batch(s, &block, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_block_publish(&block, s->parts, s->encoded.schema, out, error));
done:
    dp2dpi_block_free(&block);
    return status;
}

static const dp2dpi_stream_kind of_scores = {describe, next, free_scoring};

/* Opens s->source, which the caller has moved there. */
static dp2dp_status open_source(scoring *s, dp2dp_error *error) {
    DP2DPI_TRY(dp2dp_schema_load(s->classifier->schema, &s->schema, error));
    DP2DPI_TRY(
        dp2dpi_encoded_open(&s->encoded, &s->source, dp2dp_schema_view(s->schema), 0, error));
    s->parts = DP2DPI_PART_SCORES;
    s->parts |= s->encoded.at[DP2DPI_ENCODED_LABEL] < 0 ? 0 : (unsigned)DP2DP_PART_LABEL;
    s->parts |= s->encoded.at[DP2DPI_ENCODED_GROUP] < 0 ? 0 : (unsigned)DP2DP_PART_GROUP;
    s->parts |= s->encoded.at[DP2DPI_ENCODED_LEFT_OUT] < 0 ? 0 : (unsigned)DP2DP_PART_LEFT_OUT;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_model_score(const dp2dp_model *model, struct ArrowArrayStream *rows,
                               struct ArrowArrayStream *out, dp2dp_error *error) {
    const dp2dp_classifier *classifier = model ? dp2dp_model_view(model)->classifier : NULL;
    scoring *s = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (out) {
        memset(out, 0, sizeof *out);
    }
    if (rows == NULL || rows->release == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows must be an Arrow stream that is not released");
    }
    if (classifier == NULL || out == NULL) {
        DP2DPI_TRY_OR_DONE(
            dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                        model && out ? "the model has no classifier, so it cannot compute scores"
                                     : "model and out must not be NULL"));
    }
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(s, 1, "a scorer", error));
    *s = (scoring) {.source = *rows, .classifier = classifier};
    rows->release = NULL;
    DP2DPI_TRY_OR_DONE(open_source(s, error));
    return dp2dpi_stream_make(&of_scores, s, out, error);
done:
    free_scoring(s);
    if (rows->release) {
        rows->release(rows);
    }
    return status;
}
