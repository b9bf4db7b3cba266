/* predict and adjust refuse exactly the rows that a plain loop refuses, wherever the row stands,
 * and name it. */
#include "decide/kernel.h"
#include "decide/model.h"

#include "unit/phase2/data.h"

enum {
    GROUPS = 3,
    CLASSES_MAX = 20,
    ROWS = 1100 /* more than one block of predict, and not a multiple of eight */
};

/* The plain loop. The tolerances are those that the public header promises. */
static int is_sound(const double *row, size_t classes, dp2dp_type type) {
    double sum = 0;
    for (size_t k = 0; k < classes; k++) {
        if (!(row[k] >= 0) || row[k] > 1e30) {
            return 0;
        }
        sum += row[k];
    }
    return fabs(sum - 1) <= (type == DP2DP_FLOAT32 ? 1e-3 : 1e-6);
}

/* A table that ends with its last score, so that a sanitizer sees who reads on. */
typedef struct table {
    size_t classes, stride;
    dp2dp_type type;
    void *memory;
    int32_t codes[ROWS];
} table;

static double *cell(const table *t, size_t row, size_t k, double *value, int is_written) {
    char *at = (char *)t->memory + (row * t->stride + k) * (t->type == DP2DP_FLOAT32 ? 4 : 8);
    float single = (float)*value;
    if (is_written) {
        memcpy(at, t->type == DP2DP_FLOAT32 ? (void *)&single : (void *)value,
               t->type == DP2DP_FLOAT32 ? sizeof single : sizeof *value);
    } else if (t->type == DP2DP_FLOAT32) {
        memcpy(&single, at, sizeof single);
        *value = single;
    } else {
        memcpy(value, at, sizeof *value);
    }
    return value;
}

static table table_new(size_t classes, size_t padding, dp2dp_type type, uint64_t *seed) {
    table t = {.classes = classes, .stride = classes + padding, .type = type};
    size_t cells = (ROWS - 1) * t.stride + classes;
    t.memory = malloc(cells * (type == DP2DP_FLOAT32 ? 4 : 8));
    memset(t.memory, 0xff, cells * (type == DP2DP_FLOAT32 ? 4 : 8)); /* NaN between the rows */
    for (size_t i = 0; i < ROWS; i++) {
        double row[CLASSES_MAX];
        draw_row(seed, classes, 0, row);
        t.codes[i] = (int32_t)(draw(seed) % GROUPS);
        for (size_t k = 0; k < classes; k++) {
            cell(&t, i, k, &row[k], 1);
        }
    }
    return t;
}

/* Predicts and adjusts, and expects a refusal of the row exactly if the plain loop refuses it, and
 * else the decision of the definition. */
static void agrees(const dp2dp_model *model, const table *t, size_t row) {
    static int32_t which[ROWS];
    static float adjusted[ROWS * CLASSES_MAX];
    size_t size = t->type == DP2DP_FLOAT32 ? 4 : 8;
    dp2dp_matrix view = {t->memory,      t->type, ROWS, t->classes, (ptrdiff_t)(t->stride * size),
                         (ptrdiff_t)size};
    dp2dp_column codes = {t->codes, DP2DP_INT32, ROWS, sizeof(int32_t)};
    dp2dp_error error = {0}, other = {0};
    double values[CLASSES_MAX];
    float best = -INFINITY;
    int32_t winner = 0;
    dp2dp_status status = dp2dp_model_predict(model, &view, &codes, NULL, which, &error);
    assert_int_equal(dp2dp_model_adjust(model, &view, &codes, NULL, adjusted, &other), status);
    for (size_t k = 0; k < t->classes; k++) {
        cell(t, row, k, &values[k], 0);
        volatile float value =
            (float)values[k] - model->offsets_single[(size_t)t->codes[row] * t->classes + k];
        winner = value > best ? (int32_t)k : winner;
        best = value > best ? value : best;
        if (status == DP2DP_STATUS_OK) {
            assert_true(adjusted[row * t->classes + k] == value);
        }
    }
    if (is_sound(values, t->classes, t->type)) {
        assert_int_equal(status, DP2DP_STATUS_OK);
        assert_int_equal(which[row], winner);
        return;
    }
    if (status != DP2DP_STATUS_DATA || error.row != row + 1 || other.row != row + 1) {
        fail_msg("K %zu, stride %zu, row %zu: status %d, row %d", t->classes, t->stride, row,
                 (int)status, (int)error.row);
    }
    assert_string_equal(error.message, other.message);
}

/* Puts what is wrong, or only looks wrong, at one place of the row. */
static void try_row(const dp2dp_model *model, const table *t, size_t row, uint64_t *seed) {
    static const double puts[] = {NAN, INFINITY, -INFINITY, -1e-45, -1e-300, -0.0, 2e30, 50, 1};
    static const double sums[] = {0,           0.9985,      1.00099,   0.99901, 1.0009995,
                                  0.9990005,   1.0010003,   0.9989997, 1.0011,  1.0000009,
                                  0.999999099, 1.000001001, 1.002,     0.9989};
    size_t k = draw(seed) % t->classes, n = sizeof puts / sizeof *puts;
    size_t what = draw(seed) % (n + sizeof sums / sizeof *sums);
    double kept[CLASSES_MAX], sum = 0;
    for (size_t l = 0; l < t->classes; l++) {
        sum += *cell(t, row, l, &kept[l], 0);
    }
    double put = what < n ? puts[what] : sums[what - n];
    if (what >= n) { /* the row sums to `put`, about */
        put = kept[k] + (put - sum);
    }
    cell(t, row, k, &put, 1);
    agrees(model, t, row);
    cell(t, row, k, &kept[k], 1);
}

static void try_table(size_t classes, size_t padding, dp2dp_type type, uint64_t seed) {
    dp2dp_names none = {0};
    dp2dp_model *model = NULL;
    table t = table_new(classes, padding, type, &seed);
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.strata = GROUPS, .classes = classes}, &none,
                               &model, NULL));
    for (size_t c = 0; c < GROUPS * classes; c++) {
        model->offsets[c] = (double)(draw(&seed) % 1000) / 2000 - 0.25;
    }
    dp2dpi_model_publish(model);
    for (size_t row = 0; row < ROWS; row += row < 40 || row > ROWS - 40 ? 1 : 13) {
        for (size_t i = 0; i < 4; i++) {
            try_row(model, &t, row, &seed);
        }
    }
    dp2dp_model_free(model);
    free(t.memory);
}

TEST(the_rows_of_a_plain_loop_are_refused_and_no_others) {
    static const size_t classes[] = {2, 3, 4, 5, 6, 7, 8, 9, 20};
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        for (size_t padding = 0; padding < 4; padding += padding + 1) {
            try_table(classes[c], padding, DP2DP_FLOAT32, 17 * c + padding);
        }
        try_table(classes[c], 0, DP2DP_FLOAT64, 1000 + c);
    }
}

TEST(minus_zero_is_a_probability) {
    for (size_t classes = 2; classes <= DP2DPI_KERNEL_CLASSES; classes++) {
        float rows[40 * DP2DPI_KERNEL_CLASSES];
        for (size_t i = 0; i < 40 * classes; i++) {
            rows[i] = i % classes == 1 ? 1.0F : -0.0F;
        }
        assert_int_equal(dp2dpi_kernel_check(rows, classes, 40, 40, classes), 0);
    }
}

/* A block goes through the fast check if its sums are clearly within the tolerance, whatever the
 * stride, and never if one row is outside. Rows may overlap, or be all the same one. */
TEST(the_fast_check_accepts_what_it_must_and_nothing_else) {
    for (size_t classes = 2; classes <= DP2DPI_KERNEL_CLASSES; classes++) {
        for (size_t stride = 0; stride <= 11; stride++) {
            for (size_t n = 1; n < 40; n++) {
                size_t cells = (n - 1) * stride + classes;
                float *rows = malloc(cells * sizeof *rows);
                for (size_t i = 0; i < cells; i++) {
                    rows[i] = 1.0F / (float)classes;
                }
                assert_int_equal(dp2dpi_kernel_check(rows, stride, n, n, classes), 0);
                float last = rows[(n - 1) * stride + classes - 1];
                rows[(n - 1) * stride + classes - 1] = -1e-45F;
                assert_int_not_equal(dp2dpi_kernel_check(rows, stride, n, n, classes), 0);
                rows[(n - 1) * stride + classes - 1] = last + 0.00098F;
                assert_int_equal(dp2dpi_kernel_check(rows, stride, n, n, classes), 0);
                rows[(n - 1) * stride + classes - 1] += 0.00004F;
                assert_int_not_equal(dp2dpi_kernel_check(rows, stride, n, n, classes), 0);
                free(rows);
            }
        }
    }
}
