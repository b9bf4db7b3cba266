#include "input/table.h"

#include <string.h>

#include "input/kind.h"

unsigned cli_parts_of_records(const cli_args *args) {
    int ignore = cli_enum(args, "bad-rows", DP2DP_WORDS_BAD_ROWS) == DP2DP_BAD_ROWS_IGNORE;
    return DP2DP_PART_LEFT_OUT | (ignore ? DP2DP_PART_IGNORE_BAD : 0U);
}

/* Reads --separator. A tab is hard to type, so the words tab and \t stand for it. */
static dp2dp_status read_separator(const cli_args *args, char *out, dp2dp_error *error) {
    const char *text = cli_word(args, "separator");
    int is_tab = strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0;
    *out = is_tab ? '\t' : text[0];
    return is_tab || text[1] == '\0'
               ? DP2DP_STATUS_OK
               : cli_refuse(error, "--separator '%.60s' must be one character or the word tab",
                            text);
}

static dp2dp_status read_format(const cli_args *args, dp2dp_table_options *options,
                                dp2dp_error *error) {
    options->header = cli_given(args, "no-header") ? DP2DP_TABLE_HEADER_NONE : options->header;
    options->skip_lines = (size_t)cli_count(args, "skip-lines");
    return read_separator(args, &options->separator, error);
}

/* Reads the options of table.def. Ownership: *options points to the markers of missing values in
 * *missing; the caller frees *missing once the table is open, even after a failure. */
static dp2dp_status read_options(const cli_args *args, dp2dp_table_options *options,
                                 cli_list *missing, dp2dp_error *error) {
    CLI_TRY(read_format(args, options, error));
    if (cli_given(args, "missing")) {
        CLI_TRY(cli_list_read_texts(args, "missing", missing, error));
    }
    options->missing = (const char *const *)missing->items;
    options->missing_count = missing->count;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_table_open(const cli_args *args, const char *path, const dp2dp_schema *schema,
                            unsigned parts, const dp2dp_table_options *options,
                            struct ArrowArrayStream *out, dp2dp_error *error) {
    dp2dp_table_options all = *options;
    cli_list missing = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    out->release = NULL;
    if (args) {
        CLI_TRY_OR_DONE(read_options(args, &all, &missing, error));
    }
    status = schema ? dp2dp_schema_open(schema, parts, path, &all, out, error)
                    : dp2dp_table_open(path, &all, out, error);
    status = cli_kind_table(status, path, error);
done:
    cli_list_free(&missing);
    return status;
}

dp2dp_status cli_table_open_verbatim(const cli_args *args, const char *path,
                                     const dp2dp_table_options *options,
                                     struct ArrowArrayStream *out, dp2dp_error *error) {
    dp2dp_table_options all = *options;
    out->release = NULL;
    CLI_TRY(read_format(args, &all, error));
    return dp2dp_table_open(path, &all, out, error);
}
