#include "unit/locale_data.h"
#include "unit/report/data.h"

#include "folder.h"
#include "unit/model/certified.h"

FIXTURE(make_folder) {
    return make_folder_for("sweep.csv");
}

FIXTURE(remove_folder) {
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

static double number_at(const json_t *data, const char *key, const char *member) {
    return json_number_value(json_object_get(json_object_get(data, key), member));
}

static dp2dp_model *fair_model(dp2dp_criterion criterion, sight sees) {
    OWNED(labelled) l = labelled_people(800, 3, 2, 21);
    dp2dp_fit_options options = fit_for(criterion);
    return labelled_model(&l, &options, sees);
}

TEST(a_page_has_three_parts_and_data) {
    HANDLE(dp2dp_model) *model = fair_model(DP2DP_DEMOGRAPHIC_PARITY, AWARE);
    TEXT_FREED char *page = page_of(model, NULL);
    json_t *data = data_of(page);
    assert_non_null(strstr(page, "<section id=\"decide\">"));
    assert_non_null(strstr(page, "<section id=\"explore\">"));
    assert_non_null(strstr(page, "<section id=\"audit\">"));
    assert_true(json_is_null(json_object_get(data, "rates")));
    assert_true(json_is_null(json_object_get(data, "error")));
    json_decref(data);
}

TEST(equal_input_gives_equal_bytes) {
    OWNED(tested) t = tested_people(700, 3, 2, 9);
    HANDLE(dp2dp_model) *model = fair_model(DP2DP_EQUALIZED_ODDS, AWARE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    use_tested(&t, AWARE, &options);
    options.threads = 1;
    TEXT_FREED char *page = page_of(model, &options);
    options.threads = 3;
    TEXT_FREED char *again = page_of(model, &options);
    assert_string_equal(page, again);
}

/* Counts the test people anew, as a reader would. */
TEST(counts_are_those_of_the_test_people) {
    OWNED(tested) t = tested_people(700, 3, 2, 9);
    HANDLE(dp2dp_model) *model = fair_model(DP2DP_DEMOGRAPHIC_PARITY, AWARE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    int32_t after[700];
    int64_t given[2][3] = {{0}}, moved[2][3][3] = {{{0}}}, changed = 0, worse = 0, better = 0;
    int64_t worse_by[2][3][3] = {{{0}}}, better_by[2][3][3] = {{{0}}};
    use_tested(&t, AWARE, &options);
    assert_ok(dp2dp_model_predict(model, &t.scores, &t.groups, NULL, after, &test_error));
    for (size_t i = 0; i < 700; i++) {
        const float *p = &t.labelled.people.scores[3 * i];
        int32_t before = p[1] > p[0] ? 1 : 0, g = t.labelled.people.group[i];
        before = p[2] > p[before] ? 2 : before;
        given[g][after[i]]++;
        moved[g][before][after[i]]++;
        changed += before != after[i];
        worse += before == t.label[i] && after[i] != t.label[i];
        better += before != t.label[i] && after[i] == t.label[i];
        worse_by[g][before][after[i]] += before == t.label[i];
        better_by[g][before][after[i]] += after[i] == t.label[i];
    }
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    json_t *rates = json_object_get(json_object_get(data, "rates"), "after");
    for (size_t g = 0; g < 2; g++) {
        for (size_t k = 0; k < 3; k++) {
            json_t *cell = json_array_get(json_array_get(rates, g), k);
            assert_int_equal(json_integer_value(json_object_get(cell, "part")), given[g][k]);
            for (size_t b = 0; b < 3; b++) {
                json_t *rows = json_array_get(json_object_get(data, "changes"), g);
                json_t *row = json_array_get(rows, b);
                assert_int_equal(json_integer_value(json_array_get(row, k)), moved[g][b][k]);
            }
        }
    }
    int64_t listed = 0;
    json_t *moves = json_object_get(data, "moves");
    for (size_t i = 0; i < json_array_size(moves); i++) {
        json_t *move = json_array_get(moves, i);
        int64_t g = json_integer_value(json_object_get(move, "group"));
        int64_t b = json_integer_value(json_object_get(move, "before"));
        int64_t k = json_integer_value(json_object_get(move, "after"));
        listed += json_integer_value(json_object_get(move, "people"));
        assert_int_equal(json_integer_value(json_object_get(move, "people")), moved[g][b][k]);
        assert_int_equal(json_integer_value(json_object_get(move, "worse")), worse_by[g][b][k]);
        assert_int_equal(json_integer_value(json_object_get(move, "better")), better_by[g][b][k]);
    }
    assert_int_equal(listed, changed);
    assert_int_equal((int)number_at(data, "test", "changed"), changed);
    json_t *change = json_object_get(json_object_get(data, "error"), "change");
    assert_int_equal(json_integer_value(json_object_get(change, "worse")), worse);
    assert_int_equal(json_integer_value(json_object_get(change, "better")), better);
    double value = json_number_value(json_object_get(change, "value"));
    assert_near(value, (double)(worse - better) / 700, 1e-15);
    assert_true(json_number_value(json_object_get(change, "low")) < value);
    assert_true(json_number_value(json_object_get(change, "high")) > value);
    json_decref(data);
}

/* Does a notion that the model does not aim at get worse by more than a percentage point? */
static int another_notion_suffers(const json_t *data) {
    json_t *criteria = json_object_get(json_object_get(data, "unfairness"), "criteria");
    int found = 0;
    for (size_t i = 0; i < json_array_size(criteria); i++) {
        json_t *one = json_array_get(criteria, i);
        json_t *before = json_object_get(one, "before"), *after = json_object_get(one, "after");
        double growth = json_number_value(json_object_get(after, "value")) -
                        json_number_value(json_object_get(before, "value"));
        found |= json_is_false(json_object_get(one, "promised")) && growth > 0.01;
    }
    return found;
}

/* The rate that differs most differs by the unfairness. */
static void check_worst(const json_t *data) {
    json_t *criteria = json_object_get(json_object_get(data, "unfairness"), "criteria");
    for (size_t i = 0; i < json_array_size(criteria); i++) {
        json_t *one = json_array_get(criteria, i), *worst = json_object_get(one, "worst");
        assert_near(number_at(worst, "high", "after") - number_at(worst, "low", "after"),
                    number_at(one, "after", "value"), 1e-12);
    }
}

TEST(every_criterion_and_kind_of_rule_has_a_page) {
    int suffering = 0, elsewhere = 0;
    for (int criterion = 0; criterion <= DP2DP_CUSTOM; criterion++) {
        for (int sees = AWARE; sees <= UNAWARE; sees++) {
            OWNED(tested) t = tested_people(600, 3, 2, 31);
            HANDLE(dp2dp_model) *model = fair_model((dp2dp_criterion)criterion, (sight)sees);
            dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
            use_tested(&t, (sight)sees, &options);
            TEXT_FREED char *page = page_of(model, &options);
            json_t *data = data_of(page);
            json_t *after = json_object_get(json_object_get(data, "unfairness"), "after");
            assert_true(json_is_real(json_object_get(after, "value")));
            int plain = criterion == DP2DP_DEMOGRAPHIC_PARITY;
            assert_int_equal(json_is_null(json_object_get(data, "statistic_rates")), plain);
            assert_int_equal(
                strstr(page, "This is the largest difference under another notion of fairness") !=
                    NULL,
                another_notion_suffers(data));
            suffering += another_notion_suffers(data);
            elsewhere += strstr(page, "largest difference is not the one shown above") != NULL;
            check_worst(data);
            json_decref(data);
        }
    }
    assert_true(suffering > 0); /* so that both cases were seen */
    assert_true(elsewhere > 0 && elsewhere < 2 * (DP2DP_CUSTOM + 1));
}

/* Nobody may overlook that chance decides about people: the first card says so. */
TEST(a_lottery_is_told_at_the_cost) {
    for (int dithered = 0; dithered < 2; dithered++) {
        OWNED(tested) t = tested_people(300, 3, 2, 9);
        dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
        HANDLE(dp2dp_model) *model =
            fair_model(dithered ? DP2DP_EQUALIZED_ODDS : DP2DP_DEMOGRAPHIC_PARITY, AWARE);
        assert_int_equal(dp2dp_model_view(model)->dither.width > 0, dithered);
        use_tested(&t, AWARE, &options);
        TEXT_FREED char *page = page_of(model, &options);
        const char *cost = strstr(page, "id=\"card-cost\"");
        const char *promise = strstr(page, "id=\"card-promise\"");
        const char *told = strstr(page, "a public random number can change the decision of <data");
        assert_int_equal(told != NULL, dithered);
        assert_int_equal(strstr(page, "<section id=\"lottery\">") != NULL, dithered);
        assert_true(told == NULL || (cost < told && told < promise));
        TEXT_FREED char *bare = page_of(model, NULL);
        assert_int_equal(strstr(bare, "a public random number can change the decision of some "
                                      "people") != NULL,
                         dithered);
    }
}

TEST(as_many_test_people_as_the_rule_was_learned_from_are_a_caution) {
    HANDLE(dp2dp_model) *model = fair_model(DP2DP_DEMOGRAPHIC_PARITY, AWARE); /* 800 people */
    for (size_t n = 799; n <= 800; n++) {
        OWNED(tested) t = tested_people(n, 3, 2, 9);
        dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
        use_tested(&t, AWARE, &options);
        TEXT_FREED char *page = page_of(model, &options);
        assert_int_equal(
            strstr(page, "the test has exactly as many people as the rule was learned from.") !=
                NULL,
            n == 800);
    }
}

TEST(a_group_without_test_people_is_not_measured) {
    OWNED(tested) t = tested_people(300, 3, 2, 9);
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_EXACT); /* of three groups */
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    use_tested(&t, AWARE, &options);
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    json_t *after = json_object_get(json_object_get(data, "rates"), "after");
    json_t *cell = json_array_get(json_array_get(after, 2), 0);
    assert_true(json_is_null(json_object_get(cell, "rate")));
    assert_int_equal(json_integer_value(json_object_get(cell, "whole")), 0);
    assert_true(
        json_is_null(json_object_get(json_array_get(json_object_get(data, "ties"), 2), "share")));
    assert_non_null(strstr(page, "not measured"));
    json_decref(data);
}

TEST(hostile_names_are_text) {
    static const char *const groups[] = {"</script><script>alert(1)</script>",
                                         "\xE2\x80\xAE\"'><img src=x onerror=y>"};
    static const char *const classes[] = {"<!--", "]]>&amp;"};
    OWNED(people) p = people_favoured(500, 2, 2, 3);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    OWNED(tested) t = tested_people(300, 2, 2, 4);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options fit = seeded(1.0, 5);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    fit.names = (dp2dp_names) {groups, classes, NULL, NULL};
    HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
    use_tested(&t, AWARE, &options);
    options.model_name = "/secret/folder/</title><script>x</script>.json";
    options.test_name = "a'b$(reboot).csv";
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    json_t *names = json_object_get(data, "groups");
    assert_string_equal(json_string_value(json_array_get(names, 0)), groups[0]);
    assert_string_equal(json_string_value(json_array_get(names, 1)), groups[1]);
    assert_null(strstr(page, "<script>alert"));
    assert_null(strstr(page, "<script>x"));
    assert_null(strstr(page, "<img"));
    assert_null(strstr(page, "<!--"));
    assert_null(strstr(page, "secret"));
    assert_non_null(strstr(page, "&#39;a&#39;\\&#39;&#39;b$(reboot).csv&#39;"));
    json_decref(data);
}

TEST(fifty_classes_and_twenty_groups_stay_below_a_megabyte) {
    OWNED(tested) t = tested_people(20000, 50, 20, 4);
    OWNED(people) p = people_favoured(4000, 50, 20, 3);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options fit = seeded(1.0, 5);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    fit.steps = 5;
    HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
    use_tested(&t, AWARE, &options);
    TEXT_FREED char *page = page_of(model, &options);
    assert_true(strlen(page) < 920000); /* room for longer names, a certificate and a sweep */
}

TEST(a_model_that_is_not_private_is_loud) {
    for (sample which = SAMPLE_PRIVATE; which < SAMPLES_WITH_RULE; which++) {
        HANDLE(dp2dp_model) *model = sample_model(which);
        TEXT_FREED char *page = page_of(model, NULL);
        json_t *data = data_of(page);
        int is_private = dp2dp_model_view(model)->not_private_because == 0;
        assert_int_equal(json_is_true(json_object_get(data, "private")), is_private);
        assert_int_equal(json_is_true(json_object_get(data, "publishable")), is_private);
        assert_int_equal(strstr(page, "NOT PRIVATE") == NULL, is_private);
        assert_int_equal(strstr(page, "<header class=\"banner publishable\">") != NULL, is_private);
        json_decref(data);
    }
}

TEST(exact_counts_are_never_publishable) {
    OWNED(tested) t = tested_people(300, 3, 2, 9);
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    use_tested(&t, AWARE, &options);
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    assert_non_null(strstr(page, "Exact counts about real people: do not publish."));
    assert_true(json_is_false(json_object_get(data, "publishable")));
    assert_true(json_is_true(json_object_get(data, "private")));
    json_decref(data);
}

TEST(a_model_without_a_rule_is_refused) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_EXTERNAL);
    char *text = (char *)&text;
    size_t length = 1;
    assert_fails(dp2dp_report(model, NULL, &text, &length, &test_error), ARGUMENT,
                 "no fair rule yet");
    assert_null(text);
    assert_int_equal(length, 0);
}

TEST(test_people_without_labels_or_groups_are_refused) {
    OWNED(tested) t = tested_people(300, 3, 2, 9);
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    char *text;
    size_t length;
    use_tested(&t, AWARE, &options);
    options.labels = NULL;
    assert_fails(dp2dp_report(model, &options, &text, &length, &test_error), ARGUMENT,
                 "no labels: give the true class");
    use_tested(&t, AWARE, &options);
    options.groups = NULL;
    assert_fails(dp2dp_report(model, &options, &text, &length, &test_error), ARGUMENT, "no groups");
    use_tested(&t, AWARE, &options);
    options.scores = NULL;
    assert_fails(dp2dp_report(model, &options, &text, &length, &test_error), ARGUMENT,
                 "give the scores of these people too");
    options = DP2DP_REPORT_OPTIONS_INIT;
    options.confidence = 1;
    assert_fails(dp2dp_report(model, &options, &text, &length, &test_error), ARGUMENT,
                 "confidence = 1");
    options = DP2DP_REPORT_OPTIONS_INIT;
    options.model_name = "\xFF";
    assert_fails(dp2dp_report(model, &options, &text, &length, &test_error), ARGUMENT, "UTF-8");
}

TEST_IN_FOLDER(a_certificate_gives_rates_and_the_number_to_quote) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    certified c = {.options = certify_options(ledger, 5)};
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    certify_sample(model, &c);
    TEXT_FREED char *text = certificate_text(model, &c);
    write_text(file, text);
    options.certificate = file;
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    assert_near(number_at(data, "certificate", "unfairness_upper_strict"),
                c.certificate.unfairness_upper_strict, 0);
    json_t *cell = json_array_get(
        json_array_get(json_object_get(json_object_get(data, "rates"), "after"), 1), 2);
    assert_near(json_number_value(json_object_get(cell, "part")), c.table[5], 0);
    assert_true(json_is_null(json_object_get(json_object_get(data, "rates"), "before")));
    assert_true(json_is_false(json_object_get(data, "private"))); /* its noise has a seed */
    assert_null(strstr(page, folder));
    json_decref(data);

    HANDLE(dp2dp_model) *other = sample_model(SAMPLE_EXACT);
    char *none;
    size_t length;
    assert_fails(dp2dp_report(other, &options, &none, &length, &test_error), DATA,
                 "about another model");
}

/* Three runs of one point, and one of another. */
static void write_sweep(const char *criterion_rows) {
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    assert_true(fprintf(stream, "%s%s", SWEEP_HEADER, criterion_rows) > 0);
    assert_int_equal(fclose(stream), 0);
}
#define ROW(epsilon, run, error, data, records) \
    SWEEP_ROW("demographic_parity", "0.05", epsilon, run, error, "0.1", "true", data, records)

TEST_IN_FOLDER(a_sweep_is_averaged_over_its_runs) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    write_sweep(
        ROW("1", "0", "0.1", "adult", "900") ROW("1", "1", "0.2", "adult", "900")
            ROW("inf", "0", "0.4", "adult", "900") ROW("1", "2", "0.6", "adult", "900")
                SWEEP_ROW("equalized_odds", "0", "1", "0", "0.5", "0.5", "true", "adult", "900"));
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_OTHER;
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    json_t *points = json_object_get(json_object_get(data, "tradeoff"), "points");
    assert_int_equal(json_array_size(points), 2);
    json_t *error = json_object_get(json_array_get(points, 0), "error");
    assert_near(json_number_value(json_object_get(error, "mean")), 0.3, 1e-15);
    assert_near(json_number_value(json_object_get(error, "sd")), sqrt(0.07), 1e-15);
    error = json_object_get(json_array_get(points, 1), "error");
    assert_true(json_is_null(json_object_get(error, "sd")));
    assert_true(json_is_null(json_object_get(json_array_get(points, 1), "epsilon")));
    assert_true(json_is_true(json_object_get(data, "private")));
    assert_true(json_is_false(json_object_get(data, "publishable")));
    assert_int_equal(json_array_size(json_object_get(data, "covers")), 1);
    json_decref(data);
}

#define PUBLISHED(holds, claimed)                                                                \
    "demographic_parity,dpgd,sgd-as-published,0.05,1,1e-05," holds "," claimed ",0,0.1,0.1,0.2," \
    "0.3,,true,1,1,1,0.5,0.5,adult,900,1,rows,\"0.5,0.5\",0,3,0.1.0,no\n"

TEST_IN_FOLDER(a_claimed_epsilon_stands_beside_the_one_that_holds) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    write_sweep(PUBLISHED("", "0.9999") PUBLISHED("8.4125", "0.9999"));
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_OTHER;
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    json_t *points = json_object_get(json_object_get(data, "tradeoff"), "points");
    assert_int_equal(json_array_size(points), 2); /* a point for each epsilon that holds */
    assert_true(json_is_null(json_object_get(json_array_get(points, 0), "epsilon_holds")));
    assert_near(json_number_value(json_object_get(json_array_get(points, 1), "epsilon_holds")),
                8.4125, 0);
    assert_non_null(strstr(page, "this epsilon protects rows, not whole persons."));
    assert_non_null(strstr(page, "none; the paper claims <data value=\"0.9999\""));
    assert_non_null(strstr(page, ">8.413</data>; the paper claims <data value=\"0.9999\""));
    json_decref(data);
    char *none;
    size_t length;
    write_sweep(PUBLISHED("-1", ""));
    assert_fails(dp2dp_report(model, &options, &none, &length, &test_error), DATA,
                 "epsilon_holds and epsilon_claimed must be finite and 0 or larger, or empty");
}

TEST_IN_FOLDER(hostile_words_of_a_sweep_are_text) {
    enum {
        NAME = 10240
    };
    static char row[NAME + 512], name[NAME + 1];
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    for (size_t i = 0; i < NAME; i++) {
        name[i] = "</script>'&"[i % 11];
    }
    (void)snprintf(
        row, sizeof row,
        "demographic_parity,<script>x</script>,<img>,0,1,1e-05,,,0,0.1,0.1,0.2,0.3,,true,0,"
        "1,1,0.5,0.5,%s,900,1,,\"0.5,0.5\",0,3,0.1.0,no\n",
        name);
    write_sweep(row);
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_OTHER;
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    json_t *tradeoff = json_object_get(data, "tradeoff");
    assert_string_equal(json_string_value(json_object_get(tradeoff, "data")), name);
    assert_null(strstr(page, "<script>x"));
    assert_null(strstr(page, "<img>"));
    assert_null(strstr(page, "</script>'&</script>"));
    json_decref(data);
}

TEST_IN_FOLDER(the_locale_of_the_process_changes_nothing) {
    OWNED(tested) t = tested_people(300, 3, 2, 9);
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    use_tested(&t, AWARE, &options);
    write_sweep(ROW("0.5", "0", "0.1", "adult", "900"));
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_OTHER;
    TEXT_FREED char *page = page_of(model, &options);
    for (int i = 0; i < DECIMAL_POINTS; i++) {
        enter_locale(decimal_points[i]);
        TEXT_FREED char *again = page_of(model, &options);
        leave_locale();
        assert_string_equal(page, again);
    }
}

TEST_IN_FOLDER(a_sweep_of_the_models_own_people_makes_it_not_private) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    write_sweep(ROW("1", "0", "0.1", "", "900"));
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_EXPOSED;
    TEXT_FREED char *page = page_of(model, &options);
    json_t *data = data_of(page);
    assert_true(json_is_false(json_object_get(data, "private")));
    assert_int_equal(json_array_size(json_object_get(data, "covers")), 0);
    json_t *cover = json_array_get(json_object_get(data, "not_covered"), 0);
    assert_string_equal(json_string_value(json_array_get(json_object_get(cover, "because"), 0)),
                        "sweep-exposed");
    assert_non_null(strstr(page, "<header class=\"banner not-private\">"));
    json_decref(data);
}

static void refuse_sweep(const dp2dp_model *model, const char *rows, const char *name,
                         dp2dp_sweep_people whose, const char *words) {
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    char *text = (char *)&text;
    size_t length;
    write_sweep(rows);
    options.sweep = file;
    options.sweep_people = whose;
    options.data_name = name;
    test_error = (dp2dp_error) {0};
    assert_int_not_equal(dp2dp_report(model, &options, &text, &length, &test_error), OK);
    assert_says(test_error.message, words);
    assert_null(text);
}

TEST_IN_FOLDER(a_sweep_that_does_not_fit_the_model_is_refused) {
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    const dp2dp_sweep_people other = DP2DP_SWEEP_OTHER;
    refuse_sweep(model, ROW("1", "0", "0.1", "adult", "900"), NULL, (dp2dp_sweep_people)0,
                 "other, public or exposed");
    refuse_sweep(model, ROW("1", "0", "0.1", "adult", "900"), "credit", other,
                 "the data \"adult\"");
    refuse_sweep(model, ROW("1", "0", "0.1", "a", "9") ROW("1", "1", "0.1", "b", "9"), NULL, other,
                 "row 2 of the sweep");
    refuse_sweep(model, ROW("1", "0", "0.1", "a", "9") ROW("1", "1", "0.1", "a", "8"), NULL, other,
                 "the sweep of one table");
    refuse_sweep(model, SWEEP_ROW("equalized_odds", "0", "1", "0", "0.1", "0", "true", "a", "900"),
                 NULL, other, "the same criterion");
    refuse_sweep(model,
                 SWEEP_ROW("demographic_parity", "0", "1", "0", "0.1", "0", "false", "a", "900"),
                 NULL, other, "kind of rule");
    refuse_sweep(model, ROW("1", "0", "0.1", "a", "9"), NULL, DP2DP_SWEEP_PUBLIC,
                 "has only 9 rows");
    refuse_sweep(model, ROW("1", "0", "1.5", "a", "900"), NULL, other, "from 0 to 1");
    refuse_sweep(model, ROW("-1", "0", "0.1", "a", "900"), NULL, other,
                 "epsilon must be 0 or larger, or inf");
    refuse_sweep(model, ROW("x", "0", "0.5", "a", "900"), NULL, other, "epsilon must be");
    refuse_sweep(model, "", NULL, other, "no rows");
    HANDLE(dp2dp_model) *rates = fair_model(DP2DP_TRUE_POSITIVE_RATE_PARITY, AWARE);
    refuse_sweep(rates, ROW("1", "0", "0.1", "a", "900"), NULL, other, "the same criterion");
}

TEST_IN_FOLDER(a_sweep_of_the_models_schema_needs_no_name) {
    HANDLE(dp2dp_model) *base = sample_classifier(SAMPLE_EXTERNAL); /* its schema is "sample" */
    OWNED(people) p = people_favoured(300, 3, 2, 5);
    HANDLE(dp2dp_pool) *pool = pool_of(&p);
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_fit_options fit = seeded(1.0, 5);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    fit.base = base;
    HANDLE(dp2dp_model) *model = fit_source(&source, &fit);
    refuse_sweep(model, ROW("1", "0", "0.1", "adult", "900"), NULL, DP2DP_SWEEP_OTHER,
                 "the data \"adult\", but the model is about \"sample\"");
    write_sweep(ROW("1", "0", "0.1", "sample", "900"));
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_PUBLIC;
    TEXT_FREED char *page = page_of(model, &options);
    assert_null(strstr(page, "does not name its data"));
}
