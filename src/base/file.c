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

static dp2dp_status with_suffix(const char *path, const char *suffix, char **out,
                                dp2dp_error *error) {
    size_t size = strlen(path) + strlen(suffix) + 1;
    DP2DPI_TRY(DP2DPI_ALLOC(*out, size, "a path", error));
    (void)snprintf(*out, size, "%s%s", path, suffix);
    return DP2DP_STATUS_OK;
}

/* Writes the real path of an existing file to `real` and returns 1. Tries twice, because another
 * process may create the file after the first try. On failure returns 0 and sets errno. Sets
 * *is_link to 1 if `path` is a symbolic link to a file that does not exist. */
static int find_real(const char *path, char real[PATH_MAX], int *is_link) {
    struct stat info;
    *is_link = 0;
    if (realpath(path, real)) {
        return 1;
    }
    if (errno != ENOENT || lstat(path, &info) != 0) {
        return 0;
    }
    if (realpath(path, real)) {
        return 1;
    }
    *is_link = errno == ENOENT && S_ISLNK(info.st_mode);
    return 0;
}

dp2dp_status dp2dpi_file_resolve(const char *path, char **out, dp2dp_error *error) {
    char real[PATH_MAX];
    char folder[PATH_MAX];
    struct stat info;
    int is_link;
    *out = NULL;
    if (find_real(path, real, &is_link)) {
        /* A folder or device is refused here, so that the caller does not create a lock file next
         * to it. */
        if (stat(real, &info) == 0 && !S_ISREG(info.st_mode)) {
            return dp2dpi_fail(error, DP2DP_STATUS_IO, "not a regular file: %s", path);
        }
        return dp2dpi_strdup(real, out, error);
    }
    if (errno != ENOENT) {
        return dp2dpi_fail_io(error, "find", errno, path);
    }
    if (is_link) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO,
                           "the symbolic link points to a file that does not exist: %s", path);
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = slash ? (size_t)(slash - path) + 1 : 1;
    if (*name == '\0' || length >= sizeof folder) {
        return dp2dpi_fail_io(error, "create", *name ? ENAMETOOLONG : EISDIR, path);
    }
    memcpy(folder, slash ? path : ".", length);
    folder[length] = '\0';
    if (realpath(folder, real) == NULL) {
        return dp2dpi_fail_io(error, "find the folder", errno, path);
    }
    size_t used = strlen(real);
    if (used + 1 + strlen(name) >= sizeof real) {
        return dp2dpi_fail_io(error, "create", ENAMETOOLONG, path);
    }
    real[used++] = '/';
    memcpy(real + used, name, strlen(name) + 1);
    return dp2dpi_strdup(real, out, error);
}

static dp2dp_status read_all(int fd, const char *path, size_t expected, char **text, size_t *length,
                             dp2dp_error *error) {
    size_t used = 0;
    DP2DPI_TRY(DP2DPI_ALLOC(*text, expected + 1, "file text", error));
    while (used <= expected) {
        ssize_t n = read(fd, *text + used, expected + 1 - used);
        if (n == 0) {
            *length = used;
            return DP2DP_STATUS_OK;
        }
        if (n < 0 && errno != EINTR) {
            return dp2dpi_fail_io(error, "read", errno, path);
        }
        used += n > 0 ? (size_t)n : 0;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_IO, "the file grew while it was read: %s", path);
}

static dp2dp_status check_kind(const struct stat *info, dp2dpi_file_use use, size_t length_max,
                               const char *path, dp2dp_error *error) {
    if (!S_ISREG(info->st_mode)) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO, "not a regular file: %s", path);
    }
    if (use == DP2DPI_FILE_REPLACE && info->st_nlink > 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_IO,
                           "a file with several hard links cannot be replaced: %s", path);
    }
    if (info->st_size < 0 || (uintmax_t)info->st_size > length_max) {
        return dp2dpi_fail(error, DP2DP_STATUS_DATA, "the file is longer than %zu bytes: %s",
                           length_max, path);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_file_read(const char *path, dp2dpi_file_use use, size_t length_max,
                              dp2dpi_file_text *out, dp2dp_error *error) {
    struct stat info;
    dp2dp_status status = DP2DP_STATUS_OK;
    memset(out, 0, sizeof *out);
    /* With DP2DPI_FILE_REPLACE, opens the file for writing too, so that a file that is not writable
     * is refused. This function writes nothing. */
    int flags = use == DP2DPI_FILE_REPLACE ? O_RDWR | O_NOFOLLOW : O_RDONLY;
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        out->missing = errno == ENOENT;
        return dp2dpi_fail_io(error, "open", errno, path);
    }
    if (fstat(fd, &info) != 0) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail_io(error, "open", errno, path));
    }
    DP2DPI_TRY_OR_DONE(check_kind(&info, use, length_max, path, error));
    out->mode = info.st_mode;
    DP2DPI_TRY_OR_DONE(read_all(fd, path, (size_t)info.st_size, &out->text, &out->length, error));
done:
    (void)close(fd);
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_free(out->text);
        out->text = NULL;
    }
    return status;
}

/* Writes the path of the folder that contains `path` to `folder`, with a slash at the end. path
 * must be resolved: absolute and shorter than PATH_MAX. */
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
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(with_suffix(path, ".lock", &name, error));
    folder_of(path, folder);
    int fd = open_lock(name, 0);
    if (fd >= 0) {
        (void)close(fd);
    } else if (errno != ENOENT) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail_io(error, "open the lock file", errno, name));
    }
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0) {
        status = dp2dpi_fail_io(error, "create a temporary file", errno, path);
    }
done:
    dp2dpi_free(name);
    return status;
}

/* Returns 1 if `name` is still the name of the open lock file. */
static int is_named(int fd, const char *name) {
    struct stat held;
    struct stat named;
    return fstat(fd, &held) == 0 && stat(name, &named) == 0 && held.st_ino == named.st_ino &&
           held.st_dev == named.st_dev;
}

dp2dp_status dp2dpi_file_check_lock(const char *path, int fd, dp2dp_error *error) {
    char *name = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(with_suffix(path, ".lock", &name, error));
    if (!is_named(fd, name)) {
        status = dp2dpi_fail(error, DP2DP_STATUS_IO,
                             "the lock file was deleted while this process held it: %s", name);
    }
    dp2dpi_free(name);
    return status;
}

void dp2dpi_file_mark_lock(int fd, const char *mark) {
    (void)!pwrite(fd, mark, strlen(mark), 0);
}

void dp2dpi_file_read_mark(const char *path, char mark[DP2DPI_LOCK_MARK_SIZE]) {
    char real[PATH_MAX];
    char name[PATH_MAX + sizeof ".lock"];
    int fd = -1;
    if (realpath(path, real)) {
        (void)snprintf(name, sizeof name, "%s.lock", real);
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    }
    ssize_t length = fd >= 0 ? pread(fd, mark, DP2DPI_LOCK_MARK_SIZE - 1, 0) : 0;
    mark[length > 0 ? length : 0] = '\0';
    if (fd >= 0) {
        (void)close(fd);
    }
}

dp2dp_status dp2dpi_file_cut_mark(const char *path, int fd, dp2dp_error *error) {
    struct stat info;
    int is_cut =
        fstat(fd, &info) == 0 && (info.st_size <= 1 || (ftruncate(fd, 1) == 0 && fsync(fd) == 0));
    return is_cut ? DP2DP_STATUS_OK
                  : dp2dpi_fail_io(error, "shorten the lock file of", errno, path);
}

dp2dp_status dp2dpi_file_is_marked(const char *path, int *marked, dp2dp_error *error) {
    char *name = NULL;
    struct stat found;
    DP2DPI_TRY(with_suffix(path, ".lock", &name, error));
    *marked = lstat(name, &found) == 0 && found.st_size > 0;
    dp2dpi_free(name);
    return DP2DP_STATUS_OK;
}

/* Opens the lock file, or creates it, and locks it. Where the system can do so, a new lock file is
 * locked before it gets its name. Another process then gets the lock only after the process that
 * created the lock file has finished. */
static dp2dp_status wait_for_lock(const char *name, int *out, dp2dp_error *error) {
    char folder[PATH_MAX];
    int fd = open_lock(name, 0);
    if (fd < 0 && errno == ENOENT) {
        folder_of(name, folder);
        *out = dp2dpi_create_locked(folder, name);
        if (*out >= 0) {
            return DP2DP_STATUS_OK;
        }
        fd = open_lock(name, O_CREAT);
    }
    if (fd < 0) {
        return dp2dpi_fail_io(error, "open the lock file", errno, name);
    }
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR) {
            int err = errno;
            (void)close(fd);
            return dp2dpi_fail_io(error, "lock", err, name);
        }
    }
    *out = fd;
    return DP2DP_STATUS_OK;
}

/* Another process may delete the lock file while we wait for the lock. Our lock would then protect
 * nothing, so we start again. */
dp2dp_status dp2dpi_file_lock(const char *path, int *out, dp2dp_error *error) {
    char *name = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = -1;
    DP2DPI_TRY(with_suffix(path, ".lock", &name, error));
    while (*out < 0) {
        int fd = -1;
        DP2DPI_TRY_OR_DONE(wait_for_lock(name, &fd, error));
        if (is_named(fd, name)) {
            *out = fd;
        } else {
            (void)close(fd);
        }
    }
done:
    dp2dpi_free(name);
    return status;
}

/* Unlocks before closing. If this process has forked a child since it took the lock, closing alone
 * would leave the lock with the child. */
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
            return dp2dpi_fail_io(error, "write", errno, path);
        }
        if (n > 0) {
            text += n;
            length -= (size_t)n;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Creates a file and syncs it to the disk. If mode is 0, the umask decides the permissions. A file
 * that already has this name (left by a crash, or planted) is removed first and never written to.
 * So a caller that holds the lock may use a predictable name. */
static dp2dp_status write_new(const char *path, const char *text, size_t length, mode_t mode,
                              dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    if (unlink(path) != 0 && errno != ENOENT) {
        return dp2dpi_fail_io(error, "remove a leftover file", errno, path);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        return dp2dpi_fail_io(error, "create", errno, path);
    }
    DP2DPI_TRY_OR_DONE(write_all(fd, text, length, path, error));
    if ((mode && fchmod(fd, mode & 07777) != 0) || fsync(fd) != 0) {
        status = dp2dpi_fail_io(error, "write to the disk", errno, path);
    }
done:
    if (close(fd) != 0 && status == DP2DP_STATUS_OK) {
        status = dp2dpi_fail_io(error, "close", errno, path);
    }
    if (status != DP2DP_STATUS_OK) {
        (void)unlink(path);
    }
    return status;
}

/* Syncs the folder of path to the disk. Ignores EINVAL, which fsync returns on file systems that
 * cannot sync a folder: such a file system has no other way to make a rename durable. */
static dp2dp_status sync_folder(const char *path, dp2dp_error *error) {
    char folder[PATH_MAX];
    folder_of(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return dp2dpi_fail_io(error, "open the folder", errno, folder);
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    if (fsync(fd) != 0 && errno != EINVAL) {
        status = dp2dpi_fail_io(error, "sync the folder", errno, folder);
    }
    (void)close(fd);
    return status;
}

/* Writes the text to the file `temporary`, which must be in the folder of path, and renames it to
 * path. If `replace` is 0, path must not exist. */
static dp2dp_status put(const char *temporary, const char *path, const char *text, size_t length,
                        unsigned mode, int replace, int *replaced, dp2dp_error *error) {
    DP2DPI_TRY(write_new(temporary, text, length, (mode_t)mode, error));
    if ((replace ? rename(temporary, path) : dp2dpi_move_new(temporary, path)) != 0) {
        int err = errno;
        (void)unlink(temporary);
        return dp2dpi_fail_io(error, "replace", err, path);
    }
    *replaced = 1;
    return sync_folder(path, error);
}

dp2dp_status dp2dpi_file_replace(const char *path, const char *text, size_t length, unsigned mode,
                                 int *replaced, dp2dp_error *error) {
    char *temporary = NULL;
    *replaced = 0;
    DP2DPI_TRY(with_suffix(path, ".tmp", &temporary, error));
    dp2dp_status status = put(temporary, path, text, length, mode, mode != 0, replaced, error);
    dp2dpi_free(temporary);
    return status;
}

/* Sets *mode to the st_mode of a regular file, or to 0 if the file is missing. Fails if the file is
 * not writable. Opens the file to test this, because the permissions alone do not reveal a
 * read-only file system. */
static dp2dp_status writable_mode(const char *path, unsigned *mode, dp2dp_error *error) {
    struct stat info;
    dp2dp_status status = DP2DP_STATUS_OK;
    int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    *mode = 0;
    if (fd < 0) {
        return errno == ENOENT ? status : dp2dpi_fail_io(error, "open", errno, path);
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
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(writable_mode(path, &mode, error));
    DP2DPI_TRY(with_suffix(path, ".tmp-XXXXXX", &temporary, error));
    int fd = mkstemp(temporary); /* finds a free name. write_new then replaces the empty file of
                                    mkstemp, whose permissions ignore the umask */
    if (fd < 0) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail_io(error, "create a temporary file", errno, path));
    }
    (void)close(fd);
    DP2DPI_TRY_OR_DONE(put(temporary, path, text, length, mode, 1, &replaced, error));
done:
    dp2dpi_free(temporary);
    return status;
}
