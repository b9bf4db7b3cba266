/* The classifier's probabilities as an Arrow stream over the stream of encoded rows. */
#include <dp2dp/train.h>

#include <string.h>

#include "base/alloc.h"
#include "io/encoder.h"
#include "io/schema.h"
#include "io/train_batch.h"
#include "phase1/train.h"

static const char what[] = "scores";

typedef struct scoring {
    struct ArrowArrayStream source;
    dp2dpi_encoded encoded;
    const dp2dp_classifier *classifier;
    dp2dp_schema *schema;
    unsigned parts;    /* of a batch of scores */
    dp2dp_error error; /* status OK: none */
} scoring;

static void free_scoring(scoring *s) {
    dp2dpi_encoded_close(&s->encoded);
    s->source.release(&s->source);
    dp2dp_schema_free(s->schema);
    dp2dpi_free(s);
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    scoring *s = stream->private_data;
    dp2dp_error error = {DP2DP_STATUS_OK, ""};
    dp2dp_status status =
        dp2dpi_block_describe(dp2dp_schema_view(s->schema), s->parts, out, &error);
    if (status != DP2DP_STATUS_OK && s->error.status == DP2DP_STATUS_OK) {
        memcpy(s->error.message, error.message, sizeof error.message);
    }
    return dp2dpi_stream_errno(status);
}

/* A copy of one child of the batch at hand. */
static dp2dp_status copy_values(const dp2dpi_encoded *e, dp2dpi_encoded_child child, size_t size,
                                void **out, dp2dp_error *error) {
    dp2dp_status status = dp2dpi_alloc_for(what, e->rows.count, size, out, error);
    if (status == DP2DP_STATUS_OK) {
        memcpy(*out, e->values[child], e->rows.count * size);
    }
    return status;
}

static dp2dp_status score_batch(scoring *s, dp2dpi_block *block, dp2dp_error *error) {
    const dp2dpi_encoded *e = &s->encoded;
    size_t classes = dp2dp_schema_view(s->schema)->class_count;
    void *positions = NULL, *labels = NULL, *groups = NULL, *scores = NULL;
    dp2dp_status status = copy_values(e, DP2DPI_ENCODED_ROW, sizeof(int64_t), &positions, error);
    if (status == DP2DP_STATUS_OK && (s->parts & DP2DP_PART_LABEL)) {
        status = copy_values(e, DP2DPI_ENCODED_LABEL, sizeof(int32_t), &labels, error);
    }
    if (status == DP2DP_STATUS_OK && (s->parts & DP2DP_PART_GROUP)) {
        status = copy_values(e, DP2DPI_ENCODED_GROUP, sizeof(int32_t), &groups, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dpi_alloc_for(what, e->rows.count, classes * sizeof(float), &scores, error);
    }
    *block = (dp2dpi_block) {.rows = {.count = e->rows.count},
                             .positions = positions,
                             .labels = labels,
                             .groups = groups,
                             .scores = scores};
    if (status == DP2DP_STATUS_OK) {
        dp2dpi_train_scores(s->classifier->weights, s->classifier->features, classes, &e->rows, 1,
                            scores);
    }
    return status;
}

/* A failed stream stays failed. */
static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    scoring *s = stream->private_data;
    dp2dpi_block block = {0};
    memset(out, 0, sizeof *out);
    if (s->error.status != DP2DP_STATUS_OK) {
        return dp2dpi_stream_errno(s->error.status);
    }
    dp2dp_status status = dp2dpi_encoded_next(&s->encoded, &s->error);
    if (status == DP2DP_STATUS_OK && s->encoded.rows.count > 0) {
        status = score_batch(s, &block, &s->error);
        if (status == DP2DP_STATUS_OK) {
            status = dp2dpi_block_publish(&block, s->parts, dp2dp_schema_view(s->schema), out,
                                          &s->error);
        }
        dp2dpi_block_free(&block);
    }
    return dp2dpi_stream_errno(status);
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const scoring *s = stream->private_data;
    return s->error.message[0] ? s->error.message : NULL;
}

static void release(struct ArrowArrayStream *stream) {
    free_scoring(stream->private_data);
    stream->private_data = NULL;
    stream->release = NULL;
}

/* The source has been moved into s. */
static dp2dp_status open_source(scoring *s, dp2dp_error *error) {
    dp2dp_status status = dp2dp_schema_load(s->classifier->schema, &s->schema, error);
    if (status == DP2DP_STATUS_OK) {
        status =
            dp2dpi_encoded_open(&s->encoded, &s->source, dp2dp_schema_view(s->schema), 0, error);
    }
    s->parts = DP2DPI_PART_SCORES;
    if (status == DP2DP_STATUS_OK) {
        s->parts |= s->encoded.at[DP2DPI_ENCODED_LABEL] < 0 ? 0 : (unsigned)DP2DP_PART_LABEL;
        s->parts |= s->encoded.at[DP2DPI_ENCODED_GROUP] < 0 ? 0 : (unsigned)DP2DP_PART_GROUP;
    }
    return status;
}

dp2dp_status dp2dp_model_score(const dp2dp_model *model, struct ArrowArrayStream *rows,
                               struct ArrowArrayStream *out, dp2dp_error *error) {
    void *memory = NULL;
    if (out) {
        memset(out, 0, sizeof *out);
    }
    if (rows == NULL || rows->release == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "rows must be a stream");
    }
    dp2dp_status status =
        model == NULL || out == NULL
            ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "model and out must not be NULL")
        : dp2dp_model_view(model)->classifier == NULL
            ? dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                          "the model has no classifier: its scores come from elsewhere")
            : dp2dpi_alloc_for("a scorer", 1, sizeof(scoring), &memory, error);
    if (status != DP2DP_STATUS_OK) {
        rows->release(rows);
        return status;
    }
    scoring *s = memory;
    *s = (scoring) {.source = *rows, .classifier = dp2dp_model_view(model)->classifier};
    rows->release = NULL;
    status = open_source(s, error);
    if (status != DP2DP_STATUS_OK) {
        free_scoring(s);
        return status;
    }
    *out = (struct ArrowArrayStream) {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release,
                                      .private_data = s};
    return DP2DP_STATUS_OK;
}
