/* Tests pools and fits in which records are left out: each is still one of the N records. */
#include "mechanism/release.h"
#include "phase2/rule.h"

#include "unit/phase2/data.h"

enum {
    N = 3000,
    GROUPS = 3,
    CLASSES = 3,
    CELLS = GROUPS * CLASSES
};

/* Every 7th person is left out. */
static people people_with_some_left_out(size_t groups, size_t classes) {
    people p = people_favoured(N, classes, groups, 5);
    for (size_t i = 0; i < N; i += 7) {
        p.group[i] = -1;
        p.scores[i * classes] = NAN;
    }
    return p;
}

static people people_kept(const people *p) {
    people kept = people_new(p->n, p->classes, p->groups);
    kept.n = 0;
    for (size_t i = 0; i < p->n; i++) {
        if (p->group[i] >= 0) {
            memcpy(kept.scores + kept.n * p->classes, p->scores + i * p->classes,
                   p->classes * sizeof(float));
            kept.group[kept.n++] = p->group[i];
        }
    }
    return kept;
}

static dp2dp_pool *pool_leaving_out(const people *p, double dither) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.leaves_out = 1;
    options.threads = 1;
    options.dither = (dp2dp_dither) {dither, 3};
    return pool_with(p, options);
}

static dp2dp_model *fit_pool(const dp2dp_pool *pool, const dp2dp_fit_options *options) {
    dp2dp_source source = dp2dp_pool_source(pool);
    return fit_source(&source, options);
}

static dp2dp_event charge_of(const dp2dp_model *model, size_t i) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(dp2dp_model_view(model)->ledger, i, &event, &rng, NULL));
    return event;
}

TEST(all_cells_sum_to_n) {
    static const float offsets[CELLS] = {0.1F, 0, -0.1F};
    OWNED(people) p = people_with_some_left_out(GROUPS, CLASSES), kept = people_kept(&p);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    dp2dp_source source = dp2dp_pool_source(pool);
    int64_t table[CELLS + 1], plain[CELLS], sum = 0;
    assert_int_equal(source.leaves_out, 1);
    assert_int_equal(source.records, N);
    assert_int_equal(source.count(source.context, offsets, table, NULL), OK);
    plain_count(&kept, offsets, plain);
    assert_memory_equal(table, plain, sizeof plain);
    for (int i = 0; i <= CELLS; i++) {
        sum += table[i];
    }
    assert_int_equal(sum, N);
    assert_int_equal(table[CELLS], N - kept.n);
}

TEST(a_pool_that_leaves_nobody_out_refuses_the_code) {
    OWNED(people) p = people_with_some_left_out(2, 2);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    options.strata = 2;
    assert_fails(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), DATA, "row 1");
    options.leaves_out = 2;
    assert_fails(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), ARGUMENT,
                 "leaves_out = 2");
    options.leaves_out = 1;
    p.group[1] = -2;
    assert_fails(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), DATA, "row 2");
    p.group[1] = 0;
    p.scores[2] = NAN; /* of row 2, which is not left out */
    assert_fails(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), DATA, "row 2");
}

/* Leaving a person out moves one from one cell to the last, at any offsets, dithered or not. If the
 * rows after the person moved up, their dither would change. */
TEST(leaving_one_person_out_moves_two_cells_by_one) {
    OWNED(people) p = people_random(500, 2, 2, 3, 8); /* heavy ties, so the dither decides */
    for (int dithered = 0; dithered < 2; dithered++) {
        HANDLE(dp2dp_pool) *all = pool_leaving_out(&p, dithered);
        int32_t group = p.group[10];
        p.group[10] = -1;
        HANDLE(dp2dp_pool) *less = pool_leaving_out(&p, dithered);
        p.group[10] = group;
        dp2dp_source before = dp2dp_pool_source(all), after = dp2dp_pool_source(less);
        for (int t = 0; t < 20; t++) {
            float offsets[4] = {0.05F * (float)t, 0, 0, 0.03F * (float)t};
            int64_t first[5], second[5], moved = 0;
            assert_int_equal(before.count(before.context, offsets, first, NULL), OK);
            assert_int_equal(after.count(after.context, offsets, second, NULL), OK);
            for (int c = 0; c < 5; c++) {
                moved += llabs(first[c] - second[c]);
            }
            assert_int_equal(moved, 2);
            assert_int_equal(second[4] - first[4], 1);
        }
    }
}

/* Without noise, a record that is left out changes nothing but N. */
static void expect_as_if_kept_alone(size_t groups, size_t classes, dp2dp_fit_options options) {
    OWNED(people) p = people_with_some_left_out(groups, classes), kept = people_kept(&p);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    HANDLE(dp2dp_model) *model = fit_pool(pool, &options), *alone = fit_people(&kept, &options);
    const dp2dp_model_info *info = dp2dp_model_view(model), *other = dp2dp_model_view(alone);
    assert_memory_equal(info->offsets, other->offsets, groups * classes * sizeof(double));
    assert_memory_equal(info->shares, other->shares, groups * sizeof(double));
    assert_int_equal(info->records, N);
    assert_int_equal(other->records, kept.n);
    assert_int_equal(info->leaves_out, 1);
    assert_int_equal(other->leaves_out, 0);
    if (info->optimality) {
        assert_memory_equal(info->optimality, other->optimality, sizeof *info->optimality);
    }
}

TEST(without_noise_a_fit_divides_by_the_records_that_are_kept) {
    dp2dp_fit_options options = noiseless(0.02);
    expect_as_if_kept_alone(GROUPS, CLASSES, options);
    options.solver = DP2DP_SOLVER_EXACT;
    expect_as_if_kept_alone(GROUPS, CLASSES, options);
    expect_as_if_kept_alone(2, 2, options);
}

TEST(every_release_has_one_more_cell) {
    OWNED(people) p = people_with_some_left_out(GROUPS, CLASSES);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    dp2dp_source source = dp2dp_pool_source(pool);
    for (int sgd = 0; sgd < 2; sgd++) {
        dp2dp_fit_options options = seeded(1, 3);
        options.solver = sgd ? DP2DP_SOLVER_SGD : DP2DP_SOLVER_COUNTS;
        HANDLE(dp2dp_model) *model = fit_pool(pool, &options);
        dp2dp_event totals = charge_of(model, 0), steps = charge_of(model, 1);
        assert_int_equal(totals.coordinates, GROUPS + 1);
        assert_int_equal(steps.coordinates, sgd ? CELLS : CELLS + 1);
        assert_true(totals.sensitivity == DP2DPI_COUNTS_SENSITIVITY);
        assert_true(steps.sensitivity == (sgd ? 2 : DP2DPI_COUNTS_SENSITIVITY));
        assert_int_equal(dp2dp_model_view(model)->leaves_out, 1);
        assert_int_equal(dp2dp_model_view(model)->records, N);
        HANDLE(dp2dp_ledger) *planned = new_ledger();
        assert_ok(dp2dp_fit_plan(&source, &options, planned, &test_error));
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        assert_ok(dp2dp_ledger_entry(planned, 1, &event, &rng, NULL));
        assert_int_equal(event.coordinates, steps.coordinates);
        assert_true(event.sigma == steps.sigma);
    }
}

TEST(shares_ignore_those_left_out) {
    OWNED(people) p = people_with_some_left_out(GROUPS, CLASSES), kept = people_kept(&p);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    for (int sgd = 0; sgd < 2; sgd++) {
        dp2dp_fit_options options = seeded(20, 4);
        options.solver = sgd ? DP2DP_SOLVER_SGD : DP2DP_SOLVER_COUNTS;
        HANDLE(dp2dp_model) *model = fit_pool(pool, &options);
        double sum = 0;
        for (size_t g = 0; g < GROUPS; g++) {
            double size = 0, share = dp2dp_model_view(model)->shares[g];
            for (size_t i = 0; i < kept.n; i++) {
                size += kept.group[i] == (int32_t)g;
            }
            assert_near(share, size / (double)kept.n, 0.01);
            sum += share;
        }
        assert_near(sum, 1, 1e-12);
        assert_true(unfairness_of(model, &kept, NULL) < (sgd ? 0.2 : 0.05));
    }
}

/* The same parts are subtracted from all J + 1 cells as from J cells with N. */
TEST(the_estimate_of_the_kept_shares_the_excess_equally) {
    const double counts[] = {500, 310, 206}, kept = dp2dpi_rule_kept(counts, 2, 1000);
    double shares[2];
    assert_near(kept, 1000 - (206 - 16.0 / 3), 1e-9);
    dp2dpi_rule_shares(counts, 2, kept, 1e-6, shares);
    assert_near(shares[0], (500 - 16.0 / 3) / (810 - 32.0 / 3), 1e-12);
    const double wild[] = {-500, 3, 4000}, over[] = {900, 800, -300};
    assert_true(dp2dpi_rule_kept(wild, 2, 1000) == 1);
    assert_true(dp2dpi_rule_kept(over, 2, 1000) == 1000);
}

TEST(a_model_that_leaves_out_can_be_saved_and_read) {
    OWNED(people) p = people_with_some_left_out(2, 2);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    dp2dp_fit_options options = seeded(1, 3);
    HANDLE(dp2dp_model) *model = fit_pool(pool, &options), *back = NULL;
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    assert_ok(dp2dp_model_from_json(text, length, &back, &test_error));
    assert_int_equal(dp2dp_model_view(back)->leaves_out, 1);
    dp2dp_text_free(text);
}

TEST(the_published_solver_refuses_it) {
    OWNED(people) p = people_with_some_left_out(2, 2);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(1, 3);
    dp2dp_model *model = NULL;
    options.solver = DP2DP_SOLVER_SGD_AS_PUBLISHED;
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT, "leave records out");
    assert_fails(dp2dp_fit_plan(&source, &options, ledger, &test_error), ARGUMENT,
                 "leave records out");
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}

/* The noise on the estimate is below 15 people here, far from the 1500 that decide. */
TEST(a_fit_that_leaves_most_people_out_says_so) {
    static const dp2dp_solver solvers[] = {DP2DP_SOLVER_COUNTS, DP2DP_SOLVER_SGD,
                                           DP2DP_SOLVER_EXACT};
    for (size_t s = 0; s < 3; s++) {
        for (size_t kept = 1; kept <= 2; kept++) { /* of every three people */
            OWNED(people) p = people_favoured(N, 2, 2, 5);
            for (size_t i = 0; i < N; i++) {
                p.group[i] = i % 3 < kept ? p.group[i] : -1;
            }
            HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
            dp2dp_fit_options options = seeded(1, 3);
            options.solver = solvers[s];
            HANDLE(dp2dp_model) *model = fit_pool(pool, &options);
            assert_int_equal(dp2dp_model_view(model)->warnings & DP2DP_WARNING_MOST_LEFT_OUT,
                             kept == 1 ? DP2DP_WARNING_MOST_LEFT_OUT : 0);
        }
    }
}

/* The rates are noise alone, so they jump; a dither would not help. */
TEST(a_fit_that_leaves_everybody_out_does_not_advise_a_dither) {
    for (uint64_t seed = 1; seed <= 10; seed++) {
        OWNED(people) p = people_random(N, 2, 2, 100, 1);
        for (size_t i = 0; i < N; i++) {
            p.group[i] = -1;
        }
        HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
        dp2dp_fit_options options = seeded(1, seed);
        HANDLE(dp2dp_model) *model = fit_pool(pool, &options);
        assert_int_equal(dp2dp_model_view(model)->warnings &
                             (DP2DP_WARNING_MOST_LEFT_OUT | DP2DP_WARNING_TIES),
                         DP2DP_WARNING_MOST_LEFT_OUT);
    }
}

TEST(a_new_rule_does_not_inherit_warnings_about_the_old_one) {
    OWNED(people) p = people_favoured(N, 2, 2, 5), none = people_favoured(N, 2, 2, 5);
    for (size_t i = 0; i < N; i++) {
        none.group[i] = -1;
    }
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0), *empty = pool_leaving_out(&none, 0);
    dp2dp_fit_options options = seeded(1, 3);
    HANDLE(dp2dp_model) *first = fit_pool(empty, &options);
    assert_true(dp2dp_model_view(first)->warnings & DP2DP_WARNING_GROUP_TOO_SMALL);
    options.base = first;
    HANDLE(dp2dp_model) *second = fit_pool(pool, &options);
    assert_int_equal(dp2dp_model_view(second)->warnings &
                         (DP2DP_WARNING_MOST_LEFT_OUT | DP2DP_WARNING_GROUP_TOO_SMALL),
                     0);
}

/* A status that depends on how many are left out would tell. */
TEST(everybody_may_be_left_out) {
    OWNED(people) p = people_random(20, 2, 2, 100, 1);
    for (size_t i = 0; i < p.n; i++) {
        p.group[i] = -1;
    }
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    dp2dp_source source = dp2dp_pool_source(pool);
    for (int sgd = 0; sgd < 2; sgd++) {
        dp2dp_fit_options options = seeded(1, 3);
        options.solver = sgd ? DP2DP_SOLVER_SGD : DP2DP_SOLVER_COUNTS;
        HANDLE(dp2dp_model) *model = fit_pool(pool, &options);
        for (int i = 0; i < 4; i++) {
            assert_true(isfinite(dp2dp_model_view(model)->offsets[i]));
        }
    }
    dp2dp_fit_options options = noiseless(0);
    dp2dp_model *model = NULL;
    options.solver = DP2DP_SOLVER_EXACT; /* not private */
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), DATA, "left out");
}

TEST(a_source_that_differs_from_its_pool_is_refused) {
    OWNED(people) p = people_with_some_left_out(2, 2);
    HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = seeded(1, 3);
    dp2dp_model *model = NULL;
    source.leaves_out = 0;
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT,
                 "dp2dp_pool_fill_source");
    source.leaves_out = -1;
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT, "leaves_out");
}

static dp2dp_pool *pool_ignoring(const people *p, dp2dp_row_sums row_sums, double dither) {
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.bad_rows = DP2DP_BAD_ROWS_IGNORE;
    options.row_sums = row_sums;
    options.threads = 1;
    options.dither = (dp2dp_dither) {dither, 3};
    return pool_with(p, options);
}

/* Counts under a few offsets, with both pools. */
static void expect_equal_counts(const dp2dp_pool *a, const dp2dp_pool *b) {
    static const float offsets[CELLS] = {0.1F, 0, -0.1F, 0.05F};
    int64_t tables[2][CELLS + 1];
    dp2dp_source sources[] = {dp2dp_pool_source(a), dp2dp_pool_source(b)};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(sources[i].leaves_out, 1);
        assert_ok(sources[i].count(sources[i].context, offsets, tables[i], &test_error));
    }
    assert_memory_equal(tables[0], tables[1], sizeof tables[0]);
}

/* Each kind of bad row counts as if it had the code of a row that is left out. */
TEST(a_bad_row_that_is_ignored_is_left_out) {
    OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 5);
    OWNED(people) marked = people_favoured(N, CLASSES, GROUPS, 5);
    for (size_t i = 0; i < 8; i++) {
        float *row = p.scores + i * 100 * CLASSES;
        row[0] = i == 0 ? NAN : i == 1 ? -0.1F : i == 2 ? INFINITY : i == 3 ? row[0] + 1 : row[0];
        row[1] = i == 4 ? -row[1] - 1 : row[1];
        p.group[i * 100] = i == 5 ? GROUPS : i == 6 ? -1 : i == 7 ? -100 : p.group[i * 100];
        marked.group[i * 100] = -1;
    }
    for (int dithered = 0; dithered < 2; dithered++) {
        HANDLE(dp2dp_pool) *bad = pool_ignoring(&p, DP2DP_ROW_SUMS_CHECK, dithered * 0.1);
        HANDLE(dp2dp_pool) *left_out = pool_leaving_out(&marked, dithered * 0.1);
        expect_equal_counts(bad, left_out);
    }
    OWNED(people) sound = people_favoured(N, CLASSES, GROUPS, 5);
    HANDLE(dp2dp_pool) *pool = pool_ignoring(&sound, DP2DP_ROW_SUMS_NORMALIZE, 0);
    assert_int_equal(dp2dp_pool_source(pool).leaves_out, 1); /* though nobody is left out */
}

/* Many rows are at the edge of the tolerance. Whether one counts must not depend on another row of
 * its block. */
TEST(a_bad_row_leaves_no_other_row_out) {
    OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 5);
    int64_t tables[2][CELLS + 1];
    static const float offsets[CELLS] = {0};
    for (size_t i = 0; i < N; i++) {
        p.scores[i * CLASSES] += 1e-3F + (float)((int)(i % 41) - 20) * 2e-8F;
    }
    for (int with_bad = 0; with_bad < 2; with_bad++) {
        if (with_bad) {
            p.scores[0] = NAN; /* in the first block */
        }
        HANDLE(dp2dp_pool) *pool = pool_ignoring(&p, DP2DP_ROW_SUMS_CHECK, 0);
        dp2dp_source source = dp2dp_pool_source(pool);
        assert_ok(source.count(source.context, offsets, tables[with_bad], &test_error));
    }
    int64_t moved = 0;
    for (size_t c = 0; c <= CELLS; c++) {
        moved += llabs(tables[0][c] - tables[1][c]);
    }
    assert_true(tables[0][CELLS] > N / 10 && tables[0][CELLS] < N - N / 10);
    assert_true(moved <= 2);
}

TEST(another_way_to_treat_bad_rows_is_refused) {
    OWNED(people) p = people_favoured(N, 2, 2, 5);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column groups = groups_of(&p);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    options.strata = 2;
    options.bad_rows = (dp2dp_bad_rows)2;
    assert_fails(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error), ARGUMENT,
                 "bad_rows = 2");
}

/* The noise on the number of records left out is below 10 here, and 5 % of all are 150. */
TEST(a_model_says_how_many_records_were_left_out_only_if_they_are_clearly_many) {
    static const size_t every[] = {7, 30};
    for (size_t i = 0; i < 2; i++) {
        OWNED(people) p = people_favoured(N, CLASSES, GROUPS, 5);
        for (size_t row = 0; row < N; row += every[i]) {
            p.group[row] = -1;
        }
        dp2dp_fit_options options = seeded(4, 1);
        HANDLE(dp2dp_pool) *pool = pool_leaving_out(&p, 0);
        HANDLE(dp2dp_model) *model = fit_pool(pool, &options);
        FREED char *text = NULL;
        size_t length;
        HANDLE(dp2dp_model) *again = NULL;
        const dp2dp_model_info *info = dp2dp_model_view(model);
        assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
        assert_ok(dp2dp_model_from_json(text, length, &again, &test_error));
        assert_int_equal(dp2dp_model_view(again)->kept, info->kept);
        if (i == 0) {
            assert_true(info->kept > 2520 && info->kept < 2620); /* 2571 */
            assert_non_null(strstr(text, "\"records_kept\""));
            assert_non_null(strstr(text, "\"minor\": 4"));
        } else {
            assert_int_equal(info->kept, 0);
            assert_null(strstr(text, "records_kept"));
        }
    }
}
