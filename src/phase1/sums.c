#include "phase1/sums.h"

#include <math.h>
#include <string.h>

#include "base/options.h"

/* Returns 1 if the sum of `records` terms, each at most 2^grid_bits, is at most 2^62. Such a sum
 * fits into int64_t. */
static int has_room(size_t records, unsigned grid_bits) {
    return grid_bits <= 62 && records <= (size_t)1 << (62 - grid_bits);
}

static dp2dp_status answer(void *context, const dp2dp_gradient_question *given, int64_t *sum,
                           dp2dp_error *error) {
    dp2dpi_gradient *g = context;
    const dp2dpi_examples *e = g->examples;
    dp2dp_gradient_question q;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_GRADIENT_QUESTION, given, &q, error));
    if (dp2dp_term_name(q.term) == NULL || q.levels == NULL || q.features != e->width ||
        q.outputs != e->outputs || (q.weights == NULL && q.term != DP2DP_TERM_ROW)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the question does not fit the schema and the target: term = %d, "
                           "features = %zu (expected %zu), outputs = %zu (expected %zu)",
                           (int)q.term, q.features, e->width, q.outputs, e->outputs);
    }
    if (!has_room(e->rows->count, q.grid_bits)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "grid_bits = %u is too large for this number of rows, because a sum "
                           "over the rows might not fit into 64 bits",
                           q.grid_bits);
    }
    const dp2dpi_look look = {q.term, q.weights, q.levels, q.clip, (int)q.grid_bits};
    dp2dpi_gradient_sum(g, g->mask, &look);
    memcpy(sum, g->sum, dp2dpi_examples_cells(e) * sizeof *sum);
    return DP2DP_STATUS_OK;
}

dp2dp_gradient_source dp2dpi_sums_of(dp2dpi_gradient *g) {
    dp2dp_gradient_source source = DP2DP_GRADIENT_SOURCE_INIT;
    source.records = g->examples->records;
    source.leaves_out = 1;
    source.context = g;
    source.sum = answer;
    return source;
}

/* Returns 1 if each cell, and the norm of all cells, is at most `most`. The margin 2^-20 covers the
 * rounding error of the sum of squares, for any number of cells. */
static int is_within(const int64_t *sum, size_t cells, int64_t most) {
    double squares = 0.0;
    int within = 1;
    for (size_t c = 0; c < cells; c++) {
        within &= sum[c] >= -most && sum[c] <= most;
        squares += (double)sum[c] * (double)sum[c];
    }
    return within && squares <= (double)most * (double)most * (1.0 + 0x1p-20);
}

dp2dp_status dp2dpi_sums_ask(const dp2dp_gradient_source *source, const dp2dp_gradient_question *q,
                             int64_t *sum, const char *charged, dp2dp_error *error) {
    const int64_t most = (int64_t)(source->records << q->grid_bits);
    size_t cells = dp2dp_gradient_cells(q);
    dp2dp_error unseen = {0};
    for (size_t c = 0; c < cells; c++) {
        sum[c] = INT64_MIN; /* is_within() refuses this number, so a cell that the source leaves
                               unwritten is found */
    }
    if (source->sum(source->context, q, sum, &unseen) != DP2DP_STATUS_OK) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO, "the source failed; %s", charged);
    }
    return is_within(sum, cells, most) ? DP2DP_STATUS_OK
                                       : dp2dpi_fail(error, DP2DP_STATUS_DATA,
                                                     "the source's answer is wrong: its sum is "
                                                     "larger than its number of records allows; %s",
                                                     charged);
}

/* The cell of the bias shows how many rows were summed, so this function checks only that cell.
 * Each row adds at most 2^grid_bits/clip to the cell, and at least (1 − 2^-19) 2^grid_bits/clip
 * − 1. The fraction 2^-19 covers rounding and rows slightly longer than the norm bound
 * (DP2DPI_TRAIN_NORM_SLACK). The 1 covers truncation. */
dp2dp_status dp2dpi_sums_check_records(const dp2dp_gradient_source *source,
                                       const dp2dp_gradient_question *q, const int64_t *rows,
                                       const char *charged, dp2dp_error *error) {
    double each = ldexp(1.0, (int)q->grid_bits) / q->clip, records = (double)source->records;
    double bias = (double)rows[q->features * q->outputs];
    double least = source->leaves_out ? 0.0 : records * (each * (1.0 - 0x1p-19) - 1.0);
    return bias >= least && bias <= records * each
               ? DP2DP_STATUS_OK
               : dp2dpi_fail(error, DP2DP_STATUS_DATA,
                             "the source summed %s records than it says it has; %s",
                             bias < least ? "fewer" : "more", charged);
}
