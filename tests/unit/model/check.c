/* Tests sealed JSON texts with impossible values: they are refused, and the message names the
 * member. */
#include "unit/model/data.h"

TEST(a_rule_is_whole_and_within_bounds) {
    static const edit_case refused[] = {
        {"\"groups\": [\n      \"0\",", "\"groups\": [", "rule.groups: must be an array of 2"},
        {"\"groups\": [\n      \"0\"", "\"groups\": [\n      \"1\"",
         "rule: group 1 and group 2 have the same name"},
        {"\"groups\": [\n      \"0\"", "\"groups\": [\n      \"\"",
         "it must be UTF-8 of 1 to 512 bytes"},
        {"\"groups\": [\n      \"0\"", "\"groups\": [\n      0", "rule.groups: must be"},
        {"\"classes\": [\n      \"0\"", "\"classes\": [\n      \"2\"", "have the same name"},
        {"\"classes\": [", "\"classes\": [\n      \"extra\",",
         "rule.offsets: must be an array with one number for each"},
        {"\"offsets\": [\n      [", "\"offsets\": [\n      [\n        0.0,",
         "rule.offsets: must be"},
        {"\"offsets\": [", "\"offsets\": [ [0.0, 0.0, 0.0],", "rule.offsets: must be an array"},
        {"\"offsets\": [\n      [", "\"offsets\": [ [null, 0, 0], [", "rule.offsets"},
        {"\"shares\": [\n      0.", "\"shares\": [\n      1.", "rule.shares: must be above 0"},
        {"\"shares\": [\n      ", "\"shares\": [\n      -", "rule.shares: must be above 0"},
        {"\"scores\": null", "\"scores\": []", "rule.columns.scores: must be"},
        {"\"scores\": null", "\"scores\": [\"a\", \"a\", \"b\"]", "have the same name"},
        {"\"group\": null", "\"group\": 7", "rule.columns.group: must be a text or null"},
        {"\"group\": null", "\"group\": \"\"", "it must be UTF-8 of 1 to 512 bytes"},
        {"\"row_sums\": \"check\"", "\"row_sums\": \"checked\"", "rule.row_sums"},
        {"\"width\": 0.0", "\"width\": 1.5", "rule.dither.width: must be from 0 to 1"},
        {"\"width\": 0.0", "\"width\": null", "rule.dither.width: must be from 0 to 1"},
        {"\"seed\": \"0\"", "\"seed\": 0", "rule.dither.seed: must be a whole number below 2^64"},
        {"\"seed\": \"0\"", "\"seed\": \"00\"", "rule.dither.seed"},
        {"\"seed\": \"0\"", "\"seed\": \"-1\"", "rule.dither.seed"},
        {"\"seed\": \"0\"", "\"seed\": \"\"", "rule.dither.seed"},
        {"\"seed\": \"0\"", "\"seed\": \"18446744073709551616\"", "rule.dither.seed"},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, refused);
}

/* Returns the text with a rule for n groups that have the same offsets and shares. */
static char *text_with_groups(const char *text, size_t n) {
    json_t *root = json_loads(text, 0, NULL);
    json_t *rule = json_object_get(root, "rule");
    json_t *groups = json_array(), *offsets = json_array(), *shares = json_array();
    for (size_t i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "group %zu", i);
        assert_int_equal(json_array_append_new(groups, json_string(name)), 0);
        assert_int_equal(json_array_append_new(offsets, json_pack("[f,f,f]", 0.5, 0.0, -0.5)), 0);
        assert_int_equal(json_array_append_new(shares, json_real(1.0 / (double)n)), 0);
    }
    assert_int_equal(json_object_set_new(rule, "groups", groups), 0);
    assert_int_equal(json_object_set_new(rule, "offsets", offsets), 0);
    assert_int_equal(json_object_set_new(rule, "shares", shares), 0);
    json_t *entries = json_object_get(json_object_get(root, "ledger"), "entries");
    assert_int_equal(json_object_set_new(json_array_get(entries, 1), "coordinates",
                                         json_integer((json_int_t)(3 * n))),
                     0);
    char *changed = seal_json(root);
    json_decref(root);
    return changed;
}

TEST(a_rule_has_2_to_4096_groups) {
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    FREED char *most = text_with_groups(text, 4096), *more = text_with_groups(text, 4097);
    FREED char *least = text_with_groups(text, 1);
    HANDLE(dp2dp_model) *model = model_of(most);
    assert_int_equal(dp2dp_model_view(model)->strata, 4096);
    assert_refused(more, "rule.groups: must be an array of 2 to 4096 texts");
    assert_refused(least, "rule.groups: must be an array of 2 to 4096 texts");
}

TEST(offsets_are_bounded_and_single_precision) {
    static const char *const values[] = {"0.1", "100.5", "-101.0", "\"infinity\"", "1e39"};
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    json_t *root = json_loads(text, 0, NULL);
    json_t *row = json_array_get(json_object_get(json_object_get(root, "rule"), "offsets"), 0);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        assert_int_equal(json_array_set_new(row, 1, json_loads(values[i], JSON_DECODE_ANY, NULL)),
                         0);
        FREED char *changed = seal_json(root);
        assert_refused(changed, "rule.offsets: must be");
    }
    assert_int_equal(json_array_set_new(row, 1, json_real(-100.0)), 0);
    FREED char *changed = seal_json(root);
    HANDLE(dp2dp_model) *model = model_of(changed);
    assert_true(dp2dp_model_view(model)->offsets[1] == -100.0);
    json_decref(root);
}

TEST(options_are_those_of_the_table) {
    static const edit_case refused[] = {
        {"\"solver\": \"counts\"", "\"solver\": \"magic\"",
         "options.solver: must be counts, exact, sgd"},
        {"\"solver\": \"counts\"", "\"solver\": 1", "options.solver: must be counts, exact, sgd"},
        {"\"rho\": 0.0", "\"rho\": -0.5", "options.rho: must be from 0 to 1"},
        {"\"rho\": 0.0", "\"rho\": null", "options.rho: must be from 0 to 1"},
        {"\"rho\": 0.0", "\"rho\": \"infinity\"", "options.rho: must be from 0 to 1"},
        {"\"rho\": 0.0", "\"rho\": \"inf\"", "options.rho: must be a number, null or"},
        {"\"rho\": 0.0", "\"rho\": 9007199254740993", "options.rho: must be a number"},
        {"\"epsilon\": 1.0,\n    \"delta\"", "\"epsilon\": null,\n    \"delta\"",
         "options.epsilon: must be given together with delta"},
        {"\"epsilon\": 1.0,\n    \"delta\"", "\"epsilon\": 0.0,\n    \"delta\"",
         "options.epsilon: must be given together with delta"},
        {"\"delta\": 1.0000000000000001e-5,\n    \"rows", "\"delta\": 1.0,\n    \"rows",
         "options.epsilon: must be given together with delta"},
        {"\"rows_per_person\": 1,\n    \"steps\"", "\"rows_per_person\": 0,\n    \"steps\"",
         "options.rows_per_person: must be from 1"},
        {"\"batch\": 128", "\"batch\": 128.0", "options.batch: must be an integer"},
        {"\"batch\": 128", "\"batch\": -128", "options.batch: must be an integer"},
        {"\"records\": 300", "\"records\": 1", "records: must be from 2 to 2^48"},
        {"\"records\": 300", "\"records\": 281474976710657", "records: must be from 2 to 2^48"},
        {"\"library\": \"", "\"library\": \"\", \"l\": \"", "l: unknown member"},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, refused);
}

/* A file cannot claim more privacy than its own parts allow. */
TEST(the_guarantee_must_follow_from_the_rest) {
    static const edit_case of_private[] = {
        {"\"private\": true", "\"private\": false", "privacy.private: must be true if"},
        {"\"private\": true", "\"private\": 1", "privacy.private: must be true if"},
        {"\"not_private_because\": []", "\"not_private_because\": [\"no-noise\"]",
         "privacy.private"},
        {"\"private\": true,\n    \"not_private_because\": []",
         "\"private\": false,\n    \"not_private_because\": [\"no-bound\"]",
         "privacy.epsilon: must be a number if the ledger gives a bound"},
        {"\"private\": true,\n    \"not_private_because\": []",
         "\"private\": false,\n    \"not_private_because\": [\"classifier-not-private\"]",
         "privacy.not_covered: must be the list that follows"},
        {"\"private\": true,\n    \"not_private_because\": []",
         "\"private\": false,\n    \"not_private_because\": [\"shyness\"]",
         "words that this library knows, each"},
        {"\"private\": true,\n    \"not_private_because\": []",
         "\"private\": false,\n    \"not_private_because\": "
         "[\"scores-from-pool\", \"labels-from-data\"]",
         "each at most once and in the library's order"},
        {"\"private\": true,\n    \"not_private_because\": []",
         "\"private\": false,\n    \"not_private_because\": "
         "[\"labels-from-data\", \"labels-from-data\"]",
         "each at most once and in the library's order"},
        {"\"rng\": \"secure\",\n    \"insecure_seed\": null",
         "\"rng\": \"insecure\",\n    \"insecure_seed\": \"1\"",
         "a list that includes insecure-noise, because an rng"},
        {"\"insecure_seed\": null", "\"insecure_seed\": \"1\"",
         "privacy.insecure_seed: must be null"},
        {"\"rng\": \"secure\",\n    \"insecure", "\"rng\": \"safe\",\n    \"insecure",
         "privacy.rng"},
        {"\"rng\": \"secure\"\n      }", "\"rng\": \"insecure\"\n      }",
         "a list that includes insecure-noise, because an rng or an entry of the ledger is "
         "insecure"},
        {"\"adjacency\": \"replace-one\",\n    \"covers\"",
         "\"adjacency\": \"add-remove\",\n    \"covers\"",
         "privacy.adjacency: must be replace-one"},
        {"\"kind\": \"model\",\n    \"adjacency\": \"replace-one\"",
         "\"kind\": \"model\",\n    \"adjacency\": \"add-remove\"",
         "ledger.adjacency: must be replace-one"},
        {"\"claimed\": null", "\"claimed\": 0.1",
         "privacy.claimed: must be null; if the solver is sgd-as-published"},
        {"\"optimality\": null",
         "\"optimality\": {\"dual\": 1, \"primal\": 1, \"rule\": 1, \"unfairness\": 0}",
         "optimality: must be present if and only if"},
    };
    static const edit_case of_exact[] = {
        {"\"solver\": \"exact\"", "\"solver\": \"counts\"", "must be"},
        {"\"private\": false,\n    \"not_private_because\": [\n      \"no-noise\"\n    ]",
         "\"private\": true,\n    \"not_private_because\": []",
         "a list that includes no-noise, because the solver is exact"},
        {"\"dual\": ", "\"dual\": null, \"d\": ", "optimality.d: unknown member"},
        {"\"epsilon\": null,\n    \"delta\": null,\n    \"adj",
         "\"epsilon\": 0.0,\n    \"delta\": 1e-5,\n    \"adj", "privacy.epsilon: must be a number"},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, of_private);
    REFUSE_ALL(SAMPLE_EXACT, of_exact);
}

TEST(what_was_proved_must_be_possible) {
    static const struct {
        const char *member;
        double value;
    } wrong[] = {{"unfairness", 1.5}, {"unfairness", -0.5}};
    static const char *const members[] = {"dual", "primal", "rule", "unfairness"};
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_EXACT, &length);
    json_t *root = json_loads(text, 0, NULL);
    json_t *whole = json_object_get(root, "optimality");
    for (size_t i = 0; i < 6; i++) {
        json_t *changed = json_copy(whole);
        int failed = i < 2
                         ? json_object_set_new(changed, wrong[i].member, json_real(wrong[i].value))
                         : json_object_set_new(changed, members[i - 2], json_null());
        assert_int_equal(failed, 0);
        json_t *copy = json_copy(root);
        assert_int_equal(json_object_set_new(copy, "optimality", changed), 0);
        FREED char *edited = seal_json(copy);
        assert_refused(edited, "optimality: must be finite numbers, with unfairness from 0 to 1");
        json_decref(copy);
    }
    json_decref(root);
}

static void set_epsilon(json_t *root, double epsilon) {
    json_t *privacy = json_object_get(root, "privacy");
    assert_int_equal(json_object_set_new(privacy, "epsilon", json_real(epsilon)), 0);
}

TEST(an_epsilon_below_that_of_the_ledger_is_refused) {
    size_t length;
    TEXT_FREED char *text = sample_text(SAMPLE_PRIVATE, &length);
    json_t *root = json_loads(text, 0, NULL);
    double epsilon = json_real_value(json_object_get(json_object_get(root, "privacy"), "epsilon"));
    set_epsilon(root, epsilon * (1 - 1e-6));
    FREED char *less = seal_json(root);
    assert_refused(less, "that the ledger gives");
    set_epsilon(root, epsilon * 2);
    FREED char *more = seal_json(root);
    dp2dp_model_free(model_of(more)); /* a larger epsilon is still a true upper bound */
    set_epsilon(root, -1);
    FREED char *negative = seal_json(root);
    assert_refused(negative, "privacy.epsilon: must be a number");
    set_epsilon(root, epsilon);
    json_t *privacy = json_object_get(root, "privacy");
    assert_int_equal(json_object_set_new(privacy, "delta", json_real(1e-9)), 0);
    FREED char *smaller_delta = seal_json(root);
    assert_refused(smaller_delta, "that the ledger gives");
    assert_int_equal(json_object_set_new(privacy, "delta", json_null()), 0);
    FREED char *no_delta = seal_json(root);
    assert_refused(no_delta, "privacy.delta: must be above 0");
    json_decref(root);
}

/* The ledger cannot say less than what the options say was released. */
TEST(the_charges_of_a_rule_match_its_options) {
    static const char why[] = "an entry that matches the solver, steps and sizes of the rule";
    static const edit_case of_counts[] = {
        {"\"steps\": 80", "\"steps\": 81", why},
        {"\"count\": 80", "\"count\": 8", why},
        {"\"coordinates\": 6", "\"coordinates\": 5", why},
        {"\"solver\": \"counts\"", "\"solver\": \"sgd\"", why},
    };
    static const edit_case of_sgd[] = {
        {"\"solver\": \"sgd\"", "\"solver\": \"counts\"", why},
        {"\"steps\": ", "\"steps\": 1", why},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, of_counts);
    REFUSE_ALL(SAMPLE_SGD, of_sgd);
}

TEST(a_faulty_ledger_is_named) {
    static const edit_case refused[] = {
        {"\"sigma\": ", "\"sigma\": -", "ledger: entries[0]: "},
        {"\"format\": \"dp2dp-ledger\"", "\"format\": \"ledger\"", "ledger: format: must be"},
        {"\"version\": 2,", "\"version\": 3,", "ledger: version: 3 is newer"},
        {"\",\n        \"role\": \"pool\"", "\", \"roles\": \"pool\"",
         "ledger: entries[0].roles: unknown field"},
        {"\",\n        \"role\": \"pool\"", "\", \"role\": \"spring\"",
         "ledger: entries[0]: role must be"},
        {"\",\n        \"role\": \"pool\"", "\", \"role\": \"certificate\"",
         "ledger: must be a ledger with no roles other than train and pool"},
        {"\",\n        \"role\": \"pool\"", "\", \"people\": \"spring\"",
         "ledger: must be a ledger with no roles other than train and pool"},
        {"\",\n        \"role\": \"pool\"", "\", \"role\": \"pool\", \"people\": \"spring\"",
         "in which all entries with the same role name the same people"},
        {"\",\n        \"role\": \"pool\"", "\", \"role\": \"pool\", \"set\": \"x\"",
         "ledger: entries[0].set: unknown field"},
        {"\"entries\": [",
         "\"entries\": [ {\"entry\": \"charge\", \"mechanism\": \"exposed\", \"count\": 1, "
         "\"rows_per_person\": 1, \"people\": \"spring\", \"rng\": \"secure\"},",
         "a list that includes classifier-not-private or no-noise, because an entry of the ledger "
         "is exposed"},
        {"\"release_id\": \"", "\"release_id\": \"0",
         "ledger: entries[0]: release_id must have 32 digits"},
        {"\"entry\": \"charge\"", "\"entry\": \"budget\"", "ledger: entries[0].entry: must be"},
        {"\"entry\": \"charge\"", "\"entry\": \"charge\", \"time\": \"now\"",
         "ledger: entries[0].time: unknown field"},
        {"\"kind\": \"model\"", "\"kind\": \"people\"",
         "ledger: kind: must be \"model\" for the ledger inside a model"},
        {"\"ledger\": {", "\"ledger\": [], \"x\": {", "x: unknown member"},
    };
    REFUSE_ALL(SAMPLE_PRIVATE, refused);
}
