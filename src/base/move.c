/* Declares renameat2, which is not in POSIX. The macro affects only this file. */
#define _GNU_SOURCE
#include "base/move.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int dp2dpi_move_new(const char *from, const char *to) {
#ifdef RENAME_NOREPLACE
    int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (failed == 0 || (errno != EINVAL && errno != ENOSYS)) {
        return failed;
    }
#endif
    return rename(from, to);
}
