/* Blocks of rows under the rules `linear` and `weighted`: predict decides as adjust says, which
 * goes row by row, and refuses the row that adjust refuses. */
#include "decide/columns.h"
#include "decide/model.h"

#include "unit/phase2/data.h"

enum {
    ROWS = 1100, /* more than one block of predict, and not a multiple of eight */
    CELLS_MAX = 100
};

/* A table that ends with its last number, so that a sanitizer sees who reads on. */
typedef struct table {
    dp2dp_matrix view;
    char *memory;
} table;

static void write_cell(const table *t, size_t row, size_t column, double value) {
    char *at =
        t->memory + (ptrdiff_t)row * t->view.row_stride + (ptrdiff_t)column * t->view.column_stride;
    float single = (float)value;
    if (t->view.type == DP2DP_FLOAT32) {
        memcpy(at, &single, sizeof single);
    } else {
        memcpy(at, &value, sizeof value);
    }
}

static double read_cell(const table *t, size_t row, size_t column) {
    const char *at =
        t->memory + (ptrdiff_t)row * t->view.row_stride + (ptrdiff_t)column * t->view.column_stride;
    float single;
    double value;
    if (t->view.type == DP2DP_FLOAT32) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&value, at, sizeof value);
    return value;
}

typedef enum layout {
    ADJACENT,
    PADDED,
    DOUBLES,
    BY_COLUMN,
    LAYOUTS
} layout;

static table table_new(size_t columns, unsigned grid, layout l, uint64_t *seed) {
    size_t size = l == DOUBLES ? 8 : 4, stride = columns + (l == PADDED ? 3 : 0);
    size_t cells = l == BY_COLUMN ? ROWS * columns : (ROWS - 1) * stride + columns;
    table t = {.memory = malloc(cells * size)};
    t.view = (dp2dp_matrix) {.data = t.memory,
                             .type = l == DOUBLES ? DP2DP_FLOAT64 : DP2DP_FLOAT32,
                             .rows = ROWS,
                             .columns = columns,
                             .row_stride = (ptrdiff_t)(l == BY_COLUMN ? size : stride * size),
                             .column_stride = (ptrdiff_t)(l == BY_COLUMN ? ROWS * size : size)};
    memset(t.memory, 0xff, cells * size); /* NaN between the rows */
    for (size_t i = 0; i < ROWS; i++) {
        double row[CELLS_MAX];
        draw_row(seed, columns, grid, row);
        for (size_t k = 0; k < columns; k++) {
            write_cell(&t, i, k, row[k]);
        }
    }
    return t;
}

typedef struct shape {
    size_t classes, groups;
    int weighted, by_group;
    int without_labels;
    double width;
    dp2dp_dither_key key;
    dp2dp_row_sums row_sums;
    layout layout;
    unsigned grid; /* scores, weights and offsets are multiples of 1/grid, so that there are ties;
                      0: they are not */
} shape;

static dp2dp_model *model_new(const shape *s, uint64_t *seed) {
    size_t labels = s->without_labels ? 1 : s->classes, strata = s->groups * labels;
    const dp2dpi_model_kind kind = {.strata = strata,
                                    .classes = s->classes,
                                    .labels = labels,
                                    .rule = s->weighted ? DP2DP_RULE_WEIGHTED : DP2DP_RULE_LINEAR,
                                    .weight_columns = !s->weighted  ? 0
                                                      : s->by_group ? s->groups
                                                                    : strata};
    dp2dp_model *model = NULL;
    assert_ok(dp2dpi_model_new(&kind, &(dp2dp_names) {0}, &model, &test_error));
    for (size_t i = 0; i < strata * s->classes; i++) {
        model->offsets[i] =
            s->grid ? (double)(draw(seed) % 9) / s->grid - 0.25 : uniform(seed) - 0.5;
    }
    dp2dpi_model_publish(model);
    model->info.dither = (dp2dp_dither) {s->width, 5};
    model->info.dither_key = s->key;
    model->info.row_sums = s->row_sums;
    return model;
}

/* What predict and adjust are called with. */
typedef struct call {
    const dp2dp_model *model;
    table scores, weights;
    int32_t codes[ROWS];
    uint64_t ids[ROWS];
    dp2dp_predict_options options;
} call;

static void both_agree(const call *c) {
    static int32_t found[ROWS];
    static float adjusted[ROWS * CELLS_MAX];
    dp2dp_column groups = {c->codes, DP2DP_INT32, ROWS, sizeof *c->codes};
    size_t classes = c->model->info.classes;
    assert_ok(
        dp2dp_model_adjust(c->model, &c->scores.view, &groups, &c->options, adjusted, &test_error));
    assert_ok(
        dp2dp_model_predict(c->model, &c->scores.view, &groups, &c->options, found, &test_error));
    for (size_t i = 0; i < ROWS; i++) {
        size_t best = 0;
        for (size_t k = 1; k < classes; k++) {
            best = adjusted[i * classes + k] > adjusted[i * classes + best] ? k : best;
        }
        assert_int_equal(found[i], best);
    }
}

/* Both refuse the same row, with the same words. */
static void both_refuse(const call *c, size_t row) {
    static int32_t found[ROWS];
    static float adjusted[ROWS * CELLS_MAX];
    dp2dp_column groups = {c->codes, DP2DP_INT32, ROWS, sizeof *c->codes};
    dp2dp_error error;
    assert_int_equal(
        dp2dp_model_adjust(c->model, &c->scores.view, &groups, &c->options, adjusted, &error),
        DP2DP_STATUS_DATA);
    assert_int_equal(
        dp2dp_model_predict(c->model, &c->scores.view, &groups, &c->options, found, &test_error),
        DP2DP_STATUS_DATA);
    assert_int_equal(error.row, row + 1);
    assert_string_equal(error.message, test_error.message);
}

/* Spoils one row of a table, asks, and mends it. `bad` replaces one number; the next makes up for
 * it if `keeps_sum`. */
static void spoil(const call *c, const table *t, double bad, int keeps_sum, uint64_t *seed) {
    size_t columns = t->view.columns, row = draw(seed) % 4 ? draw(seed) % ROWS : ROWS - 1;
    size_t column = draw(seed) % columns, next = (column + 1) % columns;
    double first = read_cell(t, row, column), second = read_cell(t, row, next);
    write_cell(t, row, column, bad);
    if (keeps_sum) {
        write_cell(t, row, next, second + first - bad);
    }
    if (bad > 0 && bad < 3 && c->model->info.row_sums == DP2DP_ROW_SUMS_NORMALIZE) {
        both_agree(c);
    } else {
        both_refuse(c, row);
    }
    write_cell(t, row, column, first);
    write_cell(t, row, next, second);
}

static void spoil_table(const call *c, const table *t, uint64_t *seed) {
    spoil(c, t, -0.0001, 1, seed);
    spoil(c, t, NAN, 0, seed);
    spoil(c, t, INFINITY, 0, seed);
    spoil(c, t, 2.5, 0, seed);
}

static void try_shape(const shape *s, uint64_t *seed) {
    static call c;
    HANDLE(dp2dp_model) *model = model_new(s, seed);
    c.model = model;
    c.scores = table_new(s->classes, s->grid, s->layout, seed);
    c.options = (dp2dp_predict_options)DP2DP_PREDICT_OPTIONS_INIT;
    c.options.first_row = 7;
    for (size_t i = 0; i < ROWS; i++) {
        c.codes[i] = (int32_t)(draw(seed) % (s->groups + 1)); /* one group is unknown */
        c.ids[i] = draw(seed);
    }
    c.options.unknown = DP2DP_UNKNOWN_BASE;
    c.options.ids = s->width > 0 && s->key == DP2DP_DITHER_KEY_ID ? c.ids : NULL;
    if (s->weighted) {
        c.weights = table_new(model->info.weight_columns, s->grid, s->layout, seed);
        c.options.weights = &c.weights.view;
    }
    both_agree(&c);
    write_cell(&c.scores, 17, 0, -0.0); /* sound if the others sum to 1 */
    for (size_t k = 1; k < s->classes; k++) {
        write_cell(&c.scores, 17, k, k == 1 ? 1.0 : 0.0);
    }
    both_agree(&c);
    c.options.first_row = 0;
    spoil_table(&c, &c.scores, seed);
    if (s->weighted) {
        spoil_table(&c, &c.weights, seed);
        free(c.weights.memory);
    }
    free(c.scores.memory);
}

TEST(predict_decides_and_refuses_as_adjust_does) {
    const size_t classes[] = {2, 3, 4, 5, 6, 7, 8, 9, 11}, groups[] = {2, 5, 7, 8};
    uint64_t seed = 21;
    size_t number = 0;
    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
            for (int rule = 0; rule < 4; rule++) {
                shape s = {.classes = classes[k], .groups = groups[g], .weighted = rule > 0};
                s.by_group = rule == 2;
                s.without_labels = rule == 3;
                for (int l = 0; l < LAYOUTS; l++, number++) {
                    s.layout = (layout)l;
                    s.width = number % 3 == 0 ? 0.15 : 0.0;
                    s.grid = number % 5 == 0 ? 16 : 0;
                    s.key = (dp2dp_dither_key)(number / 3 % 3);
                    s.row_sums = number % 7 == 0 ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
                    try_shape(&s, &seed);
                }
            }
        }
    }
}

/* A sanitizer sees if such scores are converted to integers for the key of a dither. */
TEST(a_row_of_equal_huge_scores_is_refused_before_its_dither) {
    static call c;
    const shape s = {.classes = 2, .groups = 2, .width = 0.15, .key = DP2DP_DITHER_KEY_SCORES};
    uint64_t seed = 4;
    HANDLE(dp2dp_model) *model = model_new(&s, &seed);
    c.model = model;
    c.scores = table_new(s.classes, s.grid, s.layout, &seed);
    c.options = (dp2dp_predict_options)DP2DP_PREDICT_OPTIONS_INIT;
    c.options.unknown = DP2DP_UNKNOWN_BASE;
    for (size_t i = 0; i < ROWS; i++) {
        c.codes[i] = (int32_t)s.groups; /* unknown: no offsets part the two classes */
    }
    write_cell(&c.scores, 3, 0, 1e30);
    write_cell(&c.scores, 3, 1, 1e30);
    both_refuse(&c, 3);
    free(c.scores.memory);
}

/* The table ends with its last float, so that the address sanitizer sees a read past it. */
TEST(columns_are_filled_without_reading_past_the_table) {
    enum {
        TALL = 24
    };
    for (size_t columns = 1; columns < 20; columns++) {
        float *rows = malloc(TALL * columns * sizeof *rows);
        float *out = malloc(TALL * columns * sizeof *out);
        assert_non_null(rows);
        assert_non_null(out);
        for (size_t i = 0; i < TALL * columns; i++) {
            rows[i] = (float)i;
        }
        dp2dpi_columns_fill(&(dp2dpi_plain_rows) {rows, columns, TALL}, TALL, columns, TALL, out);
        for (size_t i = 0; i < TALL * columns; i++) {
            assert_true(out[i % columns * TALL + i / columns] == rows[i]);
        }
        free(rows);
        free(out);
    }
}
