/* A table in memory as an Arrow stream of slices: nothing is copied, and nothing needs to be freed.
 */
#ifndef DP2DP_TESTS_UNIT_PHASE2_TABLE_STREAM_H
#define DP2DP_TESTS_UNIT_PHASE2_TABLE_STREAM_H

#include <errno.h>

#include "support.h"

enum {
    FIELDS_MAX = 12,
    BATCHES_MAX = 16
};

typedef struct field {
    const char *name, *format;
    const void *buffers[4];
    int64_t n_buffers;
    int64_t child_length;     /* elements of all lists; 0: not a list */
    const char *child_format; /* of the elements of lists, or of a dictionary */
    const void *child_buffers[4];
    int64_t dictionary_length; /* 0: no dictionary */
} field;

typedef struct table_stream {
    field fields[FIELDS_MAX];
    int64_t count, rows;
    int64_t ends[BATCHES_MAX]; /* the batches end before these rows; the last is `rows` */
    int batches;
    int fails_at;               /* batch whose get_next fails with EIO; -1: none */
    const unsigned char *sound; /* validity of whole rows; NULL: all */
    /* State: */
    int at, stream_released, batches_released, schemas_released;
    struct ArrowSchema schemas[FIELDS_MAX], children[FIELDS_MAX], *schema_of[FIELDS_MAX],
        *child_of[FIELDS_MAX];
    struct ArrowArray arrays[FIELDS_MAX], elements[FIELDS_MAX], *array_of[FIELDS_MAX],
        *element_of[FIELDS_MAX];
    const void *validity[1];
} table_stream;

static inline void table_release_schema(struct ArrowSchema *schema) {
    ((table_stream *)schema->private_data)->schemas_released++;
    schema->release = NULL;
}

static inline void table_release_batch(struct ArrowArray *array) {
    ((table_stream *)array->private_data)->batches_released++;
    array->release = NULL;
}

static inline void table_release_stream(struct ArrowArrayStream *stream) {
    ((table_stream *)stream->private_data)->stream_released++;
    stream->release = NULL;
}

static inline const char *table_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the producer lost its connection";
}

static inline int table_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    table_stream *t = stream->private_data;
    for (int64_t i = 0; i < t->count; i++) {
        const field *f = &t->fields[i];
        t->children[i] = (struct ArrowSchema) {.format = f->child_format, .name = "item"};
        t->child_of[i] = &t->children[i];
        t->schema_of[i] = &t->schemas[i];
        t->schemas[i] = (struct ArrowSchema) {
            .format = f->format,
            .name = f->name,
            .n_children = f->child_length > 0,
            .children = f->child_length ? &t->child_of[i] : NULL,
            .dictionary = f->dictionary_length ? &t->children[i] : NULL,
        };
    }
    *out = (struct ArrowSchema) {.format = "+s",
                                 .n_children = t->count,
                                 .children = t->schema_of,
                                 .release = table_release_schema,
                                 .private_data = t};
    return 0;
}

/* Half of a batch's place in the table is in the offset of the batch, the rest in the offsets of
 * its columns. */
static inline int table_get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    table_stream *t = stream->private_data;
    *out = (struct ArrowArray) {.release = NULL};
    if (t->at == t->fails_at) {
        return EIO;
    }
    if (t->at == t->batches) {
        return 0;
    }
    int64_t begin = t->at ? t->ends[t->at - 1] : 0, rows = t->ends[t->at] - begin;
    int64_t outer = t->sound ? begin : begin / 2;
    for (int64_t i = 0; i < t->count; i++) {
        const field *f = &t->fields[i];
        int64_t length = f->child_length ? f->child_length : f->dictionary_length;
        int texts = f->dictionary_length > 0;
        t->elements[i] = (struct ArrowArray) {.length = length,
                                              .n_buffers = texts ? 3 : 2,
                                              .buffers = (const void **)f->child_buffers};
        t->element_of[i] = &t->elements[i];
        t->array_of[i] = &t->arrays[i];
        t->arrays[i] = (struct ArrowArray) {.length = outer + rows,
                                            .null_count = f->buffers[0] ? -1 : 0,
                                            .offset = begin - outer,
                                            .n_buffers = f->n_buffers,
                                            .buffers = (const void **)f->buffers,
                                            .n_children = f->child_length > 0,
                                            .children = &t->element_of[i],
                                            .dictionary = texts ? &t->elements[i] : NULL};
    }
    t->validity[0] = t->sound;
    *out = (struct ArrowArray) {.length = rows,
                                .null_count = t->sound ? -1 : 0,
                                .offset = outer,
                                .n_buffers = 1,
                                .buffers = t->validity,
                                .n_children = t->count,
                                .children = t->array_of,
                                .release = table_release_batch,
                                .private_data = t};
    t->at++;
    return 0;
}

static inline table_stream table_new(int64_t rows) {
    return (table_stream) {.rows = rows, .ends = {rows}, .batches = 1, .fails_at = -1};
}

static inline struct ArrowArrayStream table_open(table_stream *t) {
    t->at = t->stream_released = t->batches_released = t->schemas_released = 0;
    return (struct ArrowArrayStream) {table_get_schema, table_get_next, table_last_error,
                                      table_release_stream, t};
}

/* Fails unless the stream and all its batches were released once. */
static inline void assert_released(const table_stream *t) {
    assert_int_equal(t->stream_released, 1);
    assert_int_equal(t->batches_released, t->at);
    assert_true(t->schemas_released <= 1);
}

static inline field *table_add(table_stream *t, const char *name, const char *format,
                               const void *values) {
    field *f = &t->fields[t->count++];
    *f = (field) {.name = name, .format = format, .buffers = {NULL, values}, .n_buffers = 2};
    return f;
}

/* Adds a column of lists of `size` floats; offsets is NULL for lists of fixed size. */
static inline field *table_add_lists(table_stream *t, const char *name, const char *format,
                                     const void *offsets, const char *child, const void *values,
                                     int64_t size) {
    field *f = table_add(t, name, format, offsets);
    f->n_buffers = offsets ? 2 : 1;
    f->child_length = t->rows * size;
    f->child_format = child;
    f->child_buffers[1] = values;
    return f;
}

static inline field *table_add_text(table_stream *t, const char *name, const char *format,
                                    const void *offsets, const char *bytes) {
    field *f = table_add(t, name, format, offsets);
    f->buffers[2] = bytes;
    f->n_buffers = 3;
    return f;
}

#endif
