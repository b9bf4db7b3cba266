#include "input/encoded.h"

#include <stdio.h>
#include <stdlib.h>

#include "input/advice.h"
#include "input/data_files.h"
#include "input/kind.h"
#include "input/table.h"

static int is_wanted(const dp2dp_schema_column *column, unsigned parts) {
    return (column->role == DP2DP_ROLE_FEATURE && (parts & DP2DP_PART_FEATURES)) ||
           (column->role == DP2DP_ROLE_LABEL && (parts & DP2DP_PART_LABEL)) ||
           (column->role == DP2DP_ROLE_SENSITIVE && (parts & DP2DP_PART_GROUP));
}

/* A stream within another. It counts the rows that pass if there is a watch, and has more to say
 * about what is wrong if there is a schema. */
typedef struct wrapper {
    struct ArrowArrayStream inner;
    cli_watch *watch;
    const dp2dp_schema_info *schema;
    char message[CLI_ADVICE_SIZE];
} wrapper;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    wrapper *w = stream->private_data;
    return w->inner.get_schema(&w->inner, out);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    wrapper *w = stream->private_data;
    int err = w->inner.get_next(&w->inner, out);
    if (w->watch) {
        w->watch->rows += err == 0 && out->release ? (uint64_t)out->length : 0;
    }
    return err;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    wrapper *w = stream->private_data;
    const char *message = w->inner.get_last_error(&w->inner);
    return message && w->schema ? cli_advise_levels(w->schema, message, w->message) : message;
}

static void release(struct ArrowArrayStream *stream) {
    wrapper *w = stream->private_data;
    w->inner.release(&w->inner);
    free(w);
    stream->release = NULL;
}

/* Puts a wrapper in the place of *stream, which it owns from then on. */
static dp2dp_status wrap(struct ArrowArrayStream *stream, cli_watch *watch,
                         const dp2dp_schema_info *schema, dp2dp_error *error) {
    wrapper *w = malloc(sizeof *w);
    if (w == NULL) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a stream");
    }
    *w = (wrapper) {.inner = *stream, .watch = watch, .schema = schema};
    *stream = (struct ArrowArrayStream) {.get_schema = get_schema,
                                         .get_next = get_next,
                                         .get_last_error = get_last_error,
                                         .release = release,
                                         .private_data = w};
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(info->column_count, sizeof *wanted);
    struct ArrowArrayStream table;
    out->release = NULL;
    if (wanted == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %zu columns",
                        info->column_count);
    }
    for (size_t i = 0; i < info->column_count; i++) {
        if (is_wanted(&info->columns[i], parts)) {
            wanted[options.column_count++] =
                (dp2dp_table_column) {info->columns[i].name, info->columns[i].type};
        }
    }
    options.columns = wanted;
    options.missing = info->markers;
    options.missing_count = info->marker_count;
    options.cancel = watch ? cli_watch_given_up : NULL;
    options.cancel_context = watch;
    dp2dp_status status = cli_table_open(args, path, &options, &table, error);
    free(wanted);
    CLI_TRY(status);
    if (watch) {
        CLI_TRY(wrap(&table, watch, NULL, error));
    }
    CLI_TRY(dp2dp_schema_encode(schema, parts, &table, path, out, error));
    return wrap(out, NULL, info, error);
}

dp2dp_status cli_labelled_schema(const cli_args *args, cli_labelled *out, dp2dp_error *error) {
    *out = (cli_labelled) {0};
    CLI_TRY(cli_kind_schema(cli_word(args, "schema"), &out->schema, error));
    out->info = dp2dp_schema_view(out->schema);
    return out->info->class_count > 0
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA,
                          "the schema has no column of role label: there is nothing to learn: "
                          "%.120s",
                          cli_word(args, "schema"));
}

/* The options of table.def are about TABLE. */
static dp2dp_status check_no_table(const cli_args *args, dp2dp_error *error) {
    static const char *const of_tables[] = {"separator", "no-header", "skip-lines", "missing"};
    for (size_t i = 0; i < sizeof of_tables / sizeof of_tables[0]; i++) {
        if (cli_given(args, of_tables[i])) {
            return cli_refuse(error, "--%s needs a TABLE", of_tables[i]);
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_labelled_open(const cli_args *args, unsigned parts, cli_labelled *labelled,
                               dp2dp_error *error) {
    const cli_data_set *set = cli_data_set_of_schema(cli_word(args, "schema"));
    char path[CLI_DATA_PATH_SIZE];
    const char *folder;
    uint64_t rows;
    if (args->operand_count > 0) {
        return cli_given(args, "data-dir")
                   ? cli_refuse(error, "--data-dir does not go with a TABLE")
                   : cli_encoded_open(args, labelled->schema, parts, args->operands[0], NULL,
                                      &labelled->stream, error);
    }
    if (set == NULL) {
        return cli_refuse(error,
                          "TABLE is missing: only a built-in schema has a data set of its own");
    }
    CLI_TRY(check_no_table(args, error));
    CLI_TRY(cli_data_folder(args, &folder, error));
    CLI_TRY(cli_data_table(folder, set, path, &labelled->joined, &rows, error));
    return cli_encoded_open(NULL, labelled->schema, parts, path, NULL, &labelled->stream, error);
}

void cli_labelled_rewind(cli_labelled *labelled) {
    if (labelled->stream.release) {
        labelled->stream.release(&labelled->stream);
    }
    if (labelled->joined) {
        fclose(labelled->joined);
        labelled->joined = NULL;
    }
}

void cli_labelled_close(cli_labelled *labelled) {
    cli_labelled_rewind(labelled);
    dp2dp_schema_free(labelled->schema);
    *labelled = (cli_labelled) {0};
}
