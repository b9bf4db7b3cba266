#include "output/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "input/data_files.h"
#include "input/kind.h"
#include "output/format.h"

dp2dp_status cli_place_fail(dp2dp_error *error, const char *action, int err, const char *path) {
    return cli_fail(error, DP2DP_STATUS_IO, "cannot %s: %s: %.200s%s", action, strerror(err), path,
                    err == EISDIR   ? "; name a file in this folder"
                    : err == ENOENT ? "; create the folder of this file first"
                                    : "");
}

size_t cli_place_folder(const char *path, char folder[PATH_MAX]) {
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    snprintf(folder, PATH_MAX, "%.*s", length ? (int)length : 1, length ? path : ".");
    return length;
}

static int is_file(const char *path, const struct stat *info) {
    struct stat other;
    return stat(path, &other) == 0 && other.st_dev == info->st_dev && other.st_ino == info->st_ino;
}

/* Writes the folder of a path, with links resolved, to `folder`; "" if the folder does not exist.
 * Returns the file's name. */
static const char *split(const char *path, char folder[PATH_MAX]) {
    char part[PATH_MAX];
    size_t length = cli_place_folder(path, part);
    if (realpath(part, folder) == NULL) {
        folder[0] = '\0';
    }
    return path + length;
}

int cli_place_same(const char *path, const char *other) {
    struct stat info;
    char folder[PATH_MAX], other_folder[PATH_MAX];
    if (stat(path, &info) == 0) {
        return S_ISREG(info.st_mode) && is_file(other, &info);
    }
    return stat(other, &info) != 0 &&
           strcmp(split(path, folder), split(other, other_folder)) == 0 && folder[0] != '\0' &&
           strcmp(folder, other_folder) == 0;
}

static const cli_data_set *set_of(const cli_args *args) {
    int operands = args->operand_count > 0;
    if (cli_option_find(args->verb, "data-dir") == NULL) {
        return NULL;
    }
    if (cli_option_find(args->verb, "schema")) {
        return operands ? NULL : cli_data_set_of_schema(cli_word(args, "schema"));
    }
    return operands ? cli_data_set_find(args->operands[0]) : NULL;
}

static int is_in_data_set(const cli_args *args, const struct stat *info) {
    const cli_data_set *set = set_of(args);
    const char *folder = NULL;
    char path[PATH_MAX];
    dp2dp_error ignored;
    if (set == NULL || cli_data_folder(args, &folder, &ignored) != DP2DP_STATUS_OK) {
        return 0;
    }
    for (size_t i = 0; i < set->file_count; i++) {
        if (cli_data_path(folder, &set->files[i], path, &ignored) == DP2DP_STATUS_OK &&
            is_file(path, info)) {
            return 1;
        }
    }
    return 0;
}

/* Returns whether the file is an operand, the value of an option that names a file to read, or part
 * of the data set that the command reads. */
static int is_input(const cli_args *args, const struct stat *info) {
    static const char inputs[] = "schema|model|weights|draft-from|test|sweep|certificate";
    for (size_t i = 0; i < args->operand_count; i++) {
        if (is_file(args->operands[i], info)) {
            return 1;
        }
    }
    for (size_t i = 0; i < args->verb->option_count; i++) {
        if (args->values[i].given && cli_list_has(inputs, args->verb->options[i].name) &&
            is_file(args->values[i].text, info)) {
            return 1;
        }
    }
    return is_in_data_set(args, info);
}

static dp2dp_status check_existing(const cli_args *args, const char *option, const char *path,
                                   const struct stat *info, dp2dp_error *error) {
    if (S_ISDIR(info->st_mode)) {
        return cli_place_fail(error, "write", EISDIR, path);
    }
    if (!S_ISREG(info->st_mode) && cli_format_of(path) == CLI_FORMAT_PARQUET) {
        return cli_refuse(error, "--%s %.200s: Parquet cannot be written to a pipe; name a file",
                          option, path);
    }
    /* Renaming would replace even a read-only file, so the permission is checked here. */
    if (access(path, W_OK) != 0) {
        return cli_place_fail(error, "write", errno, path);
    }
    if (S_ISREG(info->st_mode) && is_input(args, info)) {
        return cli_refuse(error, "--%s would overwrite an input: %.200s", option, path);
    }
    if (cli_kind_is_ledger(path)) {
        return cli_refuse(error,
                          "--%s would replace a privacy ledger, the only record of the budget "
                          "spent so far: %.200s; choose another name",
                          option, path);
    }
    return S_ISREG(info->st_mode) && !cli_given(args, "force")
               ? cli_refuse(error, "--%s: the file exists already: %.200s; --force replaces it",
                            option, path)
               : DP2DP_STATUS_OK;
}

dp2dp_status cli_place_look(const cli_args *args, const char *option, const char *path,
                            struct stat *info, int *exists, dp2dp_error *error) {
    *exists = stat(path, info) == 0;
    if (*exists) {
        CLI_TRY(check_existing(args, option, path, info, error));
    } else if (errno != ENOENT) {
        return cli_place_fail(error, "write", errno, path);
    } else if (lstat(path, info) == 0) {
        /* A rename would replace a dangling link instead of creating its target. */
        return cli_fail(error, DP2DP_STATUS_IO,
                        "cannot write: the symbolic link leads to no file: %.200s", path);
    }
    return strcmp(option, "out") == 0 ? cli_format_check(args, path, error) : DP2DP_STATUS_OK;
}

/* If the path is a symbolic link, checks the folder of the link's target. */
dp2dp_status cli_place_check_folder(const char *path, dp2dp_error *error) {
    char *real = realpath(path, NULL), folder[PATH_MAX];
    (void)cli_place_folder(real ? real : path, folder);
    int err = access(folder, W_OK | X_OK) == 0 ? 0 : errno;
    free(real);
    return err ? cli_place_fail(error, "create", err, path) : DP2DP_STATUS_OK;
}

dp2dp_status cli_place_check(const cli_args *args, const char *option, const char *path,
                             dp2dp_error *error) {
    struct stat info;
    int exists;
    if (path == NULL || strcmp(path, "-") == 0) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(cli_place_look(args, option, path, &info, &exists, error));
    return !exists || S_ISREG(info.st_mode) ? cli_place_check_folder(path, error) : DP2DP_STATUS_OK;
}

int cli_place_open_locked(const char *path, mode_t mode) {
    struct stat held, named;
    for (int tries = 0; tries < 100; tries++) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
        if (fd < 0) {
            return -1;
        }
        /* Between our open and our lock, another process may have renamed or removed the file: if
         * so, try again. */
        int locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
        int err = errno;
        if (locked && fstat(fd, &held) == 0 && stat(path, &named) == 0 &&
            held.st_ino == named.st_ino && held.st_dev == named.st_dev) {
            return fd;
        }
        close(fd);
        if (!locked && err == EWOULDBLOCK) {
            errno = err;
            return -1;
        }
    }
    errno = EAGAIN;
    return -1;
}
