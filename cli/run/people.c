#include "run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/stream.h"

enum {
    BATCH_ROWS = 8192
};

static const struct {
    const char *name, *type; /* of Arrow */
    size_t size;             /* bytes of one value */
    int is_list;
} fields[CLI_FIELDS] = {
    [CLI_FIELD_ROW] = {"row", "l", sizeof(int64_t), 0},
    [CLI_FIELD_NUMBERS] = {"numbers", "f", sizeof(float), 1},
    [CLI_FIELD_LEVELS] = {"levels", "i", sizeof(int32_t), 1},
    [CLI_FIELD_SCALE] = {"scale", "f", sizeof(float), 0},
    [CLI_FIELD_LABEL] = {"label", "i", sizeof(int32_t), 0},
    [CLI_FIELD_GROUP] = {"group", "i", sizeof(int32_t), 0},
};

static size_t bytes_of(const cli_people *p, size_t field) {
    return fields[field].size * p->each[field];
}

void cli_people_free(cli_people *people) {
    for (size_t j = 0; j < CLI_FIELDS; j++) {
        free(people->values[j]);
    }
    *people = (cli_people) {0};
}

static dp2dp_status make_room(cli_people *p, size_t need, dp2dp_error *error) {
    size_t capacity = need + p->capacity / 2;
    for (size_t j = 0; need > p->capacity && j < CLI_FIELDS; j++) {
        size_t size = bytes_of(p, j); /* 0 if there are no numbers or no levels */
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
    for (size_t j = 0; j < CLI_FIELDS; j++) {
        const struct ArrowArray *column = batch->children[j];
        const void *from = (fields[j].is_list ? column->children[0] : column)->buffers[1];
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
    *out = (cli_people) {.each = {1, info->numbers, info->categories, 1, 1, 1}};
    return cli_stream_each(stream, take_batch, out, error);
}

/* Memory owned by one of our Arrow arrays or schemas. */
typedef struct array_holder {
    const void *buffers[2];
    struct ArrowArray *children[CLI_FIELDS];
    struct ArrowArray arrays[CLI_FIELDS];
    void *values;
} array_holder;

typedef struct schema_holder {
    struct ArrowSchema *children[CLI_FIELDS];
    struct ArrowSchema schemas[CLI_FIELDS];
    char format[32];
} schema_holder;

static void release_array(struct ArrowArray *array) {
    array_holder *h = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (h->arrays[i].release) {
            h->arrays[i].release(&h->arrays[i]);
        }
    }
    free(h->values);
    free(h);
    array->release = NULL;
}

static void release_schema(struct ArrowSchema *schema) {
    schema_holder *h = schema->private_data;
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (h->schemas[i].release) {
            h->schemas[i].release(&h->schemas[i]);
        }
    }
    free(h);
    schema->release = NULL;
}

/* size 0: an array of children. Returns its values, or the array itself; NULL: out of memory. */
static void *new_array(struct ArrowArray *out, size_t length, size_t size) {
    array_holder *h = calloc(1, sizeof *h);
    void *values = size > 0 ? malloc(length * size + 1) : NULL;
    if (h == NULL || (size > 0 && values == NULL)) {
        free(h);
        free(values);
        return NULL;
    }
    h->values = values;
    h->buffers[1] = values;
    for (size_t i = 0; i < CLI_FIELDS; i++) {
        h->children[i] = &h->arrays[i];
    }
    *out = (struct ArrowArray) {.length = (int64_t)length,
                                .n_buffers = size > 0 ? 2 : 1,
                                .buffers = h->buffers,
                                .children = h->children,
                                .release = release_array,
                                .private_data = h};
    return size > 0 ? values : h;
}

static int new_schema(struct ArrowSchema *out, const char *name, const char *format) {
    schema_holder *h = calloc(1, sizeof *h);
    if (h == NULL) {
        return ENOMEM;
    }
    snprintf(h->format, sizeof h->format, "%s", format);
    for (size_t i = 0; i < CLI_FIELDS; i++) {
        h->children[i] = &h->schemas[i];
    }
    *out = (struct ArrowSchema) {.format = h->format,
                                 .name = name,
                                 .children = h->children,
                                 .release = release_schema,
                                 .private_data = h};
    return 0;
}

/* Position of a stream. */
typedef struct selection {
    const cli_people *people;
    const uint8_t *parts;
    uint8_t part;
    size_t next;
} selection;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    const selection *s = stream->private_data;
    int err = new_schema(out, "", "+s");
    for (size_t j = 0; j < CLI_FIELDS && err == 0; j++) {
        struct ArrowSchema *child = out->children[j];
        char list[32];
        out->n_children++;
        snprintf(list, sizeof list, "+w:%zu", s->people->each[j]);
        err = new_schema(child, fields[j].name, fields[j].is_list ? list : fields[j].type);
        if (err == 0 && fields[j].is_list) {
            child->n_children++;
            err = new_schema(child->children[0], "item", fields[j].type);
        }
    }
    if (err != 0 && out->release) {
        out->release(out);
    }
    return err;
}

/* Adds a column with the rows at `chosen`. */
static int add_column(struct ArrowArray *batch, const cli_people *people, const size_t *chosen) {
    size_t j = (size_t)batch->n_children++, length = (size_t)batch->length;
    struct ArrowArray *column = batch->children[j];
    if (fields[j].is_list) {
        if (new_array(column, length, 0) == NULL) {
            return ENOMEM;
        }
        column = column->children[column->n_children++];
    }
    char *to = new_array(column, length * people->each[j], fields[j].size);
    const char *from = people->values[j];
    size_t size = bytes_of(people, j);
    for (size_t i = 0; to && i < length && size > 0; i++) {
        memcpy(to + i * size, from + chosen[i] * size, size);
    }
    return to ? 0 : ENOMEM;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    selection *s = stream->private_data;
    size_t chosen[BATCH_ROWS] = {0}, count = 0;
    memset(out, 0, sizeof *out);
    for (; s->next < s->people->count && count < BATCH_ROWS; s->next++) {
        if (s->parts == NULL || s->parts[s->next] == s->part) {
            chosen[count++] = s->next;
        }
    }
    if (count == 0) {
        return 0;
    }
    int err = new_array(out, count, 0) ? 0 : ENOMEM;
    while (err == 0 && out->n_children < CLI_FIELDS) {
        err = add_column(out, s->people, chosen);
    }
    if (err != 0 && out->release) {
        out->release(out);
    }
    return err;
}

/* Only memory can run out, and the code says so. */
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
