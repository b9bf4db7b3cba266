#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "common/progress.h"
#include "input/encoded.h"
#include "input/stream.h"
#include "output/sink.h"
#include "privacy/privacy.h"
#include "show/show.h"

/* Everything that train allocates; cmd_train frees it. */
typedef struct training {
    cli_labelled people;
    cli_sink sink;
    dp2dp_ledger *ledger;
    cli_spent spent;
    cli_dry dry;
    dp2dp_model *model;
    double *weights; /* the matrix of --method external, classes x (features + 1), or NULL */
    int has_one_row; /* 1: the file of --weights has one row, for the second class */
    dp2dp_train_options options;
} training;

static dp2dp_status check_external_table(const cli_args *args, dp2dp_error *error) {
    return args->operand_count > 0
               ? cli_refuse(
                     error,
                     "leave TABLE out: --method external reads no table, and takes the weights "
                     "from --weights")
               : DP2DP_STATUS_OK;
}

static dp2dp_status check_external_cost(const cli_args *args, dp2dp_error *error) {
    int stated = !cli_missing(args, "epsilon");
    if (stated == cli_missing(args, "delta")) {
        return cli_refuse(error, "give both --epsilon and --delta, the privacy cost that the "
                                 "makers of the weights state, or give neither");
    }
    return cli_given(args, "ledger") && !stated
               ? cli_refuse(error, "--ledger with --method external needs --epsilon and --delta, "
                                   "the cost that the makers of the weights state")
               : DP2DP_STATUS_OK;
}

/* Checks the options of --method external. Refuses a table, the options about tables, and a command
 * with only one of --epsilon and --delta. */
static void check_external(const cli_args *args) {
    static const char *const of_tables[] = {"data-dir",  "bad-rows",   "separator",
                                            "no-header", "skip-lines", "missing"};
    static const cli_args_rule rules[] = {check_external_table, check_external_cost, NULL};
    dp2dp_error error;
    for (size_t i = 0; i < sizeof of_tables / sizeof of_tables[0]; i++) {
        if (cli_given(args, of_tables[i])) {
            cli_faults_note(
                args->faults,
                cli_refuse(&error, "--%s cannot be used with --method external", of_tables[i]),
                &error);
        }
    }
    cli_args_check_rules(args, rules);
}

void cli_train_check(const cli_args *args) {
    static const cli_args_rule rules[] = {cli_spend_check_ledger, NULL};
    dp2dp_error error;
    int method = cli_enum_if_sure(args, "method", DP2DP_WORDS_METHOD);
    cli_args_check_rules(args, rules);
    if (method == 0) {
        return;
    }
    (void)cli_args_check_mode(args, cli_word(args, "method"), NULL, &error);
    if (method == DP2DP_TRAIN_EXTERNAL) {
        check_external(args);
    } else if (method != DP2DP_TRAIN_NONE) {
        (void)cli_spend_check_budget(args, "--method none", &error);
    }
}

/* Opens the first `count` columns of a file that has no header. The columns get the names 0, 1, ...
 */
static dp2dp_status open_weights(const char *path, size_t count, struct ArrowArrayStream *out,
                                 dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(count, sizeof *wanted);
    char(*names)[24] = calloc(count, sizeof *names);
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_check_memory(wanted && names, "the columns", error));
    for (size_t j = 0; j < count; j++) {
        snprintf(names[j], sizeof names[j], "%zu", j);
        wanted[j] = (dp2dp_table_column) {names[j], DP2DP_TABLE_NUMBER};
    }
    options.columns = wanted;
    options.column_count = count;
    options.header = DP2DP_TABLE_HEADER_NONE;
    status = dp2dp_table_open(path, &options, out, error);
done:
    free(wanted);
    free(names);
    return status;
}

typedef struct matrix {
    double *values; /* room for `most` rows */
    size_t columns, most;
    size_t rows; /* rows read; rows beyond `most` are counted but not kept */
    dp2dp_type type;
} matrix;

static dp2dp_status take_batch(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    matrix *m = context;
    (void)error;
    for (size_t i = 0; i < (size_t)batch->length; i++, m->rows++) {
        for (size_t j = 0; j < m->columns && m->rows < m->most; j++) {
            const void *values = batch->children[j]->buffers[1];
            size_t at = (size_t)batch->children[j]->offset + i;
            m->values[m->rows * m->columns + j] = m->type == DP2DP_FLOAT32
                                                      ? (double)((const float *)values)[at]
                                                      : ((const double *)values)[at];
        }
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status read_matrix(const char *path, matrix *m, dp2dp_error *error) {
    struct ArrowArrayStream stream;
    dp2dp_error ignored;
    if (open_weights(path, m->columns + 1, &stream, &ignored) == DP2DP_STATUS_OK) {
        stream.release(&stream);
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "--weights %.120s has more than %zu columns (one for each feature, and one "
                        "for the bias)",
                        path, m->columns);
    }
    CLI_TRY(open_weights(path, m->columns, &stream, error));
    CLI_TRY(cli_stream_type(&stream, &m->type, error));
    return cli_stream_each(&stream, take_batch, m, error);
}

static dp2dp_status read_weights(const cli_args *args, training *t, dp2dp_error *error) {
    const char *path = cli_word(args, "weights");
    struct stat info;
    matrix m = {.columns = t->people.info->width + 1,
                .most = dp2dp_target_outputs(t->options.target, t->people.info)};
    /* read_matrix opens the file twice, which a pipe does not allow. */
    if (strcmp(path, "-") == 0 || (stat(path, &info) == 0 && S_ISFIFO(info.st_mode))) {
        return cli_refuse(error, "--weights must be a file, not a pipe");
    }
    t->options.weights = t->weights = m.values = calloc(m.most, m.columns * sizeof *m.values);
    CLI_TRY(cli_check_memory(m.values, "the weights", error));
    CLI_TRY(read_matrix(path, &m, error));
    if (m.rows == 1 && m.most == 2) {
        memcpy(m.values + m.columns, m.values, m.columns * sizeof *m.values);
        memset(m.values, 0, m.columns * sizeof *m.values);
        t->has_one_row = 1;
    } else if (m.rows != m.most) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "--weights %.120s has %zu row%s instead of %zu (one for each %s)", path,
                        m.rows, m.rows == 1 ? "" : "s", m.most,
                        t->options.target == DP2DP_TARGET_LABEL ? "class" : "output");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status train(const cli_args *args, training *t, dp2dp_error *error) {
    cli_progress progress = cli_progress_begin();
    int external = t->options.method == DP2DP_TRAIN_EXTERNAL;
    t->options.ledger = t->ledger;
    t->options.progress = cli_progress_step;
    t->options.progress_context = &progress;
    dp2dp_status status = dp2dp_train(t->people.schema, external ? NULL : &t->people.stream,
                                      &t->options, &t->model, error);
    cli_progress_end(&progress);
    status = cli_labelled_explain(&t->people, status, error);
    /* The library does not know the name of the table. */
    if (status == DP2DP_STATUS_DATA && error->reason == DP2DP_REASON_EMPTY &&
        args->operand_count > 0) {
        cli_error_add(error, ": %.120s", args->operands[0]);
    }
    return cli_spend_failure(args, status, error);
}

enum {
    NAMES_MOST = 8, /* most names that a row shows */
    NAMES_SIZE = NAMES_MOST * 64
};

/* Writes the columns with this role, and after them the names of their classes or groups. */
static void names_text(const char *title, const dp2dp_schema_info *schema, dp2dp_role role,
                       const char *const *names, size_t count, cli_out *out) {
    char text[NAMES_SIZE] = "", columns[NAMES_SIZE] = "";
    size_t used = 0, length = 0, shown = count < NAMES_MOST ? count : NAMES_MOST;
    for (size_t i = 0, found = 0; i < schema->column_count && found < NAMES_MOST; i++) {
        if (schema->columns[i].role == role) {
            length += (size_t)snprintf(columns + length, sizeof columns - length, "%s%.50s",
                                       found++ ? ", " : "", schema->columns[i].name);
        }
    }
    for (size_t k = 0; k < shown; k++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%.50s", k ? ", " : "", names[k]);
    }
    cli_out_row(out, title, "%s, in this order: %s%s", columns, text,
                shown < count ? ", and so on" : "");
}

/* Prints what the classifier predicts: the columns, and the order of their classes or groups. If
 * the weights have only one row, also prints that this row is for the second class or group. */
static void target_text(const training *t, cli_out *out) {
    const dp2dp_schema_info *schema = t->people.info;
    unsigned parts = dp2dp_target_parts(t->options.target);
    if (parts & DP2DP_PART_LABEL) {
        names_text("label", schema, DP2DP_ROLE_LABEL, schema->classes, schema->class_count, out);
    }
    if (parts & DP2DP_PART_GROUP) {
        names_text("group", schema, DP2DP_ROLE_SENSITIVE, schema->groups, schema->group_count, out);
    }
    if (t->has_one_row) {
        cli_out_row(out, "weights", "one row, for %s; the weights for %s are 0",
                    (parts & DP2DP_PART_LABEL ? schema->classes : schema->groups)[1],
                    (parts & DP2DP_PART_LABEL ? schema->classes : schema->groups)[0]);
    }
}

static dp2dp_status print(const cli_args *args, training *t, cli_out *out, dp2dp_error *error) {
    const dp2dp_model_info *info = dp2dp_model_view(t->model);
    CLI_TRY(cli_spend_total(args, t->ledger, &t->spent, error));
    if (cli_sink_is_stdout(&t->sink)) {
        return DP2DP_STATUS_OK;
    }
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "model", cli_word(args, "out"));
        cli_labelled_json(&t->people, &json);
        CLI_TRY(cli_classifier_json(info, &json, error));
        cli_spent_json(&t->spent, &json);
        cli_json_end(&json);
        return DP2DP_STATUS_OK;
    }
    cli_reasons_text(info->not_private_because, out);
    cli_sink_report(args, out, "%sClassifier%s", cli_bold(out), cli_plain(out));
    cli_spent_text(&t->spent, out);
    if (!isnan(info->epsilon)) {
        cli_no_ledger_text(&t->spent, out);
    }
    cli_labelled_text(&t->people, out);
    target_text(t, out);
    if (cli_given(args, "missing")) {
        cli_out_row(out, "missing",
                    "the model keeps the texts of --missing, so commands that use the model need "
                    "no --missing");
    }
    return cli_classifier_text(t->model, out, error);
}

static dp2dp_status open_rows(const cli_args *args, training *t, dp2dp_error *error) {
    if (t->options.target == DP2DP_TARGET_LABEL && args->operand_count > 0) {
        cli_groups_tell(args, t->people.schema, args->operands[0]);
    }
    t->people.watch.hides_group = t->options.target != DP2DP_TARGET_LABEL;
    t->people.watch.is_training = 1;
    t->people.watch.seeks_copies = cli_count(args, "rows-per-person") <= 1;
    CLI_TRY(cli_labelled_open(args, dp2dp_target_parts(t->options.target), &t->people, error));
    cli_labelled_tell(&t->people);
    return DP2DP_STATUS_OK;
}

static dp2dp_status count_rows(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    int64_t *rows = context;
    (void)error;
    *rows += batch->length;
    return DP2DP_STATUS_OK;
}

static dp2dp_status count_all(const cli_args *args, training *t, int64_t *rows,
                              dp2dp_error *error) {
    *rows = 0;
    CLI_TRY(cli_labelled_explain(
        &t->people, cli_stream_each(&t->people.stream, count_rows, rows, error), error));
    return *rows > 0 ? DP2DP_STATUS_OK
                     : cli_fail(error, DP2DP_STATUS_DATA, "there are no rows to train on: %.120s",
                                args->operand_count > 0 ? args->operands[0] : "the data set");
}

/* Computes what the training would charge, on a copy of the ledger. Training without noise charges
 * only the user's ledger, so without --ledger there is nothing to compute. */
static dp2dp_status rehearse(const cli_args *args, training *t, cli_out *out, dp2dp_error *error) {
    int external = t->options.method == DP2DP_TRAIN_EXTERNAL;
    int64_t rows = 0;
    CLI_TRY(cli_place_check(args, "out", cli_word(args, "out"), error));
    CLI_TRY(cli_dry_open(args, &t->dry, error));
    if (t->dry.before.path || cli_classifier_is_noisy(&t->options)) {
        if (!external) {
            CLI_TRY(count_all(args, t, &rows, error));
        }
        CLI_TRY(cli_spend_failure(
            args,
            dp2dp_train_plan(t->people.schema, (uint64_t)rows, &t->options, t->dry.ledger, error),
            error));
    }
    t->dry.records = (uint64_t)rows;
    t->dry.no_sensitive = t->people.info->group_count == 0;
    return cli_dry_print(args, &t->dry, out, error);
}

/* Trains the classifier, charges its cost, and writes the model. Opens --out before anything is
 * charged: a model that cannot be written must cost nothing. */
static dp2dp_status perform(const cli_args *args, training *t, cli_out *out, dp2dp_error *error) {
    const dp2dp_schema_info *schema = dp2dp_schema_view(t->people.schema);
    CLI_TRY(cli_sink_open(args, CLI_SINK_WHOLE, &t->sink, error));
    CLI_TRY(cli_sink_reserve(&t->sink,
                             dp2dp_target_outputs(t->options.target, schema) * (schema->width + 1),
                             schema->text, error));
    CLI_TRY(cli_spend_open(args, &t->ledger, &t->spent, error));
    CLI_TRY(train(args, t, error));
    CLI_TRY(cli_spend_publish(t->ledger, t->model, &t->sink, error));
    return print(args, t, out, error);
}

dp2dp_status cmd_train(const cli_args *args, cli_out *out, dp2dp_error *error) {
    training t = {.sink.to = -1};
    cli_classifier_options(args, &t.options);
    t.options.threads = (unsigned)cli_count(args, "threads");
    t.options.people_name = cli_word(args, "people");
    t.options.train_share = cli_given(args, "train-share") ? cli_real(args, "train-share") : 0;
    t.options.target = (dp2dp_target)cli_enum(args, "target", DP2DP_WORDS_TARGET);
    int external = t.options.method == DP2DP_TRAIN_EXTERNAL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(
        cli_labelled_schema(args, dp2dp_target_parts(t.options.target), &t.people, error));
    CLI_TRY_OR_DONE((external ? read_weights : open_rows)(args, &t, error));
    status = (cli_given(args, "dry-run") ? rehearse : perform)(args, &t, out, error);
done:
    dp2dp_model_free(t.model);
    dp2dp_ledger_free(t.ledger);
    dp2dp_ledger_free(t.dry.ledger);
    cli_sink_close(&t.sink);
    cli_labelled_close(&t.people);
    free(t.weights);
    return status;
}
