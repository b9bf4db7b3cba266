#include "input/kept.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "input/table.h"

static dp2dp_status check_names(const cli_kept *kept, const char *const *taken, size_t count,
                                dp2dp_error *error) {
    for (size_t i = 0; i < kept->names.count; i++) {
        const char *name = kept->names.items[i];
        for (size_t k = 0; k < count; k++) {
            if (strcmp(name, taken[k]) == 0) {
                return cli_refuse(error,
                                  "--keep %.60s: the output has a column of this name already; "
                                  "rename the column in the table",
                                  name);
            }
        }
    }
    return DP2DP_STATUS_OK;
}

/* Opens the columns of --keep as texts. The texts are copied to the output unchanged, so no text is
 * treated as a missing value. */
static dp2dp_status open_table(const cli_args *args, const char *path, cli_kept *kept,
                               dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *columns = calloc(kept->names.count, sizeof *columns);
    CLI_TRY(cli_check_memory(columns, "the columns of --keep", error));
    for (size_t i = 0; i < kept->names.count; i++) {
        columns[i] = (dp2dp_table_column) {kept->names.items[i], DP2DP_TABLE_TEXT};
    }
    options.columns = columns;
    options.column_count = kept->names.count;
    dp2dp_status status = cli_table_open_verbatim(args, path, &options, &kept->stream, error);
    free(columns);
    return status;
}

dp2dp_status cli_kept_open(const cli_args *args, const char *path, const char *const *taken,
                           size_t count, cli_kept *out, dp2dp_error *error) {
    struct stat info;
    *out = (cli_kept) {0};
    if (!cli_given(args, "keep")) {
        return DP2DP_STATUS_OK;
    }
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return cli_refuse(error, "--keep reads TABLE a second time, so TABLE must be a file, not a "
                                 "pipe or a query (for a query, dp2dp export --sql keeps all "
                                 "columns)");
    }
    CLI_TRY(cli_list_read(args, "keep", &out->names, error));
    CLI_TRY(check_names(out, taken, count, error));
    return open_table(args, path, out, error);
}

void cli_kept_close(cli_kept *kept) {
    if (kept->batch.release) {
        kept->batch.release(&kept->batch);
    }
    if (kept->stream.release) {
        kept->stream.release(&kept->stream);
    }
    cli_list_free(&kept->names);
}

dp2dp_status cli_kept_next(cli_kept *kept, dp2dp_error *error) {
    if (kept->batch.release && kept->row + 1 < (size_t)kept->batch.length) {
        kept->row++;
        return DP2DP_STATUS_OK;
    }
    if (kept->batch.release) {
        kept->batch.release(&kept->batch);
    }
    kept->row = 0;
    CLI_TRY(dp2dp_stream_next(&kept->stream, &kept->batch, error));
    return kept->batch.release
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_DATA, "the table changed while it was being read");
}

const char *cli_kept_text(const cli_kept *kept, size_t column, size_t *length) {
    const struct ArrowArray *texts = kept->batch.children[column];
    const int32_t *offsets = texts->buffers[1];
    const char *bytes = texts->buffers[2];
    size_t row = kept->row + (size_t)texts->offset;
    *length = (size_t)(offsets[row + 1] - offsets[row]);
    return bytes + offsets[row];
}
