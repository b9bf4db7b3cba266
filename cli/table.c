#include "table.h"

#include <stdlib.h>
#include <string.h>

#include "kind.h"
#include "list.h"
#include "out.h"

/* A tab is hard to type, so that it has a name. */
dp2dp_status cli_table_separator(const cli_args *args, char *out, dp2dp_error *error) {
    const char *text = cli_word(args, "separator");
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) {
        *out = '\t';
    } else if (text[1] == '\0') {
        *out = text[0];
    } else {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "--separator '%.60s' is not one character, nor the word tab", text);
    }
    return DP2DP_STATUS_OK;
}

/* The markers of *options, then those of the list, in an array that the caller frees. */
static dp2dp_status join_markers(const cli_list *list, dp2dp_table_options *options,
                                 const char ***out, dp2dp_error *error) {
    size_t count = options->missing_count + list->count;
    const char **markers = calloc(count, sizeof *markers);
    *out = markers;
    if (markers == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for --missing");
    }
    for (size_t i = 0; i < count; i++) {
        markers[i] = i < options->missing_count ? options->missing[i]
                                                : list->items[i - options->missing_count];
    }
    options->missing = markers;
    options->missing_count = count;
    return DP2DP_STATUS_OK;
}

/* What may be the matter with a table that lacks a column. The nearest name, which the reader
 * offers, is kept back where it may be a value. */
static void advise(const cli_args *args, const char *path, dp2dp_status status,
                   dp2dp_error *error) {
    int headless;
    char separator = ',';
    if (args == NULL || cli_given(args, "no-header") || status != DP2DP_STATUS_DATA ||
        strncmp(error->message, "no column ", 10) != 0) {
        return;
    }
    dp2dp_error found = *error, ignored;
    (void)cli_table_separator(args, &separator, &ignored); /* the table did open */
    const char *advice =
        cli_kind_table_advice(path, separator, (size_t)cli_count(args, "skip-lines"), &headless);
    const char *nearest = strstr(found.message, "; the nearest name is ");
    if (headless && nearest) {
        (void)cli_fail(error, status, "%.*s: %.100s%s", (int)(nearest - found.message),
                       found.message, path, advice);
    } else {
        (void)cli_fail(error, status, "%.230s%s", found.message, advice);
    }
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
        status = cli_table_separator(args, &all.separator, error);
    }
    if (status == DP2DP_STATUS_OK && args && cli_given(args, "missing")) {
        status = cli_list_read_texts(args, "missing", &missing, error);
        if (status == DP2DP_STATUS_OK) {
            status = join_markers(&missing, &all, &markers, error);
        }
    }
    if (status == DP2DP_STATUS_OK) {
        status = dp2dp_table_open(path, &all, out, error);
        advise(args, path, status, error);
    }
    free(markers);
    cli_list_free(&missing);
    return status;
}
