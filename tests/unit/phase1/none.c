/* Compares method none with scikit-learn (tests/reference/train_none.csv) and tests hard problems.
 */
#include "num/triangles.h"
#include "phase1/logloss.h"
#include "unit/phase1/data.h"

enum {
    LINE = 4096
};

static double number_at(char **at) {
    double value = strtod(*at, at);
    *at += **at == ',';
    return value;
}

/* Reads the next line, checks that its first word is `word`, and returns the rest. */
static char *next_line(FILE *in, const char *word, char *line) {
    do {
        assert_non_null(fgets(line, LINE, in));
    } while (line[0] == '#' || line[0] == '"');
    size_t length = strlen(word);
    assert_memory_equal(line, word, length);
    return line + length + 1;
}

/* Returns the largest difference between our weights and scikit-learn's. */
static double compare_problem(FILE *in, size_t classes) {
    char line[LINE], *at = next_line(in, "problem", line);
    assert_int_equal((size_t)number_at(&at), classes);
    size_t n = (size_t)number_at(&at), numbers = (size_t)number_at(&at);
    size_t categories = (size_t)number_at(&at);
    OWNED(crowd) c = crowd_new(n, numbers, categories, classes);
    c.width = (size_t)number_at(&at);
    c.norm = 2;
    for (size_t i = 0; i < n; i++) {
        at = next_line(in, "row", line);
        c.labels[i] = (int32_t)number_at(&at);
        c.rows.scale[i] = (float)number_at(&at);
        for (size_t j = 0; j < numbers; j++) {
            c.rows.x[i * numbers + j] = (float)number_at(&at);
        }
        for (size_t q = 0; q < categories; q++) {
            c.rows.codes[i * categories + q] = (int32_t)number_at(&at);
        }
    }
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    double *weights = train_crowd(&c, &options, NULL), most = 0, length = (double)c.width + 1;
    for (size_t k = classes == 2; k < classes; k++) {
        at = next_line(in, "weights", line);
        for (size_t j = 0; j < (size_t)length; j++) {
            most = fmax(most, fabs(weights[k * (size_t)length + j] - number_at(&at)));
        }
    }
    free(weights);
    return most;
}

TEST(weights_are_those_of_scikit_learn) {
    static const size_t classes[] = {2, 3, 6};
    FILE *in = fopen(DP2DP_TEST_DIR "/reference/train_none.csv", "r");
    assert_non_null(in);
    for (int i = 0; i < 3; i++) {
        double most = compare_problem(in, classes[i]);
        print_message("%zu classes: largest difference %.2e\n", classes[i], most);
        assert_true(most < 1e-6);
    }
    fclose(in);
}

TEST(two_classes_have_one_vector_and_zeros) {
    OWNED(crowd) c = crowd_random(300, 4, 2, 2, 5);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    double *weights = train_crowd(&c, &options, NULL), size = 0;
    for (size_t j = 0; j <= c.width; j++) {
        assert_true(weights[j] == 0);
        size += fabs(weights[c.width + 1 + j]);
    }
    assert_true(size > 1);
    free(weights);
}

/* Compares the gradient with finite differences of the value, and the second derivatives (blocks
 * and products) with finite differences of the gradient. */
TEST(derivatives_are_those_of_the_loss) {
    for (size_t classes = 2; classes <= 7; classes++) {
        OWNED(crowd) c = crowd_random(40, 3, 2, classes, 7 + classes);
        dp2dpi_examples e = crowd_examples(&c);
        OWNED(dp2dpi_logloss) loss = {0};
        size_t cells = dp2dpi_examples_cells(&e), outputs = e.outputs;
        size_t triangle = dp2dpi_triangle_size(c.width + 1);
        double at[96], gradient[96], direction[96], product[96] = {0}, *blocks;
        uint64_t seed = classes;
        assert_true(cells <= 96);
        assert_ok(dp2dpi_logloss_new(&e, DP2DPI_LOGLOSS_HESSIAN, &loss, NULL));
        blocks = malloc(triangle * outputs * sizeof *blocks);
        assert_non_null(blocks);
        for (size_t i = 0; i < cells; i++) {
            at[i] = 2 * uniform(&seed) - 1;
            direction[i] = 2 * uniform(&seed) - 1;
        }
        dp2dpi_logloss_at(&loss, at);
        memcpy(gradient, loss.gradient, cells * sizeof *gradient);
        memcpy(blocks, loss.blocks, triangle * outputs * sizeof *blocks);
        for (size_t i = 0; i < cells; i++) {
            double side[2], slope[96];
            for (int s = 0; s < 2; s++) {
                at[i] += s ? -2e-5 : 1e-5;
                dp2dpi_logloss_at(&loss, at);
                side[s] = loss.value;
                for (size_t j = 0; j < cells; j++) {
                    slope[j] = s ? (slope[j] - loss.gradient[j]) / 2e-5 : loss.gradient[j];
                }
            }
            at[i] += 1e-5;
            assert_true(fabs((side[0] - side[1]) / 2e-5 - gradient[i]) < 1e-6);
            for (size_t j = i % outputs; j <= i; j += outputs) {
                size_t place = dp2dpi_triangle_size(i / outputs) + j / outputs;
                assert_true(fabs(slope[j] - blocks[place * outputs + i % outputs]) < 1e-6);
            }
            for (size_t j = 0; j < cells; j++) {
                product[j] += slope[j] * direction[i];
            }
        }
        if (outputs > 1) {
            dp2dpi_logloss_multiply(&loss, at, direction);
        }
        for (size_t j = 0; j < cells && outputs > 1; j++) {
            assert_true(fabs(loss.product[j] - product[j]) < 1e-5);
        }
        free(blocks);
    }
}

/* dp2dpi_logloss_slope gives the same value and gradient, and leaves the blocks unchanged. */
TEST(a_slope_leaves_the_second_derivatives) {
    for (size_t classes = 2; classes <= 5; classes++) {
        OWNED(crowd) c = crowd_random(9000, 3, 2, classes, classes);
        dp2dpi_examples e = crowd_examples(&c);
        OWNED(dp2dpi_logloss) loss = {0};
        size_t cells = dp2dpi_examples_cells(&e);
        size_t pairs = dp2dpi_triangle_size(c.width + 1) * e.outputs;
        double here[64], there[64], gradient[64], *blocks = malloc(pairs * sizeof *blocks);
        uint64_t seed = classes;
        assert_true(blocks && cells <= 64);
        for (size_t i = 0; i < cells; i++) {
            here[i] = 2 * uniform(&seed) - 1;
            there[i] = 2 * uniform(&seed) - 1;
        }
        assert_ok(dp2dpi_logloss_new(&e, DP2DPI_LOGLOSS_HESSIAN, &loss, NULL));
        dp2dpi_logloss_at(&loss, here);
        double value = loss.value;
        memcpy(gradient, loss.gradient, cells * sizeof *gradient);
        dp2dpi_logloss_at(&loss, there);
        memcpy(blocks, loss.blocks, pairs * sizeof *blocks);
        dp2dpi_logloss_slope(&loss, here);
        assert_true(fabs(loss.value - value) < 1e-9);
        for (size_t i = 0; i < cells; i++) {
            assert_true(fabs(loss.gradient[i] - gradient[i]) < 1e-9);
        }
        assert_memory_equal(loss.blocks, blocks, pairs * sizeof *blocks);
        free(blocks);
    }
}

enum {
    PART = 8
};

/* Finds the rows of the sample that takes one row in PART. Every row has its own feature; its
 * derivative at zero weights is 1/2 if the row is in the sample, else 0. */
static int *part_of_rows(size_t n) {
    int *taken = calloc(n, sizeof *taken);
    OWNED(crowd) c = crowd_new(n, 0, 1, 2);
    OWNED(dp2dpi_logloss) loss = {0};
    FREED double *zero = calloc(n + 1, sizeof *zero);
    assert_true(taken && zero);
    c.width = n;
    for (size_t i = 0; i < n; i++) {
        c.rows.codes[i] = (int32_t)i;
    }
    dp2dpi_examples e = crowd_examples(&c);
    assert_ok(dp2dpi_logloss_new(&e, DP2DPI_LOGLOSS_GRADIENT, &loss, NULL));
    loss.every = PART;
    dp2dpi_logloss_at(&loss, zero);
    for (size_t i = 0; i < n; i++) {
        assert_true(loss.gradient[i] == 0 || loss.gradient[i] == 0.5);
        taken[i] = loss.gradient[i] != 0;
    }
    assert_true(fabs(loss.value - (double)(n / PART) * log(2)) < 1e-9);
    return taken;
}

TEST(a_part_has_one_row_in_eight_not_always_at_the_same_place) {
    enum {
        ROWS = PART * 800 + 5
    };
    int *taken = part_of_rows(ROWS), places[PART] = {0};
    for (size_t i = 0; i + PART <= ROWS; i += PART) {
        int count = 0;
        for (size_t j = 0; j < PART; j++) {
            count += taken[i + j];
            places[j] += taken[i + j];
        }
        assert_int_equal(count, 1);
    }
    for (size_t j = 0; j < PART; j++) {
        assert_true(places[j] > 50 && places[j] < 200);
        assert_false(taken[ROWS - 1 - j % 5]);
    }
    free(taken);
}

/* Returns the largest derivative of Σ loss + ½ penalty |W|² with respect to a weight that is not a
 * bias. */
static double slope_at(const crowd *c, const double *weights, double penalty) {
    dp2dpi_examples e = crowd_examples(c);
    OWNED(dp2dpi_logloss) loss = {0};
    size_t cells = dp2dpi_examples_cells(&e), length = c->width + 1, H = e.outputs;
    double *at = malloc(cells * sizeof *at), most = 0;
    assert_non_null(at);
    for (size_t i = 0; i < cells; i++) {
        at[i] = weights[(H == 1 ? 1 : i % H) * length + i / H];
    }
    assert_ok(dp2dpi_logloss_new(&e, DP2DPI_LOGLOSS_GRADIENT, &loss, NULL));
    dp2dpi_logloss_at(&loss, at);
    for (size_t i = 0; i < c->width * H; i++) {
        most = fmax(most, fabs(loss.gradient[i] + penalty * at[i]));
    }
    free(at);
    return most;
}

/* Ordered classes couple strongly with their neighbours, which the blocks (one class each) do not
 * represent. Features of different sizes and a small penalty make the blocks ill-conditioned. */
TEST(the_gradient_vanishes_where_classes_are_hard_to_tell_apart) {
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    for (size_t classes = 3; classes <= 12; classes += 3) {
        for (options.penalty = 1; options.penalty > 1e-7; options.penalty *= 1e-3) {
            OWNED(crowd) c = crowd_random(1000, 6, 2, classes, classes);
            uint64_t seed = classes;
            for (size_t i = 0; i < c.rows.count; i++) {
                float *x = c.rows.x + i * 6;
                double along = 1.5 * (double)x[0] + (double)x[1] - (double)x[2] + normal(&seed);
                double place = floor((along / 6 + 0.5) * (double)classes);
                c.labels[i] = (int32_t)fmin(fmax(place, 0), (double)classes - 1);
                x[3] *= 1e-3F;
                x[4] = x[3] + 1e-3F * x[4];
            }
            double *weights = train_crowd(&c, &options, NULL);
            double slope = slope_at(&c, weights, options.penalty);
            print_message("%zu classes, penalty %g: %.2e\n", classes, options.penalty, slope);
            assert_true(slope < 1e-8);
            free(weights);
        }
    }
}

/* Only one class, rows of zeros, fewer rows than classes, linearly separable classes. */
TEST(an_optimum_that_is_far_away_is_still_found) {
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    for (size_t classes = 2; classes <= 3; classes++) {
        for (int kind = 0; kind < 4; kind++) {
            OWNED(crowd) c = crowd_random(kind == 2 ? 1 : 50, 2, 1, classes, 3);
            for (size_t i = 0; i < c.rows.count; i++) {
                c.labels[i] = kind == 3 ? c.rows.x[2 * i] > 0 : kind == 0 ? 1 : c.labels[i];
                c.rows.scale[i] = kind == 1 ? 0 : c.rows.scale[i];
            }
            FREED double *weights = train_crowd(&c, &options, NULL);
            for (size_t i = 0; i < classes * (c.width + 1); i++) {
                assert_true(isfinite(weights[i]));
            }
            assert_true(kind == 1 || crowd_error(&c, weights) <= 0.1);
        }
    }
}

/* The rows of the sample for the first guess differ from the others, or contradict them. */
TEST(a_first_guess_that_misleads_does_no_harm) {
    enum {
        ROWS = PART * 2000
    };
    FREED int *taken = part_of_rows(ROWS);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    for (size_t classes = 2; classes <= 4; classes++) {
        for (int kind = 0; kind < 6; kind++) {
            for (options.penalty = 1; options.penalty > 1e-9; options.penalty *= 1e-4) {
                OWNED(crowd) c = crowd_random(ROWS, 3, 2, classes, classes);
                for (size_t i = 0; i < ROWS; i++) {
                    int32_t other = (c.labels[i] + 1) % (int32_t)classes;
                    float *x = c.rows.x + 3 * i;
                    switch (kind) {
                    case 0: /* all rows are sorted by class */
                        c.labels[i] = (int32_t)(i * classes / ROWS);
                        break;
                    case 1: /* sample rows have one class */
                        c.labels[i] = taken[i] ? 0 : c.labels[i];
                        break;
                    case 2: /* sample rows have another class than similar rows */
                        c.labels[i] = taken[i] ? other : c.labels[i];
                        break;
                    case 3: /* sample rows are zero */
                        c.rows.scale[i] = taken[i] ? 0 : c.rows.scale[i];
                        break;
                    case 4: /* only sample rows are linearly separable */
                        c.labels[i] = taken[i] ? x[0] > 0 : c.labels[i];
                        break;
                    default: /* sample rows are short, so their optimum has large weights */
                        c.labels[i] = taken[i] ? x[0] > 0 : other;
                        c.rows.scale[i] *= taken[i] ? 1e-3F : 1;
                    }
                }
                double *weights = train_crowd(&c, &options, NULL);
                double slope = slope_at(&c, weights, options.penalty);
                print_message("%zu classes, kind %d, penalty %g: %.2e\n", classes, kind,
                              options.penalty, slope);
                assert_true(slope < 1e-8);
                free(weights);
            }
        }
    }
}

/* A few rows are 30 times as long as the others and the classes are nearly separable, so full
 * Newton steps overshoot and must be halved. */
TEST(steps_that_are_too_long_are_halved) {
    for (uint64_t seed = 1; seed <= 60; seed++) {
        size_t classes = 2 + seed % 2, n = 500 + 50 * seed;
        OWNED(crowd) c = crowd_new(n, 1, 0, classes);
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, 1, 1);
        uint64_t state_of = seed;
        c.norm = 20;
        options.penalty = 1e-6;
        for (size_t i = 0; i < n; i++) {
            double x = normal(&state_of) * (draw(&state_of) % 50 ? 1 : 30), best = -INFINITY;
            c.rows.x[i] = (float)(x / 6);
            c.rows.scale[i] = 1;
            dp2dpi_rows_clip(&c.rows, i, c.norm);
            for (size_t k = 0; k < classes; k++) {
                double value = x * ((double)k - 0.7) - 0.1 * log(-log(uniform(&state_of)));
                c.labels[i] = value > best ? (int32_t)k : c.labels[i];
                best = value > best ? value : best;
            }
        }
        double *weights = train_crowd(&c, &options, NULL);
        double slope = slope_at(&c, weights, options.penalty);
        assert_true(slope < 1e-6);
        free(weights);
    }
}

TEST(threads_change_no_bit) {
    for (size_t classes = 2; classes <= 4; classes++) {
        OWNED(crowd) c = crowd_random(40000, 3, 2, classes, classes);
        dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
        FREED double *one = train_crowd(&c, &options, NULL);
        options.threads = 5;
        FREED double *five = train_crowd(&c, &options, NULL);
        assert_memory_equal(one, five, classes * (c.width + 1) * sizeof *one);
    }
}

TEST(more_weights_than_a_matrix_can_hold_are_refused) {
    OWNED(crowd) c = crowd_random(10, 2, 0, 2, 3);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    FREED double *weights = calloc(20002, sizeof *weights);
    assert_non_null(weights);
    c.width = 10000;
    assert_fails(crowd_train(&c, &options, NULL, weights, &test_error), ARGUMENT, "8192");
}
