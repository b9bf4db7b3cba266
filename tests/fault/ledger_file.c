/* A ledger file when memory or disk fails or the process dies: the file is the complete old one or
 * the complete new one, and the ledger in memory agrees with it. */
#include "fault/fault_alloc.h"
#include "fault/fault_disk.h"
#include "folder.h"

#include <sys/wait.h>

#include <dp2dp/ledger.h>

FIXTURE(make_folder) {
    return make_folder_for("ledger.json");
}

FIXTURE(remove_folder) {
    char lock[96];
    (void)snprintf(lock, sizeof lock, "%s.lock", file);
    (void)unlink(file);
    (void)unlink(lock);
    return rmdir(folder); /* fails the test if a temporary file was left behind */
}

static dp2dp_ledger *open_ledger(void) {
    dp2dp_ledger *ledger = NULL;
    assert_ok(dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, NULL));
    return ledger;
}

static size_t size_on_disk(void) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_ok(dp2dp_ledger_load(file, &ledger, NULL));
    return dp2dp_ledger_size(ledger);
}

static int file_exists(void) {
    return access(file, F_OK) == 0;
}

static int temporary_exists(void) {
    char path[96];
    (void)snprintf(path, sizeof path, "%s.tmp", file);
    return access(path, F_OK) == 0;
}

static dp2dp_status charge_once(dp2dp_ledger *ledger) {
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1;
    event.sigma = 10;
    event.label = "label";
    return dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, &fault_error);
}

TEST_IN_FOLDER(out_of_memory_leaves_file_and_ledger_alike) {
    char lock[96];
    (void)snprintf(lock, sizeof lock, "%s.lock", file);
    /* Opens a ledger that does not exist yet, and charges it for the first time. */
    FAIL_EACH_ALLOCATION(20) {
        HANDLE(dp2dp_ledger) *ledger = (dp2dp_ledger *)&ledger;
        (void)unlink(file);
        (void)unlink(lock);
        fault_arm_run();
        fault_status = dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, &fault_error);
        assert_int_equal(ledger == NULL, fault_status != OK);
        if (ledger) {
            fault_status = charge_once(ledger);
        }
        fault_disarm();
        assert_int_equal(file_exists(), fault_status == OK);
        assert_false(temporary_exists());
        if (ledger) { /* with memory again, the same ledger works as if nothing had happened */
            assert_int_equal(dp2dp_ledger_size(ledger), fault_status == OK);
            assert_ok(charge_once(ledger));
            assert_int_equal(size_on_disk(), 1 + (fault_status == OK));
        }
    }
    assert_int_equal(unlink(file), 0);
    assert_int_equal(unlink(lock), 0);
    HANDLE(dp2dp_ledger) *first = open_ledger();
    assert_ok(dp2dp_ledger_set_budget(first, 5, 1e-6, NULL));
    assert_ok(charge_once(first));
    FAIL_EACH_ALLOCATION(30) {
        HANDLE(dp2dp_ledger) *ledger = (dp2dp_ledger *)&ledger;
        FAULTY(dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, &fault_error));
        assert_int_equal(ledger == NULL, fault_status != OK);
    }
    FAIL_EACH_ALLOCATION(50) {
        HANDLE(dp2dp_ledger) *ledger = open_ledger();
        size_t before = dp2dp_ledger_size(ledger);
        FAULTY(charge_once(ledger));
        assert_int_equal(dp2dp_ledger_size(ledger), before + (fault_status == OK));
        assert_int_equal(size_on_disk(), dp2dp_ledger_size(ledger));
        assert_false(temporary_exists());
    }
}

/* Each call to the disk fails once: nothing is charged, in memory or in the file, until a charge
 * succeeds. */
static void expect_no_charge_while_the_disk_fails(dp2dp_ledger *ledger) {
    int *const calls[] = {&writes_left, &fsyncs_left, &renames_left};
    size_t charged_before = dp2dp_ledger_size(ledger);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        *calls[i] = 0;
        assert_status(charge_once(ledger), IO);
        *calls[i] = -1;
        assert_says(fault_error.message, file);
        assert_int_equal(dp2dp_ledger_size(ledger), charged_before);
        assert_int_equal(file_exists() ? size_on_disk() : 0, charged_before);
        assert_int_equal(file_exists(), charged_before > 0);
        assert_false(temporary_exists());
    }
    assert_ok(charge_once(ledger));
    assert_int_equal(size_on_disk(), charged_before + 1);
}

TEST_IN_FOLDER(a_failed_write_or_rename_leaves_the_old_ledger) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    assert_ok(charge_once(ledger));
    expect_no_charge_while_the_disk_fails(ledger);
}

TEST_IN_FOLDER(a_failed_write_or_rename_leaves_no_new_ledger) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    expect_no_charge_while_the_disk_fails(ledger);
}

TEST_IN_FOLDER(a_file_that_appears_meanwhile_is_not_replaced) {
    struct stat info;
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    appears_at_rename = 1;
    assert_status(charge_once(ledger), IO);
    appears_at_rename = 0;
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
    assert_true(lstat(file, &info) == 0 && info.st_size == 0);
    assert_false(temporary_exists());
}

/* After the rename the charge is in the file. It counts, although the call returns an error. */
TEST_IN_FOLDER(a_folder_that_cannot_be_synced_is_reported_and_the_charge_stays) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    fsyncs_left = 1;
    assert_status(charge_once(ledger), IO);
    fsyncs_left = -1;
    assert_says(fault_error.message, folder);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    assert_int_equal(size_on_disk(), 1);
    assert_ok(charge_once(ledger));
    assert_int_equal(size_on_disk(), 2);
}

/* The lock file is written last: until then, it names no entry that the disk could lose, or that
 * only a lost ledger had. */
TEST_IN_FOLDER(a_folder_that_cannot_be_synced_leaves_a_ledger_that_can_be_opened) {
    dp2dp_ledger *ledger = open_ledger(), *fresh = NULL;
    assert_ok(charge_once(ledger));
    assert_ok(charge_once(ledger));
    dp2dp_ledger_free(ledger);
    assert_int_equal(unlink(file), 0);
    assert_ok(dp2dp_ledger_create(file, DP2DP_REPLACE_ONE, &fresh, NULL));
    fsyncs_left = 0; /* that of the lock file */
    assert_status(charge_once(fresh), IO);
    assert_false(file_exists());
    fsyncs_left = 1; /* that of the folder */
    assert_status(charge_once(fresh), IO);
    fsyncs_left = -1;
    dp2dp_ledger_free(fresh);
    ledger = open_ledger();
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    assert_ok(charge_once(ledger));
    dp2dp_ledger_free(ledger);
}

TEST_IN_FOLDER(interrupted_and_short_writes_are_completed) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    short_writes = 1;
    assert_ok(charge_once(ledger));
    assert_true(short_writes > 4);
    short_writes = 0;
    assert_int_equal(size_on_disk(), 1);
}

static void another_process_dies_at_the_rename(dp2dp_ledger *ledger) {
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        die_at_rename = 1;
        (void)charge_once(ledger);
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(temporary_exists());
}

TEST_IN_FOLDER(a_process_that_dies_before_the_rename_holds_nobody_up) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    another_process_dies_at_the_rename(ledger);
    assert_false(file_exists());
    assert_ok(charge_once(ledger)); /* the lock is free; the temporary file is replaced */
    assert_int_equal(size_on_disk(), 1);
    another_process_dies_at_the_rename(ledger);
    assert_int_equal(size_on_disk(), 1);
    assert_ok(charge_once(ledger));
    assert_int_equal(size_on_disk(), 2);
}

GROUP(fault_include_json, NULL)
