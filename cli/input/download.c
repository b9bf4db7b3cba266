#include "input/data_files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/interrupt.h"
#include "common/out.h"

extern char **environ;

static dp2dp_status io_fail(const char *action, const char *path, dp2dp_error *error) {
    return cli_fail(error, DP2DP_STATUS_IO, "cannot %s: %s: %.200s", action, strerror(errno), path);
}

/* The folder of a path and the one above it: a data directory and the folder of one set. */
static dp2dp_status make_folders(const char *path, dp2dp_error *error) {
    char *folder = strdup(path);
    dp2dp_status status = DP2DP_STATUS_OK;
    if (folder == NULL) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a path");
    }
    char *inner = strrchr(folder, '/');
    *inner = '\0';
    char *outer = strrchr(folder, '/');
    if (outer && outer > folder) {
        *outer = '\0';
        (void)mkdir(folder, 0777); /* whether it is there shows in a moment */
        *outer = '/';
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        status = io_fail("make the folder", folder, error);
    }
    free(folder);
    return status;
}

/* Its talk goes to standard error, not among the answer. *found is 0 where there is no such
 * program. */
static dp2dp_status run(const char *const *words, int *found, int *succeeded, dp2dp_error *error) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    int wait_status = 0;
    *found = 0;
    *succeeded = 0;
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a process");
    }
    int err = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    if (err == 0) {
        err = posix_spawnp(&child, words[0], &actions, NULL, (char *const *)words, environ);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    *found = err != ENOENT;
    if (err != 0) {
        return *found ? cli_fail(error, DP2DP_STATUS_IO, "cannot start %s: %s", words[0],
                                 strerror(err))
                      : DP2DP_STATUS_OK;
    }
    while (waitpid(child, &wait_status, 0) < 0) {
        if (errno != EINTR) {
            return cli_fail(error, DP2DP_STATUS_IO, "cannot wait for %s: %s", words[0],
                            strerror(errno));
        }
    }
    *succeeded = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0;
    return DP2DP_STATUS_OK;
}

static dp2dp_status fetch(const char *url, const char *path, dp2dp_error *error) {
    const char *const curl[] = {"curl",       "--fail",   "--silent", "--show-error",
                                "--location", "--output", path,       "--",
                                url,          NULL};
    const char *const wget[] = {"wget", "--no-verbose", "-O", path, "--", url, NULL};
    int found, succeeded;
    CLI_TRY(run(curl, &found, &succeeded, error));
    if (!found) {
        CLI_TRY(run(wget, &found, &succeeded, error));
    }
    if (!found) {
        return cli_fail(error, DP2DP_STATUS_IO,
                        "neither curl nor wget is on the PATH; get it by hand: %s", url);
    }
    if (!succeeded) {
        return cli_fail(error, DP2DP_STATUS_IO, "the download failed: %s", url);
    }
    return DP2DP_STATUS_OK;
}

/* What is to be kept is made durable before it gets its name. */
static dp2dp_status put_in_place(const char *temporary, const char *path, dp2dp_error *error) {
    int fd = open(temporary, O_RDONLY | O_CLOEXEC);
    int failed = fd < 0 || fsync(fd) != 0;
    if (fd >= 0) {
        close(fd);
    }
    return failed || rename(temporary, path) != 0 ? io_fail("put in place", path, error)
                                                  : DP2DP_STATUS_OK;
}

dp2dp_status cli_download(const cli_data_file *file, const char *path, dp2dp_error *error) {
    size_t size = strlen(path) + 40;
    char *temporary = malloc(size);
    cli_data_state state;
    dp2dp_status status = DP2DP_STATUS_OK;
    CLI_TRY(cli_check_memory(temporary, "a path", error));
    snprintf(temporary, size, "%s.%ld.tmp", path, (long)getpid());
    cli_interrupt_removes(temporary);
    CLI_TRY_OR_DONE(make_folders(path, error));
    CLI_TRY_OR_DONE(fetch(file->url, temporary, error));
    CLI_TRY_OR_DONE(cli_data_check(temporary, file, &state, error));
    if (state != CLI_DATA_GOOD) {
        CLI_TRY_OR_DONE(cli_fail(error, DP2DP_STATUS_DATA,
                                 "what was downloaded has another SHA-256 and was not kept: %s",
                                 file->url));
    }
    status = put_in_place(temporary, path, error);
done:
    if (status != DP2DP_STATUS_OK) {
        (void)unlink(temporary);
    }
    cli_interrupt_removes(NULL);
    free(temporary);
    return status;
}
