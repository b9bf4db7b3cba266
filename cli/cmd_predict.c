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
    int adjusted;    /* write scores, not decisions */
    void *room;      /* int32_t decisions or float scores of one batch */
    size_t room_for; /* rows */
} prediction;

/* A name as a CSV cell: quoted where it must be. */
static void write_name(FILE *stream, const char *name) {
    if (strpbrk(name, ",\"\r\n") == NULL) {
        fputs(name, stream);
        return;
    }
    fputc('"', stream);
    for (; *name != '\0'; name++) {
        fputs(*name == '"' ? "\"" : "", stream);
        fputc(*name, stream);
    }
    fputc('"', stream);
}

static void write_header(const prediction *p) {
    const dp2dp_model_info *info = dp2dp_model_view(p->model);
    if (!p->adjusted) {
        fputs("prediction\n", p->stream);
        return;
    }
    for (size_t k = 0; k < info->classes; k++) {
        write_name(p->stream, info->names.classes[k]);
        fputc(k + 1 < info->classes ? ',' : '\n', p->stream);
    }
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
        write_name(p->stream, names[decisions[i]]);
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

dp2dp_status cmd_predict(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_model *model = NULL;
    cli_sink sink = {.to = -1};
    cli_columns columns;
    prediction p = {.options = DP2DP_PREDICT_OPTIONS_INIT, .adjusted = cli_given(args, "adjusted")};
    (void)out;
    dp2dp_status status = cli_kind_model(args->operands[0], &model, error);
    if (status == DP2DP_STATUS_OK) {
        status = cli_columns_of_model(model, args->operands[1], &columns, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = cli_sink_open(args, &sink, error);
    }
    if (status == DP2DP_STATUS_OK) {
        p.model = model;
        p.stream = sink.stream;
        p.options.threads = (unsigned)cli_count(args, "threads");
        if (strcmp(cli_word(args, "unknown-group"), "base") == 0) {
            p.options.unknown = columns.unknown = DP2DP_UNKNOWN_BASE;
        }
        write_header(&p);
        status = cli_scores_stream(&columns, use_rows, &p, error);
    }
    if (status == DP2DP_STATUS_OK) {
        status = cli_sink_commit(&sink, error);
    }
    free(p.room);
    cli_sink_close(&sink);
    dp2dp_model_free(model);
    return status;
}
