#include "input/scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/number.h"
#include "input/labels.h"
#include "input/odd_scores.h"
#include "input/table.h"
#include "input/unicode_form.h"

#define RECORDS_MAX 0x1p48 /* the most records that a pool may have */

enum {
    NUMBER_SIZE = 64, /* a text of this many bytes or more is not accepted as a number */
    NAMES_SIZE = 112  /* bytes that the declared names may take up in a message */
};

/* Fails with DATA because of row i (from 0) of *rows. The message looks like those of the table
 * reader, but has a row number in place of a line number. The column may be NULL. */
static dp2dp_status fail_row(const cli_rows *rows, size_t i, dp2dp_reason reason,
                             const char *column, const char *what, dp2dp_error *error) {
    const dp2dp_word *word = dp2dp_word_find(DP2DP_WORDS_REASON, (int)reason);
    uint64_t row = rows->first + i + 1;
    const char *name = column ? column : "";
    (void)cli_fail(error, DP2DP_STATUS_DATA, "row %" PRIu64 "%s%.60s%s: %.60s: %.80s", row,
                   column ? ", column \"" : "", name, column ? "\"" : "", what,
                   rows->columns->path);
    error->reason = reason;
    error->row = row;
    snprintf(error->column, sizeof error->column, "%s", name);
    if (reason == DP2DP_REASON_VALUE_MISSING) { /* the usual advice for this reason is about
                                                   schemas, but a table of scores has no schema */
        cli_error_add(error, "; fill in the value or remove the row");
    } else if (word && word->help) {
        cli_error_add(error, "; %s", word->help);
    }
    return DP2DP_STATUS_DATA;
}

/* A block of columns whose numbers sum to 1 in every row: the scores or the group scores. */
typedef struct block {
    size_t first, count; /* first child of the batch, and number of children */
    const char *const *names;
    const char *what; /* the text of the message about a wrong sum */
    void *to;         /* row-major, count numbers for each row */
    double tolerance; /* added to the usual tolerance for the sum of a row, because scores may be
                         rounded to a grid: half a grid step for each column */
} block;

/* Returns whether a pool would accept the sum of a row; see dp2dp_row_sums in <dp2dp/model.h>. */
static inline int is_good_sum(const cli_rows *rows, const block *b, double sum) {
    double tolerance = rows->type == DP2DP_FLOAT32 ? 1e-3 : 1e-6;
    tolerance += b->tolerance;
    return rows->columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE ? sum > 0
                                                               : fabs(sum - 1) <= tolerance;
}

static block scores_of(const cli_rows *rows) {
    return (block) {.count = rows->classes,
                    .names = rows->columns->scores,
                    .what = "the probabilities do not sum to 1",
                    .to = rows->scores,
                    .tolerance = rows->columns->grid_bits > 0
                                     ? (double)rows->classes / (2U << rows->columns->grid_bits)
                                     : 0};
}

/* The columns of a batch are the scores and then, if they are read, group, label, group scores, and
 * id or multiplicity. A batch never has both id and multiplicity: ids are for a dither, and a
 * dither cannot be used with a multiplicity. */
static size_t label_at(const cli_columns *columns) {
    return columns->classes + (columns->group != NULL);
}

static block weights_of(const cli_rows *rows) {
    return (block) {.first = label_at(rows->columns) + (rows->columns->label != NULL),
                    .count = rows->weight_count,
                    .names = rows->columns->weights,
                    .what = "the group scores do not sum to 1",
                    .to = rows->weights};
}

static size_t id_at(const cli_columns *columns) {
    return label_at(columns) + (columns->label != NULL) + columns->weight_count;
}

static size_t column_count(const cli_columns *columns) {
    return id_at(columns) + (columns->id || columns->multiplicity);
}

static const char *name_of(const cli_columns *columns, size_t child) {
    size_t weights = label_at(columns) + (columns->label != NULL);
    return child < columns->classes                      ? columns->scores[child]
           : columns->group && child == columns->classes ? columns->group
           : child < weights                             ? columns->label
           : child < id_at(columns)                      ? columns->weights[child - weights]
           : columns->id                                 ? columns->id
                                                         : columns->multiplicity;
}

/* Checks one row as a pool does. */
static dp2dp_status check_row(const cli_rows *rows, const block *b, size_t i, dp2dp_error *error) {
    int normalized = rows->columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    double sum = 0;
    for (size_t k = 0; k < b->count; k++) {
        size_t at = i * b->count + k;
        double value = rows->type == DP2DP_FLOAT32 ? (double)((const float *)b->to)[at]
                                                   : ((const double *)b->to)[at];
        if (isnan(value)) {
            return fail_row(rows, i, DP2DP_REASON_NOT_A_NUMBER, b->names[k], "not a number", error);
        }
        if (value < 0 || value > 1e30) {
            return fail_row(rows, i, DP2DP_REASON_SCORE_RANGE, b->names[k],
                            "a probability must be a number from 0 to 1", error);
        }
        sum += value;
    }
    return is_good_sum(rows, b, sum)
               ? DP2DP_STATUS_OK
               : fail_row(rows, i,
                          normalized ? DP2DP_REASON_CANNOT_NORMALIZE : DP2DP_REASON_ROW_SUM, NULL,
                          normalized ? "the probabilities do not sum to 1 and cannot be normalized"
                                     : b->what,
                          error);
}

/* Copies the scores of one class to every `stride`-th place of `to`, and adds each score to the sum
 * of its row. A score outside 0 to 1e30 makes the sum NAN, and check_row then finds out what is
 * wrong. Copying column by column is faster than row by row. */
static void take_floats(const float *from, size_t rows, size_t stride, float *to, double *sums) {
    for (size_t i = 0; i < rows; i++) {
        to[i * stride] = from[i];
        sums[i] += from[i] >= 0 && from[i] < 1e30F ? (double)from[i] : (double)NAN;
    }
}

static void take_doubles(const double *from, size_t rows, size_t stride, double *to, double *sums) {
    for (size_t i = 0; i < rows; i++) {
        to[i * stride] = from[i];
        sums[i] += from[i] >= 0 && from[i] <= 1e30 ? from[i] : (double)NAN;
    }
}

enum {
    ROWS_AT_ONCE = 1024
};

static dp2dp_status take_block(const struct ArrowArray *batch, const cli_rows *rows, const block *b,
                               dp2dp_error *error) {
    size_t length = (size_t)batch->length, row = rows->count;
    double sums[ROWS_AT_ONCE];
    for (size_t i = 0; i < length; i += ROWS_AT_ONCE, row += ROWS_AT_ONCE) {
        size_t count = length - i < ROWS_AT_ONCE ? length - i : ROWS_AT_ONCE;
        memset(sums, 0, sizeof sums);
        for (size_t k = 0; k < b->count; k++) {
            const struct ArrowArray *column = batch->children[b->first + k];
            size_t at = (size_t)column->offset + i;
            if (rows->type == DP2DP_FLOAT32) {
                take_floats((const float *)column->buffers[1] + at, count, b->count,
                            (float *)b->to + row * b->count + k, sums);
            } else {
                take_doubles((const double *)column->buffers[1] + at, count, b->count,
                             (double *)b->to + row * b->count + k, sums);
            }
        }
        /* If bad rows are left out, the pool checks the sums. */
        for (size_t j = 0; j < count && !rows->columns->leaves_out; j++) {
            if (!is_good_sum(rows, b, sums[j])) {
                CLI_TRY(check_row(rows, b, row + j, error));
            }
        }
        size_t size = rows->type == DP2DP_FLOAT32 ? sizeof(float) : sizeof(double);
        const void *taken = (const char *)b->to + row * b->count * size;
        if (b->to == rows->scores) {
            cli_odd_scores_note(rows->columns, sums, taken, rows->type, count);
        } else {
            cli_odd_scores_note_weights(rows->columns, taken, rows->type, count);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Adds the declared names, which are public, to the message. Quotes make stray spaces visible. */
static void add_names(const cli_columns *columns, int is_label, dp2dp_error *error) {
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    size_t end = strlen(error->message) + NAMES_SIZE;
    cli_error_add(error, "; %s",
                  is_label && columns->fitted ? "the model's classes are"
                  : is_label                  ? "--classes must name every label, but names only"
                  : columns->fitted           ? "the model's groups are"
                                              : "--groups must name every group, but names only");
    for (size_t i = 0; i < count; i++) {
        if (strlen(error->message) + strlen(names[i]) + 10 > end) {
            cli_error_add(error, ", ...");
            break;
        }
        cli_error_add(error, "%s \"%s\"", i ? "," : "", names[i]);
    }
    if (is_label && columns->fitted && strcmp(names[0], "0") == 0) {
        cli_error_add(error, "; to name the classes, use --classes when you run dp2dp fit");
    }
}

typedef struct span {
    const char *text;
    size_t length;
} span;

/* Returns the number of bytes of the blank at the beginning of a text, or at its end if at_end
 * is 1. Returns 0 if there is no blank. The no-break space has two bytes: C2 A0. */
static size_t blank_of(span s, int at_end) {
    static const char *const blanks[] = {" ", "\t", "\xC2\xA0"};
    for (size_t i = 0; i < sizeof blanks / sizeof blanks[0]; i++) {
        size_t size = strlen(blanks[i]);
        if (s.length >= size &&
            memcmp(s.text + (at_end ? s.length - size : 0), blanks[i], size) == 0) {
            return size;
        }
    }
    return 0;
}

static span trimmed(span s) {
    for (size_t blank; (blank = blank_of(s, 0)) > 0; s.length -= blank) {
        s.text += blank;
    }
    for (size_t blank; (blank = blank_of(s, 1)) > 0;) {
        s.length -= blank;
    }
    return s;
}

/* Returns whether the text differs from a name only in blanks around it, or in upper and lower
 * case. */
static int is_nearly(span found, const char *const *names, size_t count) {
    found = trimmed(found);
    for (size_t i = 0; i < count; i++) {
        span name = trimmed((span) {names[i], strlen(names[i])});
        if (name.length == found.length && strncasecmp(name.text, found.text, name.length) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Returns whether the text differs from a name only in how its accents are written. */
static int is_other_form(span found, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (cli_is_other_form(found.text, found.length, names[i], strlen(names[i]))) {
            return 1;
        }
    }
    return 0;
}

static void fail_code(const cli_rows *rows, size_t i, int is_label, span found,
                      dp2dp_error *error) {
    const cli_columns *columns = rows->columns;
    int is_empty = found.length == 0;
    (void)fail_row(rows, rows->count + i,
                   is_empty   ? DP2DP_REASON_VALUE_MISSING
                   : is_label ? DP2DP_REASON_UNKNOWN_LABEL
                              : DP2DP_REASON_UNKNOWN_GROUP,
                   is_label ? columns->label : columns->group,
                   is_empty   ? (is_label ? "the label is empty" : "the group is empty")
                   : is_label ? "the label is not in the declared list"
                              : "the group is not in the declared list",
                   error);
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    add_names(columns, is_label, error);
    if (is_nearly(found, names, count)) {
        cli_error_add(
            error,
            "; the text in the table differs from one of these names only in blanks or in upper "
            "and lower case");
    } else if (is_other_form(found, names, count)) {
        cli_error_add(error, "; the text in the table differs from one of these names only in "
                             "how accents are written (Unicode NFC or NFD): convert both to NFC");
    }
    if (!is_label && columns->fitted && cli_option_find(columns->args->verb, "unknown-group")) {
        cli_error_add(
            error, "%s",
            is_empty ? "; with --unknown-group base, the person gets a decision without the rule"
                     : "; if one of these is meant, correct the spelling. If not, use "
                       "--unknown-group base to decide without the rule");
    }
}

/* Turns the groups of a batch into codes; if is_label is 1, does so with the labels instead.
 * Refuses unknown names. Accepts an unknown group if columns->unknown is BASE, and any unknown name
 * if columns->leaves_out is 1. */
static dp2dp_status take_codes(const struct ArrowArray *batch, int is_label, cli_rows *rows,
                               dp2dp_error *error) {
    const cli_columns *columns = rows->columns;
    const struct ArrowArray *column =
        batch->children[is_label ? label_at(columns) : columns->classes];
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    int32_t *to = (is_label ? rows->labels : rows->groups) + rows->count;
    int refuse = !columns->leaves_out && (is_label || columns->unknown == DP2DP_UNKNOWN_REFUSE);
    CLI_TRY(dp2dp_table_codes(column, names, count, to, error));
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        if (to[i] >= 0 || columns->leaves_out) {
            continue;
        }
        const int32_t *ends = (const int32_t *)column->buffers[1] + column->offset + i;
        const span found = {(const char *)column->buffers[2] + ends[0],
                            (size_t)(ends[1] - ends[0])};
        if (refuse) {
            fail_code(rows, i, is_label, found, error);
            return DP2DP_STATUS_DATA;
        }
        columns->watch->alike +=
            is_nearly(found, names, count) || is_other_form(found, names, count);
    }
    return DP2DP_STATUS_OK;
}

static int is_null(const struct ArrowArray *column, size_t row) {
    const unsigned char *valid = column->buffers[0];
    size_t at = (size_t)column->offset + row;
    return valid && !(valid[at / 8] >> (at % 8) & 1);
}

/* Reads the ids. An empty id is a bad value, since several people could have it. */
static dp2dp_status take_ids(const struct ArrowArray *batch, cli_rows *rows, dp2dp_error *error) {
    const cli_columns *columns = rows->columns;
    const struct ArrowArray *column = batch->children[id_at(columns)];
    const int32_t *ends = (const int32_t *)column->buffers[1] + column->offset;
    const char *text = column->buffers[2];
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        size_t row = rows->count + i, length = (size_t)(ends[i + 1] - ends[i]);
        rows->ids[row] = dp2dp_dither_id(text + ends[i], length);
        if (length > 0) {
            continue;
        }
        if (!columns->leaves_out) {
            return fail_row(rows, row, DP2DP_REASON_VALUE_MISSING, columns->id, "the id is empty",
                            error);
        }
        rows->groups[row] = -1;
    }
    return DP2DP_STATUS_OK;
}

/* Reads how many records each row stands for. These numbers add up to the public number of records,
 * so a bad number is refused even if other bad rows are left out. */
static dp2dp_status take_multiplicity(const struct ArrowArray *batch, cli_rows *rows,
                                      dp2dp_error *error) {
    const char *name = rows->columns->multiplicity;
    const struct ArrowArray *column = batch->children[id_at(rows->columns)];
    const int32_t *ends = (const int32_t *)column->buffers[1] + column->offset;
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        size_t row = rows->count + i, length = (size_t)(ends[i + 1] - ends[i]);
        char text[NUMBER_SIZE] = "";
        double value = 0;
        int missing = is_null(column, i) || length == 0;
        if (!missing && length < sizeof text) {
            memcpy(text, (const char *)column->buffers[2] + ends[i], length);
        }
        cli_parsed parsed = cli_number_parse(text, &value);
        int whole = parsed == CLI_PARSED && value == floor(value);
        if (whole && value >= 1 && value <= RECORDS_MAX) {
            rows->multiplicity[row] = (uint64_t)value;
            continue;
        }
        if (rows->columns->leaves_out) {
            (void)cli_fail(error, DP2DP_STATUS_DATA,
                           "column \"%.60s\": every value must be a whole number from 1 to 2^48, "
                           "even with --bad-rows ignore: %.80s",
                           name, rows->columns->path);
        } else {
            (void)fail_row(rows, row,
                           missing ? DP2DP_REASON_VALUE_MISSING
                           : whole ? DP2DP_REASON_NUMBER_RANGE
                                   : DP2DP_REASON_NOT_WHOLE,
                           name,
                           missing ? "the value is missing"
                           : whole ? "the value must be from 1 to 2^48"
                                   : "the value must be a whole number",
                           error);
        }
        cli_error_add(error,
                      "; --multiplicity counts records and is not for survey weights: if a row "
                      "stands for w records of one person, use --rows-per-person w or more");
        return DP2DP_STATUS_DATA;
    }
    return DP2DP_STATUS_OK;
}

/* Leaves out rows that have a missing value or an unknown label: gives them the group code -1. Rows
 * with bad scores need no check here, because the pool leaves them out itself. */
static void leave_out(const struct ArrowArray *batch, cli_rows *rows) {
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        int bad = is_null(batch, i) || (rows->labels && rows->labels[rows->count + i] < 0);
        for (size_t j = 0; j < (size_t)batch->n_children && !bad; j++) {
            bad = is_null(batch->children[j], i);
        }
        rows->groups[rows->count + i] = bad ? -1 : rows->groups[rows->count + i];
    }
}

/* Refuses a missing value. Accepts a missing group if groups may be unknown. Does not check the
 * column of the multiplicity, which take_multiplicity checks. */
static dp2dp_status check_present(const struct ArrowArray *batch, const cli_rows *rows,
                                  dp2dp_error *error) {
    const cli_columns *columns = rows->columns;
    for (size_t j = 0; j < (size_t)batch->n_children; j++) {
        const struct ArrowArray *column = batch->children[j];
        const char *name = name_of(columns, j);
        if (column->buffers[0] == NULL || name == columns->multiplicity ||
            (name == columns->group && columns->unknown == DP2DP_UNKNOWN_BASE)) {
            continue;
        }
        for (size_t i = 0; i < (size_t)batch->length; i++) {
            if (is_null(column, i)) {
                return fail_row(rows, rows->count + i, DP2DP_REASON_VALUE_MISSING, name,
                                "the value is missing", error);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_scored_take(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    cli_rows *rows = context;
    int labelled = rows->columns->label != NULL;
    if (!rows->columns->leaves_out) {
        CLI_TRY(check_present(batch, rows, error));
    }
    CLI_TRY(cli_rows_make_room(rows, (size_t)batch->length, labelled, error));
    const block scores = scores_of(rows), weights = weights_of(rows);
    CLI_TRY(take_block(batch, rows, &scores, error));
    if (weights.count > 0) {
        CLI_TRY(take_block(batch, rows, &weights, error));
    }
    if (rows->columns->group) {
        CLI_TRY(take_codes(batch, 0, rows, error));
        cli_odd_scores_note_groups(rows->columns, rows->groups + rows->count,
                                   (size_t)batch->length);
    } else {
        memset(rows->groups + rows->count, 0, (size_t)batch->length * sizeof *rows->groups);
    }
    if (labelled) {
        CLI_TRY(take_codes(batch, 1, rows, error));
    }
    if (rows->columns->id) {
        CLI_TRY(take_ids(batch, rows, error));
        cli_odd_scores_note_ids(rows->columns, rows->ids + rows->count, (size_t)batch->length);
    }
    if (rows->columns->multiplicity) {
        CLI_TRY(take_multiplicity(batch, rows, error));
    }
    if (rows->columns->leaves_out) {
        leave_out(batch, rows);
    }
    cli_labels_note(rows, (size_t)batch->length);
    return cli_rows_add(rows, (size_t)batch->length, error);
}

static dp2dp_status open_table(const cli_columns *columns, struct ArrowArrayStream *out,
                               dp2dp_error *error) {
    size_t count = column_count(columns), weights = label_at(columns) + (columns->label != NULL);
    dp2dp_table_column *wanted = calloc(count, sizeof *wanted);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    out->release = NULL;
    CLI_TRY(cli_check_memory(wanted, "the columns", error));
    for (size_t j = 0; j < count; j++) {
        int is_number = j < columns->classes || (j >= weights && j < id_at(columns));
        wanted[j] = (dp2dp_table_column) {name_of(columns, j),
                                          is_number ? DP2DP_TABLE_NUMBER : DP2DP_TABLE_TEXT};
    }
    options.columns = wanted;
    options.column_count = count;
    options.bad_rows = columns->leaves_out ? DP2DP_BAD_ROWS_IGNORE : DP2DP_BAD_ROWS_REFUSE;
    options.cancel = cli_watch_given_up;
    options.cancel_context = columns->watch;
    dp2dp_status status =
        cli_table_open(columns->args, columns->path, NULL, 0, &options, out, error);
    if (status == DP2DP_STATUS_DATA && columns->fitted && columns->group) {
        cli_explain_group(columns->group, error);
    } else if (status == DP2DP_STATUS_DATA && columns->group) {
        cli_explain_sensitive(columns->group, error);
    }
    free(wanted);
    return status;
}

struct ArrowArray *cli_scored_ids(const cli_columns *columns, const struct ArrowArray *batch) {
    return batch->children[id_at(columns)];
}

dp2dp_status cli_scored_open(const cli_columns *columns, cli_rows *rows,
                             struct ArrowArrayStream *out, dp2dp_error *error) {
    *rows = (cli_rows) {
        .columns = columns, .classes = columns->classes, .weight_count = columns->weight_count};
    CLI_TRY(open_table(columns, out, error));
    return cli_stream_type(out, &rows->type, error);
}
