/* Which rows are decided before the dither is known, and how the others are decided. */
#include "decide/group_lookup.h"
#include "decide/dither_rows.h"
#include "decide/model.h"

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
    dp2dpi_lookup_screen screen;
} rule;

/* Returns 0 if this processor has no such look-up. */
static int rule_new(size_t classes, float width, uint64_t *seed, rule *out) {
    *out = (rule) {.classes = classes, .width = width};
    for (size_t c = 0; c < GROUPS * classes * classes; c++) {
        out->offsets[c] = (float)(draw(seed) % 9) / 64 - 0.0625F;
    }
    return dp2dpi_group_lookup_tabulate(out->offsets, GROUPS, classes, classes * classes,
                                        out->tables) &&
           dp2dpi_lookup_screen_set(out->offsets, GROUPS, classes, (double)width, &out->screen);
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

/* Sets *winner to the decision without dither. Returns 1 if some dither from 0 to `width` makes
 * another class as good. */
static int is_close(const rule *r, const float *row, int32_t group, float width, int32_t *winner) {
    size_t best = 0;
    int close = 0;
    for (size_t k = 1; k < r->classes; k++) {
        best = value_of(r, row, group, k, 0) > value_of(r, row, group, best, 0) ? k : best;
    }
    for (size_t k = 0; k < r->classes; k++) {
        close |= k != best && value_of(r, row, group, k, width) >= value_of(r, row, group, best, 0);
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
        (void)is_close(r, row, groups[i], r->width, &winner);
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

/* Every row that some dither can change is left open, and besides at most rows whose lead exceeds
 * the dither by less than 1e-4. The others are decided. Rows of earlier calls stay in the list. */
static void leaves_close_rows_open(const rule *r, const float *rows, const int32_t *groups,
                                   size_t n) {
    static dp2dpi_close_rows close;
    const dp2dpi_plain_rows plain = {rows, r->classes, ROWS + CLASSES_MAX};
    int32_t which[ROWS], winner;
    size_t found = 5;
    close.count = found;
    assert_int_equal(
        dp2dpi_lookup_screen_run(&r->screen, &plain, n, r->classes, groups, 1000, which, &close),
        n);
    for (size_t i = 0; i < n; i++) {
        const float *row = rows + i * r->classes;
        int is_open = found < close.count && close.rows[found] == (int32_t)(1000 + i);
        if (is_open) {
            assert_int_equal(close.groups[found++], groups[i]);
            assert_true(is_close(r, row, groups[i], r->width + 1e-4F, &winner));
        } else {
            assert_false(is_close(r, row, groups[i], r->width, &winner));
            assert_int_equal(which[i], winner);
        }
    }
    assert_int_equal(close.count, found);
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

/* Rows in any order get the decisions of the definition, with AVX-512 and without. */
static void decides_as_defined(const rule *r, const float *rows, const int32_t *groups,
                               int has_keys, uint64_t *seed) {
    const dp2dpi_plain_rows plain = {rows, r->classes, ROWS + CLASSES_MAX};
    const dp2dp_dither dither = {(double)r->width, draw(seed)};
    int32_t list[ROWS], own[ROWS], which[ROWS], in_columns[ROWS];
    uint64_t keys[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        list[i] = (int32_t)(draw(seed) % ROWS);
        own[i] = groups[list[i]];
        keys[i] = has_keys ? draw(seed)
                           : dp2dpi_dither_key_of_scores(rows + (size_t)list[i] * r->classes, 1,
                                                         r->classes);
    }
    dp2dpi_dither_rows d = {.rows = &plain,
                            .classes = r->classes,
                            .tables = r->tables,
                            .dither = &dither,
                            .list = list,
                            .groups = own,
                            .keys = has_keys ? keys : NULL};
    dp2dpi_dither_rows_decide(&d, ROWS, which);
    dp2dpi_dither_rows_decide_in_columns(&d, ROWS, in_columns);
    for (size_t i = 0; i < ROWS; i++) {
        const float *row = rows + (size_t)list[i] * r->classes;
        assert_int_equal(which[i], decide_one(r, &dither, keys[i], row, own[i]));
        assert_int_equal(in_columns[i], which[i]);
    }
}

TEST(the_rows_that_the_dither_can_change_are_left_to_it) {
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
            leaves_close_rows_open(&r, rows, groups, ROWS);
            leaves_close_rows_open(&r, rows, groups, ROWS - 8); /* an odd number of eights */
            decides_as_defined(&r, rows, groups, 0, &seed);
            decides_as_defined(&r, rows, groups, 1, &seed);
        }
    }
}
