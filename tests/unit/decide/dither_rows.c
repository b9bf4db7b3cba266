/* The kernels of the rule `linear` with dither, each by itself. */
#include "decide/dither_rows.h"
#include "decide/dither_kernels.h"
#include "decide/group_lookup.h"
#include "decide/model.h"
#include "decide/sixteen_rows.h"

#include "unit/phase2/data.h"

enum {
    ROWS = 256,
    GROUPS = 3,
    CLASSES_MAX = 8
};

typedef struct rule {
    size_t classes;
    float offsets[GROUPS * CLASSES_MAX * CLASSES_MAX];
    DP2DPI_TABLE float tables[DP2DPI_COLUMNS_TABLES];
    float width;
} rule;

/* Returns 0 if this processor has no such look-up. */
static int rule_new(size_t classes, float width, uint64_t *seed, rule *out) {
    *out = (rule) {.classes = classes, .width = width};
    for (size_t c = 0; c < GROUPS * classes * classes; c++) {
        out->offsets[c] = (float)(draw(seed) % 9) / 64 - 0.0625F;
    }
    return dp2dpi_group_lookup_tabulate(out->offsets, GROUPS, classes, classes * classes,
                                        out->tables);
}

static float shift_of(const rule *r, const float *row, int32_t group, size_t k) {
    const float *offsets = r->offsets + (size_t)group * r->classes * r->classes;
    volatile float sum = 0;
    for (size_t j = 0; j < r->classes; j++) {
        volatile float product = row[j] * offsets[j * r->classes + k];
        sum += product;
    }
    return sum;
}

/* The value of class k if u is added to its score. */
static float value_of(const rule *r, const float *row, int32_t group, size_t k, float u) {
    volatile float raised = row[k] + u;
    return raised - shift_of(r, row, group, k);
}

/* The decision without dither. */
static int32_t plain_decision(const rule *r, const float *row, int32_t group) {
    size_t best = 0;
    for (size_t k = 1; k < r->classes; k++) {
        best = value_of(r, row, group, k, 0) > value_of(r, row, group, best, 0) ? k : best;
    }
    return (int32_t)best;
}

/* Makes rows whose two best classes are about `width` apart, often to the last bit. */
static void draw_rows(const rule *r, uint64_t *seed, float *rows, int32_t *groups) {
    for (size_t i = 0; i < ROWS; i++) {
        float *row = rows + i * r->classes;
        double numbers[CLASSES_MAX];
        groups[i] = (int32_t)(draw(seed) % GROUPS);
        draw_row(seed, r->classes, i % 2 ? 16 : 0, numbers);
        for (size_t k = 0; k < r->classes; k++) {
            row[k] = (float)numbers[k];
        }
        size_t best = (size_t)plain_decision(r, row, groups[i]), other = (best + 1) % r->classes;
        float gap = value_of(r, row, groups[i], best, 0) - value_of(r, row, groups[i], other, 0);
        float moved = (gap - r->width) / 2;
        if (row[best] >= moved && row[other] >= -moved) {
            row[best] -= moved;
            row[other] += moved;
            row[best] = i % 3 ? row[best] : nextafterf(row[best], i % 6 ? 0.0F : 1.0F);
        }
    }
}

/* The class with the largest score plus dither minus shift. */
static int32_t decide_one(const rule *r, const dp2dp_dither *dither, uint64_t key, const float *row,
                          int32_t group) {
    float best = -INFINITY;
    int32_t winner = 0;
    for (size_t k = 0; k < r->classes; k++) {
        float value = value_of(r, row, group, k, dp2dpi_dither_draw(dither, key, k));
        winner = value > best ? (int32_t)k : winner;
        best = value > best ? value : best;
    }
    return winner;
}

/* What a kernel is asked, and what it must answer. */
typedef struct question {
    dp2dpi_dither_rows rows;
    const int32_t *groups;
    int32_t expected[ROWS];
} question;

static void answers_as_defined(dp2dpi_dither_kernel kernel, const question *q) {
    int32_t which[ROWS];
    assert_int_equal(kernel(&q->rows, ROWS, q->groups, which), 0);
    assert_memory_equal(which, q->expected, sizeof which);
}

/* Every kernel that this processor has gives the decisions of the definition. */
static void decides_as_defined(const rule *r, const float *rows, const int32_t *groups,
                               dp2dp_dither_key key, uint64_t *seed) {
    const dp2dpi_plain_rows plain = {rows, r->classes, ROWS + CLASSES_MAX};
    const dp2dp_dither dither = {(double)r->width, draw(seed)};
    uint64_t ids[ROWS];
    question q = {.rows = {.rows = &plain,
                           .classes = r->classes,
                           .tables = r->tables,
                           .dither = &dither,
                           .key = key,
                           .ids = ids,
                           .position = draw(seed)},
                  .groups = groups};
    for (size_t i = 0; i < ROWS; i++) {
        const float *row = rows + i * r->classes;
        ids[i] = draw(seed);
        uint64_t own = key == DP2DP_DITHER_KEY_ID ? ids[i]
                       : key == DP2DP_DITHER_KEY_ROW
                           ? q.rows.position + i
                           : dp2dpi_dither_key_of_scores(row, 1, r->classes);
        q.expected[i] = decide_one(r, &dither, own, row, groups[i]);
    }
    answers_as_defined(dp2dpi_dither_avx2[r->classes - DP2DPI_DITHER_CLASSES_MIN], &q);
    if (dp2dpi_has_avx512()) {
        answers_as_defined(dp2dpi_dither_avx512[r->classes - DP2DPI_DITHER_CLASSES_MIN], &q);
    }
}

TEST(kernels_decide_with_dither_as_defined) {
    static float rows[(ROWS + CLASSES_MAX) * CLASSES_MAX];
    const float widths[] = {0.15F, 0.125F, 1.0F, 0x1p-20F};
    int32_t groups[ROWS];
    uint64_t seed = 8;
    for (size_t classes = 2; classes <= CLASSES_MAX; classes++) {
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            rule r;
            if (!rule_new(classes, widths[w], &seed, &r)) {
                skip();
            }
            draw_rows(&r, &seed, rows, groups);
            decides_as_defined(&r, rows, groups, DP2DP_DITHER_KEY_SCORES, &seed);
            decides_as_defined(&r, rows, groups, DP2DP_DITHER_KEY_ID, &seed);
            decides_as_defined(&r, rows, groups, DP2DP_DITHER_KEY_ROW, &seed);
        }
    }
}
