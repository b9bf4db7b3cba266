/* Certificates as files, and dp2dp_verify: if any allocation fails, calls return MEMORY and nothing
 * leaks. */
#include "fault/fault_alloc.h"
#include "folder.h"

#include "model/certificate.h"
#include "unit/metrics/labelled.h"
#include "unit/model/certified.h"

static dp2dp_model *model;
static dp2dp_ledger *ledger;
static certified sample_certified;
static char *text;

FIXTURE(make_folder) {
    return make_folder_for("c.json");
}

FIXTURE(remove_folder) {
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

FIXTURE(make_sample) {
    (void)fault_include_json(NULL);
    model = sample_model(SAMPLE_PRIVATE);
    ledger = new_ledger();
    sample_certified.options = certify_options(ledger, 5);
    sample_certified.options.people_name = "visitors";
    certify_sample(model, &sample_certified);
    text = certificate_text(model, &sample_certified);
    return 0;
}

FIXTURE(free_sample) {
    dp2dp_text_free(text);
    dp2dp_ledger_free(ledger);
    dp2dp_model_free(model);
    return fault_outstanding != 0;
}

TEST(writing_survives_every_failed_allocation) {
    FAIL_EACH_ALLOCATION(151) {
        TEXT_FREED char *written = (char *)&written;
        size_t length = 1;
        FAULTY(dp2dp_certificate_to_json(&sample_certified.certificate, model,
                                         &sample_certified.options, &written, &length,
                                         &fault_error));
        assert_int_equal(written == NULL, fault_status != OK);
        assert_int_equal(length == 0, fault_status != OK);
    }
}

TEST(reading_survives_every_failed_allocation) {
    FAIL_EACH_ALLOCATION(51) {
        HANDLE(dp2dp_certificate_file) *read = (dp2dp_certificate_file *)&read;
        FAULTY(dp2dpi_certificate_from_json(text, strlen(text), &read, &fault_error));
        assert_int_equal(read == NULL, fault_status != OK);
    }
}

TEST(certificates_with_a_criterion_survive_every_failed_allocation) {
    OWNED(labelled) crowd = labelled_people(300, 3, 2, 1);
    dp2dp_fit_options fit = fit_for(DP2DP_CUSTOM);
    HANDLE(dp2dp_model) *fitted = labelled_model(&crowd, &fit, AWARE);
    HANDLE(dp2dp_pool) *pool = labelled_pool(&crowd, &fit, AWARE);
    HANDLE(dp2dp_ledger) *own = new_ledger();
    dp2dp_source source = dp2dp_pool_source(pool);
    dp2dp_certify_options options = certify_options(own, 6);
    dp2dp_certificate certificate = DP2DP_CERTIFICATE_INIT;
    double table[18];
    TEXT_FREED char *whole = NULL;
    size_t length = 0;
    certificate.table = table;
    assert_ok(dp2dp_certify(&source, fitted, &options, &certificate, &test_error));
    assert_ok(
        dp2dp_certificate_to_json(&certificate, fitted, &options, &whole, &length, &test_error));
    FAIL_EACH_ALLOCATION(151) {
        TEXT_FREED char *written = NULL;
        FAULTY(dp2dp_certificate_to_json(&certificate, fitted, &options, &written, &length,
                                         &fault_error));
        assert_int_equal(written == NULL, fault_status != OK);
    }
    FAIL_EACH_ALLOCATION(51) {
        HANDLE(dp2dp_certificate_file) *read = NULL;
        FAULTY(dp2dpi_certificate_from_json(whole, strlen(whole), &read, &fault_error));
        assert_int_equal(read == NULL, fault_status != OK);
    }
}

TEST_IN_FOLDER(verifying_survives_every_failed_allocation) {
    char model_path[96], ledger_path[96];
    TEXT_FREED char *ledger_text = NULL;
    size_t length;
    (void)snprintf(model_path, sizeof model_path, "%s/model.json", folder);
    (void)snprintf(ledger_path, sizeof ledger_path, "%s/ledger.json", folder);
    assert_ok(dp2dp_model_save(model, model_path, &test_error));
    assert_ok(dp2dp_ledger_to_json(ledger, &ledger_text, &length, &test_error));
    write_text(file, text);
    write_text(ledger_path, ledger_text);
    const char *const together[] = {file, model_path}, *const charged[] = {ledger_path, file};
    FAIL_EACH_NTH_ALLOCATION(3, 51) {
        FAULTY(dp2dp_verify(together, 2, NULL, NULL, &fault_error));
    }
    FAIL_EACH_NTH_ALLOCATION(3, 31) {
        FAULTY(dp2dp_verify(charged, 2, NULL, NULL, &fault_error));
    }
}

/* Writes a ledger with a charge for people of a name. */
static void write_named(const char *path) {
    HANDLE(dp2dp_ledger) *named = NULL;
    TEXT_FREED char *named_text = NULL;
    size_t length;
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1;
    event.sigma = 5;
    event.set = "us";
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &named, &test_error));
    assert_ok(dp2dp_ledger_set_budget(named, 10, 1e-5, &test_error));
    assert_ok(dp2dp_ledger_charge(named, &event, DP2DP_RNG_SECURE, &test_error));
    assert_ok(dp2dp_ledger_to_json(named, &named_text, &length, &test_error));
    write_text(path, named_text);
}

TEST_IN_FOLDER(comparing_ledgers_survives_every_failed_allocation) {
    char one[96], other[96];
    (void)snprintf(one, sizeof one, "%s/one.json", folder);
    (void)snprintf(other, sizeof other, "%s/other.json", folder);
    write_named(one);
    write_named(other);
    const char *const both[] = {one, other};
    FAIL_EACH_NTH_ALLOCATION(3, 31) {
        FAULTY(dp2dp_verify(both, 2, NULL, NULL, &fault_error));
    }
}

GROUP(make_sample, free_sample)
