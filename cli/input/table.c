#include "input/table.h"

#include <stdlib.h>
#include <string.h>

#include "args/args.h"
#include "input/advice.h"
#include "input/kind.h"

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

static dp2dp_status open_advised(const cli_args *args, const char *path,
                                 const dp2dp_table_options *options, struct ArrowArrayStream *out,
                                 dp2dp_error *error) {
    dp2dp_status status = dp2dp_table_open(path, options, out, error);
    if (args && !cli_given(args, "no-header") && status == DP2DP_STATUS_DATA &&
        (cli_advice_lacks_column(error) || cli_kind_is_json(path))) {
        cli_advise_table(path, options, error);
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
