/* Hostile Arrow streams for dp2dp_pool_read: wrong types, counts, buffers, nulls, offsets, views,
 * dictionaries, lists and failures. Buffers are as long as the Arrow C interface demands, because
 * no reader can check that. A stream is refused with a message and no pool, or the table of its
 * pool adds up. Either way it is released once, and all of its batches are. */
#include <errno.h>
#include <math.h>

#include <dp2dp/pool.h>

#include "fuzz.h"

enum {
    COLUMNS_MAX = 8,
    ROWS_MAX = 9,
    CHILD_ROWS = 3 * ROWS_MAX, /* elements of lists, and entries of dictionaries */
    TEXT_SIZE = 64,
    BUFFERS_MAX = 5
};

/* What an input asks for. A byte that is missing counts as 0, which is always the harmless choice.
 */
typedef struct input {
    const uint8_t *at;
    size_t left;
    int alive; /* arrays, schemas and streams that were not released yet */
    size_t columns;
    const char *names[COLUMNS_MAX];
    uint8_t formats[COLUMNS_MAX], dictionaries[COLUMNS_MAX];
    unsigned batches;
} input;

static unsigned next(input *in) {
    if (in->left == 0) {
        return 0;
    }
    in->left--;
    return *in->at++;
}

/* Most bytes leave things as they are; the last few of the 256 ask for a fault each. */
static unsigned fault(input *in, unsigned kinds) {
    unsigned byte = next(in);
    return byte >= 256 - kinds ? 256 - byte : 0;
}

static const char *const formats[] = {"g", "u", "f", "c",  "C",    "s",  "S",  "i",
                                      "I", "l", "L", "b",  "+w:2", "+l", "+L", "U",
                                      "e", "",  "z", "vu", "+s",   NULL};
enum {
    FORMATS = sizeof formats / sizeof formats[0]
};

static const char *format_of(const input *in, size_t column) {
    return formats[in->formats[column] % FORMATS];
}

static void *take(size_t size) {
    void *memory = calloc(1, size ? size : 1);
    require(memory != NULL);
    return memory;
}

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        release_schema(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary) {
        free(schema->dictionary);
    }
    free(schema->children);
    ((input *)schema->private_data)->alive--;
    schema->release = NULL;
}

static void fill_schema(input *in, const char *format, const char *name, int64_t children,
                        struct ArrowSchema *out) {
    *out = (struct ArrowSchema) {.format = format,
                                 .name = name,
                                 .n_children = children,
                                 .children = take((size_t)children * sizeof *out->children),
                                 .release = release_schema,
                                 .private_data = in};
    in->alive++;
}

static int is_list(const char *format) {
    return format && format[0] == '+' && format[1] != 's';
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    input *in = stream->private_data;
    static const char *const types[] = {"+s", "g", NULL, "+l", ""};
    unsigned wrong = fault(in, 6);
    if (wrong == 5 || wrong == 6) {
        return wrong == 5 ? EIO : EINVAL;
    }
    fill_schema(in, types[wrong], NULL, (int64_t)in->columns, out);
    for (size_t i = 0; i < in->columns; i++) {
        const char *format = format_of(in, i);
        struct ArrowSchema *child = out->children[i] = take(sizeof *child);
        fill_schema(in, format, in->names[i], is_list(format), child);
        if (is_list(format)) {
            child->children[0] = take(sizeof *child);
            fill_schema(in, formats[in->dictionaries[i] % FORMATS], "item", 0, child->children[0]);
        } else if (in->dictionaries[i] % FORMATS) {
            child->dictionary = take(sizeof *child);
            child->dictionary->format = formats[in->dictionaries[i] % FORMATS];
        }
    }
    return 0;
}

static double number_of(unsigned byte) {
    static const double numbers[] = {0.5,  0, 1,     0.25,    0.75,   -0.0,   1e-40, 0.5001,  NAN,
                                     -0.1, 2, 1e300, 0x1p-20, 0x1p53, 0x1p48, -1,    INFINITY};
    return numbers[byte % (sizeof numbers / sizeof numbers[0])];
}

static int64_t integer_of(unsigned byte) {
    static const int64_t integers[] = {0, 1, 2, 3, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 48};
    return integers[byte % (sizeof integers / sizeof integers[0])];
}

/* Fills the values buffer of a plain array. Text gets offsets into its bytes, in any order. */
static void fill_values(input *in, char letter, size_t rows, const void **buffers) {
    double *wide = take((2 * rows + 1) * sizeof *wide); /* enough for 16-byte views */
    float *single = (float *)wide;
    int64_t *whole = (int64_t *)wide;
    int32_t *half = (int32_t *)wide;
    buffers[1] = wide;
    for (size_t i = 0; i < rows + (letter == 'u' || letter == 'U'); i++) {
        unsigned byte = next(in);
        switch (letter) {
        case 'g':
            wide[i] = number_of(byte);
            break;
        case 'f':
            single[i] = (float)number_of(byte);
            break;
        case 'l':
        case 'L':
            whole[i] = integer_of(byte);
            break;
        case 'u': /* the first half of the bytes makes texts of one letter */
            half[i] = byte < 128 ? (int32_t)(i % TEXT_SIZE) : (int32_t)(byte - 128) - 8;
            half[i] = half[i] > TEXT_SIZE ? TEXT_SIZE : half[i];
            break;
        case 'U':
            whole[i] = byte < 128 ? (int64_t)(i % TEXT_SIZE) : (int64_t)(byte - 128) - 8;
            whole[i] = whole[i] > TEXT_SIZE ? TEXT_SIZE : whole[i];
            break;
        case 'v': /* length, then the text or its start, a buffer and a position */
            half[4 * i] = byte < 128 ? (int32_t)byte % 16 : (int32_t)integer_of(byte);
            half[4 * i + 1] = (int32_t)('0' + next(in));
            half[4 * i + 2] = (int32_t)next(in) - 2;
            half[4 * i + 3] = (int32_t)next(in) - 2;
            break;
        default: /* narrow integers and booleans */
            ((uint8_t *)wide)[i] = (uint8_t)byte;
        }
    }
}

/* Offsets of lists of two elements, but for faults. */
static void *make_list_offsets(input *in, char letter, size_t rows) {
    void *offsets = take((rows + 1) * sizeof(int64_t));
    for (size_t i = 0; i <= rows; i++) {
        unsigned wrong = fault(in, 8);
        int64_t at = wrong ? integer_of(wrong) : (int64_t)(2 * i);
        if (letter == 'l') {
            ((int32_t *)offsets)[i] = (int32_t)at;
        } else {
            ((int64_t *)offsets)[i] = at;
        }
    }
    return offsets;
}

static void release_array(struct ArrowArray *array) {
    input *in = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]) {
            release_array(array->children[i]);
            free(array->children[i]);
        }
    }
    if (array->dictionary) {
        release_array(array->dictionary);
        free(array->dictionary);
    }
    for (size_t i = 0; i < BUFFERS_MAX; i++) {
        free((void *)array->buffers[i]);
    }
    free(array->buffers);
    free(array->children);
    in->alive--;
    array->release = NULL;
}

/* Makes a sound array of n rows after `offset` others, whose faults do_harm adds. */
static void fill_array(input *in, const char *format, int64_t n, struct ArrowArray *out) {
    char letter = format && format[0] ? format[0] : 'g';
    int64_t offset = next(in) % 3;
    size_t rows = (size_t)(n + offset), bits = rows / 8 + 1;
    *out = (struct ArrowArray) {.length = n,
                                .offset = offset,
                                .n_buffers = letter == 'u' || letter == 'U' ? 3 : 2,
                                .buffers = take(BUFFERS_MAX * sizeof *out->buffers),
                                .children = take(COLUMNS_MAX * sizeof *out->children),
                                .release = release_array,
                                .private_data = in};
    in->alive++;
    if (next(in) % 2) {
        uint8_t *valid = take(bits);
        memset(valid, (int)(next(in) ^ 0xFF), bits);
        out->buffers[0] = valid;
        out->null_count = -1;
    }
    if (letter == '+') {
        int fixed = format[1] == 'w';
        out->n_buffers = format[1] == 's' || fixed ? 1 : 2;
        if (!fixed && format[1] != 's') {
            out->buffers[1] = make_list_offsets(in, format[1], rows);
        }
        return;
    }
    fill_values(in, letter, rows, out->buffers);
    if (letter == 'u' || letter == 'U') {
        char *text = take(TEXT_SIZE);
        for (size_t i = 0; i < TEXT_SIZE; i++) {
            text[i] = (char)('0' + next(in) % 4);
        }
        out->buffers[2] = text;
    }
    if (letter == 'v') {
        int64_t *sizes = take(sizeof *sizes);
        *sizes = TEXT_SIZE;
        out->buffers[2] = take(TEXT_SIZE);
        out->buffers[3] = sizes;
        out->n_buffers = 4;
    }
}

/* Makes an array that says less than it has, or what no array may say. */
static void do_harm(input *in, struct ArrowArray *array) {
    switch (fault(in, 12)) {
    case 1:
        array->length = -1;
        break;
    case 2:
        array->offset = -1;
        break;
    case 3:
        array->offset = INT64_MAX;
        break;
    case 4:
        array->null_count = 1; /* perhaps without a bitmap */
        break;
    case 5:
        array->n_buffers--;
        break;
    case 6:
        array->n_buffers = array->n_buffers > 3 ? 3 : 0;
        break;
    case 7:
        free((void *)array->buffers[1]);
        array->buffers[1] = NULL;
        break;
    case 8:
        free((void *)array->buffers[2]);
        array->buffers[2] = NULL;
        break;
    case 9:
        array->length = array->length > 0 ? array->length - 1 : 0;
        break;
    case 10:
        array->length = INT64_MAX;
        array->offset = 1;
        break;
    case 11:
        free((void *)array->buffers[3]);
        array->buffers[3] = NULL;
        break;
    case 12:
        array->null_count = INT64_MIN;
        break;
    default:
        break;
    }
}

static struct ArrowArray *make_column(input *in, size_t column, int64_t n) {
    const char *format = format_of(in, column);
    const char *other = formats[in->dictionaries[column] % FORMATS];
    struct ArrowArray *array = take(sizeof *array);
    fill_array(in, format, n, array);
    if (is_list(format)) {
        array->children[0] = take(sizeof *array);
        fill_array(in, other, CHILD_ROWS, array->children[0]);
        array->n_children = 1;
        do_harm(in, array->children[0]);
    } else if (in->dictionaries[column] % FORMATS) {
        array->dictionary = take(sizeof *array);
        fill_array(in, other, CHILD_ROWS, array->dictionary);
        do_harm(in, array->dictionary);
    }
    do_harm(in, array);
    return array;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    input *in = stream->private_data;
    unsigned wrong = fault(in, 4);
    *out = (struct ArrowArray) {.release = NULL};
    if (wrong == 1 || wrong == 2) {
        return wrong == 1 ? EIO : ENOMEM;
    }
    if (in->batches == 0) {
        return 0;
    }
    in->batches--;
    int64_t n = next(in) % ROWS_MAX;
    fill_array(in, "+s", n, out);
    for (size_t i = 0; i < in->columns; i++) {
        out->children[i] = make_column(in, i, n + out->offset);
    }
    out->n_children = (int64_t)in->columns;
    if (wrong == 3) { /* a batch that has lost its last column */
        struct ArrowArray *last = out->children[--out->n_children];
        release_array(last);
        free(last);
    }
    if (wrong == 4) {
        do_harm(in, out);
    }
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    return ((input *)stream->private_data)->left % 2 ? "no luck" : NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    ((input *)stream->private_data)->alive--;
    stream->release = NULL;
}

/* Adds a column whose harmless format is that of the given position. */
static const char *add(input *in, const char *name, uint8_t format) {
    in->names[in->columns] = name;
    in->formats[in->columns] = (uint8_t)(format + next(in));
    in->dictionaries[in->columns++] = (uint8_t)next(in);
    return name;
}

static void check_pool(const dp2dp_pool *pool) {
    dp2dp_source source = dp2dp_pool_source(pool);
    float offsets[4 * 2] = {0};
    int64_t table[4 * 2 + 1] = {0};
    uint64_t sum = 0;
    require(source.strata * source.classes <= 8 && source.records <= UINT64_C(1) << 48);
    require(source.count(source.context, offsets, table, NULL) == DP2DP_STATUS_OK);
    for (size_t i = 0; i <= source.strata * source.classes; i++) {
        require(table[i] >= 0);
        sum += (uint64_t)table[i];
    }
    uint64_t most = source.records << source.unit_bits;
    require(source.counted == DP2DP_COUNTED_SCORES ? sum <= most : sum == most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const scores[] = {"p0", "p1"}, *const weights[] = {"w0", "w1"};
    static const char *const lists[] = {"0", "1", "2", "3"};
    input in = {.at = data, .left = size, .alive = 1};
    struct ArrowArrayStream rows = {get_schema, get_next, get_last_error, release_stream, &in};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool_columns columns = DP2DP_POOL_COLUMNS_INIT;
    dp2dp_pool *pool = NULL;
    dp2dp_error error = {0};
    unsigned asked = next(&in), more = next(&in);
    int labelled = asked & 1, by_id = asked & 2, listed = asked & 4, weighted = asked & 8;
    columns.classes = 2;
    if (listed) {
        columns.score_list = add(&in, "p", 12);
    } else {
        columns.scores = scores;
        (void)add(&in, "p0", 0);
        (void)add(&in, more & 32 ? "p0" : "p1", 0);
    }
    columns.group = add(&in, "s", more & 1 ? 9 : 1);
    columns.group_names = more & 1 ? NULL : lists;
    options.strata = labelled ? 4 : 2;
    options.labels = labelled ? 2 : 0;
    columns.label = labelled ? add(&in, "y", 9) : NULL;
    columns.label_names = labelled && more & 2 ? lists : NULL;
    columns.id = by_id ? add(&in, "id", 1) : NULL;
    options.dither = (dp2dp_dither) {.width = by_id ? 0.1 : 0};
    options.dither_key = by_id ? DP2DP_DITHER_KEY_ID : DP2DP_DITHER_KEY_SCORES;
    if (weighted) {
        columns.weights = weights;
        columns.weight_count = 2;
        (void)add(&in, "w0", 0);
        (void)add(&in, "w1", 0);
    }
    columns.multiplicity = asked & 16 ? add(&in, "n", 9) : NULL;
    options.bad_rows = asked & 32 ? DP2DP_BAD_ROWS_IGNORE : DP2DP_BAD_ROWS_REFUSE;
    options.leaves_out = asked & 64 ? 1 : 0;
    options.row_sums = asked & 128 ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
    options.counted = more & 4 ? DP2DP_COUNTED_SCORES : DP2DP_COUNTED_LABELS;
    options.grid_bits = more & 8 ? 16 : 0;
    options.threads = 1;
    in.batches = more >> 6;
    dp2dp_status status = dp2dp_pool_read(&rows, &columns, &options, &pool, &error);
    require(rows.release == NULL && in.alive == 0);
    if (status == DP2DP_STATUS_OK) {
        check_pool(pool);
    } else {
        require(pool == NULL && error.status == status && error.message[0] != '\0');
    }
    dp2dp_pool_free(pool);
    return 0;
}
