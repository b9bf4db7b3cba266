/* Tests pools whose rows stand for several records each, and scores on a grid. */
#include "unit/phase2/data.h"

enum {
    N = 700, /* more than a block, and no multiple of one */
    TIMES_MAX = 5
};

static void repeats_free(uint64_t **times) {
    free(*times);
}

/* How often each row counts: from 1 to TIMES_MAX. */
static uint64_t *draw_times(size_t n, uint64_t seed) {
    uint64_t *times = calloc(n, sizeof *times);
    assert_non_null(times);
    for (size_t i = 0; i < n; i++) {
        times[i] = 1 + draw(&seed) % TIMES_MAX;
    }
    return times;
}

static people repeated(const people *p, const uint64_t *times) {
    people all = people_new(p->n * TIMES_MAX, p->classes, p->groups);
    all.n = 0;
    for (size_t i = 0; i < p->n; i++) {
        for (uint64_t copy = 0; copy < times[i]; copy++, all.n++) {
            memcpy(all.scores + all.n * p->classes, p->scores + i * p->classes,
                   p->classes * sizeof(float));
            all.group[all.n] = p->group[i];
        }
    }
    return all;
}

static dp2dp_pool *pool_of_cells(const people *p, const uint64_t *times, unsigned threads) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.multiplicity = times;
    options.threads = threads;
    return pool_with(p, options);
}

TEST(a_table_of_cells_is_that_of_the_repeated_rows) {
    static const size_t classes[] = {2, 3, 5, 8, 11};
    for (size_t c = 0; c < sizeof classes / sizeof classes[0]; c++) {
        size_t cells = 3 * classes[c];
        __attribute__((cleanup(repeats_free))) uint64_t *times = draw_times(N, c);
        /* few levels, so that many rows tie */
        OWNED(people) p = people_random(N, classes[c], 3, 4, c), all = repeated(&p, times);
        HANDLE(dp2dp_pool) *few = pool_of_cells(&p, times, 2), *many = pool_of(&all);
        dp2dp_source short_one = dp2dp_pool_source(few), long_one = dp2dp_pool_source(many);
        FREED float *offsets = calloc(cells, sizeof *offsets);
        FREED int64_t *a = calloc(cells, sizeof *a), *b = calloc(cells, sizeof *b);
        uint64_t seed = 9;
        assert_int_equal(short_one.records, all.n);
        for (size_t i = 0; i < cells; i++) {
            offsets[i] = (float)(draw(&seed) % 100) / 400.0F;
        }
        assert_int_equal(short_one.count(short_one.context, offsets, a, NULL), OK);
        assert_int_equal(long_one.count(long_one.context, offsets, b, NULL), OK);
        assert_memory_equal(a, b, cells * sizeof *a);
    }
}

TEST(counts_of_large_cells_do_not_overflow) {
    OWNED(people) p = people_random(2, 2, 2, 1U << 20, 1);
    const uint64_t times[] = {(UINT64_C(1) << 48) - 7, 7};
    const float offsets[4] = {0};
    int64_t table[4], sum = 0;
    HANDLE(dp2dp_pool) *pool = pool_of_cells(&p, times, 1);
    dp2dp_source source = dp2dp_pool_source(pool);
    assert_true(source.records == UINT64_C(1) << 48);
    assert_int_equal(source.count(source.context, offsets, table, NULL), OK);
    for (int i = 0; i < 4; i++) {
        sum += table[i];
    }
    assert_true(sum == INT64_C(1) << 48);
}

static void expect_refused(const uint64_t *times, dp2dp_pool_options options, dp2dp_status status,
                           const char *words) {
    OWNED(people) p = people_random(3, 2, 2, 1U << 20, 1);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    dp2dp_pool *pool = NULL;
    options.strata = p.groups;
    options.multiplicity = times;
    assert_int_equal(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), status);
    assert_null(pool);
    assert_non_null(strstr(test_error.message, words));
}

TEST(a_row_that_stands_for_no_record_is_refused) {
    const uint64_t times[] = {1, 0, 4};
    expect_refused(times, DP2DP_POOL_OPTIONS_INIT, DP2DP_STATUS_DATA, "not for survey weights");
    assert_int_equal(test_error.row, 2);
    assert_int_equal(test_error.reason, DP2DP_REASON_NUMBER_RANGE);
}

TEST(too_many_records_are_refused) {
    const uint64_t sum[] = {1, UINT64_C(1) << 48, 1}, wrapping[] = {2, UINT64_MAX, 1};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    expect_refused(sum, options, DP2DP_STATUS_DATA, "row 2");
    expect_refused(wrapping, options, DP2DP_STATUS_DATA, "row 2");
    const uint64_t soft[] = {1, UINT64_C(1) << 42, 1};
    options.labels = 2;
    options.strata = 4;
    options.counted = DP2DP_COUNTED_SCORES;
    OWNED(people) p = people_random(3, 2, 2, 1U << 20, 1);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    dp2dp_pool *pool = NULL;
    options.multiplicity = soft;
    assert_int_equal(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error),
                     DP2DP_STATUS_DATA);
}

TEST(a_dither_and_a_grid_that_is_too_fine_are_refused) {
    const uint64_t times[] = {1, 2, 3};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.dither.width = 0.1;
    expect_refused(times, options, DP2DP_STATUS_ARGUMENT, "dither");
    options = DP2DP_POOL_OPTIONS_INIT;
    options.grid_bits = 21;
    expect_refused(NULL, options, DP2DP_STATUS_ARGUMENT, "from 0 to 20");
}

static dp2dp_status fit_cells(const people *p, const uint64_t *times, dp2dp_solver solver) {
    HANDLE(dp2dp_pool) *pool = pool_of_cells(p, times, 1);
    HANDLE(dp2dp_model) *model = NULL;
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(1, 1);
    options.solver = solver;
    options.ledger = ledger;
    options.rng = DP2DP_RNG_SECURE;
    dp2dp_status status = dp2dp_fit(&source, &options, &model, &test_error);
    assert_int_equal(model == NULL, status != OK);
    assert_true(status == OK || charges_in(ledger) == 0);
    assert_true(status == OK || dp2dp_fit_plan(&source, &options, ledger, NULL) == status);
    return status;
}

TEST(solvers_that_sample_records_refuse_cells_and_charge_nothing) {
    OWNED(people) p = people_random(60, 2, 2, 1U << 20, 1);
    __attribute__((cleanup(repeats_free))) uint64_t *times = draw_times(p.n, 1);
    assert_int_equal(fit_cells(&p, times, DP2DP_SOLVER_SGD), DP2DP_STATUS_ARGUMENT);
    assert_int_equal(fit_cells(&p, times, DP2DP_SOLVER_SGD_AS_PUBLISHED), DP2DP_STATUS_ARGUMENT);
    assert_int_equal(fit_cells(&p, times, DP2DP_SOLVER_COUNTS), OK);
    times[0] = 1000000000;
    assert_int_equal(fit_cells(&p, times, DP2DP_SOLVER_EXACT), DP2DP_STATUS_MEMORY);
}

TEST(a_pool_on_a_grid_counts_as_the_model_decides) {
    for (unsigned bits = 1; bits <= 20; bits += 3) {
        OWNED(people) p = people_favoured(3000, 3, 2, bits);
        dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
        options.grid_bits = bits;
        HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
        dp2dp_source source = dp2dp_pool_source(pool);
        dp2dp_fit_options fit = seeded(1, bits);
        HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
        assert_int_equal(dp2dp_model_view(model)->grid_bits, bits);
        assert_decisions_are_the_counts(model, pool, &p);
    }
}

TEST(a_source_must_have_the_grid_of_its_pool) {
    OWNED(people) p = people_random(60, 2, 2, 1U << 20, 1);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options fit = seeded(1, 1);
    source.grid_bits = 4;
    assert_int_equal(dp2dp_fit(&source, &fit, &model, &test_error), DP2DP_STATUS_ARGUMENT);
}

TEST(adjusted_scores_are_the_rounded_scores_minus_the_offsets) {
    OWNED(people) p = people_favoured(500, 3, 2, 1);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.grid_bits = 5;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options fit = seeded(1, 1);
    HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    FREED float *adjusted = calloc(p.n * p.classes, sizeof *adjusted);
    assert_ok(dp2dp_model_adjust(model, &scores, &groups, NULL, adjusted, &test_error));
    for (size_t i = 0; i < p.n * p.classes; i++) {
        size_t cell = (size_t)p.group[i / p.classes] * p.classes + i % p.classes;
        float rounded = (float)(floor((double)p.scores[i] * 32 + 0.5) / 32);
        float expected = rounded - (float)dp2dp_model_view(model)->offsets[cell];
        assert_true(adjusted[i] == expected);
    }
}
