/* Method none against scikit-learn (tests/reference/train_none.csv), and where an optimum is far.
 */
#include <stdio.h>

#include "phase1/logloss.h"
#include "unit/train_data.h"

enum {
    LINE = 4096
};

static double number_at(char **at) {
    double value = strtod(*at, at);
    *at += **at == ',';
    return value;
}

/* The next line, past its first word; fails unless that is `word`. */
static char *next_line(FILE *in, const char *word, char *line) {
    do {
        assert_non_null(fgets(line, LINE, in));
    } while (line[0] == '#' || line[0] == '"');
    size_t length = strlen(word);
    assert_memory_equal(line, word, length);
    return line + length + 1;
}

/* Largest difference between our weights and theirs. */
static double compare_problem(FILE *in, size_t classes) {
    char line[LINE], *at = next_line(in, "problem", line);
    assert_int_equal((size_t)number_at(&at), classes);
    size_t n = (size_t)number_at(&at), numbers = (size_t)number_at(&at);
    size_t categories = (size_t)number_at(&at);
    crowd c = crowd_new(n, numbers, categories, classes);
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
    crowd_free(&c);
    return most;
}

static void weights_are_those_of_scikit_learn(void **state) {
    (void)state;
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

static void two_classes_have_one_vector_and_zeros(void **state) {
    (void)state;
    crowd c = crowd_random(300, 4, 2, 2, 5);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    double *weights = train_crowd(&c, &options, NULL), size = 0;
    for (size_t j = 0; j <= c.width; j++) {
        assert_true(weights[j] == 0);
        size += fabs(weights[c.width + 1 + j]);
    }
    assert_true(size > 1);
    free(weights);
    crowd_free(&c);
}

/* The gradient against differences of the value, and the Hessian against those of the gradient. */
static void derivatives_are_those_of_the_loss(void **state) {
    (void)state;
    for (size_t classes = 2; classes <= 4; classes++) {
        crowd c = crowd_random(40, 3, 2, classes, 7 + classes);
        dp2dpi_examples e = crowd_examples(&c);
        dp2dpi_logloss loss = {0};
        size_t cells = dp2dpi_examples_cells(&e);
        double at[64], gradient[64], *hessian = malloc(cells * cells * sizeof *hessian);
        uint64_t seed = classes;
        assert_true(hessian && cells <= 64);
        assert_int_equal(dp2dpi_logloss_new(&e, DP2DPI_LOGLOSS_HESSIAN, &loss, NULL), OK);
        for (size_t i = 0; i < cells; i++) {
            at[i] = 2 * uniform(&seed) - 1;
        }
        dp2dpi_logloss_at(&loss, at);
        memcpy(gradient, loss.gradient, cells * sizeof *gradient);
        memcpy(hessian, loss.hessian, cells * cells * sizeof *hessian);
        for (size_t i = 0; i < cells; i++) {
            double side[2], slope[64];
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
            for (size_t j = 0; j <= i; j++) {
                assert_true(fabs(slope[j] - hessian[i * cells + j]) < 1e-6);
            }
        }
        free(hessian);
        dp2dpi_logloss_free(&loss);
        crowd_free(&c);
    }
}

/* One class only, rows of zeros, fewer rows than classes, classes told apart by a line. */
static void an_optimum_that_is_far_away_is_still_found(void **state) {
    (void)state;
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    for (size_t classes = 2; classes <= 3; classes++) {
        for (int kind = 0; kind < 4; kind++) {
            crowd c = crowd_random(kind == 2 ? 1 : 50, 2, 1, classes, 3);
            for (size_t i = 0; i < c.rows.count; i++) {
                c.labels[i] = kind == 3 ? c.rows.x[2 * i] > 0 : kind == 0 ? 1 : c.labels[i];
                c.rows.scale[i] = kind == 1 ? 0 : c.rows.scale[i];
            }
            double *weights = train_crowd(&c, &options, NULL);
            for (size_t i = 0; i < classes * (c.width + 1); i++) {
                assert_true(isfinite(weights[i]));
            }
            assert_true(kind == 1 || crowd_error(&c, weights) <= 0.1);
            free(weights);
            crowd_free(&c);
        }
    }
}

static void more_weights_than_a_matrix_can_hold_are_refused(void **state) {
    (void)state;
    crowd c = crowd_random(10, 2, 0, 2, 3);
    dp2dp_train_options options = train_seeded(DP2DP_TRAIN_NONE, NAN, 1);
    dp2dp_error error = {0};
    double *weights = calloc(20002, sizeof *weights);
    assert_non_null(weights);
    assert_int_equal(
        dp2dpi_train_rows(&c.rows, c.labels, 10000, 2, 3, &options, NULL, weights, &error),
        DP2DP_STATUS_ARGUMENT);
    assert_non_null(strstr(error.message, "8192"));
    free(weights);
    crowd_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_scikit_learn),
        cmocka_unit_test(two_classes_have_one_vector_and_zeros),
        cmocka_unit_test(derivatives_are_those_of_the_loss),
        cmocka_unit_test(an_optimum_that_is_far_away_is_still_found),
        cmocka_unit_test(more_weights_than_a_matrix_can_hold_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
