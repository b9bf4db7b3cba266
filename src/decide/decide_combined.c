#include "decide/decide_combined.h"

#include <string.h>

#include "base/limits.h"
#include "decide/combine.h"
#include "decide/dither_rows.h"
#include "decide/group_weights.h"
#include "decide/model.h"
#include "decide/view.h"

enum {
    FLOATS = 16384, /* number of floats for the scores and weights of a block */
    CACHED = 4096,  /* floats that fit into the first-level cache beside the caller's rows */
    FEW = 32,       /* a block that needs more than CACHED floats has at most this many rows */
    LEAST = 8,      /* smallest number of rows in a block */
    BLOCK = DP2DPI_COMBINE_BLOCK,
    PADDING = 16 /* space between columns, so that they use different lines of the cache */
};

static dp2dpi_combination combination_of(const dp2dpi_combined *c, size_t group) {
    const dp2dpi_records *r = &c->records;
    size_t row = r->rule == DP2DP_RULE_WEIGHTED ? 0 : group * r->labels;
    return (dp2dpi_combination) {.classes = r->classes,
                                 .parts = dp2dpi_records_parts(r),
                                 .offsets = c->offsets + row * r->classes};
}

void dp2dpi_combined_prepare(dp2dpi_combined *c) {
    const dp2dpi_records *r = &c->records;
    if (r->rule == DP2DP_RULE_LINEAR && r->labels == r->classes) {
        size_t groups = r->strata / r->labels + 1;
        c->tabulated = dp2dpi_group_lookup_tabulate(c->offsets, groups, r->classes,
                                                    r->classes * r->classes, c->tables);
    } else if (r->rule == DP2DP_RULE_OFFSET) {
        c->tabulated = dp2dpi_group_lookup_tabulate(c->offsets, r->strata + 1, r->classes,
                                                    r->classes, c->tables);
    } else if (r->weights && r->weights->columns == r->strata) {
        c->tabulated = dp2dpi_columns_lay_out(c->offsets, r->strata, r->classes, c->tables);
    }
}

int32_t dp2dpi_combined_one(const dp2dpi_combined *c, size_t row, size_t group, float *adjusted) {
    float scores[DP2DPI_CODES_MAX], weights[DP2DPI_CODES_MAX], values[DP2DPI_CODES_MAX];
    dp2dpi_combination one = combination_of(c, group);
    dp2dpi_record_read(&c->records, row, 1, scores, weights);
    if (c->records.rule == DP2DP_RULE_OFFSET) {
        one.parts = 1;
        weights[0] = 1.0F;
    }
    one.scores = scores;
    one.weights = weights;
    dp2dpi_combine_one(&one, values);
    size_t winner = 0;
    for (size_t k = 1; k < one.classes; k++) {
        winner = values[k] > values[winner] ? k : winner;
    }
    if (adjusted) {
        memcpy(adjusted, values, one.classes * sizeof *values);
    }
    return (int32_t)winner;
}

/* The rows that are decided together. Every array of columns stores the value of row i and column k
 * at index k × apart + i. */
typedef struct block {
    size_t first, n, apart;
    float *scores;   /* one column per class */
    float *dithered; /* the scores plus the dither (public random numbers); without dither, the same
                        array as `scores` */
    float *parts;    /* the weights, or the sums that the rule subtracts */
    float *room;     /* holds a copy of the caller's rows if they cannot be read in place */
} block;

/* Copies n rows that the kernels cannot read in place. Returns 0 if a row is invalid. */
static int copy_rows(const dp2dp_matrix *m, size_t first, size_t n, dp2dp_row_sums row_sums,
                     float *out) {
    for (size_t i = 0; i < n; i++) {
        double sum;
        size_t ignored;
        if (dp2dpi_view_row(m, first + i, row_sums, &sum, &ignored) != DP2DPI_ROW_SOUND) {
            return 0;
        }
        double divisor = row_sums == DP2DP_ROW_SUMS_NORMALIZE ? sum : 1.0;
        for (size_t k = 0; k < m->columns; k++) {
            out[i * m->columns + k] = (float)(dp2dpi_view_score(m, first + i, k) / divisor);
        }
    }
    return 1;
}

static int is_in_place(const dp2dp_matrix *m, dp2dp_row_sums row_sums) {
    return row_sums == DP2DP_ROW_SUMS_CHECK && dp2dpi_view_is_plain(m);
}

/* Returns the block's rows of a table that is read in place. */
static dp2dpi_plain_rows rows_of(const block *b, const dp2dp_matrix *m) {
    size_t stride = (size_t)m->row_stride / sizeof(float);
    return (dp2dpi_plain_rows) {(const float *)m->data + b->first * stride, stride,
                                m->rows - b->first};
}

/* Copies the block's rows of a table to columns. Sets *rows to the rows in the table or, if these
 * cannot be read in place, to a copy in `room`. Returns 0 if a row may be invalid. */
static int fill(const block *b, const dp2dp_matrix *m, dp2dp_row_sums row_sums, float *room,
                float *columns, dp2dpi_plain_rows *rows) {
    int in_place = is_in_place(m, row_sums);
    *rows = in_place ? rows_of(b, m) : (dp2dpi_plain_rows) {room, m->columns, b->n};
    if (!in_place && !copy_rows(m, b->first, b->n, row_sums, room)) {
        return 0;
    }
    dp2dpi_columns_fill(rows, b->n, m->columns, b->apart, columns);
    return !in_place || dp2dpi_columns_sum_to_one(columns, b->apart, b->n, m->columns);
}

/* Fills the columns of weights: one for each pair of group and label, or one for each group.
 * Returns 0 if a row may be invalid. */
static int fill_weights(const dp2dpi_records *r, const block *b) {
    dp2dpi_plain_rows rows;
    return fill(b, r->weights, r->row_sums, b->room, b->parts, &rows);
}

/* Returns the key that selects a row's dither: the id or the position of the row. r->dither_key
 * must not be DP2DP_DITHER_KEY_SCORES. */
static uint64_t key_of(const dp2dpi_records *r, size_t row) {
    return r->dither_key == DP2DP_DITHER_KEY_ID ? r->ids[row] : r->first_row + row;
}

static void dither(const dp2dpi_records *r, const block *b) {
    uint64_t keys[BLOCK];
    if (r->dither_key == DP2DP_DITHER_KEY_SCORES) {
        dp2dpi_dither_keys_of_scores(b->scores, b->apart, r->classes, b->n, keys);
    } else {
        for (size_t i = 0; i < b->n; i++) {
            keys[i] = key_of(r, b->first + i);
        }
    }
    dp2dpi_dither_add(&r->dither, keys, b->n, b->apart, r->classes, b->scores, b->dithered);
}

/* Decides by the rule `weighted`. Returns 0 if a row of weights may be invalid. */
static int decide_weighted(const dp2dpi_combined *c, const block *b, int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    if (c->tabulated && is_in_place(r->weights, r->row_sums)) {
        dp2dpi_plain_rows rows = rows_of(b, r->weights);
        if (dp2dpi_columns_weigh(&rows, b->n, r->strata, r->classes, c->tables, b->apart,
                                 b->parts)) {
            dp2dpi_combine_shifted(b->dithered, b->parts, b->apart, b->n, r->classes, decisions);
            return 1;
        }
    }
    int sound = fill_weights(r, b);
    dp2dpi_combination whole = combination_of(c, 0);
    whole.stride = b->apart;
    whole.scores = b->dithered;
    whole.weights = b->parts;
    if (r->weights->columns < r->strata) {
        whole.factors = b->scores;
        whole.labels = r->labels;
    }
    dp2dpi_combine(&whole, b->n, decisions);
    return sound;
}

/* Decides for the rows of a block. Returns 0 if a row may be invalid. */
static int decide(const dp2dpi_combined *c, const block *b, const int32_t *groups,
                  int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    dp2dpi_plain_rows rows;
    if (!fill(b, r->scores, r->row_sums, b->room, b->scores, &rows)) {
        return 0;
    }
    if (b->dithered != b->scores) {
        dither(r, b);
    }
    if (r->rule == DP2DP_RULE_WEIGHTED) {
        return decide_weighted(c, b, decisions);
    }
    dp2dpi_columns_shift(&rows, b->n, r->classes, c->offsets, groups, b->apart, b->parts);
    dp2dpi_combine_shifted(b->dithered, b->parts, b->apart, b->n, r->classes, decisions);
    return 1;
}

/* Decides by the rule `linear` with dither, for as many of the first rows of a block as the kernel
 * can process. Returns the number of rows decided. */
static size_t decide_dithered(const dp2dpi_combined *c, const block *b,
                              const dp2dpi_plain_rows *rows, const int32_t *groups,
                              int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    dp2dpi_dither_rows d = {.rows = rows,
                            .classes = r->classes,
                            .tables = c->tables,
                            .dither = &r->dither,
                            .key = r->dither_key,
                            .ids = r->ids ? r->ids + b->first : NULL,
                            .position = r->first_row + b->first};
    return dp2dpi_dither_rows_decide(&d, b->n, groups, decisions);
}

/* Decides by the rule `weighted` with one weight per group, for as many of the first rows of a
 * block as the kernel can process. Returns the number of rows decided. This number is 0 if the
 * kernel cannot be used or a row may be invalid. */
static size_t decide_by_group(const dp2dpi_combined *c, const block *b,
                              const dp2dpi_plain_rows *scores, int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    size_t groups = r->weights->columns;
    if (r->dither.width > 0.0 || groups == r->strata || r->labels != r->classes ||
        !is_in_place(r->weights, r->row_sums) || !dp2dpi_group_weights_can(r->classes, groups)) {
        return 0;
    }
    dp2dpi_plain_rows weights = rows_of(b, r->weights);
    return dp2dpi_group_weights_decide(scores, &weights, b->n, r->classes, groups, c->offsets,
                                       decisions);
}

/* Decides for as many of the first rows of a block as a kernel can process, without copying the
 * rows to columns. Returns the number of rows decided. */
static size_t decide_in_place(const dp2dpi_combined *c, const block *b, const int32_t *groups,
                              int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    if (!is_in_place(r->scores, r->row_sums)) {
        return 0;
    }
    dp2dpi_plain_rows rows = rows_of(b, r->scores);
    if (r->rule == DP2DP_RULE_WEIGHTED) {
        return decide_by_group(c, b, &rows, decisions);
    }
    if (!c->tabulated) {
        return 0;
    }
    if (r->dither.width > 0.0) {
        return decide_dithered(c, b, &rows, groups, decisions);
    }
    return dp2dpi_group_lookup_linear(&rows, b->n, r->classes, c->tables, groups, decisions);
}

/* Returns how many floats `room` must hold for each row. Returns 0 if all rows can be read in
 * place. */
static size_t columns_of_room(const dp2dpi_records *r) {
    size_t scores = is_in_place(r->scores, r->row_sums) ? 0 : r->classes, weights = 0;
    if (r->weights) {
        weights = is_in_place(r->weights, r->row_sums) ? 0 : r->weights->columns;
    }
    return weights > scores ? weights : scores;
}

int dp2dpi_combined_block(const dp2dpi_combined *c, size_t first, size_t n, const int32_t *groups,
                          int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    float memory[FLOATS];
    size_t scores = r->dither.width > 0.0 ? 2 * r->classes : r->classes;
    size_t parts =
        r->weights && r->weights->columns > r->classes ? r->weights->columns : r->classes;
    size_t columns = scores + parts + columns_of_room(r);
    size_t rows = BLOCK;
    while (rows > LEAST && columns * (rows + PADDING) > (rows > FEW ? CACHED : FLOATS)) {
        rows /= 2;
    }
    int has_parts = r->weights || (r->rule != DP2DP_RULE_WEIGHTED && r->labels == r->classes);
    int sound = columns * (rows + PADDING) <= FLOATS && has_parts;
    size_t done =
        sound ? decide_in_place(c, &(block) {.first = first, .n = n}, groups, decisions) : 0;
    for (size_t i = done; i < n && sound; i += rows) {
        block b = {.first = first + i,
                   .n = n - i < rows ? n - i : rows,
                   .apart = rows + PADDING,
                   .scores = memory};
        b.parts = b.scores + scores * b.apart;
        b.dithered = b.parts - r->classes * b.apart;
        b.room = b.parts + parts * b.apart;
        sound = decide(c, &b, groups + i, decisions + i);
    }
    return sound;
}
