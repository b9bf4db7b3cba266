/* A table of people to train on, its schema, and models trained on it. */
#ifndef DP2DP_TESTS_UNIT_TRAINING_DATA_H
#define DP2DP_TESTS_UNIT_TRAINING_DATA_H

#include "unit/phase2/data.h"
#include "unit/schema/data.h"

#include <dp2dp/train.h>

#include "phase1/train.h"

enum {
    API_FEATURES = 2 + 3,
    API_ROWS = 2000,
    API_CHUNK = 1000 /* rows */
};

/* Two numbers, a category with the level "(unknown)", two groups, three classes. */
__attribute__((unused)) static const char api_schema[] = HEADING
    "\"name\": \"people\", \"origin\": \"public\", \"norm\": 3, \"columns\": ["
    "{\"name\": \"a\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": -4, \"upper\": 4},"
    "{\"name\": \"b\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": -4, \"upper\": 4},"
    "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "
    "\"levels\": [\"u\", \"v\"], \"unknown\": \"level\"},"
    "{\"name\": \"s\", \"role\": \"sensitive\", \"kind\": \"categorical\", "
    "\"levels\": [\"f\", \"m\"]},"
    "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
    "\"levels\": [\"low\", \"mid\", \"high\"]}]}";

/* Writes n people to table_path. The second group gets higher labels. */
static inline void write_people(size_t n, uint64_t seed) {
    static const char *const levels[] = {"u", "v", "w"}, *const labels[] = {"low", "mid", "high"};
    OWNED(cells) table = {.capacity = 0};
    append(&table, "a,b,c,s,y\n", 10);
    for (size_t i = 0; i < n; i++) {
        char line[96];
        double a = (double)(draw(&seed) % 8000) / 1000 - 4;
        double b = (double)(draw(&seed) % 8000) / 1000 - 4;
        size_t c = draw(&seed) % 3, s = draw(&seed) % 2;
        double z =
            a + 0.5 * b + (c == 1) + 1.5 * (double)s + (double)(draw(&seed) % 1000) / 500 - 1;
        append(&table, line,
               (size_t)snprintf(line, sizeof line, "%.3f,%.3f,%s,%s,%s\n", a, b, levels[c],
                                s ? "m" : "f",
                                labels[z < -0.5 ? 0
                                       : z < 2  ? 1
                                                : 2]));
    }
    write_table(table.text, table.length);
}

static inline dp2dp_train_options api_options(dp2dp_train_method method) {
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    options.method = method;
    options.epsilon = method == DP2DP_TRAIN_NONE ? NAN : 1;
    options.delta = method == DP2DP_TRAIN_NONE ? NAN : 1e-6;
    options.threads = 1;
    options.steps = method == DP2DP_TRAIN_DPGD || method == DP2DP_TRAIN_DPSGD ? 30 : 0;
    return options;
}

/* Makes a model of external weights. epsilon and delta are the declared guarantee; NAN: none. */
static inline dp2dp_model *external_model(const double *weights, double epsilon, double delta) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = DP2DP_TRAIN_OPTIONS_INIT;
    dp2dp_model *model = NULL;
    options.method = DP2DP_TRAIN_EXTERNAL;
    options.weights = weights;
    options.epsilon = epsilon;
    options.delta = delta;
    assert_ok(dp2dp_train(schema, NULL, &options, &model, &test_error));
    return model;
}

static inline dp2dp_event entry(const dp2dp_model *model, size_t i) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(dp2dp_model_view(model)->ledger, i, &event, &rng, NULL));
    return event;
}

/* Trains a model on the people at table_path. */
static inline dp2dp_model *train_people(const char *schema_text, const dp2dp_train_options *options,
                                        size_t chunk_rows) {
    HANDLE(dp2dp_schema) *schema = schema_of(schema_text);
    struct ArrowArrayStream rows;
    dp2dp_model *model = NULL;
    open_encoded(schema, DP2DP_PART_FEATURES | DP2DP_PART_LABEL, chunk_rows, &rows);
    assert_ok(dp2dp_train(schema, &rows, options, &model, &test_error));
    assert_null(rows.release);
    return model;
}

/* Scores the people at table_path with a model of three classes. */
static inline people score_people(const dp2dp_model *model, size_t n, size_t chunk_rows) {
    HANDLE(dp2dp_schema) *schema = schema_of(dp2dp_model_view(model)->classifier->schema);
    struct ArrowArrayStream rows, scores;
    struct ArrowArray batch;
    people p = people_new(n, 3, 2);
    size_t done = 0;
    open_encoded(schema, DP2DP_PART_FEATURES | DP2DP_PART_GROUP, chunk_rows, &rows);
    assert_ok(dp2dp_model_score(model, &rows, &scores, NULL));
    assert_null(rows.release);
    while (scores.get_next(&scores, &batch) == 0 && batch.release) {
        size_t m = (size_t)batch.length;
        assert_true(done + m <= n && batch.n_children == 3);
        memcpy(p.scores + 3 * done, batch.children[1]->children[0]->buffers[1],
               3 * m * sizeof(float));
        memcpy(p.group + done, batch.children[2]->buffers[1], m * sizeof(int32_t));
        done += m;
        batch.release(&batch);
    }
    assert_int_equal(done, n);
    scores.release(&scores);
    return p;
}

#endif
