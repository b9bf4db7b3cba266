#include "input/table.h"

#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "common/out.h"
#include "input/kind.h"

enum {
    ADVICE_SIZE = 150
};

/* A tab is hard to type, so that it has a name. */
dp2dp_status cli_table_separator(const cli_args *args, char *out, dp2dp_error *error) {
    const char *text = cli_word(args, "separator");
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) {
        *out = '\t';
    } else if (text[1] == '\0') {
        *out = text[0];
    } else {
        return cli_refuse(error, "--separator '%.60s' is not one character, nor the word tab",
                          text);
    }
    return DP2DP_STATUS_OK;
}

/* The markers of *options, then those of the list, in an array that the caller frees. */
static dp2dp_status join_markers(const cli_list *list, dp2dp_table_options *options,
                                 const char ***out, dp2dp_error *error) {
    size_t count = options->missing_count + list->count;
    const char **markers = calloc(count, sizeof *markers);
    *out = markers;
    CLI_TRY(cli_check_memory(markers, "--missing", error));
    for (size_t i = 0; i < count; i++) {
        markers[i] = i < options->missing_count ? options->missing[i]
                                                : list->items[i - options->missing_count];
    }
    options->missing = markers;
    options->missing_count = count;
    return DP2DP_STATUS_OK;
}

static int is_there(const cli_header *header, const char *name) {
    for (size_t i = 0; i < header->count; i++) {
        if (strcmp(header->names[i], name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* How many columns are missing, where these are most, and which there are. A line without any
 * column that is wanted may be somebody's values, and is not shown. */
static void list_columns(const dp2dp_table_options *options, const cli_header *header,
                         char text[ADVICE_SIZE]) {
    size_t count = options->column_count, missing = 0, used = 0;
    for (size_t i = 0; i < count; i++) {
        missing += !is_there(header, options->columns[i].name);
    }
    if (missing > 1 && 2 * missing > count) {
        used = (size_t)snprintf(text, ADVICE_SIZE,
                                "; %zu of %zu columns are missing: another table, or schema?",
                                missing, count);
    }
    if (missing == count) {
        return;
    }
    for (size_t i = 0; i < header->count; i++) {
        const char *before = i ? ", " : "; there are ";
        if (used + strlen(before) + strlen(header->names[i]) + 6 > ADVICE_SIZE) {
            snprintf(text + used, ADVICE_SIZE - used, ", ...");
            break;
        }
        used += (size_t)snprintf(text + used, ADVICE_SIZE - used, "%s%s", before, header->names[i]);
    }
}

/* What may be the matter with a table that lacks a column. Names that may be values are kept back.
 */
static void advise(const char *path, const dp2dp_table_options *options, dp2dp_error *error) {
    cli_header header;
    char listed[ADVICE_SIZE] = "";
    dp2dp_error found = *error;
    const char *advice = cli_kind_header(path, options->separator, options->skip_lines, &header);
    const char *nearest = strstr(found.message, "; the nearest name is ");
    if (header.headless && nearest) {
        (void)cli_fail(error, found.status, "%.*s: %.100s%s", (int)(nearest - found.message),
                       found.message, path, advice);
        return;
    }
    if (header.count > 0 && !header.headless && !nearest) {
        list_columns(options, &header, listed);
    }
    (void)cli_fail(error, found.status, "%.170s%s%s", found.message, advice, listed);
}

void cli_table_advise(dp2dp_error *error) {
    static const char fill_in[] =
        "fill it in or take the row out; of raw rows a schema can drop it",
                      unpack[] = "unpack it, or save a spreadsheet as CSV";
    static const struct {
        const char *fault, *advice;
    } known[] = {
        {": not a number: ", "a number has a decimal point, and no % or blank in it"},
        {": empty where a number is wanted: ", fill_in},
        {": the value is missing: ", fill_in},
        {": more fields than the first line: ", "a text with the separator in it needs quotes"},
        {": a carriage return without a line feed: ", "lines must end with a line feed"},
        {": a NUL byte; is the file UTF-16?: ", "save it as UTF-8 text"},
        {"the archive has something else than an NPY array: ", unpack},
        {".xml\": ", unpack}, /* as the name of an array */
        {"several columns are named ", "give each a name of its own"},
    };
    size_t used = strlen(error->message);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strstr(error->message, known[i].fault)) {
            snprintf(error->message + used, sizeof error->message - used, "; %s", known[i].advice);
            return;
        }
    }
}

void cli_table_explain(const char *column, const char *why, dp2dp_error *error) {
    const dp2dp_error found = *error;
    char start[DP2DP_ERROR_MESSAGE_SIZE];
    snprintf(start, sizeof start, "no column is named \"%.200s\"", column);
    if (strncmp(found.message, start, strlen(start)) == 0) {
        (void)cli_fail(error, found.status, "%.*s; %s%s", (int)strlen(start), found.message, why,
                       found.message + strlen(start));
    }
}

static dp2dp_status open_advised(const cli_args *args, const char *path,
                                 const dp2dp_table_options *options, struct ArrowArrayStream *out,
                                 dp2dp_error *error) {
    dp2dp_status status = dp2dp_table_open(path, options, out, error);
    if (args && !cli_given(args, "no-header") && status == DP2DP_STATUS_DATA &&
        (strncmp(error->message, "no column ", 10) == 0 || cli_kind_is_json(path))) {
        advise(path, options, error);
    }
    return status;
}

dp2dp_status cli_table_open(const cli_args *args, const char *path,
                            const dp2dp_table_options *options, struct ArrowArrayStream *out,
                            dp2dp_error *error) {
    dp2dp_table_options all = *options;
    cli_list missing = {0};
    const char **markers = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    out->release = NULL;
    if (args) {
        all.header = cli_given(args, "no-header") ? DP2DP_TABLE_HEADER_NONE : all.header;
        all.skip_lines = (size_t)cli_count(args, "skip-lines");
        CLI_TRY(cli_table_separator(args, &all.separator, error));
    }
    if (args && cli_given(args, "missing")) {
        CLI_TRY_OR_DONE(cli_list_read_texts(args, "missing", &missing, error));
        CLI_TRY_OR_DONE(join_markers(&missing, &all, &markers, error));
    }
    status = open_advised(args, path, &all, out, error);
done:
    free(markers);
    cli_list_free(&missing);
    return status;
}
