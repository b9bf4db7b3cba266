/* Reads rows whose number is known only at the end. The rows fill one chunk after another. Each new
 * chunk has room for a sixteenth of the rows so far.
 *
 * At the end the source is released first. Then each chunk is copied into one block and freed. So
 * memory never holds more than the rows and their source, or the rows and one chunk. */
#include "training/rows.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"

enum {
    CHUNK_LEAST = 1 << 22, /* least size of a chunk in bytes; free() returns blocks of this size to
                              the system */
    CHUNK_PART = 16,
    ARRAYS = 4
};

static const char what[] = "rows to train on";

/* A chunk of rows. Its arrays follow one another in `block`: numbers, levels, scales and labels. */
typedef struct chunk {
    struct chunk *before;
    size_t count, capacity;
    char *block;
} chunk;

typedef struct reading {
    size_t sizes[ARRAYS]; /* bytes of one row in each array */
    size_t size;          /* bytes of one row in all arrays */
    size_t count;
    uint64_t records; /* number of all rows, including those left out */
    chunk *last;
    dp2dp_target target;
} reading;

static char *array_of(const reading *r, const chunk *c, int a) {
    char *at = c->block;
    for (int i = 0; i < a; i++) {
        at += c->capacity * r->sizes[i];
    }
    return at;
}

static void drop_last(reading *r) {
    chunk *c = r->last;
    for (int a = 0; a < ARRAYS && c->block; a++) {
        dp2dpi_wipe(array_of(r, c, a), c->count * r->sizes[a]);
    }
    r->last = c->before;
    dp2dpi_free(c->block);
    dp2dpi_free(c);
}

static dp2dp_status add_chunk(reading *r, dp2dp_error *error) {
    chunk *c = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(c, 1, what, error));
    size_t part = r->count / CHUNK_PART, least = CHUNK_LEAST / r->size + 1;
    *c = (chunk) {.before = r->last, .capacity = part > least ? part : least};
    r->last = c;
    return dp2dpi_alloc_raw(what, c->capacity, r->size, &c->block, error);
}

/* Replaces the labels of n rows of the batch by indices of pairs of group and label. Checks group
 * and label separately first, because a pair of invalid codes can look like a valid pair. */
static void pair_labels(const dp2dpi_encoded *e, size_t first, size_t n, int32_t *labels) {
    const int32_t *groups = (const int32_t *)e->values[DP2DPI_ENCODED_GROUP] + first;
    int32_t classes = (int32_t)e->schema->class_count, count = (int32_t)e->schema->group_count;
    for (size_t i = 0; i < n; i++) {
        int known = labels[i] >= 0 && labels[i] < classes && groups[i] >= 0 && groups[i] < count;
        labels[i] = known ? groups[i] * classes + labels[i] : -1;
    }
}

static dp2dp_status take_rows(reading *r, const dp2dpi_encoded *e, size_t first, size_t last,
                              dp2dp_error *error) {
    const int children[ARRAYS] = {
        DP2DPI_ENCODED_NUMBERS, DP2DPI_ENCODED_LEVELS, DP2DPI_ENCODED_SCALE,
        r->target == DP2DP_TARGET_GROUP ? DP2DPI_ENCODED_GROUP : DP2DPI_ENCODED_LABEL};
    while (first < last) {
        if (r->last == NULL || r->last->count == r->last->capacity) {
            DP2DPI_TRY(add_chunk(r, error));
        }
        chunk *c = r->last;
        size_t n = last - first, room = c->capacity - c->count;
        n = n < room ? n : room;
        for (int a = 0; a < ARRAYS; a++) {
            const char *from = e->values[children[a]];
            memcpy(array_of(r, c, a) + c->count * r->sizes[a], from + first * r->sizes[a],
                   n * r->sizes[a]);
        }
        if (r->target == DP2DP_TARGET_GROUP_LABEL) {
            void *labels = array_of(r, c, ARRAYS - 1);
            pair_labels(e, first, n, (int32_t *)labels + c->count);
        }
        c->count += n;
        r->count += n;
        first += n;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_batch(reading *r, const dp2dpi_encoded *e, dp2dp_error *error) {
    const int8_t *left_out = e->values[DP2DPI_ENCODED_LEFT_OUT];
    size_t first = 0, count = e->rows.count;
    r->records += count;
    for (size_t i = 0; left_out && i < count; i++) {
        if (left_out[i]) {
            DP2DPI_TRY(take_rows(r, e, first, i, error));
            first = i + 1;
        }
    }
    return take_rows(r, e, first, count, error);
}

/* Copies and frees the chunks from last to first, because free() returns memory at the end of the
 * heap to the system at once. */
static void join(reading *r, void *const *pieces) {
    size_t at = r->count;
    while (r->last) {
        const chunk *c = r->last;
        at -= c->count;
        for (int a = 0; a < ARRAYS; a++) {
            memcpy((char *)pieces[a] + at * r->sizes[a], array_of(r, c, a), c->count * r->sizes[a]);
        }
        drop_last(r);
    }
}

static dp2dp_status read_all(reading *r, dp2dpi_encoded *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_encoded_next(e, error));
    while (e->rows.count > 0) {
        DP2DPI_TRY(take_batch(r, e, error));
        DP2DPI_TRY(dp2dpi_encoded_next(e, error));
    }
    return DP2DP_STATUS_OK;
}

/* The group cannot also be a feature, because a column of a schema has only one role. So this needs
 * no check. */
dp2dp_status dp2dpi_training_check_target(dp2dp_target target, const dp2dp_schema_info *schema,
                                          dp2dp_error *error) {
    unsigned parts = dp2dp_target_parts(target);
    if ((parts & DP2DP_PART_LABEL) && schema->class_count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the schema has no label column, so there is nothing to learn");
    }
    if ((parts & DP2DP_PART_GROUP) && schema->group_count == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "target %s: the schema has no sensitive column, so there are no groups "
                           "to learn",
                           dp2dp_target_name(target));
    }
    if (dp2dp_target_outputs(target, schema) > DP2DPI_TRAIN_CLASSES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "target %s: there are %zu groups and %zu classes, but groups x classes "
                           "must be at most %d",
                           dp2dp_target_name(target), schema->group_count, schema->class_count,
                           DP2DPI_TRAIN_CLASSES_MAX);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_training_read(struct ArrowArrayStream *source, const dp2dp_schema_info *schema,
                                  dp2dp_target target, dp2dpi_training *out, dp2dp_error *error) {
    dp2dpi_encoded e;
    dp2dp_status status = DP2DP_STATUS_OK;
    reading r = {.sizes = {schema->numbers * sizeof(float), schema->categories * sizeof(int32_t),
                           sizeof(float), sizeof(int32_t)},
                 .target = target};
    void *pieces[ARRAYS] = {NULL};
    for (int a = 0; a < ARRAYS; a++) {
        r.size += r.sizes[a];
    }
    memset(out, 0, sizeof *out);
    DP2DPI_TRY_OR_DONE(dp2dpi_encoded_open(&e, source, schema, dp2dp_target_parts(target), error));
    DP2DPI_TRY_OR_DONE(read_all(&r, &e, error));
    dp2dpi_encoded_close(&e);
    source->release(source);
    for (int a = 0; a < ARRAYS; a++) {
        DP2DPI_TRY_OR_DONE(dp2dpi_alloc_raw(what, r.count, r.sizes[a], &pieces[a], error));
    }
    join(&r, pieces);
done:
    dp2dpi_encoded_close(&e);
    while (r.last) {
        drop_last(&r);
    }
    out->rows = (dp2dpi_rows) {.count = r.count,
                               .capacity = r.count,
                               .numbers = schema->numbers,
                               .categories = schema->categories,
                               .x = pieces[0],
                               .codes = pieces[1],
                               .scale = pieces[2]};
    out->labels = pieces[3];
    out->records = r.records;
    out->leaves_out = e.at[DP2DPI_ENCODED_LEFT_OUT] >= 0;
    return status;
}

void dp2dpi_training_free(dp2dpi_training *t) {
    size_t n = t->rows.count;
    dp2dpi_wipe_and_free(t->rows.x, n * t->rows.numbers * sizeof(float));
    dp2dpi_wipe_and_free(t->rows.codes, n * t->rows.categories * sizeof(int32_t));
    dp2dpi_wipe_and_free(t->rows.scale, n * sizeof(float));
    dp2dpi_wipe_and_free(t->labels, n * sizeof(int32_t));
    memset(t, 0, sizeof *t);
}
