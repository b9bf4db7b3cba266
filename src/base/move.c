/* _GNU_SOURCE is for renameat2 and O_TMPFILE, which POSIX lacks. It affects only this file. */
#define _GNU_SOURCE
#include "base/move.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int dp2dpi_move_new(const char *from, const char *to) {
#ifdef RENAME_NOREPLACE
    int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (failed == 0 || (errno != EINVAL && errno != ENOSYS)) {
        return failed;
    }
#endif
    return rename(from, to);
}

int dp2dpi_create_locked(const char *folder, const char *name) {
    int fd = -1;
#ifdef O_TMPFILE
    char link[40];
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (fd >= 0 && (flock(fd, LOCK_EX | LOCK_NB) != 0 ||
                    linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0)) {
        (void)close(fd);
        fd = -1;
    }
#else
    (void)folder;
    (void)name;
#endif
    return fd;
}
