/* Which rows are decided before the dither is known, and which are left to it. */
#include "decide/group_lookup.h"

#include "unit/phase2/data.h"

enum {
    ROWS = 256,
    GROUPS = 3,
    CLASSES_MAX = 8
};

typedef struct rule {
    size_t classes;
    float offsets[GROUPS * CLASSES_MAX * CLASSES_MAX];
    float tables[DP2DPI_COLUMNS_TABLES];
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

/* Sets *winner to the decision without dither. Returns 1 if some dither from 0 to width makes
 * another class as good. */
static int is_close(const rule *r, const float *row, int32_t group, int32_t *winner) {
    size_t best = 0;
    int close = 0;
    for (size_t k = 1; k < r->classes; k++) {
        best = value_of(r, row, group, k, 0) > value_of(r, row, group, best, 0) ? k : best;
    }
    for (size_t k = 0; k < r->classes; k++) {
        close |=
            k != best && value_of(r, row, group, k, r->width) >= value_of(r, row, group, best, 0);
    }
    *winner = (int32_t)best;
    return close;
}

/* Makes rows whose two best classes are about `width` apart, often to the last bit. */
static void draw_rows(const rule *r, uint64_t *seed, float *rows, int32_t *groups) {
    for (size_t i = 0; i < ROWS; i++) {
        float *row = rows + i * r->classes;
        double numbers[CLASSES_MAX];
        int32_t winner;
        groups[i] = (int32_t)(draw(seed) % GROUPS);
        draw_row(seed, r->classes, i % 2 ? 16 : 0, numbers);
        for (size_t k = 0; k < r->classes; k++) {
            row[k] = (float)numbers[k];
        }
        (void)is_close(r, row, groups[i], &winner);
        size_t best = (size_t)winner, other = (best + 1) % r->classes;
        float gap = value_of(r, row, groups[i], best, 0) - value_of(r, row, groups[i], other, 0);
        float moved = (gap - r->width) / 2;
        if (row[best] >= moved && row[other] >= -moved) {
            row[best] -= moved;
            row[other] += moved;
            row[best] = i % 3 ? row[best] : nextafterf(row[best], i % 6 ? 0.0F : 1.0F);
        }
    }
}

static void same_as_one_by_one(const rule *r, const float *rows, const int32_t *groups) {
    static float scores[CLASSES_MAX * DP2DPI_CLOSE_APART], shifts[CLASSES_MAX * DP2DPI_CLOSE_APART];
    static dp2dpi_close_rows close;
    const dp2dpi_plain_rows plain = {rows, r->classes, ROWS + CLASSES_MAX};
    int32_t which[ROWS], winner;
    size_t found = 5; /* rows of earlier calls stay */
    close.count = found;
    close.scores = scores;
    close.shifts = shifts;
    assert_int_equal(dp2dpi_group_lookup_dithered(&plain, ROWS, r->classes, r->tables, groups,
                                                  r->width, 1000, which, &close),
                     ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        const float *row = rows + i * r->classes;
        if (!is_close(r, row, groups[i], &winner)) {
            assert_int_equal(which[i], winner);
            continue;
        }
        assert_int_equal(close.rows[found], 1000 + i);
        for (size_t k = 0; k < r->classes; k++) {
            assert_true(scores[k * DP2DPI_CLOSE_APART + found] == row[k]);
            assert_true(shifts[k * DP2DPI_CLOSE_APART + found] == shift_of(r, row, groups[i], k));
        }
        found++;
    }
    assert_int_equal(close.count, found);
}

TEST(exactly_the_rows_that_the_dither_can_change_are_left_to_it) {
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
            same_as_one_by_one(&r, rows, groups);
        }
    }
}
