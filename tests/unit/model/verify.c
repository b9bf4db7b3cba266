/* Tests dp2dp_verify: what fails alone, what fails together, and what is only noted. */
#include "folder.h"
#include "unit/model/certified.h"

/* A model that was charged to pool.ledger, and a certificate charged to held.ledger, in files. */
typedef struct paths {
    char pool[96], model[96], held[96], certificate[96];
} paths;

static paths at;
static certified sample_certified;

static void place(char path[96], const char *name) {
    (void)snprintf(path, 96, "%s/%s", folder, name);
}

/* Fits a model that is charged to the ledger file and published there. */
static dp2dp_model *fit_with(const char *ledger_path, uint64_t seed, const dp2dp_model *base) {
    OWNED(people) p = people_favoured(300, 3, 2, 5);
    HANDLE(dp2dp_ledger) *ledger = NULL;
    dp2dp_fit_options options = seeded(1.0, seed);
    if (ledger_path) {
        assert_ok(dp2dp_ledger_open(ledger_path, DP2DP_REPLACE_ONE, &ledger, &test_error));
    }
    options.ledger = ledger;
    options.base = base;
    dp2dp_model *model = fit_people(&p, &options);
    return model;
}

/* The release of the last charge of a model. */
static const char *release_of(const dp2dp_model *model) {
    const dp2dp_ledger *ledger = dp2dp_model_view(model)->ledger;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(ledger, dp2dp_ledger_size(ledger) - 1, &event, &rng, &test_error));
    return event.release_id;
}

static void publish(const char *ledger_path, const char *release_id, const char *checksum) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_ok(dp2dp_ledger_open(ledger_path, DP2DP_REPLACE_ONE, &ledger, &test_error));
    assert_ok(dp2dp_ledger_publish(ledger, release_id, checksum, &test_error));
}

static void make_certificate(const dp2dp_model *model) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_ok(dp2dp_ledger_open(at.held, DP2DP_REPLACE_ONE, &ledger, &test_error));
    sample_certified.options = certify_options(ledger, 9);
    certify_sample(model, &sample_certified);
    TEXT_FREED char *text = certificate_text(model, &sample_certified);
    write_text(at.certificate, text);
}

FIXTURE(make_folder) {
    if (make_folder_for("unused") != 0) {
        return -1;
    }
    place(at.pool, "pool.ledger");
    place(at.held, "held.ledger");
    place(at.model, "model.json");
    place(at.certificate, "certificate.json");
    HANDLE(dp2dp_model) *model = fit_with(at.pool, 1, NULL);
    assert_ok(dp2dp_model_save(model, at.model, &test_error));
    HANDLE(dp2dp_model) *loaded = NULL;
    assert_ok(dp2dp_model_load(at.model, &loaded, &test_error));
    publish(at.pool, release_of(loaded), dp2dp_model_view(loaded)->checksum);
    make_certificate(loaded);
    return 0;
}

FIXTURE(remove_folder) {
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* What a call reported. */
typedef struct heard {
    size_t held, failed, noted;
    char failures[2048]; /* "what: message" of each failure */
    char notes[2048];
} heard;

static void hear(void *context, const dp2dp_check *check) {
    heard *h = context;
    char *list = check->result == DP2DP_CHECK_FAILS ? h->failures : h->notes;
    assert_int_equal(check->struct_size, sizeof *check);
    h->held += check->result == DP2DP_CHECK_HOLDS;
    h->failed += check->result == DP2DP_CHECK_FAILS;
    h->noted += check->result == DP2DP_CHECK_NOTED;
    if (check->result != DP2DP_CHECK_HOLDS) {
        size_t used = strlen(list);
        (void)snprintf(list + used, 2048 - used, "%s: %s\n", check->what, check->message);
    }
}

static heard ask(const char *const *files) {
    heard h = {0};
    dp2dp_error error = {0};
    size_t n = 0;
    while (files[n]) {
        n++;
    }
    dp2dp_status status = dp2dp_verify(files, n, hear, &h, &error);
    assert_int_equal(status, h.failed > 0 ? DP2DP_STATUS_DATA : OK);
    assert_int_equal(error.message[0] != '\0', h.failed > 0);
    return h;
}
#define VERIFY(...) ask((const char *const[]) {__VA_ARGS__, NULL})

/* Removes the lock file of a ledger, which names the last entry. */
static void unlock(const char *path) {
    char name[160];
    (void)snprintf(name, sizeof name, "%s.lock", path);
    (void)remove(name);
}

/* Removes the last n lines with entries of a ledger file. */
static void cut_beside_lock(const char *path, int n) {
    char command[640];
    (void)snprintf(command, sizeof command,
                   "{ head -n -%d %s | sed '$s/,$//'; tail -n 2 %s; } > %s.cut && mv %s.cut %s",
                   n + 2, path, path, path, path, path);
    assert_int_equal(system(command), 0);
}

static void cut(const char *path, int n) {
    cut_beside_lock(path, n);
    unlock(path);
}

TEST_IN_FOLDER(a_lock_file_shows_that_a_tail_was_cut) {
    cut_beside_lock(at.pool, 1);
    heard h = VERIFY(at.pool);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "an older copy was restored");
    unlock(at.pool);
    assert_int_equal(VERIFY(at.pool).failed, 0);
}

TEST_IN_FOLDER(documents_of_one_history_hold_together) {
    heard h = VERIFY(at.pool, at.model, at.held, at.certificate);
    assert_int_equal(h.failed, 0);
    assert_int_equal(h.held, 4 + 2 + 3); /* files; the model's; the certificate's */
    assert_int_equal(h.noted, 1);        /* nobody published the certificate */
    assert_says(h.notes, "published: no ledger says");
}

TEST_IN_FOLDER(a_ledger_with_a_cut_tail_reads_well_but_misses_a_release) {
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dp_model_load(at.model, &model, &test_error));
    cut(at.pool, 1); /* the published entry */
    heard h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 0);
    assert_int_equal(h.noted, 1);
    cut(at.pool, 1); /* one of the charges */
    h = VERIFY(at.pool);
    assert_int_equal(h.failed, 0);
    h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "release: the rule (release ");
    assert_says(h.failures, release_of(model));
    assert_says(h.failures, "is missing from the ledger. The release may have been charged to "
                            "another ledger: give that ledger too.");
    cut(at.held, 1);
    h = VERIFY(at.held, at.certificate);
    assert_int_equal(h.failed, 2);
    assert_says(h.failures, sample_certified.certificate.release_id);
    assert_says(h.failures, "ledger-entry: the entry ");
}

TEST_IN_FOLDER(another_model_in_place_of_the_right_one_is_found) {
    HANDLE(dp2dp_model) *other = fit_with(NULL, 2, NULL);
    assert_ok(dp2dp_model_save(other, at.model, &test_error));
    heard h = VERIFY(at.model);
    assert_int_equal(h.failed, 0);
    h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, release_of(other));
    h = VERIFY(at.model, at.certificate);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "model: the certificate is about another model");
}

static char *slurp(const char *path) {
    FILE *stream = fopen(path, "r");
    char *text = calloc(1, 65536);
    assert_true(stream && text && fread(text, 1, 65535, stream) > 0);
    (void)fclose(stream);
    return text;
}

/* The forger computes a new checksum, so that the model is sound by itself. */
TEST_IN_FOLDER(a_forged_model_is_not_the_published_file) {
    FREED char *text = slurp(at.model);
    FREED char *forged = edit(text, "\"rho\": 0.0", "\"rho\": 0.5");
    write_text(at.model, forged);
    assert_int_equal(VERIFY(at.model).failed, 0);
    heard h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "published: the ledger says that this release was published as");
}

/* The version that wrote the ledger entry stated another sigma than the model does. */
TEST_IN_FOLDER(a_release_with_other_numbers_is_found) {
    HANDLE(dp2dp_model) *model = NULL;
    assert_ok(dp2dp_model_load(at.model, &model, &test_error));
    HANDLE(dp2dp_ledger) *other = new_ledger();
    const dp2dp_ledger *own = dp2dp_model_view(model)->ledger;
    for (size_t i = 0; i < dp2dp_ledger_size(own); i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        assert_ok(dp2dp_ledger_entry(own, i, &event, &rng, &test_error));
        event.sigma *= i == 0 ? 2 : 1;
        assert_ok(dp2dp_ledger_charge(other, &event, rng, &test_error));
    }
    TEXT_FREED char *text = NULL;
    size_t length;
    assert_ok(dp2dp_ledger_to_json(other, &text, &length, &test_error));
    write_text(at.pool, text);
    unlock(at.pool);
    heard h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "has a different sigma in the ledger");
    h = VERIFY(at.pool, at.held, at.model); /* no other ledger has it either */
    assert_int_equal(h.failed, 1);
}

/* A name is the caller's statement about who has paid. */
TEST_IN_FOLDER(a_release_charged_to_other_people_is_found) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    HANDLE(dp2dp_model) *model = sample_model(SAMPLE_PRIVATE);
    certified named = {.options = certify_options(NULL, 4)};
    char path[96];
    place(path, "named.ledger");
    assert_ok(dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &ledger, &test_error));
    named.options.ledger = ledger;
    named.options.people_name = "visitors";
    certify_sample(model, &named);
    TEXT_FREED char *text = certificate_text(model, &named);
    write_text(at.certificate, text);
    assert_int_equal(VERIFY(path, at.certificate).failed, 0);
    HANDLE(dp2dp_ledger) *other = new_ledger();
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_rng_kind rng;
    assert_ok(dp2dp_ledger_entry(ledger, 0, &event, &rng, &test_error));
    event.set = "staff";
    assert_ok(dp2dp_ledger_charge(other, &event, rng, &test_error));
    TEXT_FREED char *charged = NULL;
    size_t length;
    assert_ok(dp2dp_ledger_to_json(other, &charged, &length, &test_error));
    write_text(at.held, charged);
    unlock(at.held);
    assert_says(VERIFY(at.held, at.certificate).failures, "has a different name of the people");
}

TEST_IN_FOLDER(edited_and_missing_files_fail_alone) {
    static const char *const changes[][2] = {
        {"\"records\": 300", "\"records\": 301"},
        {"\"rows_per_person\":1", "\"rows_per_person\":2"},
        {"\"records\": 900", "\"records\": 901"},
    };
    const char *const files[] = {at.model, at.pool, at.certificate};
    for (int i = 0; i < 3; i++) {
        FREED char *text = slurp(files[i]);
        FREED char *changed = edited(text, changes[i][0], changes[i][1]);
        write_text(files[i], changed);
        heard h = VERIFY(files[i]);
        assert_int_equal(h.failed, 1);
        assert_int_equal(h.held, 0);
        assert_says(h.failures, "file: ");
    }
    assert_int_equal(unlink(at.held), 0);
    assert_says(VERIFY(at.held).failures, "No such file");
    write_text(at.held, "a,b\n1,2\n");
    assert_says(VERIFY(at.held).failures, "file: ");
    write_text(at.held, "{\"format\": \"dp2dp-schema\"}\n");
    assert_says(VERIFY(at.held).failures, "this file is a schema");
    write_text(at.held, "{\"format\": \"dp2dp-sweep\"}\n");
    assert_says(VERIFY(at.held).failures, "format: must be");
}

/* A rule that was learned on a classifier of other people: the training is in no ledger here. */
TEST_IN_FOLDER(training_that_is_in_no_ledger_is_noted) {
    HANDLE(dp2dp_model) *base = sample_model(SAMPLE_EXTERNAL);
    HANDLE(dp2dp_model) *both = fit_with(at.pool, 3, base);
    assert_ok(dp2dp_model_save(both, at.model, &test_error));
    heard h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 0);
    assert_says(h.notes, "training: the training (release ");
    assert_ok(dp2dp_model_save(base, at.model, &test_error)); /* here the training is what counts */
    h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "the training (release");
}

/* The certificate is edited, because a model without a rule gets none. */
TEST_IN_FOLDER(a_certificate_is_not_about_a_model_without_a_rule) {
    HANDLE(dp2dp_model) *base = sample_model(SAMPLE_EXTERNAL), *loaded = NULL;
    char *text = NULL;
    size_t length;
    assert_ok(dp2dp_model_save(base, at.model, &test_error));
    assert_ok(dp2dp_model_load(at.model, &loaded, &test_error));
    HANDLE(dp2dp_ledger) *ledger = new_ledger();
    dp2dp_certify_options options = certify_options(ledger, 9);
    assert_fails(dp2dp_certificate_to_json(&sample_certified.certificate, loaded, &options, &text,
                                           &length, &test_error),
                 ARGUMENT, "the certificate has 2 groups");
    json_t *root = json_load_file(at.certificate, 0, NULL);
    assert_int_equal(json_object_set_new(root, "model_checksum",
                                         json_string(dp2dp_model_view(loaded)->checksum)),
                     0);
    json_t *classes = json_array();
    for (size_t k = 0; k < 3; k++) {
        const char *name = dp2dp_model_view(loaded)->names.classes[k];
        assert_int_equal(json_array_append_new(classes, json_string(name)), 0);
    }
    assert_int_equal(json_object_set_new(root, "classes", classes), 0);
    FREED char *other = seal_json(root);
    json_decref(root);
    write_text(at.certificate, other);
    assert_says(VERIFY(at.certificate, at.model).failures, "model: the model has no rule");
}

TEST_IN_FOLDER(a_model_without_noise_has_no_release_to_find) {
    HANDLE(dp2dp_model) *exact = sample_model(SAMPLE_EXACT);
    HANDLE(dp2dp_model) *loaded = NULL;
    assert_ok(dp2dp_model_save(exact, at.model, &test_error));
    heard h = VERIFY(at.pool, at.model);
    assert_int_equal(h.failed, 0);
    assert_int_equal(h.noted, 2);
    assert_ok(dp2dp_model_load(at.model, &loaded, &test_error));
    publish(at.pool, NULL, dp2dp_model_view(loaded)->checksum);
    assert_int_equal(VERIFY(at.pool, at.model).noted, 1);
}

TEST_IN_FOLDER(files_of_version_1_are_checked_too) {
    for (size_t i = 0; i < GOLDENS; i++) {
        assert_int_equal(VERIFY(goldens[i]).failed, 0);
    }
    heard h = VERIFY(goldens[0], at.pool); /* its charges are in no ledger here */
    assert_int_equal(h.failed, 1);
    assert_says(h.failures, "made by version 1, which wrote no ids");
}

TEST_IN_FOLDER(calls_without_files_are_refused) {
    const char *const none[] = {at.model, NULL};
    assert_fails(dp2dp_verify(none, 0, NULL, NULL, &test_error), ARGUMENT, "paths");
    assert_fails(dp2dp_verify(NULL, 1, NULL, NULL, &test_error), ARGUMENT, "paths");
    assert_fails(dp2dp_verify(none, 2, NULL, NULL, &test_error), ARGUMENT, "path must not");
    assert_ok(dp2dp_verify(none, 1, NULL, NULL, &test_error));
}
