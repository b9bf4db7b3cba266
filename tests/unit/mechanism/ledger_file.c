/* The ledger in a file: charges persist, unsuitable files are refused, and failures leave the file
 * whole. */
#include "unit/mechanism/ledger_file_data.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>

#include "base/file.h"

static dp2dp_ledger *begin_ledger(void) {
    dp2dp_ledger *ledger = open_ledger();
    charge(ledger, "before");
    return ledger;
}

static void write_text(const char *path, const char *text) {
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
}

TEST_IN_FOLDER(charges_outlive_the_handle) {
    dp2dp_ledger *ledger = open_ledger();
    assert_ok(dp2dp_ledger_set_budget(ledger, 5, 1e-6, NULL));
    charge(ledger, "first");
    assert_int_equal(charges_on_disk(), 1);
    charge(ledger, "second");
    dp2dp_ledger_free(ledger);
    ledger = open_ledger();
    int has;
    double epsilon, delta;
    assert_int_equal(dp2dp_ledger_size(ledger), 3); /* the budget is an entry too */
    assert_string_equal(entry_of(ledger, 2).label, "second");
    assert_ok(dp2dp_ledger_budget(ledger, &has, &epsilon, &delta, NULL));
    assert_true(has && epsilon == 5 && delta == 1e-6);
    assert_false(exists(".tmp"));
    dp2dp_ledger_free(ledger);
}

TEST_IN_FOLDER(two_handles_see_each_other) {
    HANDLE(dp2dp_ledger) *a = open_ledger();
    HANDLE(dp2dp_ledger) *b = open_ledger();
    charge(a, "a");
    charge(b, "b");
    assert_int_equal(dp2dp_ledger_size(b), 2);
    charge(a, "a");
    assert_int_equal(dp2dp_ledger_size(a), 3);
    /* A budget set through one handle binds the other, and cannot be raised through it. */
    assert_ok(dp2dp_ledger_set_budget(a, 1.5, 1e-6, NULL));
    assert_status(dp2dp_ledger_set_budget(b, 2, 1e-6, NULL), ARGUMENT);
    assert_status(try_charge(b, 0.5), BUDGET);
    assert_int_equal(charges_on_disk(), 3);
    assert_int_equal(charges_in(b), 2);
}

TEST_IN_FOLDER(a_loaded_ledger_never_reaches_the_file) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    HANDLE(dp2dp_ledger) *looked_at = NULL;
    charge(ledger, "kept");
    assert_ok(dp2dp_ledger_load(file, &looked_at, NULL));
    charge(looked_at, "not kept");
    assert_int_equal(dp2dp_ledger_size(looked_at), 2);
    assert_int_equal(size_on_disk(), 1);
}

TEST_IN_FOLDER(another_adjacency_is_refused) {
    dp2dp_ledger *ledger = begin_ledger();
    dp2dp_ledger_free(ledger);
    assert_status(dp2dp_ledger_open(file, DP2DP_ADD_REMOVE, &ledger, &test_error), ARGUMENT);
    assert_null(ledger);
    assert_says(test_error.message, "adjacency is add-remove");
    assert_says(test_error.message, "replace-one");
}

static void refuse_open(const char *path, dp2dp_status wanted) {
    dp2dp_ledger *ledger = (dp2dp_ledger *)folder;
    dp2dp_error error = {0};
    dp2dp_status status = dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &ledger, &error);
    if (status != wanted || ledger != NULL || strstr(error.message, path) == NULL) {
        fail_msg("status %d, message '%s'", (int)status, error.message);
    }
}

TEST_IN_FOLDER(what_is_not_a_ledger_file_is_refused_with_its_path) {
    struct stat info;
    refuse_open(folder, DP2DP_STATUS_IO);
    refuse_open("/dev/null", DP2DP_STATUS_IO);
    refuse_open(in_folder("missing/ledger.json"), DP2DP_STATUS_IO);
    refuse_open(in_folder("new/"), DP2DP_STATUS_IO);
    const char *path = in_folder("link.json");
    assert_int_equal(symlink("nowhere", path), 0);
    refuse_open(path, DP2DP_STATUS_IO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("link.json", path), 0); /* a loop */
    refuse_open(path, DP2DP_STATUS_IO);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(file, 0666), 0);
    refuse_open(file, DP2DP_STATUS_IO);
    assert_int_equal(unlink(file), 0);
    write_text(file, "");
    refuse_open(file, DP2DP_STATUS_DATA);
    write_text(file, "{\"format\":\"dp2dp-ledger\",");
    refuse_open(file, DP2DP_STATUS_DATA);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_size, 25); /* refused, and left as it was */
    char lock[256];
    (void)snprintf(lock, sizeof lock, "%s.lock", folder);
    assert_int_not_equal(lstat(lock, &info), 0);
    assert_int_not_equal(lstat("/dev/null.lock", &info), 0);
}

TEST_IN_FOLDER(a_path_too_long_is_refused) {
    char path[8192];
    dp2dp_ledger *ledger = NULL;
    memset(path, 'a', sizeof path);
    path[sizeof path - 1] = '\0';
    assert_status(dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &ledger, NULL), IO);
    path[300] = '\0';
    assert_status(dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &ledger, NULL), IO);
    assert_status(dp2dp_ledger_load(path, &ledger, NULL), IO);
    assert_null(ledger);
}

TEST_IN_FOLDER(a_symbolic_link_and_its_target_are_one_ledger) {
    struct stat info;
    HANDLE(dp2dp_ledger) *direct = begin_ledger(), *linked = NULL;
    const char *path = in_folder("link.json");
    assert_int_equal(symlink("ledger.json", path), 0);
    assert_ok(dp2dp_ledger_open(path, DP2DP_REPLACE_ONE, &linked, NULL));
    charge(linked, "through the link");
    charge(direct, "directly");
    assert_int_equal(dp2dp_ledger_size(direct), 3);
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

/* The file is moved and replaced by a link. A handle opened before the move would lock the old name
 * and replace the link by a copy, which users of the new place would never see. */
TEST_IN_FOLDER(a_ledger_that_moved_is_not_charged_at_its_old_place) {
    HANDLE(dp2dp_ledger) *before = begin_ledger();
    assert_int_equal(rename(file, in_folder("other.json")), 0);
    assert_int_equal(symlink("other.json", file), 0);
    assert_fails(try_charge(before, 10), IO, file);
    HANDLE(dp2dp_ledger) *after = open_ledger();
    charge(after, "after the move");
    assert_int_equal(size_on_disk(), 2);
}

TEST_IN_FOLDER(a_second_hard_link_is_refused) {
    dp2dp_ledger_free(begin_ledger());
    assert_int_equal(link(file, in_folder("other.json")), 0);
    refuse_open(file, DP2DP_STATUS_IO);
}

TEST_IN_FOLDER(a_relative_path_survives_a_change_of_folder) {
    char before[4096];
    HANDLE(dp2dp_ledger) *ledger = NULL;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    assert_ok(dp2dp_ledger_open("ledger.json", DP2DP_REPLACE_ONE, &ledger, NULL));
    assert_int_equal(chdir("/"), 0);
    charge(ledger, "from elsewhere");
    assert_int_equal(size_on_disk(), 1);
    assert_int_equal(chdir(before), 0);
}

TEST_IN_FOLDER(an_older_copy_put_back_is_noticed) {
    HANDLE(dp2dp_ledger) *ledger = open_ledger();
    charge(ledger, "one");
    assert_int_equal(rename(file, in_folder("other.json.saved")), 0);
    assert_fails(try_charge(ledger, 10), IO, file); /* gone */
    HANDLE(dp2dp_ledger) *fresh = NULL;             /* someone starts again from nothing */
    assert_ok(dp2dp_ledger_create(file, DP2DP_REPLACE_ONE, &fresh, &test_error));
    charge(fresh, "another one");
    assert_fails(try_charge(ledger, 10), DATA, "missing from the ledger or were changed");
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    assert_int_equal(size_on_disk(), 1);
}

TEST_IN_FOLDER(permissions_are_kept_and_a_stale_temporary_is_replaced) {
    struct stat info;
    HANDLE(dp2dp_ledger) *ledger = begin_ledger();
    assert_int_equal(chmod(file, 0640), 0);
    /* A link that must not be written through. */
    assert_int_equal(symlink("other.json", in_folder("ledger.json.tmp")), 0);
    charge(ledger, "kept");
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0640);
    assert_false(exists(".tmp"));
    assert_int_not_equal(lstat(in_folder("other.json"), &info), 0);
}

/* Root can open a file without permissions. The new file must not get more permissions. */
TEST_IN_FOLDER(a_ledger_without_permissions_gets_none) {
    struct stat info;
    HANDLE(dp2dp_ledger) *ledger = begin_ledger();
    assert_int_equal(chmod(file, 0), 0);
    assert_int_equal(try_charge(ledger, 10), geteuid() == 0 ? OK : DP2DP_STATUS_IO);
    assert_int_equal(stat(file, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0);
}

/* Another thread may fork while the lock is held. The child must not keep the lock. */
TEST_IN_FOLDER(the_lock_does_not_stay_with_a_forked_child) {
    int lock = -1, ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_ok(dp2dpi_file_lock(file, &lock, NULL));
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        char byte;
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) == 0 ? 0 : 1); /* waits until the parent closes the pipe */
    }
    dp2dpi_file_unlock(lock);
    int again = open(in_folder("ledger.json.lock"), O_RDWR | O_CLOEXEC);
    int answer = flock(again, LOCK_EX | LOCK_NB);
    close(again);
    close(ends[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(ends[0]);
    assert_int_equal(answer, 0);
}

/* A change during which another process deletes the lock file and a third process charges. */
static dp2dp_status charge_while_another_tidies_up(dp2dp_ledger *ledger, const void *label,
                                                   dp2dp_error *error) {
    dp2dpi_entry entry = {.info = {.kind = DP2DP_ENTRY_CHARGE},
                          .event = gaussian(10, label),
                          .rng = DP2DP_RNG_SECURE};
    assert_int_equal(unlink(in_folder("ledger.json.lock")), 0);
    HANDLE(dp2dp_ledger) *another = open_ledger();
    charge(another, "another");
    return dp2dpi_ledger_append(ledger, &entry, error);
}

TEST_IN_FOLDER(a_lock_deleted_meanwhile_loses_nobodys_charge) {
    HANDLE(dp2dp_ledger) *ledger = begin_ledger();
    assert_status(dp2dpi_ledger_transact(ledger, charge_while_another_tidies_up, "first", NULL),
                  IO);
    assert_int_equal(dp2dp_ledger_size(ledger), 1);
    assert_int_equal(size_on_disk(), 2);
    charge(ledger, "again");
    assert_int_equal(size_on_disk(), 3);
}

/* Runs a function in a child process and returns its exit code. */
static int in_child(int (*what)(int), int argument) {
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(what(argument));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Charges as user nobody, because root may write anywhere. Returns the status of the charge. */
static dp2dp_ledger *inherited;
static int charge_as_nobody(int unused) {
    (void)unused;
    dp2dp_event event = gaussian(10, "nobody");
    dp2dp_error error = {0};
    if (geteuid() == 0 && setuid(65534) != 0) {
        return 99;
    }
    dp2dp_status status = dp2dp_ledger_charge(inherited, &event, DP2DP_RNG_SECURE, &error);
    if (strstr(error.message, folder) == NULL || dp2dp_ledger_size(inherited) != 1) {
        return 98;
    }
    return (int)status;
}

static int open_as_nobody(int unused) {
    (void)unused;
    dp2dp_ledger *ledger = NULL;
    dp2dp_error error = {0};
    if (geteuid() == 0 && setuid(65534) != 0) {
        return 99;
    }
    dp2dp_status status = dp2dp_ledger_open(file, DP2DP_REPLACE_ONE, &ledger, &error);
    return ledger == NULL && strstr(error.message, file) ? (int)status : 98;
}

/* A ledger that cannot be written is refused when it is opened, not after hours of work. */
TEST_IN_FOLDER(what_could_not_be_written_is_refused_when_it_is_opened) {
    assert_int_equal(chmod(folder, 0555), 0);
    assert_status(in_child(open_as_nobody, 0), IO);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_false(exists("") || exists(".lock"));
    dp2dp_ledger_free(begin_ledger());
    assert_int_equal(chmod(file, 0666), 0);
    const char *lock = in_folder("ledger.json.lock");
    assert_int_equal(chmod(lock, 0444), 0);
    assert_status(in_child(open_as_nobody, 0), IO);
    assert_int_equal(chmod(lock, 0666), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_status(in_child(open_as_nobody, 0), IO);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(chmod(file, 0444), 0);
    assert_status(in_child(open_as_nobody, 0), IO);
}

TEST_IN_FOLDER(what_may_not_be_written_is_refused_with_its_path) {
    inherited = begin_ledger();
    assert_int_equal(chmod(in_folder("ledger.json.lock"), 0666), 0);
    assert_int_equal(chmod(file, 0444), 0);
    assert_status(in_child(charge_as_nobody, 0), IO);
    assert_int_equal(chmod(file, 0666), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_status(in_child(charge_as_nobody, 0), IO);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(size_on_disk(), 1);
    dp2dp_ledger_free(inherited);
}

/* Simulates a full disk by a limit on file size. The signal is ignored, so write fails with EFBIG.
 */
static int charge_on_a_full_disk(int bytes) {
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    dp2dp_event event = gaussian(10, "does not fit");
    dp2dp_error error = {0};
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 99;
    }
    dp2dp_status status = dp2dp_ledger_charge(inherited, &event, DP2DP_RNG_SECURE, &error);
    return strstr(error.message, file) && dp2dp_ledger_size(inherited) == 1 ? (int)status : 98;
}

TEST_IN_FOLDER(a_full_disk_leaves_the_old_ledger_whole) {
    inherited = begin_ledger();
    for (int bytes = 0; bytes < 300; bytes += 100) {
        assert_status(in_child(charge_on_a_full_disk, bytes), IO);
        assert_false(exists(".tmp"));
        assert_int_equal(size_on_disk(), 1);
    }
    charge(inherited, "after");
    assert_int_equal(size_on_disk(), 2);
    dp2dp_ledger_free(inherited);
}
