/* A disk that fails on request: these functions replace those of libc, also for the library's
 * calls. */
#ifndef DP2DP_TESTS_FAULT_FAULT_DISK_H
#define DP2DP_TESTS_FAULT_FAULT_DISK_H

#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fsyncs_left = -1; /* so many calls succeed, then one fails; -1: none fails */
static int renames_left = -1;
static int writes_left = -1;
static int short_writes = 0;
static int die_at_rename = 0;
static int appears_at_rename = 0; /* another process creates the file just before the rename */

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);

static int fails(int *left) {
    if (*left < 0) {
        return 0;
    }
    return (*left)-- == 0;
}

int fsync(int fd) {
    if (fails(&fsyncs_left)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fsync, fd);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags) {
    if (die_at_rename) {
        _exit(0);
    }
    if (fails(&renames_left)) {
        errno = EXDEV;
        return -1;
    }
    if (appears_at_rename) {
        FILE *other = fopen(to, "wx");
        assert_non_null(other);
        assert_int_equal(fclose(other), 0);
    }
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

ssize_t write(int fd, const void *buffer, size_t size) {
    if (fd > 2 && fails(&writes_left)) { /* not stdout and stderr */
        errno = ENOSPC;
        return -1;
    }
    if (short_writes && size > 1 && fd > 2) {
        if (++short_writes % 3 == 0) {
            errno = EINTR;
            return -1;
        }
        size = 1 + size / 2;
    }
    return (ssize_t)syscall(SYS_write, fd, buffer, size);
}

#endif
