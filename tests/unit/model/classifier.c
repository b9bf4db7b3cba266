/* Tests the classifier in a model's text: it is refused if it is impossible, or if the text claims
 * more privacy than the classifier has. */
#include "unit/model/data.h"

TEST(a_classifier_is_whole_and_within_bounds) {
    static const edit_case refused[] = {
        {"\"phase1\": {", "\"phase1\": [], \"x\": {", "x: unknown member"},
        {"\"phase1\": {", "\"phase1\": {\"x\": 1,", "phase1.x: unknown member"},
        {"\"method\": \"external\"", "\"method\": \"magic\"", "phase1.method: must be a word"},
        {"\"method\": \"external\"", "\"method\": \"dpgd\"", "phase1.records: must be from 1"},
        {"\"records\": 0", "\"records\": 5", "phase1.records: must be from 1 to 2^39, or 0"},
        {"\"records\": 0", "\"records\": -5", "phase1.records: must be an integer"},
        {"\"features\": 4", "\"features\": 5", "phase1.features: must be the number"},
        {"\"weights\": [", "\"weights\": [[0, 0, 0, 0, 0],", "phase1.weights: must be an array"},
        {"\"weights\": [\n      [", "\"weights\": [\n      [ 0,",
         "phase1.weights: must be an array with one number for each"},
        {"1e100,", "1.1e100,", "phase1.weights: must be from -1e100"},
        {"1e100,", "null,", "phase1.weights: must be numbers"},
        {"1e100,", "\"infinity\",", "phase1.weights: must be numbers"},
        {"\"clip\": 1.0", "\"clip\": 0.0", "phase1.options.clip: must be from"},
        {"\"clip\": 1.0", "\"clip\": null", "phase1.options.clip: must be from"},
        {"\"clip\": 1.0", "\"clap\": 1.0", "phase1.options.clap: unknown member"},
        {"\"steps\": 0", "\"steps\": 1000001", "phase1.options.steps: must be from 0 to 1000000"},
        {"\"epsilon\": 0.5,\n      \"delta\"", "\"epsilon\": null,\n      \"delta\"",
         "must be a list that includes classifier-not-private if and only if"},
        {"\"delta\": 1.0000000000000001e-5,\n      \"clip\"", "\"delta\": null,\n      \"clip\"",
         "phase1.options.epsilon: must be given together with delta"},
        {"\"insecure_seed\": null,\n    \"library\": \"",
         "\"insecure_seed\": \"1\",\n    \"library\": \"", "phase1.insecure_seed: must be null"},
        {"\"insecure_seed\": null,\n    \"library\": \"",
         "\"insecure_seed\": null,\n    \"library\": \"\", \"l\": \"", "phase1.l: unknown member"},
        {"\"rule\": null", "\"rule\": {}", "rule.kind: must be a text"},
        {"\"options\": null", "\"options\": {}", "options: must be null, because rule is null"},
        {"\"records\": null", "\"records\": 5", "records: must be null, because rule is null"},
        {"\"optimality\": null", "\"optimality\": {}",
         "optimality: must be null, because rule is null"},
        {"\"claimed\": null", "\"claimed\": 1", "privacy.claimed: must be null"},
    };
    REFUSE_ALL(SAMPLE_EXTERNAL, refused);
}

TEST(its_schema_must_load_and_fit) {
    static const edit_case refused[] = {
        {"\"schema\": {", "\"schema\": null, \"x\": {", "phase1.schema: must be an object"},
        {"\"dp2dp-schema\"", "\"dp2dp-model\"", "phase1.schema: this is a model, not a schema"},
        {"\"kind\": \"numeric\"", "\"kind\": \"odd\"", "phase1.schema: column \"x\": kind"},
        {"\"role\": \"label\"", "\"role\": \"sensitive\"",
         "phase1.schema: must be a schema that has a label"},
        {"\"role\": \"feature\"", "\"role\": \"feature\", \"x\": 1", "phase1.schema: column \"x\""},
        {"            \"a\",", "            \"a\", \"d\",", "phase1.features: must be the number"},
        {"            \"no\",", "            \"no\", \"so\",", "phase1.weights: must be an array"},
    };
    static const edit_case with_rule[] = {
        {"\"classes\": [\n      \"0\"", "\"classes\": [\n      \"zero\"",
         "phase1.schema: must be a schema whose label has the classes"},
    };
    REFUSE_ALL(SAMPLE_EXTERNAL, refused);
    REFUSE_ALL(SAMPLE_ON_BASE, with_rule);
}

TEST(a_text_cannot_promise_more_than_its_classifier) {
    static const edit_case of_private[] = {
        {"\"method\": \"external\"", "\"method\": \"none\"",
         "a list that includes classifier-not-private if"},
        {"\"rng\": \"secure\",\n    \"insecure_seed\": null,\n    \"library\"",
         "\"rng\": \"insecure\",\n    \"insecure_seed\": \"3\",\n    \"library\"",
         "a list that includes insecure-noise, because an rng"},
        {"\"origin\": \"public\"", "\"origin\": \"from-data\"",
         "must be a list that includes schema-from-data"},
        {"\",\n        \"role\": \"train\"", "\", \"role\": \"pool\"",
         "ledger: must be a ledger whose entries all have the role train, because rule is"},
        {"\"entries\": [\n      {",
         "\"entries\": [\n      {\"entry\": \"charge\", \"mechanism\": \"declared\", \"label\": "
         "\"x\", "
         "\"role\": \"pool\", \"count\": 1, \"rows_per_person\": 1, \"epsilon\": 0.1, \"delta\": "
         "0.0, "
         "\"rng\": \"secure\"}, {",
         "ledger: must be a ledger whose entries all have the role train, because rule is null"},
        {"\"epsilon\": 0.5,\n        \"delta\": 1.0000000000000001e-5,\n        \"rng\"",
         "\"epsilon\": 0.6,\n        \"delta\": 1.0000000000000001e-5,\n        \"rng\"",
         "that the ledger gives"},
        {"\"covers\": [", "\"covers\": [], \"x\": [", "privacy.x: unknown member"},
        {"\"not_covered\": []", "\"not_covered\": [{\"role\": \"train\"}]",
         "privacy.not_covered: must be the list that follows"},
        {"\"records\": null,\n        \"epsilon\": 0.5",
         "\"records\": null,\n        \"epsilon\": 0.4",
         "privacy.covers: must be a list in which each epsilon is at least the one that"},
        {"\"warnings\": []", "\"warnings\": [\"scores-origin-not-stated\"]",
         "warnings: must be a list without rates-noisy"},
        {"\"warnings\": []", "\"warnings\": [\"doubt\"]", "warnings: must be words"},
        {"\"from_version\": null", "\"from_version\": 2", "from_version: must be null or 1"},
    };
    static const edit_case of_bare[] = {
        {"\"schema-from-data\",\n      \"classifier-not-private\"", "\"schema-from-data\"",
         "a list that includes classifier-not-private if"},
        {"      \"schema-from-data\",\n", "", "must be a list that includes schema-from-data"},
        {"\"epsilon\": null,\n    \"delta\": null,\n    \"adj",
         "\"epsilon\": 0.5,\n    \"delta\": 1e-5,\n    \"adj", "privacy.epsilon: must be a number"},
    };
    REFUSE_ALL(SAMPLE_EXTERNAL, of_private);
    REFUSE_ALL(SAMPLE_BARE, of_bare);
}

TEST(a_rule_whose_groups_are_in_another_order_than_those_of_the_schema_is_refused) {
    static const char *const groups[] = {"f", "m"};
    static const edit_case swapped[] = {
        {"\"groups\": [\n      \"f\",\n      \"m\"", "\"groups\": [\n      \"m\",\n      \"f\"",
         "phase1.schema: must be a schema with the groups of the rule in the same order"},
    };
    OWNED(people) p = people_favoured(300, 2, 2, 5);
    HANDLE(dp2dp_model) *base = sample_classifier(SAMPLES); /* predicts the label of two groups */
    HANDLE(dp2dp_pool) *pool = NULL;
    dp2dp_pool_options pool_options = DP2DP_POOL_OPTIONS_INIT;
    dp2dp_fit_options options = seeded(1.0, UINT64_MAX);
    dp2dp_matrix scores = scores_of(&p);
    dp2dp_column codes = groups_of(&p);
    size_t length;
    pool_options.strata = 2;
    options.base = base;
    options.names.groups = groups;
    assert_ok(dp2dp_pool_new(&scores, &codes, &pool_options, &pool, &test_error));
    dp2dp_source source = dp2dp_pool_source(pool);
    HANDLE(dp2dp_model) *model = fit_source(&source, &options);
    TEXT_FREED char *text = text_of(model, &length);
    HANDLE(dp2dp_model) *again = model_of(text);
    assert_non_null(again);
    REFUSE_EDITS(text, swapped);
}

TEST(a_target_fits_its_schema_and_weights) {
    static const char why[] = "phase1.target: must be group-label, or absent";
    static const edit_case of_pairs[] = {
        {"\"target\": \"group-label\"", "\"target\": \"label\"", why},
        {"\"target\": \"group-label\"", "\"target\": \"groups\"", why},
        {"\"target\": \"group-label\"", "\"target\": \"group\"", why},
        {"\"target\": \"group-label\"", "\"target\": null", why},
        {"\"target\": \"group-label\",\n", "", "phase1.outputs: must be absent"},
        {"\"target\": \"group-label\",\n    \"outputs\": 4", "\"leaves_in\": 1",
         "phase1.leaves_in: unknown member"},
        {"\"outputs\": 4", "\"outputs\": 2", "phase1.outputs: must be the number of outputs"},
        {"\"outputs\": 4", "\"outputs\": null", "phase1.outputs: must be"},
        {"\"weights\": [", "\"weights\": [[0, 0, 0],", "phase1.weights: must be an array"},
        {"\"role\": \"sensitive\"", "\"role\": \"feature\"",
         "phase1.schema: must be a schema that has groups"},
        {"\"role\": \"label\"", "\"role\": \"feature\"",
         "phase1.schema: must be a schema that has a label"},
        {"            \"f\",", "            \"f\", \"x\",", "phase1.outputs: must be"},
        {"\"phase1\": {", "\"phase1\": null, \"group_classifier\": {",
         "group_classifier.target: must be group"},
    };
    static const edit_case of_groups[] = {
        {"\"target\": \"group\"", "\"target\": \"group-label\"",
         "group_classifier.target: must be group"},
        {"\"target\": \"group\",\n", "", "group_classifier.target: must be group"},
        {"\"outputs\": 2", "\"outputs\": 4", "group_classifier.outputs: must be the number"},
        {"1e100", "1.1e100", "group_classifier.weights: must be from -1e100"},
        {"\"clip\": 1.0", "\"clip\": 0.0", "group_classifier.options.clip: must be from"},
        {"\"records\": 0", "\"records\": 7", "group_classifier.records: must be from 1"},
        {"\"role\": \"sensitive\"", "\"role\": \"feature\"",
         "group_classifier.schema: must be a schema that has groups"},
        {"\"phase1\": null", "\"phase1\": {}", "group_classifier: must be either the only"},
        {"\"rule\": null", "\"rule\": {}", "group_classifier: must be either the only"},
        {"\"group_classifier\": {", "\"group_classifier\": null, \"x\": {", "x: unknown member"},
    };
    REFUSE_ALL(SAMPLE_PAIRS, of_pairs);
    REFUSE_ALL(SAMPLE_GROUPS, of_groups);
}

TEST(a_classifier_of_groups_is_read_as_it_was_written) {
    for (int pairs = 0; pairs < 2; pairs++) {
        size_t length;
        TEXT_FREED char *text = sample_text(pairs ? SAMPLE_PAIRS : SAMPLE_GROUPS, &length);
        HANDLE(dp2dp_model) *model = model_of(text);
        const dp2dp_model_info *info = dp2dp_model_view(model);
        assert_non_null(strstr(text, "\"minor\": 1"));
        assert_int_equal(info->classifier->target,
                         pairs ? DP2DP_TARGET_GROUP_LABEL : DP2DP_TARGET_GROUP);
        assert_int_equal(info->classifier->outputs, pairs ? 4 : 2);
        assert_true(info->strata == 0 && info->groups == 2 && info->classes == (pairs ? 2 : 0));
        assert_string_equal(info->names.groups[1], "m");
        assert_true(info->classifier->weights[5] == 1e100);
        assert_true(info->not_private_because == 0 && info->epsilon == 0.5);
    }
}

/* Returns the text of a golden model with a classifier trained by dpgd; only golden 5 also has a
 * rule. */
static char *golden_text(int i) {
    HANDLE(dp2dp_model) *model = NULL;
    size_t length;
    assert_ok(dp2dp_model_load(goldens[i], &model, NULL));
    char *text = text_of(model, &length);
    return text;
}

TEST(a_ledger_must_say_what_the_classifier_was_charged) {
    static const char why[] = "ledger: must be a ledger with an entry of role train that matches";
    static const edit_case of_trained[] = {
        {"\"steps\": 30", "\"steps\": 31", why},
        {"\"method\": \"dpgd\"", "\"method\": \"dpsgd\"", why},
        {"\"method\": \"dpgd\"", "\"method\": \"output\"", why},
        {"\"count\": 30", "\"count\": 29", why},
        {"\"sensitivity\": 2.0", "\"sensitivity\": 1.0", why},
        {"\"coordinates\": 18", "\"coordinates\": 6", why},
        {"\",\n        \"role\": \"train\",\n", "\",",
         "ledger: must be a ledger whose entries all have the role train, because rule is null"},
        {"\"rows_per_person\": 1,\n      \"steps\"", "\"rows_per_person\": 5,\n      \"steps\"",
         "ledger: must be a ledger whose entries have the rows_per_person of the options"},
    };
    TEXT_FREED char *text = golden_text(4);
    REFUSE_EDITS(text, of_trained);
}

/* Classifier and rule must have the same rows_per_person. */
TEST(both_phases_must_protect_the_same_people) {
    static const char why[] =
        "ledger: must be a ledger whose entries have the rows_per_person of the options";
    static const edit_case of_fitted[] = {
        {"\"rows_per_person\": 1,\n    \"steps\"", "\"rows_per_person\": 5,\n    \"steps\"", why},
        {"\"rows_per_person\": 1,\n        \"", "\"rows_per_person\": 5,\n        \"", why},
        {"\"rows_per_person\": 1,\n      \"steps\"", "\"rows_per_person\": 5,\n      \"steps\"",
         "ledger: must be a ledger with an entry of role train that matches"},
        {"\"people\": \"train\"", "\"people\": \"nobody\"",
         "in which all entries with the same role name the same people"},
        {"\",\n        \"role\": \"pool\",\n        \"people\"", "\", \"people\"",
         "ledger: must be a ledger with no roles other than train and pool"},
    };
    TEXT_FREED char *text = golden_text(5);
    REFUSE_EDITS(text, of_fitted);
}

/* Checks that the text is refused if its ledger keeps only the first entry. */
static void refuse_one_entry(const char *text) {
    json_t *root = json_loads(text, 0, NULL);
    json_t *entries = json_object_get(json_object_get(root, "ledger"), "entries");
    while (json_array_size(entries) > 1) {
        assert_int_equal(json_array_remove(entries, 1), 0);
    }
    FREED char *changed = seal_json(root);
    json_decref(root);
    assert_refused(changed, "ledger: must be a ledger with an entry that matches the solver, steps "
                            "and sizes of the rule");
}

TEST(a_private_rule_has_entries_of_its_own) {
    size_t length;
    TEXT_FREED char *fitted = golden_text(5), *declared = sample_text(SAMPLE_DECLARED, &length);
    refuse_one_entry(fitted);
    refuse_one_entry(declared);
}

/* A model may list more reasons than its own parts give: they may come from its base model. */
TEST(a_reason_too_many_is_taken) {
    static const char *const reasons[] = {"no-noise", "insecure-noise", "schema-from-data"};
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    for (size_t i = 0; i < 3; i++) {
        json_t *root = json_loads(text, 0, NULL);
        json_t *changes =
            json_pack("{s:b, s:[s], s:[], s:[{s:s, s:n, s:i, s:[s]}]}", "private", 0,
                      "not_private_because", reasons[i], "covers", "not_covered", "role", "pool",
                      "people", "records", 300, "because", reasons[i]);
        assert_non_null(changes);
        assert_int_equal(json_object_update(json_object_get(root, "privacy"), changes), 0);
        FREED char *changed = seal_json(root);
        json_decref(changes);
        json_decref(root);
        HANDLE(dp2dp_model) *model = model_of(changed);
        assert_true(dp2dp_model_view(model)->not_private_because != 0);
    }
}

TEST(the_golden_of_a_fit_on_a_classifier_is_understood) {
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dp_model_load(goldens[5], &model, NULL));
    const dp2dp_model_info *info = dp2dp_model_view(model);
    const dp2dp_classifier *c = info->classifier;
    assert_true(info->strata == 2 && info->classes == 3 && info->not_private_because == 0);
    assert_true(info->epsilon > 1.4 && info->epsilon < 1.5 && info->delta == 1e-6);
    assert_int_equal(dp2dp_ledger_size(info->ledger), 3);
    assert_true(c->method == DP2DP_TRAIN_DPGD && c->records == 2000 && c->features == 5);
    assert_true(c->options->steps == 30 && c->options->epsilon == 1);
    assert_true(c->rng == DP2DP_RNG_SECURE && c->weights[0] != 0);
}
