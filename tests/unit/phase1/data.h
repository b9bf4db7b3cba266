/* Encoded rows for the tests of Phase 1, drawn by splitmix64. */
#ifndef DP2DP_TESTS_UNIT_PHASE1_DATA_H
#define DP2DP_TESTS_UNIT_PHASE1_DATA_H

#include "draw.h"
#include "support.h"

#include "phase1/train.h"

static inline double normal(uint64_t *state) {
    return sqrt(-2 * log(1 - uniform(state))) * cos(6.283185307179586 * uniform(state));
}

/* The arrays of rows are malloc'ed here, so that a fault test does not count them. */
typedef struct crowd {
    dp2dpi_rows rows;
    int32_t *labels;
    size_t width, classes;
    double norm;
} crowd;

enum {
    LEVELS = 4
};

static inline crowd crowd_new(size_t n, size_t numbers, size_t categories, size_t classes) {
    crowd c = {.width = numbers + LEVELS * categories, .classes = classes, .norm = 3};
    c.rows =
        (dp2dpi_rows) {.count = n, .capacity = n, .numbers = numbers, .categories = categories};
    c.rows.x = calloc(n * numbers + 1, sizeof *c.rows.x);
    c.rows.codes = calloc(n * categories + 1, sizeof *c.rows.codes);
    c.rows.scale = calloc(n + 1, sizeof *c.rows.scale);
    c.labels = calloc(n + 1, sizeof *c.labels);
    assert_true(c.rows.x && c.rows.codes && c.rows.scale && c.labels);
    for (size_t i = 0; i < n * categories; i++) {
        c.rows.codes[i] = -1;
    }
    for (size_t i = 0; i < n; i++) {
        c.rows.scale[i] = 1;
    }
    return c;
}

static inline void crowd_free(crowd *c) {
    free(c->rows.x);
    free(c->rows.codes);
    free(c->rows.scale);
    free(c->labels);
}

/* Writes row i as `width` scaled numbers. */
static inline void crowd_spread(const crowd *c, size_t i, float *out) {
    const dp2dpi_rows *rows = &c->rows;
    memset(out, 0, c->width * sizeof *out);
    for (size_t j = 0; j < rows->numbers; j++) {
        out[j] = rows->scale[i] * rows->x[i * rows->numbers + j];
    }
    for (size_t q = 0; q < rows->categories; q++) {
        int32_t code = rows->codes[i * rows->categories + q];
        if (code >= 0) {
            out[code] = rows->scale[i];
        }
    }
}

/* Draws a crowd whose labels follow a linear function of the rows, with noise. */
static inline crowd crowd_random(size_t n, size_t numbers, size_t categories, size_t classes,
                                 uint64_t seed) {
    crowd c = crowd_new(n, numbers, categories, classes);
    for (size_t i = 0; i < n; i++) {
        float *x = c.rows.x + i * numbers;
        int32_t *codes = c.rows.codes + i * categories;
        double best = -INFINITY;
        for (size_t j = 0; j < numbers; j++) {
            x[j] = (float)normal(&seed);
        }
        for (size_t q = 0; q < categories; q++) {
            uint64_t level = draw(&seed) % (LEVELS + 1);
            codes[q] = level < LEVELS ? (int32_t)(numbers + q * LEVELS + level) : -1;
        }
        for (size_t k = 0; k < classes; k++) {
            double z = 0.5 * normal(&seed);
            for (size_t j = 0; j < numbers; j++) {
                z += (double)x[j] * sin(1.0 + (double)(3 * k + j * j));
            }
            for (size_t q = 0; q < categories; q++) {
                z += codes[q] < 0 ? 0 : cos((double)(k + 1) * (double)codes[q]);
            }
            c.labels[i] = z > best ? (int32_t)k : c.labels[i];
            best = z > best ? z : best;
        }
        dp2dpi_rows_clip(&c.rows, i, c.norm);
    }
    return c;
}

static inline dp2dp_train_options train_seeded(dp2dp_train_method method, double epsilon,
                                               uint64_t seed) {
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    options.method = method;
    options.epsilon = epsilon;
    options.delta = 1e-5;
    options.rng = DP2DP_RNG_INSECURE;
    options.insecure_seed = seed;
    options.threads = 1;
    return options;
}

static inline dp2dpi_examples crowd_examples(const crowd *c) {
    return dp2dpi_examples_of(&c->rows, c->labels, c->width, c->classes, c->norm, 1);
}

static inline dp2dp_status crowd_train(const crowd *c, const dp2dp_train_options *options,
                                       dp2dp_ledger *own, double *weights, dp2dp_error *error) {
    dp2dpi_examples e = crowd_examples(c);
    dp2dp_train_options used;
    e.threads = options->threads;
    DP2DPI_TRY(dp2dpi_train_check(options, error));
    DP2DPI_TRY(dp2dpi_train_resolve(&e, options, &used, error));
    return dp2dpi_train_examples(&e, &used, own, weights, error);
}

/* Trains on the crowd and returns the weights; the caller frees them. */
static inline double *train_crowd(const crowd *c, const dp2dp_train_options *options,
                                  dp2dp_ledger *ledger) {
    dp2dp_ledger *own = ledger;
    double *weights = calloc(c->classes * (c->width + 1), sizeof *weights);
    assert_non_null(weights);
    if (own == NULL) {
        assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &own, NULL));
    }
    assert_ok(crowd_train(c, options, own, weights, &test_error));
    if (ledger == NULL) {
        dp2dp_ledger_free(own);
    }
    return weights;
}

/* Returns the share of rows whose predicted class is not their label. */
static inline double crowd_error(const crowd *c, const double *weights) {
    FREED float *scores = malloc(c->rows.count * c->classes * sizeof *scores);
    double wrong = 0;
    assert_non_null(scores);
    dp2dpi_train_scores(weights, c->width, c->classes, &c->rows, 1, scores);
    for (size_t i = 0; i < c->rows.count; i++) {
        size_t best = 0;
        for (size_t k = 1; k < c->classes; k++) {
            best = scores[i * c->classes + k] > scores[i * c->classes + best] ? k : best;
        }
        wrong += best != (size_t)c->labels[i];
    }
    return wrong / (double)c->rows.count;
}

#endif
