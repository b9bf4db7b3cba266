#include <inttypes.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "common/json.h"
#include "common/out.h"
#include "input/data_files.h"
#include "input/encoded.h"
#include "input/stream.h"
#include "output/sink.h"

static const char *state_word(cli_data_state state) {
    return state == CLI_DATA_GOOD ? "verified" : state == CLI_DATA_ABSENT ? "absent" : "WRONG";
}

static dp2dp_status file_state(const char *folder, const cli_data_file *file, cli_data_state *state,
                               dp2dp_error *error) {
    char path[PATH_MAX];
    *state = CLI_DATA_ABSENT;
    if (folder == NULL) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_data_path(folder, file, path, error));
    return cli_data_check(path, file, state, error);
}

/* Lists the files of a data set and the state of each file, as JSON or, if `json` is NULL, as text.
 */
static dp2dp_status list_files(const char *folder, const cli_data_set *set, cli_json *json,
                               cli_out *out, dp2dp_error *error) {
    if (json) {
        cli_json_open_array(json, "files");
    }
    for (size_t i = 0; i < set->file_count; i++) {
        const cli_data_file *file = &set->files[i];
        cli_data_state state;
        CLI_TRY(file_state(folder, file, &state, error));
        if (json == NULL) {
            cli_out_row(out, state_word(state), "%s", file->path);
            continue;
        }
        cli_json_open_object(json, NULL);
        cli_json_text(json, "path", file->path);
        cli_json_text(json, "sha256", file->sha256);
        cli_json_text(json, "url", file->url);
        cli_json_text(json, "state", state_word(state));
        cli_json_close_object(json);
    }
    if (json) {
        cli_json_close_array(json);
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status list_json(const char *folder, cli_out *out, dp2dp_error *error) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "folder", folder);
    cli_json_open_array(&json, "sets");
    for (size_t i = 0; i < cli_data_set_count; i++) {
        cli_json_open_object(&json, NULL);
        cli_json_text(&json, "name", cli_data_sets[i].name);
        CLI_TRY(list_files(folder, &cli_data_sets[i], &json, out, error));
        cli_json_close_object(&json);
    }
    cli_json_close_array(&json);
    cli_json_end(&json);
    return DP2DP_STATUS_OK;
}

static dp2dp_status list_sets(const cli_args *args, cli_out *out, dp2dp_error *error) {
    dp2dp_error nowhere = {0};
    const char *folder = NULL;
    if (cli_data_folder(args, &folder, &nowhere) != DP2DP_STATUS_OK) {
        folder = NULL;
    }
    if (cli_given(args, "json")) {
        return list_json(folder, out, error);
    }
    fprintf(out->stream, "%sWhere%s\n", cli_bold(out), cli_plain(out));
    cli_out_prose(out, "%s", folder ? folder : nowhere.message);
    for (size_t i = 0; i < cli_data_set_count; i++) {
        const cli_data_set *set = &cli_data_sets[i];
        fprintf(out->stream, "\n%s%s%s: %s\n", cli_bold(out), set->name, cli_plain(out),
                set->title);
        cli_out_row(out, "page", "%s", set->page);
        cli_out_row(out, "schemas", "%s%s%s", set->schemas[0], set->schemas[1] ? ", " : "",
                    set->schemas[1] ? set->schemas[1] : "");
        CLI_TRY(list_files(folder, set, NULL, out, error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status download_missing(const char *folder, const cli_data_set *set,
                                     const cli_data_file *file, dp2dp_error *error) {
    char path[PATH_MAX];
    cli_data_state state;
    CLI_TRY(cli_data_path(folder, file, path, error));
    CLI_TRY(cli_data_check(path, file, &state, error));
    return state != CLI_DATA_ABSENT ? DP2DP_STATUS_OK
           : file->url              ? cli_download(file, path, error)
                       : cli_fail(error, DP2DP_STATUS_IO, "%s cannot be downloaded: %s (%s)",
                                  file->path, set->how_to_get, set->page);
}

typedef struct contents {
    uint64_t table_rows;
    uint64_t rows;  /* rows that the schema keeps */
    double *counts; /* a table of groups by classes: number of kept rows of each group and class */
    size_t classes;
} contents;

static dp2dp_status count_batch(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    contents *c = context;
    const int32_t *labels = batch->children[batch->n_children - 2]->buffers[1];
    const int32_t *groups = batch->children[batch->n_children - 1]->buffers[1];
    (void)error;
    for (int64_t i = 0; i < batch->length; i++) {
        c->counts[(size_t)groups[i] * c->classes + (size_t)labels[i]]++;
    }
    c->rows += (uint64_t)batch->length;
    return DP2DP_STATUS_OK;
}

static dp2dp_status contents_json(const char *folder, const cli_data_set *set,
                                  const dp2dp_schema_info *info, contents *c, cli_out *out,
                                  dp2dp_error *error) {
    cli_json json = cli_json_begin(out->stream);
    cli_json_text(&json, "name", set->name);
    cli_json_text(&json, "folder", folder);
    CLI_TRY(list_files(folder, set, &json, out, error));
    cli_json_text(&json, "schema", set->schemas[0]);
    cli_json_truth(&json, "private", 0);
    cli_json_count(&json, "table_rows", c->table_rows);
    cli_json_count(&json, "rows", c->rows);
    cli_json_count(&json, "features", info->width);
    cli_json_texts(&json, "groups", info->groups, info->group_count);
    cli_json_texts(&json, "classes", info->classes, info->class_count);
    cli_json_table(&json, "counts", c->counts, info->group_count, info->class_count);
    cli_json_end(&json);
    return DP2DP_STATUS_OK;
}

static dp2dp_status contents_text(const char *folder, const cli_data_set *set,
                                  const dp2dp_schema_info *info, contents *c, cli_out *out,
                                  dp2dp_error *error) {
    for (size_t i = 0; i < info->group_count * info->class_count; i++) {
        c->counts[i] /= (double)c->rows; /* the table below shows shares, not counts */
    }
    fprintf(out->stream, "%s%s%s: %s\n", cli_bold(out), set->name, cli_plain(out), set->title);
    CLI_TRY(list_files(folder, set, NULL, out, error));
    cli_out_row(out, "rows", "%" PRIu64 " of %" PRIu64 " in the files", c->rows, c->table_rows);
    cli_out_row(out, "features", "%zu, after encoding with schema %s", info->width,
                set->schemas[0]);
    fprintf(out->stream,
            "\n%sShares of all rows, by group and class%s (NOT PRIVATE: counted without noise)\n",
            cli_bold(out), cli_plain(out));
    cli_out_table(out, &(cli_table) {info->group_count, info->class_count, info->groups,
                                     info->classes, c->counts, 4});
    return DP2DP_STATUS_OK;
}

typedef struct copying {
    FILE *from; /* one line per row */
    FILE *to;
    char *line;
    size_t capacity;
    uint64_t rows;
} copying;

static dp2dp_status copy_line(copying *c, int is_wanted, dp2dp_error *error) {
    ssize_t length = getline(&c->line, &c->capacity, c->from);
    if (length < 0) {
        return cli_fail(error, DP2DP_STATUS_IO,
                        "cannot read the joined files of the data set again");
    }
    if (is_wanted) {
        fwrite(c->line, 1, (size_t)length, c->to);
    }
    return DP2DP_STATUS_OK;
}

/* Copies the lines of the rows that the schema keeps, and skips the other lines. A batch has three
 * columns: the position of a row in the table, what was found in the cells of the row, and the
 * outcome (whether the schema keeps the row). */
static dp2dp_status copy_batch(void *context, const struct ArrowArray *batch, dp2dp_error *error) {
    copying *c = context;
    const int8_t *outcomes = batch->children[2]->buffers[1];
    for (int64_t i = 0; i < batch->length; i++) {
        int is_complete = outcomes[i] == DP2DP_OUTCOME_KEPT;
        CLI_TRY(copy_line(c, is_complete, error));
        c->rows += (uint64_t)is_complete;
    }
    return DP2DP_STATUS_OK;
}

/* Writes, unchanged, the header and the rows that the set's schema keeps. */
static dp2dp_status write_complete(const char *folder, const cli_data_set *set, FILE *to,
                                   uint64_t *rows, dp2dp_error *error) {
    const unsigned parts =
        DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP | DP2DP_PART_FINDINGS;
    char path[CLI_DATA_PATH_SIZE];
    FILE *table = NULL;
    dp2dp_schema *schema = NULL;
    struct ArrowArrayStream findings;
    copying c = {.to = to};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(dp2dp_schema_load(set->schemas[0], &schema, error));
    CLI_TRY_OR_DONE(cli_data_table(folder, set, path, &table, rows, error));
    c.from = table; /* the reader opens `path` separately, so it has its own file position */
    CLI_TRY_OR_DONE(copy_line(&c, 1, error));
    CLI_TRY_OR_DONE(cli_encoded_open(NULL, schema, parts, path, NULL, &findings, error));
    CLI_TRY_OR_DONE(cli_stream_each(&findings, copy_batch, &c, error));
    *rows = c.rows;
done:
    if (table) {
        fclose(table);
    }
    free(c.line);
    dp2dp_schema_free(schema);
    return status;
}

static dp2dp_status write_table(const cli_args *args, const char *folder, const cli_data_set *set,
                                cli_out *out, dp2dp_error *error) {
    cli_sink sink = {.to = -1};
    int complete = cli_given(args, "complete");
    uint64_t rows = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_sink_open(args, CLI_SINK_STREAMED, &sink, error));
    CLI_TRY_OR_DONE(
        (complete ? write_complete : cli_data_join)(folder, set, sink.stream, &rows, error));
    CLI_TRY_OR_DONE(cli_sink_commit(&sink, error));
    if (cli_given(args, "json")) {
        cli_json json = cli_json_begin(out->stream);
        cli_json_text(&json, "name", set->name);
        cli_json_text(&json, "folder", folder);
        cli_json_text(&json, "out", cli_word(args, "out"));
        cli_json_count(&json, "table_rows", rows);
        cli_json_truth(&json, "complete", complete);
        cli_json_end(&json);
    } else if (sink.path) {
        cli_sink_report(args, out, "%" PRIu64 " %s%s", rows, complete ? "complete " : "",
                        cli_noun(rows, "row", "rows"));
    }
done:
    cli_sink_close(&sink);
    return status;
}

/* Prints the state of the files of a data set, and summarizes their rows. First copies the files
 * into one temporary table and verifies their checksums, then counts the rows of this table. So a
 * file that changes afterwards does not change the counts. */
static dp2dp_status show_set(const cli_args *args, const char *folder, const cli_data_set *set,
                             cli_out *out, dp2dp_error *error) {
    const unsigned parts = DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP;
    char path[CLI_DATA_PATH_SIZE];
    FILE *table = NULL;
    dp2dp_schema *schema = NULL;
    struct ArrowArrayStream rows;
    contents c = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(dp2dp_schema_load(set->schemas[0], &schema, error));
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    c.classes = info->class_count;
    c.counts = calloc(info->group_count * info->class_count, sizeof *c.counts);
    CLI_TRY_OR_DONE(cli_check_memory(c.counts, "the counts", error));
    CLI_TRY_OR_DONE(cli_data_table(folder, set, path, &table, &c.table_rows, error));
    CLI_TRY_OR_DONE(cli_encoded_open(NULL, schema, parts, path, NULL, &rows, error));
    CLI_TRY_OR_DONE(cli_stream_each(&rows, count_batch, &c, error));
    status = (cli_given(args, "json") ? contents_json : contents_text)(folder, set, info, &c, out,
                                                                       error);
done:
    if (table) {
        fclose(table);
    }
    free(c.counts);
    dp2dp_schema_free(schema);
    return status;
}

/* Refuses a bad --out before anything is downloaded. */
static dp2dp_status check_out(const cli_args *args, dp2dp_error *error) {
    if (!cli_given(args, "out")) {
        return cli_given(args, "complete")
                   ? cli_refuse(error, "--complete needs --out FILE; - is standard output")
                   : DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_sink_check_json(args, "rows", error));
    return cli_place_check(args, "out", cli_word(args, "out"), error);
}

dp2dp_status cmd_data(const cli_args *args, cli_out *out, dp2dp_error *error) {
    const char *folder = NULL;
    if (args->operand_count == 0) {
        return cli_given(args, "download") || cli_given(args, "out") || cli_given(args, "complete")
                   ? cli_refuse(error, "--download, --out and --complete need the NAME of a data "
                                       "set")
                   : list_sets(args, out, error);
    }
    const cli_data_set *set = cli_data_set_find(args->operands[0]);
    if (set == NULL) {
        cli_nearest near = {.typed = args->operands[0]};
        for (size_t i = 0; i < cli_data_set_count; i++) {
            cli_nearest_try(&near, cli_data_sets[i].name);
        }
        return near.word ? cli_refuse(error, "no data set is called '%.60s'; did you mean %s?",
                                      args->operands[0], near.word)
                         : cli_refuse(error,
                                      "no data set is called '%.60s'; dp2dp data lists all data "
                                      "sets. For a table of your own, use dp2dp schema "
                                      "--draft-from TABLE, then dp2dp schema check",
                                      args->operands[0]);
    }
    CLI_TRY(cli_data_folder(args, &folder, error));
    CLI_TRY(check_out(args, error));
    for (size_t i = 0; cli_given(args, "download") && i < set->file_count; i++) {
        CLI_TRY(download_missing(folder, set, &set->files[i], error));
    }
    return cli_given(args, "out") ? write_table(args, folder, set, out, error)
                                  : show_set(args, folder, set, out, error);
}
