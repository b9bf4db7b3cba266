#include "base/source.h"

#include <inttypes.h>

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

/* Checks the fields that say how the source decides and counts. */
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
                           "fit together (dp2dp/pool.h explains these fields)");
    }
    if (s->unit_bits > (soft ? 24U : 0U)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "source: unit_bits = %u: it must be from 0 to 24, and 0 if counted is LABELS",
            s->unit_bits);
    }
    if (s->records >> (62 - s->unit_bits) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: %" PRIu64 " records are too many for unit_bits = %u: records "
                           "times 2^unit_bits must be below 2^62",
                           s->records, s->unit_bits);
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
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "source: row_sums must be check or normalize, and the width of the "
                           "dither must be from 0 to 1");
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
                         : dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                                       "source: count must be a callback, not NULL");
}

/* Returns the sum of n counts; -1 if a count is negative, most + 1 if the sum is above `most`.
 * `most` must be below INT64_MAX. */
static int64_t add_up(const int64_t *counts, size_t n, int64_t most) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (counts[i] < 0) {
            return -1;
        }
        sum = counts[i] <= most - sum ? sum + counts[i] : most + 1;
    }
    return sum;
}

static const char *broken_rule(const dp2dp_source *source, const int64_t *table) {
    int64_t most = (int64_t)(source->records << source->unit_bits);
    int64_t sum = add_up(table, dp2dpi_source_cells(source), most);
    if (sum < 0) {
        return "the table has a negative count";
    }
    if (sum > most) {
        return "the counts in the table sum to more than the number of records";
    }
    return sum < most && source->counted == DP2DP_COUNTED_LABELS
               ? "the counts in the table sum to less than the number of records"
               : NULL;
}

static dp2dp_status refuse(const char *rule, const char *charged, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_DATA, "source: %s; %s", rule, charged);
}

dp2dp_status dp2dpi_source_ask(const dp2dp_source *source, const float *offsets, int64_t *table,
                               const char *charged, dp2dp_error *error) {
    dp2dp_error unseen = {0};
    int ours = source->count == dp2dpi_counter_count;
    for (size_t i = 0; i < dp2dpi_source_cells(source); i++) {
        table[i] = -1; /* a cell that the source leaves unwritten is refused as negative */
    }
    dp2dp_status status = source->count(source->context, offsets, table, ours ? error : &unseen);
    if (status != DP2DP_STATUS_OK) {
        return ours ? status
                    : dp2dpi_fail(error, DP2DP_STATUS_IO, "the source failed; %s", charged);
    }
    const char *rule = broken_rule(source, table);
    return rule ? refuse(rule, charged, error) : DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_source_compare(const dp2dp_source *source, const int64_t *first,
                                   const int64_t *table, const char *charged, dp2dp_error *error) {
    size_t classes = source->classes, cells = source->strata * classes;
    for (size_t e = 0; e < source->strata; e++) {
        if (add_up(first + e * classes, classes, INT64_MAX - 1) !=
            add_up(table + e * classes, classes, INT64_MAX - 1)) {
            return refuse("each row of the table must have the same sum as in the first table",
                          charged, error);
        }
    }
    return source->leaves_out && first[cells] != table[cells]
               ? refuse("each table must leave out as many records as the first table does",
                        charged, error)
               : DP2DP_STATUS_OK;
}
