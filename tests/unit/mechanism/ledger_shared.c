/* A ledger file that several processes share. The first charge creates it, and concurrent charges
 * are neither lost nor exceed the budget. */
#include "unit/mechanism/ledger_file_data.h"

#include <signal.h>

/* Neither opening a ledger nor a refused charge creates a file. */
TEST_IN_FOLDER(a_ledger_begins_with_its_first_charge) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    assert_false(exists("") || exists(".lock") || exists(".tmp"));
    assert_status(try_charge(ledger, -1), ARGUMENT);
    assert_status(dp2dp_ledger_set_budget(ledger, -1, 1e-6, NULL), ARGUMENT);
    assert_false(exists("") || exists(".lock") || exists(".tmp"));
    assert_int_equal(dp2dp_ledger_size(ledger), 0);
    charge(ledger, "first");
    assert_true(exists("") && exists(".lock"));
    assert_int_equal(size_on_disk(), 1);
}

/* A budget creates the file, so that it binds other processes that charge later. */
TEST_IN_FOLDER(a_budget_is_kept_though_nothing_is_charged_yet) {
    dp2dp_ledger *ledger = open_ledger();
    assert_ok(dp2dp_ledger_set_budget(ledger, 1, 1e-6, NULL));
    dp2dp_ledger_free(ledger);
    assert_int_equal(size_on_disk(), 1);
    assert_int_equal(charges_on_disk(), 0);
    ledger = open_ledger();
    assert_status(try_charge(ledger, 0.5), BUDGET);
    dp2dp_ledger_free(ledger);
}

/* Both handles were opened before the file existed. The second must respect what the first wrote.
 */
TEST_IN_FOLDER(who_is_second_to_begin_joins_the_first) {
    HANDLE(dp2dp_ledger) *other = NULL;
    HANDLE(dp2dp_ledger) *first = open_ledger();
    HANDLE(dp2dp_ledger) *second = open_ledger();
    assert_ok(dp2dp_ledger_open(file, DP2DP_ADD_REMOVE, &other, NULL));
    assert_ok(dp2dp_ledger_set_budget(first, 1, 1e-6, NULL));
    charge(first, "first");
    assert_status(try_charge(second, 0.5), BUDGET);
    assert_status(dp2dp_ledger_set_budget(second, 2, 1e-6, NULL), ARGUMENT);
    charge(second, "second");
    assert_int_equal(charges_in(second), 2);
    assert_fails(try_charge(other, 10), ARGUMENT, "adjacency is add-remove");
    assert_int_equal(charges_on_disk(), 2);
}

/* A handle that has seen the file, even one that refused it, must not create the file again. */
TEST_IN_FOLDER(who_was_refused_for_a_file_has_seen_it) {
    HANDLE(dp2dp_ledger) *late = open_ledger(), *other = NULL;
    assert_ok(dp2dp_ledger_open(file, DP2DP_ADD_REMOVE, &other, NULL));
    charge(other, NULL);
    assert_status(try_charge(late, 10), ARGUMENT);
    assert_int_equal(unlink(file), 0);
    assert_status(try_charge(late, 10), IO);
    assert_false(exists(""));
}

TEST_IN_FOLDER(names_of_the_files_beside_a_ledger_are_refused) {
    static const char *const ends[] = {".tmp", ".lock"};
    for (size_t i = 0; i < 2; i++) {
        char path[256];
        dp2dp_ledger *ledger = NULL;
        (void)snprintf(path, sizeof path, "%s%s", file, ends[i]);
        assert_fails(dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &ledger, &test_error), ARGUMENT,
                     "must not end in");
        assert_null(ledger);
    }
}

TEST_IN_FOLDER(who_has_seen_the_file_does_not_begin_another) {
    HANDLE(dp2dp_ledger) *first = open_ledger();
    HANDLE(dp2dp_ledger) *second = open_ledger();
    assert_ok(dp2dp_ledger_set_budget(first, 1, 1e-6, NULL));
    assert_status(try_charge(second, 0.5), BUDGET);
    assert_int_equal(unlink(file), 0);
    assert_status(try_charge(first, 10), IO);
    assert_status(try_charge(second, 10), IO);
    assert_false(exists(""));
}

/* A file can appear between any two system calls of an open. A child moves a ledger to the path and
 * away again, so that each moment of an open is met many times. */
TEST_IN_FOLDER(a_ledger_that_another_process_is_creating_can_be_opened) {
    char aside[512];
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    charge(ledger, "first");
    remove_name("ledger.json.lock"); /* or the missing file would count as lost */
    (void)snprintf(aside, sizeof aside, "%s", in_folder("other.json"));
    pid_t child = fork();
    assert_true(child >= 0);
    while (child == 0) {
        if (rename(file, aside) != 0 || rename(aside, file) != 0) {
            _exit(1);
        }
    }
    int failed = 0;
    char message[sizeof test_error.message] = "";
    for (int i = 0; i < 4000; i++) {
        dp2dp_ledger *opened_now = NULL;
        if (dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &opened_now, &test_error) != OK) {
            failed++;
            (void)snprintf(message, sizeof message, "%s", test_error.message);
        }
        dp2dp_ledger_free(opened_now);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_string_equal(message, "");
    assert_int_equal(failed, 0);
}

enum {
    PROCESSES = 10,
    CHARGES = 8,
    ROUNDS = 20
};

static int charge_many(int who) {
    dp2dp_ledger *ledger = NULL;
    char label[32];
    if (dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, NULL) != OK) {
        return 1;
    }
    for (int i = 0; i < CHARGES; i++) {
        (void)snprintf(label, sizeof label, "%d.%d", who, i);
        dp2dp_event event = gaussian(10, label);
        if (dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL) != OK) {
            return 2;
        }
    }
    dp2dp_ledger_free(ledger);
    return 0;
}

/* Opens the ledger before the file exists, and charges when all processes have opened it. */
static int
    opened[2]; /* each child writes a byte to `opened`, then waits until the parent closes `go` */
static int go[2];
static int charge_when_all_have_opened(int who) {
    char byte = 0;
    dp2dp_ledger *ledger = NULL;
    (void)close(go[1]);
    dp2dp_status status = dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, NULL);
    int is_new = status == OK && ledger->is_new;
    if (write(opened[1], &byte, 1) != 1 || read(go[0], &byte, 1) != 0 || !is_new) {
        return 1;
    }
    dp2dp_event event = gaussian(10 + who, "begins");
    status = dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL);
    dp2dp_ledger_free(ledger);
    return status == OK ? 0 : 2;
}

/* Returns the number of charges before the budget refused one. */
static int charge_until_refused(int who) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    dp2dp_event event = gaussian(10, "step");
    int done = 0;
    (void)who;
    dp2dp_status status = dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, NULL);
    while (status == OK && done < 100) {
        status = dp2dp_ledger_charge(ledger, &event, DP2DP_RNG_SECURE, NULL);
        done += status == OK;
    }
    return status == DP2DP_STATUS_BUDGET ? done : 100;
}

static void start_together(int (*what)(int), pid_t children[PROCESSES]) {
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            _exit(what(i));
        }
    }
}

/* Waits for the children and returns the sum of their exit codes. */
static int join(const pid_t children[PROCESSES]) {
    int total = 0;
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        total += WEXITSTATUS(status);
    }
    return total;
}

static int run_together(int (*what)(int)) {
    pid_t children[PROCESSES];
    start_together(what, children);
    return join(children);
}

TEST_IN_FOLDER(ten_processes_begin_one_ledger) {
    for (int round = 0; round < ROUNDS; round++) {
        pid_t children[PROCESSES];
        char byte;
        int seen = 0;
        dp2dp_ledger *ledger = NULL;
        assert_int_equal(pipe(opened) || pipe(go), 0);
        start_together(charge_when_all_have_opened, children);
        for (int i = 0; i < PROCESSES; i++) {
            assert_int_equal(read(opened[0], &byte, 1), 1);
        }
        assert_false(exists("") || exists(".lock"));
        close(go[1]);
        assert_int_equal(join(children), 0);
        close(go[0]);
        close(opened[0]);
        close(opened[1]);
        assert_ok(dp2dp_ledger_load(file, &ledger, NULL));
        assert_int_equal(dp2dp_ledger_size(ledger), PROCESSES);
        for (size_t i = 0; i < PROCESSES; i++) {
            seen |= 1 << ((int)ledger->entries[i].event.sigma - 10);
        }
        assert_int_equal(seen, (1 << PROCESSES) - 1);
        dp2dp_ledger_free(ledger);
        remove_name("ledger.json");
        remove_name("ledger.json.lock");
    }
}

TEST_IN_FOLDER(ten_processes_lose_no_charge) {
    int seen[PROCESSES][CHARGES] = {{0}};
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_int_equal(run_together(charge_many), 0);
    assert_ok(dp2dp_ledger_load(file, &ledger, NULL));
    assert_int_equal(dp2dp_ledger_size(ledger), PROCESSES * CHARGES);
    for (size_t i = 0; i < PROCESSES * CHARGES; i++) {
        dp2dp_event event = DP2DP_EVENT_INIT;
        dp2dp_rng_kind rng;
        char *rest = NULL;
        assert_ok(dp2dp_ledger_entry(ledger, i, &event, &rng, NULL));
        long who = strtol(event.label, &rest, 10);
        long which = strtol(rest + 1, NULL, 10);
        assert_true(who >= 0 && who < PROCESSES && which >= 0 && which < CHARGES);
        seen[who][which]++;
    }
    for (int i = 0; i < PROCESSES * CHARGES; i++) {
        assert_int_equal(seen[i / CHARGES][i % CHARGES], 1);
    }
}

TEST_IN_FOLDER(ten_processes_stay_within_the_budget) {
    enum {
        FITTING = 17
    };
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    dp2dp_event event = gaussian(10, NULL);
    event.count = FITTING;
    HANDLE(dp2dp_ledger) *trial = new_ledger();
    assert_ok(dp2dp_ledger_charge(trial, &event, DP2DP_RNG_SECURE, NULL));
    /* Room for seventeen charges and a hundredth of one more. */
    assert_ok(dp2dp_ledger_set_budget(ledger, epsilon_spent(trial, 1e-5) * 1.0003, 1e-5, NULL));
    assert_int_equal(run_together(charge_until_refused), FITTING);
    assert_int_equal(charges_on_disk(), FITTING);
}
