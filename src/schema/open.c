#include <string.h>

#include "base/alloc.h"
#include "base/options.h"
#include "schema/schema.h"

static dp2dp_status join_markers(const dp2dp_schema_info *info, dp2dp_table_options *options,
                                 const char ***out, dp2dp_error *error) {
    size_t count = info->marker_count + options->missing_count;
    DP2DPI_TRY(DP2DPI_ALLOC(*out, count, "missing markers", error));
    for (size_t i = 0; i < count; i++) {
        (*out)[i] =
            i < info->marker_count ? info->markers[i] : options->missing[i - info->marker_count];
    }
    options->missing = *out;
    options->missing_count = count;
    return DP2DP_STATUS_OK;
}

static dp2dp_status open_table(const dp2dp_schema_info *info, unsigned parts, const char *path,
                               const dp2dp_table_options *given, struct ArrowArrayStream *out,
                               dp2dpi_schema_counts *counts, dp2dp_error *error) {
    dp2dp_table_options options = DP2DP_TABLE_OPTIONS_INIT;
    dp2dp_table_column *wanted = NULL;
    size_t *places = NULL;
    const char **markers = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (given) {
        DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_TABLE_OPTIONS, given, &options, error));
    }
    if (options.missing_count > 0 && options.missing == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "missing must not be NULL, because missing_count is above 0");
    }
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(wanted, info->column_count, "columns", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(places, info->column_count, "columns", error));
    DP2DPI_TRY_OR_DONE(join_markers(info, &options, &markers, error));
    options.columns = wanted;
    options.bad_rows =
        parts & DP2DP_PART_IGNORE_BAD ? DP2DP_BAD_ROWS_IGNORE : DP2DP_BAD_ROWS_REFUSE;
    options.column_count = dp2dpi_schema_choose(info, parts, wanted, places);
    *counts = (dp2dpi_schema_counts) {options.outside, options.spreads};
    status = dp2dp_table_open(path, &options, out, error);
done:
    dp2dpi_free(wanted);
    dp2dpi_free(places);
    dp2dpi_free(markers);
    return status;
}

dp2dp_status dp2dp_schema_open(const dp2dp_schema *schema, unsigned parts, const char *path,
                               const dp2dp_table_options *options, struct ArrowArrayStream *out,
                               dp2dp_error *error) {
    struct ArrowArrayStream table = {.release = NULL};
    dp2dpi_schema_counts counts = {0};
    if (schema == NULL || out == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "schema and out must not be NULL");
    }
    memset(out, 0, sizeof *out);
    DP2DPI_TRY(dp2dpi_schema_check_parts(&schema->info, parts, error));
    DP2DPI_TRY(open_table(&schema->info, parts, path, options, &table, &counts, error));
    return dp2dpi_schema_encode(schema, parts, &table, path, &counts, out, error);
}
