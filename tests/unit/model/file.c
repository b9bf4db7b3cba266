/* Tests saving to a file: the new file is complete, the old one survives a failure, and nothing
 * else in the folder changes. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "folder.h"
#include "unit/model/data.h"

static dp2dp_model *first, *second; /* two different models */

FIXTURE(make_folder) {
    return make_folder_for("model.json");
}

/* Every test removes the files that it made, except the model. */
FIXTURE(remove_folder) {
    (void)unlink(file);
    return rmdir(folder);
}

FIXTURE(make_models) {
    first = sample_model(SAMPLE_PRIVATE);
    second = sample_model(SAMPLE_EXACT);
    return 0;
}

FIXTURE(free_models) {
    dp2dp_model_free(first);
    dp2dp_model_free(second);
    return 0;
}

static void save(const dp2dp_model *model, const char *path) {
    assert_ok(dp2dp_model_save(model, path, &test_error));
}

static int names_in_folder(void) {
    DIR *stream = opendir(folder);
    int n = 0;
    assert_non_null(stream);
    while (readdir(stream)) {
        n++;
    }
    closedir(stream);
    return n - 2; /* . and .. */
}

static int holds(const char *path, const dp2dp_model *model) {
    char on_disk[16384];
    size_t length;
    char *text = text_of(model, &length);
    FILE *stream = fopen(path, "r");
    size_t n = stream ? fread(on_disk, 1, sizeof on_disk, stream) : 0;
    int same = n == length && memcmp(on_disk, text, n) == 0;
    if (stream) {
        (void)fclose(stream);
    }
    dp2dp_text_free(text);
    return same;
}

static unsigned mode_of(const char *path) {
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

TEST_IN_FOLDER(what_is_saved_loads_and_saves_to_the_same_bytes) {
    HANDLE(dp2dp_model) *loaded = NULL;
    save(first, file);
    assert_true(holds(file, first));
    assert_ok(dp2dp_model_load(file, &loaded, NULL));
    save(second, file);
    assert_true(holds(file, second));
    save(loaded, file);
    assert_true(holds(file, first));
    assert_int_equal(names_in_folder(), 1);
}

TEST_IN_FOLDER(a_ledger_is_not_replaced) {
    HANDLE(dp2dp_ledger) *ledger = new_ledger(), *loaded = NULL;
    TEXT_FREED char *text = NULL;
    size_t length;
    FILE *stream = fopen(file, "w");
    assert_non_null(stream);
    assert_ok(dp2dp_ledger_to_json(ledger, &text, &length, &test_error));
    assert_int_equal(fwrite(text, 1, length, stream), length);
    assert_int_equal(fclose(stream), 0);
    assert_fails(dp2dp_model_save(first, file, &test_error), ARGUMENT, "a privacy ledger");
    assert_ok(dp2dp_ledger_load(file, &loaded, &test_error));
}

TEST_IN_FOLDER(permissions_are_kept_and_new_ones_follow_the_umask) {
    mode_t before = umask(027);
    save(first, file);
    (void)umask(before);
    assert_int_equal(mode_of(file), 0640);
    assert_int_equal(chmod(file, 0604), 0);
    save(second, file);
    assert_int_equal(mode_of(file), 0604);
}

TEST_IN_FOLDER(a_symbolic_link_stays_and_its_file_is_replaced) {
    char link[96];
    struct stat info;
    (void)snprintf(link, sizeof link, "%s/link.json", folder);
    assert_int_equal(symlink("model.json", link), 0);
    assert_fails(dp2dp_model_save(first, link, &test_error), IO,
                 "the symbolic link points to a file that does not exist");
    save(first, file);
    save(second, link);
    assert_true(holds(file, second));
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(unlink(link), 0);
}

TEST_IN_FOLDER(files_with_similar_names_are_left_alone) {
    static const char *const suffixes[] = {".tmp", ".lock"};
    char path[96];
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s%s", file, suffixes[i]);
        FILE *stream = fopen(path, "w");
        assert_non_null(stream);
        assert_int_equal(fclose(stream), 0);
    }
    save(first, file);
    save(second, file);
    assert_int_equal(names_in_folder(), 3);
    for (int i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s%s", file, suffixes[i]);
        assert_int_equal(unlink(path), 0);
    }
}

static void assert_io(const char *path, const char *because) {
    dp2dp_error error = {0};
    assert_status(dp2dp_model_save(first, path, &error), IO);
    if (strstr(error.message, because) == NULL || strstr(error.message, path) == NULL) {
        fail_msg("%s", error.message);
    }
}

TEST_IN_FOLDER(paths_that_cannot_hold_a_file_are_refused) {
    char path[5000];
    dp2dp_error error = {0};
    dp2dp_model *model = (dp2dp_model *)&model;
    assert_io(folder, "not a regular file");
    (void)snprintf(path, sizeof path, "%s/", folder);
    assert_io(path, "not a regular file");
    (void)snprintf(path, sizeof path, "%s/none/model.json", folder);
    assert_io(path, "cannot find the folder");
    assert_io("/dev/null", "not a regular file");
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_status(dp2dp_model_save(first, path, &error), IO);
    assert_status(dp2dp_model_load(file, &model, &error), IO);
    assert_null(model);
    assert_says(error.message, "cannot open: No such file");
    assert_fails(dp2dp_model_load(folder, &model, &test_error), IO, "not a regular file");
    assert_int_equal(names_in_folder(), 0);
}

TEST_IN_FOLDER(a_damaged_file_is_refused_with_its_path) {
    dp2dp_error error = {0};
    dp2dp_model *model = (dp2dp_model *)&model;
    save(first, file);
    assert_int_equal(truncate(file, 1000), 0);
    assert_status(dp2dp_model_load(file, &model, &error), DATA);
    assert_null(model);
    assert_says(error.message, file);
    assert_int_equal(truncate(file, (off_t)64 * 1024 * 1024 + 1), 0); /* a sparse file */
    assert_fails(dp2dp_model_load(file, &model, &test_error), DATA, "longer than 67108864 bytes: ");
    save(second, file); /* saving does not read the old file */
    assert_true(holds(file, second));
}

static int in_child(int (*task)(int), int argument) {
    pid_t child = fork();
    int status = -1;
    assert_true(child >= 0);
    if (child == 0) {
        _exit(task(argument));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Saves as the user nobody, because root may write anywhere. */
static int save_as_nobody(int unused) {
    (void)unused;
    dp2dp_error error = {0};
    if (geteuid() == 0 && setuid(65534) != 0) {
        return 99;
    }
    dp2dp_status status = dp2dp_model_save(second, file, &error);
    return strstr(error.message, "Permission denied") && strstr(error.message, file) ? (int)status
                                                                                     : 98;
}

TEST_IN_FOLDER(what_may_not_be_written_is_refused_with_its_path) {
    save(first, file);
    assert_int_equal(chmod(file, 0444), 0);
    assert_status(in_child(save_as_nobody, 0), IO);
    assert_int_equal(chmod(file, 0666), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_status(in_child(save_as_nobody, 0), IO);
    assert_true(holds(file, first));
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    assert_status(in_child(save_as_nobody, 0), IO); /* without an old file */
    assert_int_equal(chmod(folder, 0777), 0);
}

/* Limits the file size to simulate a full disk. SIGXFSZ is ignored, so write fails with EFBIG. */
static int save_on_a_full_disk(int bytes) {
    const struct rlimit limit = {(rlim_t)bytes, (rlim_t)bytes};
    dp2dp_error error = {0};
    if (signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 99;
    }
    dp2dp_status status = dp2dp_model_save(second, file, &error);
    return strstr(error.message, "cannot write") && strstr(error.message, file) ? (int)status : 98;
}

TEST_IN_FOLDER(a_full_disk_leaves_the_old_model_whole) {
    save(first, file);
    for (int bytes = 0; bytes <= 1000; bytes += 500) {
        assert_status(in_child(save_on_a_full_disk, bytes), IO);
        assert_true(holds(file, first));
        assert_int_equal(names_in_folder(), 1);
    }
}

static int save_again_and_again(int which) {
    for (int i = 0; i < 20; i++) {
        if (dp2dp_model_save(which % 2 ? first : second, file, NULL) != OK) {
            return 1;
        }
    }
    return 0;
}

TEST_IN_FOLDER(a_reader_among_writers_sees_one_model_or_the_other) {
    enum {
        WRITERS = 4
    };
    pid_t children[WRITERS];
    save(first, file);
    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            _exit(save_again_and_again(i));
        }
    }
    for (int i = 0; i < 40; i++) {
        HANDLE(dp2dp_model) *model = NULL;
        assert_ok(dp2dp_model_load(file, &model, &test_error));
    }
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(names_in_folder(), 1);
}

GROUP(make_models, free_models)
