/* Criteria beyond demographic parity: what is counted, what is decided, what a fit reaches. */
#include "decide/model.h"
#include "decide/record.h"

#include "unit/phase2/criteria.h"

static const way ways[] = {
    {.labels = 1},
    {.labels = 1, .width = 0.15, .key = DP2DP_DITHER_KEY_SCORES},
    {.labels = 1, .width = 0.15, .key = DP2DP_DITHER_KEY_ROW},
    {.labels = 1, .counted = DP2DP_COUNTED_SCORES},
    {.labels = 1, .counted = DP2DP_COUNTED_SCORES, .width = 0.15, .key = DP2DP_DITHER_KEY_SCORES},
    {.labels = 1, .weighted = 1},
    {.labels = 1, .weighted = 1, .by_group = 1},
    {.labels = 1, .weighted = 1, .counted = DP2DP_COUNTED_SCORES},
    {.labels = 1, .weighted = 1, .by_group = 1, .counted = DP2DP_COUNTED_SCORES, .width = 0.1},
    {.weighted = 1},
    {.weighted = 1, .counted = DP2DP_COUNTED_SCORES},
};

enum {
    WAYS = sizeof ways / sizeof *ways
};

/* The rule as the header defines it, in the arithmetic of the library. Writes the weights of all J
 * strata. */
static size_t by_definition(const labelled *p, const way *w, size_t i, const float *offsets,
                            float *weights) {
    size_t k = p->classes, labels = labels_of(p, w), strata = p->groups * labels, best = 0;
    float value[8] = {0}, score[8] = {0};
    for (size_t c = 0; c < k; c++) {
        score[c] = (float)p->scores[i * k + c];
    }
    for (size_t e = 0; e < strata; e++) {
        size_t g = e / labels, y = e % labels;
        float group = w->weighted ? (float)p->group_weights[i * p->groups + g]
                                  : (float)(g == (size_t)p->group[i]);
        weights[e] = !w->labels                    ? group
                     : w->weighted && !w->by_group ? (float)p->weights[i * strata + e]
                                                   : group * score[y];
    }
    uint64_t key = w->key == DP2DP_DITHER_KEY_SCORES ? dp2dpi_dither_key_of_scores(score, 1, k) : i;
    for (size_t c = 0; c < k; c++) {
        volatile float shift = 0, shifted = score[c];
        for (size_t e = 0; e < strata; e++) {
            volatile float product = weights[e] * offsets[e * k + c];
            shift += product;
        }
        if (w->width > 0) {
            shifted += dp2dpi_dither_draw(&(dp2dp_dither) {w->width, 5}, key, c);
        }
        value[c] = shifted - shift;
        best = value[c] > value[best] ? c : best;
    }
    return best;
}

static void draw_offsets(float *offsets, size_t n, uint64_t *seed) {
    for (size_t i = 0; i < n; i++) {
        offsets[i] = (float)(uniform(seed) - 0.5);
    }
}

TEST(a_pool_counts_what_the_rule_decides) {
    static labelled p;
    float offsets[128], weights[32];
    uint64_t seed = 3;
    for (size_t c = 0; c < 4 * WAYS; c++) {
        const way *w = &ways[c % WAYS];
        labelled_new(&p, 300 - 5 * c, 2 + c % 3, 2 + c / WAYS % 2, 100 + c);
        size_t k = p.classes, strata = p.groups * labels_of(&p, w);
        HANDLE(dp2dp_pool) *pool = labelled_pool(&p, w);
        dp2dp_source source = dp2dp_pool_source(pool);
        int64_t table[128];
        double expected[128] = {0};
        draw_offsets(offsets, strata * k, &seed);
        assert_ok(source.count(source.context, offsets, table, &test_error));
        for (size_t i = 0; i < p.n; i++) {
            size_t h = by_definition(&p, w, i, offsets, weights);
            size_t own = (size_t)(w->labels ? p.stratum[i] : p.group[i]);
            for (size_t e = 0; e < strata; e++) {
                expected[e * k + h] +=
                    w->counted == DP2DP_COUNTED_SCORES ? (double)weights[e] : (double)(e == own);
            }
        }
        for (size_t cell = 0; cell < strata * k; cell++) {
            double found = ldexp((double)table[cell], -(int)source.unit_bits);
            assert_near(found, expected[cell], source.unit_bits ? (double)p.n * 2e-6 : 0);
        }
    }
}

TEST(predict_decides_as_the_pool_counts) {
    static labelled p;
    float weights[32];
    uint64_t seed = 4;
    for (size_t c = 0; c < 2 * WAYS; c++) {
        const way *w = &ways[c % WAYS];
        labelled_new(&p, 301, 2 + c % 3, 2 + c / WAYS, 200 + c);
        size_t k = p.classes, strata = p.groups * labels_of(&p, w);
        size_t columns = w->by_group || !w->labels ? p.groups : strata;
        HANDLE(dp2dp_model) *model = NULL;
        const dp2dpi_model_kind kind = {.strata = strata,
                                        .classes = k,
                                        .labels = labels_of(&p, w),
                                        .rule =
                                            w->weighted ? DP2DP_RULE_WEIGHTED : DP2DP_RULE_LINEAR,
                                        .weight_columns = w->weighted ? columns : 0};
        assert_ok(dp2dpi_model_new(&kind, &(dp2dp_names) {0}, &model, &test_error));
        for (size_t i = 0; i < strata * k; i++) {
            model->offsets[i] = uniform(&seed) - 0.5;
        }
        dp2dpi_model_publish(model);
        model->info.dither = (dp2dp_dither) {w->width, 5};
        model->info.dither_key = w->key;
        dp2dp_matrix scores = matrix_of(p.scores, p.n, k);
        dp2dp_matrix given =
            matrix_of(columns == p.groups ? p.group_weights : p.weights, p.n, columns);
        dp2dp_column groups = codes_of(p.group, p.n);
        dp2dp_predict_options o = DP2DP_PREDICT_OPTIONS_INIT;
        o.weights = w->weighted ? &given : NULL;
        int32_t found[301];
        float adjusted[301 * 4];
        const dp2dp_column *seen = w->weighted ? NULL : &groups;
        assert_ok(dp2dp_model_predict(model, &scores, seen, &o, found, &test_error));
        assert_ok(dp2dp_model_adjust(model, &scores, seen, &o, adjusted, &test_error));
        for (size_t i = 0; i < p.n; i++) {
            size_t h = by_definition(&p, w, i, model->offsets_single, weights), best = 0;
            assert_int_equal(found[i], h);
            for (size_t c2 = 1; c2 < k; c2++) {
                best = adjusted[i * k + c2] > adjusted[i * k + best] ? c2 : best;
            }
            assert_int_equal(best, h);
        }
    }
}

/* The ℓ₂ distance between the tables of two pools that differ in one record is at most √2: for
 * every way of counting, after the record changed its scores, group, label and weights at once. */
TEST(replacing_a_record_moves_a_table_by_at_most_root_2) {
    static labelled p;
    float offsets[128];
    uint64_t seed = 5;
    double largest = 0;
    for (size_t c = 0; c < 40 * WAYS; c++) {
        const way *w = &ways[c % WAYS];
        labelled_new(&p, 5, 2 + c % 3, 2 + c / WAYS % 2, 300 + c);
        size_t k = p.classes, cells = p.groups * labels_of(&p, w) * k;
        int64_t tables[2][128];
        draw_offsets(offsets, cells, &seed);
        unsigned bits = 0;
        for (int version = 0; version < 2; version++) {
            HANDLE(dp2dp_pool) *pool = labelled_pool(&p, w);
            dp2dp_source source = dp2dp_pool_source(pool);
            bits = source.unit_bits;
            assert_ok(source.count(source.context, offsets, tables[version], &test_error));
            labelled_draw(&p, c % p.n, &seed);
        }
        double sum = 0;
        for (size_t cell = 0; cell < cells; cell++) {
            double d = ldexp((double)(tables[0][cell] - tables[1][cell]), -(int)bits);
            sum += d * d;
        }
        assert_true(sum <= 2.0);
        largest = sum > largest ? sum : largest;
    }
    assert_near(largest, 2.0, 1e-12);
}

/* Weights that are not probabilities are refused before anything is counted; a pool whose records
 * have weights twice too large would break the sensitivity. */
TEST(weights_that_are_not_probabilities_are_refused) {
    static labelled p;
    labelled_new(&p, 20, 2, 2, 9);
    p.weights[7 * 4] += 0.5;
    dp2dp_matrix scores = matrix_of(p.scores, p.n, 2), weights = matrix_of(p.weights, p.n, 4);
    dp2dp_column strata = codes_of(p.stratum, p.n);
    dp2dp_pool_options o = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    o.strata = 4;
    o.labels = 2;
    o.weights = &weights;
    assert_fails(dp2dp_pool_new(&scores, &strata, &o, &pool, &test_error), DATA, "row 8");
    o.row_sums = DP2DP_ROW_SUMS_NORMALIZE;
    assert_ok(dp2dp_pool_new(&scores, &strata, &o, &pool, &test_error));
    dp2dp_pool_free(pool);
    weights.columns = 3;
    assert_fails(dp2dp_pool_new(&scores, &strata, &o, &pool, &test_error), ARGUMENT, "3 columns");
    o.weights = NULL;
    o.labels = 3;
    assert_fails(dp2dp_pool_new(&scores, &strata, &o, &pool, &test_error), ARGUMENT, "labels = 3");
    o.labels = 2;
    o.dither = (dp2dp_dither) {0.1, 1};
    o.dither_key = DP2DP_DITHER_KEY_ID;
    assert_fails(dp2dp_pool_new(&scores, &strata, &o, &pool, &test_error), ARGUMENT, "ids");
}

static dp2dp_fit_options options_for(dp2dp_criterion criterion, double epsilon) {
    dp2dp_fit_options o = DP2DP_FIT_OPTIONS_INIT;
    o.criterion = criterion;
    o.epsilon = epsilon;
    o.delta = 1e-5;
    o.rng = DP2DP_RNG_INSECURE;
    o.insecure_seed = 11;
    return o;
}

TEST(a_model_of_any_criterion_survives_its_file) {
    static labelled p;
    labelled_new(&p, 400, 3, 2, 21);
    unsigned char sets[2][3] = {{1, 0, 1}, {0, 1, 0}};
    const dp2dp_statistic custom[] = {{1, sets[0]}, {2, sets[1]}};
    for (size_t c = 0; c < WAYS; c++) {
        dp2dp_fit_options o =
            options_for(ways[c].labels ? (dp2dp_criterion)(c % 5) : DP2DP_DEMOGRAPHIC_PARITY, 1.0);
        if (o.criterion == DP2DP_CUSTOM) {
            o.statistics = custom;
            o.statistic_count = 2;
        }
        HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &ways[c]);
        HANDLE(dp2dp_model) *model = NULL, *again = NULL;
        TEXT_FREED char *first = NULL, *second = NULL;
        size_t length, other;
        dp2dp_source source = dp2dp_pool_source(pool);
        assert_ok(dp2dp_fit(&source, &o, &model, &test_error));
        assert_ok(dp2dp_model_to_json(model, &first, &length, &test_error));
        assert_ok(dp2dp_model_from_json(first, length, &again, &test_error));
        assert_ok(dp2dp_model_to_json(again, &second, &other, &test_error));
        assert_string_equal(first, second);
        assert_int_equal(dp2dp_model_view(again)->criterion, o.criterion);
        assert_int_equal(dp2dp_model_view(again)->groups, 2);
    }
}

/* A statistic of a pool without labels has every label. */
TEST(a_custom_criterion_without_labels_survives_its_file) {
    static labelled p;
    static const unsigned char all[3] = {1, 1, 1};
    labelled_new(&p, 300, 3, 2, 41);
    for (int i = 0; i < 2; i++) {
        const dp2dp_statistic custom = {1, i ? all : NULL};
        dp2dp_fit_options o = options_for(DP2DP_CUSTOM, 1.0);
        o.statistics = &custom;
        o.statistic_count = 1;
        HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &(way) {.weighted = i});
        HANDLE(dp2dp_model) *model = NULL, *again = NULL;
        TEXT_FREED char *text = NULL;
        size_t length;
        dp2dp_source source = dp2dp_pool_source(pool);
        assert_ok(dp2dp_fit(&source, &o, &model, &test_error));
        assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
        assert_ok(dp2dp_model_from_json(text, length, &again, &test_error));
        assert_int_equal(dp2dp_model_view(again)->statistics[0].labels[2], 1);
    }
}

TEST(a_source_that_differs_from_its_pool_is_refused) {
    static labelled p;
    labelled_new(&p, 60, 2, 2, 51);
    HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &ways[7]);
    dp2dp_fit_options o = options_for(DP2DP_EQUALIZED_ODDS, 1.0);
    for (int i = 0; i < 3; i++) {
        dp2dp_source source = dp2dp_pool_source(pool);
        dp2dp_model *model = NULL;
        source.unit_bits = i == 0 ? 0 : source.unit_bits;
        source.dither.width = i == 1 ? 0.1 : 0;
        source.row_sums = i == 2 ? DP2DP_ROW_SUMS_NORMALIZE : source.row_sums;
        assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT,
                     "dp2dp_pool_fill_source");
    }
}

TEST(criteria_that_cannot_be_fitted_are_refused_before_a_charge) {
    static labelled p;
    labelled_new(&p, 60, 2, 2, 31);
    HANDLE(dp2dp_pool) *plain = labelled_pool(&p, &(way) {.weighted = 1});
    HANDLE(dp2dp_pool) *with_labels = labelled_pool(&p, &(way) {.labels = 1});
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_source bare = dp2dp_pool_source(plain), source = dp2dp_pool_source(with_labels);
    dp2dp_model *model = NULL;
    unsigned char nobody[2] = {0, 0};
    dp2dp_statistic none = {1, nobody}, no_class = {2, NULL};
    dp2dp_fit_options o = options_for(DP2DP_EQUALIZED_ODDS, 1.0);
    o.ledger = ledger;
    assert_fails(dp2dp_fit(&bare, &o, &model, &test_error), ARGUMENT, "labels");
    o.solver = DP2DP_SOLVER_SGD;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT,
                 "use solver counts or exact");
    o.solver = DP2DP_SOLVER_COUNTS;
    o.positive = 2;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT, "positive = 2");
    o.positive = 1;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT,
                 "positive = 1 has no effect on criterion equalized_odds");
    o.positive = DP2DP_POSITIVE_DEFAULT;
    o.criterion = DP2DP_CUSTOM;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT, "at least one statistic");
    o.statistics = &none;
    o.statistic_count = 1;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT, "at least one label");
    o.statistics = &no_class;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT,
                 "must be the code of a class");
    o.criterion = (dp2dp_criterion)9;
    assert_fails(dp2dp_fit(&source, &o, &model, &test_error), ARGUMENT, "criterion = 9");
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}

/* With equalized odds, and with several true positive rates, a rule that sees the group has fewer
 * thresholds than rates. */
TEST(the_dither_is_asked_for_where_a_criterion_needs_it) {
    dp2dp_fit_options o = DP2DP_FIT_OPTIONS_INIT;
    assert_near(dp2dp_fit_dither(&o, 0), 0, 0);
    for (size_t classes = 2; classes < 6; classes++) {
        o.positive = DP2DP_POSITIVE_DEFAULT;
        o.criterion = DP2DP_DEMOGRAPHIC_PARITY;
        assert_near(dp2dp_fit_dither(&o, classes), 0, 0);
        o.criterion = DP2DP_EQUALIZED_ODDS;
        assert_near(dp2dp_fit_dither(&o, classes), 0.15, 0);
        o.criterion = DP2DP_FALSE_POSITIVE_RATE_PARITY;
        assert_near(dp2dp_fit_dither(&o, classes), classes > 2 ? 0.15 : 0, 0);
        o.criterion = DP2DP_TRUE_POSITIVE_RATE_PARITY;
        assert_near(dp2dp_fit_dither(&o, classes), classes > 2 ? 0.15 : 0, 0);
        o.positive = 0;
        assert_near(dp2dp_fit_dither(&o, classes), 0, 0);
    }
}

/* The largest gap of a criterion in the pool, under the labels. */
static double gap_in_pool(const labelled *p, const int32_t *h, dp2dp_criterion criterion) {
    dp2dpi_statistics s;
    double table[64] = {0}, totals[32] = {0}, widest = 0;
    assert_ok(dp2dpi_statistics_new(
        &(dp2dpi_criterion) {.criterion = criterion, .positive = DP2DP_POSITIVE_DEFAULT},
        p->classes, p->classes, &s, &test_error));
    for (size_t i = 0; i < p->n; i++) {
        table[(size_t)p->stratum[i] * p->classes + (size_t)h[i]]++;
        totals[p->stratum[i]]++;
    }
    for (size_t i = 0; i < s.count; i++) {
        double low = 1, high = 0;
        for (size_t g = 0; g < p->groups; g++) {
            double rate = dp2dpi_statistic_given(&s, i, g, p->classes, table) /
                          dp2dpi_statistic_people(&s, i, g, totals);
            low = fmin(low, rate);
            high = fmax(high, rate);
        }
        widest = fmax(widest, high - low);
    }
    dp2dpi_statistics_free(&s);
    return widest;
}

/* Without noise the gap on the pool's own labels falls to a few people. */
TEST(a_fit_without_noise_makes_the_rates_of_the_pool_equal) {
    static labelled p;
    static const dp2dp_criterion criteria[] = {
        DP2DP_TRUE_POSITIVE_RATE_PARITY, DP2DP_FALSE_POSITIVE_RATE_PARITY, DP2DP_EQUALIZED_ODDS};
    labelled_new(&p, 1000, 2, 2, 77);
    for (size_t c = 0; c < 3; c++) {
        way w = {.labels = 1,
                 .width = criteria[c] == DP2DP_EQUALIZED_ODDS ? 0.15 : 0,
                 .key = DP2DP_DITHER_KEY_SCORES};
        HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &w);
        HANDLE(dp2dp_model) *model = NULL;
        dp2dp_source source = dp2dp_pool_source(pool);
        dp2dp_fit_options o = options_for(criteria[c], INFINITY);
        dp2dp_matrix scores = matrix_of(p.scores, p.n, 2);
        dp2dp_column groups = codes_of(p.group, p.n);
        static int32_t h[1000], base[1000];
        assert_ok(dp2dp_fit(&source, &o, &model, &test_error));
        assert_ok(dp2dp_model_predict(model, &scores, &groups, NULL, h, &test_error));
        for (size_t i = 0; i < p.n; i++) {
            base[i] = p.scores[2 * i + 1] > p.scores[2 * i];
        }
        double before = gap_in_pool(&p, base, criteria[c]), after = gap_in_pool(&p, h, criteria[c]);
        assert_true(before > 0.1);
        if (!(after < 0.02)) {
            fail_msg("criterion %d: gap %g, before %g", (int)criteria[c], after, before);
        }
    }
}

/* How much more often group 1 gets class 1 than group 0, where people are counted by weights. */
static double weighted_gap(const labelled *p, const int32_t *h) {
    double given[2] = {0}, all[2] = {0};
    for (size_t i = 0; i < p->n; i++) {
        for (size_t g = 0; g < 2; g++) {
            all[g] += p->group_weights[2 * i + g];
            given[g] += h[i] ? p->group_weights[2 * i + g] : 0;
        }
    }
    return given[1] / all[1] - given[0] / all[0];
}

/* The weights hardly tell the group, so that a rule with equal rates needs offsets above 1. If its
 * steps did not grow, they would leave a gap of 0.017. */
TEST(a_fit_without_noise_closes_a_gap_that_needs_large_offsets) {
    static labelled p;
    static int32_t h[1000];
    way w = {.weighted = 1, .counted = DP2DP_COUNTED_SCORES};
    uint64_t seed = 81;
    labelled_new(&p, 1000, 2, 2, 80);
    for (size_t i = 0; i < p.n; i++) {
        double told = 0.1 * (p.scores[2 * i] - 0.5) + 0.12 * (uniform(&seed) - 0.5);
        p.group_weights[2 * i] = 0.5 + told;
        p.group_weights[2 * i + 1] = 0.5 - told;
    }
    HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &w);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options o = options_for(DP2DP_DEMOGRAPHIC_PARITY, INFINITY);
    dp2dp_matrix scores = matrix_of(p.scores, p.n, 2), weights = matrix_of(p.group_weights, p.n, 2);
    assert_ok(dp2dp_fit(&source, &o, &model, &test_error));
    dp2dp_predict_options decide = DP2DP_PREDICT_OPTIONS_INIT;
    decide.weights = &weights;
    assert_ok(dp2dp_model_predict(model, &scores, NULL, &decide, h, &test_error));
    double gap = weighted_gap(&p, h);
    if (!(fabs(gap) < 0.005)) {
        fail_msg("gap %g, offset %g", gap, dp2dp_model_view(model)->offsets[1]);
    }
}

/* Group 1 has 60 people, whose rates are mostly noise, but needs a large correction. The offset of
 * group 1, averaged over 12 seeds, keeps 46 % of its size without noise. If it were shrunk by the
 * noise alone, it would keep 7 %. */
TEST(a_large_correction_of_a_small_group_is_kept) {
    static labelled p;
    way w = {.labels = 1};
    dp2dp_fit_options o = options_for(DP2DP_TRUE_POSITIVE_RATE_PARITY, INFINITY);
    double noisy = 0, ideal = 0;
    enum {
        SEEDS = 12
    };
    labelled_new(&p, 1000, 2, 2, 78);
    size_t kept = 0, small = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (p.group[i] == 0 || small++ < 60) {
            memcpy(p.scores + 2 * kept, p.scores + 2 * i, 2 * sizeof *p.scores);
            p.group[kept] = p.group[i];
            p.stratum[kept++] = p.stratum[i];
        }
    }
    p.n = kept;
    HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &w);
    dp2dp_source source = dp2dp_pool_source(pool);
    for (uint64_t seed = 0; seed <= SEEDS; seed++) {
        HANDLE(dp2dp_model) *model = NULL;
        o.epsilon = seed == 0 ? INFINITY : 1.0;
        o.insecure_seed = seed;
        assert_ok(dp2dp_fit(&source, &o, &model, &test_error));
        double offset = dp2dp_model_view(model)->offsets[3 * 2 + 1]; /* group 1, label 1, class 1 */
        ideal = seed == 0 ? offset : ideal;
        noisy += seed == 0 ? 0 : offset / SEEDS;
    }
    if (!(fabs(ideal) > 0.2 && noisy / ideal > 0.3)) {
        fail_msg("offset %g, without noise %g", noisy, ideal);
    }
}

/* The published test vectors of 64-bit FNV-1a. */
TEST(an_id_has_one_number_in_every_language) {
    assert_true(dp2dp_dither_id("", 0) == UINT64_C(0xCBF29CE484222325));
    assert_true(dp2dp_dither_id("a", 1) == UINT64_C(0xAF63DC4C8601EC8C));
    assert_true(dp2dp_dither_id("foobar", 6) == UINT64_C(0x85944171F73967E8));
}

/* A seed changes a decision only if the best two values differ by less than the dither's width. */
TEST(only_close_decisions_depend_on_the_seed_of_the_dither) {
    enum {
        N = 1000
    };
    static labelled p;
    static float values[N * 2];
    static int32_t found[N], plain[N];
    way w = {.labels = 1, .width = 0.15, .key = DP2DP_DITHER_KEY_SCORES};
    labelled_new(&p, N, 2, 2, 77);
    HANDLE(dp2dp_pool) *pool = labelled_pool(&p, &w);
    HANDLE(dp2dp_model) *model = NULL;
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = options_for(DP2DP_EQUALIZED_ODDS, INFINITY);
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    dp2dp_matrix scores = matrix_of(p.scores, p.n, 2);
    dp2dp_column groups = codes_of(p.group, p.n);
    dp2dp_predict_options without = DP2DP_PREDICT_OPTIONS_INIT;
    without.without_dither = 1;
    assert_ok(dp2dp_model_adjust(model, &scores, &groups, &without, values, &test_error));
    assert_ok(dp2dp_model_predict(model, &scores, &groups, &without, plain, &test_error));
    size_t changed = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        model->info.dither.seed = seed;
        assert_ok(dp2dp_model_predict(model, &scores, &groups, NULL, found, &test_error));
        for (size_t i = 0; i < N; i++) {
            assert_int_equal(plain[i], values[2 * i + 1] > values[2 * i]);
            changed += found[i] != plain[i];
            assert_true(found[i] == plain[i] || fabsf(values[2 * i + 1] - values[2 * i]) < 0.15F);
        }
    }
    assert_true(changed > 0);
    without.without_dither = 2;
    assert_fails(dp2dp_model_predict(model, &scores, &groups, &without, found, &test_error),
                 ARGUMENT, "without_dither = 2");
}

/* The scores come from a model whose cost is known, the weights from nowhere. */
TEST(weights_of_unknown_origin_are_told) {
    static labelled p;
    labelled_new(&p, 60, 2, 2, 61);
    HANDLE(dp2dp_pool) *plain = labelled_pool(&p, &(way) {.labels = 1});
    HANDLE(dp2dp_pool) *unaware = labelled_pool(&p, &(way) {.labels = 1, .weighted = 1});
    HANDLE(dp2dp_model) *base = NULL, *aware = NULL, *blind = NULL;
    dp2dp_source source = dp2dp_pool_source(plain), weighted = dp2dp_pool_source(unaware);
    dp2dp_fit_options o = options_for(DP2DP_EQUALIZED_ODDS, 1.0);
    assert_ok(dp2dp_fit(&source, &o, &base, &test_error));
    o.base = base;
    assert_ok(dp2dp_fit(&source, &o, &aware, &test_error));
    assert_ok(dp2dp_fit(&weighted, &o, &blind, &test_error));
    const unsigned bit = DP2DP_WARNING_WEIGHTS_ORIGIN_NOT_STATED;
    assert_false(dp2dp_model_view(aware)->warnings & bit);
    assert_true(dp2dp_model_view(blind)->warnings & bit);
}
