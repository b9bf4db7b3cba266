/* Tests what a pool says about scores that do not belong to the labels, about scores that are no
 * probabilities, and about pairs of weights in another order. */
#include "unit/phase2/data.h"

enum {
    N = 3000,
    GROUPS = 2,
    CLASSES = 3,
    FINE = 1 << 20 /* scores that hardly ever tie */
};

/* How scores and labels of the test belong together. */
typedef enum belonging {
    TRUE_CHANCES,  /* the labels are drawn with the scores as their chances */
    OF_OTHER_ROWS, /* as above, but each person has the scores of another person */
    SWAPPED,       /* as above, but two classes are exchanged */
    POOR,          /* the scores hardly differ between people */
    OVERSURE,      /* the scores are farther from their mean than the chances */
    DECIDED        /* the label is the class with the largest score */
} belonging;

static double chance_of(uint64_t *seed) {
    return (double)(draw(seed) >> 11) * 0x1p-53;
}

static size_t draw_code(uint64_t *seed, const double *chances, size_t count) {
    double u = chance_of(seed);
    size_t k = 0;
    while (k + 1 < count && u >= chances[k]) {
        u -= chances[k++];
    }
    return k;
}

static size_t largest(const double *row) {
    return row[0] >= row[1] && row[0] >= row[2] ? 0 : row[1] >= row[2] ? 1 : 2;
}

/* Changes the scores of a row, whose label is already drawn. */
static void spoil(belonging kind, uint64_t *seed, double *row) {
    double first = row[0], sum = 0;
    if (kind == OF_OTHER_ROWS) {
        draw_row(seed, CLASSES, 0, row);
    } else if (kind == SWAPPED) {
        row[0] = row[1];
        row[1] = first;
    }
    for (size_t k = 0; k < CLASSES; k++) {
        row[k] = kind == POOR       ? 1.0 / CLASSES + 0.01 * (row[k] - 1.0 / CLASSES)
                 : kind == OVERSURE ? row[k] * row[k]
                                    : row[k];
        sum += row[k];
    }
    for (size_t k = 0; k < CLASSES; k++) {
        row[k] /= sum;
    }
}

static int with_dither;

static unsigned warnings_if(belonging kind, uint64_t seed) {
    OWNED(people) p = people_random(N, CLASSES, GROUPS, FINE, seed);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    for (size_t i = 0; i < N; i++) {
        double row[CLASSES];
        draw_row(&seed, CLASSES, 0, row);
        size_t label = kind == DECIDED ? largest(row) : draw_code(&seed, row, CLASSES);
        spoil(kind, &seed, row);
        p.group[i] = (int32_t)(draw(&seed) % GROUPS * CLASSES + label);
        for (size_t k = 0; k < CLASSES; k++) {
            p.scores[i * CLASSES + k] = (float)row[k];
        }
    }
    p.groups = (size_t)GROUPS * CLASSES;
    options.labels = CLASSES;
    options.dither = (dp2dp_dither) {.width = with_dither ? 0.15 : 0, .seed = 1};
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    return dp2dp_pool_warnings(pool);
}

TEST(a_dither_hides_nothing) {
    with_dither = 1;
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if(DECIDED, seed), DP2DP_WARNING_LABELS_ARE_DECISIONS);
        assert_int_equal(warnings_if(SWAPPED, seed), DP2DP_WARNING_WORSE_THAN_GUESSING);
        assert_int_equal(warnings_if(TRUE_CHANCES, seed), 0);
        assert_int_equal(warnings_if(POOR, seed), 0);
    }
    with_dither = 0;
}

TEST(labels_that_follow_from_the_scores_or_contradict_them_are_noticed) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if(DECIDED, seed), DP2DP_WARNING_LABELS_ARE_DECISIONS);
        assert_int_equal(warnings_if(SWAPPED, seed), DP2DP_WARNING_WORSE_THAN_GUESSING);
    }
}

/* Scores of other rows predict the labels by chance: two standard errors are exceeded in 2.3 % of
 * all tables. With 200 tables, more than 20 are missed with a probability below 1e-8. */
TEST(labels_of_other_rows_are_nearly_always_noticed) {
    size_t noticed = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        noticed += warnings_if(OF_OTHER_ROWS, seed) == DP2DP_WARNING_NO_BETTER_THAN_GUESSING;
    }
    assert_true(noticed >= 180);
}

/* A false alarm has a probability below 1e-5 for each table. */
TEST(honest_scores_are_not_suspected) {
    for (uint64_t seed = 0; seed < 100; seed++) {
        assert_int_equal(warnings_if(TRUE_CHANCES, seed), 0);
        assert_int_equal(warnings_if(OVERSURE, seed), 0);
        assert_int_equal(warnings_if(POOR, seed), 0);
    }
}

/* Pools whose scores are all equal to `first`, or 0 or 1. */
static unsigned oddities_of(size_t n, double first, int varied) {
    OWNED(people) p = people_random(n, 2, 2, FINE, 1);
    for (size_t i = 0; i < n; i++) {
        float score = (float)(varied && i % 2 ? 1 - first : first);
        p.scores[2 * i] = score;
        p.scores[2 * i + 1] = 1 - score;
    }
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    return dp2dp_pool_warnings(pool) & (DP2DP_WARNING_MEASURED - 1);
}

TEST(scores_that_are_decisions_or_all_equal_are_noticed) {
    assert_int_equal(oddities_of(40, 1, 1), DP2DP_ODDITY_SCORES_ARE_DECISIONS);
    assert_int_equal(oddities_of(40, 0.3, 0), DP2DP_ODDITY_SCORES_ARE_EQUAL);
    assert_int_equal(oddities_of(40, 0.3, 1), 0);
    assert_int_equal(oddities_of(19, 1, 1), 0);
}

/* What is wrong with the weights of pairs of group and label. */
typedef enum pairs_kind {
    RIGHT_ORDER,
    LABEL_BY_LABEL,
    BALANCED, /* in the right order, but from a classifier trained with balanced pairs */
    GROUPS_THEMSELVES
} pairs_kind;

static unsigned warnings_if_paired(pairs_kind kind, uint64_t seed) {
    enum {
        PAIRS = GROUPS * CLASSES
    };
    static const double shares[PAIRS] = {0.2, 0.08, 0.07, 0.2, 0.17, 0.28};
    OWNED(people) p = people_random(N, CLASSES, GROUPS, FINE, seed);
    FREED float *weights = calloc((size_t)N * PAIRS, sizeof *weights);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    for (size_t i = 0; i < N; i++) {
        double row[PAIRS], sum = 0, scaled = 0;
        draw_row(&seed, PAIRS, 0, row);
        for (size_t e = 0; e < PAIRS; e++) {
            row[e] *= shares[e];
            sum += row[e];
        }
        for (size_t e = 0; e < PAIRS; e++) {
            row[e] /= sum;
        }
        size_t pair = draw_code(&seed, row, PAIRS);
        p.group[i] = (int32_t)pair;
        for (size_t e = 0; e < PAIRS && kind == BALANCED; e++) {
            row[e] /= shares[e];
            scaled += row[e];
        }
        for (size_t e = 0; e < PAIRS; e++) {
            size_t at = kind == LABEL_BY_LABEL ? e % CLASSES * GROUPS + e / CLASSES : e;
            double group = e / CLASSES == pair / CLASSES ? 1.0 / CLASSES : 0;
            weights[i * PAIRS + at] = (float)(kind == BALANCED            ? row[e] / scaled
                                              : kind == GROUPS_THEMSELVES ? group
                                                                          : row[e]);
        }
    }
    dp2dp_matrix given = {weights, DP2DP_FLOAT32, N, PAIRS, PAIRS * sizeof(float), sizeof(float)};
    p.groups = PAIRS;
    options.labels = CLASSES;
    options.weights = &given;
    HANDLE(dp2dp_pool) *pool = pool_with(&p, options);
    const unsigned of_labels = DP2DP_WARNING_LABELS_ARE_DECISIONS |
                               DP2DP_WARNING_WORSE_THAN_GUESSING |
                               DP2DP_WARNING_NO_BETTER_THAN_GUESSING;
    return dp2dp_pool_warnings(pool) & ~of_labels; /* the scores are random here */
}

TEST(pairs_that_are_listed_label_by_label_are_noticed) {
    for (uint64_t seed = 0; seed < 20; seed++) {
        assert_int_equal(warnings_if_paired(LABEL_BY_LABEL, seed), DP2DP_ODDITY_PAIRS_TRANSPOSED);
        assert_int_equal(warnings_if_paired(RIGHT_ORDER, seed), 0);
        assert_false(warnings_if_paired(BALANCED, seed) & DP2DP_ODDITY_PAIRS_TRANSPOSED);
    }
}

TEST(weights_that_are_the_groups_are_noticed) {
    assert_int_equal(warnings_if_paired(GROUPS_THEMSELVES, 1),
                     DP2DP_ODDITY_GROUP_SCORES_ARE_GROUPS);
}
