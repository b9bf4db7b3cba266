/* Tests what a pool says about suspicious records: rows that are repeated, and weights that do not
 * predict the groups. */
#include "unit/phase2/data.h"

enum {
    N = 3000,
    FINE = 1 << 20 /* scores that hardly ever tie */
};

/* People of whom the rows from `first` on are copies of the first rows. */
static people copied_from(size_t first, uint64_t levels, uint64_t seed) {
    people p = people_random(N, 2, 2, levels, seed);
    for (size_t i = first; i < N; i++) {
        size_t from = (i - first) % first;
        memcpy(p.scores + i * p.classes, p.scores + from * p.classes, p.classes * sizeof(float));
        p.group[i] = p.group[from];
    }
    return p;
}

static unsigned warnings_about(const people *p) {
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    return dp2dp_pool_warnings(pool);
}

static unsigned warnings_if_copied(size_t first, uint64_t levels, uint64_t seed) {
    OWNED(people) p = copied_from(first, levels, seed);
    return warnings_about(&p);
}

TEST(a_table_that_is_in_the_pool_twice_or_more_is_noticed) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if_copied(N / 2, FINE, seed), DP2DP_WARNING_ROWS_REPEATED);
        assert_int_equal(warnings_if_copied(N / 5, FINE, seed), DP2DP_WARNING_ROWS_REPEATED);
        /* also with scores that tie often: about 1000 different rows */
        assert_int_equal(warnings_if_copied(N / 2, 30, seed), DP2DP_WARNING_ROWS_REPEATED);
    }
}

TEST(a_part_of_the_table_that_is_repeated_is_noticed) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if_copied(N - N / 3, FINE, seed), DP2DP_WARNING_ROWS_REPEATED);
    }
}

TEST(few_repeated_rows_are_not_noticed) {
    assert_int_equal(warnings_if_copied(N - 20, FINE, 1), 0);
    OWNED(people) few = copied_from(N / 2, FINE, 1);
    few.n = 99;
    assert_int_equal(warnings_about(&few), 0);
}

/* Rows with `levels` values of each score: with few levels most rows are equal to others. The
 * chance of a false alarm is below 1 in 100,000 for each table; there are 1,200 tables. */
TEST(rows_that_are_equal_by_chance_are_not_noticed) {
    static const uint64_t levels[] = {2, 10, 20, 30, 50, 70, 100, 150, 300, 1000, FINE};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        for (uint64_t seed = 0; seed < 100; seed++) {
            OWNED(people) p = people_random(N, 2, 2, levels[i], 1000 * i + seed);
            assert_int_equal(warnings_about(&p), 0);
        }
    }
    for (uint64_t seed = 0; seed < 100; seed++) {
        /* Many people have one of few scores, the others a score of their own. */
        OWNED(people) p = people_random(N, 2, 2, FINE, seed),
                      tied = people_random(N, 2, 2, 4, seed);
        memcpy(p.scores, tied.scores, sizeof(float) * N);
        assert_int_equal(warnings_about(&p), 0);
    }
}

TEST(rows_that_stand_for_several_records_may_be_equal) {
    OWNED(people) p = copied_from(N / 2, FINE, 1);
    FREED uint64_t *times = calloc(N, sizeof *times);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    for (size_t i = 0; i < N; i++) {
        times[i] = 2;
    }
    options.multiplicity = times;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    assert_false(dp2dp_pool_warnings(pool) & DP2DP_WARNING_ROWS_REPEATED);
}

/* Every row stands for between `least` and `least` + `range` − 1 records. */
static unsigned warnings_if_counted(uint64_t levels, size_t least, size_t range, uint64_t seed) {
    OWNED(people) p = people_random(N, 2, 2, levels, seed);
    FREED uint64_t *times = calloc(N, sizeof *times);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    for (size_t i = 0; i < N; i++) {
        times[i] = least + draw(&seed) % range;
    }
    options.multiplicity = times;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    return dp2dp_pool_warnings(pool);
}

TEST(multiplicities_that_look_like_survey_weights_or_ids_are_noticed) {
    assert_int_equal(warnings_if_counted(FINE, 120, 780, 1), DP2DP_WARNING_SURVEY_WEIGHTS);
    assert_int_equal(warnings_if_counted(FINE, 100000, 900000, 1), DP2DP_WARNING_SURVEY_WEIGHTS);
}

TEST(counts_of_equal_records_are_not_taken_for_weights) {
    assert_int_equal(warnings_if_counted(FINE, 1, 3, 1), 0);   /* many cells have one record */
    assert_int_equal(warnings_if_counted(30, 120, 780, 1), 0); /* cells with the same scores */
}

/* How the weights of the test are made from the groups. */
typedef enum weights_kind {
    TRUE_CHANCES,
    SWAPPED,
    OF_OTHER_ROWS,
    POOR, /* they hardly differ between people */
    FAR_FROM_SHARES
} weights_kind;

/* The weights of three groups. The true group is drawn with the chances that TRUE_CHANCES gives. */
static unsigned warnings_if_weighted(weights_kind kind, uint64_t seed) {
    enum {
        GROUPS = 3
    };
    OWNED(people) p = people_random(N, 2, GROUPS, FINE, seed);
    FREED float *weights = calloc((size_t)N * GROUPS, sizeof *weights);
    for (size_t i = 0; i < N; i++) {
        double row[GROUPS], u = (double)(draw(&seed) >> 11) * 0x1p-53;
        draw_row(&seed, GROUPS, 0, row);
        p.group[i] = u < row[0] ? 0 : u < row[0] + row[1] ? 1 : 2;
        if (kind == SWAPPED) {
            double first = row[0];
            row[0] = row[1];
            row[1] = row[2];
            row[2] = first;
        } else if (kind == OF_OTHER_ROWS) {
            draw_row(&seed, GROUPS, 0, row);
        }
        if (kind == FAR_FROM_SHARES) { /* still in the order of the true chances */
            double sum = 2 * row[0] + 1;
            row[0] = 3 * row[0] / sum;
            row[1] = row[1] / sum;
            row[2] = row[2] / sum;
        }
        for (size_t g = 0; g < GROUPS; g++) {
            double near = 1.0 / GROUPS + 1e-3 * ((double)g - 1) * (i % 2 ? 1 : -1);
            weights[i * GROUPS + g] = (float)(kind == POOR ? near : row[g]);
        }
    }
    dp2dp_matrix given = {weights, DP2DP_FLOAT32, N, GROUPS, GROUPS * sizeof(float), sizeof(float)};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    options.weights = &given;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    return dp2dp_pool_warnings(pool);
}

TEST(weights_whose_means_are_far_from_the_shares_are_noticed) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if_weighted(FAR_FROM_SHARES, seed),
                         DP2DP_WARNING_WEIGHTS_UNCALIBRATED);
    }
}

TEST(weights_that_do_not_predict_the_groups_are_noticed) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if_weighted(SWAPPED, seed), DP2DP_WARNING_WEIGHTS_TELL_NOTHING);
        assert_int_equal(warnings_if_weighted(TRUE_CHANCES, seed), 0);
        assert_int_equal(warnings_if_weighted(POOR, seed), 0);
    }
}

/* Weights of other rows predict the groups as well as chance, so two standard errors are exceeded
 * in 2.3 % of all tables: with 200 tables, more than 20 are missed with a probability below 1e-8.
 */
TEST(weights_of_other_rows_are_nearly_always_noticed) {
    size_t noticed = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        noticed += warnings_if_weighted(OF_OTHER_ROWS, seed) == DP2DP_WARNING_WEIGHTS_TELL_NOTHING;
    }
    assert_true(noticed >= 180);
}
