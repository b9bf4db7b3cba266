/* Makes a pool of the rows of an Arrow stream, in one pass. Collects up to a few hundred thousand
 * rows at a time and makes a small pool of them, with the checks of dp2dp_pool_new. Joins the small
 * pools at the end. */
#include <dp2dp/pool.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "arrow/codes.h"
#include "base/alloc.h"
#include "base/options.h"
#include "decide/model.h"
#include "pool/pool.h"
#include "pool/pool_join.h"

enum {
    SEGMENT_BYTES = 1 << 24, /* bytes of rows that are collected before a pool is made of them */
    SEGMENT_ROWS_MAX = 1 << 18,
    SEGMENT_ROWS_MIN = 1 << 12,
    CODES_AT_ONCE = 512
};

static const char what[] = "the rows";

/* Scores or weights: `count` columns of numbers, or one column of lists of `count` numbers. The
 * names of these columns are in `wanted` from index `first` on. */
typedef struct block {
    size_t first, columns;
    size_t count; /* numbers per row */
    dp2dp_type type;
    void *numbers; /* row by row */
} block;

typedef struct reader {
    const dp2dp_pool_columns *columns;
    const dp2dp_pool_options *options;
    dp2dp_table_column *wanted;
    size_t *lists, count;
    /* Indices into `wanted`; SIZE_MAX if the caller names no such column. */
    size_t group, label, id, multiplicity;
    dp2dpi_stream stream;
    dp2dpi_codes groups, labels;
    block scores, weights;
    int32_t *strata;         /* NULL if records have no group */
    int32_t *classes;        /* labels; NULL if there are none */
    uint64_t *ids, *records; /* id of each row, and number of records that each row stands for; NULL
                                if the caller names no such column */
    size_t capacity, rows;   /* number of rows that fit into the memory, and number of rows
                                collected so far */
    size_t touched; /* number of rows in the memory that have ever held values and must be wiped */
    dp2dpi_segments segments;
} reader;

static size_t size_of(const block *b) {
    return b->type == DP2DP_FLOAT32 ? sizeof(float) : sizeof(double);
}

static dp2dp_status refuse(const char *message, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s", message);
}

static dp2dp_status check_columns(const reader *r, dp2dp_error *error) {
    const dp2dp_pool_columns *c = r->columns;
    int labelled = r->options->labels > 1 && r->options->counted == DP2DP_COUNTED_LABELS;
    int by_id = r->options->dither.width > 0.0 && r->options->dither_key == DP2DP_DITHER_KEY_ID;
    if (r->options->weights || r->options->ids || r->options->multiplicity) {
        return refuse("the options weights, ids and multiplicity must be NULL: give the names of "
                      "their columns in dp2dp_pool_columns instead",
                      error);
    }
    if ((c->scores != NULL) == (c->score_list != NULL)) {
        return refuse("give either scores (the names of the score columns) or score_list (the name "
                      "of one column of lists), not both",
                      error);
    }
    if (c->weight_count > 0 ? (c->weights != NULL) == (c->weight_list != NULL)
                            : c->weights != NULL || c->weight_list != NULL) {
        return refuse("give weight_count and either weights (the names of the weight columns) or "
                      "weight_list (the name of one column of lists), not both",
                      error);
    }
    if (c->group == NULL && (c->weight_count == 0 || r->options->counted != DP2DP_COUNTED_SCORES)) {
        return refuse("group must name the column of groups", error);
    }
    if (labelled != (c->label != NULL)) {
        return refuse(labelled
                          ? "label must name the column of labels, because the options use labels"
                          : "label must be NULL, because the options use no labels",
                      error);
    }
    if (by_id != (c->id != NULL)) {
        return refuse(by_id ? "id must name the column of ids, because the dither key is 'id'"
                            : "id must be NULL, because the dither key is not 'id'",
                      error);
    }
    return dp2dpi_sizes_check(r->options->strata, c->classes, error);
}

static size_t want(reader *r, const char *name, dp2dp_table_type type, size_t list) {
    r->wanted[r->count] = (dp2dp_table_column) {name, type};
    r->lists[r->count] = list;
    return r->count++;
}

static block want_block(reader *r, const char *const *names, const char *list, size_t count) {
    block b = {.first = r->count, .columns = list ? 1 : count, .count = count};
    for (size_t k = 0; k < b.columns; k++) {
        (void)want(r, list ? list : names[k], DP2DP_TABLE_NUMBER, list ? count : 0);
    }
    return b;
}

static size_t want_codes(reader *r, const char *name, const char *const *names, size_t count,
                         dp2dpi_codes *codes) {
    if (names) {
        dp2dpi_codes_open(codes, names, count);
    }
    return name ? want(r, name, names ? DP2DP_TABLE_TEXT : DP2DP_TABLE_NUMBER, 0) : SIZE_MAX;
}

/* Returns the type in which all columns of the block are read: float32 if all of them are float32,
 * and otherwise float64. */
static dp2dp_type type_of(const reader *r, const block *b) {
    int single = 1;
    for (size_t k = 0; k < b->columns; k++) {
        single = single && r->stream.columns[b->first + k].format == 'f';
    }
    return single ? DP2DP_FLOAT32 : DP2DP_FLOAT64;
}

static dp2dp_status open_stream(reader *r, struct ArrowArrayStream *rows, dp2dp_error *error) {
    const dp2dp_pool_columns *c = r->columns;
    size_t most = c->classes + c->weight_count + 4;
    size_t labels = r->options->labels > 1 ? r->options->labels : 1;
    DP2DPI_TRY(DP2DPI_ALLOC(r->wanted, most, "columns", error));
    DP2DPI_TRY(DP2DPI_ALLOC(r->lists, most, "columns", error));
    r->scores = want_block(r, c->scores, c->score_list, c->classes);
    r->weights = want_block(r, c->weights, c->weight_list, c->weight_count);
    r->group = want_codes(r, c->group, c->group_names, r->options->strata / labels, &r->groups);
    r->label = want_codes(r, c->label, c->label_names, c->classes, &r->labels);
    r->id = c->id ? want(r, c->id, DP2DP_TABLE_TEXT, 0) : SIZE_MAX;
    r->multiplicity = c->multiplicity ? want(r, c->multiplicity, DP2DP_TABLE_NUMBER, 0) : SIZE_MAX;
    for (size_t i = 0; i < r->count; i++) {
        if (r->wanted[i].name == NULL) {
            return refuse("the name of a column must not be NULL", error);
        }
    }
    DP2DPI_TRY(
        dp2dpi_stream_open_lists(&r->stream, rows, r->wanted, r->lists, r->count, what, error));
    r->scores.type = type_of(r, &r->scores);
    r->weights.type = type_of(r, &r->weights);
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_memory(reader *r, dp2dp_error *error) {
    size_t scores = r->scores.count * size_of(&r->scores);
    size_t weights = r->weights.count * size_of(&r->weights);
    size_t fit = SEGMENT_BYTES / (scores + weights + 2 * sizeof(int32_t) + 2 * sizeof(uint64_t));
    r->capacity = fit > SEGMENT_ROWS_MAX   ? SEGMENT_ROWS_MAX
                  : fit < SEGMENT_ROWS_MIN ? SEGMENT_ROWS_MIN
                                           : fit;
    DP2DPI_TRY(dp2dpi_alloc_raw(what, r->capacity, scores, &r->scores.numbers, error));
    if (r->weights.count > 0) {
        DP2DPI_TRY(dp2dpi_alloc_raw(what, r->capacity, weights, &r->weights.numbers, error));
    }
    if (r->group != SIZE_MAX || r->id != SIZE_MAX) {
        DP2DPI_TRY(dp2dpi_alloc_raw(what, r->capacity, sizeof *r->strata, &r->strata, error));
    }
    if (r->label != SIZE_MAX) {
        DP2DPI_TRY(dp2dpi_alloc_raw(what, r->capacity, sizeof *r->classes, &r->classes, error));
    }
    if (r->id != SIZE_MAX) {
        DP2DPI_TRY(dp2dpi_alloc_raw(what, r->capacity, sizeof *r->ids, &r->ids, error));
    }
    return r->multiplicity == SIZE_MAX
               ? DP2DP_STATUS_OK
               : dp2dpi_alloc_raw(what, r->capacity, sizeof *r->records, &r->records, error);
}

static void free_memory(reader *r) {
    dp2dpi_wipe_and_free(r->scores.numbers, r->touched * r->scores.count * size_of(&r->scores));
    dp2dpi_wipe_and_free(r->weights.numbers, r->touched * r->weights.count * size_of(&r->weights));
    dp2dpi_wipe_and_free(r->strata, r->touched * sizeof *r->strata);
    dp2dpi_wipe_and_free(r->classes, r->touched * sizeof *r->classes);
    dp2dpi_wipe_and_free(r->ids, r->touched * sizeof *r->ids);
    dp2dpi_wipe_and_free(r->records, r->touched * sizeof *r->records);
    r->scores.numbers = r->weights.numbers = NULL;
    r->strata = r->classes = NULL;
    r->ids = r->records = NULL;
}

static dp2dp_matrix matrix_of(const block *b, size_t rows) {
    return (dp2dp_matrix) {.data = b->numbers,
                           .type = b->type,
                           .rows = rows,
                           .columns = b->count,
                           .row_stride = (ptrdiff_t)(b->count * size_of(b)),
                           .column_stride = (ptrdiff_t)size_of(b)};
}

static dp2dp_status make_pool(const reader *r, dp2dp_pool **out, dp2dp_error *error) {
    dp2dp_pool_options options = *r->options;
    dp2dp_matrix scores = matrix_of(&r->scores, r->rows);
    dp2dp_matrix weights = matrix_of(&r->weights, r->rows);
    dp2dp_column strata = {r->strata, DP2DP_INT32, r->rows, sizeof *r->strata};
    options.weights = r->weights.count > 0 ? &weights : NULL;
    options.ids = r->ids;
    options.multiplicity = r->records;
    return dp2dpi_pool_make(&scores, r->strata ? &strata : NULL, &options, &r->segments.all, out,
                            error);
}

static dp2dp_status flush(reader *r, dp2dp_error *error) {
    dp2dp_pool *segment = NULL;
    DP2DPI_TRY(make_pool(r, &segment, error));
    r->rows = 0;
    return dp2dpi_segments_add(&r->segments, segment, error);
}

static void read_block(const reader *r, const block *b, uint64_t row, size_t n) {
    char *to = (char *)b->numbers + r->rows * b->count * size_of(b);
    for (size_t k = 0; k < b->columns; k++) {
        dp2dpi_stream_numbers(&r->stream, b->first + k, row, n, b->type, b->count,
                              to + k * size_of(b));
    }
}

/* Reads n codes. A known name becomes its code. In a column of numbers, a number from 0 to
 * count − 1 is a code, and −1 stands for a record that is left out. Any other value becomes
 * `unknown`. */
static dp2dp_status read_codes(const reader *r, size_t column, dp2dpi_codes *names, size_t count,
                               int32_t unknown, uint64_t row, size_t n, int32_t *out,
                               dp2dp_error *error) {
    if (r->wanted[column].type == DP2DP_TABLE_TEXT) {
        DP2DPI_TRY(dp2dpi_stream_codes(&r->stream, column, row, n, r->options->bad_rows, names, out,
                                       error));
        for (size_t i = 0; i < n; i++) {
            out[i] = out[i] < 0 ? unknown : out[i];
        }
        return DP2DP_STATUS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        double code;
        dp2dpi_stream_numbers(&r->stream, column, row + i, 1, DP2DP_FLOAT64, 1, &code);
        out[i] =
            code >= -1.0 && code < (double)count && code == floor(code) ? (int32_t)code : unknown;
    }
    return DP2DP_STATUS_OK;
}

/* Replaces groups by strata: group g and label y give stratum g × labels + y. */
static void join_labels(const reader *r, size_t n) {
    int32_t *strata = r->strata + r->rows, *classes = r->classes + r->rows;
    int32_t labels = (int32_t)r->options->labels;
    for (size_t i = 0; i < n; i++) {
        int left_out = r->options->leaves_out && (strata[i] == -1 || classes[i] == -1);
        strata[i] = left_out         ? -1
                    : strata[i] < 0  ? DP2DPI_POOL_UNKNOWN_GROUP
                    : classes[i] < 0 ? DP2DPI_POOL_UNKNOWN_LABEL
                                     : strata[i] * labels + classes[i];
    }
}

static dp2dp_status read_strata(reader *r, uint64_t row, size_t n, dp2dp_error *error) {
    size_t labels = r->options->labels > 1 ? r->options->labels : 1;
    if (r->group == SIZE_MAX) {
        for (size_t i = 0; r->strata && i < n; i++) {
            r->strata[r->rows + i] = 0;
        }
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(read_codes(r, r->group, &r->groups, r->options->strata / labels,
                          DP2DPI_POOL_UNKNOWN_GROUP, row, n, r->strata + r->rows, error));
    if (r->label != SIZE_MAX) {
        DP2DPI_TRY(read_codes(r, r->label, &r->labels, r->scores.count, DP2DPI_POOL_UNKNOWN_LABEL,
                              row, n, r->classes + r->rows, error));
        join_labels(r, n);
    }
    return DP2DP_STATUS_OK;
}

/* Reads n ids. A row with an empty id is bad, because several people could have this id. */
static dp2dp_status read_ids(reader *r, uint64_t row, size_t n, dp2dp_error *error) {
    int ignore = r->options->bad_rows == DP2DP_BAD_ROWS_IGNORE;
    for (size_t i = 0; r->id != SIZE_MAX && i < n; i++) {
        char buffer[DP2DPI_STREAM_TEXT_SIZE];
        const char *text = NULL;
        size_t length = 0;
        dp2dp_status status = dp2dpi_stream_text(&r->stream, r->id, row + i, buffer, &text, &length,
                                                 ignore ? NULL : error);
        if (status != DP2DP_STATUS_OK && !ignore) {
            return status;
        }
        length = status == DP2DP_STATUS_OK && text ? length : 0;
        r->ids[r->rows + i] = length > 0 ? dp2dp_dither_id(text, length) : 0;
        if (length == 0) {
            r->strata[r->rows + i] = DP2DPI_POOL_NO_ID;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Reads n multiplicities. Refuses a bad multiplicity even if bad rows are ignored, because nobody
 * knows how many records the row stands for. If bad rows are ignored, the message does not give the
 * row number. */
static dp2dp_status read_multiplicity(reader *r, uint64_t row, size_t n, dp2dp_error *error) {
    int ignore = r->options->bad_rows == DP2DP_BAD_ROWS_IGNORE;
    for (size_t i = 0; r->multiplicity != SIZE_MAX && i < n; i++) {
        double value;
        dp2dpi_stream_numbers(&r->stream, r->multiplicity, row + i, 1, DP2DP_FLOAT64, 1, &value);
        if (!(value >= 1.0 && value <= (double)DP2DPI_RECORDS_MAX && value == floor(value))) {
            const uint64_t found = r->stream.first_row + row + i + 1;
            const dp2dpi_place place = {.reason = DP2DP_REASON_NUMBER_RANGE,
                                        .row = ignore ? 0 : found};
            char where[32] = "";
            if (!ignore) {
                (void)snprintf(where, sizeof where, "row %" PRIu64 ": ", found);
            }
            return dp2dpi_fail_at(
                error, DP2DP_STATUS_DATA, &place,
                "%sthe multiplicity must be a whole number from 1 to 2^48. A multiplicity counts "
                "records and is not for survey weights. If one person's row stands for w "
                "records, rows_per_person must be at least w",
                where);
        }
        r->records[r->rows + i] = (uint64_t)value;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_batch(reader *r, dp2dp_error *error) {
    for (uint64_t row = 0, n; row < r->stream.rows; row += n) {
        uint64_t left = r->stream.rows - row, room = r->capacity - r->rows;
        n = left < room ? left : room;
        r->touched = r->rows + n > r->touched ? r->rows + (size_t)n : r->touched;
        read_block(r, &r->scores, row, (size_t)n);
        read_block(r, &r->weights, row, (size_t)n);
        DP2DPI_TRY(read_strata(r, row, (size_t)n, error));
        DP2DPI_TRY(read_ids(r, row, (size_t)n, error));
        DP2DPI_TRY(read_multiplicity(r, row, (size_t)n, error));
        r->rows += (size_t)n;
        if (r->rows == r->capacity) {
            DP2DPI_TRY(flush(r, error));
        }
    }
    return DP2DP_STATUS_OK;
}

/* Reads all rows into the new pool `whole`. Creates this pool, without records, before it reads the
 * first row: creating a pool checks all options, so wrong options fail early. */
static dp2dp_status read_all(reader *r, struct ArrowArrayStream *rows, dp2dp_pool **whole,
                             dp2dp_error *error) {
    DP2DPI_TRY(check_columns(r, error));
    DP2DPI_TRY(open_stream(r, rows, error));
    DP2DPI_TRY(take_memory(r, error));
    DP2DPI_TRY(make_pool(r, whole, error));
    do {
        DP2DPI_TRY(dp2dpi_stream_next(&r->stream, error));
        DP2DPI_TRY(read_batch(r, error));
    } while (r->stream.rows > 0);
    DP2DPI_TRY(flush(r, error));
    free_memory(r);
    return dp2dpi_segments_join(&r->segments, *whole, error);
}

dp2dp_status dp2dp_pool_read(struct ArrowArrayStream *rows, const dp2dp_pool_columns *given,
                             const dp2dp_pool_options *given_options, dp2dp_pool **out,
                             dp2dp_error *error) {
    if (rows == NULL || rows->release == NULL) {
        return refuse("rows must be a stream that has not been released", error);
    }
    dp2dp_pool_options options;
    dp2dp_pool_columns columns;
    dp2dp_pool *whole = NULL;
    reader r = {.columns = &columns, .options = &options};
    dp2dp_status status = out ? DP2DP_STATUS_OK : refuse("out must not be NULL", error);
    DP2DPI_TRY_OR_DONE(status);
    *out = NULL;
    DP2DPI_TRY_OR_DONE(
        dp2dpi_struct_read(DP2DP_STRUCT_POOL_OPTIONS, given_options, &options, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_struct_read(DP2DP_STRUCT_POOL_COLUMNS, given, &columns, error));
    DP2DPI_TRY_OR_DONE(read_all(&r, rows, &whole, error));
    *out = whole;
    whole = NULL;
done:
    dp2dp_pool_free(whole);
    dp2dpi_stream_close(&r.stream);
    free_memory(&r);
    dp2dpi_segments_free(&r.segments);
    dp2dpi_codes_close(&r.groups);
    dp2dpi_codes_close(&r.labels);
    dp2dpi_free(r.wanted);
    dp2dpi_free(r.lists);
    rows->release(rows);
    return status;
}
