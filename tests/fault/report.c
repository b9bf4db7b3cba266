/* The report: if any allocation fails, dp2dp_report returns MEMORY and nothing leaks. */
#include "fault/fault_alloc.h"
#include "folder.h"

#include "unit/model/certified.h"
#include "unit/report/data.h"

static dp2dp_model *model;
static char certificate[96];

FIXTURE(make_folder) {
    dp2dp_ledger *ledger = new_ledger();
    certified c = {.options = certify_options(ledger, 5)};
    (void)fault_include_json(NULL);
    if (make_folder_for("sweep.csv") != 0) {
        return -1;
    }
    (void)snprintf(certificate, sizeof certificate, "%s/certificate.json", folder);
    model = sample_model(SAMPLE_PRIVATE);
    certify_sample(model, &c);
    char *text = certificate_text(model, &c);
    write_text(certificate, text);
    write_text(file, SWEEP_HEADER SWEEP_ROW("demographic_parity", "0", "1", "0", "0.1", "0.1",
                                            "true", "adult", "900")
                         SWEEP_ROW("demographic_parity", "0", "inf", "0", "0.1", "0.1", "true",
                                   "adult", "900"));
    dp2dp_text_free(text);
    dp2dp_ledger_free(ledger);
    return 0;
}

FIXTURE(remove_folder) {
    char command[96];
    dp2dp_model_free(model);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    return fault_outstanding != 0 || system(command);
}

TEST_IN_FOLDER(a_report_survives_every_failed_allocation) {
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    options.certificate = certificate;
    options.sweep = file;
    options.sweep_people = DP2DP_SWEEP_OTHER;
    FAIL_EACH_ALLOCATION(500) {
        TEXT_FREED char *page = (char *)&page;
        size_t length = 1;
        FAULTY(dp2dp_report(model, &options, &page, &length, &fault_error));
        assert_int_equal(page == NULL, fault_status != OK);
        assert_int_equal(length == 0, fault_status != OK);
    }
}

/* Most allocations are numbers of the page's data: a stride that shares no factor with their
 * pattern reaches all kinds of them. */
TEST_IN_FOLDER(a_report_on_test_people_survives_failed_allocations) {
    OWNED(tested) t = tested_people(60, 3, 2, 4);
    dp2dp_report_options options = DP2DP_REPORT_OPTIONS_INIT;
    use_tested(&t, AWARE, &options);
    options.threads = 1;
    FAIL_EACH_NTH_ALLOCATION(13, 50) {
        TEXT_FREED char *page = (char *)&page;
        size_t length = 1;
        FAULTY(dp2dp_report(model, &options, &page, &length, &fault_error));
        assert_int_equal(page == NULL, fault_status != OK);
        assert_int_equal(length == 0, fault_status != OK);
    }
}
