/* Encodes the rows of a table with a schema and returns the encoded rows as an Arrow stream. The
 * result for a row depends only on the schema and the values of the row, not on its position, its
 * batch or other rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "arrow/column_names.h"
#include "arrow/stream_make.h"
#include "arrow/stream_read.h"
#include "base/alloc.h"
#include "base/missing.h"
#include "base/utf8.h"
#include "num/elementary.h"
#include "schema/block.h"
#include "schema/cell.h"
#include "schema/schema.h"
#include "schema/watch.h"

enum {
    LEVELS_SIZE = 120 /* bytes that the list of levels may take in a message */
};

typedef struct encoder {
    const dp2dp_schema *schema;
    unsigned parts;
    struct ArrowArrayStream source;
    dp2dpi_stream stream;
    dp2dp_table_column *wanted;
    size_t *columns; /* columns[w] is the position of the column wanted[w] in the schema */
    size_t count;
    dp2dpi_cell *cells;
    char *name;
    dp2dp_outside *outside; /* counts values outside the schema; NULL if they are not counted */
    dp2dpi_watch watch;
} encoder;

static void free_encoder(void *context) {
    encoder *e = context;
    if (e) {
        dp2dpi_stream_close(&e->stream);
        e->source.release(&e->source);
        dp2dpi_free(e->wanted);
        dp2dpi_free(e->columns);
        dp2dpi_free(e->cells);
        dp2dpi_free(e->name);
        dp2dpi_watch_close(&e->watch);
        dp2dpi_free(e);
    }
}

static dp2dp_status new_block(const encoder *e, size_t capacity, dp2dpi_block *block,
                              dp2dp_error *error) {
    static const char what[] = "encoded rows";
    const dp2dp_schema_info *info = &e->schema->info;
    int has_features = (e->parts & DP2DP_PART_FEATURES) != 0;
    DP2DPI_TRY(dp2dpi_rows_new(has_features ? info->numbers : 0,
                               has_features ? info->categories : 0, capacity, &block->rows, error));
    DP2DPI_TRY(DP2DPI_ALLOC(block->positions, capacity, what, error));
    if (e->parts & DP2DP_PART_LABEL) {
        DP2DPI_TRY(DP2DPI_ALLOC(block->labels, capacity, what, error));
    }
    if (e->parts & DP2DP_PART_GROUP) {
        DP2DPI_TRY(DP2DPI_ALLOC(block->groups, capacity, what, error));
    }
    if (e->parts & DP2DP_PART_LEFT_OUT) {
        DP2DPI_TRY(DP2DPI_ALLOC(block->left_out, capacity, what, error));
    }
    if (e->parts & DP2DP_PART_FINDINGS) {
        DP2DPI_TRY(dp2dpi_alloc_into(what, capacity, info->column_count, &block->findings, error));
        DP2DPI_TRY(DP2DPI_ALLOC(block->outcomes, capacity, what, error));
    }
    return DP2DP_STATUS_OK;
}

/* Reads a text value. Blanks around a marker of missing values are ignored, even if the schema does
 * not trim texts. */
static dp2dp_status read_text(const encoder *e, size_t w, uint64_t row, dp2dpi_cell *out,
                              dp2dp_error *error) {
    const dp2dp_schema_info *info = &e->schema->info;
    DP2DPI_TRY(
        dp2dpi_stream_text(&e->stream, w, row, out->buffer, &out->text, &out->length, error));
    out->is_missing = out->text == NULL;
    if (!out->is_missing && (info->trim || info->marker_count > 0)) {
        const char *text = out->text;
        size_t length = out->length;
        dp2dpi_trim(&text, &length);
        out->is_missing = dp2dpi_lookup_find(&e->schema->markers, text, length) >= 0;
        if (info->trim) {
            out->text = text;
            out->length = length;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Reads all values of a row. Sets *is_left_out to 1 if a value is missing in a column with the
 * policy "missing": "drop". Does not check the other values of such a row. */
static dp2dp_status read_row(encoder *e, uint64_t row, int *is_left_out, dp2dp_error *error) {
    *is_left_out = 0;
    for (size_t w = 0; w < e->count; w++) {
        const dp2dp_schema_column *c = &e->schema->columns[e->columns[w]];
        dp2dpi_cell *value = &e->cells[w];
        if (c->type == DP2DP_TABLE_NUMBER) {
            DP2DPI_TRY(dp2dpi_stream_number(&e->stream, w, row, &value->number, error));
            value->is_missing = isnan(value->number);
        } else {
            DP2DPI_TRY(read_text(e, w, row, value, error));
        }
        *is_left_out |= value->is_missing && c->missing == DP2DP_POLICY_DROP;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status refuse_missing(const encoder *e, const dp2dp_schema_column *c, uint64_t row,
                                   dp2dp_error *error) {
    const dp2dpi_place place = {.reason = DP2DP_REASON_VALUE_MISSING,
                                .row = e->stream.first_row + row + 1,
                                .column = c->name};
    return dp2dpi_fail_cell(error, &place, "the value is missing", e->name);
}

/* Returns 1 if a text equals a declared level except for blanks around the text and for upper or
 * lower case. */
static int is_nearly_level(const dp2dp_schema_column *c, const dp2dpi_cell *value) {
    const char *text = value->text;
    size_t length = value->length;
    dp2dpi_trim(&text, &length);
    for (size_t k = 0; k < c->declared_count; k++) {
        const char *level = c->levels[k];
        size_t size = strlen(level);
        dp2dpi_trim(&level, &size);
        if (size == length && strncasecmp(level, text, size) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Refuses a text that is not a level. The message lists the declared levels, which are public, but
 * does not show the text. */
static dp2dp_status refuse_level(const encoder *e, const dp2dp_schema_column *c,
                                 const dp2dpi_cell *value, uint64_t row, dp2dp_error *error) {
    int missing = dp2dpi_looks_missing(value->text, value->length);
    const dp2dpi_place place = {.reason = missing ? DP2DP_REASON_LOOKS_MISSING
                                                  : DP2DP_REASON_UNKNOWN_LEVEL,
                                .row = e->stream.first_row + row + 1,
                                .column = c->name};
    char text[2 * DP2DP_ERROR_MESSAGE_SIZE];
    size_t used = (size_t)snprintf(text, DP2DP_ERROR_MESSAGE_SIZE, "%.200s", e->name);
    size_t size = used + LEVELS_SIZE;
    for (size_t k = 0; k < c->declared_count; k++) {
        const char *before = k ? ", " : "; the schema has ";
        if (used + strlen(before) + strlen(c->levels[k]) + 8 > size) {
            (void)snprintf(text + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, size - used, "%s\"%s\"", before, c->levels[k]);
    }
    if (is_nearly_level(c, value)) {
        used = strlen(text);
        (void)snprintf(text + used, sizeof text - used,
                       "; the text differs from one of these levels only in blanks or in upper and "
                       "lower case");
    }
    return dp2dpi_fail_cell(error, &place,
                            missing ? "the text is empty or looks like a missing value (NA, ?), "
                                      "and is not in the schema's list of levels"
                                    : "the text is not in the schema's list of levels",
                            text);
}

/* Finds the level of a value. The level of a number in a column without cuts is -1. */
static dp2dp_status find_level(const encoder *e, size_t w, uint64_t row, int32_t *level,
                               dp2dp_error *error) {
    const dp2dp_schema_column *c = &e->schema->columns[e->columns[w]];
    const dp2dpi_cell *value = &e->cells[w];
    *level = -1;
    if (value->is_missing) {
        *level = (int32_t)c->level_count - 1;
        return c->missing == DP2DP_POLICY_LEVEL ? DP2DP_STATUS_OK
                                                : refuse_missing(e, c, row, error);
    }
    if (c->kind == DP2DP_KIND_NUMERIC) {
        *level = c->cuts ? dp2dpi_schema_cut(c, value->number) : -1;
        return DP2DP_STATUS_OK;
    }
    *level = dp2dpi_schema_level(e->schema, e->columns[w], value->text, value->length);
    if (*level < 0) {
        *level = (int32_t)c->declared_count;
        if (c->unknown != DP2DP_POLICY_LEVEL) {
            return refuse_level(e, c, value, row, error);
        }
    }
    return DP2DP_STATUS_OK;
}

static int is_clipped(const dp2dp_schema_column *c, const dp2dpi_cell *value) {
    return !value->is_missing && (value->number < c->lower || value->number > c->upper);
}

/* Returns 1 if a value is outside the bounds of a feature, or is a text that is not in the list of
 * levels. */
static int is_outside(const dp2dp_schema_column *c, const dp2dpi_cell *value) {
    return c->kind != DP2DP_KIND_NUMERIC
               ? !value->is_missing && value->level == (int32_t)c->declared_count
               : c->role == DP2DP_ROLE_FEATURE && c->number != SIZE_MAX && is_clipped(c, value);
}

static float scale_number(const dp2dp_schema_column *c, double x) {
    x = x < c->lower ? c->lower : x > c->upper ? c->upper : x;
    x = c->log1p ? dp2dpi_log1p(x) : x;
    return (float)((x - c->centre) / c->scale);
}

/* Writes one feature. A missing number becomes the centre, which is 0 after scaling. The level
 * "(missing)" then shows that the number was missing. */
static void put_feature(const dp2dp_schema_column *c, const dp2dpi_cell *value, int32_t level,
                        float *x, int32_t **codes) {
    if (c->number != SIZE_MAX) {
        x[c->number] = value->is_missing ? 0 : scale_number(c, value->number);
    }
    if (c->level_count > 0) {
        *(*codes)++ = level < 0 ? -1 : (int32_t)c->first + level;
    }
}

/* Counts the current row, which is left out, under its group. Does nothing if the group cannot be
 * read. Uses no other value of the row. */
static void count_left_out(const encoder *e) {
    size_t group = 0;
    if (e->outside == NULL || e->outside->left_out == NULL || !(e->parts & DP2DP_PART_GROUP)) {
        return;
    }
    for (size_t w = 0; w < e->count; w++) {
        const dp2dp_schema_column *c = &e->schema->columns[e->columns[w]];
        const dp2dpi_cell *value = &e->cells[w];
        int32_t level = -1;
        if (c->role != DP2DP_ROLE_SENSITIVE) {
            continue;
        }
        if (value->is_missing) {
            level = c->missing == DP2DP_POLICY_LEVEL ? (int32_t)c->level_count - 1 : -1;
        } else if (c->kind == DP2DP_KIND_NUMERIC) {
            level = dp2dpi_schema_cut(c, value->number);
        } else {
            level = dp2dpi_schema_level(e->schema, e->columns[w], value->text, value->length);
            level =
                level < 0 && c->unknown == DP2DP_POLICY_LEVEL ? (int32_t)c->declared_count : level;
        }
        if (level < 0) {
            return;
        }
        group = group * c->level_count + (size_t)level;
    }
    e->outside->left_out[group]++;
}

/* Appends an empty row in place of a row that is left out. `row` is the position of the left-out
 * row in the batch. Clears the features and the label, because part of a bad row may already have
 * been written to the block. */
static void put_left_out(const encoder *e, uint64_t row, dp2dpi_block *block) {
    size_t at = block->rows.count++, categories = block->rows.categories;
    memset(block->rows.x + at * block->rows.numbers, 0, block->rows.numbers * sizeof(float));
    if (block->labels) {
        block->labels[at] = 0;
    }
    for (size_t q = 0; q < categories; q++) {
        block->rows.codes[at * categories + q] = -1;
    }
    block->left_out[at] = 1;
    block->positions[at] = (int64_t)(e->stream.first_row + row);
}

/* Appends the current row to the block; `row` is its position in the batch. */
static dp2dp_status put_row(const encoder *e, uint64_t row, dp2dpi_block *block,
                            dp2dp_error *error) {
    size_t at = block->rows.count;
    float *x = block->rows.x + at * block->rows.numbers;
    int32_t *codes = block->rows.codes + at * block->rows.categories;
    int32_t group = 0, level = -1;
    for (size_t w = 0; w < e->count; w++) {
        const dp2dp_schema_column *c = &e->schema->columns[e->columns[w]];
        DP2DPI_TRY(find_level(e, w, row, &level, error));
        e->cells[w].level = level;
        if (e->outside) {
            e->outside->columns[e->columns[w]] += (uint64_t)is_outside(c, &e->cells[w]);
        }
        if (c->role == DP2DP_ROLE_FEATURE) {
            put_feature(c, &e->cells[w], level, x, &codes);
        } else if (c->role == DP2DP_ROLE_LABEL) {
            block->labels[at] = level;
        } else {
            group = group * (int32_t)c->level_count + level;
        }
    }
    if (block->groups) {
        block->groups[at] = group;
    }
    dp2dpi_rows_clip(&block->rows, at, e->schema->info.norm);
    block->positions[at] = (int64_t)(e->stream.first_row + row);
    block->rows.count++;
    if (e->outside) {
        e->outside->rows++;
    }
    if (e->outside && e->outside->kept && block->groups) {
        e->outside->kept[group]++;
    }
    dp2dpi_watch_row(&e->watch, e->cells);
    dp2dpi_watch_levels(&e->watch, e->cells);
    return DP2DP_STATUS_OK;
}

static dp2dp_status encode_row(encoder *e, uint64_t row, int *is_left_out, dp2dpi_block *block,
                               dp2dp_error *error) {
    DP2DPI_TRY(read_row(e, row, is_left_out, error));
    return *is_left_out ? DP2DP_STATUS_OK : put_row(e, row, block, error);
}

/* Encodes a row like encode_row, but leaves out a bad row. If the error of encode_row has a reason,
 * a value caused the failure, and the row is bad. If the error has no reason, the stream caused the
 * failure (for example, by malformed offsets), and this function fails too. */
static dp2dp_status encode_or_leave_out(encoder *e, uint64_t row, int *is_left_out,
                                        dp2dpi_block *block, dp2dp_error *error) {
    dp2dp_error found;
    *is_left_out = 1;
    if (!dp2dpi_stream_has_row(&e->stream, row)) {
        return DP2DP_STATUS_OK;
    }
    dp2dp_status status = encode_row(e, row, is_left_out, block, &found);
    if (status == DP2DP_STATUS_DATA && found.reason != DP2DP_REASON_NONE) {
        *is_left_out = 1;
        return DP2DP_STATUS_OK;
    }
    return status == DP2DP_STATUS_OK ? status : dp2dpi_fail_again(error, &found);
}

/* Encodes the current batch. Ownership: the caller frees the block, also after a failure. */
static dp2dp_status encode_batch(encoder *e, dp2dpi_block *block, dp2dp_error *error) {
    int is_left_out;
    DP2DPI_TRY(new_block(e, (size_t)e->stream.rows, block, error));
    for (uint64_t row = 0; row < e->stream.rows; row++) {
        DP2DPI_TRY((e->parts & DP2DP_PART_IGNORE_BAD ? encode_or_leave_out : encode_row)(
            e, row, &is_left_out, block, error));
        if (is_left_out) {
            count_left_out(e);
        }
        if (is_left_out && block->left_out) {
            put_left_out(e, row, block);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_finding finding_of(const encoder *e, size_t w) {
    const dp2dp_schema_column *c = &e->schema->columns[e->columns[w]];
    const dp2dpi_cell *value = &e->cells[w];
    if (value->is_missing) {
        return DP2DP_FINDING_MISSING;
    }
    if (c->kind == DP2DP_KIND_NUMERIC) {
        return c->cuts == NULL && is_clipped(c, value) ? DP2DP_FINDING_CLIPPED : DP2DP_FINDING_NONE;
    }
    return dp2dpi_schema_level(e->schema, e->columns[w], value->text, value->length) < 0
               ? DP2DP_FINDING_UNKNOWN
               : DP2DP_FINDING_NONE;
}

/* Calls dp2dpi_watch_levels for a row that is checked but not encoded. (For a row that is encoded,
 * put_row does this.) Ignores a row that encoding would refuse. */
static void note_checked(const encoder *e) {
    dp2dp_error ignored;
    for (size_t w = 0; w < e->count && e->watch.told; w++) {
        if (find_level(e, w, 0, &e->cells[w].level, &ignored) != DP2DP_STATUS_OK) {
            return;
        }
    }
    dp2dpi_watch_levels(&e->watch, e->cells);
}

static void put_findings(const encoder *e, uint64_t row, int is_left_out, dp2dpi_block *block) {
    size_t at = block->rows.count++;
    int8_t *findings = block->findings + at * e->schema->info.column_count;
    int is_refused = 0;
    for (size_t w = 0; w < e->count; w++) {
        const dp2dp_schema_column *c = &e->schema->columns[e->columns[w]];
        dp2dp_finding found = finding_of(e, w);
        findings[e->columns[w]] = (int8_t)found;
        is_refused |= (found == DP2DP_FINDING_MISSING && c->missing == DP2DP_POLICY_REFUSE) ||
                      (found == DP2DP_FINDING_UNKNOWN && c->unknown == DP2DP_POLICY_REFUSE);
    }
    block->outcomes[at] = is_left_out  ? DP2DP_OUTCOME_LEFT_OUT
                          : is_refused ? DP2DP_OUTCOME_REFUSED
                                       : DP2DP_OUTCOME_KEPT;
    block->positions[at] = (int64_t)(e->stream.first_row + row);
}

/* Appends the findings of all rows in the current batch to the block. Ownership: the caller frees
 * the block, also after a failure. */
static dp2dp_status check_batch(encoder *e, dp2dpi_block *block, dp2dp_error *error) {
    int is_left_out;
    DP2DPI_TRY(new_block(e, (size_t)e->stream.rows, block, error));
    for (uint64_t row = 0; row < e->stream.rows; row++) {
        DP2DPI_TRY(read_row(e, row, &is_left_out, error));
        put_findings(e, row, is_left_out, block);
        if (!is_left_out) {
            dp2dpi_watch_row(&e->watch, e->cells);
            note_checked(e);
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status describe(void *context, struct ArrowSchema *out, dp2dp_error *error) {
    const encoder *e = context;
    return dp2dpi_block_describe(&e->schema->info, e->parts, out, error);
}

/* Writes the next batch to *out. Skips a batch that has nothing to write because all of its rows
 * are left out. */
static dp2dp_status next(void *context, struct ArrowArray *out, dp2dp_error *error) {
    encoder *e = context;
    dp2dp_status status = DP2DP_STATUS_OK;
    while (status == DP2DP_STATUS_OK && out->release == NULL) {
        dp2dpi_block block = {0};
        DP2DPI_TRY(dp2dpi_stream_next(&e->stream, error));
        if (e->stream.rows == 0) {
            break;
        }
        status = (e->parts & DP2DP_PART_FINDINGS ? check_batch : encode_batch)(e, &block, error);
        dp2dpi_watch_sum_up(&e->watch);
        if (status == DP2DP_STATUS_OK && block.rows.count > 0) {
            status = dp2dpi_block_publish(&block, e->parts, &e->schema->info, out, error);
        }
        dp2dpi_block_free(&block);
    }
    return status;
}

static const dp2dpi_stream_kind of_encoded_rows = {describe, next, free_encoder};

static dp2dp_status open_source(encoder *e, const char *source, dp2dp_error *error) {
    static const char what[] = "an encoder";
    const dp2dp_schema_info *info = &e->schema->info;
    DP2DPI_TRY(dp2dpi_strdup(source ? source : "the rows", &e->name, error));
    DP2DPI_TRY(DP2DPI_ALLOC(e->wanted, info->column_count, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(e->columns, info->column_count, what, error));
    DP2DPI_TRY(DP2DPI_ALLOC(e->cells, info->column_count, what, error));
    e->count = dp2dpi_schema_choose(info, e->parts, e->wanted, e->columns);
    e->watch.schema = e->schema;
    e->watch.columns = e->columns;
    e->watch.count = e->count;
    DP2DPI_TRY(dp2dpi_watch_open(&e->watch, error));
    return dp2dpi_stream_open(&e->stream, &e->source, e->wanted, e->count, e->name, error);
}

dp2dp_status dp2dp_schema_encode(const dp2dp_schema *schema, unsigned parts,
                                 struct ArrowArrayStream *rows, const char *source,
                                 struct ArrowArrayStream *out, dp2dp_error *error) {
    return dp2dpi_schema_encode(schema, parts, rows, source, NULL, out, error);
}

dp2dp_status dp2dpi_schema_encode(const dp2dp_schema *schema, unsigned parts,
                                  struct ArrowArrayStream *rows, const char *source,
                                  const dp2dpi_schema_counts *counts, struct ArrowArrayStream *out,
                                  dp2dp_error *error) {
    encoder *e = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (out) {
        memset(out, 0, sizeof *out);
    }
    if (rows == NULL || rows->release == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows must be an Arrow stream that has not been released");
    }
    if (schema == NULL || out == NULL) {
        DP2DPI_TRY_OR_DONE(
            dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "schema and out must not be NULL"));
    }
    DP2DPI_TRY_OR_DONE(dp2dpi_schema_check_parts(&schema->info, parts, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(e, 1, "an encoder", error));
    *e = (encoder) {.schema = schema, .parts = parts, .source = *rows};
    if ((schema->info.leaves_out & parts) == 0 && !(parts & DP2DP_PART_IGNORE_BAD)) {
        e->parts &= ~(unsigned)DP2DP_PART_LEFT_OUT; /* no row can be left out */
    }
    if (counts && !(parts & DP2DP_PART_IGNORE_BAD)) {
        e->outside = counts->outside;
        e->watch.told = counts->spreads;
        e->watch.rows_repeated = counts->outside ? counts->outside->rows_repeated : NULL;
    }
    rows->release = NULL;
    DP2DPI_TRY_OR_DONE(open_source(e, source, error));
    if (parts & DP2DP_PART_FINDINGS) {
        e->parts = DP2DP_PART_FINDINGS; /* the stream has findings instead of encoded rows */
    }
    return dp2dpi_stream_make(&of_encoded_rows, e, out, error);
done:
    free_encoder(e);
    if (rows->release) {
        rows->release(rows);
    }
    return status;
}
