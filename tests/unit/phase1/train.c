/* Tests training as a whole: what it charges, what it refuses, and that the weights depend only on
 * the options and the rows. */
#include "phase1/descent.h"
#include "phase1/output.h"

#include "unit/option_bounds.h"
#include "unit/phase1/data.h"

static const dp2dp_train_method methods[] = {DP2DP_TRAIN_DPGD, DP2DP_TRAIN_DPSGD,
                                             DP2DP_TRAIN_OUTPUT, DP2DP_TRAIN_NONE};

static void refused(const crowd *c, const dp2dp_train_options *options, dp2dp_status expected,
                    const char *word) {
    dp2dp_error error = {0};
    double weights[256];
    HANDLE(dp2dp_ledger) *own = new_ledger();
    dp2dp_status status = crowd_train(c, options, own, weights, &error);
    if (status != expected || strstr(error.message, word) == NULL) {
        fail_msg("%s: status %d, '%s'", word, (int)status, error.message);
    }
    assert_int_equal(dp2dp_ledger_size(own), 0);
}

TEST(options_outside_their_bounds_are_refused_by_name) {
    OWNED(crowd) c = crowd_random(30, 2, 1, 3, 1);
    size_t count;
    const dp2dp_option *table = dp2dp_options(DP2DP_STRUCT_TRAIN_OPTIONS, &count);
    dp2dp_train_options options;
    for (const dp2dp_option *o = table; o < table + count; o++) {
        double wrong[4];
        int n = option_wrong(o, wrong);
        for (int i = 0; i < n; i++) {
            options = train_seeded(DP2DP_TRAIN_DPGD, 1, 1);
            dp2dpi_option_set(o, &options, wrong[i]);
            refused(&c, &options, DP2DP_STATUS_ARGUMENT, o->name);
        }
    }
    options = DP2DP_TRAIN_OPTIONS_INIT;
    refused(&c, &options, DP2DP_STATUS_ARGUMENT, "epsilon");
    options = train_seeded((dp2dp_train_method)9, 1, 1);
    refused(&c, &options, DP2DP_STATUS_ARGUMENT, "method");
    options = train_seeded(DP2DP_TRAIN_DPGD, 1, 1);
    options.rng = (dp2dp_rng_kind)7;
    refused(&c, &options, DP2DP_STATUS_ARGUMENT, "rng");
}

TEST(rows_that_cannot_be_are_refused_before_any_charge) {
    static const int32_t codes[][2] = {{2, 2}, {-1, 10}, {-1, -2}, {7, 3}, {0, -1}};
    static const float scales[] = {-0.5F, 1.5F, NAN};
    OWNED(crowd) c = crowd_random(30, 2, 2, 3, 1);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPGD, 1, 1);
    c.classes = 1;
    refused(&c, &options, DP2DP_STATUS_ARGUMENT, "classes");
    c.classes = 2; /* some rows have label 2 */
    refused(&c, &options, DP2DP_STATUS_DATA, "has a label or group that is not in the schema");
    c.classes = 3;
    c.norm = 0.1;
    refused(&c, &options, DP2DP_STATUS_DATA, "has a norm above the largest that the schema allows");
    c.norm = NAN;
    refused(&c, &options, DP2DP_STATUS_ARGUMENT, "norm");
    c.norm = 3;
    c.rows.x[7] = NAN;
    refused(&c, &options, DP2DP_STATUS_DATA, "row 4 of the encoded rows does not match");
    c.rows.x[7] = 0;
    assert_int_equal(c.width, 10);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        memcpy(c.rows.codes + 8, codes[i], sizeof codes[i]);
        refused(&c, &options, DP2DP_STATUS_DATA, "row 5 of the encoded rows does not match");
    }
    c.rows.codes[8] = c.rows.codes[9] = -1;
    c.rows.x[10] = c.rows.x[11] = 0;
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        c.rows.scale[5] = scales[i];
        refused(&c, &options, DP2DP_STATUS_DATA, "row 6 of the encoded rows does not match");
    }
    c.rows.count = 0;
    refused(&c, &options, DP2DP_STATUS_ARGUMENT, "0 rows");
}

/* The ledger has one entry of set train; its ε is at most the requested ε and above 99.9 % of it.
 */
TEST(the_ledger_accounts_for_the_epsilon_asked_for) {
    OWNED(crowd) c = crowd_random(400, 2, 1, 3, 2);
    for (int m = 0; m < 3; m++) {
        for (uint64_t persons = 1; persons <= 3; persons += 2) {
            dp2dp_train_options options = train_seeded(methods[m], 1, 1);
            HANDLE(dp2dp_accountant) *accountant = NULL;
            dp2dp_event event = DP2DP_EVENT_INIT;
            dp2dp_rng_kind kind;
            double epsilon = 0;
            options.steps = 5;
            options.rows_per_person = persons;
            dp2dp_ledger *own = NULL;
            assert_ok(dp2dpi_ledger_new_of_model(&own, NULL));
            assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
            free(train_crowd(&c, &options, own));
            assert_int_equal(dp2dp_ledger_size(own), 1);
            assert_int_equal(dp2dp_ledger_size(options.ledger), 1);
            assert_ok(dp2dp_ledger_entry(own, 0, &event, &kind, NULL));
            assert_string_equal(event.role, "train");
            assert_null(event.set);
            assert_int_equal(event.rows_per_person, persons);
            assert_ok(dp2dp_ledger_account(own, &accountant, NULL));
            assert_ok(dp2dp_accountant_epsilon(accountant, 1e-5, DP2DP_BACKEND_AUTO, &epsilon, NULL,
                                               NULL));
            assert_true(epsilon <= 1 && epsilon > 0.999);
            dp2dp_ledger_free(own);
            dp2dp_ledger_free(options.ledger);
        }
    }
}

TEST(a_budget_that_is_too_small_is_refused_and_nothing_is_charged) {
    OWNED(crowd) c = crowd_random(100, 2, 1, 2, 2);
    double weights[64];
    for (int m = 0; m < 3; m++) {
        dp2dp_train_options options = train_seeded(methods[m], 1, 1);
        options.steps = 3;
        dp2dp_ledger *own = new_ledger();
        assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
        assert_ok(dp2dp_ledger_set_budget(options.ledger, 0.9, 1e-5, NULL));
        assert_status(crowd_train(&c, &options, own, weights, NULL), BUDGET);
        assert_int_equal(charges_in(own) + charges_in(options.ledger), 0);
        dp2dp_ledger_free(own);
        dp2dp_ledger_free(options.ledger);
    }
}

TEST(without_noise_nothing_is_charged) {
    OWNED(crowd) c = crowd_random(300, 2, 1, 3, 2);
    for (int m = 0; m < 4; m++) {
        dp2dp_train_options options = train_seeded(methods[m], INFINITY, 1);
        options.steps = 3;
        options.penalty = 0.1;
        HANDLE(dp2dp_ledger) *own = new_ledger();
        free(train_crowd(&c, &options, own));
        assert_int_equal(dp2dp_ledger_size(own), 0);
    }
}

TEST(threads_change_no_bit_of_the_weights) {
    OWNED(crowd) c = crowd_random(9000, 3, 2, 3, 3);
    for (int m = 0; m < 4; m++) {
        dp2dp_train_options options = train_seeded(methods[m], 1, 5);
        options.steps = 4;
        options.penalty = m == 2 ? 0.3 : 0;
        FREED double *one = train_crowd(&c, &options, NULL);
        options.threads = 5;
        FREED double *five = train_crowd(&c, &options, NULL);
        assert_memory_equal(one, five, c.classes * (c.width + 1) * sizeof *one);
    }
}

/* Without noise, every method comes near the optimum; with ε = 2 and many rows, the private methods
 * do. A wrong sign or scale would not. */
TEST(what_is_learnt_is_near_the_optimum) {
    for (size_t classes = 2; classes <= 4; classes += 2) {
        OWNED(crowd) c = crowd_random(6000, 3, 2, classes, 4);
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
        double *weights = train_crowd(&c, &options, NULL), best = crowd_error(&c, weights);
        free(weights);
        assert_true(best < 0.35);
        for (int m = 0; m < 3; m++) {
            options = train_seeded(methods[m], INFINITY, 1);
            weights = train_crowd(&c, &options, NULL);
            double bare = crowd_error(&c, weights);
            free(weights);
            options = train_seeded(methods[m], 2, 1);
            weights = train_crowd(&c, &options, NULL);
            double noisy = crowd_error(&c, weights);
            free(weights);
            print_message("%zu classes, method %d: %.4f, %.4f without noise, best %.4f\n", classes,
                          m + 1, noisy, bare, best);
            assert_true(bare < best + 0.02);
            assert_true(noisy < best + (m == 2 ? 0.1 : 0.04));
        }
    }
}

static double log_loss(const crowd *c, const double *weights) {
    FREED float *scores = malloc(c->rows.count * c->classes * sizeof *scores);
    double sum = 0;
    assert_non_null(scores);
    dp2dpi_train_scores(weights, c->width, c->classes, &c->rows, 1, scores);
    for (size_t i = 0; i < c->rows.count; i++) {
        sum -= log((double)scores[i * c->classes + (size_t)c->labels[i]] + 1e-12);
    }
    return sum / (double)c->rows.count;
}

/* A third of the labels are redrawn, so many gradients are long and get clipped. */
TEST(clipping_does_not_spoil_the_probabilities) {
    for (size_t classes = 2; classes <= 4; classes += 2) {
        OWNED(crowd) c = crowd_random(6000, 3, 2, classes, 4);
        uint64_t seed = 12;
        for (size_t i = 0; i < c.rows.count; i++) {
            int32_t other = (int32_t)(draw(&seed) % classes);
            c.labels[i] = draw(&seed) % 3 ? c.labels[i] : other;
        }
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
        double *best = train_crowd(&c, &options, NULL), least = log_loss(&c, best);
        options = train_seeded(DP2DP_TRAIN_DPGD, INFINITY, 1);
        options.clip = 0.5;
        double *cut = train_crowd(&c, &options, NULL), loss = log_loss(&c, cut);
        print_message("%zu classes: log loss %.4f, %.4f at best\n", classes, loss, least);
        assert_true(loss < least + 0.03);
        free(best);
        free(cut);
    }
}

TEST(a_level_that_all_rows_have_is_left_to_the_bias) {
    OWNED(crowd) c = crowd_random(500, 1, 2, 2, 4);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPGD, INFINITY, 1);
    for (size_t i = 0; i < c.rows.count; i++) {
        c.rows.codes[2 * i] = 2;
        c.rows.scale[i] = 1;
        c.rows.x[i] = (float)sin((double)i);
        c.labels[i] = c.labels[i] && i % 3;
    }
    double *weights = train_crowd(&c, &options, NULL), *second = weights + c.width + 1;
    assert_true(fabs(second[2]) < 1e-4 && fabs(second[c.width]) > 0.1);
    free(weights);
}

static int stop_at_three(void *context, uint64_t step, uint64_t total) {
    *(uint64_t *)context = step;
    assert_int_equal(total, 10);
    return step == 3;
}

TEST(a_cancelled_run_stays_charged) {
    OWNED(crowd) c = crowd_random(100, 2, 1, 2, 2);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_DPGD, 1, 1);
    double weights[64];
    uint64_t reached = 0;
    options.steps = 10;
    options.progress = stop_at_three;
    options.progress_context = &reached;
    HANDLE(dp2dp_ledger) *own = new_ledger();
    assert_status(crowd_train(&c, &options, own, weights, NULL), CANCELLED);
    assert_int_equal(reached, 3);
    assert_int_equal(dp2dp_ledger_size(own), 1);
}

/* Only one class, only one row, rows of zeros, a budget so small that the weights are all noise. */
TEST(poor_data_and_budgets_work) {
    for (size_t classes = 2; classes <= 3; classes++) {
        for (int kind = 0; kind < 4; kind++) {
            OWNED(crowd) c = crowd_random(kind == 1 ? 1 : 40, 2, 1, classes, 3);
            for (size_t i = 0; i < c.rows.count; i++) {
                c.labels[i] = kind == 0 ? 0 : c.labels[i];
                c.rows.scale[i] = kind == 2 ? 0 : c.rows.scale[i];
            }
            for (int m = 0; m < 3; m++) {
                dp2dp_train_options options = train_seeded(methods[m], kind == 3 ? 0.001 : 1, 1);
                options.steps = 5;
                FREED double *weights = train_crowd(&c, &options, NULL);
                for (size_t i = 0; i < classes * (c.width + 1); i++) {
                    assert_true(isfinite(weights[i]));
                }
            }
        }
    }
}

TEST(scores_are_the_softmax_of_the_weights) {
    for (size_t classes = 2; classes <= 4; classes++) {
        OWNED(crowd) c = crowd_random(9000, 3, 2, classes, 5);
        double weights[64], z[4];
        float *one = malloc(c.rows.count * classes * sizeof *one), row[16];
        FREED float *many = malloc(c.rows.count * classes * sizeof *many);
        uint64_t seed = 3;
        assert_true(one && many);
        for (size_t i = 0; i < 64; i++) {
            weights[i] = classes == 2 && i <= c.width ? 0 : 4 * uniform(&seed) - 2;
        }
        dp2dpi_train_scores(weights, c.width, classes, &c.rows, 1, one);
        dp2dpi_train_scores(weights, c.width, classes, &c.rows, 3, many);
        assert_memory_equal(one, many, c.rows.count * classes * sizeof *one);
        for (size_t i = 0; i < c.rows.count; i++) {
            double total = 0;
            crowd_spread(&c, i, row);
            for (size_t k = 0; k < classes; k++) {
                z[k] = weights[k * (c.width + 1) + c.width];
                for (size_t j = 0; j < c.width; j++) {
                    z[k] += weights[k * (c.width + 1) + j] * (double)row[j];
                }
                total += z[k] = exp(z[k]);
            }
            for (size_t k = 0; k < classes; k++) {
                assert_true(fabs((double)one[i * classes + k] - z[k] / total) < 1e-6);
            }
        }
        free(one);
    }
}
