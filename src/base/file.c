#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/move.h"

/* The path comes after the reason, so that a long one cannot push it out of the message. */
static dp2dp_status io_fail(dp2dp_error *error, const char *action, int err, const char *path) {
    char reason[96];
    if (strerror_r(err, reason, sizeof reason) != 0) {
        (void)snprintf(reason, sizeof reason, "error %d", err);
    }
    return dp2dpi_fail(error, DP2DP_STATUS_IO, "cannot %s: %s: %s", action, reason, path);
}

static dp2dp_status with_suffix(const char *path, const char *suffix, char **out,
                                dp2dp_error *error) {
    size_t size = strlen(path) + strlen(suffix) + 1;
    void *memory;
    dp2dp_status status = dp2dpi_alloc_for("a path", size, 1, &memory, error);
    *out = memory;
    if (status == DP2DP_STATUS_OK) {
        (void)snprintf(*out, size, "%s%s", path, suffix);
    }
    return status;
}

dp2dp_status dp2dpi_file_resolve(const char *path, char **out, dp2dp_error *error) {
    char real[PATH_MAX];
    char folder[PATH_MAX];
    struct stat info;
    *out = NULL;
    if (realpath(path, real)) {
        /* Refused before a lock file appears beside it. */
        if (stat(real, &info) == 0 && !S_ISREG(info.st_mode)) {
            return dp2dpi_fail(error, DP2DP_STATUS_IO, "not a regular file: %s", path);
        }
        return dp2dpi_strdup(real, out, error);
    }
    if (errno != ENOENT) {
        return io_fail(error, "find", errno, path);
    }
    if (lstat(path, &info) == 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO, "a dangling symbolic link: %s", path);
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    if (*name == '\0' || length >= sizeof folder) {
        return io_fail(error, "create", *name ? ENAMETOOLONG : EISDIR, path);
    }
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    if (realpath(folder, real) == NULL) {
        return io_fail(error, "find the folder of", errno, path);
    }
    size_t used = strlen(real);
    if (used + 1 + strlen(name) >= sizeof real) {
        return io_fail(error, "create", ENAMETOOLONG, path);
    }
    real[used++] = '/';
    memcpy(real + used, name, strlen(name) + 1);
    return dp2dpi_strdup(real, out, error);
}

static dp2dp_status read_all(int fd, const char *path, size_t expected, char **text, size_t *length,
                             dp2dp_error *error) {
    void *memory;
    size_t used = 0;
    dp2dp_status status = dp2dpi_alloc_for("file text", expected + 1, 1, &memory, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    while (used <= expected) {
        ssize_t n = read(fd, (char *)memory + used, expected + 1 - used);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            status = n < 0 ? io_fail(error, "read", errno, path) : DP2DP_STATUS_OK;
            break;
        }
        used += (size_t)n;
    }
    if (used > expected) {
        status = dp2dpi_fail(error, DP2DP_STATUS_IO, "grew while it was read: %s", path);
    }
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_free(memory);
        return status;
    }
    *text = memory;
    *length = used;
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_kind(const struct stat *info, dp2dpi_file_use use, size_t length_max,
                               const char *path, dp2dp_error *error) {
    if (!S_ISREG(info->st_mode)) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO, "not a regular file: %s", path);
    }
    if (use == DP2DPI_FILE_REPLACE && info->st_nlink > 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO,
                           "has several hard links, which replacing it would part: %s", path);
    }
    if (info->st_size < 0 || (uintmax_t)info->st_size > length_max) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "longer than %zu bytes: %s", length_max, path);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_file_read(const char *path, dp2dpi_file_use use, size_t length_max,
                              dp2dpi_file_text *out, dp2dp_error *error) {
    struct stat info;
    memset(out, 0, sizeof *out);
    /* Opened for writing though only read: what may not be written must not be replaced either. */
    int flags = use == DP2DPI_FILE_REPLACE ? O_RDWR | O_NOFOLLOW : O_RDONLY;
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        out->missing = errno == ENOENT;
        return io_fail(error, "open", errno, path);
    }
    dp2dp_status status;
    if (fstat(fd, &info) != 0) {
        status = io_fail(error, "open", errno, path);
    } else {
        status = check_kind(&info, use, length_max, path, error);
    }
    if (status == DP2DP_STATUS_OK) {
        out->mode = info.st_mode;
        status = read_all(fd, path, (size_t)info.st_size, &out->text, &out->length, error);
    }
    (void)close(fd);
    return status;
}

/* path is resolved: absolute, and shorter than PATH_MAX. */
static void folder_of(const char *path, char folder[PATH_MAX]) {
    size_t length = (size_t)(strrchr(path, '/') - path) + 1;
    memcpy(folder, path, length);
    folder[length] = '\0';
}

static int open_lock(const char *name, int create) {
    return open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | create, 0666);
}

dp2dp_status dp2dpi_file_check_writable(const char *path, dp2dp_error *error) {
    char folder[PATH_MAX];
    char *name = NULL;
    dp2dp_status status = with_suffix(path, ".lock", &name, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    folder_of(path, folder);
    int fd = open_lock(name, 0);
    if (fd >= 0) {
        (void)close(fd);
    } else if (errno != ENOENT) {
        status = io_fail(error, "open the lock file", errno, name);
    }
    if (status == DP2DP_STATUS_OK && faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0) {
        status = io_fail(error, "create a file beside", errno, path);
    }
    dp2dpi_free(name);
    return status;
}

/* 1 if the open lock file is the one that others find under its name. */
static int is_named(int fd, const char *name) {
    struct stat held;
    struct stat named;
    return fstat(fd, &held) == 0 && stat(name, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

dp2dp_status dp2dpi_file_check_lock(const char *path, int fd, dp2dp_error *error) {
    char *name = NULL;
    dp2dp_status status = with_suffix(path, ".lock", &name, error);
    if (status == DP2DP_STATUS_OK && !is_named(fd, name)) {
        status =
            dp2dpi_fail(error, DP2DP_STATUS_IO, "the lock file was deleted while held: %s", name);
    }
    dp2dpi_free(name);
    return status;
}

/* Someone may delete the lock file while we wait: then the lock we got guards nothing, and we start
 * again. */
dp2dp_status dp2dpi_file_lock(const char *path, int *out, dp2dp_error *error) {
    char *name = NULL;
    *out = -1;
    dp2dp_status status = with_suffix(path, ".lock", &name, error);
    while (status == DP2DP_STATUS_OK && *out < 0) {
        int fd = open_lock(name, O_CREAT);
        if (fd < 0) {
            status = io_fail(error, "open the lock file", errno, name);
            break;
        }
        while (flock(fd, LOCK_EX) != 0 && status == DP2DP_STATUS_OK) {
            status = errno == EINTR ? status : io_fail(error, "lock", errno, name);
        }
        if (status == DP2DP_STATUS_OK && is_named(fd, name)) {
            *out = fd;
        } else {
            (void)close(fd);
        }
    }
    dp2dpi_free(name);
    return status;
}

/* Closing alone would leave the lock with a child forked meanwhile, for as long as it lives. */
void dp2dpi_file_unlock(int fd) {
    if (fd >= 0) {
        (void)flock(fd, LOCK_UN);
        (void)close(fd);
    }
}

static dp2dp_status write_all(int fd, const char *text, size_t length, const char *path,
                              dp2dp_error *error) {
    while (length > 0) {
        ssize_t n = write(fd, text, length);
        if (n < 0 && errno != EINTR) {
            return io_fail(error, "write", errno, path);
        }
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return DP2DP_STATUS_OK;
}

/* A new file, durable when this returns OK. mode 0: what the umask leaves. The name is fixed, since
 * the lock is held; a leftover of a crash, or a trap laid under that name, is removed and never
 * written through. */
static dp2dp_status write_new(const char *path, const char *text, size_t length, mode_t mode,
                              dp2dp_error *error) {
    if (unlink(path) != 0 && errno != ENOENT) {
        return io_fail(error, "remove the leftover", errno, path);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        return io_fail(error, "create", errno, path);
    }
    dp2dp_status status = write_all(fd, text, length, path, error);
    if (status == DP2DP_STATUS_OK && ((mode && fchmod(fd, mode & 07777) != 0) || fsync(fd) != 0)) {
        status = io_fail(error, "make durable", errno, path);
    }
    if (close(fd) != 0 && status == DP2DP_STATUS_OK) {
        status = io_fail(error, "close", errno, path);
    }
    if (status != DP2DP_STATUS_OK) {
        (void)unlink(path);
    }
    return status;
}

/* Some file systems cannot sync a folder and say EINVAL: their rename is as durable as it gets. */
static dp2dp_status sync_folder(const char *path, dp2dp_error *error) {
    char folder[PATH_MAX];
    folder_of(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return io_fail(error, "open the folder", errno, folder);
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    if (fsync(fd) != 0 && errno != EINVAL) {
        status = io_fail(error, "make durable the folder", errno, folder);
    }
    (void)close(fd);
    return status;
}

/* Writes `temporary`, which is in the same folder, and makes it path. */
static dp2dp_status put(const char *temporary, const char *path, const char *text, size_t length,
                        unsigned mode, int replace, int *replaced, dp2dp_error *error) {
    dp2dp_status status = write_new(temporary, text, length, (mode_t)mode, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    if ((replace ? rename(temporary, path) : dp2dpi_move_new(temporary, path)) != 0) {
        status = io_fail(error, "replace", errno, path);
        (void)unlink(temporary);
        return status;
    }
    *replaced = 1;
    return sync_folder(path, error);
}

dp2dp_status dp2dpi_file_replace(const char *path, const char *text, size_t length, unsigned mode,
                                 int *replaced, dp2dp_error *error) {
    char *temporary = NULL;
    *replaced = 0;
    dp2dp_status status = with_suffix(path, ".tmp", &temporary, error);
    if (status == DP2DP_STATUS_OK) {
        status = put(temporary, path, text, length, mode, mode != 0, replaced, error);
    }
    dp2dpi_free(temporary);
    return status;
}

/* st_mode of a regular file that may be written, 0 where there is none. Opening is the question:
 * permissions alone know nothing of read-only file systems. */
static dp2dp_status writable_mode(const char *path, unsigned *mode, dp2dp_error *error) {
    struct stat info;
    dp2dp_status status = DP2DP_STATUS_OK;
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *mode = 0;
    if (fd < 0) {
        return errno == ENOENT ? status : io_fail(error, "open", errno, path);
    }
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        status = dp2dpi_fail(error, DP2DP_STATUS_IO, "not a regular file: %s", path);
    } else {
        *mode = info.st_mode;
    }
    (void)close(fd);
    return status;
}

dp2dp_status dp2dpi_file_publish(const char *path, const char *text, size_t length,
                                 dp2dp_error *error) {
    char *temporary = NULL;
    unsigned mode = 0;
    int replaced;
    dp2dp_status status = writable_mode(path, &mode, error);
    if (status == DP2DP_STATUS_OK) {
        status = with_suffix(path, ".tmp-XXXXXX", &temporary, error);
    }
    if (status == DP2DP_STATUS_OK) {
        int fd = mkstemp(temporary); /* for the name: its permissions are not those of the umask */
        if (fd < 0) {
            status = io_fail(error, "create a file beside", errno, path);
        } else {
            (void)close(fd);
            status = put(temporary, path, text, length, mode, 1, &replaced, error);
        }
    }
    dp2dpi_free(temporary);
    return status;
}
