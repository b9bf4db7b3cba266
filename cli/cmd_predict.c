#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "kind.h"
#include "out.h"
#include "scores.h"
#include "sink.h"

typedef struct prediction {
    const dp2dp_model *model;
    dp2dp_predict_options options;
    FILE *stream;
    int adjusted;     /* write scores, not decisions */
    void *room;       /* int32_t decisions or float scores of one batch */
    size_t room_for;  /* rows */
    uint64_t written; /* rows */
} prediction;

static void write_header(const prediction *p) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    if (!p->adjusted) {
        fputs("prediction\n", p->stream);
        return;
    }
    for (size_t k = 0; k < info->classes; k++) {
        cli_csv_cell(p->stream, info->names.classes[k]);
        fputc(k + 1 < info->classes ? ',' : '\n', p->stream);
    }
}

/* A row that the schema leaves out has a line all the same, so that lines and rows go together. The
 * quotes keep readers from taking the line for none. */
static void write_absent(prediction *p, uint64_t until) {
    size_t cells = p->adjusted ? dp2dp_model_view(p->model)->classes : 1;
    for (; p->written < until; p->written++) {
        fputs("\"\"", p->stream);
        for (size_t k = 1; k < cells; k++) {
            fputc(',', p->stream);
        }
        fputc('\n', p->stream);
    }
}

/* Up to the line of row i. */
static void go_to_row(prediction *p, const cli_rows *rows, size_t i) {
    write_absent(p, rows->positions ? (uint64_t)rows->positions[i] : p->written);
    p->written++;
}

static dp2dp_status make_room(prediction *p, const cli_rows *rows, dp2dp_error *error) {
    if (rows->count > p->room_for) {
        free(p->room);
        p->room = calloc(rows->count, (p->adjusted ? rows->classes : 1) * sizeof(int32_t));
        p->room_for = p->room ? rows->count : 0;
    }
    return p->room ? DP2DP_STATUS_OK
                   : cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu decisions",
                              rows->count);
}

static dp2dp_status decide(prediction *p, const cli_rows *rows, dp2dp_error *error) {
    const char *const *names = dp2dp_model_view(p->model)->names.classes;
    dp2dp_matrix scores = cli_rows_scores(rows);
    dp2dp_column groups = cli_rows_groups(rows);
    int32_t *decisions = p->room;
    dp2dp_status status =
        dp2dp_model_predict(p->model, &scores, &groups, &p->options, decisions, error);
    for (size_t i = 0; i < rows->count && status == DP2DP_STATUS_OK; i++) {
        go_to_row(p, rows, i);
        cli_csv_cell(p->stream, names[decisions[i]]);
        fputc('\n', p->stream);
    }
    return status;
}

/* Nine digits read back as the same float. */
static dp2dp_status adjust(prediction *p, const cli_rows *rows, dp2dp_error *error) {
    dp2dp_matrix scores = cli_rows_scores(rows);
    dp2dp_column groups = cli_rows_groups(rows);
    float *room = p->room;
    dp2dp_status status = dp2dp_model_adjust(p->model, &scores, &groups, &p->options, room, error);
    for (size_t i = 0; i < rows->count && status == DP2DP_STATUS_OK; i++) {
        const float *values = room + i * rows->classes;
        go_to_row(p, rows, i);
        for (size_t k = 0; k < rows->classes; k++) {
            fprintf(p->stream, "%.9g%c", (double)values[k], k + 1 < rows->classes ? ',' : '\n');
        }
    }
    return status;
}

static dp2dp_status use_rows(void *context, const cli_rows *rows, dp2dp_error *error) {
    prediction *p = context;
    p->options.first_row = rows->first;
    dp2dp_status status = make_room(p, rows, error);
    if (status == DP2DP_STATUS_OK) {
        status = (p->adjusted ? adjust : decide)(p, rows, error);
    }
    if (status == DP2DP_STATUS_OK && ferror(p->stream)) {
        status = cli_fail(error, DP2DP_STATUS_IO, "cannot write the decisions");
    }
    return status;
}

/* Every row, and a line for those left out. */
static dp2dp_status write_all(prediction *p, cli_columns *columns, dp2dp_error *error) {
    uint64_t table_rows = 0;
    columns->table_rows = &table_rows;
    write_header(p);
    dp2dp_status status = cli_scores_stream(columns, use_rows, p, error);
    if (status == DP2DP_STATUS_OK && columns->classifier) {
        write_absent(p, table_rows);
    }
    return status;
}

dp2dp_status cmd_predict(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    cli_sink sink = {.to = -1};
    cli_columns columns = {0};
    prediction p = {.options = DP2DP_PREDICT_OPTIONS_INIT, .adjusted = cli_given(args, "adjusted")};
    int base = strcmp(cli_word(args, "unknown-group"), "base") == 0;
    (void)out;
    dp2dp_status status = cli_kind_model(args->operands[0], &model, error);
    if (status == DP2DP_STATUS_OK) {
        status = cli_columns_of_model(args, model, 0, &columns, error);
    }
    if (status == DP2DP_STATUS_OK && base && columns.classifier) {
        status = cli_fail(error, DP2DP_STATUS_ARGUMENT,
                          "--unknown-group base is for scores: the schema of this model says what "
                          "becomes of a group that it does not know");
    }
    if (status == DP2DP_STATUS_OK) {
        status = cli_sink_open(args, &sink, error);
    }
    if (status == DP2DP_STATUS_OK) {
        p.model = model;
        p.stream = sink.stream;
        p.options.threads = (unsigned)cli_count(args, "threads");
        p.options.unknown = columns.unknown = base ? DP2DP_UNKNOWN_BASE : DP2DP_UNKNOWN_REFUSE;
        status = write_all(&p, &columns, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = cli_sink_commit(&sink, error);
    }
    free(p.room);
    cli_sink_close(&sink);
    cli_columns_free(&columns);
    dp2dp_model_free(model);
    return status;
}
