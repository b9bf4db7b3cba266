#include "input/data_files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sodium.h>

#include "common/progress.h"

dp2dp_status cli_data_folder(const cli_args *args, const char **out, dp2dp_error *error) {
    *out = cli_given(args, "data-dir") ? cli_word(args, "data-dir") : getenv("DP2DP_DATA");
    return *out && **out
               ? DP2DP_STATUS_OK
               : cli_refuse(error,
                            "no folder of data sets is given: name it with --data-dir or in the "
                            "environment variable DP2DP_DATA");
}

dp2dp_status cli_data_path(const char *folder, const cli_data_file *file, char path[PATH_MAX],
                           dp2dp_error *error) {
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, file->path);
    return length < PATH_MAX
               ? DP2DP_STATUS_OK
               : cli_fail(error, DP2DP_STATUS_IO, "%.200s: the path is too long", folder);
}

/* Fails with IO because an action, such as "open", failed for the path; errno says why. */
static dp2dp_status io_fail(const char *action, const char *path, dp2dp_error *error) {
    return cli_fail(error, DP2DP_STATUS_IO, "cannot %s: %s: %.200s", action, strerror(errno), path);
}

typedef struct copy {
    FILE *to; /* NULL: the file is read only for its checksum */
    int skip;
    int in_line; /* 1: the last line that was written has no newline yet */
    uint64_t lines;
} copy;

/* Copies the next bytes of a file, without the first c->skip lines and without empty lines. */
static void copy_bytes(copy *c, const char *bytes, size_t length) {
    for (const char *end = bytes + length; bytes < end;) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t run = (size_t)((newline ? newline : end) - bytes);
        if (c->skip > 0) {
            c->skip -= newline != NULL;
        } else {
            fwrite(bytes, 1, run, c->to);
            c->in_line |= run > 0;
            if (newline && c->in_line) {
                fputc('\n', c->to);
                c->lines++;
                c->in_line = 0;
            }
        }
        bytes += run + (newline != NULL);
    }
}

/* Reads a file once, copies its lines and checks its checksum. If the file does not exist, sets
 * *state to CLI_DATA_ABSENT, which is not a failure. */
static dp2dp_status pass_file(const char *path, const cli_data_file *file, copy *c,
                              cli_data_state *state, dp2dp_error *error) {
    crypto_hash_sha256_state hash;
    unsigned char sum[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof sum + 1], block[1 << 16];
    size_t length;
    FILE *from = fopen(path, "rb");
    *state = CLI_DATA_ABSENT;
    if (from == NULL) {
        return errno == ENOENT || errno == ENOTDIR ? DP2DP_STATUS_OK : io_fail("open", path, error);
    }
    (void)crypto_hash_sha256_init(&hash);
    while ((length = fread(block, 1, sizeof block, from)) > 0) {
        (void)crypto_hash_sha256_update(&hash, (const unsigned char *)block, length);
        if (c->to) {
            copy_bytes(c, block, length);
        }
    }
    int failed = ferror(from);
    fclose(from);
    if (failed) {
        return cli_fail(error, DP2DP_STATUS_IO, "%.200s: cannot read the file", path);
    }
    if (c->to && c->in_line) {
        copy_bytes(c, "\n", 1);
    }
    (void)crypto_hash_sha256_final(&hash, sum);
    (void)sodium_bin2hex(hex, sizeof hex, sum, sizeof sum);
    *state = strcmp(hex, file->sha256) == 0 ? CLI_DATA_GOOD : CLI_DATA_WRONG;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_data_check(const char *path, const cli_data_file *file, cli_data_state *state,
                            dp2dp_error *error) {
    copy nowhere = {0};
    return pass_file(path, file, &nowhere, state, error);
}

static dp2dp_status join_file(const char *folder, const cli_data_set *set,
                              const cli_data_file *file, FILE *to, uint64_t *rows,
                              dp2dp_error *error) {
    char path[PATH_MAX];
    copy c = {.to = file->is_table ? to : NULL, .skip = file->skip};
    cli_data_state state;
    CLI_TRY(cli_data_path(folder, file, path, error));
    CLI_TRY(pass_file(path, file, &c, &state, error));
    *rows += c.lines;
    if (state == CLI_DATA_WRONG) {
        return cli_fail(error, DP2DP_STATUS_DATA,
                        "%.120s: wrong SHA-256, so this is not the published file of the data "
                        "set",
                        path);
    }
    if (state == CLI_DATA_GOOD || !file->is_table) {
        return DP2DP_STATUS_OK;
    }
    return set->how_to_get
               ? cli_fail(error, DP2DP_STATUS_IO, "file not found: %.120s; %s", path,
                          set->how_to_get)
               : cli_fail(error, DP2DP_STATUS_IO,
                          "file not found: %.120s; download it with dp2dp data %s --data-dir DIR "
                          "--download",
                          path, set->name);
}

dp2dp_status cli_data_join(const char *folder, const cli_data_set *set, FILE *to, uint64_t *rows,
                           dp2dp_error *error) {
    *rows = 0;
    fprintf(to, "%s\n", set->header);
    for (size_t i = 0; i < set->file_count; i++) {
        CLI_TRY(join_file(folder, set, &set->files[i], to, rows, error));
    }
    return fflush(to) == 0 && !ferror(to) ? DP2DP_STATUS_OK : io_fail("write", "the table", error);
}

dp2dp_status cli_data_table(const char *folder, const cli_data_set *set,
                            char path[CLI_DATA_PATH_SIZE], FILE **table, uint64_t *rows,
                            dp2dp_error *error) {
    *table = tmpfile();
    if (*table == NULL) {
        return io_fail("create", "a temporary file", error);
    }
    dp2dp_status status = cli_data_join(folder, set, *table, rows, error);
    if (status != DP2DP_STATUS_OK) {
        fclose(*table);
        *table = NULL;
        return status;
    }
    rewind(*table);
    snprintf(path, CLI_DATA_PATH_SIZE, "/dev/fd/%d", fileno(*table));
    return DP2DP_STATUS_OK;
}

extern char **environ;

/* Creates the folder of `path` and the parent of that folder. */
static dp2dp_status make_folders(const char *path, dp2dp_error *error) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *inner = strrchr(folder, '/');
    *inner = '\0';
    char *outer = strrchr(folder, '/');
    if (outer && outer > folder) {
        *outer = '\0';
        (void)mkdir(folder, 0777); /* if this fails, the next mkdir reports it */
        *outer = '/';
    }
    return mkdir(folder, 0777) == 0 || errno == EEXIST ? DP2DP_STATUS_OK
                                                       : io_fail("make the folder", folder, error);
}

enum {
    NO_PROGRAM = 127 /* exit code if a program is not found, as in shells */
};

/* Runs the program words[0] with these words as its arguments. The program's standard output goes
 * to our standard error, since our standard output is only for results. */
static dp2dp_status run(const char *const *words, int *exit_code, dp2dp_error *error) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int wait_status = 0;
    CLI_TRY(cli_check_memory(posix_spawn_file_actions_init(&actions) == 0, "a process", error));
    int err = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (err == 0) {
        err = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    *exit_code = NO_PROGRAM;
    if (err != 0) {
        errno = err;
        return err == ENOENT ? DP2DP_STATUS_OK : io_fail("start", words[0], error);
    }
    while (waitpid(child, &wait_status, 0) < 0) {
        if (errno != EINTR) {
            return io_fail("wait for", words[0], error);
        }
    }
    *exit_code = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    return DP2DP_STATUS_OK;
}

static dp2dp_status fetch(const char *url, const char *path, dp2dp_error *error) {
    const char *const curl[] = {"curl",       "--fail",   "--silent", "--show-error",
                                "--location", "--output", path,       "--",
                                url,          NULL};
    const char *const wget[] = {"wget", "--no-verbose", "-O", path, "--", url, NULL};
    int exit_code;
    CLI_TRY(run(curl, &exit_code, error));
    if (exit_code == NO_PROGRAM) {
        CLI_TRY(run(wget, &exit_code, error));
    }
    return exit_code == 0 ? DP2DP_STATUS_OK
           : exit_code == NO_PROGRAM
               ? cli_fail(error, DP2DP_STATUS_IO,
                          "neither curl nor wget is on the PATH; download the file by hand: %s",
                          url)
               : cli_fail(error, DP2DP_STATUS_IO, "the download failed: %s", url);
}

/* Makes the temporary file durable, then renames it to `path`. */
static dp2dp_status put_in_place(const char *temporary, const char *path, dp2dp_error *error) {
    int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 || fsync(fd) != 0;
    if (fd >= 0) {
        close(fd);
    }
    return failed || rename(temporary, path) != 0 ? io_fail("write", path, error) : DP2DP_STATUS_OK;
}

dp2dp_status cli_download(const cli_data_file *file, const char *path, dp2dp_error *error) {
    char temporary[PATH_MAX + 40];
    cli_data_state state;
    dp2dp_status status = DP2DP_STATUS_OK;
    snprintf(temporary, sizeof temporary, "%s.%ld.tmp", path, (long)getpid());
    cli_interrupt_removes(temporary);
    CLI_TRY_OR_DONE(make_folders(path, error));
    CLI_TRY_OR_DONE(fetch(file->url, temporary, error));
    CLI_TRY_OR_DONE(cli_data_check(temporary, file, &state, error));
    if (state != CLI_DATA_GOOD) {
        CLI_TRY_OR_DONE(cli_fail(error, DP2DP_STATUS_DATA,
                                 "the downloaded file has the wrong SHA-256 and was not kept: %s",
                                 file->url));
    }
    status = put_in_place(temporary, path, error);
done:
    if (status != DP2DP_STATUS_OK) {
        (void)unlink(temporary);
    }
    cli_interrupt_removes(NULL);
    return status;
}
