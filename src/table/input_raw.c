#include "table/input_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

enum {
    WAIT_MILLISECONDS = 100 /* time between two calls of raw->stop */
};

dp2dp_status dp2dpi_raw_open(dp2dpi_raw *raw, const char *path, const char *name,
                             dp2dp_error *error) {
    int is_standard = strcmp(path, "-") == 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    *raw = (dp2dpi_raw) {.size = UINT64_MAX, .left = UINT64_MAX};
    name = is_standard ? "standard input" : name;
    raw->fd = is_standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                          : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (raw->fd < 0) {
        return dp2dpi_fail_io(error, "open", errno, name);
    }
    raw->origin = lseek(raw->fd, 0, SEEK_CUR);
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(name, &raw->name, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_strdup(is_standard ? NULL : path, &raw->path, error));
    if (fstat(raw->fd, &raw->was) != 0) {
        DP2DPI_TRY_OR_DONE(dp2dpi_fail_io(error, "read", errno, name));
    }
done:
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_raw_close(raw);
    }
    return status;
}

void dp2dpi_raw_close(dp2dpi_raw *raw) {
    (void)close(raw->fd);
    dp2dpi_free(raw->name);
    dp2dpi_free(raw->path);
    *raw = (dp2dpi_raw) {.fd = -1};
}

/* Reads from `position`, or from the current position if `position` is negative. Waits for a pipe
 * in short steps and calls raw->stop between the steps: a long wait would not end when a signal
 * arrives or the stream is closed. */
static dp2dp_status read_some(const dp2dpi_raw *raw, int64_t position, void *bytes, size_t size,
                              size_t *got, dp2dp_error *error) {
    for (;;) {
        if (raw->stop && raw->stop(raw->stop_context)) {
            return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED, "cancelled while reading %s",
                               raw->name);
        }
        struct pollfd wait = {.fd = raw->fd, .events = POLLIN};
        if (raw->origin < 0 && poll(&wait, 1, WAIT_MILLISECONDS) == 0) {
            continue;
        }
        ssize_t n =
            position < 0 ? read(raw->fd, bytes, size) : pread(raw->fd, bytes, size, position);
        if (n >= 0) {
            *got = (size_t)n;
            return DP2DP_STATUS_OK;
        }
        /* EAGAIN: standard input is non-blocking, and another process took the bytes. */
        if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
            return dp2dpi_fail_io(error, "read", errno, raw->name);
        }
    }
}

dp2dp_status dp2dpi_raw_read(dp2dpi_raw *raw, void *bytes, size_t size, size_t *got,
                             dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    size = size < raw->left ? size : (size_t)raw->left;
    *got = 0;
    if (size > 0) {
        status = read_some(raw, -1, bytes, size, got, error);
    }
    raw->left -= raw->left < UINT64_MAX ? *got : 0;
    return status;
}

dp2dp_status dp2dpi_raw_read_at(const dp2dpi_raw *raw, uint64_t position, void *bytes, size_t size,
                                size_t *got, dp2dp_error *error) {
    uint64_t room = position < raw->size ? raw->size - position : 0;
    size = size < room ? size : (size_t)room;
    *got = 0;
    while (*got < size) {
        size_t more = 0;
        DP2DPI_TRY(read_some(raw, raw->origin + (int64_t)(position + *got), (char *)bytes + *got,
                             size - *got, &more, error));
        if (more == 0) {
            break;
        }
        *got += more;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_raw_narrow(dp2dpi_raw *raw, uint64_t position, uint64_t size,
                               dp2dp_error *error) {
    raw->origin += (int64_t)position;
    raw->size = raw->left = size;
    return lseek(raw->fd, raw->origin, SEEK_SET) < 0
               ? dp2dpi_fail_io(error, "read", errno, raw->name)
               : DP2DP_STATUS_OK;
}

/* Returns 1 if a and b describe the same, unchanged file. Also compares the change time (ctime),
 * which a program cannot set back. */
static int is_same(const struct stat *a, const struct stat *b) {
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
           a->st_ctim.tv_nsec == b->st_ctim.tv_nsec && a->st_ino == b->st_ino &&
           a->st_dev == b->st_dev;
}

/* Checks the open file, and also the file that now has the name of the open file. The table may be
 * opened again by name, so replacing the file by a copy counts as a change. */
dp2dp_status dp2dpi_raw_check_unchanged(const dp2dpi_raw *raw, dp2dp_error *error) {
    struct stat now;
    if (!S_ISREG(raw->was.st_mode)) {
        return DP2DP_STATUS_OK;
    }
    if (fstat(raw->fd, &now) == 0 && is_same(&now, &raw->was) &&
        (raw->path == NULL || (stat(raw->path, &now) == 0 && is_same(&now, &raw->was)))) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_DATA,
                          &(dp2dpi_place) {.reason = DP2DP_REASON_FILE_CHANGED},
                          "the file changed while it was being read: %s", raw->name);
}
