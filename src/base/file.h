/* A file that several processes read and replace.
 *
 * They meet on a lock file beside it, <path>.lock, because the file itself is replaced: a lock on
 * it would stay with the old copy. A crash at any point leaves the old file or the new one, whole.
 * Every message ends with the path. */
#ifndef DP2DPI_BASE_FILE_H
#define DP2DPI_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* REPLACE takes a resolved path and refuses a file that may not be written, that has a second hard
 * link, which would keep the old text, or that a symbolic link has taken the place of: replacing
 * the link would leave the file it names without what is charged. */
typedef enum dp2dpi_file_use {
    DP2DPI_FILE_LOOK = 0,
    DP2DPI_FILE_REPLACE = 1
} dp2dpi_file_use;

typedef struct dp2dpi_file_text {
    char *text; /* NUL after length bytes */
    size_t length;
    unsigned mode; /* st_mode: never 0 for a file that was there */
    int missing;   /* the read failed because there is no such file */
} dp2dpi_file_text;

/* Absolute path through all symbolic links: two names of one file must meet on one lock, and a
 * rename must replace the file and not a link to it. The file itself may be missing, its folder
 * not. Ownership: freed with dp2dpi_free. */
dp2dp_status dp2dpi_file_resolve(const char *path, char **out, dp2dp_error *error);

/* A regular file of at most length_max bytes. Ownership: out->text, NULL on failure, is freed with
 * dp2dpi_free. */
dp2dp_status dp2dpi_file_read(const char *path, dp2dpi_file_use use, size_t length_max,
                              dp2dpi_file_text *out, dp2dp_error *error);

/* Asks, without creating anything, whether path (resolved) could be locked and replaced: what is
 * refused later then leaves nothing behind, and what cannot be kept is refused early. A full disk
 * is not noticed. */
dp2dp_status dp2dpi_file_check_writable(const char *path, dp2dp_error *error);

/* Waits for the exclusive lock of <path>.lock, which is created and stays. It belongs to the open
 * file, so it also keeps apart two holders in one process. unlock accepts -1. */
dp2dp_status dp2dpi_file_lock(const char *path, int *fd, dp2dp_error *error);
/* IO if the lock file was deleted since: another process may then hold a lock of the same name. */
dp2dp_status dp2dpi_file_check_lock(const char *path, int fd, dp2dp_error *error);
void dp2dpi_file_unlock(int fd);

/* With the lock held: writes <path>.tmp, makes it durable, renames it over path (resolved) and
 * makes the folder durable. mode: as read, or 0 for what the umask leaves. *replaced says whether
 * the new text is in place; it can be although the last step failed. */
dp2dp_status dp2dpi_file_replace(const char *path, const char *text, size_t length, unsigned mode,
                                 int *replaced, dp2dp_error *error);

/* Without a lock, for a text that does not depend on the old one: the last to come wins, whole.
 * path (resolved) keeps its permissions and must be writable where it exists. Other files beside it
 * are left alone; a crash may leave one named <path>.tmp-?????? behind. */
dp2dp_status dp2dpi_file_publish(const char *path, const char *text, size_t length,
                                 dp2dp_error *error);

#endif
