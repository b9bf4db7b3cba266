/* A ledger file in a new folder, for the tests of ledger files. */
#ifndef DP2DP_TESTS_UNIT_MECHANISM_LEDGER_FILE_DATA_H
#define DP2DP_TESTS_UNIT_MECHANISM_LEDGER_FILE_DATA_H

#include "folder.h"

#include <errno.h>
#include <sys/wait.h>

#include "mechanism/ledger.h"

#include "unit/mechanism/spent.h"

FIXTURE(make_folder) {
    return make_folder_for("ledger.json");
}

/* Until the next call. */
static inline const char *in_folder(const char *name) {
    static char path[512];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void remove_name(const char *name) {
    (void)unlink(in_folder(name));
    (void)rmdir(in_folder(name));
}

FIXTURE(remove_folder) {
    static const char *const names[] = {"ledger.json",     "ledger.json.lock", "ledger.json.tmp",
                                        "link.json",       "other.json",       "other.json.lock",
                                        "other.json.saved"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        remove_name(names[i]);
    }
    return rmdir(folder); /* fails if the test left another file in the folder */
}

static dp2dp_event gaussian(double sigma, const char *label) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1;
    event.sigma = sigma;
    event.label = label;
    return event;
}

static dp2dp_ledger *open_ledger(void) {
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, &test_error));
    return ledger;
}

/* Charges one release of sensitivity 1. */
static dp2dp_status try_charge(dp2dp_ledger *ledger, double sigma) {
    dp2dp_event event = gaussian(sigma, NULL);
    return dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error);
}

static inline void charge(dp2dp_ledger *ledger, const char *label) {
    dp2dp_event event = gaussian(10, label);
    assert_ok(dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &test_error));
}

/* The number of charges, and of all entries, in the file. */
static inline size_t charges_on_disk(void) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_ok(dp2dp_ledger_load(file, &ledger, NULL));
    return charges_in(ledger);
}

static inline size_t size_on_disk(void) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_ok(dp2dp_ledger_load(file, &ledger, NULL));
    return dp2dp_ledger_size(ledger);
}

static inline int exists(const char *suffix) {
    char path[128];
    struct stat info;
    (void)snprintf(path, sizeof path, "%s%s", file, suffix);
    return lstat(path, &info) == 0;
}

#endif
