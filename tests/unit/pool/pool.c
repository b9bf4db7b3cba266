/* The pool: every layout of the same scores gives the same counts. An error names row and column of
 * a bad score, never the value. */
#include "unit/phase2/data.h"

enum {
    ROWS = 301,
    CLASSES = 5,
    GROUPS = 3
};

static people crowd;

FIXTURE(begin) {
    crowd = people_random(ROWS, CLASSES, GROUPS, 1U << 20, 11);
    return 0;
}

FIXTURE(end) {
    people_free(&crowd);
    return 0;
}

static void random_offsets(size_t cells, uint64_t *seed, float *offsets) {
    for (size_t c = 0; c < cells; c++) {
        offsets[c] = (float)((double)(draw(seed) >> 11) * 0x1p-53 * 0.4 - 0.2);
    }
}

static void counts_are(const dp2dp_pool *pool, const people *p) {
    float offsets[64];
    int64_t table[64], plain[64];
    uint64_t seed = 5;
    dp2dp_source source = dp2dp_pool_source(pool);
    assert_int_equal(source.struct_size, sizeof source);
    assert_int_equal(source.records, p->n);
    assert_int_equal(source.strata, p->groups);
    assert_int_equal(source.classes, p->classes);
    for (int round = 0; round < 4; round++) {
        size_t cells = p->groups * p->classes;
        random_offsets(cells, &seed, offsets);
        memset(table, 0x55, sizeof table);
        plain_count(p, offsets, plain);
        assert_int_equal(source.count(source.context, offsets, table, NULL), OK);
        assert_memory_equal(table, plain, cells * sizeof *table);
    }
}

static void views_agree(dp2dp_matrix scores, dp2dp_column groups) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    HANDLE(dp2dp_pool) *pool = NULL;
    options.strata = GROUPS;
    assert_ok(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error));
    counts_are(pool, &crowd);
}

/* Puts score (i, k) at first + i × row + k × column, counted in elements. All other elements are
 * not probabilities. */
static void layout_agrees(ptrdiff_t first, ptrdiff_t row, ptrdiff_t column) {
    enum {
        ROOM = 8 * ROWS * CLASSES
    };
    static float single[ROOM];
    static double twice[ROOM];
    for (size_t i = 0; i < ROOM; i++) {
        single[i] = -1;
        twice[i] = NAN;
    }
    for (ptrdiff_t i = 0; i < ROWS; i++) {
        for (ptrdiff_t k = 0; k < CLASSES; k++) {
            single[first + i * row + k * column] = crowd.scores[i * CLASSES + k];
            twice[first + i * row + k * column] = (double)crowd.scores[i * CLASSES + k];
        }
    }
    dp2dp_matrix scores = {single + first, DP2DP_FLOAT32, ROWS, CLASSES, row * 4, column * 4};
    views_agree(scores, groups_of(&crowd));
    dp2dp_matrix doubles = {twice + first, DP2DP_FLOAT64, ROWS, CLASSES, row * 8, column * 8};
    views_agree(doubles, groups_of(&crowd));
}

TEST(any_layout_gives_the_same_counts) {
    const ptrdiff_t last = ROWS * CLASSES - 1;
    layout_agrees(0, CLASSES, 1);                                /* row-major */
    layout_agrees(0, 1, ROWS);                                   /* column-major */
    layout_agrees(3, CLASSES + 4, 1);                            /* some columns of more */
    layout_agrees(1, 2 * CLASSES, 2);                            /* every second column */
    layout_agrees(0, 3 * CLASSES, 1);                            /* every third row */
    layout_agrees(CLASSES - 1, CLASSES, -1);                     /* columns from the right */
    layout_agrees((ROWS - 1) * (ptrdiff_t)CLASSES, -CLASSES, 1); /* rows from below */
    layout_agrees(last, -CLASSES, -1);
    layout_agrees(last, -1, -ROWS);
}

TEST(any_integer_type_and_stride_gives_the_same_counts) {
    static int8_t bytes[2 * ROWS];
    static int16_t shorts[3 * ROWS];
    static int32_t words[ROWS];
    memset(bytes, -1, sizeof bytes);
    memset(shorts, -1, sizeof shorts);
    for (size_t i = 0; i < ROWS; i++) {
        bytes[2 * i + 1] = (int8_t)crowd.group[i];
        shorts[3 * i] = (int16_t)crowd.group[i];
        words[ROWS - 1 - i] = crowd.group[i];
    }
    views_agree(scores_of(&crowd), (dp2dp_column) {bytes + 1, DP2DP_INT8, ROWS, 2});
    views_agree(scores_of(&crowd), (dp2dp_column) {shorts, DP2DP_INT16, ROWS, 6});
    views_agree(scores_of(&crowd), (dp2dp_column) {words + ROWS - 1, DP2DP_INT32, ROWS, -4});
}

/* Packed records: scores and codes are at addresses that are not aligned for their types. */
TEST(unaligned_views_work) {
    enum {
        RECORD = 1 + CLASSES * 8 + 2
    };
    static unsigned char packed[ROWS * RECORD + 1];
    for (size_t i = 0; i < ROWS; i++) {
        unsigned char *at = packed + 1 + i * RECORD;
        for (size_t k = 0; k < CLASSES; k++) {
            double value = (double)crowd.scores[i * CLASSES + k];
            memcpy(at + 8 * k, &value, sizeof value);
        }
        int16_t group = (int16_t)crowd.group[i];
        memcpy(at + CLASSES * (size_t)8, &group, sizeof group);
    }
    views_agree((dp2dp_matrix) {packed + 1, DP2DP_FLOAT64, ROWS, CLASSES, RECORD, 8},
                (dp2dp_column) {packed + 1 + CLASSES * 8, DP2DP_INT16, ROWS, RECORD});
}

TEST(any_number_of_threads_gives_the_same_counts) {
    static const unsigned threads[4] = {1, 2, 7, 0};
    OWNED(people) p = people_random(200001, 3, 4, 16, 12);
    for (size_t i = 0; i < p.n; i++) {
        p.group[i] = p.group[i] == 2 ? 0 : p.group[i]; /* one group is empty */
    }
    for (int i = 0; i < 4; i++) {
        HANDLE(dp2dp_pool) *pool = pool_on(&p, threads[i]);
        counts_are(pool, &p);
    }
}

TEST(the_pool_is_a_copy) {
    OWNED(people) p = people_random(100, 3, 2, 1U << 20, 13),
                  same = people_random(100, 3, 2, 1U << 20, 13);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    memset(p.scores, 0xff, p.n * p.classes * sizeof *p.scores);
    memset(p.group, 0xff, p.n * sizeof *p.group);
    counts_are(pool, &same);
}

static dp2dp_status try_pool(dp2dp_matrix scores, dp2dp_column groups, size_t strata,
                             dp2dp_row_sums sums, dp2dp_error *error) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    HANDLE(dp2dp_pool) *pool = (dp2dp_pool *)&options;
    *error = (dp2dp_error) {0};
    options.strata = strata;
    options.row_sums = sums;
    dp2dp_status status = dp2dp_pool_new(&scores, &groups, &options, &pool, error);
    assert_int_equal(pool != NULL, status == OK);
    assert_int_equal(error->status, status);
    return status;
}

static void refused(const dp2dp_error *error, const char *row, const char *column,
                    const char *secret) {
    if (error->status != DP2DP_STATUS_DATA || strstr(error->message, row) == NULL ||
        (column && strstr(error->message, column) == NULL) ||
        (secret && strstr(error->message, secret) != NULL)) {
        fail_msg("expected %s, %s and not %s: '%s'", row, column ? column : "",
                 secret ? secret : "", error->message);
    }
}

TEST(a_bad_value_is_refused_by_row_and_column) {
    static const struct {
        float value;
        const char *secret;
    } bad[] = {{-0.734251F, "734"},
               {NAN, "nan"},
               {INFINITY, "inf"},
               {-INFINITY, "inf"},
               {-1e-30F, "1e-30"}};
    OWNED(people) p = people_random(50, 4, 2, 1U << 20, 14);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        float kept = p.scores[36 * 4 + 2];
        p.scores[36 * 4 + 2] = bad[i].value;
        for (int sums = 0; sums <= 1; sums++) {
            (void)try_pool(scores_of(&p), groups_of(&p), 2, (dp2dp_row_sums)sums, &test_error);
            refused(&test_error, "row 37,", "column 3:", bad[i].secret);
        }
        p.scores[36 * 4 + 2] = kept;
    }
    assert_ok(try_pool(scores_of(&p), groups_of(&p), 2, DP2DP_ROW_SUMS_CHECK, &test_error));
}

TEST(a_wrong_sum_is_refused_beyond_its_tolerance) {
    double twice[6] = {0.5, 0.25, 0.25, 0.25, 0.25, 0.5};
    float single[6] = {0.5F, 0.25F, 0.25F, 0.25F, 0.25F, 0.5F};
    static const int32_t group[2] = {0, 1};
    dp2dp_matrix doubles = {twice, DP2DP_FLOAT64, 2, 3, 24, 8};
    dp2dp_matrix floats = {single, DP2DP_FLOAT32, 2, 3, 12, 4};
    dp2dp_column groups = {group, DP2DP_INT32, 2, 4};
    for (int sign = -1; sign <= 1; sign += 2) {
        twice[5] = 0.5 + sign * 0.9e-6;
        single[5] = 0.5F + (float)sign * 0.9e-3F;
        assert_ok(try_pool(doubles, groups, 2, DP2DP_ROW_SUMS_CHECK, &test_error));
        assert_ok(try_pool(floats, groups, 2, DP2DP_ROW_SUMS_CHECK, &test_error));
        twice[5] = 0.5 + sign * 1.1e-6;
        single[5] = 0.5F + (float)sign * 1.1e-3F;
        (void)try_pool(doubles, groups, 2, DP2DP_ROW_SUMS_CHECK, &test_error);
        refused(&test_error, "row 2:", "sum", "0.5");
        (void)try_pool(floats, groups, 2, DP2DP_ROW_SUMS_CHECK, &test_error);
        refused(&test_error, "row 2:", "sum", "0.5");
        assert_ok(try_pool(floats, groups, 2, DP2DP_ROW_SUMS_NORMALIZE, &test_error));
    }
}

TEST(scores_are_normalized_on_request) {
    OWNED(people) p = people_new(500, 4, 2);
    FREED double *raw = calloc(p.n * 4, sizeof *raw);
    uint64_t seed = 15;
    for (size_t i = 0; i < p.n; i++) {
        p.group[i] = (int32_t)(i % 2);
        for (size_t k = 0; k < 4; k++) {
            raw[4 * i + k] = (double)(draw(&seed) % 1000) * (i % 3 ? 1e20 : 1e-12);
        }
        raw[4 * i] += 1e-12;
        people_set(&p, i, raw + 4 * i);
    }
    dp2dp_matrix scores = {raw, DP2DP_FLOAT64, p.n, 4, 32, 8};
    dp2dp_column groups = groups_of(&p);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    HANDLE(dp2dp_pool) *pool = NULL;
    options.strata = 2;
    options.row_sums = DP2DP_ROW_SUMS_NORMALIZE;
    assert_ok(dp2dp_pool_new(&scores, &groups, &options, &pool, NULL));
    counts_are(pool, &p);
    memset(raw + 4 * 17, 0, 4 * sizeof *raw);
    (void)try_pool(scores, groups, 2, DP2DP_ROW_SUMS_NORMALIZE, &test_error);
    refused(&test_error, "row 18:", "sum", NULL);
}

TEST(an_undeclared_group_is_refused_by_row) {
    static const int32_t bad[4] = {3, -1, 113, INT32_MIN};
    OWNED(people) p = people_random(50, 3, 3, 1U << 20, 16);
    for (int i = 0; i < 4; i++) {
        int32_t kept = p.group[41];
        p.group[41] = bad[i];
        (void)try_pool(scores_of(&p), groups_of(&p), 3, DP2DP_ROW_SUMS_CHECK, &test_error);
        refused(&test_error, "row 42:", "group", i == 2 ? "113" : i == 3 ? "-2147" : "-1");
        p.group[41] = kept;
    }
}

/* The row that the error names must not depend on which thread finds a bad row first. */
TEST(the_first_bad_row_is_named_whatever_the_threads) {
    OWNED(people) p = people_random(200000, 2, 2, 1U << 20, 17);
    p.scores[2 * 70000] = NAN;
    p.scores[2 * 190000] = NAN;
    p.group[130000] = 9;
    for (unsigned threads = 1; threads <= 7; threads += 3) {
        dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
        dp2dp_matrix scores = scores_of(&p);
        dp2dp_column groups = groups_of(&p);
        dp2dp_pool *pool = NULL;
        dp2dp_error error = {0};
        options.strata = 2;
        options.threads = threads;
        assert_status(dp2dp_pool_new(&scores, &groups, &options, &pool, &error), DATA);
        refused(&error, "row 70001,", "column 1:", "nan");
    }
}

static void argument_refused(dp2dp_matrix scores, dp2dp_column groups, size_t strata,
                             const char *word) {
    assert_fails(try_pool(scores, groups, strata, DP2DP_ROW_SUMS_CHECK, &test_error), ARGUMENT,
                 word);
}

TEST(impossible_shapes_and_types_are_refused) {
    dp2dp_matrix scores = scores_of(&crowd), s;
    dp2dp_column groups = groups_of(&crowd), g;
    s = scores, s.columns = 1, argument_refused(s, groups, GROUPS, "classes");
    s = scores, s.columns = 0, argument_refused(s, groups, GROUPS, "classes");
    s = scores, s.columns = 5000, argument_refused(s, groups, GROUPS, "classes");
    s = scores, s.rows--, argument_refused(s, groups, GROUPS, "rows");
    s = scores, s.data = NULL, argument_refused(s, groups, GROUPS, "NULL");
    g = groups, g.data = NULL, argument_refused(scores, g, GROUPS, "NULL");
    s = scores, s.type = DP2DP_INT32, argument_refused(s, groups, GROUPS, "float");
    g = groups, g.type = DP2DP_FLOAT32, argument_refused(scores, g, GROUPS, "int");
    argument_refused(scores, groups, 1, "groups");
    argument_refused(scores, groups, 0, "groups");
    argument_refused(scores, groups, 5000, "groups");
}

TEST(options_must_be_initialised) {
    dp2dp_matrix scores = scores_of(&crowd);
    dp2dp_column groups = groups_of(&crowd);
    dp2dp_pool_options options = {.strata = GROUPS};
    dp2dp_pool *pool = NULL;
    assert_status(dp2dp_pool_new(&scores, &groups, &options, &pool, NULL), ARGUMENT);
    assert_status(dp2dp_pool_new(&scores, &groups, NULL, &pool, NULL), ARGUMENT);
    assert_status(dp2dp_pool_new(&scores, &groups, &options, NULL, NULL), ARGUMENT);
    assert_status(try_pool(scores, groups, GROUPS, (dp2dp_row_sums)7, &test_error), ARGUMENT);
    dp2dp_pool_free(NULL);
}

GROUP(begin, end)
