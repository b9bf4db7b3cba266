/* Solver sgd-as-published: Algorithm 1 as printed, with the privacy cost that the paper claims and
 * the sound cost. The tests show where the two differ. */
#include "mechanism/mechanism.h"
#include "phase2/sgd_as_published_price.h"
#include "phase2/sgd_as_published_release.h"
#include "phase2/sgd_release.h"

#include "privacy/noise_stats.h"
#include "unit/phase2/data.h"

static dp2dp_fit_options published(double epsilon, uint64_t group_least) {
    dp2dp_fit_options options = seeded(epsilon, 1);
    options.solver = DP2DP_SOLVER_SGD_AS_PUBLISHED;
    options.group_least = group_least;
    options.share_budget = 0.05;
    return options;
}

static double epsilon_of(const dp2dp_event *events, size_t n) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    for (size_t i = 0; i < n; i++) {
        assert_ok(dp2dp_ledger_charge(ledger, &events[i], DP2DP_RNG_SECURE, &test_error));
    }
    return epsilon_spent(ledger, 1e-5);
}

/* The references are from dp_accounting 0.6: RdpAccountant, add-or-remove-one, one
 * GaussianDpEvent(sigma_totals) and T times PoissonSampled(b/N, Gaussian(sigma_sums/4)). Its grid
 * of orders is coarser than ours, so its ε is slightly larger. */
TEST(the_claim_is_that_of_the_library_the_paper_used) {
    static const struct {
        double sigma_totals, sigma_sums;
        uint64_t records, steps;
        double reference;
    } cases[] = {{1e6, 20.8, 2000, 100, 0.4930251264004723},
                 {40, 20.8, 2000, 100, 0.5027126263849724},
                 {10, 12, 9044, 100, 0.42341997959651323},
                 {20, 30, 6000, 1000, 0.39077870874144094}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        dp2dp_fit_options options = published(1, 0);
        dp2dpi_published_claim claim = {cases[i].sigma_totals, cases[i].sigma_sums, NAN};
        options.steps = cases[i].steps;
        assert_ok(dp2dpi_published_claimed(&options, cases[i].records, &claim, NULL));
        if (!(claim.epsilon <= cases[i].reference * 1.0001) ||
            !(claim.epsilon >= cases[i].reference * 0.98)) {
            fail_msg("case %zu: %.9g, reference %.9g", i, claim.epsilon, cases[i].reference);
        }
    }
}

/* The model states the claimed ε and the sound ε, which is larger and follows from the ledger
 * alone. The ledger entry of the sums is the cheaper of two sound descriptions of the sampler. */
TEST(the_ledger_tells_the_sound_epsilon_and_the_model_both) {
    static const uint64_t leasts[3] = {100, 400, 700};
    int seen[2] = {0, 0};
    OWNED(people) p = people_favoured(2000, 4, 2, 5);
    for (int i = 0; i < 3; i++) {
        dp2dp_fit_options options = published(0.46, leasts[i]);
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        dp2dp_event e[3];
        assert_int_equal(dp2dp_ledger_size(info->ledger), 3);
        for (size_t j = 0; j < 3; j++) {
            e[j] = entry_of(info->ledger, j);
            assert_true(j == 1 || e[j].scale >= 0x1p30);
        }
        assert_true(info->epsilon_claimed <= 0.46 && info->epsilon_claimed > 0.459);
        assert_true(info->epsilon == epsilon_of(e, 3));
        assert_true(info->epsilon > 1.9 * info->epsilon_claimed);
        assert_int_equal(info->not_private_because, DP2DP_NOT_PRIVATE_INSECURE_NOISE);
        assert_true(fabs(info->shares[0] + info->shares[1] - 1) < 1e-12);
        assert_true(e[0].sensitivity >= sqrt(2) && e[0].coordinates == 2);
        assert_int_equal(e[1].mechanism, DP2DP_DECLARED);
        assert_true(e[1].epsilon == 0 && e[1].delta == 0.01 * 1e-5);
        assert_int_equal(e[2].mechanism, DP2DP_WITH_REPLACEMENT);
        assert_true(e[2].draws == 128 && e[2].count == 100 && e[2].coordinates == 8);
        double n_min = (double)leasts[i];
        for (int v = 0; v < 2; v++) {
            dp2dp_event other[3] = {e[0], e[1], e[2]};
            double p_hit = 0.5 / n_min + 0.5 / (2000 - n_min + 1);
            other[2].sensitivity = v ? 4 : 4 * sqrt(2);
            other[2].population = v ? n_min : floor(1 / p_hit);
            seen[v] += other[2].population == e[2].population;
            assert_true(epsilon_of(other, 3) >= info->epsilon * (1 - 1e-9));
            assert_true(e[2].population != other[2].population ||
                        e[2].sensitivity >= other[2].sensitivity);
        }
    }
    assert_true(seen[0] > 0 && seen[1] > 0); /* each description is the cheaper one in some case */
}

TEST(without_a_public_bound_there_is_no_epsilon_and_no_budget_suffices) {
    OWNED(people) p = people_favoured(2000, 4, 2, 5);
    dp2dp_fit_options options = published(0.46, 0);
    dp2dp_model *model = fit_people(&p, &options), *refused = NULL;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_true(isnan(info->epsilon) && isnan(info->delta));
    assert_true(info->epsilon_claimed <= 0.46 && info->epsilon_claimed > 0.459);
    assert_true(info->not_private_because & DP2DP_NOT_PRIVATE_NO_BOUND);
    assert_int_equal(dp2dp_ledger_size(info->ledger), 2);
    assert_true(entry_of(info->ledger, 1).sensitivity >= 128 * 4 * sqrt(2));
    dp2dp_model_free(model);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    for (int i = 0; i < 2;
         i++) { /* the budget is compared with the sound cost, never with the claim */
        options.group_least = i ? 400 : 0;
        options.ledger = ledger_with_budget(i ? 2 : 100);
        assert_status(dp2dp_fit(&source, &options, &refused, NULL), BUDGET);
        assert_int_equal(charges_in(options.ledger), 0);
        dp2dp_ledger_free(options.ledger);
    }
}

/* A group with exactly group_least people passes the check with probability at most 1e-7. */
TEST(a_group_near_the_public_bound_ends_the_fit_after_the_charge) {
    OWNED(people) p = people_favoured(2000, 3, 2, 6);
    dp2dp_fit_options options = published(1, 0);
    size_t smaller = 0;
    for (size_t i = 0; i < p.n; i++) {
        smaller += p.group[i] == 0;
    }
    options.group_least = smaller < 1000 ? smaller : 2000 - smaller;
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    for (uint64_t seed = 0; seed < 5; seed++) {
        HANDLE(dp2dp_model) *model = NULL;
        options.insecure_seed = seed;
        assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
        assert_status(dp2dp_fit(&source, &options, &model, NULL), NO_BOUND);
        assert_int_equal(dp2dp_ledger_size(options.ledger), 3);
        double t = entry_of(options.ledger, 0).sigma * sqrt(2 * log(1e7));
        dp2dp_ledger_free(options.ledger);
        options.ledger = NULL;
        uint64_t least = options.group_least;
        options.group_least = least - (uint64_t)(2 * t);
        assert_ok(dp2dp_fit(&source, &options, &model, NULL));
        options.group_least = least;
    }
}

typedef struct open_fit {
    dp2dp_pool *pool;
    dp2dp_ledger *ledger;
    dp2dpi_published_releases releases;
} open_fit;

static open_fit begin(const people *p, dp2dp_fit_options options) {
    open_fit f = {.pool = pool_of(p)};
    options.steps = options.steps ? options.steps : 100;
    options.batch = options.batch < p->n ? options.batch : p->n;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &f.ledger, NULL));
    assert_ok(dp2dpi_published_releases_new(f.pool, &options, f.ledger, &f.releases, NULL));
    return f;
}

static void end(open_fit *f) {
    dp2dpi_published_releases_free(&f->releases);
    dp2dp_ledger_free(f->ledger);
    dp2dp_pool_free(f->pool);
}

static const double even[2] = {0.5, 0.5};

/* Each of 20 people, 3 of the first group and 17 of the second, has probability 1 for a class of
 * their own. So a gradient without noise shows how often each person was drawn. */
TEST(a_group_is_drawn_evenly_then_a_member_with_replacement) {
    enum {
        PEOPLE = 20,
        FIRST = 3,
        BATCHES = 20000,
        DRAWS = 10
    };
    OWNED(people) p = people_new(PEOPLE, PEOPLE, 2);
    for (size_t i = 0; i < PEOPLE; i++) {
        p.group[i] = i >= FIRST;
        p.scores[i * PEOPLE + i] = 1;
    }
    dp2dp_fit_options options = published(INFINITY, 0);
    options.batch = DRAWS;
    open_fit f = begin(&p, options);
    double u[2 * PEOPLE], hits[PEOPLE] = {0}, groups = 0, repeats = 0, chi = 0;
    static const double nu[2 * PEOPLE] = {0};
    for (int i = 0; i < BATCHES; i++) {
        double first = 0;
        assert_ok(dp2dpi_published_gradient(&f.releases, even, nu, u, NULL));
        for (size_t k = 0; k < PEOPLE; k++) {
            double times = (k < FIRST ? u[k] : -u[k]) * DRAWS / 2; /* −2s in the first block */
            assert_true(fabs(times - round(times)) < 1e-9 && times > -1e-9);
            assert_true(u[PEOPLE + k] == -u[k]);
            hits[k] += times;
            first += k < FIRST ? times : 0;
            repeats += times > 1.5;
        }
        groups += (first - DRAWS / 2.0) * (first - DRAWS / 2.0) / (DRAWS / 4.0);
    }
    for (size_t k = 0; k < PEOPLE; k++) {
        double mean = BATCHES * DRAWS * 0.5 / (k < FIRST ? FIRST : PEOPLE - FIRST);
        chi += (hits[k] - mean) * (hits[k] - mean) / mean;
    }
    assert_true(chi_square_p(chi, PEOPLE - 1) > P_ALARM);
    /* A fresh coin for each draw: squares of a standardised Bin(10, ½) have mean 1, variance 1.8.
     */
    assert_true(normal_p((groups - BATCHES) / sqrt(1.8 * BATCHES)) > P_ALARM);
    assert_true(repeats > BATCHES);
    end(&f);
}

/* With a batch of one draw and no noise, a release is the gradient of one record. Gradients of one
 * group differ by at most 4, of different groups by at most 4√2: this is the sensitivity of all 2K
 * released numbers. */
TEST(a_replaced_draw_moves_what_is_released_by_four_root_two) {
    OWNED(people) p = people_random(40, 3, 2, 1U << 20, 7);
    for (size_t i = 0; i < 12;
         i++) { /* probability 1 for every class in every group gives the largest differences */
        memset(p.scores + 3 * i, 0, 3 * sizeof(float));
        p.scores[3 * i + i % 3] = 1;
        p.group[i] = (int32_t)(i / 3 % 2);
    }
    dp2dp_fit_options options = published(INFINITY, 0);
    options.batch = 1;
    open_fit f = begin(&p, options);
    static const double nu[6] = {0};
    double draws[200][6], within = 0, across = 0;
    f.releases.beta = 0.05;
    for (int i = 0; i < 200; i++) {
        assert_ok(dp2dpi_published_gradient(&f.releases, even, nu, draws[i], NULL));
        for (int j = 0; j < i; j++) {
            double squares = 0;
            for (int c = 0; c < 6; c++) {
                squares += pow(draws[i][c] - draws[j][c], 2);
            }
            int same = (draws[i][0] + draws[i][1] + draws[i][2] > 0) ==
                       (draws[j][0] + draws[j][1] + draws[j][2] > 0);
            double *most = same ? &within : &across;
            *most = fmax(*most, sqrt(squares));
        }
    }
    assert_true(within <= 4 && within > 3.99);
    assert_true(across <= 4 * sqrt(2) && across > 5.6);
    end(&f);
}

/* All records are equal, so the sum without noise does not depend on the draws. Each released
 * number has standard deviation σ/b, with σ as charged for the sum. The two blocks have independent
 * noise, so their sum has σ√2/b; if both used the same noise, it would cancel. The false-alarm rate
 * is 1e-6 on either side. */
TEST(noise_is_on_the_sum_and_drawn_for_each_of_two_blocks) {
    enum {
        RELEASES = 2000
    };
    OWNED(people) p = people_new(1000, 2, 2);
    for (size_t i = 0; i < p.n; i++) {
        p.scores[2 * i] = p.scores[2 * i + 1] = 0.5F;
        p.group[i] = (int32_t)(i % 2);
    }
    dp2dp_fit_options options = published(1, 0);
    options.steps = RELEASES;
    open_fit f = begin(&p, options);
    static const double nu[4] = {0};
    double u[4], both = 0;
    double sigma = entry_of(f.ledger, 1).sigma / 128;
    for (int i = 0; i < RELEASES; i++) {
        assert_ok(dp2dpi_published_gradient(&f.releases, even, nu, u, NULL));
        both += (pow(u[0] + u[2], 2) + pow(u[1] + u[3], 2)) / (2 * sigma * sigma);
    }
    double p_value = chi_square_p(both, 2.0 * RELEASES);
    assert_true(p_value > P_ALARM && p_value < 1 - P_ALARM);
    end(&f);
}

/* The noises of the two group sizes are independent: sum and difference of the sizes both have the
 * variance of two noises. With one noise for both sizes, the difference would have none. */
TEST(proportions_have_noise_of_their_own) {
    enum {
        RELEASES = 2000
    };
    OWNED(people) p = people_favoured(1000, 2, 2, 9);
    dp2dp_fit_options options = published(1, 0);
    options.steps = 1;
    open_fit f = begin(&p, options);
    dp2dpi_published_releases *r = &f.releases;
    dp2dpi_release *release = &r->release;
    dp2dp_event event = *dp2dpi_release_event(release, DP2DPI_SGD_TOTALS);
    double sigma = entry_of(f.ledger, 0).sigma, totals[2], sum = 0, difference = 0;
    double first = (double)f.pool->begin[1], second = 1000 - first;
    event.count = RELEASES;
    event.label = event.set = event.role = event.release_id = NULL;
    dp2dpi_charge_free(release->charges[DP2DPI_SGD_TOTALS]);
    assert_ok(dp2dpi_charge_new(release->scratch, release->rng, &event, 1, release->grid_bits,
                                &release->charges[DP2DPI_SGD_TOTALS], NULL));
    for (int i = 0; i < RELEASES; i++) {
        assert_ok(dp2dpi_published_totals(r, totals, NULL));
        sum += pow((totals[0] + totals[1] - 1000) / sigma, 2) / 2;
        difference += pow((totals[0] - totals[1] - (first - second)) / sigma, 2) / 2;
    }
    double p_values[2] = {chi_square_p(sum, RELEASES), chi_square_p(difference, RELEASES)};
    for (int i = 0; i < 2; i++) {
        assert_true(p_values[i] > P_ALARM && p_values[i] < 1 - P_ALARM);
    }
    end(&f);
}

/* In the paper, λ^T after T updates from λ¹ could mean the iterate before the last update. The
 * solver returns the iterate after the last update. The model states every constant that the paper
 * leaves open. */
TEST(the_iterate_after_the_last_update_is_returned_with_every_constant) {
    OWNED(people) p = people_favoured(1000, 3, 2, 10);
    dp2dp_fit_options options = published(INFINITY, 0);
    options.steps = 1;
    options.lambda_max = 0.01;
    dp2dp_model *model = fit_people(&p, &options);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    double largest = 0;
    for (size_t c = 0; c < 6; c++) {
        largest = fmax(largest, fabs(info->offsets[c] * info->shares[c / 3]));
    }
    assert_true(fabs(largest - 0.01) < 1e-6);
    assert_true(info->options->lambda_max == 0.01 && info->options->tail == 0);
    assert_true(info->options->beta == 1e-5 && info->options->batch == 128);
    assert_true(info->options->step_size == 1 && info->options->steps == 1);
    assert_true(info->options->share_budget == 0.05);
    dp2dp_model_free(model);
    options.steps = 0;
    options.tail = 0;
    model = fit_people(&p, &options);
    options.tail = 1;
    HANDLE(dp2dp_model) *other = fit_people(&p, &options);
    assert_memory_equal(dp2dp_model_view(model)->offsets, dp2dp_model_view(other)->offsets,
                        6 * sizeof(double));
    assert_int_equal(dp2dp_model_view(model)->options->steps, 100);
    assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(model)->ledger), 0);
    assert_true(isnan(dp2dp_model_view(model)->epsilon_claimed));
    dp2dp_model_free(model);
}

TEST(what_the_paper_does_not_cover_is_refused) {
    static const struct {
        size_t groups;
        uint64_t rows, least;
        const char *message;
    } cases[] = {
        {3, 1, 0, "solver sgd-as-published needs 2 groups, but there are 3"},
        {2, 2, 0,
         "rows_per_person = 2: it must be 1 for solver sgd-as-published; no privacy bound is "
         "known for larger numbers"},
        {2, 1, 1, "group_least = 1: it must be 0, or from 2 to half of the 100 records"},
        {2, 1, 51, "group_least = 51: it must be 0, or from 2 to half of the 100 records"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        OWNED(people) p = people_random(100, 2, cases[i].groups, 10, 11);
        HANDLE(dp2dp_pool) *pool = pool_of(&p);
        dp2dp_source source = dp2dp_pool_source(pool);
        dp2dp_fit_options options = published(1, cases[i].least);
        dp2dp_model *model = NULL;
        options.rows_per_person = cases[i].rows;
        assert_status(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT);
        assert_string_equal(test_error.message, cases[i].message);
    }
}

TEST(an_empty_group_adds_nothing) {
    OWNED(people) p = people_random(50, 2, 2, 10, 12);
    memset(p.group, 0, 50 * sizeof(int32_t));
    for (int noise = 0; noise < 2; noise++) {
        dp2dp_fit_options options = published(noise ? 1 : INFINITY, 0);
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        for (size_t c = 0; c < 4; c++) {
            assert_true(fabs(dp2dp_model_view(model)->offsets[c]) <= 2);
        }
    }
}

static double gaussian_epsilon(double sensitivity, double sigma, uint64_t count) {
    dp2dp_event event = dp2dpi_release_gaussian(sensitivity, sigma, 0, NULL);
    event.count = count;
    return epsilon_of(&event, 1);
}

/* N = 2000 and ε = 0.46: σ_π = 0.001 meets the printed condition, but this noise alone costs four
 * times ε. Noise that meets the corrected condition with equality costs at most ε. */
TEST(the_printed_condition_on_the_proportions_overspends) {
    double n = 2000, epsilon = 0.46, l = log(1e5), a = sqrt(l + epsilon) - sqrt(l);
    double printed = sqrt(2) * n * a, corrected = 1 / (sqrt(2) * n * a);
    assert_true(0.001 < printed && 0.001 < corrected);
    assert_true(gaussian_epsilon(1, n * 0.001, 1) > 4 * epsilon);
    assert_true(gaussian_epsilon(1, n * corrected, 1) <= epsilon);
    assert_true(gaussian_epsilon(1, n * corrected, 1) > 0.6 * epsilon);
}

/* If every answer has fresh noise, every answer is charged. */
TEST(answers_with_fresh_noise_have_no_common_price) {
    assert_true(gaussian_epsilon(2, 10, 1) < 0.73);
    assert_true(gaussian_epsilon(2, 10, 100) > 9);
    assert_true(gaussian_epsilon(2, 10, 10000) > 280);
}

TEST(what_was_read_off_the_data_is_told_by_the_model) {
    OWNED(people) p = people_favoured(200, 2, 2, 13);
    dp2dp_fit_options options = seeded(1, 1);
    options.rng = DP2DP_RNG_SECURE;
    options.not_private_because =
        DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA | DP2DP_NOT_PRIVATE_LABELS_FROM_DATA;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_int_equal(dp2dp_model_view(model)->not_private_because,
                     DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA | DP2DP_NOT_PRIVATE_LABELS_FROM_DATA);
}
