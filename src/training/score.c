/* Makes an Arrow stream of a classifier's probabilities from a stream of encoded rows. */
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
    const dp2dp_classifier *group_classifier; /* predicts the group from the same rows, so it has
                                                 the same schema; may be NULL */
    dp2dp_schema *schema;
    unsigned parts; /* columns of the result: what the classifier computes (SCORES, GROUP_WEIGHTS,
                       STRATUM_WEIGHTS), and LABEL, GROUP and LEFT_OUT if the encoded rows have
                       them */
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

/* Copies one column of the current batch. `out` is the address of a pointer of any type. Sets this
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

static dp2dp_status allocate(size_t rows, size_t each, float **out, dp2dp_error *error) {
    return dp2dpi_alloc_into(what, rows, each * sizeof(float), out, error);
}

static dp2dp_status classify(const dp2dp_classifier *c, const dp2dpi_rows *rows, float **out,
                             dp2dp_error *error) {
    DP2DPI_TRY(allocate(rows->count, c->outputs, out, error));
    dp2dpi_train_scores(c->weights, c->features, c->outputs, rows, 1, *out);
    return DP2DP_STATUS_OK;
}

/* Returns a sum of probabilities, lowered to 1 if it is above 1: float32 probabilities may add up
 * to a little more than 1. */
static float as_probability(double sum) {
    return sum < 1.0 ? (float)sum : 1.0F;
}

/* Turns the probabilities of pairs of group and class into scores and weights. The score of a class
 * is the sum over the groups, and the weight of a group is the sum over the classes. */
static dp2dp_status add_up(const dp2dp_schema_info *schema, dp2dpi_block *block,
                           dp2dp_error *error) {
    size_t groups = schema->group_count, classes = schema->class_count, n = block->rows.count;
    DP2DPI_TRY(allocate(n, classes, &block->scores, error));
    DP2DPI_TRY(allocate(n, groups, &block->group_weights, error));
    for (size_t i = 0; i < n; i++) {
        const float *pairs = block->stratum_weights + i * groups * classes;
        for (size_t k = 0; k < classes; k++) {
            double sum = 0.0;
            for (size_t g = 0; g < groups; g++) {
                sum += (double)pairs[g * classes + k];
            }
            block->scores[i * classes + k] = as_probability(sum);
        }
        for (size_t g = 0; g < groups; g++) {
            double sum = 0.0;
            for (size_t k = 0; k < classes; k++) {
                sum += (double)pairs[g * classes + k];
            }
            block->group_weights[i * groups + g] = as_probability(sum);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status score_batch(scoring *s, dp2dpi_block *block, dp2dp_error *error) {
    const dp2dpi_encoded *e = &s->encoded;
    block->rows.count = e->rows.count;
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_ROW, &block->positions, error));
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_LABEL, &block->labels, error));
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_GROUP, &block->groups, error));
    DP2DPI_TRY(copy_values(e, DP2DPI_ENCODED_LEFT_OUT, &block->left_out, error));
    if (s->group_classifier) {
        DP2DPI_TRY(classify(s->group_classifier, &e->rows, &block->group_weights, error));
    }
    switch (s->classifier->target) {
    case DP2DP_TARGET_GROUP:
        return classify(s->classifier, &e->rows, &block->group_weights, error);
    case DP2DP_TARGET_GROUP_LABEL:
        DP2DPI_TRY(classify(s->classifier, &e->rows, &block->stratum_weights, error));
        return add_up(e->schema, block, error);
    case DP2DP_TARGET_LABEL:
    default:
        return classify(s->classifier, &e->rows, &block->scores, error);
    }
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

/* Opens s->source, which the caller has already set. */
static dp2dp_status open_source(scoring *s, dp2dp_error *error) {
    DP2DPI_TRY(dp2dp_schema_load(s->classifier->schema, &s->schema, error));
    DP2DPI_TRY(
        dp2dpi_encoded_open(&s->encoded, &s->source, dp2dp_schema_view(s->schema), 0, error));
    s->parts = s->classifier->target == DP2DP_TARGET_LABEL ? DP2DPI_PART_SCORES
               : s->classifier->target == DP2DP_TARGET_GROUP
                   ? DP2DPI_PART_GROUP_WEIGHTS
                   : DP2DPI_PART_SCORES | DP2DPI_PART_GROUP_WEIGHTS | DP2DPI_PART_STRATUM_WEIGHTS;
    s->parts |= s->group_classifier ? (unsigned)DP2DPI_PART_GROUP_WEIGHTS : 0;
    s->parts |= s->encoded.at[DP2DPI_ENCODED_LABEL] < 0 ? 0 : (unsigned)DP2DP_PART_LABEL;
    s->parts |= s->encoded.at[DP2DPI_ENCODED_GROUP] < 0 ? 0 : (unsigned)DP2DP_PART_GROUP;
    s->parts |= s->encoded.at[DP2DPI_ENCODED_LEFT_OUT] < 0 ? 0 : (unsigned)DP2DP_PART_LEFT_OUT;
    return DP2DP_STATUS_OK;
}

/* Returns what is wrong with the models, as a message, or NULL if nothing is wrong. The caller also
 * passes NULL as the model if its own parameter `out` is NULL, because one message covers both
 * mistakes. */
static const char *flaw_of(const dp2dp_model *model, const dp2dp_model *group_model) {
    const dp2dp_model_info *info = model ? dp2dp_model_view(model) : NULL;
    if (info == NULL) {
        return "model and out must not be NULL";
    }
    if (info->classifier == NULL) {
        return "the model has no classifier, so it cannot compute scores";
    }
    if (group_model == NULL) {
        return NULL;
    }
    const dp2dp_classifier *groups = dp2dp_model_view(group_model)->classifier;
    if (groups == NULL || groups->target != DP2DP_TARGET_GROUP) {
        return "group_model must be a model that predicts the group";
    }
    if (info->classifier->target != DP2DP_TARGET_LABEL || info->group_classifier) {
        return "with group_model, the model must have exactly one classifier, which predicts the "
               "label";
    }
    return strcmp(groups->schema, info->classifier->schema) == 0
               ? NULL
               : "group_model must have the same schema as the model, because both read the same "
                 "table";
}

static scoring scoring_of(const dp2dp_model *model, const dp2dp_model *group_model,
                          const struct ArrowArrayStream *rows) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    return (scoring) {.source = *rows,
                      .classifier = info->classifier,
                      .group_classifier = group_model ? dp2dp_model_view(group_model)->classifier
                                                      : info->group_classifier};
}

dp2dp_status dp2dp_model_score_with_groups(const dp2dp_model *model, const dp2dp_model *group_model,
                                           struct ArrowArrayStream *rows,
                                           struct ArrowArrayStream *out, dp2dp_error *error) {
    scoring *s = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (out) {
        memset(out, 0, sizeof *out);
    }
    if (rows == NULL || rows->release == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows must be an Arrow stream that has not been released");
    }
    const char *flaw = flaw_of(out ? model : NULL, group_model);
    if (flaw) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s", flaw));
    }
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(s, 1, "a scorer", error));
    *s = scoring_of(model, group_model, rows);
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
