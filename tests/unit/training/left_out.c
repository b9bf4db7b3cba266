/* Tests that a record that is left out is still a record: nothing that a model or a ledger shows
 * tells whether one was, except through noise. */
#include "unit/training/data.h"

#include "base/json.h"

static const dp2dp_train_method private_methods[] = {DP2DP_TRAIN_DPGD, DP2DP_TRAIN_DPSGD,
                                                     DP2DP_TRAIN_OUTPUT};

/* api_schema, with rows left out that have a "?" in column c. Ownership: free. */
static char *schema_that_leaves_out(void) {
    FREED char *marked = edited(api_schema, "\"norm\": 3,", "\"norm\": 3, \"missing\": [\"?\"],");
    return edited(marked, "\"unknown\": \"level\"",
                  "\"unknown\": \"level\", \"missing\": \"drop\"");
}

static char *read_table(void) {
    FILE *file = fopen(table_path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

/* Writes the people of write_people. In row `row` (from 1) the category becomes "?" if `mark` is 1,
 * the first number or the label becomes bad if `mark` is 2 or 3, and the row is removed if `mark`
 * is −1. */
static void write_people_but(size_t row, int mark) {
    write_people(API_ROWS, 1);
    FREED char *text = read_table();
    char *line = text, *comma, *end;
    for (size_t i = 0; i < row; i++) {
        line = strchr(line, '\n') + 1;
    }
    end = strchr(line, '\n') + 1;
    comma = strchr(strchr(line, ',') + 1, ',');
    if (mark == 1) {
        comma[1] = '?';
    } else if (mark == 2) {
        line[0] = 'x';
    } else if (mark == 3) {
        end[-2] = 'x';
    } else if (mark == -1) {
        memmove(line, end, strlen(end) + 1);
    }
    write_text(text);
}

static dp2dp_model *train_table(const char *schema_text, unsigned parts,
                                const dp2dp_train_options *options) {
    HANDLE(dp2dp_schema) *schema = schema_of(schema_text);
    struct ArrowArrayStream rows;
    dp2dp_model *model = NULL;
    open_encoded(schema, parts | DP2DP_PART_FEATURES | DP2DP_PART_LABEL, API_CHUNK, &rows);
    assert_ok(dp2dp_train(schema, &rows, options, &model, &test_error));
    return model;
}

/* The pool of the scored rows of the table. Rows that are left out get the stratum −1. */
static dp2dp_pool *pool_of_table(const dp2dp_model *model, unsigned parts) {
    HANDLE(dp2dp_schema) *schema = schema_of(dp2dp_model_view(model)->classifier->schema);
    OWNED(people) p = people_new(API_ROWS, 3, 2);
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    struct ArrowArrayStream rows, scores;
    struct ArrowArray batch;
    size_t done = 0;
    open_encoded(schema, parts | DP2DP_PART_FEATURES | DP2DP_PART_GROUP, API_CHUNK, &rows);
    assert_ok(dp2dp_model_score(model, &rows, &scores, &test_error));
    while (dp2dp_stream_next(&scores, &batch, &test_error) == OK && batch.release) {
        assert_int_equal(batch.n_children, 4);
        const int8_t *left_out = values_of(&batch, 3);
        memcpy(p.scores + 3 * done, values_of(&batch, 1), 3 * (size_t)batch.length * sizeof(float));
        for (size_t i = 0; i < (size_t)batch.length; i++, done++) {
            p.group[done] = left_out[i] ? -1 : ((const int32_t *)values_of(&batch, 2))[i];
        }
        batch.release(&batch);
    }
    scores.release(&scores);
    assert_int_equal(done, API_ROWS);
    options.leaves_out = 1;
    return pool_with(&p, options);
}

/* The model as JSON without its noisy values and the checksum over them. Ownership: free. */
static char *visible(const dp2dp_model *model) {
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    json_t *root = json_loadb(text, length, 0, NULL);
    assert_non_null(root);
    dp2dp_text_free(text);
    assert_int_equal(json_object_del(root, "checksum"), 0);
    assert_int_equal(json_object_del(json_object_get(root, "phase1"), "weights"), 0);
    json_t *rule = json_object_get(root, "rule");
    if (json_is_object(rule)) {
        assert_int_equal(json_object_del(rule, "offsets"), 0);
        assert_int_equal(json_object_del(rule, "shares"), 0);
    }
    text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    return text;
}

static char *ledger_text(const dp2dp_ledger *ledger) {
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
    return text;
}

/* What one train and one fit show: both models, and the ledger of the user. */
typedef struct shown {
    char *trained, *fitted, *ledger;
    double weight;
} shown;

static void shown_free(shown *s) {
    free(s->trained);
    free(s->fitted);
    dp2dp_text_free(s->ledger);
}

static shown show(const char *schema, unsigned parts, dp2dp_train_method method,
                  dp2dp_solver solver, int mark) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_train_options train = api_options(method);
    dp2dp_fit_options fit = seeded(1, 9);
    write_people_but(1234, mark);
    train.rng = DP2DP_RNG_INSECURE;
    train.insecure_seed = 9;
    train.ledger = ledger;
    HANDLE(dp2dp_model) *base = train_table(schema, parts, &train);
    HANDLE(dp2dp_pool) *pool = pool_of_table(base, parts);
    dp2dp_source source = dp2dp_pool_source(pool);
    fit.solver = solver;
    fit.base = base;
    fit.people = DP2DP_PEOPLE_SAME;
    fit.ledger = ledger;
    HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
    assert_int_equal(dp2dp_model_view(base)->classifier->records, API_ROWS);
    assert_int_equal(dp2dp_model_view(base)->classifier->leaves_out, 1);
    assert_int_equal(dp2dp_model_view(model)->records, API_ROWS);
    assert_int_equal(dp2dp_model_view(model)->leaves_out, 1);
    return (shown) {visible(base), visible(model), ledger_text(ledger),
                    dp2dp_model_view(base)->classifier->weights[0]};
}

/* Compares what is shown with and without the mark. */
static void expect_nothing_visible(const char *schema, unsigned parts, int mark) {
    assert_int_equal(setenv("SOURCE_DATE_EPOCH", "1000000000", 1), 0);
    for (size_t m = 0; m < 3; m++) {
        for (int sgd = 0; sgd < 2; sgd++) {
            dp2dp_solver solver = sgd ? DP2DP_SOLVER_SGD : DP2DP_SOLVER_COUNTS;
            OWNED(shown) with = show(schema, parts, private_methods[m], solver, 0),
                         without = show(schema, parts, private_methods[m], solver, mark);
            assert_true(with.weight != without.weight); /* the row did count */
            assert_string_equal(with.trained, without.trained);
            assert_string_equal(with.fitted, without.fitted);
            assert_string_equal(with.ledger, without.ledger);
        }
    }
}

TEST(nothing_visible_tells_that_a_row_was_left_out) {
    FREED char *schema = schema_that_leaves_out();
    expect_nothing_visible(schema, DP2DP_PART_LEFT_OUT, 1);
}

/* The schema by itself leaves no row out. */
TEST(nothing_visible_tells_that_a_row_was_bad) {
    const unsigned parts = DP2DP_PART_LEFT_OUT | DP2DP_PART_IGNORE_BAD;
    expect_nothing_visible(api_schema, parts, 2);
    expect_nothing_visible(api_schema, parts, 3);
}

/* If the rows are skipped, the number of records tells. */
TEST(skipped_rows_show_in_the_number_of_records) {
    FREED char *schema = schema_that_leaves_out();
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    write_people_but(1234, 1);
    HANDLE(dp2dp_model) *skipped = train_table(schema, 0, &options);
    assert_int_equal(dp2dp_model_view(skipped)->classifier->records, API_ROWS - 1);
    assert_int_equal(dp2dp_model_view(skipped)->classifier->leaves_out, 0);
}

TEST(where_nothing_can_be_left_out_no_byte_changes) {
    char *texts[2];
    size_t lengths[2];
    write_people(API_ROWS, 1);
    for (unsigned i = 0; i < 2; i++) {
        dp2dp_train_options options = api_options(DP2DP_TRAIN_DPSGD);
        options.rng = DP2DP_RNG_INSECURE;
        HANDLE(dp2dp_model) *model = train_table(api_schema, i ? DP2DP_PART_LEFT_OUT : 0, &options);
        assert_int_equal(dp2dp_model_view(model)->classifier->leaves_out, 0);
        assert_ok(dp2dp_model_to_json(model, &texts[i], &lengths[i], &test_error));
    }
    assert_string_equal(texts[0], texts[1]);
    dp2dp_text_free(texts[0]);
    dp2dp_text_free(texts[1]);
}

/* Such a row adds nothing: the weights without noise are those of the others. Method none does not
 * depend on N; dpgd divides by N, so its steps are shorter by 1999/2000. */
TEST(a_row_that_is_left_out_adds_nothing) {
    FREED char *schema = schema_that_leaves_out();
    const dp2dp_train_method methods[] = {DP2DP_TRAIN_NONE, DP2DP_TRAIN_DPGD};
    for (size_t m = 0; m < 2; m++) {
        dp2dp_train_options options = api_options(methods[m]);
        options.epsilon = m ? INFINITY : NAN;
        options.momentum = 0;
        options.step_size = m ? 0.5 : 0;
        options.steps = m; /* one gradient at zero weights */
        write_people_but(1234, 1);
        HANDLE(dp2dp_model) *left_out = train_table(schema, DP2DP_PART_LEFT_OUT, &options);
        write_people_but(1234, -1);
        HANDLE(dp2dp_model) *removed = train_table(schema, DP2DP_PART_LEFT_OUT, &options);
        const dp2dp_classifier *a = dp2dp_model_view(left_out)->classifier,
                               *b = dp2dp_model_view(removed)->classifier;
        assert_int_equal(a->records, API_ROWS);
        assert_int_equal(b->records, API_ROWS - 1);
        for (size_t i = 0; i < 3 * (API_FEATURES + 1); i++) {
            double factor = m ? (API_ROWS - 1.0) / API_ROWS : 1;
            assert_near(a->weights[i], b->weights[i] * factor, m ? 1e-12 : 0);
        }
    }
}

/* A status that depends on how many are left out would tell. */
TEST(every_row_may_be_left_out) {
    FREED char *schema = schema_that_leaves_out();
    write_text("a,b,c,s,y\n1,1,?,f,low\n1,2,?,m,mid\n0,1,?,f,high\n");
    for (size_t m = 0; m < 4; m++) {
        dp2dp_train_options options = api_options(m < 3 ? private_methods[m] : DP2DP_TRAIN_NONE);
        HANDLE(dp2dp_model) *model = train_table(schema, DP2DP_PART_LEFT_OUT, &options);
        assert_int_equal(dp2dp_model_view(model)->classifier->records, 3);
        assert_true(isfinite(dp2dp_model_view(model)->classifier->weights[0]));
    }
}
