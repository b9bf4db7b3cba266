/* Tests the file of a certificate: what is written is read back, and the reader refuses a text that
 * was damaged, that claims more than its table and entry give, or that it does not understand. */
#include <unistd.h>

#include "unit/model/certified.h"

#include "model/certificate.h"

static dp2dp_model *model;
static dp2dp_ledger *ledger;
static certified sample_certified;
static char *sample_certificate;

FIXTURE(make_sample) {
    model = sample_model(SAMPLE_PRIVATE);
    ledger = new_ledger();
    sample_certified.options = certify_options(ledger, 5);
    certify_sample(model, &sample_certified);
    sample_certificate = certificate_text(model, &sample_certified);
    return 0;
}

FIXTURE(free_sample) {
    dp2dp_text_free(sample_certificate);
    dp2dp_ledger_free(ledger);
    dp2dp_model_free(model);
    return 0;
}

static dp2dp_certificate_file *read_back(const char *text) {
    dp2dp_certificate_file *read = NULL;
    assert_ok(dp2dpi_certificate_from_json(text, strlen(text), &read, &test_error));
    return read;
}

static void assert_refuses(const char *text, const char *because) {
    dp2dp_certificate_file *read = (dp2dp_certificate_file *)&read;
    assert_fails(dp2dpi_certificate_from_json(text, strlen(text), &read, &test_error), DATA,
                 because);
    assert_null(read);
}

TEST(what_is_written_is_read_back) {
    const dp2dp_certificate *made = &sample_certified.certificate;
    HANDLE(dp2dp_certificate_file) *read = read_back(sample_certificate);
    const dp2dp_certificate *c = read->certificate;
    assert_int_equal(c->records, 900);
    assert_int_equal(c->strata, 2);
    assert_int_equal(c->classes, 3);
    assert_memory_equal(c->table, made->table, sizeof sample_certified.table);
    assert_true(c->unfairness_upper == made->unfairness_upper);
    assert_true(c->unfairness_upper_strict == made->unfairness_upper_strict);
    assert_true(c->confidence == 0.95 && c->sigma == made->sigma && c->held_out);
    assert_int_equal(c->group_too_small, made->group_too_small);
    assert_int_equal(c->warnings, made->warnings);
    assert_false(c->is_private);
    assert_string_equal(c->release_id, made->release_id);
    assert_true(read->epsilon <= 1 && read->epsilon > 0.999 && read->delta == 1e-5);
    assert_int_equal(read->rng, DP2DP_RNG_INSECURE);
    assert_int_equal(read->insecure_seed, 5);
    assert_null(read->people);
    assert_string_equal(read->groups[1], "1");
    assert_string_equal(read->classes[2], "2");
    assert_int_equal(dp2dp_ledger_size(read->ledger), 1);
    assert_string_equal(read->library_version, dp2dp_version());
    assert_non_null(strstr(sample_certificate, read->checksum));
}

/* The text holds no time: equal seeds give equal bytes. */
TEST(equal_seeds_give_equal_bytes) {
    HANDLE(dp2dp_ledger) *other = new_ledger();
    certified again = {.options = certify_options(other, 5)};
    certify_sample(model, &again);
    TEXT_FREED char *text = certificate_text(model, &again);
    assert_string_equal(text, sample_certificate);
}

TEST(the_model_is_named_by_the_checksum_of_its_text) {
    size_t length;
    TEXT_FREED char *text = text_of(model, &length);
    HANDLE(dp2dp_model) *loaded = model_of(text);
    HANDLE(dp2dp_certificate_file) *read = read_back(sample_certificate);
    assert_null(dp2dp_model_view(model)->checksum);
    assert_string_equal(dp2dp_model_view(loaded)->checksum, read->model_checksum);
    TEXT_FREED char *same = certificate_text(loaded, &sample_certified);
    assert_string_equal(same, sample_certificate);
}

TEST(people_and_their_ledger_entry_are_cited) {
    char path[] = "/tmp/dp2dp-test-XXXXXX", lock[64];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && close(fd) == 0 && unlink(path) == 0);
    HANDLE(dp2dp_ledger) *shared = NULL;
    assert_ok(dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &shared, &test_error));
    certified named = {.options = certify_options(shared, 6)};
    named.options.people_name = "visitors";
    certify_sample(model, &named);
    TEXT_FREED char *text = certificate_text(model, &named);
    HANDLE(dp2dp_certificate_file) *read = read_back(text);
    dp2dp_entry_info info = DP2DP_ENTRY_INFO_INIT;
    assert_ok(dp2dp_ledger_entry_info(shared, 0, &info, &test_error));
    assert_string_equal(read->people, "visitors");
    assert_string_equal(read->ledger_hash, info.hash);
    (void)snprintf(lock, sizeof lock, "%s.lock", path);
    assert_int_equal(unlink(path) | unlink(lock), 0);
}

TEST(without_held_out_people_there_is_no_bound) {
    HANDLE(dp2dp_ledger) *other = new_ledger();
    certified same = {.options = certify_options(other, 5)};
    same.options.people = DP2DP_PEOPLE_SAME;
    certify_sample(model, &same);
    TEXT_FREED char *text = certificate_text(model, &same);
    HANDLE(dp2dp_certificate_file) *read = read_back(text);
    assert_false(read->certificate->held_out);
    assert_true(isnan(read->certificate->unfairness_upper_strict));
    assert_non_null(strstr(text, "\"quote\": null"));
    FREED char *claimed =
        edit(text, "\"unfairness_upper_strict\": null", "\"unfairness_upper_strict\": 1");
    assert_refuses(claimed, "unfairness_upper_strict: must be null, because held_out is false");
    FREED char *normal = edit(text, "\"unfairness_upper\": null", "\"unfairness_upper\": 1");
    assert_refuses(normal, "unfairness_upper: must be null, because held_out is false");
    FREED char *held = edit(text, "\"held_out\": false", "\"held_out\": true");
    assert_refuses(held, "quote: must be");
}

TEST(any_changed_byte_is_found) {
    size_t length = strlen(sample_certificate);
    for (size_t i = 0; i < length; i += 7) {
        FREED char *copy = strdup(sample_certificate);
        copy[i] = copy[i] == 'x' ? 'y' : 'x';
        dp2dp_certificate_file *read = NULL;
        assert_status(dp2dpi_certificate_from_json(copy, length, &read, NULL), DATA);
    }
    FREED char *stale = edited(sample_certificate, "\"records\": 900", "\"records\": 901");
    assert_refuses(stale, "checksum: wrong");
}

/* A forger who computes a new checksum still has to agree with the table and the entry. */
TEST(claims_beyond_table_and_entry_are_refused) {
    static const edit_case cases[] = {
        {"\"unfairness_upper\": 0.", "\"unfairness_upper\": 0.0",
         "unfairness_upper: must be at least"},
        {"\"unfairness_upper_strict\": 0.", "\"unfairness_upper_strict\": 0.0",
         "unfairness_upper_strict: must be at least"},
        {"\"confidence\": 0.9", "\"confidence\": 0.99", "unfairness_upper: must be at least"},
        {"\"epsilon\": 0.9", "\"epsilon\": 0.8", "cost.epsilon: the stated epsilon 0.8"},
        {"\"epsilon\": 0.9", "\"epsilon\": -0.9", "cost.epsilon: must be"},
        {"\"delta\": 1.0", "\"delta\": 1e9, \"x\": 1.0", "cost.x: unknown member"},
        {"\"delta\": 1.0", "\"delta\": -1.0", "cost.delta: must be"},
        {"\"delta\": 1.0", "\"delta\": 0.0", "cost.epsilon: the stated epsilon 0.99"},
        {"\"group_too_small\": false", "\"group_too_small\": true", "group_too_small: must be"},
        {"\"warnings\": []", "\"warnings\": [\"delta-large\"]", "warnings: must be"},
        {"\"warnings\": []", "\"warnings\": [\"group-too-small\"]", "warnings: must be"},
        {"\"warnings\": []", "\"warnings\": [\"ties\"]", "warnings: must be"},
        {"\"warnings\": []", "\"warnings\": [\"epsilon-below-delta\"]", "warnings: must be"},
        {"\"rng\": \"insecure\"", "\"rng\": \"secure\"", "insecure_seed: must be null"},
        {"\"private\": false", "\"private\": true", "cost.rng: must be"},
        {"\"people\": null", "\"people\": \"visitors\"", "cost.people: must be"},
        {"\"rows_per_person\": 1", "\"rows_per_person\": 2", "cost.rows_per_person: must be"},
        {"\"coordinates\": 6", "\"coordinates\": 5", "ledger.entries: must be one Gaussian"},
        {"\"leaves_out\": false", "\"leaves_out\": true", "ledger.entries: must be one Gaussian"},
        {"\"role\": \"certificate\"", "\"role\": \"pool\"",
         "ledger.entries: must be an entry of role"},
        {"\"sigma\": 5", "\"sigma\": 6", "cost.sigma: must be"},
        {"\"release_id\": \"", "\"release_id\": \"0", "release_id: must be"},
        {"\"records\": 900", "\"records\": 0", "records: must be"},
        {"\"adjacency\": \"replace-one\"", "\"adjacency\": \"add-remove\"", "adjacency"},
        {"\"kind\": \"model\"", "\"kind\": \"people\"", "ledger: kind"},
        {"\"model_checksum\": \"", "\"model_checksum\": \"x", "model_checksum: must be"},
        {"\"ledger_hash\": null", "\"ledger_hash\": \"x\"", "ledger_hash: must be"},
        {"\"quote\": \"unfairness_upper_strict\"", "\"quote\": \"unfairness_upper\"", "quote:"},
        {"\"0\",", "0,", "groups: must be"},
        {"\"major\": 1", "\"major\": 2", "is newer than 1"},
        {"\"format\": \"dp2dp-certificate\"", "\"format\": \"dp2dp-model\"",
         "this is a model, not a certificate"},
        {"\"records\"", "\"remark\": 1, \"records\"", "remark: unknown member"},
        {"\"sigma\"", "\"remark\": 1, \"sigma\"", "cost.remark: unknown member"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED char *changed = edit(sample_certificate, cases[i].from, cases[i].to);
        assert_refuses(changed, cases[i].because);
    }
}

TEST(a_newer_minor_version_may_have_more_members) {
    FREED char *newer = edited(sample_certificate, "\"minor\": 0", "\"minor\": 2");
    FREED char *more = edit(newer, "\"records\"", "\"remark\": 1, \"records\"");
    HANDLE(dp2dp_certificate_file) *read = read_back(more);
    assert_int_equal(read->certificate->records, 900);
}

TEST(calls_that_do_not_fit_together_are_refused) {
    certified c = sample_certified;
    HANDLE(dp2dp_ledger) *empty = new_ledger();
    HANDLE(dp2dp_model) *other = sample_model(SAMPLE_EXACT);
    char *text = (char *)&text;
    size_t length = 1;
    assert_fails(
        dp2dp_certificate_to_json(&c.certificate, other, &c.options, &text, &length, &test_error),
        ARGUMENT, "3 groups and 3 classes");
    assert_null(text);
    c.options.ledger = empty;
    assert_fails(
        dp2dp_certificate_to_json(&c.certificate, model, &c.options, &text, &length, &test_error),
        ARGUMENT, "does not have the charge");
    c = sample_certified;
    c.certificate.table = NULL;
    assert_fails(
        dp2dp_certificate_to_json(&c.certificate, model, &c.options, &text, &length, &test_error),
        ARGUMENT, "certificate->table and options->ledger");
    c = sample_certified;
    c.certificate.unfairness_upper_strict /= 2; /* a struct that somebody changed */
    assert_fails(
        dp2dp_certificate_to_json(&c.certificate, model, &c.options, &text, &length, &test_error),
        ARGUMENT, "unfairness_upper_strict: must be");
    assert_status(dp2dp_certificate_to_json(NULL, model, &c.options, &text, &length, NULL),
                  ARGUMENT);
    assert_status(dp2dp_certificate_to_json(&c.certificate, NULL, &c.options, &text, &length, NULL),
                  ARGUMENT);
    dp2dp_certificate_file *read = (dp2dp_certificate_file *)&read;
    assert_fails(dp2dp_certificate_load("/nonexistent", &read, &test_error), IO, "/nonexistent");
    assert_null(read);
    assert_status(dp2dp_certificate_load(NULL, &read, NULL), ARGUMENT);
}

static json_t *schema_of_certificates(void) {
    return load_schema(DP2DP_TEST_DIR "/../docs/certificate.schema.json");
}

/* In every object, adds an unknown member and removes each member. */
static void refuse_changes(json_t *schema, json_t *root, json_t *value) {
    static const char *const optional[] = {"label", "scale", NULL};
    const char *key;
    json_t *member, *copy = json_copy(value);
    json_object_foreach(copy, key, member) {
        refuse_changes(schema, root, member);
        assert_int_equal(json_object_del(value, key), 0);
        if (conforms(schema, root) != is_listed(key, optional)) {
            fail_msg("without %s", key);
        }
        assert_int_equal(json_object_set(value, key, member), 0);
    }
    if (json_is_object(value)) {
        assert_int_equal(json_object_set_new(value, "unknown", json_null()), 0);
        assert_false(conforms(schema, root));
        assert_int_equal(json_object_del(value, "unknown"), 0);
    }
    json_decref(copy);
}

TEST(certificates_conform_to_the_published_schema) {
    json_t *schema = schema_of_certificates(), *root = json_loads(sample_certificate, 0, NULL);
    assert_true(conforms(schema, root));
    refuse_changes(schema, root, root);
    refuse_changes(schema, root,
                   json_array_get(json_object_get(json_object_get(root, "ledger"), "entries"), 0));
    assert_true(conforms(schema, root));
    json_decref(root);
    json_decref(schema);
}

GROUP(make_sample, free_sample)
