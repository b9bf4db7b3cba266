/* An Arrow stream that passes the rows of a table to a pool, batch by batch. Checks each batch of
 * the table, so that error messages can name the file and the column. Passes groups and labels on
 * as codes, and scores as lists. */
#include "input/scores.h"

#include <errno.h>
#include <string.h>

enum {
    SCORES,
    GROUPS,
    LABELS,
    WEIGHTS,
    IDS,
    MULTIPLICITY,
    CHILDREN
};

static const char *const names[CHILDREN] = {"scores",  "groups", "labels",
                                            "weights", "ids",    "multiplicity"};

typedef struct feed {
    cli_columns columns;
    cli_watch watch;
    cli_rows rows; /* the rows of the current batch */
    cli_batch_use take;
    struct ArrowArrayStream table;
    cli_ahead ahead;
    struct ArrowArray batch; /* the current batch of the table; release is NULL if there is none */
    uint64_t read;           /* rows of all batches before the current one */
    int is_over;             /* 1: the table was read to its end */
    dp2dp_error error; /* the error of reading the table; its status is OK if there was no error */
    int has[CHILDREN];
    char formats[CHILDREN][32];
    struct ArrowSchema schemas[CHILDREN], item, *schema_of[CHILDREN], *item_of[1];
    struct ArrowArray arrays[CHILDREN], items[CHILDREN], *array_of[CHILDREN], *list_of[CHILDREN];
    const void *buffers[CHILDREN][2];
    int64_t children;
} feed;

/* These release callbacks free nothing: the structs belong to the feed, which frees everything at
 * its end. */
static void keep_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void keep_array(struct ArrowArray *array) {
    array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    feed *f = stream->private_data;
    *out = (struct ArrowSchema) {.format = "+s",
                                 .name = "",
                                 .n_children = f->children,
                                 .children = f->schema_of,
                                 .release = keep_schema};
    return 0;
}

static void describe_lists(feed *f, int which, size_t size) {
    (void)snprintf(f->formats[which], sizeof f->formats[which], "+w:%zu", size);
    f->schemas[which].n_children = 1;
    f->schemas[which].children = f->item_of;
}

static void describe(feed *f, int labelled) {
    const int has[CHILDREN] = {[SCORES] = 1,
                               [GROUPS] = 1,
                               [LABELS] = labelled,
                               [WEIGHTS] = f->rows.weight_count > 0,
                               [IDS] = f->columns.id != NULL,
                               [MULTIPLICITY] = f->columns.multiplicity != NULL};
    memcpy(f->has, has, sizeof has);
    f->item =
        (struct ArrowSchema) {.format = f->rows.type == DP2DP_FLOAT32 ? "f" : "g", .name = "item"};
    f->item_of[0] = &f->item;
    for (int i = 0; i < CHILDREN; i++) {
        (void)snprintf(f->formats[i], sizeof f->formats[i], "%s",
                       i == IDS            ? "u"
                       : i == MULTIPLICITY ? "L"
                                           : "i");
        f->schemas[i] = (struct ArrowSchema) {.format = f->formats[i], .name = names[i]};
        f->list_of[i] = &f->items[i];
        if (has[i]) {
            f->schema_of[f->children++] = &f->schemas[i];
        }
    }
    describe_lists(f, SCORES, f->rows.classes);
    describe_lists(f, WEIGHTS, f->rows.weight_count);
}

/* Fills child `which` with the values of the batch's rows: a list of `width` numbers per row, or a
 * single value per row if `width` is 0. */
static void fill(feed *f, int which, const void *values, size_t width) {
    int64_t rows = (int64_t)f->rows.count;
    struct ArrowArray *array = width > 0 ? &f->items[which] : &f->arrays[which];
    f->buffers[which][1] = values;
    if (width > 0) {
        static const void *no_validity[1];
        f->arrays[which] = (struct ArrowArray) {.length = rows,
                                                .n_buffers = 1,
                                                .buffers = no_validity,
                                                .n_children = 1,
                                                .children = &f->list_of[which]};
    }
    *array = (struct ArrowArray) {.length = width > 0 ? rows * (int64_t)width : rows,
                                  .n_buffers = 2,
                                  .buffers = f->buffers[which]};
}

static void publish(feed *f, struct ArrowArray *out) {
    static const void *no_validity[1];
    const cli_rows *rows = &f->rows;
    fill(f, SCORES, rows->scores, rows->classes);
    fill(f, GROUPS, rows->groups, 0);
    fill(f, LABELS, rows->labels, 0);
    fill(f, WEIGHTS, rows->weights, rows->weight_count);
    fill(f, MULTIPLICITY, rows->multiplicity, 0);
    int64_t count = 0;
    for (int i = 0; i < CHILDREN; i++) {
        if (f->has[i]) {
            f->array_of[count++] =
                i == IDS ? cli_scored_ids(&f->columns, &f->batch) : &f->arrays[i];
        }
    }
    *out = (struct ArrowArray) {.length = (int64_t)rows->count,
                                .n_buffers = 1,
                                .buffers = no_validity,
                                .n_children = count,
                                .children = f->array_of,
                                .release = keep_array};
}

static void drop_batch(feed *f) {
    if (f->batch.release) {
        f->batch.release(&f->batch);
    }
    f->batch.release = NULL;
    f->read += f->rows.count;
    f->rows.first = f->read;
    f->rows.count = 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    feed *f = stream->private_data;
    memset(out, 0, sizeof *out);
    drop_batch(f);
    dp2dp_status status = cli_ahead_next(&f->ahead, &f->batch, &f->error);
    if (status == DP2DP_STATUS_OK && f->batch.release) {
        status = f->take(&f->rows, &f->batch, &f->error);
    }
    if (status != DP2DP_STATUS_OK) {
        f->error.status = status;
        return EINVAL;
    }
    f->is_over = f->batch.release == NULL;
    if (!f->is_over) {
        publish(f, out);
    }
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    const feed *f = stream->private_data;
    return f->error.message;
}

static void release(struct ArrowArrayStream *stream) {
    feed *f = stream->private_data;
    drop_batch(f);
    cli_ahead_stop(&f->ahead);
    cli_rows_free(&f->rows);
    stream->release = NULL;
}

static dp2dp_pool_columns columns_of(const feed *f) {
    dp2dp_pool_columns columns = DP2DP_POOL_COLUMNS_INIT;
    columns.classes = f->columns.classes;
    columns.score_list = names[SCORES];
    columns.group = names[GROUPS];
    columns.label = f->has[LABELS] ? names[LABELS] : NULL;
    columns.weight_count = f->columns.weight_count;
    columns.weight_list = f->has[WEIGHTS] ? names[WEIGHTS] : NULL;
    columns.id = f->has[IDS] ? names[IDS] : NULL;
    columns.multiplicity = f->has[MULTIPLICITY] ? names[MULTIPLICITY] : NULL;
    return columns;
}

/* Improves the error of the library. If reading the table failed or the table has too few rows,
 * replaces the error; otherwise adds the name of the file. */
static dp2dp_status explain(const feed *f, dp2dp_status status, dp2dp_error *error) {
    if (f->error.status != DP2DP_STATUS_OK) {
        *error = f->error;
        cli_scores_explain(&f->columns, error);
        return f->error.status;
    }
    int enough = f->columns.is_shard || f->read > 1 || (f->read == 1 && f->has[MULTIPLICITY]);
    if (f->is_over && !enough) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "%.120s: the table has %d row%s, but at least 2 are needed",
                        f->columns.path, (int)f->read, f->read == 1 ? "" : "s");
    }
    if (status == DP2DP_STATUS_DATA) {
        cli_error_add(error, ": %.120s", f->columns.path);
    }
    return status;
}

dp2dp_status cli_scores_pool(const cli_columns *columns, const dp2dp_pool_options *options,
                             dp2dp_pool **out, dp2dp_error *error) {
    dp2dp_pool_options used = *options;
    feed f = {.columns = *columns};
    f.columns.watch = columns->watch ? columns->watch : &f.watch;
    used.leaves_out = columns->leaves_out;
    /* Scores can be bad only if they are read from a table: a classifier always gives
     * probabilities. */
    if (columns->classifier == NULL && columns->leaves_out) {
        used.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    }
    *out = NULL;
    CLI_TRY(cli_scores_open(&f.columns, &f.rows, &f.table, &f.take, error));
    describe(&f, used.labels > 1 && used.counted == DP2DP_COUNTED_LABELS);
    cli_ahead_start(&f.ahead, &f.table, f.columns.watch);
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release,
                                      .private_data = &f};
    dp2dp_pool_columns wanted = columns_of(&f);
    dp2dp_status status = explain(&f, dp2dp_pool_read(&stream, &wanted, &used, out, error), error);
    if (status != DP2DP_STATUS_OK) {
        dp2dp_pool_free(*out);
        *out = NULL;
    }
    return status;
}
