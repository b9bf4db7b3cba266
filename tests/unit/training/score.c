/* Tests encoded rows from other producers: rows that do not match the schema are refused, slices
 * give the same scores, and scores are the softmax. */
#include "unit/training/data.h"
#include "unit/training/stream_data.h"

#include "training/rows.h"

enum {
    WIDTH = API_FEATURES
};

static const double api_weights[3 * (WIDTH + 1)] = {0.5, -1, 2,  0.25, 0, -0.5, 1,  1,  -1,
                                                    0,   3,  -2, 0,    1, 0.75, -3, 40, 0};

/* Copies all scores of a stream of n rows. */
static void take_scores(struct ArrowArrayStream *scores, size_t n, float *out) {
    struct ArrowArray batch;
    size_t done = 0;
    while (scores->get_next(scores, &batch) == 0 && batch.release) {
        assert_true(done + (size_t)batch.length <= n);
        memcpy(out + 3 * done, batch.children[1]->children[0]->buffers[1],
               3 * (size_t)batch.length * sizeof(float));
        done += (size_t)batch.length;
        batch.release(&batch);
    }
    assert_int_equal(done, n);
}

static void score_all(producer *p, struct ArrowArrayStream *rows, size_t n, float *out) {
    HANDLE(dp2dp_model) *model = external_model(api_weights, NAN, NAN);
    struct ArrowArrayStream scores;
    assert_ok(dp2dp_model_score(model, rows, &scores, &test_error));
    take_scores(&scores, n, out);
    scores.release(&scores);
    assert_int_equal(p->released, 1);
}

TEST(scores_are_the_softmax) {
    producer p;
    struct ArrowArrayStream rows;
    float scores[3 * ROWS];
    produce(&p, &rows);
    score_all(&p, &rows, ROWS, scores);
    for (int i = 0; i < ROWS; i++) {
        double z[3], sum = 0, total = 0;
        for (int k = 0; k < 3; k++) {
            const double *w = api_weights + k * (WIDTH + 1);
            z[k] = (double)p.numbers[2 * i] * w[0] + (double)p.numbers[2 * i + 1] * w[1];
            z[k] += p.levels[i] < 0 ? 0 : w[p.levels[i]];
            z[k] = exp((double)p.scale[i] * z[k] + w[WIDTH]);
            sum += z[k];
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs((double)scores[3 * i + k] - z[k] / sum) < 1e-7);
            total += (double)scores[3 * i + k];
        }
        assert_true(fabs(total - 1) < 1e-6);
    }
}

TEST(the_largest_weights_give_probabilities) {
    double weights[3 * (WIDTH + 1)];
    producer p;
    struct ArrowArrayStream rows, scores;
    float out[3 * ROWS];
    for (int i = 0; i < 3 * (WIDTH + 1); i++) {
        weights[i] = i % 2 ? 1e100 : -1e100;
    }
    HANDLE(dp2dp_model) *model = external_model(weights, NAN, NAN);
    produce(&p, &rows);
    p.numbers[0] = 3e38F;
    assert_ok(dp2dp_model_score(model, &rows, &scores, NULL));
    take_scores(&scores, ROWS, out);
    for (int i = 0; i < 3 * ROWS; i++) {
        assert_true(out[i] >= 0 && out[i] <= 1);
    }
    scores.release(&scores);
}

TEST(what_is_beside_the_features_is_handed_on) {
    static const char *const names[] = {"row", "scores", "label", "group"};
    static const char *const formats[] = {"l", "+w:3", "i", "i"};
    HANDLE(dp2dp_model) *model = external_model(api_weights, NAN, NAN);
    producer p;
    struct ArrowArrayStream rows, scores;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    produce(&p, &rows);
    assert_ok(dp2dp_model_score(model, &rows, &scores, NULL));
    assert_int_equal(scores.get_schema(&scores, &schema), 0);
    assert_int_equal(schema.n_children, 4);
    for (int c = 0; c < 4; c++) {
        assert_string_equal(schema.children[c]->name, names[c]);
        assert_string_equal(schema.children[c]->format, formats[c]);
    }
    schema.release(&schema);
    assert_int_equal(scores.get_next(&scores, &batch), 0);
    assert_int_equal(batch.length, ROWS);
    assert_memory_equal(batch.children[0]->buffers[1], p.row, ROWS * sizeof(int64_t));
    assert_memory_equal(batch.children[2]->buffers[1], p.label, ROWS * sizeof(int32_t));
    assert_memory_equal(batch.children[3]->buffers[1], p.group, ROWS * sizeof(int32_t));
    batch.release(&batch);
    scores.release(&scores);
    assert_int_equal(p.released, 1);
}

/* Slices the last three of four rows by the offset of the struct, of its columns, or of their
 * values. */
TEST(slices_give_the_scores_of_their_rows) {
    producer p;
    struct ArrowArrayStream rows;
    float whole[3 * ROWS], part[3 * ROWS];
    produce(&p, &rows);
    score_all(&p, &rows, ROWS, whole);
    for (int way = 0; way < 3; way++) {
        produce(&p, &rows);
        p.batch.length = ROWS - 1;
        p.batch.offset = way == 0;
        for (int c = 0; c < 6; c++) {
            int list = c == 1 || c == 2;
            p.columns[c].offset = way == 1 || (way == 2 && !list);
            p.columns[c].length = way == 0 ? ROWS : ROWS - 1;
        }
        p.values[0].offset = way == 2 ? 2 : 0;
        p.values[1].offset = way == 2;
        score_all(&p, &rows, ROWS - 1, part);
        assert_memory_equal(part, whole + 3, 3 * (ROWS - 1) * sizeof(float));
    }
}

/* Makes a batch invalid in the i-th way: sets *level to code, *number to value, or *size to `to`.
 * Returns 0 if there is no i-th way. */
static int spoil(producer *p, size_t i) {
    const struct {
        int32_t *level, code;
        float *number, value;
        int64_t *size, to;
    } ways[] = {
        {.level = &p->levels[1], .code = WIDTH},
        {.level = &p->levels[1], .code = 1}, /* the position of a number */
        {.level = &p->levels[1], .code = -2},
        {.level = &p->levels[1], .code = INT32_MAX},
        {.number = &p->numbers[3], .value = NAN},
        {.number = &p->numbers[3], .value = INFINITY},
        {.number = &p->scale[1], .value = 1.5F},
        {.number = &p->scale[1], .value = NAN},
        {.size = &p->columns[1].length, .to = ROWS - 1},
        {.size = &p->values[0].length, .to = 2 * ROWS - 1},
        {.size = &p->batch.n_children, .to = 5},
        {.size = &p->columns[3].null_count, .to = 1},
        {.size = &p->columns[3].n_buffers, .to = 3},
        {.size = &p->columns[2].offset, .to = INT64_MAX},
        {.size = &p->batch.length, .to = -1},
        {.size = &p->values[1].offset, .to = -1},
        {.size = &p->columns[1].n_children, .to = 0},
    };
    size_t count = sizeof ways / sizeof ways[0];
    p->buffers[3][0] = i < count && ways[i].size == &p->columns[3].null_count ? p->row : NULL;
    if (i == count) { /* removes the values */
        p->buffers[3][1] = NULL;
    } else if (i < count && ways[i].level) {
        *ways[i].level = ways[i].code;
    } else if (i < count && ways[i].number) {
        *ways[i].number = ways[i].value;
    } else if (i < count) {
        *ways[i].size = ways[i].to;
    }
    return i <= count;
}

TEST(rows_that_no_schema_makes_are_refused) {
    HANDLE(dp2dp_model) *model = external_model(api_weights, NAN, NAN);
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    producer p;
    struct ArrowArrayStream rows, scores;
    struct ArrowArray batch;
    produce(&p, &rows);
    size_t ways = 0;
    for (; spoil(&p, ways); ways++) {
        assert_ok(dp2dp_model_score(model, &rows, &scores, NULL));
        assert_int_equal(scores.get_next(&scores, &batch), EINVAL);
        assert_null(batch.release);
        assert_says(scores.get_last_error(&scores), "encoded rows");
        assert_int_equal(scores.get_next(&scores, &batch), EINVAL); /* the stream stays failed */
        scores.release(&scores);
        assert_int_equal(p.released, 1);
        produce(&p, &rows);
        assert_true(spoil(&p, ways));
        dp2dp_model *trained = (dp2dp_model *)&p;
        assert_status(dp2dp_train(schema, &rows, &options, &trained, NULL), DATA);
        assert_null(trained);
        assert_int_equal(p.released, 1);
        produce(&p, &rows);
    }
    assert_int_equal(ways, 18);
}

TEST(streams_of_another_schema_are_refused) {
    static const struct {
        int field;
        const char *name, *format;
    } wrong[] = {{1, "numbers", "+w:3"}, {2, "levels", "+w:2"}, {3, "scales", "f"},
                 {3, "scale", "g"},      {0, "row", "i"},       {5, "group", "u"},
                 {1, "numbers", NULL}};
    HANDLE(dp2dp_model) *model = external_model(api_weights, NAN, NAN);
    producer p;
    struct ArrowArrayStream rows, scores;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        produce(&p, &rows);
        p.fields[wrong[i].field].name = wrong[i].name;
        p.fields[wrong[i].field].format = wrong[i].format;
        assert_fails(dp2dp_model_score(model, &rows, &scores, &test_error), DATA,
                     "check that the rows were encoded with this schema");
        assert_true(scores.release == NULL && p.released == 1);
    }
    produce(&p, &rows);
    p.schema.format = "i";
    assert_status(dp2dp_model_score(model, &rows, &scores, NULL), DATA);
    assert_int_equal(p.released, 1);
}

TEST(a_source_that_fails_is_told_in_its_words) {
    HANDLE(dp2dp_model) *model = external_model(api_weights, NAN, NAN);
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    producer p;
    struct ArrowArrayStream rows, scores;
    struct ArrowArray batch;
    produce(&p, &rows);
    p.code = EIO;
    assert_ok(dp2dp_model_score(model, &rows, &scores, NULL));
    assert_int_equal(scores.get_next(&scores, &batch), 0);
    batch.release(&batch);
    assert_int_equal(scores.get_next(&scores, &batch), EIO);
    assert_string_equal(scores.get_last_error(&scores), "the disk is on fire");
    scores.release(&scores);
    produce(&p, &rows);
    p.code = ECANCELED;
    dp2dp_model *trained = NULL;
    assert_status(dp2dp_train(schema, &rows, &options, &trained, &test_error), CANCELLED);
    assert_string_equal(test_error.message, "the disk is on fire");
}

TEST(models_without_a_classifier_score_nothing) {
    OWNED(people) crowd = people_favoured(100, 3, 2, 5);
    dp2dp_fit_options options = noiseless(0);
    HANDLE(dp2dp_model) *model = fit_people(&crowd, &options);
    producer p;
    struct ArrowArrayStream rows, scores;
    produce(&p, &rows);
    assert_fails(dp2dp_model_score(model, &rows, &scores, &test_error), ARGUMENT,
                 "the model has no classifier");
    assert_int_equal(p.released, 1);
    assert_status(dp2dp_model_score(model, NULL, &scores, NULL), ARGUMENT);
    produce(&p, &rows);
    assert_status(dp2dp_model_score(NULL, &rows, &scores, NULL), ARGUMENT);
    assert_int_equal(p.released, 1);
}

/* Training refuses labels that the schema lacks, and rows longer than its norm. */
TEST(training_checks_labels_and_lengths) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    for (int i = 0; i < 3; i++) {
        producer p;
        struct ArrowArrayStream rows;
        dp2dp_model *model = NULL;
        produce(&p, &rows);
        p.label[2] = i == 0 ? 3 : i == 1 ? -1 : 2;
        p.numbers[4] = i == 2 ? 100.0F : 0;
        assert_fails(dp2dp_train(schema, &rows, &options, &model, &test_error), DATA,
                     "row 3 of the encoded rows");
        assert_says(test_error.message, i < 2 ? "not in the schema"
                                              : "a norm above the largest that the schema allows");
        assert_true(model == NULL && p.released == 1);
    }
}

/* Reads more rows than one chunk of memory holds. */
TEST(all_rows_arrive_in_their_order) {
    enum {
        BATCHES = 200000
    };
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    OWNED(dp2dpi_training) training;
    producer p;
    struct ArrowArrayStream rows;
    produce(&p, &rows);
    p.times = BATCHES;
    p.counted = 1;
    assert_ok(dp2dpi_training_read(&rows, dp2dp_schema_view(schema), DP2DP_TARGET_LABEL, &training,
                                   NULL));
    assert_null(rows.release);
    assert_int_equal(training.rows.count, ROWS * BATCHES);
    for (int32_t i = 0; i < ROWS * BATCHES; i++) {
        int32_t at = i + 1;
        int same = training.rows.x[2 * i] == (float)(at % 1009) / 1009 &&
                   training.rows.codes[i] == 2 + at % 3 &&
                   training.rows.scale[i] == (float)(at % 1013) / 1013 &&
                   training.labels[i] == at / 3 % 3;
        if (!same) {
            fail_msg("row %d", i);
        }
    }
}
