/* A producer of encoded rows that tests can make invalid. */
#ifndef DP2DP_TESTS_UNIT_TRAINING_STREAM_DATA_H
#define DP2DP_TESTS_UNIT_TRAINING_STREAM_DATA_H

#include <stdint.h>
#include <string.h>

#include <dp2dp/arrow.h>

enum {
    ROWS = 4
};

/* Gives the same batch `times` times. A test may change its arrays. */
typedef struct producer {
    struct ArrowSchema schema, fields[6], items[2];
    struct ArrowSchema *field_list[6], *item_list[2];
    struct ArrowArray batch, columns[6], values[2];
    struct ArrowArray *column_list[6], *value_list[2];
    const void *buffers[9][2];
    int64_t row[ROWS + 1];
    float numbers[2 * ROWS + 2];
    int32_t levels[ROWS + 1], label[ROWS + 1], group[ROWS + 1];
    float scale[ROWS + 1];
    int times, code, released;
    int32_t counted; /* number of the next row, see number_rows; 0: rows are not numbered */
} producer;

/* Derives the values of each row from its number. */
static inline void number_rows(producer *p) {
    for (int i = 0; i < ROWS; i++, p->counted++) {
        p->numbers[2 * i] = (float)(p->counted % 1009) / 1009;
        p->levels[i] = 2 + p->counted % 3;
        p->scale[i] = (float)(p->counted % 1013) / 1013;
        p->label[i] = p->counted / 3 % 3;
    }
}

static inline void drop_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static inline void drop_array(struct ArrowArray *array) {
    array->release = NULL;
}

static inline int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    producer *p = stream->private_data;
    *out = p->schema;
    return 0;
}

static inline int give_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    producer *p = stream->private_data;
    if (p->counted > 0) {
        number_rows(p);
    }
    *out = p->batch;
    if (p->times-- <= 0) {
        out->release = NULL;
        return p->code;
    }
    return 0;
}

static inline const char *give_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the disk is on fire";
}

static inline void drop_stream(struct ArrowArrayStream *stream) {
    ((producer *)stream->private_data)->released++;
    stream->release = NULL;
}

/* Four rows of a schema with two numbers and one category of three levels. */
static inline void produce(producer *p, struct ArrowArrayStream *stream) {
    static const char *const names[] = {"row", "numbers", "levels", "scale", "label", "group"};
    static const char *const formats[] = {"l", "+w:2", "+w:1", "f", "i", "i"};
    memset(p, 0, sizeof *p);
    const void *const values[6] = {p->row, p->numbers, p->levels, p->scale, p->label, p->group};
    p->schema = (struct ArrowSchema) {
        .format = "+s", .n_children = 6, .children = p->field_list, .release = drop_schema};
    p->batch = (struct ArrowArray) {.length = ROWS,
                                    .n_buffers = 1,
                                    .n_children = 6,
                                    .buffers = p->buffers[8],
                                    .children = p->column_list,
                                    .release = drop_array};
    for (int c = 0; c < 6; c++) {
        int list = c == 1 || c == 2;
        p->field_list[c] = &p->fields[c];
        p->column_list[c] = &p->columns[c];
        p->buffers[c][1] = values[c];
        p->fields[c] = (struct ArrowSchema) {.name = names[c], .format = formats[c]};
        p->columns[c] = (struct ArrowArray) {
            .length = ROWS, .n_buffers = list ? 1 : 2, .buffers = p->buffers[c]};
        if (list) {
            p->item_list[c - 1] = &p->items[c - 1];
            p->value_list[c - 1] = &p->values[c - 1];
            p->items[c - 1] = (struct ArrowSchema) {.format = c == 1 ? "f" : "i"};
            p->fields[c].n_children = p->columns[c].n_children = 1;
            p->fields[c].children = &p->item_list[c - 1];
            p->columns[c].children = &p->value_list[c - 1];
            p->values[c - 1] = (struct ArrowArray) {
                .length = c == 1 ? 2 * ROWS : ROWS, .n_buffers = 2, .buffers = p->buffers[c]};
        }
    }
    for (int i = 0; i <= ROWS; i++) {
        p->row[i] = 10 * i;
        p->numbers[2 * i] = 0.25F * (float)i;
        p->numbers[2 * i + 1] = -0.5F;
        p->levels[i] = i % 4 == 3 ? -1 : 2 + i % 3;
        p->scale[i] = 1 - 0.125F * (float)i;
        p->label[i] = i % 3;
        p->group[i] = i % 2;
    }
    p->times = 1;
    *stream = (struct ArrowArrayStream) {.get_schema = give_schema,
                                         .get_next = give_next,
                                         .get_last_error = give_error,
                                         .release = drop_stream,
                                         .private_data = p};
}

#endif
