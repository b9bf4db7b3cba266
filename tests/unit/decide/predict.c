/* The fast paths of predict give the decisions of the definition, for every layout, type and number
 * of threads. */
#include "decide/model.h"

#include "unit/phase2/data.h"

enum {
    GROUPS = 4,
    CLASSES_MAX = 12
};

static dp2dp_model *model_with(size_t classes, uint64_t seed) {
    dp2dp_names none = {0};
    dp2dp_model *model = NULL;
    assert_ok(dp2dpi_model_new(&(dp2dpi_model_kind) {.strata = GROUPS, .classes = classes}, &none,
                               &model, NULL));
    for (size_t c = 0; c < GROUPS * classes; c++) {
        model->offsets[c] = (double)(draw(&seed) % 9) / 16 -
                            0.25; /* these offsets tie with scores that are multiples of 1/16 */
    }
    dp2dpi_model_publish(model);
    return model;
}

/* The definition of the rule: divides by the row sum, rounds to float32, adds the dither, subtracts
 * the offset, and returns the lowest class with the largest value. Returns −1 if the group code is
 * refused. */
static int32_t by_definition(const dp2dp_model *model, const double *row, int32_t code,
                             uint64_t position, int base, float *adjusted) {
    const dp2dp_model_info *info = dp2dp_model_view(model);
    int known = code >= 0 && code < (int32_t)info->strata;
    double sum = 0;
    int32_t best = 0;
    if (!known && !base) {
        return -1;
    }
    for (size_t k = 0; k < info->classes; k++) {
        sum += row[k];
    }
    sum = info->row_sums == DP2DP_ROW_SUMS_NORMALIZE ? sum : 1;
    for (size_t k = 0; k < info->classes; k++) {
        float offset = known ? (float)info->offsets[(size_t)code * info->classes + k] : 0;
        volatile float value = (float)(row[k] / sum);
        if (info->dither.width > 0) {
            value += dp2dpi_dither_draw(&info->dither, position, k);
        }
        value -= offset;
        adjusted[k] = value;
        best = value > adjusted[best] ? (int32_t)k : best;
    }
    return best;
}

/* A layout of scores and group codes. first, padding and code_stride are counted in elements. */
typedef struct layout {
    const char *name;
    dp2dp_type type, code_type;
    size_t first;
    int is_column_major;
    size_t padding, code_stride;
} layout;

static const layout layouts[] = {
    {"plain", DP2DP_FLOAT32, DP2DP_INT8, 0, 0, 0, 1},
    {"some columns of more", DP2DP_FLOAT32, DP2DP_INT16, 1, 0, 3, 1},
    {"column-major", DP2DP_FLOAT32, DP2DP_INT32, 0, 1, 5, 1},
    {"double", DP2DP_FLOAT64, DP2DP_INT8, 1, 0, 0, 3},
    {"double, column-major", DP2DP_FLOAT64, DP2DP_INT16, 0, 1, 0, 2},
    {"spread codes", DP2DP_FLOAT32, DP2DP_INT32, 0, 0, 0, 2},
};

typedef struct table {
    size_t rows, classes;
    double *scores; /* rows × classes, row-major */
    int32_t *codes;
    char *memory, *code_memory;
    dp2dp_matrix view;
    dp2dp_column column;
} table;

static table table_new(size_t rows, size_t classes, uint64_t seed) {
    table t = {.rows = rows, .classes = classes};
    t.scores = calloc(rows * classes, sizeof(double));
    t.codes = calloc(rows, sizeof(int32_t));
    t.memory = calloc(rows * (classes + 8) + 16, sizeof(double));
    t.code_memory = calloc(rows + 1, 3 * sizeof(int32_t));
    for (size_t i = 0; i < rows; i++) {
        draw_row(&seed, classes, draw(&seed) % 2 ? 16 : 0, t.scores + i * classes);
        t.codes[i] = (int32_t)(draw(&seed) % GROUPS);
    }
    return t;
}

static void table_free(table *t) {
    free(t->scores);
    free(t->codes);
    free(t->memory);
    free(t->code_memory);
}

static void lay_out(table *t, const layout *l) {
    size_t size = l->type == DP2DP_FLOAT32 ? 4 : 8;
    size_t code_size = l->code_type == DP2DP_INT8 ? 1 : l->code_type == DP2DP_INT16 ? 2 : 4;
    size_t row = l->is_column_major ? 1 : t->classes + l->padding;
    size_t column = l->is_column_major ? t->rows + l->padding : 1;
    char *start = t->memory + l->first * size;
    for (size_t i = 0; i < t->rows; i++) {
        for (size_t k = 0; k < t->classes; k++) {
            char *at = start + (i * row + k * column) * size;
            float single = (float)t->scores[i * t->classes + k];
            memcpy(at, size == 4 ? (void *)&single : (void *)&t->scores[i * t->classes + k], size);
        }
        int8_t narrow = (int8_t)t->codes[i];
        int16_t middle = (int16_t)t->codes[i];
        memcpy(t->code_memory + i * l->code_stride * code_size,
               code_size == 1   ? (void *)&narrow
               : code_size == 2 ? (void *)&middle
                                : (void *)&t->codes[i],
               code_size);
    }
    t->view = (dp2dp_matrix) {
        start, l->type, t->rows, t->classes, (ptrdiff_t)(row * size), (ptrdiff_t)(column * size)};
    t->column = (dp2dp_column) {t->code_memory, l->code_type, t->rows,
                                (ptrdiff_t)(l->code_stride * code_size)};
}

static void agrees(const dp2dp_model *model, const table *t, const dp2dp_predict_options *options,
                   const char *name) {
    int32_t *decided = calloc(t->rows, sizeof *decided);
    float *adjusted = calloc(t->rows * t->classes, sizeof *adjusted), expected[CLASSES_MAX];
    dp2dp_error error = {0};
    if (dp2dp_model_predict(model, &t->view, &t->column, options, decided, &error) != OK ||
        dp2dp_model_adjust(model, &t->view, &t->column, options, adjusted, &error) != OK) {
        fail_msg("%s: %s", name, error.message);
    }
    for (size_t i = 0; i < t->rows; i++) {
        int32_t winner = by_definition(model, t->scores + i * t->classes, t->codes[i],
                                       options->first_row + i, 1, expected);
        if (decided[i] != winner ||
            memcmp(adjusted + i * t->classes, expected, t->classes * sizeof(float)) != 0) {
            fail_msg("%s, K %zu, row %zu: class %d, not %d", name, t->classes, i, decided[i],
                     winner);
        }
    }
    free(decided);
    free(adjusted);
}

TEST(every_view_is_decided_by_the_definition) {
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    for (size_t classes = 2; classes <= CLASSES_MAX; classes++) {
        HANDLE(dp2dp_model) *model = model_with(classes, classes);
        OWNED(table) t = table_new(2100 + classes, classes, classes);
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            lay_out(&t, &layouts[l]);
            agrees(model, &t, &options, layouts[l].name);
        }
    }
}

/* Rows in reverse order, columns in either order, at aligned and unaligned addresses. */
TEST(backward_and_unaligned_views_are_decided_alike) {
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    HANDLE(dp2dp_model) *model = model_with(3, 1);
    OWNED(table) t = table_new(1500, 3, 2);
    t.column = (dp2dp_column) {t.codes, DP2DP_INT32, t.rows, 4};
    for (int how = 0; how < 4; how++) {
        size_t start = how & 1, turned = how & 2 ? 2 : 0;
        for (size_t i = 0; i < t.rows; i++) {
            for (size_t k = 0; k < 3; k++) {
                float single = (float)t.scores[3 * i + k];
                size_t column = turned ? 2 - k : k;
                memcpy(t.memory + start + 4 * (3 * (t.rows - 1 - i) + column), &single, 4);
            }
        }
        t.view = (dp2dp_matrix) {t.memory + start + 4 * (3 * (t.rows - 1) + turned),
                                 DP2DP_FLOAT32,
                                 t.rows,
                                 3,
                                 -12,
                                 turned ? -4 : 4};
        agrees(model, &t, &options, "backward");
    }
}

TEST(many_rows_on_any_number_of_threads_are_decided_alike) {
    static const unsigned threads[4] = {1, 2, 5, 0};
    HANDLE(dp2dp_model) *model = model_with(2, 7);
    OWNED(table) t = table_new(200003, 2, 8);
    for (int i = 0; i < 4; i++) {
        dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
        options.threads = threads[i];
        lay_out(&t, &layouts[0]);
        agrees(model, &t, &options, "threads");
    }
}

TEST(normalized_and_dithered_rows_are_decided_by_the_definition) {
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    options.first_row = 1000;
    for (int how = 1; how <= 3; how++) {
        HANDLE(dp2dp_model) *model = model_with(3, 4);
        OWNED(table) t = table_new(1300, 3, 5);
        model->info.row_sums = how & 1 ? DP2DP_ROW_SUMS_NORMALIZE : DP2DP_ROW_SUMS_CHECK;
        model->info.dither = (dp2dp_dither) {how & 2 ? 0.25 : 0, 11};
        for (size_t i = 0; i < 3 * t.rows && how & 1; i++) {
            t.scores[i] = i % 40 == 0 ? 3 : t.scores[i] + 0.0625;
            t.scores[i] = (double)(float)t.scores[i];
        }
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            lay_out(&t, &layouts[l]);
            agrees(model, &t, &options, layouts[l].name);
        }
    }
}

TEST(an_unknown_group_gets_the_plain_argmax_on_request) {
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    options.unknown = DP2DP_UNKNOWN_BASE;
    for (size_t classes = 2; classes <= 10; classes += 4) {
        HANDLE(dp2dp_model) *model = model_with(classes, 4);
        OWNED(table) t = table_new(3000, classes, 6);
        for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++) {
            int32_t beyond = layouts[l].code_type == DP2DP_INT8 ? GROUPS : 256; /* low byte 0 */
            for (size_t i = 0; i < t.rows; i += 7) {
                t.codes[i] = i % 2 ? -1 : beyond + (int32_t)(i % 50);
            }
            lay_out(&t, &layouts[l]);
            agrees(model, &t, &options, layouts[l].name);
        }
    }
}

static void refused_at(const dp2dp_model *model, const table *t, size_t row, const char *why) {
    static const unsigned threads[4] = {1, 2, 5, 0};
    FREED int32_t *decided = calloc(t->rows, sizeof *decided);
    FREED float *adjusted = calloc(t->rows * t->classes, sizeof *adjusted);
    char expected[64];
    (void)snprintf(expected, sizeof expected, "row %zu%s", row + 1 + 10,
                   strstr(why, "column") ? ", " : ": ");
    for (int i = 0; i < 8; i++) {
        dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
        dp2dp_error error = {0};
        options.threads = threads[i % 4];
        options.first_row = 10;
        dp2dp_status status =
            i < 4 ? dp2dp_model_predict(model, &t->view, &t->column, &options, decided, &error)
                  : dp2dp_model_adjust(model, &t->view, &t->column, &options, adjusted, &error);
        if (status != DP2DP_STATUS_DATA || strncmp(error.message, expected, strlen(expected)) ||
            strstr(error.message, why) == NULL) {
            fail_msg("status %d, '%s', not '%s%s'", (int)status, error.message, expected, why);
        }
    }
}

/* The row that the error names must not depend on which thread finds a bad row first, nor on the
 * code path. */
TEST(the_lowest_bad_row_is_named_whatever_the_threads) {
    static const struct {
        double score;
        const char *why;
    } wrong[] = {{NAN, "score column 2: a probability must be"},
                 {-0.25, "score column 2: a probability must be"}, /* log-odds */
                 {INFINITY, "score column 2: a probability must be"},
                 {50, "do not sum to 1"}, /* a percentage */
                 {1.01, "do not sum to 1"}};
    for (size_t classes = 2; classes <= 10; classes += 8) {
        HANDLE(dp2dp_model) *model = model_with(classes, 4);
        OWNED(table) t = table_new(200000, classes, 6);
        for (size_t l = 0; l < 4; l++) {
            t.scores[199999 * classes] = NAN;
            t.codes[150000] = GROUPS;
            lay_out(&t, &layouts[l]);
            refused_at(model, &t, 150000, "group");
            double *bad = &t.scores[70001 * classes + 1], kept = *bad;
            for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
                *bad = wrong[w].score;
                lay_out(&t, &layouts[l]);
                refused_at(model, &t, 70001, wrong[w].why);
            }
            t.codes[70000] = -1;
            lay_out(&t, &layouts[l]);
            refused_at(model, &t, 70000, "group");
            t.codes[70000] = t.codes[150000] = 0;
            *bad = kept;
        }
    }
}

/* All threads find a bad row at nearly the same moment, the lowest row first. The dither selects
 * the slow path, so that the searches overlap. */
TEST(the_lowest_of_bad_rows_met_at_once_is_named) {
    HANDLE(dp2dp_model) *model = model_with(2, 4);
    OWNED(table) t = table_new(8 * 65536, 2, 6);
    model->info.dither = (dp2dp_dither) {0.25, 1};
    for (size_t part = 0; part < 8; part++) {
        t.codes[65536 * part + 3000 + 9 * part] = GROUPS;
    }
    lay_out(&t, &layouts[0]);
    for (int i = 0; i < 100; i++) {
        refused_at(model, &t, 3000, "group");
    }
}

TEST(a_missing_model_or_place_for_the_answer_is_refused) {
    HANDLE(dp2dp_model) *model = model_with(2, 4);
    OWNED(table) t = table_new(4, 2, 7);
    int32_t decisions[4];
    lay_out(&t, &layouts[0]);
    assert_status(dp2dp_model_predict(model, &t.view, &t.column, NULL, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_model_adjust(model, &t.view, &t.column, NULL, NULL, NULL), ARGUMENT);
    assert_status(dp2dp_model_predict(NULL, &t.view, &t.column, NULL, decisions, NULL), ARGUMENT);
}
