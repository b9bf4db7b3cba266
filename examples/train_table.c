/* From tables and a schema to a private and fair model: train_table TRAIN POOL SCHEMA MODEL. */
#include <stdio.h>
#include <stdlib.h>

#include <dp2dp/dp2dp.h>

/* Reads a table and encodes its rows as features, label and group. */
static dp2dp_status encode(const char *path, const dp2dp_schema *schema,
                           struct ArrowArrayStream *out, dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_table_column *wanted = calloc(info->column_count, sizeof *wanted);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    struct ArrowArrayStream table;
    options.columns = wanted, options.missing = info->markers;
    options.missing_count = info->marker_count;
    options.chunk_rows = 1 << 24; /* one batch, unless the table is very large */
    for (size_t i = 0; wanted && i < info->column_count; i++)
        if (info->columns[i].role != DP2DP_ROLE_IGNORE)
            wanted[options.column_count++] =
                (dp2dp_table_column) {info->columns[i].name, info->columns[i].type};
    unsigned parts = DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP;
    dp2dp_status status = dp2dp_table_open(path, &options, &table, error);
    free(wanted);
    return status ? status : dp2dp_schema_encode(schema, parts, &table, path, out, error);
}

/* Makes a pool of the single batch of scores. Its columns are row, scores, label and group. */
static dp2dp_status pool_of(struct ArrowArrayStream *stream, const dp2dp_schema_info *info,
                            dp2dp_pool **out, dp2dp_error *error) {
    struct ArrowArray batches[2] = {{0}}, *batch = batches, *next = batches + 1;
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_status status = DP2DP_STATUS_DATA;
    options.strata = info->group_count;
    int failed = stream->get_next(stream, batch) || stream->get_next(stream, next);
    if (failed || batch->release == NULL || next->release) {
        const char *why = failed ? stream->get_last_error(stream) : "no people, or too many";
        snprintf(error->message, sizeof error->message, "the pool: %s", why);
    } else {
        size_t n = (size_t)batch->length, k = info->class_count;
        const float *p = batch->children[1]->children[0]->buffers[1];
        dp2dp_matrix scores = {p, DP2DP_FLOAT32, n, k, (ptrdiff_t)(k * sizeof *p), sizeof *p};
        dp2dp_column groups = {batch->children[3]->buffers[1], DP2DP_INT32, n, sizeof(int32_t)};
        status = dp2dp_pool_new(&scores, &groups, &options, out, error);
    }
    for (batch = batches; batch <= next; batch++)
        if (batch->release)
            batch->release(batch);
    stream->release(stream);
    return status;
}

int main(int argc, char **argv) {
    dp2dp_schema *schema = NULL;
    dp2dp_model *classifier = NULL, *model = NULL;
    dp2dp_pool *pool = NULL;
    struct ArrowArrayStream rows, scores;
    dp2dp_train_options train = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_fit_options fit = DP2DP_FIT_OPTIONS_INIT;
    dp2dp_error error = {.message = "usage: train_table TRAIN POOL SCHEMA MODEL"};
    dp2dp_status status = argc == 5 ? DP2DP_STATUS_OK : DP2DP_STATUS_ARGUMENT;
    train.epsilon = fit.epsilon = 1; /* TRAIN and POOL are different people: 1 in all, not 2 */
    train.delta = fit.delta = 1e-5;
    if (!status && !(status = dp2dp_schema_load(argv[3], &schema, &error)) &&
        !(status = encode(argv[1], schema, &rows, &error)) &&
        !(status = dp2dp_train(schema, &rows, &train, &classifier, &error)) &&
        !(status = encode(argv[2], schema, &rows, &error)) &&
        !(status = dp2dp_model_score(classifier, &rows, &scores, &error)) &&
        !(status = pool_of(&scores, dp2dp_schema_view(schema), &pool, &error))) {
        dp2dp_source source = dp2dp_pool_source(pool);
        fit.base = classifier, fit.names.groups = dp2dp_schema_view(schema)->groups;
        if (!(status = dp2dp_fit(&source, &fit, &model, &error)))
            status = dp2dp_model_save(model, argv[4], &error);
    }
    if (status)
        fprintf(stderr, "train_table: %s\n", error.message);
    dp2dp_model_free(model), dp2dp_pool_free(pool);
    dp2dp_model_free(classifier), dp2dp_schema_free(schema);
    return dp2dp_status_exit_code(status);
}
