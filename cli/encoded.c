#include "encoded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"

static int is_wanted(const dp2dp_schema_column *column, unsigned parts) {
    return (column->role == DP2DP_ROLE_FEATURE && (parts & DP2DP_PART_FEATURES)) ||
           (column->role == DP2DP_ROLE_LABEL && (parts & DP2DP_PART_LABEL)) ||
           (column->role == DP2DP_ROLE_SENSITIVE && (parts & DP2DP_PART_GROUP));
}

dp2dp_status cli_encoded_open(const dp2dp_schema *schema, unsigned parts, const char *path,
                              struct ArrowArrayStream *out, dp2dp_error *error) {
    const dp2dp_schema_info *info = dp2dp_schema_view(schema);
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = calloc(info->column_count, sizeof *wanted);
    struct ArrowArrayStream rows;
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
    dp2dp_status status = dp2dp_table_open(path, &options, &rows, error);
    free(wanted);
    return status == DP2DP_STATUS_OK ? dp2dp_schema_encode(schema, parts, &rows, path, out, error)
                                     : status;
}

dp2dp_status cli_stream_next(struct ArrowArrayStream *stream, struct ArrowArray *out,
                             dp2dp_error *error) {
    *out = (struct ArrowArray) {.release = NULL};
    int number = stream->get_next(stream, out);
    if (number == 0) {
        return DP2DP_STATUS_OK;
    }
    const char *message = stream->get_last_error(stream);
    dp2dp_status status = number == ENOMEM      ? DP2DP_STATUS_MEMORY
                          : number == EIO       ? DP2DP_STATUS_IO
                          : number == ECANCELED ? DP2DP_STATUS_CANCELLED
                                                : DP2DP_STATUS_DATA;
    return cli_fail(error, status, "%s", message ? message : strerror(number));
}
