/* Tests a rule that does not see the group, fitted on two classifiers, one of the label and one of
 * the group: the model holds both, and the people they were trained on pay for both. */
#include "unit/training/data.h"

#include <jansson.h>

#include "unit/json_schema.h"

enum {
    GROUPS = 2,
    CLASSES = 3
};

static dp2dp_model *train_target(const char *schema_text, const dp2dp_train_options *given,
                                 dp2dp_target target) {
    HANDLE(dp2dp_schema) *schema = schema_of(schema_text);
    dp2dp_train_options options = *given;
    struct ArrowArrayStream rows;
    dp2dp_model *model = NULL;
    options.target = target;
    open_encoded(schema, dp2dp_target_parts(target), API_CHUNK, &rows);
    assert_ok(dp2dp_train(schema, &rows, &options, &model, &test_error));
    return model;
}

/* The people at table_path, with the scores of one model and the weights of another. */
typedef struct weighed {
    float scores[CLASSES * API_ROWS], weights[GROUPS * API_ROWS];
    int32_t groups[API_ROWS];
} weighed;

static void take_column(const struct ArrowSchema *schema, const struct ArrowArray *batch,
                        const char *name, size_t each, size_t done, float *out) {
    for (int64_t c = 0; c < schema->n_children; c++) {
        if (strcmp(schema->children[c]->name, name) == 0) {
            memcpy(out + each * done, batch->children[c]->children[0]->buffers[1],
                   each * (size_t)batch->length * sizeof *out);
        }
    }
}

/* group_model may be NULL. */
static void weigh_with(const dp2dp_model *model, const dp2dp_model *group_model, weighed *out) {
    HANDLE(dp2dp_schema) *schema = schema_of(dp2dp_model_view(model)->classifier->schema);
    struct ArrowArrayStream rows, stream;
    struct ArrowSchema type;
    struct ArrowArray batch;
    size_t done = 0;
    open_encoded(schema, DP2DP_PART_FEATURES | DP2DP_PART_GROUP, API_CHUNK, &rows);
    assert_ok(dp2dp_model_score_with_groups(model, group_model, &rows, &stream, &test_error));
    assert_int_equal(stream.get_schema(&stream, &type), 0);
    while (stream.get_next(&stream, &batch) == 0 && batch.release) {
        take_column(&type, &batch, "scores", CLASSES, done, out->scores);
        take_column(&type, &batch, "group_weights", GROUPS, done, out->weights);
        const int64_t group = strcmp(type.children[1]->name, "group") == 0 ? 1 : 2;
        memcpy(out->groups + done, batch.children[group]->buffers[1],
               (size_t)batch.length * sizeof *out->groups);
        done += (size_t)batch.length;
        batch.release(&batch);
    }
    type.release(&type);
    stream.release(&stream);
    assert_int_equal(done, API_ROWS);
}

static void weigh(const dp2dp_model *model, weighed *out) {
    weigh_with(model, NULL, out);
}

static dp2dp_pool *weighed_pool(const weighed *w, const dp2dp_matrix *weights) {
    const dp2dp_matrix scores = {w->scores, DP2DP_FLOAT32, API_ROWS, CLASSES, 12, 4};
    const dp2dp_column groups = {w->groups, DP2DP_INT32, API_ROWS, 4};
    dp2dp_pool_options options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_pool *pool = NULL;
    options.strata = GROUPS;
    options.weights = weights;
    assert_ok(dp2dp_pool_new(&scores, &groups, &options, &pool, &test_error));
    return pool;
}

static dp2dp_fit_options fit_options(const dp2dp_model *base, const dp2dp_model *group_base) {
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = 0.5;
    options.delta = 1e-6;
    options.base = base;
    options.group_base = group_base;
    return options;
}

static weighed crowd;
static const dp2dp_matrix crowd_weights = {crowd.weights, DP2DP_FLOAT32, API_ROWS, GROUPS, 8, 4};

/* Trains both classifiers, and fits a rule to the same table. */
static dp2dp_model *fit_both(const char *name, dp2dp_people whom, dp2dp_ledger *ledger) {
    dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD);
    train.people_name = name;
    HANDLE(dp2dp_model) *base = train_target(api_schema, &train, DP2DP_TARGET_LABEL);
    HANDLE(dp2dp_model) *groups = train_target(api_schema, &train, DP2DP_TARGET_GROUP);
    weigh(base, &crowd);
    weigh(groups, &crowd);
    HANDLE(dp2dp_pool) *pool = weighed_pool(&crowd, &crowd_weights);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = fit_options(base, groups);
    dp2dp_model *model = NULL;
    options.people = whom;
    options.ledger = ledger;
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    return model;
}

static double upper(double x) {
    return erfc(x / sqrt(2)) / 2;
}

/* Computes μ of one Gaussian at (ε, δ) by bisection, independently of the accountant. */
static double mu_of(double epsilon, double delta) {
    double low = 0, high = 100;
    for (int i = 0; i < 200; i++) {
        double mu = (low + high) / 2;
        double d = upper(epsilon / mu - mu / 2) - exp(epsilon) * upper(epsilon / mu + mu / 2);
        *(d > delta ? &high : &low) = mu;
    }
    return low;
}

TEST(the_people_of_the_training_pay_for_both_classifiers) {
    static const char *const names[] = {NULL, "ward"};
    double one = mu_of(1, 1e-6), fit = mu_of(0.5, 1e-6);
    write_people(API_ROWS, 1);
    for (int same = 0; same < 2; same++) {
        for (int named = 0; named < 2; named++) {
            HANDLE(dp2dp_ledger) *ledger = new_ledger();
            HANDLE(dp2dp_model) *model = fit_both(names[named], (dp2dp_people)same, ledger);
            const dp2dp_model_info *info = dp2dp_model_view(model);
            assert_int_equal(info->cover_count, 2);
            assert_int_equal(dp2dp_ledger_size(info->ledger), 4); /* two each */
            assert_int_equal(info->not_private_because, 0);
            double trained = mu_of(info->covers[0].epsilon, 1e-6);
            double expected = sqrt(2 * one * one + (same ? fit * fit : 0));
            assert_true(fabs(trained - expected) < 2e-3 * expected);
            assert_true(fabs(mu_of(info->covers[1].epsilon, 1e-6) - (same ? expected : fit)) <
                        2e-3 * expected);
            assert_true(info->epsilon == epsilon_spent(info->ledger, 1e-6));
            if (named) {
                assert_string_equal(info->covers[0].people, "ward");
            }
            /* The pool's people pay for both classifiers if they are the same. */
            assert_int_equal(dp2dp_ledger_size(ledger), same ? 4 : 2);
        }
    }
}

TEST(a_model_with_two_classifiers_is_saved_and_scores_as_they_do) {
    static weighed again;
    static int32_t before[API_ROWS], after[API_ROWS];
    write_people(API_ROWS, 2);
    HANDLE(dp2dp_model) *model = fit_both(NULL, DP2DP_PEOPLE_OTHER, NULL), *loaded = NULL;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_int_equal(info->classifier->target, DP2DP_TARGET_LABEL);
    assert_int_equal(info->group_classifier->target, DP2DP_TARGET_GROUP);
    assert_string_equal(info->names.groups[1], "m");
    TEXT_FREED char *text = NULL, *twice = NULL;
    size_t length, length_twice;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    assert_ok(dp2dp_model_from_json(text, length, &loaded, &test_error));
    assert_ok(dp2dp_model_to_json(loaded, &twice, &length_twice, &test_error));
    assert_string_equal(text, twice);
    json_t *schema = load_schema(DP2DP_TEST_DIR "/../docs/model.schema.json");
    json_t *root = json_loads(text, 0, NULL);
    assert_true(conforms(schema, root));
    json_decref(root);
    json_decref(schema);
    weigh(loaded, &again); /* one stream has what two classifiers gave */
    assert_memory_equal(&again, &crowd, sizeof again);
    const dp2dp_matrix scores = {crowd.scores, DP2DP_FLOAT32, API_ROWS, CLASSES, 12, 4};
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    options.weights = &crowd_weights;
    assert_ok(dp2dp_model_predict(model, &scores, NULL, &options, before, &test_error));
    assert_ok(dp2dp_model_predict(loaded, &scores, NULL, &options, after, &test_error));
    assert_memory_equal(before, after, sizeof before);
}

/* A reason against either classifier is a reason against the model. */
TEST(a_classifier_of_groups_without_privacy_takes_the_promise) {
    write_people(API_ROWS, 3);
    dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD), bare = api_options(DP2DP_TRAIN_NONE);
    HANDLE(dp2dp_model) *base = train_target(api_schema, &train, DP2DP_TARGET_LABEL);
    HANDLE(dp2dp_model) *groups = train_target(api_schema, &bare, DP2DP_TARGET_GROUP);
    weigh(base, &crowd);
    weigh(groups, &crowd);
    HANDLE(dp2dp_pool) *pool = weighed_pool(&crowd, &crowd_weights);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = fit_options(base, groups);
    HANDLE(dp2dp_model) *model = NULL, *loaded = NULL;
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    assert_int_equal(info->not_private_because, DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE);
    assert_int_equal(info->covers[0].because, DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE);
    assert_int_equal(info->covers[1].because, 0);
    TEXT_FREED char *text = NULL;
    size_t length;
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    assert_ok(dp2dp_model_from_json(text, length, &loaded, &test_error));
}

TEST(two_models_score_rows_in_one_pass_as_each_does_alone) {
    static weighed together;
    write_people(API_ROWS, 6);
    dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *base = train_target(api_schema, &train, DP2DP_TARGET_LABEL);
    HANDLE(dp2dp_model) *groups = train_target(api_schema, &train, DP2DP_TARGET_GROUP);
    weigh(base, &crowd);
    weigh(groups, &crowd);
    weigh_with(base, groups, &together);
    assert_memory_equal(crowd.scores, together.scores, sizeof crowd.scores);
    assert_memory_equal(crowd.weights, together.weights, sizeof crowd.weights);
    assert_memory_equal(crowd.groups, together.groups, sizeof crowd.groups);
}

TEST(two_models_that_do_not_fit_together_score_nothing) {
    write_people(API_ROWS, 7);
    dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD);
    FREED char *renamed = edited(api_schema, "\"people\"", "\"others\"");
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    HANDLE(dp2dp_model) *base = train_target(api_schema, &train, DP2DP_TARGET_LABEL);
    HANDLE(dp2dp_model) *groups = train_target(api_schema, &train, DP2DP_TARGET_GROUP);
    HANDLE(dp2dp_model) *pairs = train_target(api_schema, &train, DP2DP_TARGET_GROUP_LABEL);
    HANDLE(dp2dp_model) *other = train_target(renamed, &train, DP2DP_TARGET_GROUP);
    HANDLE(dp2dp_model) *both = fit_both(NULL, DP2DP_PEOPLE_OTHER, NULL);
    const struct {
        const dp2dp_model *model, *groups;
        const char *why;
    } cases[] = {
        {base, base, "group_model must be a model that predicts the group"},
        {base, pairs, "group_model must be a model that predicts the group"},
        {pairs, groups, "must have exactly one classifier, which predicts the label"},
        {groups, groups, "must have exactly one classifier, which predicts the label"},
        {both, groups, "must have exactly one classifier, which predicts the label"},
        {base, other, "must have the same schema"},
        {NULL, groups, "must not be NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ArrowArrayStream rows, stream;
        open_encoded(schema, DP2DP_PART_FEATURES, API_CHUNK, &rows);
        assert_fails(dp2dp_model_score_with_groups(cases[i].model, cases[i].groups, &rows, &stream,
                                                   &test_error),
                     ARGUMENT, cases[i].why);
        assert_null(rows.release);
        assert_null(stream.release);
    }
}

static void refused(const dp2dp_source *source, const dp2dp_fit_options *options, const char *why) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_fit_options used = *options;
    dp2dp_model *model = NULL;
    used.ledger = ledger;
    assert_fails(dp2dp_fit(source, &used, &model, &test_error), ARGUMENT, why);
    assert_null(model);
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}

TEST(models_that_do_not_fit_together_are_refused_before_any_charge) {
    write_people(API_ROWS, 4);
    dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD), named = train, sized = train;
    named.people_name = "ward";
    sized.rows_per_person = 3;
    FREED char *renamed = edited(api_schema, "\"people\"", "\"others\"");
    HANDLE(dp2dp_model) *base = train_target(api_schema, &train, DP2DP_TARGET_LABEL);
    HANDLE(dp2dp_model) *groups = train_target(api_schema, &train, DP2DP_TARGET_GROUP);
    HANDLE(dp2dp_model) *pairs = train_target(api_schema, &train, DP2DP_TARGET_GROUP_LABEL);
    HANDLE(dp2dp_model) *of_ward = train_target(api_schema, &named, DP2DP_TARGET_GROUP);
    HANDLE(dp2dp_model) *of_rows = train_target(api_schema, &sized, DP2DP_TARGET_GROUP);
    HANDLE(dp2dp_model) *other = train_target(renamed, &train, DP2DP_TARGET_GROUP);
    weigh(base, &crowd);
    weigh(groups, &crowd);
    HANDLE(dp2dp_pool) *pool = weighed_pool(&crowd, &crowd_weights);
    HANDLE(dp2dp_pool) *aware = weighed_pool(&crowd, NULL);
    dp2dp_source source = dp2dp_pool_source(pool), sees = dp2dp_pool_source(aware);
    const struct {
        const dp2dp_source *source;
        const dp2dp_model *base, *groups;
        const char *why;
    } cases[] = {
        {&source, base, base, "group_base must be a model that predicts the group"},
        {&source, base, pairs, "group_base must be a model that predicts the group"},
        {&source, NULL, groups, "group_base needs a base that predicts the label"},
        {&source, pairs, groups, "group_base needs a base that predicts the label"},
        {&source, groups, groups, "group_base needs a base that predicts the label"},
        {&sees, base, groups, "group_base needs a source whose rule is weighted"},
        {&source, base, other, "group_base must have the same schema as base"},
        {&source, base, of_ward, "group_base must be trained on the same people as base"},
        {&source, base, of_rows, "charged with rows_per_person = 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dp2dp_fit_options options = fit_options(cases[i].base, cases[i].groups);
        refused(cases[i].source, &options, cases[i].why);
    }
    static const char *const swapped[] = {"m", "f"};
    dp2dp_fit_options options = fit_options(base, groups);
    options.names.groups = swapped;
    refused(&source, &options, "the groups must be those of the model that computed the group");
}

TEST(a_rule_has_the_groups_of_its_classifiers_schema_in_the_same_order) {
    static const char *const right[] = {"f", "m"}, *const swapped[] = {"m", "f"},
                             *const others[] = {"old", "young"};
    const dp2dp_train_options train = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_model) *base = train_target(api_schema, &train, DP2DP_TARGET_LABEL);
    HANDLE(dp2dp_model) *model = NULL;
    weigh(base, &crowd);
    HANDLE(dp2dp_pool) *aware = weighed_pool(&crowd, NULL);
    dp2dp_source source = dp2dp_pool_source(aware);
    dp2dp_fit_options options = fit_options(base, NULL);
    options.names.groups = swapped;
    refused(&source, &options,
            "groups of base in another order: put codes and names in the order "
            "[f, m]");
    options.names.groups = others;
    refused(&source, &options,
            "group_names are not the groups of base, whose schema declares "
            "[f, m]");
    options.names.groups = NULL; /* the names are then those of the schema */
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    assert_string_equal(dp2dp_model_view(model)->names.groups[0], "f");
    dp2dp_model_free(model);
    options.names.groups = right;
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    options.base = model; /* a rule may be fitted again, and its schema is known then too */
    options.names.groups = swapped;
    refused(&source, &options, "groups of base in another order");
}
