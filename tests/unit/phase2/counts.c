/* Solver counts: it is fair without noise, does not depend on names and order, and charges for what
 * it releases. */
#include "phase2/counts_release.h"
#include "privacy/noise_stats.h"

#include "unit/phase2/data.h"

TEST(pools_are_as_fair_as_asked_without_noise) {
    static const size_t classes[3] = {3, 6, 10}, groups[2] = {2, 4};
    static const double rhos[3] = {0, 0.05, 0.10};
    for (size_t c = 0; c < 3; c++) {
        for (size_t g = 0; g < 2; g++) {
            OWNED(people) p = people_favoured(20000, classes[c], groups[g], 10 * c + g);
            for (size_t r = 0; r < 3; r++) {
                dp2dp_fit_options options = noiseless(rhos[r]), plain = noiseless(1);
                HANDLE(dp2dp_model) *model = fit_people(&p, &options),
                                    *free_rule = fit_people(&p, &plain);
                double u = unfairness_of(model, &p, NULL),
                       before = unfairness_of(free_rule, &p, NULL);
                if (!(u <= rhos[r] + 0.01) || !(u >= rhos[r] - 0.01) || !(before > 0.12)) {
                    fail_msg("K = %zu, G = %zu, rho %g: U %.4f, without a bound %.4f", classes[c],
                             groups[g], rhos[r], u, before);
                }
            }
        }
    }
}

/* Both models were fitted to the same people, with groups and classes numbered differently: group g
 * of other is group group_of[g] of base, class k is class class_of[k]. */
static void same_up_to_names(const dp2dp_model *base, const dp2dp_model *other,
                             const size_t *group_of, const size_t *class_of, double tolerance) {
    size_t groups = dp2dp_model_view(base)->strata, classes = dp2dp_model_view(base)->classes;
    for (size_t g = 0; g < groups; g++) {
        for (size_t k = 0; k < classes; k++) {
            double a = dp2dp_model_view(base)->offsets[group_of[g] * classes + class_of[k]];
            double b = dp2dp_model_view(other)->offsets[g * classes + k];
            if (!(fabs(a - b) <= tolerance)) {
                fail_msg("group %zu, class %zu: %.17g and %.17g", g, k, a, b);
            }
        }
    }
}

static const size_t unchanged[8] = {0, 1, 2, 3, 4, 5, 6, 7};

static people renamed(const people *p, const size_t *group_of, const size_t *class_of,
                      size_t rotation) {
    people q = people_new(p->n, p->classes, p->groups);
    for (size_t i = 0; i < p->n; i++) {
        size_t from = (i * 7 + rotation) % p->n; /* 7 does not divide n */
        from = rotation ? from : i;
        for (size_t g = 0; g < p->groups; g++) {
            q.group[i] = group_of[g] == (size_t)p->group[from] ? (int32_t)g : q.group[i];
        }
        for (size_t k = 0; k < p->classes; k++) {
            q.scores[i * p->classes + k] = p->scores[from * p->classes + class_of[k]];
        }
    }
    return q;
}

TEST(names_and_order_change_nothing_else) {
    static const size_t groups[3] = {2, 0, 1}, classes[5] = {3, 1, 4, 0, 2};
    OWNED(people) p = people_favoured(5003, 5, 3, 40);
    for (int r = 0; r < 2; r++) {
        dp2dp_fit_options options = noiseless(r ? 0.05 : 0);
        HANDLE(dp2dp_model) *base = fit_people(&p, &options);
        const struct {
            const size_t *groups, *classes;
            size_t rotation;
            double tolerance;
        } cases[3] = {{unchanged, unchanged, 11, 0},
                      {groups, unchanged, 0, 1e-12},
                      {unchanged, classes, 0, 1e-12}};
        for (int c = 0; c < 3; c++) {
            OWNED(people) q = renamed(&p, cases[c].groups, cases[c].classes, cases[c].rotation);
            HANDLE(dp2dp_model) *other = fit_people(&q, &options);
            same_up_to_names(base, other, cases[c].groups, cases[c].classes, cases[c].tolerance);
        }
    }
}

enum {
    SHARDS = 3
};

typedef struct shards {
    dp2dp_source part[SHARDS];
    size_t cells;
    unsigned calls;
    int fails_at;
} shards;

static dp2dp_status count_shards(void *context, const float *offsets, int64_t *table,
                                 dp2dp_error *error) {
    shards *s = context;
    int64_t part[64];
    memset(table, 0, s->cells * sizeof *table);
    if ((int)s->calls++ == s->fails_at) {
        *error = (dp2dp_error) {.status = DP2DP_STATUS_IO, .message = "a site is down"};
        return DP2DP_STATUS_IO;
    }
    for (int i = 0; i < SHARDS; i++) {
        dp2dp_status status = s->part[i].count(s->part[i].context, offsets, part, error);
        assert_int_equal(status, OK);
        for (size_t c = 0; c < s->cells; c++) {
            table[c] += part[c];
        }
    }
    return OK;
}

TEST(threads_and_shards_change_nothing) {
    people p = people_favoured(150001, 4, 3, 41), part[SHARDS];
    dp2dp_pool *pools[SHARDS];
    shards s = {.cells = 12, .fails_at = -1};
    for (size_t i = 0; i < SHARDS; i++) {
        size_t first = p.n * i / SHARDS, last = p.n * (i + 1) / SHARDS;
        part[i] = (people) {last - first, 4, 3, p.scores + 4 * first, p.group + first};
        pools[i] = pool_of(&part[i]);
        s.part[i] = dp2dp_pool_source(pools[i]);
    }
    dp2dp_source sharded = source_of(p.n, 3, 4, &s, count_shards);
    static const unsigned threads[3] = {1, 2, 7};
    for (int noise = 0; noise < 2; noise++) {
        dp2dp_fit_options options = noise ? seeded(1, 5) : noiseless(0.02);
        HANDLE(dp2dp_model) *base = fit_source(&sharded, &options);
        for (int i = 0; i < 3; i++) {
            HANDLE(dp2dp_pool) *pool = pool_on(&p, threads[i]);
            dp2dp_source source = dp2dp_pool_source(pool);
            HANDLE(dp2dp_model) *other = fit_source(&source, &options);
            same_up_to_names(base, other, unchanged, unchanged, 0);
        }
    }
    assert_true(s.calls >= 160);
    for (int i = 0; i < SHARDS; i++) {
        dp2dp_pool_free(pools[i]);
    }
    people_free(&p);
}

/* Counts two neighbouring pools at every θ at which a fit of the first pool counts. */
typedef struct neighbours {
    dp2dp_source first, second;
    unsigned asked, moved;
} neighbours;

static dp2dp_status count_both(void *context, const float *offsets, int64_t *table,
                               dp2dp_error *error) {
    neighbours *n = context;
    int64_t other[64], squares = 0;
    assert_int_equal(n->second.count(n->second.context, offsets, other, error), OK);
    assert_int_equal(n->first.count(n->first.context, offsets, table, error), OK);
    for (size_t c = 0; c < n->first.strata * n->first.classes; c++) {
        squares += (other[c] - table[c]) * (other[c] - table[c]);
    }
    assert_true(squares == 0 || squares == 2);
    n->asked++;
    n->moved += squares == 2;
    return OK;
}

TEST(a_replaced_record_moves_the_table_by_root_two_at_most) {
    unsigned moved = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        OWNED(people) p = people_random(200, 4, 3, seed % 2 ? 1U << 20 : 3, 42 + seed);
        OWNED(people) q = renamed(&p, unchanged, unchanged, 0);
        static const float sure[4] = {0, 0, 0, 1};
        memcpy(q.scores + 4 * 17, sure, sizeof sure);
        q.group[17] = (int32_t)(seed % 3);
        HANDLE(dp2dp_pool) *first = pool_of(&p), *second = pool_of(&q);
        neighbours n = {.first = dp2dp_pool_source(first), .second = dp2dp_pool_source(second)};
        dp2dp_source source = source_of(p.n, 3, 4, &n, count_both);
        dp2dp_fit_options options = seeded(1, seed);
        dp2dp_model_free(fit_source(&source, &options));
        assert_true(n.asked >= 80);
        moved += n.moved;
    }
    assert_true(moved > 1000);
}

TEST(the_ledger_tells_the_epsilon_that_was_asked_for) {
    static const double epsilons[5] = {0.01, 0.1, 1, 5, 20}, deltas[2] = {1e-5, 1e-9};
    static const uint64_t steps[3] = {0, 1, 300};
    OWNED(people) p = people_favoured(300, 5, 4, 60);
    for (int e = 0; e < 5; e++) {
        for (int d = 0; d < 2; d++) {
            dp2dp_fit_options options = seeded(epsilons[e], 1);
            options.delta = deltas[d];
            options.steps = steps[(e + d) % 3];
            HANDLE(dp2dp_model) *model = fit_people(&p, &options);
            double reached = epsilon_spent(dp2dp_model_view(model)->ledger, deltas[d]);
            if (!(reached <= epsilons[e]) || !(reached >= 0.999 * epsilons[e])) {
                fail_msg("asked for %g at %g, charged %.9g", epsilons[e], deltas[d], reached);
            }
        }
    }
}

TEST(two_charges_say_what_is_released) {
    OWNED(people) p = people_favoured(300, 5, 3, 61);
    dp2dp_fit_options options = seeded(1, 1);
    options.steps = 60;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    const dp2dp_ledger *ledger = dp2dp_model_view(model)->ledger;
    static const uint64_t counts[2] = {1, 60}, coordinates[2] = {3, 15};
    double spent[2];
    assert_int_equal(dp2dp_ledger_size(ledger), 2);
    assert_int_equal(dp2dp_ledger_adjacency(ledger), DP2DP_REPLACE_ONE);
    for (size_t i = 0; i < 2; i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        assert_ok(dp2dp_ledger_entry(ledger, i, &event, &rng, NULL));
        assert_int_equal(event.mechanism, DP2DP_GAUSSIAN);
        assert_int_equal(event.count, counts[i]);
        assert_int_equal(event.coordinates, coordinates[i]);
        assert_int_equal(event.rows_per_person, 1);
        assert_int_equal(rng, DP2DP_RNG_INSECURE);
        assert_true(event.sensitivity * event.sensitivity >= 2);
        assert_true(event.sensitivity < sqrt(2) * (1 + 1e-12));
        assert_true(event.scale >= 0x1p40);
        assert_string_equal(event.role, "pool");
        assert_null(event.set);
        spent[i] = (double)event.count * pow(event.sensitivity / event.sigma, 2);
    }
    assert_true(fabs(spent[0] / (spent[0] + spent[1]) -
                     dp2dp_model_view(model)->options->share_budget) < 1e-6);
}

TEST(only_secure_noise_makes_a_model_private) {
    OWNED(people) p = people_favoured(300, 3, 2, 62);
    dp2dp_fit_options options = seeded(1, 9);
    HANDLE(dp2dp_model) *first = fit_people(&p, &options), *second = fit_people(&p, &options);
    same_up_to_names(first, second, unchanged, unchanged, 0);
    assert_memory_equal(dp2dp_model_view(first)->shares, dp2dp_model_view(second)->shares,
                        2 * sizeof(double));
    assert_int_equal(dp2dp_model_view(first)->not_private_because == 0, 0);
    options.insecure_seed = 10;
    HANDLE(dp2dp_model) *third = fit_people(&p, &options);
    assert_memory_not_equal(dp2dp_model_view(first)->offsets, dp2dp_model_view(third)->offsets,
                            6 * sizeof(double));
    options.rng = DP2DP_RNG_SECURE;
    HANDLE(dp2dp_model) *fourth = fit_people(&p, &options), *fifth = fit_people(&p, &options);
    assert_int_equal(dp2dp_model_view(fourth)->not_private_because == 0, 1);
    assert_memory_not_equal(dp2dp_model_view(fourth)->offsets, dp2dp_model_view(fifth)->offsets,
                            6 * sizeof(double));
    options = noiseless(0);
    HANDLE(dp2dp_model) *sixth = fit_people(&p, &options);
    assert_int_equal(dp2dp_model_view(sixth)->not_private_because == 0, 0);
    assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(sixth)->ledger), 0);
}

static shards one_pool(const dp2dp_pool *pool, const people *p) {
    shards s = {.cells = p->groups * p->classes, .fails_at = -1};
    for (int i = 0; i < SHARDS; i++) {
        s.part[i] = dp2dp_pool_source(pool);
    }
    return s;
}

/* The budgets allow no charge, the first charge alone, and nearly both charges. */
TEST(a_budget_that_does_not_suffice_refuses_before_anything_happens) {
    static const double budgets[3] = {0.01, 0.5, 0.99};
    OWNED(people) p = people_favoured(300, 3, 2, 63);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    for (int i = 0; i < 3; i++) {
        shards s = one_pool(pool, &p);
        dp2dp_source source = source_of(3 * p.n, 2, 3, &s, count_shards);
        dp2dp_fit_options options = seeded(1, 1);
        dp2dp_model *model = NULL;
        options.ledger = ledger_with_budget(budgets[i]);
        assert_status(dp2dp_fit(&source, &options, &model, NULL), BUDGET);
        assert_null(model);
        assert_int_equal(s.calls, 0);
        assert_int_equal(charges_in(options.ledger), 0);
        dp2dp_ledger_free(options.ledger);
    }
}

TEST(a_shared_ledger_carries_every_fit) {
    OWNED(people) p = people_favoured(300, 3, 2, 64);
    dp2dp_fit_options options = seeded(1, 1);
    options.ledger = ledger_with_budget(1.2);
    dp2dp_model *model = fit_people(&p, &options), *refused = NULL;
    assert_int_equal(charges_in(options.ledger), 2);
    assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(model)->ledger), 2);
    for (size_t i = 0; i < 2; i++) {
        dp2dp_event shared = entry_of(options.ledger, i + 1), /* after the budget */
            own = entry_of(dp2dp_model_view(model)->ledger, i);
        assert_true(shared.sigma == own.sigma && shared.scale == own.scale);
    }
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    assert_status(dp2dp_fit(&source, &options, &refused, NULL), BUDGET);
    assert_int_equal(charges_in(options.ledger), 2);
    dp2dp_model_free(model);
    dp2dp_ledger_free(options.ledger);
}

TEST(a_cancelled_fit_has_been_charged) {
    OWNED(people) p = people_favoured(300, 3, 2, 65);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    for (uint64_t at = 1; at <= 81; at += 40) {
        watch w = {.stop_at = at};
        dp2dp_fit_options options = seeded(1, 1);
        HANDLE(dp2dp_model) *model = NULL;
        options.ledger = ledger_with_budget(2);
        options.progress = on_progress;
        options.progress_context = &w;
        assert_int_equal(dp2dp_fit(&source, &options, &model, NULL),
                         at <= 80 ? DP2DP_STATUS_CANCELLED : OK);
        assert_int_equal(model == NULL, at <= 80);
        assert_int_equal(w.calls, at <= 80 ? at : 80);
        assert_int_equal(w.total, 80);
        assert_int_equal(charges_in(options.ledger), 2);
        dp2dp_ledger_free(options.ledger);
    }
}

/* For each of 8 released cells: the squared noise of 1,000 fits, divided by the ledger's σ², adds
 * up to a chi-square. The false-alarm rate is P_ALARM on either side of each cell. The table is the
 * first, second or third that a fit releases. */
static int is_out_of_reach(const people *p, dp2dp_fit_options options) {
    HANDLE(dp2dp_model) *model = fit_people(p, &options);
    return (dp2dp_model_view(model)->warnings & DP2DP_WARNING_OUT_OF_REACH) != 0;
}

TEST(a_rule_that_sees_the_group_and_does_not_reach_rho_says_so) {
    OWNED(people) p = people_favoured(20000, 3, 2, 5);
    for (int noisy = 0; noisy < 2; noisy++) {
        dp2dp_fit_options usual = noisy ? seeded(1, 8) : noiseless(0), narrow = usual,
                          hasty = usual;
        narrow.offset_max = 0.01;
        hasty.steps = 1;
        assert_false(is_out_of_reach(&p, usual));
        assert_true(is_out_of_reach(&p, narrow));
        assert_true(is_out_of_reach(&p, hasty));
        narrow.rho = hasty.rho = 1; /* any rule reaches this */
        assert_false(is_out_of_reach(&p, narrow));
        assert_false(is_out_of_reach(&p, hasty));
    }
}

/* The offsets of a group that is empty, or hidden by noise, run to their limit. */
TEST(noise_or_an_empty_group_is_not_out_of_reach) {
    OWNED(people) p = people_favoured(100, 2, 3, 6), q = people_favoured(20000, 2, 2, 6);
    q.groups = 3;
    assert_false(is_out_of_reach(&q, noiseless(0)));
    for (uint64_t i = 0; i < 10; i++) {
        assert_false(is_out_of_reach(&q, seeded(i % 2 ? 0.1 : 1, i)));
    }
    size_t alarms = 0;
    for (uint64_t i = 0; i < 200; i++) {
        alarms += (size_t)is_out_of_reach(&p, seeded(i % 2 ? 0.1 : 1, i));
    }
    assert_in_range(alarms, 0, 1);
}

TEST(noise_has_the_spread_of_the_ledger) {
    enum {
        FITS = 1000
    };
    OWNED(people) p = people_favoured(1000, 3, 2, 67);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    float none[6] = {0};
    int64_t c[6];
    double squares[8] = {0}, zeros[6] = {0};
    assert_int_equal(source.count(source.context, none, c, NULL), OK);
    for (uint64_t i = 0; i < FITS; i++) {
        dp2dp_fit_options options = seeded(1, i);
        OWNED(dp2dpi_counts_releases) r;
        options.steps = 3;
        options.share_budget = 0.05;
        double totals[2], table[6], sigma[2];
        HANDLE(dp2dp_ledger) *ledger = new_ledger();
        assert_ok(dp2dpi_counts_prepare(&source, &options, ledger, &r, NULL));
        assert_ok(dp2dpi_counts_ask_first(&r, NULL));
        assert_ok(dp2dpi_counts_charge(&r, NULL));
        for (size_t entry = 0; entry < 2; entry++) {
            sigma[entry] = entry_of(ledger, entry).sigma;
        }
        assert_ok(dp2dpi_counts_totals(&r, totals, NULL));
        for (uint64_t turn = 0; turn <= i % 3; turn++) {
            assert_ok(dp2dpi_counts_table(&r, turn ? zeros : NULL, table, NULL));
        }
        for (size_t g = 0; g < 2; g++) {
            double held = (double)(c[3 * g] + c[3 * g + 1] + c[3 * g + 2]);
            squares[6 + g] += pow((totals[g] - held) / sigma[0], 2);
        }
        for (size_t cell = 0; cell < 6; cell++) {
            squares[cell] += pow((table[cell] - (double)c[cell]) / sigma[1], 2);
        }
    }
    for (size_t cell = 0; cell < 8; cell++) {
        double above = chi_square_p(squares[cell], FITS);
        if (!(above > P_ALARM) || !(1 - above > P_ALARM)) {
            fail_msg("cell %zu: sum of squares %g of %d", cell, squares[cell], FITS);
        }
    }
}

TEST(impossible_sources_are_refused) {
    shards s = {.cells = 6, .fails_at = -1};
    const dp2dp_source good = source_of(100, 2, 3, &s, count_shards);
    dp2dp_source bad[7] = {good, good, good, good, good, good, good};
    dp2dp_fit_options options = seeded(1, 1);
    bad[0].records = 1;
    bad[1].records = UINT64_MAX;
    bad[2].strata = 1;
    bad[3].classes = 1;
    bad[4].classes = SIZE_MAX;
    bad[5].count = NULL;
    bad[6].struct_size = 0;
    for (int i = 0; i < 7; i++) {
        dp2dp_model *model = NULL;
        assert_status(dp2dp_fit(&bad[i], &options, &model, NULL), ARGUMENT);
    }
    assert_int_equal(s.calls, 0);
}

/* Counts all records in group 0 and class 0. */
static dp2dp_status count_all_alike(void *context, const float *offsets, int64_t *table,
                                    dp2dp_error *error) {
    (void)offsets, (void)error;
    memset(table, 0, 6 * sizeof *table);
    table[0] = *(int64_t *)context;
    return OK;
}

/* The noise grid must leave room for the counts of a large table at a usual epsilon. */
TEST(large_sources_can_be_fitted_at_any_usual_epsilon) {
    static const double epsilons[4] = {0.1, 1, 4, 10};
    for (int64_t n = 1000000; n <= 1000000000; n *= 10) {
        for (int e = 0; e < 4; e++) {
            dp2dp_source source = source_of((uint64_t)n, 2, 3, &n, count_all_alike);
            dp2dp_fit_options options = seeded(epsilons[e], 1);
            HANDLE(dp2dp_model) *model = fit_source(&source, &options);
            double reached = epsilon_spent(dp2dp_model_view(model)->ledger, 1e-5);
            assert_true(reached <= epsilons[e] && reached >= 0.999 * epsilons[e]);
        }
    }
}

TEST(an_empty_group_is_no_obstacle) {
    OWNED(people) p = people_favoured(500, 3, 2, 69);
    p.groups = 4;
    for (int noise = 0; noise < 2; noise++) {
        dp2dp_fit_options options = noise ? seeded(0.5, 1) : noiseless(0);
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        for (size_t c = 0; c < 12; c++) {
            assert_true(fabs(dp2dp_model_view(model)->offsets[c]) <= 2);
        }
        assert_true(noise || unfairness_of(model, &p, NULL) < 0.02);
    }
}
