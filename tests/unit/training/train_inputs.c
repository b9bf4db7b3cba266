/* Tests which inputs dp2dp_train and a fit on a base accept: external weights, declared guarantees,
 * and tables that are hard to learn from. */
#include "unit/training/data.h"
#include "unit/training/stream_data.h"

#include <dp2dp/metrics.h>

#include "training/rows.h"

static const dp2dp_train_method private_methods[] = {DP2DP_TRAIN_DPGD, DP2DP_TRAIN_DPSGD,
                                                     DP2DP_TRAIN_OUTPUT};
static const double zeros[3 * (API_FEATURES + 1)];

static dp2dp_train_options external_options(double epsilon, double delta) {
    dp2dp_train_options options = api_options(DP2DP_TRAIN_EXTERNAL);
    options.weights = zeros;
    options.epsilon = epsilon;
    options.delta = delta;
    return options;
}

TEST(declared_guarantees_of_weights_are_recorded_as_declared) {
    HANDLE(dp2dp_model) *declared = external_model(zeros, 0.75, 1e-6),
                        *bare = external_model(zeros, NAN, NAN);
    const dp2dp_model_info *info = dp2dp_model_view(declared);
    assert_int_equal(info->not_private_because, 0);
    assert_int_equal(dp2dp_ledger_size(info->ledger), 1);
    assert_int_equal(entry(declared, 0).mechanism, DP2DP_DECLARED);
    assert_string_equal(entry(declared, 0).label, "classifier as declared");
    assert_string_equal(entry(declared, 0).role, "train");
    assert_true(info->epsilon >= 0.75 && info->epsilon < 0.7501 && info->delta == 1e-6);
    assert_int_equal(info->classifier->records, 0);
    info = dp2dp_model_view(bare);
    assert_int_equal(info->not_private_because, DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE);
    assert_int_equal(dp2dp_ledger_size(info->ledger), 0);
    assert_true(isnan(info->epsilon) && isnan(info->delta));
}

static void refused(const char *schema_text, struct ArrowArrayStream *rows,
                    const dp2dp_train_options *options, dp2dp_status expected, const char *why) {
    HANDLE(dp2dp_schema) *schema = schema_text ? schema_of(schema_text) : NULL;
    dp2dp_model *model = (dp2dp_model *)&schema;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_train(schema, rows, options, &model, &error);
    if (status != expected || strstr(error.message, why) == NULL) {
        fail_msg("status %d, '%s', expected '%s'", (int)status, error.message, why);
    }
    assert_null(model);
    assert_true(rows == NULL || rows->release == NULL);
}

TEST(weights_that_cannot_be_are_refused) {
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1.1e100};
    double weights[3 * (API_FEATURES + 1)] = {0};
    dp2dp_train_options options = external_options(NAN, NAN);
    options.weights = weights;
    for (size_t i = 0; i < 4; i++) {
        weights[API_FEATURES + 2] = wrong[i];
        refused(api_schema, NULL, &options, DP2DP_STATUS_ARGUMENT,
                "weights: row 2, column 2 must be finite");
    }
    static const struct {
        double epsilon, delta;
        const char *words;
    } budgets[] = {{1, NAN, "epsilon and delta must be chosen"},
                   {NAN, 1e-5, "epsilon and delta must be chosen"},
                   {INFINITY, 1e-5, "epsilon = inf: it must be above 0 and finite"},
                   {0, 1e-5, "epsilon = 0"},
                   {1, 0, "delta = 0"},
                   {1, 1, "delta = 1"}};
    for (size_t i = 0; i < sizeof budgets / sizeof budgets[0]; i++) {
        options = external_options(budgets[i].epsilon, budgets[i].delta);
        refused(api_schema, NULL, &options, DP2DP_STATUS_ARGUMENT, budgets[i].words);
    }
    options = external_options(NAN, NAN);
    options.weights = NULL;
    refused(api_schema, NULL, &options, DP2DP_STATUS_ARGUMENT, "weights must be given");
    options = api_options(DP2DP_TRAIN_DPGD);
    options.weights = zeros;
    refused(api_schema, NULL, &options, DP2DP_STATUS_ARGUMENT, "weights must be given");
}

TEST(calls_that_cannot_be_are_refused_and_rows_released) {
    enum {
        PARTS = DP2DP_PART_FEATURES | DP2DP_PART_LABEL
    };
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    FREED char *unlabelled = edited(api_schema, "\"label\"", "\"sensitive\"");
    struct ArrowArrayStream rows;
    dp2dp_train_options options = external_options(NAN, NAN);
    write_people(20, 1);
    open_encoded(schema, PARTS, API_CHUNK, &rows);
    refused(api_schema, &rows, &options, DP2DP_STATUS_ARGUMENT,
            "with method external, rows must be NULL");
    options = api_options(DP2DP_TRAIN_DPGD);
    refused(api_schema, NULL, &options, DP2DP_STATUS_ARGUMENT, "rows must be a stream");
    open_encoded(schema, PARTS, API_CHUNK, &rows);
    refused(NULL, &rows, &options, DP2DP_STATUS_ARGUMENT, "schema and out must not be NULL");
    open_encoded(schema, PARTS, API_CHUNK, &rows);
    assert_status(dp2dp_train(schema, &rows, &options, NULL, NULL), ARGUMENT);
    assert_null(rows.release);
    open_encoded(schema, PARTS, API_CHUNK, &rows);
    refused(unlabelled, &rows, &options, DP2DP_STATUS_ARGUMENT, "the schema has no label");
    options.epsilon = NAN;
    open_encoded(schema, PARTS, API_CHUNK, &rows);
    refused(api_schema, &rows, &options, DP2DP_STATUS_ARGUMENT, "epsilon and delta must be chosen");
}

TEST(a_stream_without_labels_or_rows_is_refused) {
    struct ArrowArrayStream rows;
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    write_people(20, 1);
    open_encoded(schema, DP2DP_PART_FEATURES, API_CHUNK, &rows);
    refused(api_schema, &rows, &options, DP2DP_STATUS_DATA, "\"label\" is missing");
    open_encoded(schema, DP2DP_PART_LABEL, API_CHUNK, &rows);
    refused(api_schema, &rows, &options, DP2DP_STATUS_DATA, "\"numbers\" is missing");
    write_people(0, 1);
    open_encoded(schema, ALL_PARTS, API_CHUNK, &rows);
    refused(api_schema, &rows, &options, DP2DP_STATUS_DATA, "there are no rows to train on");
}

/* The numbers of the third row of the last batch. */
static float third[2];

static int give_third(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    producer *p = stream->private_data;
    if (p->times == 1) {
        memcpy(p->numbers + 4, third, sizeof third);
        p->levels[2] = -1;
        p->scale[2] = 1;
    }
    return give_next(stream, out);
}

static void produce_third(producer *p, float first, float second, struct ArrowArrayStream *rows) {
    produce(p, rows);
    p->times = 2;
    third[0] = first;
    third[1] = second;
    rows->get_next = give_third;
}

/* The schema's norm is 3. Nothing is charged. */
TEST(a_row_longer_than_the_norm_is_bad_data_with_its_number) {
    static const char why[] =
        "row 7 of the encoded rows has a norm above the largest that the schema allows";
    producer p;
    struct ArrowArrayStream rows;
    for (size_t m = 0; m < 4; m++) {
        dp2dp_train_options options = api_options(m < 3 ? private_methods[m] : DP2DP_TRAIN_NONE);
        assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
        produce_third(&p, 2.5F, -2.5F, &rows);
        refused(api_schema, &rows, &options, DP2DP_STATUS_DATA, why);
        produce_third(&p, 3.0001F, 0, &rows);
        refused(api_schema, &rows, &options, DP2DP_STATUS_DATA, why);
        assert_int_equal(dp2dp_ledger_size(options.ledger), 0);
        produce_third(&p, 0, -3, &rows);
        HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
        HANDLE(dp2dp_model) *model = NULL;
        assert_ok(dp2dp_train(schema, &rows, &options, &model, NULL));
        dp2dp_ledger_free(options.ledger);
    }
}

/* Two categories; the second row has one level twice. */
TEST(levels_that_do_not_ascend_are_bad_data_with_the_row) {
    static const int32_t levels[2 * ROWS] = {2, 3, 4, 4, 2, -1, -1, 2};
    producer p;
    struct ArrowArrayStream rows;
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_schema_info two = *dp2dp_schema_view(schema);
    OWNED(dp2dpi_training) training;
    produce(&p, &rows);
    p.fields[2].format = "+w:2";
    p.values[1].length = 2 * ROWS;
    p.buffers[2][1] = levels;
    two.categories = 2;
    assert_fails(dp2dpi_training_read(&rows, &two, DP2DP_TARGET_LABEL, &training, &test_error),
                 DATA, "row 2 of the encoded rows does not match the schema");
}

/* Which labels occur is private, so a private method must not refuse a table because of its labels.
 */
TEST(private_methods_take_any_table) {
    static const char *const tables[] = {
        "a,b,c,s,y\n1,2,u,f,low\n", /* fewer rows than classes */
        "a,b,c,s,y\n1,2,u,f,low\n2,1,v,m,low\n0,1,u,m,low\n-1,2,v,f,low\n", /* all labels equal */
        "a,b,c,s,y\n0,0,w,f,low\n0,0,w,f,mid\n0,0,w,f,high\n",              /* equal features */
    };
    static const double budgets[] = {1, 1e-3};
    for (size_t t = 0; t < 3; t++) {
        write_table(tables[t], strlen(tables[t]));
        for (size_t m = 0; m < 3; m++) {
            for (size_t b = 0; b < 2; b++) {
                dp2dp_train_options options = api_options(private_methods[m]);
                options.epsilon = budgets[b];
                HANDLE(dp2dp_model) *model = train_people(api_schema, &options, API_CHUNK);
                const dp2dp_model_info *info = dp2dp_model_view(model);
                for (size_t i = 0; i < 3 * (API_FEATURES + 1); i++) {
                    assert_true(isfinite(info->classifier->weights[i]));
                }
                assert_true(info->not_private_because == 0 && info->epsilon <= budgets[b]);
            }
        }
    }
}

TEST(features_that_are_all_zero_can_be_trained_on) {
    static const char schema_text[] =
        HEADING "\"origin\": \"public\", \"columns\": ["
                "{\"name\": \"a\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": -1, "
                "\"upper\": 1},"
                "{\"name\": \"y\", \"role\": \"label\", \"kind\": \"categorical\", "
                "\"levels\": [\"no\", \"yes\"]}]}";
    static const char table[] = "a,y\n0,no\n0,yes\n0,yes\n0,yes\n";
    write_text(table);
    for (size_t m = 0; m < 4; m++) {
        dp2dp_train_options options = api_options(m < 3 ? private_methods[m] : DP2DP_TRAIN_NONE);
        HANDLE(dp2dp_model) *model = train_people(schema_text, &options, API_CHUNK);
        assert_true(isfinite(dp2dp_model_view(model)->classifier->weights[3]));
    }
}

static dp2dp_fit_options fit_options(double scores_epsilon, double scores_delta) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = 1;
    options.delta = 1e-6;
    options.scores_epsilon = scores_epsilon;
    options.scores_delta = scores_delta;
    return options;
}

TEST(declared_guarantees_of_scores_are_accounted) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    dp2dp_fit_options options = fit_options(2, 1e-7);
    HANDLE(dp2dp_model) *other = fit_people(&p, &options);
    assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(other)->ledger), 3);
    assert_string_equal(entry(other, 0).label, "scores as declared");
    assert_string_equal(entry(other, 0).role, "train");
    assert_string_equal(entry(other, 1).role, "pool");
    assert_null(entry(other, 1).set);
    assert_true(fabs(dp2dp_model_view(other)->epsilon - 2) < 1e-3);
    options.people = DP2DP_PEOPLE_SAME;
    HANDLE(dp2dp_model) *same = fit_people(&p, &options);
    assert_string_equal(entry(same, 1).role, "pool");
    assert_string_equal(entry(same, 1).set, "train"); /* the same people */
    assert_true(dp2dp_model_view(same)->epsilon > 2.5 && dp2dp_model_view(same)->epsilon < 3.1);
    assert_int_equal(dp2dp_model_view(same)->not_private_because, 0);
}

/* A guarantee that is declared at a larger δ than the fit's gives no ε at the fit's δ, but gives
 * one at the sum of both δ. */
TEST(a_larger_declared_delta_is_added) {
    OWNED(people) p = people_favoured(500, 3, 2, 5);
    for (int whom = DP2DP_PEOPLE_OTHER; whom <= DP2DP_PEOPLE_SAME; whom++) {
        dp2dp_fit_options options = fit_options(0.5, 1e-4);
        options.people = (dp2dp_people)whom;
        HANDLE(dp2dp_model) *model = fit_people(&p, &options);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        assert_true(info->delta == 1e-6 + 1e-4);
        assert_true(info->epsilon > 0.5 && info->epsilon < 1.6);
    }
}

static void fit_refused(const people *p, const dp2dp_fit_options *options, const char *why) {
    HANDLE(dp2dp_pool) *pool = pool_of(p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_model *model = NULL;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_fit(&source, options, &model, &error);
    if (status != DP2DP_STATUS_ARGUMENT || strstr(error.message, why) == NULL) {
        fail_msg("status %d, '%s', expected '%s'", (int)status, error.message, why);
    }
}

TEST(statements_about_scores_must_agree) {
    static const char *const own[] = {"low", "mid", "high"}, *const others[] = {"l", "m", "h"};
    OWNED(people) p = people_favoured(100, 3, 2, 5), four = people_favoured(100, 4, 2, 5);
    HANDLE(dp2dp_model) *base = external_model(zeros, 1, 1e-6);
    dp2dp_fit_options options = fit_options(1, NAN);
    fit_refused(&p, &options, "give scores_epsilon and scores_delta together");
    options = fit_options(NAN, 1e-6);
    fit_refused(&p, &options, "give scores_epsilon and scores_delta together");
    options = fit_options(1, 1);
    fit_refused(&p, &options, "scores_delta must be below 1");
    options = fit_options(1, 1e-6);
    options.not_private_because = DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
    fit_refused(&p, &options, "same_people");
    options = fit_options(1, 1e-6);
    options.base = base;
    fit_refused(&p, &options, "scores_epsilon must not be given with base");
    options = fit_options(NAN, NAN);
    options.people = (dp2dp_people)2;
    fit_refused(&p, &options, "people = 2");
    options = fit_options(NAN, NAN);
    options.base = base;
    fit_refused(&four, &options, "4 classes, but base, the model behind them, has 3");
    options.names.classes = others;
    fit_refused(&p, &options, "names: the names of classes and score columns");
    options.names.classes = own;
    options.names.scores = own;
    fit_refused(&p, &options, "names: the names of classes and score columns");
    options.names.scores = NULL;
    HANDLE(dp2dp_model) *model = fit_people(&p, &options);
    assert_string_equal(dp2dp_model_view(model)->names.classes[1], "mid");
}

/* The certificate of a model without a rule is that of offsets 0. */
TEST(a_model_without_a_rule_can_be_certified) {
    OWNED(people) p = people_favoured(5000, 3, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *model = external_model(zeros, NAN, NAN);
    dp2dp_certify_options options = DP2DP_CERTIFY_OPTIONS_INIT;
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    int64_t counts[6];
    const float offsets[6] = {0};
    double table[6];
    options.epsilon = 10;
    options.delta = 1e-5;
    certificate.table = table;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &options.ledger, NULL));
    assert_ok(dp2dp_certify(&source, model, &options, &certificate, NULL));
    assert_int_equal(source.count(source.context, offsets, counts, NULL), OK);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(table[i] - (double)counts[i]) < 20);
    }
    source.classes = 2;
    assert_status(dp2dp_certify(&source, model, &options, &certificate, NULL), ARGUMENT);
    dp2dp_ledger_free(options.ledger);
}
