/* Solver sgd: the iteration is that of the paper, noise and samples are drawn as charged, and the
 * ledger gives the requested epsilon. */
#include "privacy/noise_stats.h"
#include "unit/phase2/sgd_data.h"

static double clamp(double x, double most) {
    return x < 0 ? 0 : x > most ? most : x;
}

/* Repeats the two-group iteration independently: λ in [0, C_λ]^2K, θ = s (λ¹ − λ²)/π̄. */
TEST(a_rate_of_one_is_full_batch_descent) {
    OWNED(people) p = people_favoured(500, 3, 2, 71);
    dp2dp_fit_options options = full_batch(0.05);
    options.steps = 40;
    options.lambda_max = 0.3;
    options.tail = 0.5;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    double lambda[6] = {0}, nu[6] = {0}, rates[6], mean[3] = {0}, shares[2] = {0};
    for (size_t i = 0; i < p.n; i++) {
        shares[p.group[i]] += 1.0 / (double)p.n;
    }
    for (int t = 1; t <= 40; t++) {
        (void)smoothed_dual(&p, shares, nu, 0.05, rates);
        for (size_t k = 0; k < 3; k++) {
            double v = rates[3 + k] - rates[k], eta = 1 / sqrt(t);
            lambda[k] = clamp(lambda[k] - eta * (0.05 - v), 0.3);
            lambda[3 + k] = clamp(lambda[3 + k] - eta * (0.05 + v), 0.3);
            nu[3 + k] = lambda[k] - lambda[3 + k];
            nu[k] = -nu[3 + k];
            mean[k] += t > 20 ? nu[3 + k] * t / 610 : 0; /* Σ t from 21 to 40 */
        }
    }
    assert_int_equal(info->options->batch, 500);
    for (size_t k = 0; k < 3; k++) {
        assert_true(fabs(info->shares[k % 2] - shares[k % 2]) < 1e-12);
        assert_true(fabs(info->offsets[3 + k] - mean[k] / shares[1]) < 1e-6);
        assert_true(fabs(info->offsets[k] + mean[k] / shares[0]) < 1e-6);
    }
    assert_true(fabs(mean[0]) > 0.01);
}

TEST(full_batches_without_noise_are_as_fair_as_asked) {
    for (size_t groups = 2; groups <= 4; groups += 2) {
        OWNED(people) p = people_favoured(4000, 5, groups, 72);
        for (int r = 0; r < 2; r++) {
            dp2dp_fit_options options = full_batch(r ? 0.05 : 0);
            options.beta = 1e-3;
            options.steps = 400;
            HANDLE(dp2dp_model) *model = fit_people(&p, &options);
            double u = unfairness_of(model, &p, NULL);
            if (!(u <= options.rho + 0.02) || !(u >= options.rho - 0.02)) {
                fail_msg("%zu groups, rho %g: U %.4f", groups, options.rho, u);
            }
        }
    }
}

TEST(the_ledger_tells_no_more_than_the_epsilon_asked_for) {
    static const struct {
        double epsilon, delta;
        uint64_t steps, batch, rows;
        size_t groups;
        double share;
    } cases[] = {
        {0.05, 1e-5, 100, 128, 1, 2, 0.05}, {0.46, 1e-5, 100, 128, 1, 2, 0.05},
        {1, 1e-5, 100, 128, 1, 3, 0.05},    {1, 1e-9, 20, 1, 1, 2, 0.5},
        {1, 1e-6, 1, 900, 1, 4, 0.001},     {2, 1e-5, 1000, 16, 1, 2, 0.2},
        {5, 1e-5, 100, 300, 1, 2, 0.05},    {10, 1e-5, 30, 900, 1, 2, 0.05},
        {1, 1e-5, 100, 64, 5, 2, 0.05},     {0.7, 1e-5, 50, 900, 3, 3, 0.05},
        {20, 1e-6, 100, 128, 1, 2, 0.05},   {0.3, 1e-5, 300, 40, 1, 2, 0.05},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(people) p = people_favoured(900, 4, cases[i].groups, 80 + i);
        dp2dp_fit_options options = sgd(cases[i].epsilon, 1);
        options.delta = cases[i].delta;
        options.steps = cases[i].steps;
        options.batch = cases[i].batch;
        options.rows_per_person = cases[i].rows;
        options.share_budget = cases[i].share;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        double reached = epsilon_spent(info->ledger, options.delta);
        if (!(reached <= options.epsilon) || !(reached >= 0.97 * options.epsilon) ||
            !(info->epsilon == reached)) {
            fail_msg("case %zu: asked for %g, charged %.9g, told %.9g", i, options.epsilon, reached,
                     info->epsilon);
        }
    }
}

TEST(two_charges_say_what_is_released) {
    for (size_t groups = 2; groups <= 3; groups++) {
        OWNED(people) p = people_favoured(1000, 5, groups, 61);
        dp2dp_fit_options options = sgd(1, 1);
        options.rows_per_person = 2;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        assert_int_equal(dp2dp_ledger_size(info->ledger), 2);
        dp2dp_event totals = entry_of(info->ledger, 0), sums = entry_of(info->ledger, 1);
        assert_int_equal(totals.mechanism, DP2DP_GAUSSIAN);
        assert_int_equal(totals.coordinates, groups);
        assert_int_equal(totals.count, 1);
        assert_true(totals.sensitivity >= sqrt(2));
        assert_int_equal(sums.mechanism, DP2DP_POISSON);
        assert_int_equal(sums.coordinates, groups == 2 ? 5 : 15);
        assert_int_equal(sums.count, 100);
        assert_int_equal(sums.sampling_unit, DP2DP_SAMPLE_ROWS);
        assert_int_equal(sums.rows_per_person, 2);
        assert_true(sums.rate == 0.128);
        assert_true(sums.sensitivity == 2);
        assert_true(sums.scale >= 0x1p40 && totals.scale >= 0x1p40);
        assert_int_equal(info->options->steps, 100);
        assert_int_equal(info->options->batch, 128);
        assert_true(isnan(info->epsilon_claimed));
    }
}

/* The cost depends on the number of steps T, not on how the steps use the releases. A bound that
 * stops growing with T would give these ledgers the same σ. */
TEST(every_step_is_charged_whatever_the_schedule) {
    OWNED(people) p = people_favoured(600, 3, 2, 62);
    dp2dp_fit_options options = sgd(1, 1);
    options.steps = 50;
    HANDLE(dp2dp_model) *base = fit_people(&p, &options);
    options.step_size = 1e-5;
    options.tail = 0;
    options.rho = 0.1;
    HANDLE(dp2dp_model) *timid = fit_people(&p, &options);
    options.steps = 200;
    HANDLE(dp2dp_model) *longer = fit_people(&p, &options);
    const dp2dp_ledger *ledgers[3] = {dp2dp_model_view(base)->ledger,
                                      dp2dp_model_view(timid)->ledger,
                                      dp2dp_model_view(longer)->ledger};
    assert_true(entry_of(ledgers[0], 1).sigma == entry_of(ledgers[1], 1).sigma);
    assert_true(entry_of(ledgers[2], 1).sigma > 1.5 * entry_of(ledgers[1], 1).sigma);
}

/* 1,000 releases at one point, with all records in every batch, so the sum without noise is known.
 * The squared noise, divided by the ledger's σ², adds up to a chi-square. The false-alarm rate is
 * 1e-6 on either side. */
TEST(noise_has_the_spread_of_the_ledger) {
    enum {
        RELEASES = 1000
    };
    static const double nu[12] = {0}, shares[2][3] = {{0.4, 0.6, 0}, {0.25, 0.25, 0.5}};
    for (size_t groups = 2; groups <= 3; groups++) {
        OWNED(people) p = people_favoured(100, 4, groups, 63);
        dp2dp_fit_options options = sgd(1, 17);
        options.steps = RELEASES;
        options.batch = p.n;
        open_fit noisy = begin(&p, options), bare = begin(&p, full_batch(0));
        const double *pi = shares[groups - 2];
        double truth[12], out[12], squares = 0, least = groups == 2 ? 0.4 : 0.25;
        size_t cells = groups == 2 ? 4 : 12;
        bare.releases.beta = noisy.releases.beta;
        assert_ok(dp2dpi_sgd_gradient(&bare.releases, pi, nu, truth, NULL));
        double sigma = entry_of(noisy.ledger, 1).sigma / (least * (double)p.n);
        for (int i = 0; i < RELEASES; i++) {
            assert_ok(dp2dpi_sgd_gradient(&noisy.releases, pi, nu, out, NULL));
            for (size_t c = 0; c < cells; c++) {
                squares += pow((out[c] - truth[c]) / sigma, 2);
            }
        }
        double p_value = chi_square_p(squares, (double)(RELEASES * cells));
        assert_true(p_value > P_ALARM && p_value < 1 - P_ALARM);
        end(&noisy);
        end(&bare);
    }
}

/* All records have the same class and group, and there is no noise, so the sum over a sample is the
 * size of the sample. */
TEST(samples_have_the_rate_of_the_ledger) {
    enum {
        RELEASES = 2000
    };
    OWNED(people) p = people_new(500, 2, 2);
    for (size_t i = 0; i < p.n; i++) {
        p.scores[2 * i] = 1;
        p.group[i] = 1;
    }
    dp2dp_fit_options options = sgd(INFINITY, 19);
    options.steps = RELEASES;
    options.batch = 50;
    open_fit f = begin(&p, options);
    static const double shares[2] = {0.5, 0.5}, nu[4] = {0};
    double total = 0, squares = 0, v[2];
    for (int i = 0; i < RELEASES; i++) {
        assert_ok(dp2dpi_sgd_gradient(&f.releases, shares, nu, v, NULL));
        double size = v[0] * 0.5 * 50;
        assert_true(fabs(size - round(size)) < 1e-6);
        total += size;
        squares += (size - 50) * (size - 50);
    }
    double mean = 500.0 * RELEASES * 0.1;
    assert_true(normal_p((total - mean) / sqrt(mean * 0.9)) > P_ALARM);
    double p_value = chi_square_p(squares / 45, RELEASES);
    assert_true(p_value > P_ALARM && p_value < 1 - P_ALARM);
    end(&f);
}

static void same_offsets(const dp2dp_model *a, const dp2dp_model *b, const size_t *class_of,
                         double tolerance) {
    const dp2dp_model_info *x = dp2dp_model_view(a), *y = dp2dp_model_view(b);
    for (size_t c = 0; c < x->strata * x->classes; c++) {
        size_t k = c % x->classes, from = class_of ? class_of[k] : k;
        double d = x->offsets[c - k + from] - y->offsets[c];
        if (!(fabs(d) <= tolerance)) {
            fail_msg("cell %zu: %.17g and %.17g", c, x->offsets[c - k + from], y->offsets[c]);
        }
    }
}

TEST(threads_change_nothing) {
    for (size_t groups = 2; groups <= 3; groups++) {
        OWNED(people) p = people_favoured(150001, 3, groups, 41);
        dp2dp_fit_options options = sgd(1, 5);
        options.steps = 5;
        options.batch = 60000;
        HANDLE(dp2dp_model) *base = fit_people(&p, &options);
        for (unsigned threads = 2; threads <= 7; threads += 5) {
            HANDLE(dp2dp_pool) *pool = pool_on(&p, threads);
            dp2dp_source source = dp2dp_pool_source(pool);
            HANDLE(dp2dp_model) *model = fit_source(&source, &options);
            same_offsets(base, model, NULL, 0);
        }
    }
}

TEST(names_of_classes_and_order_of_rows_change_nothing_else) {
    static const size_t class_of[5] = {3, 1, 4, 0, 2};
    for (size_t groups = 2; groups <= 3; groups++) {
        OWNED(people) p = people_favoured(2003, 5, groups, 42), q = people_new(2003, 5, groups),
                      r = people_new(2003, 5, groups);
        for (size_t i = 0; i < p.n; i++) {
            size_t from = (i * 7 + 11) % p.n;
            q.group[i] = p.group[i];
            r.group[i] = p.group[from];
            for (size_t k = 0; k < 5; k++) {
                q.scores[5 * i + k] = p.scores[5 * i + class_of[k]];
                r.scores[5 * i + k] = p.scores[5 * from + k];
            }
        }
        dp2dp_fit_options options = full_batch(0.03);
        HANDLE(dp2dp_model) *base = fit_people(&p, &options), *named = fit_people(&q, &options),
                            *shuffled = fit_people(&r, &options);
        same_offsets(base, named, class_of, 1e-6);
        same_offsets(base, shuffled, NULL, 0);
    }
}

static dp2dp_status refuse_to_count(void *context, const float *offsets, int64_t *table,
                                    dp2dp_error *error) {
    (void)context, (void)offsets, (void)table, (void)error;
    return DP2DP_STATUS_IO;
}

/* Every solver but counts needs the records themselves. */
TEST(a_source_without_records_is_refused) {
    dp2dp_source source = source_of(100, 2, 2, NULL, refuse_to_count);
    for (int i = DP2DP_SOLVER_EXACT; i <= DP2DP_SOLVER_SGD_AS_PUBLISHED; i++) {
        dp2dp_fit_options options = sgd(1, 1);
        dp2dp_model *model = (dp2dp_model *)&source;
        char message[120];
        options.solver = (dp2dp_solver)i;
        (void)snprintf(
            message, sizeof message,
            "solver %s needs records, but this source gives only counts; use solver counts",
            dp2dp_solver_name(options.solver));
        assert_status(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT);
        assert_string_equal(test_error.message, message);
        assert_null(model);
    }
}

TEST(only_secure_noise_makes_a_model_private) {
    OWNED(people) p = people_favoured(300, 3, 2, 46);
    dp2dp_fit_options options = sgd(1, 9);
    HANDLE(dp2dp_model) *seeded_fit = fit_people(&p, &options);
    options.rng = DP2DP_RNG_SECURE;
    HANDLE(dp2dp_model) *first = fit_people(&p, &options), *second = fit_people(&p, &options);
    assert_int_equal(dp2dp_model_view(seeded_fit)->not_private_because,
                     DP2DP_NOT_PRIVATE_INSECURE_NOISE);
    assert_int_equal(dp2dp_model_view(first)->not_private_because, 0);
    assert_memory_not_equal(dp2dp_model_view(first)->offsets, dp2dp_model_view(second)->offsets,
                            6 * sizeof(double));
}

TEST(without_noise_samples_are_drawn_and_nothing_is_charged) {
    OWNED(people) p = people_favoured(1000, 3, 2, 43);
    dp2dp_fit_options options = sgd(INFINITY, 1);
    HANDLE(dp2dp_model) *first = fit_people(&p, &options), *again = fit_people(&p, &options);
    options.insecure_seed = 2;
    HANDLE(dp2dp_model) *other = fit_people(&p, &options);
    same_offsets(first, again, NULL, 0);
    assert_memory_not_equal(dp2dp_model_view(first)->offsets, dp2dp_model_view(other)->offsets,
                            6 * sizeof(double));
    assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(first)->ledger), 0);
    assert_true(dp2dp_model_view(first)->not_private_because & DP2DP_NOT_PRIVATE_NO_NOISE);
    assert_true(isnan(dp2dp_model_view(first)->epsilon));
}

TEST(a_budget_refuses_whole_and_a_cancelled_fit_has_been_charged) {
    OWNED(people) p = people_favoured(300, 3, 2, 44);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    static const double budgets[3] = {0.1, 0.99, 1};
    for (int i = 0; i < 3; i++) {
        watch w = {.stop_at = 3};
        dp2dp_fit_options options = sgd(1, 1);
        dp2dp_model *model = NULL;
        options.steps = 20;
        options.progress = on_progress;
        options.progress_context = &w;
        options.ledger = ledger_with_budget(budgets[i]);
        assert_int_equal(dp2dp_fit(&source, &options, &model, NULL),
                         i < 2 ? DP2DP_STATUS_BUDGET : DP2DP_STATUS_CANCELLED);
        assert_null(model);
        assert_int_equal(charges_in(options.ledger), i < 2 ? 0 : 2);
        assert_int_equal(w.calls, i < 2 ? 0 : 3);
        assert_int_equal(w.total, i < 2 ? 0 : 20);
        dp2dp_ledger_free(options.ledger);
    }
}

TEST(an_empty_group_and_two_records_will_do) {
    OWNED(people) p = people_random(2, 2, 3, 10, 45);
    p.group[0] = p.group[1] = 1;
    for (int noise = 0; noise < 2; noise++) {
        dp2dp_fit_options options = noise ? sgd(1, 3) : full_batch(0);
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        for (size_t c = 0; c < 6; c++) {
            assert_true(fabs(dp2dp_model_view(model)->offsets[c]) <= 2);
        }
    }
}
