#include "input/scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "input/table.h"

enum {
    NAMES_SIZE = 110, /* size of a message */
    DECLARED_SIZE = NAMES_SIZE + 40
};

/* The pool's check of one row, as documented in <dp2dp/model.h>. */
static dp2dp_status check_row(const cli_columns *columns, const cli_rows *rows, size_t i,
                              dp2dp_error *error) {
    double sum = 0, tolerance = rows->type == DP2DP_FLOAT32 ? 1e-3 : 1e-6;
    int normalized = columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    for (size_t k = 0; k < columns->classes; k++) {
        double value = cli_rows_score(rows, i * columns->classes + k);
        if (!(value >= 0) || value > 1e30) {
            return cli_rows_fail(
                columns, isnan(value) ? DP2DP_REASON_NOT_A_NUMBER : DP2DP_REASON_SCORE_RANGE,
                columns->scores[k], rows->first + i,
                isnan(value) ? "not a number" : "a probability must be a number from 0 to 1", "",
                error);
        }
        sum += value;
    }
    if (normalized ? sum > 0 : fabs(sum - 1) <= tolerance) {
        return DP2DP_STATUS_OK;
    }
    (void)cli_fail(
        error, DP2DP_STATUS_DATA, "row %" PRIu64 ": the probabilities do not sum to 1%s: %.80s",
        rows->first + i + 1, normalized ? " and cannot be normalized" : "", columns->path);
    cli_error_place(error, normalized ? DP2DP_REASON_CANNOT_NORMALIZE : DP2DP_REASON_ROW_SUM,
                    rows->first + i + 1, "");
    return DP2DP_STATUS_DATA;
}

/* Copies one score of every row of a batch and adds it to the row's sum; a score outside 0 to 1e30
 * makes the sum NAN. Column by column, for speed: check_row says later what is wrong. */
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

static dp2dp_status take_scores(const cli_columns *columns, const struct ArrowArray *batch,
                                cli_rows *rows, dp2dp_error *error) {
    size_t length = (size_t)batch->length, classes = columns->classes, single = rows->count;
    int normalized = columns->row_sums == DP2DP_ROW_SUMS_NORMALIZE;
    double sums[ROWS_AT_ONCE], tolerance = rows->type == DP2DP_FLOAT32 ? 1e-3 : 1e-6;
    for (size_t i = 0; i < length; i += ROWS_AT_ONCE, single += ROWS_AT_ONCE) {
        size_t count = length - i < ROWS_AT_ONCE ? length - i : ROWS_AT_ONCE;
        memset(sums, 0, sizeof sums);
        for (size_t k = 0; k < classes; k++) {
            const struct ArrowArray *column = batch->children[k];
            size_t at = (size_t)column->offset + i;
            if (rows->type == DP2DP_FLOAT32) {
                take_floats((const float *)column->buffers[1] + at, count, classes,
                            (float *)rows->scores + single * classes + k, sums);
            } else {
                take_doubles((const double *)column->buffers[1] + at, count, classes,
                             (double *)rows->scores + single * classes + k, sums);
            }
        }
        for (size_t j = 0; j < count; j++) {
            if (!(normalized ? sums[j] > 0 : fabs(sums[j] - 1) <= tolerance)) {
                CLI_TRY(check_row(columns, rows, single + j, error));
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* Texts as positions in a list of names. */
enum {
    CLI_CODES_SHORT = 8, /* at most this many names of this many bytes are compared as words */
    CLI_CODES_WORD = sizeof(uint64_t)
};

/* Ownership: the names are borrowed. */
typedef struct cli_codes {
    const char *const *names;
    size_t count;
    int is_short;
    uint64_t words[CLI_CODES_SHORT];
    uint64_t lengths[CLI_CODES_SHORT];
    uint64_t masks[CLI_CODES_WORD + 1]; /* mask of the first bytes, by their number */
} cli_codes;

/* The names must be distinct. */
static cli_codes cli_codes_of(const char *const *names, size_t count) {
    cli_codes out = {.names = names, .count = count, .is_short = count <= CLI_CODES_SHORT};
    for (size_t i = 0; i <= CLI_CODES_WORD; i++) {
        memset(&out.masks[i], 0xFF, i);
    }
    for (size_t i = 0; i < count && out.is_short; i++) {
        out.lengths[i] = strlen(names[i]);
        out.is_short = out.lengths[i] <= CLI_CODES_WORD;
        if (out.is_short) {
            memcpy(&out.words[i], names[i], out.lengths[i]);
        }
    }
    return out;
}

static int32_t cli_code_search(const cli_codes *codes, const char *text, size_t length) {
    for (size_t i = 0; i < codes->count; i++) {
        const char *name = codes->names[i];
        size_t same = 0;
        while (same < length && name[same] != '\0' && name[same] == text[same]) {
            same++;
        }
        if (same == length && name[length] == '\0') {
            return (int32_t)i;
        }
    }
    return -1;
}

/* The code of a text that is not NUL-terminated, -1 if it is not in the list. `readable` bytes may
 * be read from its start. Groups come in random order, so branches would be mispredicted: short
 * names are compared without any. */
static inline int32_t cli_code(const cli_codes *codes, const char *text, size_t length,
                               size_t readable) {
    if (!codes->is_short || length > CLI_CODES_WORD || readable < CLI_CODES_WORD) {
        return cli_code_search(codes, text, length);
    }
    uint64_t word;
    int32_t found = 0; /* one more than the code */
    memcpy(&word, text, CLI_CODES_WORD);
    word &= codes->masks[length];
    for (size_t i = 0; i < codes->count; i++) {
        uint64_t difference = (word ^ codes->words[i]) | (length ^ codes->lengths[i]);
        found |= (int32_t)(i + 1) & -(int32_t)(difference == 0);
    }
    return found - 1;
}

/* The declared names, which are public, in quotes to make stray spaces visible. */
static const char *declared(const cli_columns *columns, int is_label, char text[DECLARED_SIZE]) {
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    const char *whose = is_label          ? "the model's classes are"
                        : columns->fitted ? "the model's groups are"
                                          : "--groups must name every group; it has";
    size_t used = (size_t)snprintf(text, DECLARED_SIZE, "%s", whose);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        if (used + length + 10 > NAMES_SIZE) {
            used += (size_t)snprintf(text + used, DECLARED_SIZE - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, DECLARED_SIZE - used, "%s \"%s\"", i ? "," : "",
                                 names[i]);
    }
    int offers =
        columns->fitted && !is_label && cli_option_find(columns->args->verb, "unknown-group");
    int unnamed = is_label && strcmp(names[0], "0") == 0;
    snprintf(text + used, DECLARED_SIZE - used, "%s",
             offers    ? "; --unknown-group base accepts others"
             : unnamed ? "; fit --classes sets them"
                       : "");
    return text;
}

/* Column order: scores, groups, labels. */
static dp2dp_status take_codes(const cli_columns *columns, const struct ArrowArray *batch,
                               int is_label, cli_rows *rows, dp2dp_error *error) {
    const struct ArrowArray *column = batch->children[columns->classes + (size_t)is_label];
    const int32_t *offsets = (const int32_t *)column->buffers[1] + column->offset;
    const char *bytes = column->buffers[2];
    const char *const *names = is_label ? columns->class_names : columns->group_names;
    size_t count = is_label ? columns->classes : columns->groups;
    int32_t *to = (is_label ? rows->labels : rows->groups) + rows->count;
    int refuse = is_label || columns->unknown == DP2DP_UNKNOWN_REFUSE;
    cli_codes codes = cli_codes_of(names, count);
    size_t end = (size_t)offsets[batch->length];
    char text[DECLARED_SIZE];
    for (size_t i = 0; i < (size_t)batch->length; i++) {
        size_t at = (size_t)offsets[i], length = (size_t)offsets[i + 1] - at;
        to[i] = cli_code(&codes, length ? bytes + at : "", length, length ? end - at : 0);
        if (to[i] < 0 && refuse) {
            return cli_rows_fail(
                columns, is_label ? DP2DP_REASON_UNKNOWN_LABEL : DP2DP_REASON_UNKNOWN_GROUP,
                is_label ? columns->label : columns->group, rows->first + rows->count + i,
                is_label ? "the label is not in the declared list"
                         : "the group is not in the declared list",
                declared(columns, is_label, text), error);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Refuses a missing value, except a missing group if groups may be unknown. */
static dp2dp_status check_present(const cli_columns *columns, const struct ArrowArray *batch,
                                  const cli_rows *rows, dp2dp_error *error) {
    for (size_t j = 0; j < (size_t)batch->n_children; j++) {
        const struct ArrowArray *column = batch->children[j];
        const unsigned char *valid = column->buffers[0];
        const char *name = j < columns->classes    ? columns->scores[j]
                           : j == columns->classes ? columns->group
                                                   : columns->label;
        if (valid == NULL || (j == columns->classes && columns->unknown == DP2DP_UNKNOWN_BASE)) {
            continue;
        }
        for (size_t i = 0; i < (size_t)batch->length; i++) {
            size_t at = (size_t)column->offset + i;
            if (!(valid[at / 8] >> (at % 8) & 1)) {
                return cli_rows_fail(columns, DP2DP_REASON_VALUE_MISSING, name,
                                     rows->first + rows->count + i, "the value is missing", "",
                                     error);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status take_batch(const cli_columns *columns, const struct ArrowArray *batch,
                               cli_rows *rows, dp2dp_error *error) {
    CLI_TRY(check_present(columns, batch, rows, error));
    CLI_TRY(cli_rows_make_room(rows, (size_t)batch->length, columns->label != NULL, error));
    CLI_TRY(take_scores(columns, batch, rows, error));
    CLI_TRY(take_codes(columns, batch, 0, rows, error));
    if (columns->label) {
        CLI_TRY(take_codes(columns, batch, 1, rows, error));
    }
    rows->count += (size_t)batch->length;
    return DP2DP_STATUS_OK;
}

static dp2dp_status open_table(const cli_columns *columns, struct ArrowArrayStream *out,
                               dp2dp_error *error) {
    size_t count = columns->classes + 1 + (columns->label != NULL);
    dp2dp_table_column *wanted = calloc(count, sizeof *wanted);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    out->release = NULL;
    if (wanted == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu columns", count);
    }
    for (size_t k = 0; k < columns->classes; k++) {
        wanted[k] = (dp2dp_table_column) {columns->scores[k], DP2DP_TABLE_NUMBER};
    }
    wanted[columns->classes] = (dp2dp_table_column) {columns->group, DP2DP_TABLE_TEXT};
    if (columns->label) {
        wanted[count - 1] = (dp2dp_table_column) {columns->label, DP2DP_TABLE_TEXT};
    }
    options.columns = wanted;
    options.column_count = count;
    options.cancel = cli_watch_given_up;
    options.cancel_context = columns->watch;
    dp2dp_status status = cli_table_open(columns->args, columns->path, &options, out, error);
    if (status == DP2DP_STATUS_DATA && columns->fitted) {
        cli_explain_group(columns->group, error);
    }
    free(wanted);
    return status;
}

dp2dp_status cli_scored_read(const cli_columns *columns, cli_rows *rows, dp2dp_error *error) {
    struct ArrowArrayStream stream;
    *rows = (cli_rows) {.classes = columns->classes};
    CLI_TRY(open_table(columns, &stream, error));
    CLI_TRY(cli_stream_type(&stream, &rows->type, error));
    return cli_rows_read(columns, &stream, take_batch, rows, error);
}
