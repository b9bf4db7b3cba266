#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "output/sink.h"

dp2dp_status cli_sink_begin_parquet(const cli_args *args, cli_sink *sink, dp2dp_error *error) {
    char path[PATH_MAX];
    if (sink->path == NULL || cli_format_of(cli_word(args, "out")) != CLI_FORMAT_PARQUET) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(dp2dp_table_to_parquet(NULL, NULL, 0, NULL, NULL, error));
    /* The temporary file is in the folder of the result, because a table may be too large for the
     * system's folder of temporary files. */
    size_t length = cli_place_folder(sink->path, path);
    snprintf(path, sizeof path, "%.*s.dp2dp-XXXXXX", (int)length, sink->path);
    int fd = mkstemp(path);
    if (fd < 0) {
        return cli_place_fail(error, "create", errno, sink->path);
    }
    (void)unlink(path);
    FILE *rows = fdopen(fd, "w+");
    if (rows == NULL) {
        close(fd);
        return cli_check_memory(rows, "the output", error);
    }
    sink->parquet = sink->stream;
    sink->stream = rows;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_sink_end_parquet(cli_sink *sink, const dp2dp_table_column *columns, size_t count,
                                  const char *types_from, dp2dp_error *error) {
    char rows[64];
    if (sink->parquet == NULL) {
        return DP2DP_STATUS_OK;
    }
    if (fflush(sink->stream) != 0 || ferror(sink->stream)) {
        return cli_sink_failure(sink, error);
    }
    snprintf(rows, sizeof rows, "/proc/self/fd/%d", fileno(sink->stream));
    CLI_TRY(dp2dp_table_to_parquet(rows, columns, count, types_from, sink->temporary, error));
    fclose(sink->stream);
    sink->stream = sink->parquet;
    sink->parquet = NULL;
    return fseeko(sink->stream, 0, SEEK_END) == 0 ? DP2DP_STATUS_OK : cli_sink_failure(sink, error);
}
