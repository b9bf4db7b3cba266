#include "phase2/decide_combined.h"

#include <string.h>

#include "base/limits.h"
#include "phase2/combine.h"
#include "phase2/kernel.h"
#include "phase2/view.h"

_Static_assert((int)DP2DPI_COMBINED_BLOCK <= (int)DP2DPI_COMBINE_BLOCK,
               "a block is combined whole");

enum {
    FLOATS = 16384,  /* number of floats for the scores and weights of a block */
    GROUPS_MAX = 256 /* a block is decided only if there are fewer groups than this */
};

static size_t groups_of(const dp2dpi_records *r) {
    return r->rule == DP2DP_RULE_WEIGHTED ? 1 : r->strata / r->labels;
}

static dp2dpi_combination combination_of(const dp2dpi_combined *c, size_t group) {
    const dp2dpi_records *r = &c->records;
    size_t row = r->rule == DP2DP_RULE_WEIGHTED ? 0 : group * r->labels;
    return (dp2dpi_combination) {.classes = r->classes,
                                 .parts = dp2dpi_records_parts(r),
                                 .offsets = c->offsets + row * r->classes};
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

static int are_sound(const dp2dpi_records *r, size_t first, size_t n) {
    if (r->row_sums == DP2DP_ROW_SUMS_CHECK && r->weights == NULL &&
        dp2dpi_view_is_plain(r->scores)) {
        size_t stride = (size_t)r->scores->row_stride / sizeof(float);
        return dp2dpi_kernel_sums((const float *)r->scores->data + first * stride, stride, n,
                                  r->classes, DP2DPI_VIEW_TOLERANCE_SINGLE);
    }
    int sound = 1;
    for (size_t row = first; row < first + n && sound; row++) {
        sound = dp2dpi_record_check(r, row) == DP2DPI_RECORD_SOUND;
    }
    return sound;
}

/* Sorts the rows of a block by group. Row i moves to place[i], and the rows of group g start at
 * begin[g]. */
static void sort(const int32_t *groups, size_t n, size_t count, uint32_t *begin, uint32_t *place) {
    uint32_t next[GROUPS_MAX + 1] = {0};
    for (size_t i = 0; i < n; i++) {
        next[groups[i]]++;
    }
    uint32_t sum = 0;
    for (size_t g = 0; g <= count; g++) {
        begin[g] = sum;
        sum += next[g];
        next[g] = begin[g];
    }
    begin[count + 1] = sum;
    for (size_t i = 0; i < n; i++) {
        place[i] = next[groups[i]]++;
    }
}

int dp2dpi_combined_block(const dp2dpi_combined *c, size_t first, size_t n, const int32_t *groups,
                          int32_t *decisions) {
    const dp2dpi_records *r = &c->records;
    size_t parts = dp2dpi_records_parts(r), count = groups_of(r);
    static const int32_t alike[DP2DPI_COMBINED_BLOCK];
    if (r->rule == DP2DP_RULE_WEIGHTED) {
        groups = alike;
    }
    if ((r->classes + parts) * n > FLOATS || count >= GROUPS_MAX || !are_sound(r, first, n)) {
        return 0;
    }
    float memory[FLOATS], *weights = memory + r->classes * n;
    uint32_t begin[GROUPS_MAX + 2], place[DP2DPI_COMBINED_BLOCK];
    int32_t which[DP2DPI_COMBINED_BLOCK];
    sort(groups, n, count, begin, place);
    for (size_t i = 0; i < n; i++) {
        dp2dpi_record_read(r, first + i, n, memory + place[i], weights + place[i]);
    }
    for (size_t g = 0; g <= count; g++) {
        dp2dpi_combination part = combination_of(c, g);
        part.stride = n;
        part.scores = memory + begin[g];
        part.weights = weights + begin[g];
        dp2dpi_combine(&part, begin[g + 1] - begin[g], which + begin[g]);
    }
    for (size_t i = 0; i < n; i++) {
        decisions[i] = which[place[i]];
    }
    return 1;
}
