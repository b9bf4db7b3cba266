#include "arrow/stream_read.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrow/column_names.h"
#include "arrow/stream_make.h"
#include "base/alloc.h"
#include "base/utf8.h"

static const char integers[] = "cCsSiIlL"; /* Arrow's letters for int8, uint8, … uint64 */

static int is_one_of(char c, const char *letters) {
    return c != '\0' && strchr(letters, c) != NULL;
}

/* Returns 1 for integers, floats and booleans. */
static int is_plain(char format) {
    return is_one_of(format, integers) || is_one_of(format, "fgb");
}

/* Returns 1 for text, large text and text views. A view's format "vu" is shortened to 'v' in this
 * file. */
static int is_text(char format) {
    return format == 'u' || format == 'U' || format == 'v';
}

/* Returns an Arrow format as one letter; 0 for a format that this reader does not support. */
static char letter_of(const char *format) {
    if (format == NULL || format[0] == '\0') {
        return '\0';
    }
    if (format[0] == 'v') {
        return strcmp(format, "vu") == 0 ? 'v' : '\0';
    }
    return format[1] == '\0' ? format[0] : '\0';
}

dp2dp_status dp2dpi_stream_failure(struct ArrowArrayStream *source, const char *name, int err,
                                   dp2dp_error *error) {
    const dp2dp_error *found = dp2dpi_stream_error(source);
    const char *message = source->get_last_error(source);
    dp2dp_status status = err == ENOMEM      ? DP2DP_STATUS_MEMORY
                          : err == EIO       ? DP2DP_STATUS_IO
                          : err == ECANCELED ? DP2DP_STATUS_CANCELLED
                                             : DP2DP_STATUS_DATA;
    if (found) {
        return dp2dpi_fail_again(error, found);
    }
    if (message) {
        return dp2dpi_fail(error, status, "%s", message);
    }
    return dp2dpi_fail(error, status, "the stream failed with error %d: %s", err, name);
}

static dp2dp_status malformed(const dp2dpi_stream *stream, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the Arrow stream is malformed: %s", stream->name);
}

static int has_children(const struct ArrowSchema *schema) {
    int64_t i = 0;
    while (schema->children && i < schema->n_children && schema->children[i]) {
        i++;
    }
    return i == schema->n_children;
}

/* Reads the format of a column of lists into *out. Returns 1 if the lists hold floats and have
 * either offsets or the fixed size `size`; otherwise 0. */
static int take_list(const struct ArrowSchema *schema, size_t size, dp2dpi_stream_column *out) {
    const char *format = schema->format ? schema->format : "";
    char fixed[32];
    (void)snprintf(fixed, sizeof fixed, "+w:%zu", size);
    out->list = strcmp(format, fixed) == 0  ? 'w'
                : strcmp(format, "+l") == 0 ? 'l'
                : strcmp(format, "+L") == 0 ? 'L'
                                            : '\0';
    if (out->list == '\0' || schema->n_children != 1 || !has_children(schema)) {
        return 0;
    }
    out->format = letter_of(schema->children[0]->format);
    return schema->children[0]->dictionary == NULL && is_one_of(out->format, "fg");
}

/* Sets the format of the column stream->wanted[i] as one letter. Fails with DATA if a column of
 * this format cannot be read as values of the type stream->wanted[i].type. */
static dp2dp_status take_format(const dp2dpi_stream *stream, const struct ArrowSchema *schema,
                                size_t i, dp2dpi_stream_column *out, dp2dp_error *error) {
    const char *format = schema->format;
    const struct ArrowSchema *dictionary = schema->dictionary;
    const dp2dp_table_column *wanted = &stream->wanted[i];
    size_t size = stream->lists ? stream->lists[i] : 0;
    int wants_text = wanted->type == DP2DP_TABLE_TEXT, fits;
    out->format = letter_of(format);
    out->dictionary_format = dictionary ? letter_of(dictionary->format) : '\0';
    if (size > 0) {
        fits = dictionary == NULL && take_list(schema, size, out);
    } else if (dictionary) {
        fits = wants_text && is_one_of(out->format, integers) && dictionary->dictionary == NULL &&
               (is_plain(out->dictionary_format) || is_text(out->dictionary_format));
    } else {
        fits = is_plain(out->format) || (wants_text && is_text(out->format));
    }
    if (fits) {
        return DP2DP_STATUS_OK;
    }
    char shown[DP2DPI_SHOWN_SIZE], shown_format[DP2DPI_SHOWN_SIZE];
    format = format ? format : "";
    const dp2dpi_place place = {.reason = DP2DP_REASON_COLUMN_TYPE, .column = wanted->name};
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA, &place,
                          "column \"%s\": Arrow type \"%s\" cannot be read as %s: %s",
                          dp2dpi_utf8_show(wanted->name, strlen(wanted->name), shown),
                          dp2dpi_utf8_show(format, strlen(format), shown_format),
                          size > 0     ? "lists with one float for each class or group"
                          : wants_text ? "text"
                                       : "a number",
                          stream->name);
}

static dp2dp_status find_columns(dp2dpi_stream *stream, const struct ArrowSchema *schema,
                                 dp2dp_error *error) {
    dp2dpi_name *names = NULL;
    size_t *positions = NULL, count = (size_t)schema->n_children;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (!has_children(schema)) {
        return malformed(stream, error);
    }
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(names, count, "column names", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(positions, stream->count, "column names", error));
    for (size_t i = 0; i < count; i++) {
        const char *name = schema->children[i]->name ? schema->children[i]->name : "";
        names[i] = (dp2dpi_name) {name, strlen(name), i};
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_names_find(names, count, stream->wanted, stream->count, positions,
                                         stream->name, error));
    for (size_t i = 0; i < stream->count; i++) {
        dp2dpi_stream_column *column = &stream->columns[i];
        column->child = positions[i];
        DP2DPI_TRY_OR_DONE(take_format(stream, schema->children[column->child], i, column, error));
    }
done:
    dp2dpi_free(names);
    dp2dpi_free(positions);
    return status;
}

dp2dp_status dp2dpi_stream_open(dp2dpi_stream *stream, struct ArrowArrayStream *source,
                                const dp2dp_table_column *wanted, size_t count, const char *name,
                                dp2dp_error *error) {
    return dp2dpi_stream_open_lists(stream, source, wanted, NULL, count, name, error);
}

dp2dp_status dp2dpi_stream_open_lists(dp2dpi_stream *stream, struct ArrowArrayStream *source,
                                      const dp2dp_table_column *wanted, const size_t *lists,
                                      size_t count, const char *name, dp2dp_error *error) {
    struct ArrowSchema schema = {.release = NULL};
    dp2dp_status status = DP2DP_STATUS_OK;
    *stream = (dp2dpi_stream) {
        .source = source, .wanted = wanted, .lists = lists, .name = name, .count = count};
    int err = source->get_schema(source, &schema);
    if (err != 0) {
        return dp2dpi_stream_failure(source, name, err, error);
    }
    stream->children = schema.n_children;
    if (schema.format == NULL || strcmp(schema.format, "+s") != 0 || schema.n_children < 0) {
        DP2DPI_TRY_OR_DONE(
            dp2dpi_fail(error, DP2DP_STATUS_DATA,
                        "the Arrow stream is not a table (its type must be a struct): %s", name));
    }
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(stream->columns, count, "columns", error));
    DP2DPI_TRY_OR_DONE(find_columns(stream, &schema, error));
done:
    if (schema.release) {
        schema.release(&schema);
    }
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_stream_close(stream);
    }
    return status;
}

static void drop_batch(dp2dpi_stream *stream) {
    if (stream->batch.release) {
        stream->batch.release(&stream->batch);
    }
    stream->batch.release = NULL;
    stream->first_row += stream->rows;
    stream->rows = 0;
}

void dp2dpi_stream_close(dp2dpi_stream *stream) {
    drop_batch(stream);
    dp2dpi_free(stream->columns);
    stream->columns = NULL;
}

/* Returns 1 if length and offset of the array are not negative, their sum is below 2^63, and the
 * array has a validity bitmap if it has nulls. */
static int is_countable(const struct ArrowArray *array) {
    int64_t end;
    return array->length >= 0 && array->offset >= 0 &&
           !__builtin_add_overflow(array->offset, array->length, &end) &&
           (array->n_buffers == 0 || array->buffers != NULL) &&
           (array->null_count <= 0 || (array->n_buffers > 0 && array->buffers[0] != NULL));
}

/* Returns 1 if the array has the buffers that its format needs. A plain array has validity and
 * values; a text array has validity, offsets and bytes; a view array has validity, views, any
 * number of byte buffers, and the sizes of those buffers. Empty arrays may have NULL buffers. */
static int is_sound(const struct ArrowArray *array, char format) {
    int64_t buffers = is_text(format) ? 3 : 2;
    return array != NULL && is_countable(array) &&
           (array->n_buffers == buffers || (format == 'v' && array->n_buffers > buffers)) &&
           (array->length == 0 || array->buffers[1] != NULL);
}

/* Returns 1 if an array of lists has the buffers that its format needs. For lists of a fixed size,
 * the child array must also have all elements of the lists. The offsets of other lists are checked
 * when a row is read. */
static int is_sound_list(const struct ArrowArray *array, const dp2dpi_stream_column *column,
                         size_t size) {
    int64_t fixed = column->list == 'w', elements = 0;
    if (array == NULL || !is_countable(array) || array->n_buffers != 2 - fixed ||
        array->n_children != 1 || array->children == NULL ||
        !is_sound(array->children[0], column->format)) {
        return 0;
    }
    return fixed
               ? !__builtin_mul_overflow(array->offset + array->length, (int64_t)size, &elements) &&
                     elements <= array->children[0]->length
               : array->length == 0 || array->buffers[1] != NULL;
}

/* Finds the columns in the current batch and checks their buffers. Returns 0 if the batch is
 * malformed. If the batch is a slice, adds the batch's own offset to the offset of each column. */
static int take_columns(dp2dpi_stream *stream) {
    const struct ArrowArray *batch = &stream->batch;
    if (batch->n_children != stream->children || batch->children == NULL || !is_countable(batch)) {
        return 0;
    }
    for (size_t i = 0; i < stream->count; i++) {
        dp2dpi_stream_column *column = &stream->columns[i];
        const struct ArrowArray *array = batch->children[column->child];
        int sound = column->list ? is_sound_list(array, column, stream->lists[i])
                                 : is_sound(array, column->format);
        if (!sound || array->length - batch->length < batch->offset ||
            (column->dictionary_format != '\0' &&
             !is_sound(array->dictionary, column->dictionary_format))) {
            return 0;
        }
        column->array = array;
        column->first = array->offset + batch->offset;
    }
    return 1;
}

dp2dp_status dp2dpi_stream_pull(struct ArrowArrayStream *source, const char *name,
                                struct ArrowArray *batch, dp2dp_error *error) {
    int err;
    *batch = (struct ArrowArray) {.release = NULL};
    err = source->get_next(source, batch);
    if (err != 0) {
        batch->release = NULL;
        return dp2dpi_stream_failure(source, name, err, error);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                               dp2dp_error *error) {
    if (stream == NULL || stream->release == NULL || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "stream and out must not be NULL");
    }
    return dp2dpi_stream_pull(stream, "the rows", out, error);
}

dp2dp_status dp2dpi_stream_next(dp2dpi_stream *stream, dp2dp_error *error) {
    do {
        drop_batch(stream);
        DP2DPI_TRY(dp2dpi_stream_pull(stream->source, stream->name, &stream->batch, error));
        if (stream->batch.release && !take_columns(stream)) {
            return malformed(stream, error);
        }
    } while (stream->batch.release && stream->batch.length == 0);
    stream->rows = stream->batch.release ? (uint64_t)stream->batch.length : 0;
    return DP2DP_STATUS_OK;
}

/* Reads an integer; returns 0 if the integer does not fit in int64. */
static int integer_at(const void *values, char format, int64_t at, int64_t *out) {
#define CASE(letter, type)                 \
    case letter:                           \
        *out = ((const type *)values)[at]; \
        return 1;
    switch (format) {
        /* NOLINTNEXTLINE(bugprone-signed-char-misuse,cert-str34-c): int8 is a number here */
        CASE('c', int8_t)
        CASE('C', uint8_t)
        CASE('s', int16_t)
        CASE('S', uint16_t)
        CASE('i', int32_t)
        CASE('I', uint32_t)
        CASE('l', int64_t)
    default:
        *out = (int64_t)((const uint64_t *)values)[at];
        return *out >= 0;
    }
#undef CASE
}

static dp2dp_status refuse(const dp2dpi_stream *stream, size_t column, uint64_t row,
                           dp2dp_reason reason, const char *what, dp2dp_error *error) {
    const dp2dpi_place place = {.reason = reason,
                                .row = stream->first_row + row + 1,
                                .column = stream->wanted[column].name};
    return dp2dpi_fail_cell(error, &place, what, stream->name);
}

int dp2dpi_stream_has_row(const dp2dpi_stream *stream, uint64_t row) {
    return dp2dpi_array_has(&stream->batch, stream->batch.offset + (int64_t)row);
}

/* Checks every place that can hold a null: the row, the value, the dictionary code and the
 * dictionary entry. */
int dp2dpi_stream_has(const dp2dpi_stream *stream, size_t column, uint64_t row) {
    const dp2dpi_stream_column *c = &stream->columns[column];
    int64_t at = c->first + (int64_t)row, code;
    if (!dp2dpi_stream_has_row(stream, row) || !dp2dpi_array_has(c->array, at)) {
        return 0;
    }
    const struct ArrowArray *dictionary = c->dictionary_format ? c->array->dictionary : NULL;
    return dictionary == NULL || !integer_at(c->array->buffers[1], c->format, at, &code) ||
           code < 0 || code >= dictionary->length ||
           dp2dpi_array_has(dictionary, dictionary->offset + code);
}

dp2dp_status dp2dpi_stream_number(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                  double *out, dp2dp_error *error) {
    const int64_t most = INT64_C(1) << 53;
    const dp2dpi_stream_column *c = &stream->columns[column];
    const void *values = c->array->buffers[1];
    int64_t at = c->first + (int64_t)row, whole = 0;
    *out = (double)NAN;
    if (!dp2dpi_stream_has(stream, column, row)) {
        return DP2DP_STATUS_OK;
    }
    switch (c->format) {
    case 'g':
        *out = ((const double *)values)[at];
        return DP2DP_STATUS_OK;
    case 'f':
        *out = (double)((const float *)values)[at];
        return DP2DP_STATUS_OK;
    case 'b':
        *out = dp2dpi_bit(values, at);
        return DP2DP_STATUS_OK;
    default:
        if (!integer_at(values, c->format, at, &whole) || whole > most || whole < -most) {
            return refuse(stream, column, row, DP2DP_REASON_NUMBER_RANGE, "an integer beyond 2^53",
                          error);
        }
        *out = (double)whole;
        return DP2DP_STATUS_OK;
    }
}

/* Reads a text view. A view holds the length of the text, then either the text itself (up to 12
 * bytes) or the first four bytes of the text, the number of a buffer and a position in that buffer.
 * Returns 0 if the view points outside its buffer. */
static int view_at(const struct ArrowArray *array, int64_t at, const char **out, size_t *length) {
    enum {
        LONGEST_INSIDE = 12
    };
    int32_t view[4];
    const char *place = (const char *)array->buffers[1] + (size_t)at * sizeof view;
    memcpy(view, place, sizeof view);
    if (view[0] < 0) {
        return 0;
    }
    *length = (size_t)view[0];
    if (view[0] <= LONGEST_INSIDE) {
        *out = place + sizeof view[0];
        return 1;
    }
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    if (view[2] < 0 || view[2] >= array->n_buffers - 3 || view[3] < 0 || sizes == NULL ||
        array->buffers[2 + view[2]] == NULL || (int64_t)view[3] + view[0] > sizes[view[2]]) {
        return 0;
    }
    *out = (const char *)array->buffers[2 + view[2]] + view[3];
    return 1;
}

/* Reads the text of element `at`. Two consecutive offsets say where the text begins and ends.
 * Returns 0 if the offsets descend. */
static int text_at(const struct ArrowArray *array, char format, int64_t at, const char **out,
                   size_t *length) {
    if (format == 'v') {
        return view_at(array, at, out, length);
    }
    const int32_t *narrow = array->buffers[1];
    const int64_t *wide = array->buffers[1];
    int64_t from = format == 'u' ? narrow[at] : wide[at];
    int64_t to = format == 'u' ? narrow[at + 1] : wide[at + 1];
    if (from < 0 || to < from || (to > from && array->buffers[2] == NULL)) {
        return 0;
    }
    *out = to > from ? (const char *)array->buffers[2] + from : "";
    *length = (size_t)(to - from);
    return 1;
}

/* The place of a value: in the array of a column or, if the column has a dictionary, in the
 * dictionary. */
typedef struct value {
    const struct ArrowArray *array;
    char format;
    int64_t at;
} value;

/* Writes a number as decimal text. NaN counts as a null: libraries without nullable integers store
 * codes such as 0 and 1 as floats, and missing codes as NaN. Booleans become "True" and "False", as
 * in Python and in the CSV files of pandas. */
static dp2dp_status plain_text(const dp2dpi_stream *stream, size_t column, uint64_t row,
                               const value *v, char buffer[DP2DPI_STREAM_TEXT_SIZE],
                               const char **out, size_t *length, dp2dp_error *error) {
    const double most = 9007199254740992.0; /* 2^53 */
    const void *values = v->array->buffers[1];
    int64_t whole = 0;
    if (v->format == 'b') {
        *out = dp2dpi_bit(values, v->at) ? "True" : "False";
        *length = strlen(*out);
        return DP2DP_STATUS_OK;
    }
    if (v->format == 'f' || v->format == 'g') {
        double number = v->format == 'f' ? (double)((const float *)values)[v->at]
                                         : ((const double *)values)[v->at];
        if (isnan(number)) {
            return DP2DP_STATUS_OK;
        }
        if (!(fabs(number) <= most) || number != floor(number)) {
            return refuse(stream, column, row, DP2DP_REASON_NOT_WHOLE,
                          "a number that is not whole cannot be read as text", error);
        }
        whole = (int64_t)number;
    } else if (!integer_at(values, v->format, v->at, &whole)) {
        return refuse(stream, column, row, DP2DP_REASON_NUMBER_RANGE, "an integer beyond 2^63",
                      error);
    }
    *length = (size_t)snprintf(buffer, DP2DPI_STREAM_TEXT_SIZE, "%" PRId64, whole);
    *out = buffer;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_stream_text(const dp2dpi_stream *stream, size_t column, uint64_t row,
                                char buffer[DP2DPI_STREAM_TEXT_SIZE], const char **out,
                                size_t *length, dp2dp_error *error) {
    const dp2dpi_stream_column *c = &stream->columns[column];
    value v = {c->array, c->format, c->first + (int64_t)row};
    int64_t code = 0;
    *out = NULL;
    *length = 0;
    if (!dp2dpi_stream_has(stream, column, row)) {
        return DP2DP_STATUS_OK;
    }
    if (c->dictionary_format) {
        const struct ArrowArray *dictionary = v.array->dictionary;
        if (!integer_at(v.array->buffers[1], v.format, v.at, &code) || code < 0 ||
            code >= dictionary->length) {
            return refuse(stream, column, row, DP2DP_REASON_CODE_RANGE,
                          "the dictionary has no entry for the code", error);
        }
        v = (value) {dictionary, c->dictionary_format, dictionary->offset + code};
    }
    if (!is_text(v.format)) {
        return plain_text(stream, column, row, &v, buffer, out, length, error);
    }
    return text_at(v.array, v.format, v.at, out, length)
               ? DP2DP_STATUS_OK
               : refuse(stream, column, row, DP2DP_REASON_NONE, "the text has malformed offsets",
                        error);
}
