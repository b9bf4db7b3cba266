#include "input/encoded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <jansson.h>

#include "input/data_files.h"
#include "input/kind.h"
#include "input/outside.h"
#include "input/table.h"

dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    if (watch) {
        options.cancel = cli_watch_given_up;
        options.cancel_context = watch;
        options.rows_read = &watch->rows;
        options.outside = watch->outside.columns ? &watch->outside : NULL;
        options.spreads = watch->spreads;
        watch->ignores_bad = (parts & DP2DP_PART_IGNORE_BAD) != 0;
    }
    return cli_table_open(args, path, schema, parts, &options, out, error);
}

int cli_is_marker(const dp2dp_schema *schema, const char *text) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    for (size_t i = 0; i < info->marker_count; i++) {
        if (strcmp(info->markers[i], text) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Returns the text of the schema with the markers of `missing` added; NULL if memory runs out. */
static char *write_markers(const dp2dp_schema *schema, const cli_list *missing) {
    json_t *root = json_loads(dp2dp_schema_view(schema)->text, 0, NULL);
    json_t *markers = json_object_get(root, "missing");
    int failed = markers == NULL;
    for (size_t i = 0; i < missing->count && !failed; i++) {
        failed = !cli_is_marker(schema, missing->items[i]) &&
                 json_array_append_new(markers, json_string(missing->items[i])) != 0;
    }
    char *text = failed ? NULL : json_dumps(root, JSON_REAL_PRECISION(17));
    json_decref(root);
    return text;
}

/* Adds the texts of --missing to the schema's markers of missing values, so that the model stores
 * them. */
static dp2dp_status keep_markers(const cli_args *args, dp2dp_schema **schema, dp2dp_error *error) {
    cli_list missing = {0};
    char *text = NULL;
    dp2dp_schema *joined = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY_OR_DONE(cli_list_read_texts(args, "missing", &missing, error));
    text = write_markers(*schema, &missing);
    CLI_TRY_OR_DONE(cli_check_memory(text, "the schema", error));
    CLI_TRY_OR_DONE(dp2dp_schema_load(text, &joined, error));
    dp2dp_schema_free(*schema);
    *schema = joined;
done:
    free(text);
    cli_list_free(&missing);
    return status;
}

dp2dp_status cli_labelled_schema(const cli_args *args, unsigned parts, cli_labelled *out,
                                 dp2dp_error *error) {
    *out = (cli_labelled) {0};
    CLI_TRY(cli_kind_schema(cli_word(args, "schema"), &out->schema, error));
    if (cli_given(args, "missing")) {
        CLI_TRY(keep_markers(args, &out->schema, error));
    }
    out->info = dp2dp_schema_view(out->schema);
    if ((parts & DP2DP_PART_LABEL) && out->info->class_count == 0) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "%.120s: the schema has no label column, so there is nothing to learn",
                        cli_word(args, "schema"));
    }
    if ((parts & DP2DP_PART_GROUP) && out->info->group_count == 0) {
        return cli_fail(
            error, DP2DP_STATUS_DATA,
            "%.120s: the schema has no sensitive column, so there are no groups to learn",
            cli_word(args, "schema"));
    }
    return DP2DP_STATUS_OK;
}

/* Refuses the options that describe a TABLE (table.def and --bad-rows), because no TABLE is given.
 */
static dp2dp_status check_no_table(const cli_args *args, dp2dp_error *error) {
    static const char *const of_tables[] = {"separator", "no-header", "skip-lines", "missing",
                                            "bad-rows"};
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
    if (args->operand_count > 0) {
        if (cli_given(args, "data-dir")) {
            return cli_refuse(error, "--data-dir cannot be used with a TABLE");
        }
        CLI_TRY(cli_outside_count(labelled->schema, &labelled->watch, error));
        return cli_encoded_open(args, labelled->schema, parts | cli_parts_of_records(args),
                                args->operands[0], &labelled->watch, &labelled->stream, error);
    }
    if (set == NULL) {
        return cli_refuse(error,
                          "TABLE is missing: it may be left out only with a built-in schema");
    }
    CLI_TRY(check_no_table(args, error));
    CLI_TRY(cli_data_folder(args, &folder, error));
    CLI_TRY(cli_data_table(folder, set, path, &labelled->joined, &labelled->table_rows, error));
    labelled->set = set;
    /* Only complete rows belong to the public data set, so other rows are skipped and not counted.
     */
    return cli_encoded_open(NULL, labelled->schema, parts, path, NULL, &labelled->stream, error);
}

/* Number of rows of a table, and number of rows in which the schema refuses the group. */
typedef struct group_count {
    const dp2dp_schema_info *info;
    uint64_t rows, refused;
} group_count;

/* Returns whether the schema refuses the row because of a value in a sensitive column. */
static int is_refused(const dp2dp_schema_info *info, const int8_t *findings) {
    for (size_t i = 0; i < info->column_count; i++) {
        const dp2dp_schema_column *c = &info->columns[i];
        if (c->role == DP2DP_ROLE_SENSITIVE &&
            ((findings[i] == DP2DP_FINDING_MISSING && c->missing == DP2DP_POLICY_REFUSE) ||
             (findings[i] == DP2DP_FINDING_UNKNOWN && c->unknown == DP2DP_POLICY_REFUSE))) {
            return 1;
        }
    }
    return 0;
}

/* Counts the rows of a batch, and the rows in which the schema refuses the group. A batch has three
 * columns: the position of a row in the table, what was found in the cells of the row, and the
 * outcome (whether the schema keeps the row). */
static dp2dp_status count_groups(void *context, const struct ArrowArray *batch,
                                 dp2dp_error *error) {
    group_count *count = context;
    const int8_t *findings = batch->children[1]->children[0]->buffers[1];
    const int8_t *outcomes = batch->children[2]->buffers[1];
    (void)error;
    for (int64_t i = 0; i < batch->length; i++, findings += count->info->column_count) {
        count->refused += outcomes[i] == DP2DP_OUTCOME_REFUSED && is_refused(count->info, findings);
    }
    count->rows += (uint64_t)batch->length;
    return DP2DP_STATUS_OK;
}

/* Notes rows whose group is missing or not in the schema's list. Prints nothing if the table cannot
 * be read, for example because it has no sensitive column, which training does not need. */
void cli_groups_tell(const cli_args *args, const dp2dp_schema *schema, const char *path) {
    struct stat file;
    struct ArrowArrayStream rows;
    group_count count = {.info = dp2dp_schema_view(schema)};
    const unsigned parts =
        DP2DP_PART_FEATURES | DP2DP_PART_LABEL | DP2DP_PART_GROUP | DP2DP_PART_FINDINGS;
    dp2dp_error ignored;
    if (count.info->group_count == 0 || (cli_parts_of_records(args) & DP2DP_PART_IGNORE_BAD) != 0 ||
        stat(path, &file) != 0 || !S_ISREG(file.st_mode) ||
        cli_encoded_open(args, schema, parts, path, NULL, &rows, &ignored) != DP2DP_STATUS_OK ||
        cli_stream_each(&rows, count_groups, &count, &ignored) != DP2DP_STATUS_OK) {
        return;
    }
    if (count.refused > 0) {
        fprintf(stderr,
                "Note: in %" PRIu64 " of %" PRIu64
                " rows the value of a sensitive column is missing or not in the schema's list. "
                "dp2dp fit --model refuses such rows. To see which column it is, run dp2dp schema "
                "check. This note comes from the data without noise: do not publish the note.\n",
                count.refused, count.rows);
    }
}

static int told_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    cli_labelled *labelled = stream->private_data;
    return labelled->told.get_schema(&labelled->told, out);
}

static int told_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    cli_labelled *labelled = stream->private_data;
    dp2dp_status status = dp2dp_stream_next(&labelled->told, out, &labelled->failure);
    if (status != DP2DP_STATUS_OK) {
        return EINVAL;
    }
    if (out->release == NULL) {
        cli_outside_tell(labelled->schema, &labelled->watch);
        cli_outside_free(
            &labelled->watch); /* so that a second call after the end of the rows prints nothing */
    }
    return 0;
}

static const char *told_error(struct ArrowArrayStream *stream) {
    const cli_labelled *labelled = stream->private_data;
    return labelled->failure.message;
}

static void told_release(struct ArrowArrayStream *stream) {
    cli_labelled *labelled = stream->private_data;
    labelled->told.release(&labelled->told);
    stream->release = NULL;
}

void cli_labelled_tell(cli_labelled *labelled) {
    labelled->told = labelled->stream;
    labelled->stream = (struct ArrowArrayStream) {.get_schema = told_schema,
                                                  .get_next = told_next,
                                                  .get_last_error = told_error,
                                                  .release = told_release,
                                                  .private_data = labelled};
}

dp2dp_status cli_labelled_explain(const cli_labelled *labelled, dp2dp_status status,
                                  dp2dp_error *error) {
    if (status == DP2DP_STATUS_OK || labelled->failure.status == DP2DP_STATUS_OK) {
        return status;
    }
    *error = labelled->failure;
    return error->status;
}

void cli_labelled_close(cli_labelled *labelled) {
    if (labelled->stream.release) {
        labelled->stream.release(&labelled->stream);
    }
    if (labelled->joined) {
        fclose(labelled->joined);
    }
    cli_outside_free(&labelled->watch);
    dp2dp_schema_free(labelled->schema);
    *labelled = (cli_labelled) {0};
}

void cli_labelled_json(const cli_labelled *labelled, cli_json *json) {
    if (labelled->set == NULL) {
        cli_json_text(json, "data_set", NULL);
        return;
    }
    cli_json_open_object(json, "data_set");
    cli_json_text(json, "name", labelled->set->name);
    cli_json_text(json, "rows", "complete");
    cli_json_count(json, "table_rows", labelled->table_rows);
    cli_json_close_object(json);
}

void cli_labelled_text(const cli_labelled *labelled, cli_out *out) {
    if (labelled->set) {
        cli_out_row(out, "data set",
                    "%s: as in the paper, only complete rows are used. Of the %" PRIu64
                    " rows in the files of the data set, those with a missing value "
                    "are skipped and do not count as records",
                    labelled->set->name, labelled->table_rows);
    }
}
