#include "base/source.h"

#include "base/limits.h"
#include "base/options.h"

dp2dp_status dp2dpi_sizes_check(size_t strata, size_t classes, dp2dp_error *error) {
    if (strata < 2 || strata > DP2DPI_CODES_MAX || classes < 2 || classes > DP2DPI_CODES_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "%zu groups and %zu classes: there must be from 2 to %d of each", strata,
                           classes, (int)DP2DPI_CODES_MAX);
    }
    return DP2DP_STATUS_OK;
}

/* Checks how the source decides and counts. */
static dp2dp_status check_kind(const dp2dp_source *s, dp2dp_error *error) {
    int weighted = s->rule == DP2DP_RULE_WEIGHTED, soft = s->counted == DP2DP_COUNTED_SCORES;
    if (dp2dp_rule_name(s->rule) == NULL || dp2dp_counted_name(s->counted) == NULL ||
        dp2dp_dither_key_name(s->dither_key) == NULL ||
        (s->labels > 1 && (s->labels != s->classes || s->strata % s->labels != 0)) ||
        (!weighted && (s->rule == DP2DP_RULE_LINEAR) != (s->labels > 1)) ||
        (weighted ? s->weight_columns != s->strata && s->weight_columns != s->strata / s->labels
                  : s->weight_columns != 0) ||
        s->strata / s->labels < 2) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: rule, labels, counted, dither_key and weight_columns do not "
                           "fit together");
    }
    if (s->unit_bits > (soft ? 24U : 0U) || s->records >> (62 - s->unit_bits) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: unit_bits = %u must be from 0 to 24, and 0 if labels are "
                           "counted",
                           s->unit_bits);
    }
    return DP2DP_STATUS_OK;
}

static const dp2dpi_counter *functions_of(const void *context) {
    return *(const dp2dpi_counter *const *)context;
}

dp2dp_status dp2dpi_counter_count(void *context, const float *offsets, int64_t *table,
                                  dp2dp_error *error) {
    return functions_of(context)->count(context, offsets, table, error);
}

dp2dp_status dp2dpi_source_read(const dp2dp_source *given, dp2dp_source *source,
                                dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_SOURCE, given, source, error));
    if (source->records < 2 || source->records > DP2DPI_RECORDS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "records = %llu: there must be from 2 to 2^48",
                           (unsigned long long)source->records);
    }
    DP2DPI_TRY(dp2dpi_sizes_check(source->strata, source->classes, error));
    if (!(source->dither.width >= 0.0 && source->dither.width <= 1.0) ||
        (source->row_sums != DP2DP_ROW_SUMS_CHECK &&
         source->row_sums != DP2DP_ROW_SUMS_NORMALIZE)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "source: row_sums must be set, and the width of dither must be from 0 to 1");
    }
    if (source->grid_bits > DP2DPI_GRID_BITS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "grid_bits = %u: it must be from 0 to %d",
                           source->grid_bits, (int)DP2DPI_GRID_BITS_MAX);
    }
    if (source->leaves_out != 0 && source->leaves_out != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "source: leaves_out must be 0 or 1");
    }
    source->labels = source->labels > 1 ? source->labels : 1;
    DP2DPI_TRY(check_kind(source, error));
    return source->count == dp2dpi_counter_count
               ? functions_of(source->context)->check(source, error)
               : DP2DP_STATUS_OK;
}

size_t dp2dpi_source_cells(const dp2dp_source *source) {
    return source->strata * source->classes + (size_t)source->leaves_out;
}

dp2dp_status dp2dpi_source_check_count(const dp2dp_source *source, dp2dp_error *error) {
    return source->count ? DP2DP_STATUS_OK
                         : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "source: count must be set");
}
