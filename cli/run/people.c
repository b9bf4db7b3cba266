#include "run/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/stream.h"

enum {
    BATCH_ROWS = 8192
};

/* The size in bytes of one value of each field. */
static const size_t sizes[CLI_FIELDS] = {
    [CLI_FIELD_ROW] = sizeof(int64_t),     [CLI_FIELD_NUMBERS] = sizeof(float),
    [CLI_FIELD_LEVELS] = sizeof(int32_t),  [CLI_FIELD_SCALE] = sizeof(float),
    [CLI_FIELD_LABEL] = sizeof(int32_t),   [CLI_FIELD_GROUP] = sizeof(int32_t),
    [CLI_FIELD_LEFT_OUT] = sizeof(int8_t),
};

static int is_list(size_t field) {
    return field == CLI_FIELD_NUMBERS || field == CLI_FIELD_LEVELS;
}

static size_t bytes_of(const cli_people *p, size_t field) {
    return sizes[field] * p->each[field];
}

void cli_people_free(cli_people *people) {
    for (size_t j = 0; j < CLI_FIELDS; j++) {
        free(people->values[j]);
    }
    free(people->person);
    if (people->schema.release) {
        people->schema.release(&people->schema);
    }
    *people = (cli_people) {0};
}

static dp2dp_status make_room(cli_people *p, size_t need, dp2dp_error *error) {
    size_t capacity = need + p->capacity / 2;
    for (size_t j = 0; need > p->capacity && j < p->fields; j++) {
        size_t size = bytes_of(p, j); /* 0 if the schema has no columns of this kind */
        void *longer =
            capacity < SIZE_MAX / (size + 1) ? realloc(p->values[j], capacity * size + 1) : NULL;
        CLI_TRY(cli_check_memory(longer, "the rows", error));
        p->values[j] = longer;
    }
    p->capacity = need > p->capacity ? capacity : p->capacity;
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_batch(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    cli_people *p = context;
    size_t more = (size_t)batch->length;
    CLI_TRY(make_room(p, p->count + more, error));
    for (size_t j = 0; j < p->fields; j++) {
        const struct ArrowArray *column = batch->children[j];
        const void *from = (is_list(j) ? column->children[0] : column)->buffers[1];
        if (p->each[j] > 0) {
            memcpy((char *)p->values[j] + p->count * bytes_of(p, j), from, more * bytes_of(p, j));
        }
    }
    p->count += more;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_people_load(const dp2dp_schema *schema, struct ArrowArrayStream *stream,
                             cli_people *out, dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    *out = (cli_people) {.each = {1, info->numbers, info->categories, 1, 1, 1, 1}};
    if (stream->get_schema(stream, &out->schema) != 0) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for the columns");
    }
    out->fields = (size_t)out->schema.n_children;
    return cli_stream_each(stream, take_batch, out, error);
}

int cli_people_is_left_out(const cli_people *people, size_t i) {
    const int8_t *left_out = people->values[CLI_FIELD_LEFT_OUT];
    return left_out && left_out[i];
}

/* The state of a stream: which rows it gives, and the next row to look at. */
typedef struct selection {
    const cli_people *people;
    const uint8_t *parts; /* which cli_part each row is in; NULL: the stream gives all rows */
    uint8_t part;         /* the stream gives the rows of this part */
    size_t next;
} selection;

static void forget_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

/* Gives a copy that shares the memory of the schema in `people`, so `people` must outlive the
 * copy. */
static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const selection *s = stream->private_data;
    *out = s->people->schema;
    out->release = forget_schema;
    return 0;
}

/* A batch: the columns, and the items of list columns. The values are stored after this struct, in
 * the same block of memory. */
typedef struct batch {
    struct ArrowArray columns[CLI_FIELDS], items[CLI_FIELDS];
    struct ArrowArray *column_at[CLI_FIELDS], *item_at[CLI_FIELDS];
    const void *buffers[CLI_FIELDS][2]; /* the two buffers of each column: NULL for the validity
                                           bitmap, then the values */
    const void *no_buffer[1];
} batch;

static void forget_array(struct ArrowArray *array) {
    array->release = NULL;
}

static void release_batch(struct ArrowArray *array) {
    free(array->private_data);
    array->release = NULL;
}

/* Makes column j of a batch from the `length` rows listed in `chosen`. Copies the values of these
 * rows to `room`. */
static void fill_column(batch *b, size_t j, const cli_people *people, const size_t *chosen,
                        size_t length, char *room) {
    size_t size = bytes_of(people, j);
    for (size_t i = 0; i < length && size > 0; i++) {
        memcpy(room + i * size, (const char *)people->values[j] + chosen[i] * size, size);
    }
    b->buffers[j][1] = room;
    b->column_at[j] = &b->columns[j];
    b->item_at[j] = &b->items[j];
    b->items[j] = (struct ArrowArray) {.length = (int64_t)(length * people->each[j]),
                                       .n_buffers = 2,
                                       .buffers = b->buffers[j],
                                       .release = forget_array};
    b->columns[j] = b->items[j];
    if (is_list(j)) {
        b->columns[j] = (struct ArrowArray) {.length = (int64_t)length,
                                             .n_buffers = 1,
                                             .n_children = 1,
                                             .buffers = b->no_buffer,
                                             .children = &b->item_at[j],
                                             .release = forget_array};
    }
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    selection *s = stream->private_data;
    size_t chosen[BATCH_ROWS] = {0}, count = 0, row_size = 0;
    memset(out, 0, sizeof *out);
    for (; s->next < s->people->count && count < BATCH_ROWS; s->next++) {
        if (s->parts == NULL || s->parts[s->next] == s->part) {
            chosen[count++] = s->next;
        }
    }
    for (size_t j = 0; j < s->people->fields; j++) {
        row_size += bytes_of(s->people, j);
    }
    if (count == 0) {
        return 0;
    }
    batch *b = calloc(1, sizeof *b + count * row_size);
    if (b == NULL) {
        return ENOMEM;
    }
    char *room =
        (char *)(b + 1); /* the int64_t column comes first, so that every column is aligned */
    for (size_t j = 0; j < s->people->fields; j++) {
        fill_column(b, j, s->people, chosen, count, room);
        room += count * bytes_of(s->people, j);
    }
    *out = (struct ArrowArray) {.length = (int64_t)count,
                                .n_buffers = 1,
                                .n_children = (int64_t)s->people->fields,
                                .buffers = b->no_buffer,
                                .children = b->column_at,
                                .release = release_batch,
                                .private_data = b};
    return 0;
}

/* The only error is ENOMEM, which needs no message. */
static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    free(stream->private_data);
    stream->release = NULL;
}

dp2dp_status cli_people_stream(const cli_people *people, const uint8_t *parts, uint8_t part,
                               struct ArrowArrayStream *out, dp2dp_error *error) {
    selection *s = malloc(sizeof *s);
    *out = (struct ArrowArrayStream) {.release = NULL};
    CLI_TRY(cli_check_memory(s, "a stream", error));
    *s = (selection) {.people = people, .parts = parts, .part = part};
    *out = (struct ArrowArrayStream) {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release_stream,
                                      .private_data = s};
    return DP2DP_STATUS_OK;
}
