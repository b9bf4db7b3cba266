#include "decide/record.h"

#include <inttypes.h>
#include <math.h>

#include "decide/kernel.h"
#include "decide/model.h"
#include "decide/view.h"

size_t dp2dpi_records_parts(const dp2dpi_records *r) {
    switch (r->rule) {
    case DP2DP_RULE_LINEAR:
        return r->labels;
    case DP2DP_RULE_WEIGHTED:
        return r->strata;
    case DP2DP_RULE_OFFSET:
    default:
        return 0;
    }
}

static dp2dp_status check_weights(const dp2dpi_records *r, dp2dp_error *error) {
    int wanted = r->rule == DP2DP_RULE_WEIGHTED;
    if (wanted != (r->weights != NULL)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           wanted ? "weights must be given, because the rule does not see the group"
                                  : "weights must not be given, because the rule sees the group");
    }
    if (!wanted) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(dp2dpi_view_check_scores(r->weights, error));
    size_t columns = r->weights->columns, groups = r->strata / r->labels;
    if (r->weights->rows != r->scores->rows || (columns != r->strata && columns != groups)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "weights have %zu rows and %zu columns. The scores have %zu rows, so the "
            "weights must have as many. The number of columns must be %zu (one for "
            "each group) or %zu (one for each pair of group and label)",
            r->weights->rows, columns, r->scores->rows, groups, r->strata);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_records_check(const dp2dpi_records *r, dp2dp_error *error) {
    if (dp2dp_dither_key_name(r->dither_key) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "dither_key = %d: not a known key",
                           (int)r->dither_key);
    }
    int by_id = r->dither_key == DP2DP_DITHER_KEY_ID && r->dither.width > 0.0;
    if (by_id != (r->ids != NULL)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT, "%s",
            by_id ? "ids must be given, because the rule has a dither with the key 'id'"
                  : "ids must not be given, because the rule has no dither with the key 'id'");
    }
    return check_weights(r, error);
}

static double mended(double weight) {
    return weight > 0.0 ? weight : 0.0;
}

static double mended_sum(const dp2dpi_records *r, size_t row) {
    double sum = 0.0;
    for (size_t j = 0; j < r->weights->columns; j++) {
        sum += mended(dp2dpi_view_score(r->weights, row, j));
    }
    return sum;
}

/* Returns 1 if the weights of a row must be mended (see mend_weights in dp2dpi_records). */
static int is_mended(const dp2dpi_records *r, size_t row) {
    double sum;
    size_t ignored;
    return r->mend_weights &&
           dp2dpi_view_row(r->weights, row, r->row_sums, &sum, &ignored) != DP2DPI_ROW_SOUND;
}

static int are_weights_sound(const dp2dpi_records *r, size_t row) {
    double sum;
    size_t ignored;
    if (is_mended(r, row)) {
        sum = mended_sum(r, row);
        return sum > 0.0 && isfinite(sum);
    }
    return dp2dpi_view_row(r->weights, row, r->row_sums, &sum, &ignored) == DP2DPI_ROW_SOUND;
}

/* Returns 1 if the sum of a row is close enough to 1. The tolerance has an extra part for scores
 * that the caller has already rounded to the grid, because they may sum to slightly more or less
 * than 1. */
static int was_rounded(const dp2dpi_records *r, double sum) {
    double tolerance = dp2dpi_view_tolerance(r->scores);
    return r->row_sums == DP2DP_ROW_SUMS_CHECK &&
           fabs(sum - 1.0) <= tolerance + dp2dpi_grid_tolerance(r->classes, r->grid_bits);
}

dp2dpi_record_fault dp2dpi_record_check(const dp2dpi_records *r, size_t row) {
    double sum;
    size_t ignored;
    dp2dpi_row_fault fault = dp2dpi_view_row(r->scores, row, r->row_sums, &sum, &ignored);
    if (fault == DP2DPI_ROW_VALUE || (fault == DP2DPI_ROW_SUM && !was_rounded(r, sum))) {
        return DP2DPI_RECORD_SCORES;
    }
    return r->weights == NULL || are_weights_sound(r, row) ? DP2DPI_RECORD_SOUND
                                                           : DP2DPI_RECORD_WEIGHTS;
}

dp2dp_status dp2dpi_record_refuse(const dp2dpi_records *r, size_t row, dp2dpi_record_fault fault,
                                  dp2dp_error *error) {
    uint64_t number = r->first_row + row + 1;
    return dp2dpi_view_refuse(fault == DP2DPI_RECORD_WEIGHTS ? r->weights : r->scores, row, number,
                              r->row_sums, error);
}

/* Returns the number by which a row is divided: the sum of the row if rows are normalised,
 * otherwise 1. */
static double divisor(const dp2dpi_records *r, const dp2dp_matrix *table, size_t row) {
    double sum = 1.0;
    size_t ignored;
    if (r->row_sums == DP2DP_ROW_SUMS_NORMALIZE) {
        (void)dp2dpi_view_row(table, row, DP2DP_ROW_SUMS_NORMALIZE, &sum, &ignored);
    }
    return sum;
}

static void read_weights(const dp2dpi_records *r, size_t row, size_t apart, const float *scores,
                         float *weights) {
    if (r->rule == DP2DP_RULE_LINEAR) {
        for (size_t y = 0; y < r->labels; y++) {
            weights[y * apart] = scores[y * apart];
        }
        return;
    }
    double sum = is_mended(r, row) ? mended_sum(r, row) : divisor(r, r->weights, row);
    if (r->weights->columns == r->strata) {
        for (size_t e = 0; e < r->strata; e++) {
            weights[e * apart] = (float)(mended(dp2dpi_view_score(r->weights, row, e)) / sum);
        }
        return;
    }
    for (size_t g = 0; g < r->weights->columns; g++) {
        float group = (float)(mended(dp2dpi_view_score(r->weights, row, g)) / sum);
        for (size_t y = 0; y < r->labels; y++) {
            weights[(g * r->labels + y) * apart] = group * scores[y * apart];
        }
    }
}

/* Returns the key of a row's dither. Scores are rounded to 2^-14, so that a slightly different
 * computation of the same scores gives the same dither. */
static uint64_t key_of(const dp2dpi_records *r, size_t row, size_t apart, const float *scores) {
    switch (r->dither_key) {
    case DP2DP_DITHER_KEY_SCORES:
        return dp2dpi_dither_key_of_scores(scores, apart, r->classes);
    case DP2DP_DITHER_KEY_ID:
        return r->ids[row];
    case DP2DP_DITHER_KEY_ROW:
    default:
        return r->first_row + row;
    }
}

void dp2dpi_record_read(const dp2dpi_records *r, size_t row, size_t apart, float *scores,
                        float *weights) {
    double sum = divisor(r, r->scores, row);
    for (size_t k = 0; k < r->classes; k++) {
        scores[k * apart] = (float)(dp2dpi_view_score(r->scores, row, k) / sum);
    }
    for (size_t k = 0; k < r->classes && r->grid_bits > 0; k++) {
        (void)dp2dpi_kernel_round(&scores[k * apart], 1, r->grid_bits, &scores[k * apart]);
    }
    if (weights && r->rule != DP2DP_RULE_OFFSET) {
        read_weights(r, row, apart, scores, weights);
    }
    if (r->dither.width > 0.0) {
        uint64_t key = key_of(r, row, apart, scores);
        for (size_t k = 0; k < r->classes; k++) {
            scores[k * apart] += dp2dpi_dither_draw(&r->dither, key, k);
        }
    }
}
