/* A classifier in a model's text: refused where it cannot be, or where the text promises more than
 * the classifier allows. */
#include "unit/model_file_data.h"

static void a_classifier_is_whole_and_within_bounds(void **state) {
    (void)state;
    static const edit_case refused[] = {
        {"\"phase1\": {", "\"phase1\": [], \"x\": {", "x: unknown member"},
        {"\"phase1\": {", "\"phase1\": {\"x\": 1,", "phase1.x: unknown member"},
        {"\"method\": \"external\"", "\"method\": \"magic\"", "phase1.method: must be a word"},
        {"\"method\": \"external\"", "\"method\": \"dpgd\"", "phase1.records: must be from 1"},
        {"\"records\": 0", "\"records\": 5", "phase1.records: must be from 1 to 2^39, and 0"},
        {"\"records\": 0", "\"records\": -5", "phase1.records: must be an integer"},
        {"\"features\": 4", "\"features\": 5", "phase1.features: must be the number"},
        {"\"weights\": [", "\"weights\": [[0, 0, 0, 0, 0],", "phase1.weights: must be an array"},
        {"\"weights\": [\n      [", "\"weights\": [\n      [ 0,",
         "phase1.weights: must be as many"},
        {"1e100,", "1.1e100,", "phase1.weights: must be from -1e100"},
        {"1e100,", "null,", "phase1.weights: must be numbers"},
        {"1e100,", "\"infinity\",", "phase1.weights: must be numbers"},
        {"\"clip\": 1.0", "\"clip\": 0.0", "phase1.options.clip: must be from"},
        {"\"clip\": 1.0", "\"clip\": null", "phase1.options.clip: must be from"},
        {"\"clip\": 1.0", "\"clap\": 1.0", "phase1.options.clap: unknown member"},
        {"\"steps\": 0", "\"steps\": 1000001", "phase1.options.steps: must be from 0 to 1000000"},
        {"\"epsilon\": 0.5,\n      \"delta\"", "\"epsilon\": null,\n      \"delta\"",
         "must be with classifier-not-private if and only if"},
        {"\"delta\": 1.0000000000000001e-5,\n      \"clip\"", "\"delta\": null,\n      \"clip\"",
         "phase1.options.epsilon: must be chosen with delta"},
        {"\"insecure_seed\": null,\n    \"library\": \"",
         "\"insecure_seed\": \"1\",\n    \"library\": \"", "phase1.insecure_seed: must be null"},
        {"\"insecure_seed\": null,\n    \"library\": \"",
         "\"insecure_seed\": null,\n    \"library\": \"\", \"l\": \"", "phase1.l: unknown member"},
        {"\"rule\": null", "\"rule\": {}", "rule.kind: must be a text"},
        {"\"options\": null", "\"options\": {}", "options: must be null where the rule is"},
        {"\"records\": null", "\"records\": 5", "records: must be null where the rule is"},
        {"\"optimality\": null", "\"optimality\": {}", "optimality: must be null where the rule"},
        {"\"claimed\": null", "\"claimed\": 1", "privacy.claimed: must be null"},
    };
    REFUSE_ALL(SAMPLE_EXTERNAL, refused);
}

static void its_schema_must_load_and_fit(void **state) {
    (void)state;
    static const edit_case refused[] = {
        {"\"schema\": {", "\"schema\": null, \"x\": {", "phase1.schema: must be an object"},
        {"\"dp2dp-schema\"", "\"dp2dp-model\"", "phase1.schema: format: must be"},
        {"\"kind\": \"numeric\"", "\"kind\": \"odd\"", "phase1.schema: column \"x\": kind"},
        {"\"role\": \"label\"", "\"role\": \"sensitive\"",
         "phase1.schema: must be one that has a label"},
        {"\"role\": \"feature\"", "\"role\": \"feature\", \"x\": 1", "phase1.schema: column \"x\""},
        {"            \"a\",", "            \"a\", \"d\",", "phase1.features: must be the number"},
        {"            \"no\",", "            \"no\", \"so\",", "phase1.weights: must be an array"},
    };
    static const edit_case with_rule[] = {
        {"\"classes\": [\n      \"0\"", "\"classes\": [\n      \"zero\"",
         "phase1.schema: must be one with the classes of the rule"},
    };
    REFUSE_ALL(SAMPLE_EXTERNAL, refused);
    REFUSE_ALL(SAMPLE_ON_BASE, with_rule);
}

static void a_text_cannot_promise_more_than_its_classifier(void **state) {
    (void)state;
    static const edit_case of_private[] = {
        {"\"method\": \"external\"", "\"method\": \"none\"", "with classifier-not-private if"},
        {"\"rng\": \"secure\",\n    \"insecure_seed\": null,\n    \"library\"",
         "\"rng\": \"insecure\",\n    \"insecure_seed\": \"3\",\n    \"library\"",
         "with insecure-noise where an rng"},
        {"\"origin\": \"public\"", "\"origin\": \"from-data\"", "must be with schema-from-data"},
        {"\"set\": \"train\"", "\"set\": \"pool\"", "ledger: must be with an entry of set train"},
        {"\"entries\": [\n      {",
         "\"entries\": [\n      {\"mechanism\": \"declared\", \"label\": \"x\", "
         "\"set\": \"pool\", \"count\": 1, \"rows_per_person\": 1, \"epsilon\": 0.1, \"delta\": "
         "0.0, "
         "\"rng\": \"secure\"}, {",
         "ledger: must be of set train where rule is null"},
        {"\"epsilon\": 0.5,\n        \"delta\"", "\"epsilon\": 0.6,\n        \"delta\"",
         "is less than the ledger's"},
    };
    static const edit_case of_bare[] = {
        {"\"schema-from-data\",\n      \"classifier-not-private\"", "\"schema-from-data\"",
         "with classifier-not-private if"},
        {"      \"schema-from-data\",\n", "", "must be with schema-from-data"},
        {"\"epsilon\": null,\n    \"delta\": null,\n    \"adj",
         "\"epsilon\": 0.5,\n    \"delta\": 1e-5,\n    \"adj", "privacy.epsilon: must be a number"},
    };
    REFUSE_ALL(SAMPLE_EXTERNAL, of_private);
    REFUSE_ALL(SAMPLE_BARE, of_bare);
}

/* To call a model less private than it is harms nobody: the reason may be that of its base. */
static void a_reason_too_many_is_taken(void **state) {
    (void)state;
    static const char *const reasons[] = {"no-noise", "insecure-noise", "schema-from-data"};
    size_t length;
    char *text = sample_text(SAMPLE_PRIVATE, &length);
    for (size_t i = 0; i < 3; i++) {
        char with[128];
        (void)snprintf(with, sizeof with,
                       "\"private\": false,\n    \"not_private_because\": [\"%s\"]", reasons[i]);
        char *changed = edit(text, "\"private\": true,\n    \"not_private_because\": []", with);
        dp2dp_model *model = model_of(changed);
        assert_true(dp2dp_model_view(model)->leaks != 0);
        dp2dp_model_free(model);
        free(changed);
    }
    dp2dp_text_free(text);
}

static void the_golden_of_a_fit_on_a_classifier_is_understood(void **state) {
    (void)state;
    dp2dp_model *model = NULL;
    assert_int_equal(dp2dp_model_load(goldens[5], &model, NULL), OK);
    const dp2dp_model_info *info = dp2dp_model_view(model);
    const dp2dp_classifier *c = info->classifier;
    assert_true(info->events == 2 && info->classes == 3 && info->leaks == 0);
    assert_true(info->epsilon > 1.4 && info->epsilon < 1.5 && info->delta == 1e-6);
    assert_int_equal(dp2dp_ledger_size(info->ledger), 3);
    assert_true(c->method == DP2DP_TRAIN_DPGD && c->records == 2000 && c->features == 5);
    assert_true(c->settings.steps == 30 && c->settings.epsilon == 1);
    assert_true(c->rng == DP2DP_RNG_SECURE && c->weights[0] != 0);
    dp2dp_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_classifier_is_whole_and_within_bounds),
        cmocka_unit_test(its_schema_must_load_and_fit),
        cmocka_unit_test(a_text_cannot_promise_more_than_its_classifier),
        cmocka_unit_test(a_reason_too_many_is_taken),
        cmocka_unit_test(the_golden_of_a_fit_on_a_classifier_is_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
