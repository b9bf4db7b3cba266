/* Rows on their way into the library. Texts given as views (format "vu", as polars gives them)
 * become plain texts ("U"), batch by batch, and so do codes whose dictionary holds views. Columns
 * of other kinds are passed on, not copied. Ctrl-C is checked between batches, and at the end,
 * before the rows are used. */
#include "core.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    VIEW_SIZE = 16,
    LONGEST_INSIDE = 12
};

typedef struct plain {
    struct ArrowArrayStream source;
    size_t columns;
    char *letters; /* of each column: 'v' for views, the format of its codes, 0 to pass it on; NULL:
                      pass on all of them */
    core_watch watch;
    const char *message;
} plain;

static int is_view(const char *format) {
    return format && strcmp(format, "vu") == 0;
}

static char letter_of(const struct ArrowSchema *column) {
    int has_views = column->dictionary && is_view(column->dictionary->format);
    return is_view(column->format) ? 'v' : has_views ? column->format[0] : '\0';
}

/* Four bytes of length; then the text, or four bytes of it, the number of a buffer and a place in
 * it. The sizes of those buffers are in the last one. -1: the view leads outside. */
static int view_at(const struct ArrowArray *array, int64_t at, const char **text, size_t *length) {
    const char *view = (const char *)array->buffers[1] + VIEW_SIZE * at;
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    int32_t bytes, place[2];
    memcpy(&bytes, view, sizeof bytes);
    if (bytes < 0) {
        return -1;
    }
    *length = (size_t)bytes;
    if (bytes <= LONGEST_INSIDE) {
        *text = view + sizeof bytes;
        return 1;
    }
    memcpy(place, view + 8, sizeof place);
    if (place[0] < 0 || place[0] >= array->n_buffers - 3 || place[1] < 0 ||
        (int64_t)place[1] + bytes > sizes[place[0]]) {
        return -1;
    }
    *text = (const char *)array->buffers[2 + place[0]] + place[1];
    return 1;
}

/* -1: no such format. A code above 2^63 is outside every dictionary all the same. */
static int64_t code_at(const void *codes, char letter, int64_t at) {
    switch (letter) {
    case 'c':
        return ((const int8_t *)codes)[at];
    case 'C':
        return ((const uint8_t *)codes)[at];
    case 's':
        return ((const int16_t *)codes)[at];
    case 'S':
        return ((const uint16_t *)codes)[at];
    case 'i':
        return ((const int32_t *)codes)[at];
    case 'I':
        return ((const uint32_t *)codes)[at];
    case 'l':
    case 'L':
        return ((const int64_t *)codes)[at];
    default:
        return -1;
    }
}

static int holds_views(const struct ArrowArray *array) {
    return array && array->length >= 0 && array->offset >= 0 && array->n_buffers >= 3 &&
           (array->length == 0 || array->buffers[1]);
}

/* A column and its letter. */
typedef struct texts {
    const struct ArrowArray *array;
    char letter;
} texts;

static int text_at(const void *context, size_t row, const char **text, size_t *length) {
    const texts *t = context;
    const struct ArrowArray *views = t->array;
    int64_t at = views->offset + (int64_t)row;
    if (!core_is_valid(views, at)) {
        return 0;
    }
    if (t->letter != 'v') {
        int64_t code = code_at(views->buffers[1], t->letter, at);
        views = views->dictionary;
        if (code < 0 || code >= views->length) {
            return -1;
        }
        at = views->offset + code;
    }
    return core_is_valid(views, at) ? view_at(views, at, text, length) : 0;
}

static int is_sound(const struct ArrowArray *column, char letter) {
    if (letter == 'v') {
        return holds_views(column);
    }
    return column->length >= 0 && column->offset >= 0 && column->n_buffers == 2 &&
           (column->length == 0 || column->buffers[1]) && holds_views(column->dictionary);
}

static int plain_column(const struct ArrowArray *column, char letter, struct ArrowArray *out) {
    texts views = {column, letter};
    if (!is_sound(column, letter)) {
        return EINVAL;
    }
    return core_texts_new((size_t)column->length, text_at, &views, out);
}

/* Columns without views move to the new parent: the interface allows it if the old one is released
 * at once. */
static int plain_batch(const plain *p, struct ArrowArray *batch, struct ArrowArray *out) {
    if (batch->n_children != (int64_t)p->columns || batch->length < 0) {
        return EINVAL;
    }
    int err = core_array_new((size_t)batch->length, 1, p->columns, out);
    out->offset = batch->offset;
    for (size_t i = 0; err == 0 && i < p->columns; i++) {
        if (p->letters[i]) {
            err = plain_column(batch->children[i], p->letters[i], out->children[i]);
        } else {
            *out->children[i] = *batch->children[i];
            batch->children[i]->release = NULL;
        }
    }
    return err;
}

static int plain_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    plain *p = stream->private_data;
    struct ArrowArray batch = {.release = NULL};
    int err = p->source.get_next(&p->source, &batch);
    *out = (struct ArrowArray) {.release = NULL};
    if (err != 0) {
        return err;
    }
    if (batch.release == NULL) {
        p->watch = (core_watch) {0}; /* the last check is made however early it is */
    } else if (p->letters == NULL) {
        *out = batch;
    } else {
        err = plain_batch(p, &batch, out);
        batch.release(&batch);
    }
    if (err == 0 && core_progress(&p->watch, 0, 0) != 0) {
        err = ECANCELED;
    }
    if (err != 0) {
        p->message = err == ENOMEM   ? "out of memory for texts"
                     : err == EINVAL ? "malformed texts"
                                     : "interrupted";
        if (out->release) {
            out->release(out);
        }
    }
    return err;
}

static int plain_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    plain *p = stream->private_data;
    struct ArrowSchema given = {.release = NULL};
    if (p->letters == NULL) {
        return p->source.get_schema(&p->source, out);
    }
    int err = p->source.get_schema(&p->source, &given);
    if (err != 0) {
        return err;
    }
    err = core_schema_new("+s", "", p->columns, out);
    for (size_t i = 0; err == 0 && i < p->columns; i++) {
        struct ArrowSchema *column = given.children[i];
        if (p->letters[i]) {
            err = core_schema_new("U", column->name ? column->name : "", 0, out->children[i]);
        } else {
            *out->children[i] = *column;
            column->release = NULL;
        }
    }
    given.release(&given);
    if (err != 0) {
        out->release(out);
    }
    return err;
}

static const char *plain_error(struct ArrowArrayStream *stream) {
    plain *p = stream->private_data;
    return p->message ? p->message : p->source.get_last_error(&p->source);
}

static void plain_release(struct ArrowArrayStream *stream) {
    plain *p = stream->private_data;
    p->source.release(&p->source);
    free(p->letters);
    free(p);
    stream->release = NULL;
}

/* The letters of a table's columns; NULL if there are no views. */
static int letters_of(const struct ArrowSchema *table, char **out) {
    size_t columns = table->n_children > 0 ? (size_t)table->n_children : 0, views = 0;
    char *letters = calloc(columns + 1, 1);
    for (size_t i = 0; letters && i < columns; i++) {
        letters[i] = letter_of(table->children[i]);
        views += letters[i] != '\0';
    }
    *out = letters;
    if (letters && views == 0) {
        free(letters);
        *out = NULL;
    }
    return letters ? 0 : ENOMEM;
}

int core_stream_wrap(struct ArrowArrayStream *stream) {
    struct ArrowSchema table = {.release = NULL};
    plain *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return ENOMEM;
    }
    /* If there is no schema, the reader of the stream meets the error, and reports it. */
    if (stream->get_schema(stream, &table) == 0) {
        int err = letters_of(&table, &p->letters);
        p->columns = (size_t)table.n_children;
        table.release(&table);
        if (err != 0) {
            free(p);
            return err;
        }
    }
    p->source = *stream;
    *stream = (struct ArrowArrayStream) {.get_schema = plain_schema,
                                         .get_next = plain_next,
                                         .get_last_error = plain_error,
                                         .release = plain_release,
                                         .private_data = p};
    return 0;
}
