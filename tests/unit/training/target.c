/* Tests classifiers of the group, and of the pair (group, label): they are trained, charged, scored
 * and refused like classifiers of a label with as many classes. */
#include "unit/training/data.h"
#include "unit/training/stream_data.h"

enum {
    GROUPS = 2,
    CLASSES = 3,
    PAIRS = GROUPS * CLASSES,
    CELLS = PAIRS * (API_FEATURES + 1)
};

static const dp2dp_train_method methods[] = {DP2DP_TRAIN_DPGD, DP2DP_TRAIN_DPSGD,
                                             DP2DP_TRAIN_OUTPUT, DP2DP_TRAIN_NONE};

/* The columns of api_schema, with the roles of s and y, and a label z, replaced. */
#define SCHEMA_OF(columns)                                                            \
    HEADING                                                                           \
    "\"name\": \"people\", \"origin\": \"public\", \"norm\": 3, \"columns\": ["       \
    "{\"name\": \"a\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": -4, " \
    "\"upper\": 4},"                                                                  \
    "{\"name\": \"b\", \"role\": \"feature\", \"kind\": \"numeric\", \"lower\": -4, " \
    "\"upper\": 4},"                                                                  \
    "{\"name\": \"c\", \"role\": \"feature\", \"kind\": \"categorical\", "            \
    "\"levels\": [\"u\", \"v\"], \"unknown\": \"level\"}," columns "]}"
#define GROUP_COLUMN(role)                                                  \
    "{\"name\": \"s\", \"role\": \"" role "\", \"kind\": \"categorical\", " \
    "\"levels\": [\"f\", \"m\"]}"

static const char label_is_group[] = SCHEMA_OF(GROUP_COLUMN("label"));
static const char only_group[] = SCHEMA_OF(GROUP_COLUMN("sensitive"));
static const char label_is_pair[] =
    SCHEMA_OF("{\"name\": \"z\", \"role\": \"label\", \"kind\": \"categorical\", "
              "\"levels\": [\"f-low\", \"f-mid\", \"f-high\", \"m-low\", \"m-mid\", "
              "\"m-high\"]}");

/* Writes n people with the columns of write_people, and z, the pair of s and y, as text. */
static void write_pairs(size_t n, uint64_t seed) {
    static const char *const groups[] = {"f", "m"}, *const levels[] = {"u", "v", "w"};
    static const char *const labels[] = {"low", "mid", "high"};
    OWNED(cells) table = {.capacity = 0};
    append(&table, "a,b,c,s,y,z\n", 12);
    for (size_t i = 0; i < n; i++) {
        char line[96];
        double a = (double)(draw(&seed) % 8000) / 1000 - 4;
        double b = (double)(draw(&seed) % 8000) / 1000 - 4;
        size_t c = draw(&seed) % 3, s = b + (double)(draw(&seed) % 3000) / 1000 > 1;
        double z = a + (c == 1) + (double)s + (double)(draw(&seed) % 1000) / 500 - 1;
        size_t y = z < -0.5 ? 0 : z < 2 ? 1 : 2;
        append(&table, line,
               (size_t)snprintf(line, sizeof line, "%.3f,%.3f,%s,%s,%s,%s-%s\n", a, b, levels[c],
                                groups[s], labels[y], groups[s], labels[y]));
    }
    write_table(table.text, table.length);
}

static dp2dp_model *train_target(const char *schema_text, dp2dp_train_options options,
                                 dp2dp_target target) {
    HANDLE(dp2dp_schema) *schema = schema_of(schema_text);
    struct ArrowArrayStream rows;
    dp2dp_model *model = NULL;
    options.target = target;
    open_encoded(schema, dp2dp_target_parts(target), API_CHUNK, &rows);
    assert_ok(dp2dp_train(schema, &rows, &options, &model, &test_error));
    assert_null(rows.release);
    return model;
}

static const dp2dp_classifier *classifier_of(const dp2dp_model *model) {
    return dp2dp_model_view(model)->classifier;
}

/* Checks that both models have the same weights and the same charges, bit by bit. */
static void assert_alike(const dp2dp_model *model, const dp2dp_model *reference) {
    const dp2dp_classifier *a = classifier_of(model), *b = classifier_of(reference);
    assert_int_equal(a->outputs, b->outputs);
    assert_int_equal(a->records, b->records);
    assert_memory_equal(a->weights, b->weights,
                        a->outputs * (API_FEATURES + 1) * sizeof *a->weights);
    assert_true(a->weights[a->outputs * (API_FEATURES + 1) - 1] != 0);
    size_t entries = dp2dp_ledger_size(dp2dp_model_view(model)->ledger);
    assert_int_equal(entries, dp2dp_ledger_size(dp2dp_model_view(reference)->ledger));
    for (size_t i = 0; i < entries; i++) {
        dp2dp_event own = entry(model, i), theirs = entry(reference, i);
        assert_true(own.sensitivity == theirs.sensitivity && own.sigma == theirs.sigma);
        assert_true(own.coordinates == theirs.coordinates && own.count == theirs.count);
        assert_true(own.mechanism == theirs.mechanism && own.rate == theirs.rate);
    }
}

/* The reference has the pair, or the group, as its label. A classifier of the label alone, one of
 * another order of the pairs, and constants that count other classes, all differ from it. */
TEST(groups_and_pairs_are_learned_as_the_labels_they_are) {
    write_pairs(API_ROWS, 1);
    for (size_t m = 0; m < 4; m++) {
        dp2dp_train_options options = api_options(methods[m]);
        options.rng = DP2DP_RNG_INSECURE;
        options.insecure_seed = 7;
        HANDLE(dp2dp_model) *pairs = train_target(api_schema, options, DP2DP_TARGET_GROUP_LABEL);
        HANDLE(dp2dp_model) *as_pairs = train_target(label_is_pair, options, DP2DP_TARGET_LABEL);
        assert_alike(pairs, as_pairs);
        HANDLE(dp2dp_model) *groups = train_target(api_schema, options, DP2DP_TARGET_GROUP);
        HANDLE(dp2dp_model) *unlabelled = train_target(only_group, options, DP2DP_TARGET_GROUP);
        HANDLE(dp2dp_model) *as_groups = train_target(label_is_group, options, DP2DP_TARGET_LABEL);
        assert_alike(groups, as_groups);
        assert_alike(unlabelled, as_groups);
        int is_private = methods[m] != DP2DP_TRAIN_NONE;
        assert_int_equal(dp2dp_ledger_size(dp2dp_model_view(pairs)->ledger), is_private);
        if (is_private) {
            assert_int_equal(entry(pairs, 0).coordinates, CELLS);
            assert_int_equal(entry(groups, 0).coordinates, API_FEATURES + 1);
        }
    }
}

TEST(a_plan_charges_what_the_training_of_a_target_charges) {
    static const dp2dp_target targets[] = {DP2DP_TARGET_LABEL, DP2DP_TARGET_GROUP,
                                           DP2DP_TARGET_GROUP_LABEL};
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    write_pairs(API_ROWS, 1);
    for (size_t m = 0; m < 3; m++) {
        for (size_t t = 0; t < 3; t++) {
            dp2dp_train_options options = api_options(methods[m]);
            HANDLE(dp2dp_model) *model = train_target(api_schema, options, targets[t]);
            HANDLE(dp2dp_ledger) *planned = new_ledger();
            options.target = targets[t];
            assert_ok(dp2dp_train_plan(schema, API_ROWS, &options, planned, &test_error));
            dp2dp_event charged = entry(model, 0), event = DP2DP_EVENT_INIT;
            dp2dp_rng_kind rng;
            assert_ok(dp2dp_ledger_entry(planned, 0, &event, &rng, NULL));
            assert_true(event.sigma == charged.sigma && event.sensitivity == charged.sensitivity);
            assert_int_equal(event.coordinates, charged.coordinates);
        }
    }
}

/* The columns of a scored stream, by name. A missing column is NULL. */
typedef struct scored {
    float scores[CLASSES * ROWS], group_weights[GROUPS * ROWS], stratum_weights[PAIRS * ROWS];
    int children, has_scores, has_groups, has_strata;
} scored;

static int take_column(const struct ArrowSchema *schema, const struct ArrowArray *batch,
                       const char *name, const char *format, size_t each, float *out) {
    for (int64_t c = 0; c < schema->n_children; c++) {
        if (strcmp(schema->children[c]->name, name) == 0) {
            assert_string_equal(schema->children[c]->format, format);
            memcpy(out, batch->children[c]->children[0]->buffers[1], each * ROWS * sizeof *out);
            return 1;
        }
    }
    return 0;
}

/* Scores the rows of a producer. */
static scored score_rows(const dp2dp_model *model) {
    producer p;
    scored out = {.children = 0};
    struct ArrowArrayStream rows, stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    produce(&p, &rows);
    assert_ok(dp2dp_model_score(model, &rows, &stream, &test_error));
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(batch.length, ROWS);
    assert_string_equal(schema.children[0]->name, "row");
    out.children = (int)schema.n_children;
    out.has_scores = take_column(&schema, &batch, "scores", "+w:3", CLASSES, out.scores);
    out.has_groups =
        take_column(&schema, &batch, "group_weights", "+w:2", GROUPS, out.group_weights);
    out.has_strata =
        take_column(&schema, &batch, "stratum_weights", "+w:6", PAIRS, out.stratum_weights);
    batch.release(&batch);
    schema.release(&schema);
    stream.release(&stream);
    return out;
}

static dp2dp_model *external_target(const double *weights, dp2dp_target target) {
    HANDLE(dp2dp_schema) *schema = schema_of(api_schema);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_EXTERNAL);
    dp2dp_model *model = NULL;
    options.weights = weights;
    options.target = target;
    assert_ok(dp2dp_train(schema, NULL, &options, &model, &test_error));
    return model;
}

/* The weights of pair (g, y) are those of output 3 g + y. */
static void fill_weights(double *weights) {
    uint64_t seed = 11;
    for (size_t i = 0; i < CELLS; i++) {
        weights[i] = (double)(draw(&seed) % 4000) / 1000 - 2;
    }
}

TEST(scores_and_group_weights_are_sums_over_the_pairs) {
    double weights[CELLS];
    fill_weights(weights);
    HANDLE(dp2dp_model) *model = external_target(weights, DP2DP_TARGET_GROUP_LABEL);
    scored s = score_rows(model);
    producer p;
    struct ArrowArrayStream rows;
    produce(&p, &rows);
    assert_true(s.children == 6 && s.has_scores && s.has_groups && s.has_strata);
    for (int i = 0; i < ROWS; i++) {
        double e[PAIRS], sum = 0;
        for (int k = 0; k < PAIRS; k++) {
            const double *w = weights + (ptrdiff_t)k * (API_FEATURES + 1);
            double z = (double)p.numbers[2 * i] * w[0] + (double)p.numbers[2 * i + 1] * w[1];
            z += p.levels[i] < 0 ? 0 : w[p.levels[i]];
            e[k] = exp((double)p.scale[i] * z + w[API_FEATURES]);
            sum += e[k];
        }
        for (int g = 0; g < GROUPS; g++) {
            double own = 0;
            for (int y = 0; y < CLASSES; y++) {
                double pair = e[CLASSES * g + y] / sum;
                own += pair;
                assert_true(fabs((double)s.stratum_weights[PAIRS * i + CLASSES * g + y] - pair) <
                            1e-7);
            }
            assert_true(fabs((double)s.group_weights[GROUPS * i + g] - own) < 1e-6);
        }
        for (int y = 0; y < CLASSES; y++) {
            double own = (e[y] + e[CLASSES + y]) / sum;
            assert_true(fabs((double)s.scores[CLASSES * i + y] - own) < 1e-6);
        }
    }
    rows.release(&rows);
}

TEST(only_the_columns_of_its_target_are_given) {
    double weights[CELLS];
    fill_weights(weights);
    HANDLE(dp2dp_model) *groups = external_target(weights, DP2DP_TARGET_GROUP);
    HANDLE(dp2dp_model) *labels = external_target(weights, DP2DP_TARGET_LABEL);
    scored of_groups = score_rows(groups), of_labels = score_rows(labels);
    assert_true(!of_groups.has_scores && of_groups.has_groups && !of_groups.has_strata);
    assert_true(of_labels.has_scores && !of_labels.has_groups && !of_labels.has_strata);
    assert_true(of_groups.children == 4 && of_labels.children == 4);
    for (int i = 0; i < ROWS; i++) {
        double sum = (double)of_groups.group_weights[2 * i] + of_groups.group_weights[2 * i + 1];
        assert_true(fabs(sum - 1) < 1e-6);
    }
}

/* Even the largest weights give numbers that a pool accepts as probabilities. */
TEST(sums_of_extreme_pairs_are_probabilities) {
    double weights[CELLS];
    for (size_t i = 0; i < CELLS; i++) {
        weights[i] = i / (API_FEATURES + 1) < 5 ? 1e100 : 1e99;
    }
    HANDLE(dp2dp_model) *model = external_target(weights, DP2DP_TARGET_GROUP_LABEL);
    scored s = score_rows(model);
    for (int i = 0; i < CLASSES * ROWS; i++) {
        assert_true(s.scores[i] >= 0 && s.scores[i] <= 1);
    }
    for (int i = 0; i < GROUPS * ROWS; i++) {
        assert_true(s.group_weights[i] >= 0 && s.group_weights[i] <= 1);
    }
}

static void refused(const char *schema_text, producer *p, dp2dp_target target,
                    dp2dp_status expected, const char *why) {
    HANDLE(dp2dp_schema) *schema = schema_of(schema_text);
    dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
    HANDLE(dp2dp_ledger) *ledger = options.ledger = new_ledger();
    struct ArrowArrayStream rows = {.get_schema = give_schema,
                                    .get_next = give_next,
                                    .get_last_error = give_error,
                                    .release = drop_stream,
                                    .private_data = p};
    dp2dp_model *model = NULL;
    options.target = target;
    assert_int_equal(dp2dp_train(schema, &rows, &options, &model, &test_error), expected);
    assert_says(test_error.message, why);
    assert_true(model == NULL && rows.release == NULL);
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
}

TEST(targets_that_the_schema_cannot_give_are_refused) {
    static const char *const groupless = label_is_pair;
    struct ArrowArrayStream rows;
    producer p;
    produce(&p, &rows);
    refused(groupless, &p, DP2DP_TARGET_GROUP, DP2DP_STATUS_ARGUMENT,
            "target group: the schema has no sensitive column");
    refused(groupless, &p, DP2DP_TARGET_GROUP_LABEL, DP2DP_STATUS_ARGUMENT,
            "target group-label: the schema has no sensitive column");
    refused(only_group, &p, DP2DP_TARGET_GROUP_LABEL, DP2DP_STATUS_ARGUMENT,
            "the schema has no label column");
    refused(api_schema, &p, (dp2dp_target)3, DP2DP_STATUS_ARGUMENT, "target = 3: not a known");
    p.fields[5].name = "grope";
    refused(api_schema, &p, DP2DP_TARGET_GROUP_LABEL, DP2DP_STATUS_DATA, "\"group\" is missing");
    refused(api_schema, &p, DP2DP_TARGET_GROUP, DP2DP_STATUS_DATA, "\"group\" is missing");
    produce(&p, &rows);
    p.fields[4].name = "lapel";
    refused(api_schema, &p, DP2DP_TARGET_GROUP_LABEL, DP2DP_STATUS_DATA, "\"label\" is missing");
}

/* 65 groups times 64 classes are more than 4096 pairs. */
TEST(too_many_pairs_are_refused) {
    OWNED(cells) text = {.capacity = 0};
    static const char *const roles[] = {"sensitive", "label"};
    static const char start[] = HEADING "\"origin\": \"public\", \"columns\": ["
                                        "{\"name\": \"a\", \"role\": \"feature\", \"kind\": "
                                        "\"numeric\", \"lower\": 0, \"upper\": 1}";
    append(&text, start, sizeof start - 1);
    for (int r = 0; r < 2; r++) {
        char piece[160];
        append(&text, piece,
               (size_t)snprintf(piece, sizeof piece,
                                ", {\"name\": \"%s\", \"role\": \"%s\", \"kind\": "
                                "\"categorical\", \"levels\": [",
                                roles[r], roles[r]));
        for (int i = 0; i < 65 - r; i++) {
            append(&text, piece,
                   (size_t)snprintf(piece, sizeof piece, "%s\"%d\"", i ? ", " : "", i));
        }
        append(&text, "]}", 2);
    }
    append(&text, "]}", 3);
    producer p;
    struct ArrowArrayStream rows;
    produce(&p, &rows);
    refused(text.text, &p, DP2DP_TARGET_GROUP_LABEL, DP2DP_STATUS_ARGUMENT,
            "65 groups and 64 classes, but groups x classes must be at most 4096");
}

/* Group 0 with label 3 must not be taken for group 1 with label 0, nor group 1 with label -1 for
 * group 0 with label 2. */
TEST(a_pair_out_of_range_is_not_taken_for_another) {
    static const int32_t wrong[][2] = {{0, 3}, {1, -1}, {2, 0}, {-1, 2}, {-1, 3}, {INT32_MAX, 0}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        producer p;
        struct ArrowArrayStream rows;
        produce(&p, &rows);
        p.group[2] = wrong[i][0];
        p.label[2] = wrong[i][1];
        refused(api_schema, &p, DP2DP_TARGET_GROUP_LABEL, DP2DP_STATUS_DATA,
                "row 3 of the encoded rows has a label or group that is not in the schema");
    }
    producer p;
    struct ArrowArrayStream rows;
    produce(&p, &rows);
    p.group[2] = 2;
    refused(api_schema, &p, DP2DP_TARGET_GROUP, DP2DP_STATUS_DATA, "row 3 of the encoded rows");
}

/* A record without a group is left out where the schema says so, and counts. */
TEST(records_without_a_group_are_left_out_and_count) {
    FREED char *marked = edited(api_schema, "\"norm\": 3,", "\"norm\": 3, \"missing\": [\"?\"],");
    FREED char *drops = edited(marked, "[\"f\", \"m\"]", "[\"f\", \"m\"], \"missing\": \"drop\"");
    static const char table[] = "a,b,c,s,y\n1,1,u,f,low\n1,2,u,?,low\n2,1,v,m,high\n0,1,u,m,mid\n";
    HANDLE(dp2dp_schema) *schema = schema_of(drops);
    write_table(table, sizeof table - 1);
    for (int pairs = 0; pairs < 2; pairs++) {
        dp2dp_train_options options = api_options(DP2DP_TRAIN_DPGD);
        HANDLE(dp2dp_model) *model = NULL;
        struct ArrowArrayStream rows;
        options.target = pairs ? DP2DP_TARGET_GROUP_LABEL : DP2DP_TARGET_GROUP;
        open_encoded(schema, dp2dp_target_parts(options.target) | DP2DP_PART_LEFT_OUT, API_CHUNK,
                     &rows);
        assert_ok(dp2dp_train(schema, &rows, &options, &model, &test_error));
        assert_int_equal(classifier_of(model)->records, 4);
        assert_int_equal(classifier_of(model)->leaves_out, 1);
    }
}

TEST(a_classifier_of_groups_decides_nothing) {
    static const float scores[2] = {0.5F, 0.5F};
    static const char why[] = "the model predicts the group and makes no decisions";
    double weights[CELLS] = {0};
    const double one[2] = {0.5, 0.5};
    const dp2dp_matrix matrix = {scores, DP2DP_FLOAT32, 1, 2, sizeof scores, sizeof scores[0]};
    HANDLE(dp2dp_model) *model = external_target(weights, DP2DP_TARGET_GROUP), *fitted = NULL;
    const dp2dp_model_info *info = dp2dp_model_view(model);
    int32_t out;
    float adjusted[2];
    const char *decision;
    assert_true(info->classes == 0 && info->strata == 0 && info->groups == GROUPS);
    assert_string_equal(info->names.groups[1], "m");
    assert_fails(dp2dp_model_predict(model, &matrix, NULL, NULL, &out, &test_error), ARGUMENT, why);
    assert_fails(dp2dp_model_adjust(model, &matrix, NULL, NULL, adjusted, &test_error), ARGUMENT,
                 why);
    assert_fails(dp2dp_model_decide(model, one, "m", &decision, &test_error), ARGUMENT, why);
    assert_null(decision);
    OWNED(people) crowd = people_favoured(100, 2, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&crowd);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = noiseless(0);
    options.base = model;
    assert_fails(dp2dp_fit(&source, &options, &fitted, &test_error), ARGUMENT, why);
    assert_null(fitted);
}

/* The scores, weights and groups of the people at table_path. */
typedef struct weighed {
    float scores[CLASSES * API_ROWS], weights[GROUPS * API_ROWS];
    int32_t groups[API_ROWS];
} weighed;

static void weigh_people(const dp2dp_model *model, weighed *out) {
    HANDLE(dp2dp_schema) *schema = schema_of(classifier_of(model)->schema);
    struct ArrowArrayStream rows, stream;
    struct ArrowArray batch;
    size_t done = 0;
    open_encoded(schema, DP2DP_PART_FEATURES | DP2DP_PART_GROUP, API_CHUNK, &rows);
    assert_ok(dp2dp_model_score(model, &rows, &stream, &test_error));
    while (stream.get_next(&stream, &batch) == 0 && batch.release) {
        size_t n = (size_t)batch.length;
        assert_int_equal(batch.n_children, 5); /* row, scores, group, and both weights */
        memcpy(out->scores + CLASSES * done, batch.children[1]->children[0]->buffers[1],
               CLASSES * n * sizeof(float));
        memcpy(out->groups + done, batch.children[2]->buffers[1], n * sizeof(int32_t));
        memcpy(out->weights + GROUPS * done, batch.children[3]->children[0]->buffers[1],
               GROUPS * n * sizeof(float));
        done += n;
        batch.release(&batch);
    }
    stream.release(&stream);
    assert_int_equal(done, API_ROWS);
}

/* The way of a rule that does not see the group: one private classifier of the pair gives scores
 * and weights. */
TEST(one_classifier_gives_scores_and_weights_of_an_unaware_rule) {
    static weighed crowd;
    write_pairs(API_ROWS, 3);
    HANDLE(dp2dp_model) *base =
        train_target(api_schema, api_options(DP2DP_TRAIN_DPGD), DP2DP_TARGET_GROUP_LABEL);
    weigh_people(base, &crowd);
    const dp2dp_matrix scores = {crowd.scores, DP2DP_FLOAT32, API_ROWS, CLASSES, 12, 4};
    const dp2dp_matrix weights = {crowd.weights, DP2DP_FLOAT32, API_ROWS, GROUPS, 8, 4};
    const dp2dp_column groups = {crowd.groups, DP2DP_INT32, API_ROWS, 4};
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_predict_options with_weights = DP2DP_PREDICT_OPTIONS_INIT;
    HANDLE(dp2dp_pool) *pool = NULL;
    HANDLE(dp2dp_model) *model = NULL, *loaded = NULL;
    pool_options.strata = GROUPS;
    pool_options.weights = with_weights.weights = &weights;
    assert_ok(dp2dp_pool_new(&scores, &groups, &pool_options, &pool, &test_error));
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options options = DP2DP_FIT_OPTIONS_INIT;
    options.epsilon = 1;
    options.delta = 1e-6;
    options.base = base;
    static const char *const swapped[] = {"m", "f"};
    options.names.groups = swapped;
    assert_fails(dp2dp_fit(&source, &options, &model, &test_error), ARGUMENT,
                 "the groups must be those of the model that computed the group scores");
    options.names.groups = NULL;
    assert_ok(dp2dp_fit(&source, &options, &model, &test_error));
    assert_string_equal(dp2dp_model_view(model)->names.groups[1], "m");
    TEXT_FREED char *text = NULL;
    size_t length;
    static int32_t before[API_ROWS], after[API_ROWS];
    assert_ok(dp2dp_model_to_json(model, &text, &length, &test_error));
    assert_ok(dp2dp_model_from_json(text, length, &loaded, &test_error));
    assert_ok(dp2dp_model_predict(model, &scores, NULL, &with_weights, before, &test_error));
    assert_ok(dp2dp_model_predict(loaded, &scores, NULL, &with_weights, after, &test_error));
    assert_memory_equal(before, after, sizeof before);
    static weighed again;
    weigh_people(loaded, &again);
    assert_memory_equal(&again, &crowd, sizeof again);
}
