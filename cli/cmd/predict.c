#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/out.h"
#include "input/absent.h"
#include "input/kept.h"
#include "input/kind.h"
#include "input/odd_scores.h"
#include "input/outside.h"
#include "input/scores.h"
#include "input/weight_order.h"
#include "output/gzip.h"
#include "output/sink.h"
#include "privacy/privacy.h"
#include "show/show.h"

enum {
    BUFFER_SIZE = 1 << 20,
    SHORT_SIZE = 16,
    ALL = 1000 /* if there are fewer decisions than this, stderr does not say that all are the
                * same: among so few, a rare class is often missing by chance */
};

/* The text to write for one decision: the class name as a CSV cell, then the end of the line. */
typedef struct line {
    char *text;
    size_t length;
    char start[SHORT_SIZE]; /* the first bytes of `text`. A short text is copied from here, because
                               a copy of fixed size is faster */
} line;

typedef struct prediction {
    const dp2dp_model *model;
    dp2dp_predict_options options;
    cli_sink *sink;
    cli_gzip *gzip;   /* NULL: the output is not compressed */
    int adjusted;     /* write adjusted scores, not decisions */
    int quotes_texts; /* the output is Parquet: the rows have texts in quotes, and NULL for a
                         missing value */
    line *lines;
    char *buffer; /* BUFFER_SIZE bytes; the first `used` are output that is not written yet */
    size_t used;
    void *room;       /* int32_t decisions or float scores of one batch */
    size_t room_for;  /* rows that fit in room */
    uint64_t written; /* rows of the table that have a line in the output, including rows that the
                         schema drops */
    uint64_t absent;  /* rows that the schema drops; `written` includes them */
    uint64_t unknown; /* rows whose group the model does not know */
    unsigned char *is_seen; /* 1 for each group of the model that some row has */
    uint64_t decided;       /* number of decisions */
    int32_t decision;       /* the last decision */
    int varied;             /* 1: at least two decisions differ */
    double *table;          /* how many people of each group get each class; NULL: not counted */
    int counts_lots;        /* 1: `lots` is counted */
    uint64_t lots;          /* rows whose decision another seed of the dither could change */
    float *values;          /* adjusted scores of one batch, without the dither */
    cli_kept kept;
    cli_watch watch;
} prediction;

static void flush(prediction *p) {
    cli_gzip_write(p->gzip, p->buffer, p->used, p->sink->stream);
    p->used = 0;
}

static void put(prediction *p, const char *text, size_t length) {
    if (length > BUFFER_SIZE - p->used) {
        flush(p);
    }
    if (length > BUFFER_SIZE) {
        cli_gzip_write(p->gzip, text, length, p->sink->stream);
    } else {
        memcpy(p->buffer + p->used, text, length);
        p->used += length;
    }
}

static void put_line(prediction *p, const line *l) {
    if (l->length <= SHORT_SIZE && BUFFER_SIZE - p->used >= SHORT_SIZE) {
        memcpy(p->buffer + p->used, l->start, SHORT_SIZE);
        p->used += l->length;
    } else {
        put(p, l->text, l->length);
    }
}

/* Makes a line that has `text` as a CSV cell, and then `after`. Ownership: the caller frees
 * out->text. */
static dp2dp_status make_line(const prediction *p, const char *text, const char *after, line *out,
                              dp2dp_error *error) {
    FILE *stream = open_memstream(&out->text, &out->length);
    if (stream) {
        (p->quotes_texts ? cli_csv_quoted : cli_csv_cell)(stream, text);
        fputs(after, stream);
    }
    CLI_TRY(cli_check_memory(stream && fclose(stream) == 0, "the names of classes", error));
    memcpy(out->start, out->text, out->length < SHORT_SIZE ? out->length : SHORT_SIZE);
    return DP2DP_STATUS_OK;
}

/* Writes a text as a CSV cell, in quotes if necessary. */
static void put_cell(prediction *p, const char *text, size_t length) {
    int plain = !p->quotes_texts;
    for (size_t i = 0; i < length && plain; i++) {
        plain = text[i] != ',' && text[i] != '"' && text[i] != '\r' && text[i] != '\n';
    }
    if (plain) {
        put(p, text, length);
        return;
    }
    put(p, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        put(p, "\"\"", text[i] == '"' ? 2 : 0);
        put(p, text + i, text[i] == '"' ? 0 : 1);
    }
    put(p, "\"", 1);
}

/* Writes the columns of --keep for the next row of the table, each with a comma after it. */
static dp2dp_status put_kept(prediction *p, dp2dp_error *error) {
    if (p->kept.names.count > 0) {
        CLI_TRY(cli_kept_next(&p->kept, error));
    }
    for (size_t i = 0; i < p->kept.names.count; i++) {
        size_t length;
        const char *text = cli_kept_text(&p->kept, i, &length);
        put_cell(p, text, length);
        put(p, ",", 1);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status begin(prediction *p, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    p->lines = calloc(info->classes, sizeof *p->lines);
    p->buffer = malloc(BUFFER_SIZE);
    p->is_seen = calloc(info->strata + 1, sizeof *p->is_seen);
    CLI_TRY(cli_check_memory(p->lines && p->buffer && p->is_seen, "the output", error));
    if (info->strata > 0 && info->rule != DP2DP_RULE_WEIGHTED && !p->adjusted) {
        p->table = calloc(info->strata * info->classes, sizeof *p->table);
        CLI_TRY(cli_check_memory(p->table, "the counts", error));
    }
    for (size_t k = 0; k < info->classes; k++) {
        const char *after = p->adjusted && k + 1 < info->classes ? "," : "\n";
        CLI_TRY(make_line(p, info->names.classes[k], after, &p->lines[k], error));
    }
    return DP2DP_STATUS_OK;
}

static void write_header(prediction *p) {
    for (size_t i = 0; i < p->kept.names.count; i++) {
        put_cell(p, p->kept.names.items[i], strlen(p->kept.names.items[i]));
        put(p, ",", 1);
    }
    if (!p->adjusted) {
        put(p, "prediction\n", 11);
    }
    for (size_t k = 0; p->adjusted && k < dp2dp_model_view(p->model)->classes; k++) {
        put(p, p->lines[k].text, p->lines[k].length);
    }
}

static void end(prediction *p) {
    size_t classes = p->model ? dp2dp_model_view(p->model)->classes : 0;
    for (size_t k = 0; p->lines && k < classes; k++) {
        free(p->lines[k].text);
    }
    free(p->lines);
    free(p->table);
    free(p->is_seen);
    free(p->buffer);
    free(p->room);
    free(p->values);
    cli_kept_close(&p->kept);
    cli_gzip_free(p->gzip);
}

/* Writes an empty prediction for each dropped row before row `until`, since each row of the table
 * must have a line. The first cell is written as "", because many CSV readers skip an empty line.
 */
static dp2dp_status write_absent(prediction *p, uint64_t until, dp2dp_error *error) {
    size_t cells = p->adjusted ? dp2dp_model_view(p->model)->classes : 1;
    const char *first = p->quotes_texts ? "NULL" : "\"\"", *next = p->quotes_texts ? ",NULL" : ",";
    for (; p->written < until; p->written++, p->absent++) {
        CLI_TRY(put_kept(p, error));
        put(p, first, strlen(first));
        for (size_t k = 1; k < cells; k++) {
            put(p, next, strlen(next));
        }
        put(p, "\n", 1);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status make_room(prediction *p, const cli_rows *rows, dp2dp_error *error) {
    if (rows->count > p->room_for) {
        free(p->room);
        p->room = calloc(rows->count, (p->adjusted ? rows->classes : 1) * sizeof(int32_t));
        p->room_for = p->room ? rows->count : 0;
        free(p->values);
        p->values = p->counts_lots ? calloc(rows->count, rows->classes * sizeof *p->values) : NULL;
    }
    return cli_check_memory(p->room && (p->values || !p->counts_lots), "the decisions", error);
}

/* Writes the scores of one row with nine digits, which are enough to read back the same float. */
static void put_scores(prediction *p, const float *scores, size_t classes) {
    for (size_t k = 0; k < classes; k++) {
        char text[32];
        int length =
            snprintf(text, sizeof text, "%.9g%c", (double)scores[k], k + 1 < classes ? ',' : '\n');
        put(p, text, (size_t)length);
    }
}

/* Counts the rows whose decision another seed of the dither (the random number added to each score)
 * could change. In such a row, the best score exceeds the second best by less than the width of the
 * dither. */
static dp2dp_status count_lots(prediction *p, const cli_rows *rows, const dp2dp_matrix *scores,
                               const dp2dp_column *groups, dp2dp_error *error) {
    double width = dp2dp_model_view(p->model)->dither.width;
    dp2dp_predict_options options = p->options;
    options.without_dither = 1;
    options.ids = NULL;
    CLI_TRY(dp2dp_model_adjust(p->model, scores, groups, &options, p->values, error));
    for (size_t i = 0; i < rows->count; i++) {
        float best = -INFINITY, second = -INFINITY;
        for (size_t k = 0; k < rows->classes; k++) {
            float value = p->values[i * rows->classes + k];
            second = value > best ? best : value > second ? value : second;
            best = value > best ? value : best;
        }
        p->lots += (double)best - (double)second < width;
    }
    return DP2DP_STATUS_OK;
}

static void note_group(prediction *p, int32_t group) {
    if (group >= 0 && (size_t)group < dp2dp_model_view(p->model)->strata) {
        p->is_seen[group] = 1;
    }
}

static void note_decision(prediction *p, int32_t group, int32_t decision) {
    p->varied |= p->decided > 0 && decision != p->decision;
    p->decision = decision;
    p->decided++;
    if (p->table && group >= 0) {
        p->table[(size_t)group * dp2dp_model_view(p->model)->classes + (size_t)decision]++;
    }
}

/* Returns the warnings about the decisions and about rows that the schema leaves out. If there are
 * fewer than `all` decisions, does not judge whether all are the same. */
static unsigned warnings_of(const cli_columns *columns, const prediction *p, uint64_t all) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    return cli_absent_warnings(columns->schema, &p->watch) |
           dp2dp_warn_of_classes(p->decided, p->varied || p->decided < all ? 0 : p->decided) |
           (p->table ? dp2dp_warn_of_rates(info, p->table, 0, NULL) : 0U);
}

static dp2dp_status use_rows(void *context, const cli_rows *rows, dp2dp_error *error) {
    prediction *p = context;
    dp2dp_matrix scores = cli_rows_scores(rows);
    dp2dp_column groups = cli_rows_groups(rows);
    dp2dp_matrix weights;
    cli_rows_predict(rows, &weights, &p->options);
    p->options.first_row = rows->first;
    CLI_TRY(make_room(p, rows, error));
    CLI_TRY(p->adjusted
                ? dp2dp_model_adjust(p->model, &scores, &groups, &p->options, p->room, error)
                : dp2dp_model_predict(p->model, &scores, &groups, &p->options, p->room, error));
    if (p->counts_lots) {
        CLI_TRY(count_lots(p, rows, &scores, &groups, error));
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->positions) {
            CLI_TRY(write_absent(p, (uint64_t)rows->positions[i], error));
        }
        CLI_TRY(put_kept(p, error));
        p->written++;
        p->unknown += rows->groups[i] < 0;
        note_group(p, rows->groups[i]);
        if (p->adjusted) {
            put_scores(p, (const float *)p->room + i * rows->classes, rows->classes);
        } else {
            note_decision(p, rows->groups[i], ((const int32_t *)p->room)[i]);
            put_line(p, &p->lines[p->decision]);
        }
    }
    return ferror(p->sink->stream) ? cli_sink_failure(p->sink, error) : DP2DP_STATUS_OK;
}

static dp2dp_status write_all(prediction *p, cli_columns *columns, dp2dp_error *error) {
    cli_rows rows = {0};
    columns->watch = &p->watch;
    columns->use = use_rows;
    columns->use_context = p;
    CLI_TRY(begin(p, error));
    write_header(p);
    dp2dp_status status = cli_scores_read(columns, &rows, error);
    cli_rows_free(&rows);
    CLI_TRY(status);
    if (columns->classifier) {
        CLI_TRY(write_absent(p, p->watch.rows, error));
    }
    flush(p);
    cli_gzip_finish(p->gzip, p->sink->stream);
    return DP2DP_STATUS_OK;
}

/* If the output is Parquet, writes the Parquet file. Columns that --keep copies from a Parquet
 * table keep their types. */
static dp2dp_status finish_parquet(const cli_args *args, const prediction *p, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    size_t kept = p->kept.names.count, count = kept + (p->adjusted ? info->classes : 1);
    const char *table = args->operands[1];
    int has_types = kept > 0 && cli_format_of(table) == CLI_FORMAT_PARQUET;
    dp2dp_table_column *columns = calloc(count, sizeof *columns);
    CLI_TRY(cli_check_memory(columns, "the output", error));
    for (size_t i = 0; i < count; i++) {
        const char *name = i < kept      ? p->kept.names.items[i]
                           : p->adjusted ? info->names.classes[i - kept]
                                         : "prediction";
        int is_number = i >= kept && p->adjusted;
        columns[i] = (dp2dp_table_column) {name, is_number ? DP2DP_TABLE_NUMBER : DP2DP_TABLE_TEXT};
    }
    dp2dp_status status =
        cli_sink_end_parquet(p->sink, columns, count, has_types ? table : NULL, error);
    free(columns);
    return status;
}

/* Returns the name of a group of the model that no row has, if some rows have an unknown group and
 * the table has many rows: the table probably spells this group in another way. Otherwise returns
 * NULL. Few rows often lack a small group by chance. */
static const char *find_missed(const prediction *p) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    size_t groups = info->strata / (info->labels > 1 ? info->labels : 1);
    for (size_t g = 0; g < groups && p->unknown > 0 && p->written >= DP2DP_PEOPLE_FEW; g++) {
        if (!p->is_seen[g]) {
            return info->names.groups[g];
        }
    }
    return NULL;
}

static const char alone[] =
    "CAUTION: the random number (dither) of this rule depends on the row's position, and this "
    "table has only one row. Everybody who is decided alone gets the same random number. Decide "
    "people together in one table, or fit the rule with --dither-key scores or id.";

/* Returns whether the table has only one row, and the model chooses the row's random number by its
 * position: then the row of every other table of one row gets the same random number. */
static int is_alone(const prediction *p) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    return p->written == 1 && p->absent == 0 && info->strata > 0 && info->dither.width > 0 &&
           info->dither_key == DP2DP_DITHER_KEY_ROW;
}

enum {
    SPELLING_SIZE = 320
};

/* Writes the signs that unknown groups are groups of the model in another spelling; "" if there are
 * no such signs. */
static void explain_spelling(const prediction *p, char out[SPELLING_SIZE]) {
    const char *missed = find_missed(p);
    int length = 0;
    out[0] = '\0';
    if (p->watch.alike > 0) {
        length = snprintf(out, SPELLING_SIZE,
                          " In %" PRIu64 " of these rows, the group differs from a group of the "
                          "model only in blanks, in upper and lower case or in accents.",
                          p->watch.alike);
    }
    if (missed) {
        (void)snprintf(out + length, SPELLING_SIZE - (size_t)length,
                       " No row has the model's group '%.60s': does the table spell it in another "
                       "way?",
                       missed);
    }
}

/* Prints the number of rows. Does not print how many rows got each class, because these counts are
 * sensitive. */
static void print_json(const cli_args *args, const cli_columns *columns, const prediction *p,
                       cli_out *out) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "model", args->operands[0]);
    cli_json_text(&json, "out", cli_word(args, "out"));
    cli_json_count(&json, "rows", p->written);
    cli_json_count(&json, "left_out", p->absent);
    cli_absent_json(columns->schema, &p->watch, &json);
    cli_json_count(&json, "unknown_groups", p->unknown);
    if (p->watch.alike > 0) {
        cli_json_count(&json, "unknown_alike", p->watch.alike);
    }
    if (find_missed(p)) {
        cli_json_text(&json, "group_without_rows", find_missed(p));
    }
    cli_json_text(&json, "sensitive", cli_columns_group(columns));
    cli_json_texts(&json, "classes", info->names.classes, info->classes);
    cli_json_truth(&json, "fair_rule", info->strata > 0);
    if (p->counts_lots) {
        cli_json_count(&json, "dither_decides", p->lots);
    }
    if (is_alone(p)) {
        cli_json_truth(&json, "dither_is_shared", 1);
    }
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        cli_json_truth(&json, "sees_group", cli_odd_scores_are_groups(columns));
    }
    cli_warnings_json(warnings_of(columns, p, 0), &json);
    cli_outside_json(columns->schema, &p->watch, &json);
    cli_odd_scores_json(columns, &json);
    cli_weight_order_json(columns, info, &json);
    cli_json_end(&json);
}

static const char *unfair_of(const dp2dp_schema *schema) {
    return schema && dp2dp_schema_view(schema)->group_count == 0
               ? "the model has no fair rule yet, and its schema has no sensitive column: learn a "
                 "rule with dp2dp fit from the scores that dp2dp predict --adjusted --keep COLUMN "
                 "writes"
               : "the model has no fair rule yet: learn one with dp2dp fit TABLE --model MODEL";
}

static void print_text(const cli_args *args, const cli_columns *columns, const prediction *p,
                       cli_out *out) {
    char spelling[SPELLING_SIZE], order[CLI_WEIGHT_ORDER_SIZE];
    explain_spelling(p, spelling);
    cli_sink_report(
        args, out, "%" PRIu64 " %s", p->written,
        cli_noun(p->written, p->adjusted ? "row" : "decision", p->adjusted ? "rows" : "decisions"));
    if (p->absent > 0) {
        cli_out_row(out, "empty", "%" PRIu64 " of these are empty, because a value is missing",
                    p->absent);
        cli_absent_text(columns->schema, &p->watch, "by group", out);
    }
    if (p->unknown > 0) {
        cli_out_row(out, "unknown",
                    "%" PRIu64 " of these have an unknown group, and got the classifier's own %s",
                    p->unknown, p->adjusted ? "scores" : "decision");
    }
    if (p->counts_lots) {
        cli_out_row(out, "dither", "%" PRIu64 " of these depend on the public random number",
                    p->lots);
    }
    if (dp2dp_model_view(p->model)->rule == DP2DP_RULE_WEIGHTED &&
        !cli_odd_scores_are_groups(columns)) {
        cli_out_row(out, "group", "not read: the rule does not see the group");
    }
    cli_group_text(cli_columns_group(columns), dp2dp_model_view(p->model), out);
    cli_scores_text(args, dp2dp_model_view(p->model), out);
    if (p->adjusted && dp2dp_model_view(p->model)->strata > 0) {
        cli_out_row(out, "adjusted",
                    "the offsets of the rule are already subtracted. These numbers are not "
                    "probabilities: do not give them to fit, predict or export again");
    }
    if (dp2dp_model_view(p->model)->strata == 0) {
        cli_out_row(out, "unfair", "%s", unfair_of(columns->schema));
    }
    if (spelling[0]) {
        cli_out_prose(out, "CAUTION: some groups are unknown.%s", spelling);
    }
    cli_outside_text(columns->schema, &p->watch, out);
    cli_odd_scores_text(columns, out);
    if (cli_weight_order_caution(columns, dp2dp_model_view(p->model), order)) {
        cli_out_prose(out, "%s", order);
    }
    if (is_alone(p)) {
        cli_out_prose(out, "%s", alone);
    }
    cli_warnings_text(warnings_of(columns, p, 0), out);
}

/* Prints to stderr why decisions may be unfair, since the decisions are on stdout. */
static void tell(const cli_columns *columns, const prediction *p) {
    char spelling[SPELLING_SIZE], order[CLI_WEIGHT_ORDER_SIZE];
    explain_spelling(p, spelling);
    if (dp2dp_model_view(p->model)->strata == 0 &&
        !p->adjusted) { /* with --adjusted, the scores may be meant for a fit */
        fprintf(stderr, "dp2dp predict: note: %s\n", unfair_of(columns->schema));
    }
    if (p->unknown > 0) {
        const char *kind = spelling[0] ? "CAUTION" : "Note";
        fprintf(stderr,
                "%s: %" PRIu64 " of %" PRIu64 " rows have an unknown group, and got the "
                "classifier's own %s.%s This %s comes from the data without noise: do not publish "
                "the %s.\n",
                kind, p->unknown, p->written, p->adjusted ? "scores" : "decision", spelling,
                spelling[0] ? "caution" : "note", spelling[0] ? "caution" : "note");
    }
    cli_outside_tell(columns->schema, &p->watch);
    cli_odd_scores_tell(columns);
    if (cli_weight_order_caution(columns, dp2dp_model_view(p->model), order)) {
        cli_print_safely(stderr, order);
        fputs(CLI_ABOUT_DATA "\n", stderr);
    }
    if (is_alone(p)) {
        fprintf(stderr, "%s\n", alone);
    }
    cli_warnings_tell(warnings_of(columns, p, ALL), CLI_ABOUT_DATA);
}

static dp2dp_status open_kept(const cli_args *args, prediction *p, dp2dp_error *error) {
    static const char *const decision[] = {"prediction"};
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    return cli_kept_open(args, args->operands[1], p->adjusted ? info->names.classes : decision,
                         p->adjusted ? info->classes : 1, &p->kept, error);
}

static dp2dp_status check_json(const cli_args *args, dp2dp_error *error) {
    return cli_sink_check_json(args, "decisions", error);
}

void cli_predict_check(const cli_args *args) {
    static const cli_args_rule rules[] = {check_json, NULL};
    cli_args_check_rules(args, rules);
}

dp2dp_status cmd_predict(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    cli_sink sink = {.to = -1};
    cli_columns columns = {0};
    prediction p = {.options = DP2DP_PREDICT_OPTIONS_INIT,
                    .sink = &sink,
                    .adjusted = cli_given(args, "adjusted")};
    int base = strcmp(cli_word(args, "unknown-group"), "base") == 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_kind_model(args, &model, error));
    CLI_TRY_OR_DONE(cli_columns_of_model(args, model, args->operands[1], 0, &columns, error));
    if (columns.classifier && base) {
        CLI_TRY_OR_DONE(cli_refuse(error, "--unknown-group base is only for tables of scores: this "
                                          "model's schema says what happens to an unknown group"));
    }
    p.model = model;
    CLI_TRY_OR_DONE(open_kept(args, &p, error));
    CLI_TRY_OR_DONE(cli_sink_open(args, CLI_SINK_STREAMED, &sink, error));
    CLI_TRY_OR_DONE(cli_sink_begin_parquet(args, &sink, error));
    p.quotes_texts = sink.parquet != NULL;
    if (cli_format_of(cli_word(args, "out")) == CLI_FORMAT_GZIP) {
        CLI_TRY_OR_DONE(cli_gzip_new(&p.gzip, error));
    }
    p.counts_lots = sink.path && dp2dp_model_view(model)->dither.width > 0 &&
                    dp2dp_model_view(model)->rule != DP2DP_RULE_OFFSET;
    p.options.threads = (unsigned)cli_count(args, "threads");
    p.options.unknown = columns.unknown = base ? DP2DP_UNKNOWN_BASE : DP2DP_UNKNOWN_REFUSE;
    CLI_TRY_OR_DONE(cli_outside_count(columns.schema, &p.watch, error));
    CLI_TRY_OR_DONE(write_all(&p, &columns, error));
    CLI_TRY_OR_DONE(finish_parquet(args, &p, error));
    CLI_TRY_OR_DONE(cli_sink_commit(&sink, error));
    if (cli_given(args, "json")) {
        print_json(args, &columns, &p, out);
    } else if (sink.path) {
        print_text(args, &columns, &p, out);
    } else { /* the decisions are on stdout */
        tell(&columns, &p);
    }
done:
    cli_outside_free(&p.watch);
    end(&p);
    cli_sink_close(&sink);
    cli_columns_free(&columns);
    dp2dp_model_free(model);
    return status;
}
