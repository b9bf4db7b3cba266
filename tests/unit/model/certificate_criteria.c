/* Tests the file of a certificate about a criterion beyond demographic parity: it is read back, its
 * claims are checked, and dp2dp_verify compares its criterion with the model's. */
#include "folder.h"
#include "unit/metrics/labelled.h"
#include "unit/model/certified.h"

#include "model/certificate.h"

enum {
    CELLS = 18 /* 2 groups, 3 labels, 3 classes */
};

typedef struct certified_model {
    dp2dp_model *model;
    dp2dp_ledger *ledger;
    double table[CELLS];
    dp2dp_certificate certificate;
    dp2dp_certify_options options;
    char *text;
} certified_model;

static void certified_model_free(certified_model *c) {
    dp2dp_model_free(c->model);
    dp2dp_ledger_free(c->ledger);
    dp2dp_text_free(c->text);
}

static void certify_for(certified_model *c, dp2dp_criterion criterion, sight sees) {
    OWNED(labelled) learned = labelled_people(1000, 3, 2, 1);
    OWNED(labelled) held = labelled_people(3000, 3, 2, 2);
    dp2dp_fit_options fit = fit_for(criterion);
    size_t length;
    *c = (certified_model) {.model = labelled_model(&learned, &fit, sees), .ledger = new_ledger()};
    HANDLE(dp2dp_pool) *pool = labelled_pool(&held, &fit, sees);
    dp2dp_source source = dp2dp_pool_source(pool);
    c->options = certify_options(c->ledger, 5);
    c->certificate = DP2DP_CERTIFICATE_INIT;
    c->certificate.table = c->table;
    assert_ok(dp2dp_certify(&source, c->model, &c->options, &c->certificate, &test_error));
    assert_ok(dp2dp_certificate_to_json(&c->certificate, c->model, &c->options, &c->text, &length,
                                        &test_error));
}

static dp2dp_certificate_file *read_back(const char *text) {
    dp2dp_certificate_file *read = NULL;
    assert_ok(dp2dpi_certificate_from_json(text, strlen(text), &read, &test_error));
    return read;
}

static void assert_same_bound(const dp2dp_unfairness_bound *a, const dp2dp_unfairness_bound *b) {
    assert_int_equal(a->measured, b->measured);
    assert_int_equal(a->group_too_small, b->group_too_small);
    assert_true(a->measured ? a->upper == b->upper && a->upper_strict == b->upper_strict
                            : isnan(a->upper) && isnan(b->upper_strict));
}

TEST(what_is_written_for_every_criterion_is_read_back) {
    for (size_t i = 0; i <= DP2DP_CUSTOM; i++) {
        for (int sees = AWARE; sees <= UNAWARE; sees++) {
            OWNED(certified_model) c;
            certify_for(&c, (dp2dp_criterion)i, (sight)sees);
            HANDLE(dp2dp_certificate_file) *read = read_back(c.text);
            const dp2dp_certificate *found = read->certificate, *made = &c.certificate;
            assert_true(found->criterion == made->criterion && found->positive == made->positive);
            assert_true(found->groups == 2 && found->labels == made->labels &&
                        found->strata == made->strata && found->classes == 3);
            assert_memory_equal(found->table, made->table,
                                made->strata * made->classes * sizeof(double));
            assert_int_equal(found->statistic_count, made->statistic_count);
            for (size_t k = 0; k < DP2DP_CRITERIA_MAX; k++) {
                assert_same_bound(&found->criteria[k], &made->criteria[k]);
            }
            assert_true(found->unfairness_upper == made->unfairness_upper);
            /* Older readers understand what has no labels. */
            assert_int_equal(strstr(c.text, "\"minor\": 0") != NULL, i == DP2DP_DEMOGRAPHIC_PARITY);
            assert_int_equal(strstr(c.text, "\"criteria\"") == NULL, i == DP2DP_DEMOGRAPHIC_PARITY);
        }
    }
}

TEST(custom_statistics_are_kept) {
    OWNED(certified_model) c;
    certify_for(&c, DP2DP_CUSTOM, AWARE);
    HANDLE(dp2dp_certificate_file) *read = read_back(c.text);
    const dp2dp_statistic *s = read->certificate->statistics;
    assert_true(s[0].class_index == 0 && s[0].labels[0] && s[0].labels[1] && !s[0].labels[2]);
    assert_true(s[1].class_index == 1 && s[1].labels[0] && s[1].labels[1] && s[1].labels[2]);
}

/* Without a rule there is nothing but the plain argmax, so any table of people will do. There is no
 * file: it would have no names of groups. */
TEST(a_classifier_without_a_rule_is_certified_with_labels) {
    OWNED(labelled) held = labelled_people(3000, 3, 2, 2);
    dp2dp_fit_options fit = fit_for(DP2DP_TRUE_POSITIVE_RATE_PARITY);
    OWNED(certified_model) c = {.model = sample_classifier(SAMPLE_BARE), .ledger = new_ledger()};
    HANDLE(dp2dp_pool) *pool = labelled_pool(&held, &fit, UNAWARE);
    dp2dp_source source = dp2dp_pool_source(pool);
    size_t length;
    c.options = certify_options(c.ledger, 5);
    c.certificate = DP2DP_CERTIFICATE_INIT;
    c.certificate.table = c.table;
    assert_ok(dp2dp_certify(&source, c.model, &c.options, &c.certificate, &test_error));
    assert_int_equal(c.certificate.criterion, DP2DP_DEMOGRAPHIC_PARITY);
    assert_true(c.certificate.criteria[DP2DP_EQUALIZED_ODDS].upper < 1);
    assert_fails(dp2dp_certificate_to_json(&c.certificate, c.model, &c.options, &c.text, &length,
                                           &test_error),
                 ARGUMENT, "the certificate has 2 groups");
}

TEST(claims_beyond_the_table_are_refused_for_every_criterion) {
    static const edit_case cases[] = {
        {"\"demographic_parity\": {\n      \"unfairness_upper\": 0.",
         "\"demographic_parity\": {\n      \"unfairness_upper\": 0.0",
         "criteria.demographic_parity"},
        {"\"equalized_odds\": {\n      \"unfairness_upper\": 0.",
         "\"equalized_odds\": {\n      \"unfairness_upper\": null, \"x\": 0.", "x: unknown member"},
        {"\"false_positive_rate_parity\": {", "\"custom\": {", "criteria."},
        {"\"false_positive_rate_parity\": {", "\"calibration\": {", "calibration: unknown member"},
        {"\"name\": \"false_positive_rate_parity\"", "\"name\": \"equalized_odds\"",
         "unfairness_upper: must be at least"},
        {"\"name\": \"false_positive_rate_parity\"", "\"name\": \"custom\"",
         "custom needs at least"},
        {"\"name\": \"false_positive_rate_parity\"", "\"name\": \"calibration\"", "criterion.name"},
        {"\"positive\": null", "\"positive\": 3", "criterion.positive: must be"},
        {"\"statistics\": null", "\"statistics\": []", "criterion.statistics: must be"},
        {"\"statistics\": null", "\"statistics\": [{\"class\": 0, \"labels\": [0]}]",
         "with any other criterion, give no statistics"},
        {"\"labels\": 3", "\"labels\": 1", "table: must be"},
        {"\"labels\": 3", "\"labels\": 2", "criterion.labels: must be"},
        {"\"labels\": 3", "\"labels\": 9223372036854775807", "labels"},
        {"\"coordinates\": 18", "\"coordinates\": 6", "ledger.entries: must be one Gaussian"},
        {"\"criteria\": {", "\"criterias\": {", "criterias: unknown member"},
        {"\"criterion\": {", "\"criterions\": {", "criterions: unknown member"},
    };
    OWNED(certified_model) c;
    certify_for(&c, DP2DP_FALSE_POSITIVE_RATE_PARITY, AWARE);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        FREED char *changed = edit(c.text, cases[i].from, cases[i].to);
        dp2dp_certificate_file *read = NULL;
        assert_fails(dp2dpi_certificate_from_json(changed, strlen(changed), &read, &test_error),
                     DATA, cases[i].because);
        assert_null(read);
    }
}

TEST(certificates_with_a_criterion_conform_to_the_published_schema) {
    json_t *schema = load_schema(DP2DP_TEST_DIR "/../docs/certificate.schema.json");
    for (size_t i = 0; i <= DP2DP_CUSTOM; i++) {
        OWNED(certified_model) c;
        certify_for(&c, (dp2dp_criterion)i, AWARE);
        json_t *root = json_loads(c.text, 0, NULL);
        assert_true(conforms(schema, root));
        assert_int_equal(json_object_set_new(root, "criterion", json_string("x")), 0);
        assert_false(conforms(schema, root));
        json_decref(root);
    }
    json_decref(schema);
}

TEST(a_certificate_is_not_written_for_a_model_of_another_criterion) {
    OWNED(certified_model) c, other;
    char *text = NULL;
    size_t length;
    certify_for(&c, DP2DP_TRUE_POSITIVE_RATE_PARITY, AWARE);
    certify_for(&other, DP2DP_EQUALIZED_ODDS, AWARE);
    assert_fails(dp2dp_certificate_to_json(&c.certificate, other.model, &c.options, &text, &length,
                                           &test_error),
                 ARGUMENT, "criterion or labels differ");
    c.certificate.labels = 1; /* a struct that somebody changed */
    assert_fails(
        dp2dp_certificate_to_json(&c.certificate, c.model, &c.options, &text, &length, &test_error),
        ARGUMENT, "criterion or labels differ");
    assert_null(text);
}

static void hear_failure(void *context, const dp2dp_check *check) {
    if (check->result == DP2DP_CHECK_FAILS) {
        (void)snprintf(context, 512, "%s", check->message);
    }
}

FIXTURE(make_folder) {
    return make_folder_for("c.json");
}

FIXTURE(remove_folder) {
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Somebody claims another criterion and makes the bound 1, which every table allows. */
TEST_IN_FOLDER(verify_compares_the_criterion_with_the_models) {
    OWNED(certified_model) c;
    char model_path[96], heard[512] = "";
    const char *const paths[] = {file, model_path};
    certify_for(&c, DP2DP_FALSE_POSITIVE_RATE_PARITY, AWARE);
    (void)snprintf(model_path, sizeof model_path, "%s/model.json", folder);
    assert_ok(dp2dp_model_save(c.model, model_path, &test_error));
    write_text(file, c.text);
    assert_ok(dp2dp_verify(paths, 2, hear_failure, heard, &test_error));
    FREED char *named = edited(c.text, "\"name\": \"false_positive_rate_parity\"",
                               "\"name\": \"true_positive_rate_parity\"");
    json_t *root = json_loads(named, 0, NULL);
    assert_int_equal(json_object_set_new(root, "unfairness_upper", json_real(1)), 0);
    assert_int_equal(json_object_set_new(root, "unfairness_upper_strict", json_real(1)), 0);
    FREED char *claimed = seal_json(root);
    json_decref(root);
    write_text(file, claimed);
    assert_status(dp2dp_verify(paths, 2, hear_failure, heard, &test_error), DATA);
    assert_says(heard, "the certificate's criterion or labels differ");
}
