/* Reads and replaces a file that several processes share.
 *
 * The processes lock a second file, <path>.lock: a lock on the file itself would stay with the old
 * copy when the file is replaced. A crash at any point leaves either the old file or the new one,
 * complete. Every message ends with the path. */
#ifndef DP2DPI_BASE_FILE_H
#define DP2DPI_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* REPLACE takes a resolved path. It refuses a file that is not writable; a file with a second hard
 * link, which would keep the old text; and a symbolic link that has replaced the file, because
 * replacing the link would leave its target without the new charges. */
typedef enum dp2dpi_file_use {
    DP2DPI_FILE_LOOK = 0,
    DP2DPI_FILE_REPLACE = 1
} dp2dpi_file_use;

typedef struct dp2dpi_file_text {
    char *text; /* NUL after length bytes */
    size_t length;
    unsigned mode; /* st_mode: never 0 for a file that exists */
    int missing;   /* 1: the read failed because there is no such file */
} dp2dpi_file_text;

/* Resolves all symbolic links to an absolute path: two names of one file must use one lock, and a
 * rename must replace the file and not a link to it. The file may be missing, but its folder must
 * exist. Ownership: free *out with dp2dpi_free. */
dp2dp_status dp2dpi_file_resolve(const char *path, char **out, dp2dp_error *error);

/* Reads a regular file of at most length_max bytes. Ownership: free out->text, NULL on failure,
 * with dp2dpi_free. */
dp2dp_status dp2dpi_file_read(const char *path, dp2dpi_file_use use, size_t length_max,
                              dp2dpi_file_text *out, dp2dp_error *error);

/* Checks whether path (resolved) could be locked and replaced, so that a result that could not be
 * saved is refused early. Creates nothing, so nothing is left behind if the caller fails later.
 * Does not notice a full disk. */
dp2dp_status dp2dpi_file_check_writable(const char *path, dp2dp_error *error);

/* Creates <path>.lock if needed, never deletes it, and waits until this process holds its exclusive
 * lock. *fd is the open lock file. The lock belongs to this open file, so it also excludes other
 * holders in the same process. unlock accepts -1. */
dp2dp_status dp2dpi_file_lock(const char *path, int *fd, dp2dp_error *error);
/* Marks the locked file <path>.lock: the file at path was written. Without room on the disk there is
 * no mark. */
void dp2dpi_file_mark_lock(int fd);
/* *marked is 1 if <path>.lock exists and is marked. */
dp2dp_status dp2dpi_file_is_marked(const char *path, int *marked, dp2dp_error *error);
/* IO if the lock file was deleted since it was locked: another process may then hold a lock of the
 * same name. */
dp2dp_status dp2dpi_file_check_lock(const char *path, int fd, dp2dp_error *error);
void dp2dpi_file_unlock(int fd);

/* Replaces the text of path (resolved); the caller holds the lock. Writes <path>.tmp, syncs it to
 * the disk, renames it to path and syncs the folder. mode: st_mode of the file as read; 0 if path
 * must be new, and the umask then decides the permissions. *replaced is 1 if path has the new text,
 * even if the last sync failed. */
dp2dp_status dp2dpi_file_replace(const char *path, const char *text, size_t length, unsigned mode,
                                 int *replaced, dp2dp_error *error);

/* Replaces a file without a lock, for a text that does not depend on the old text. If several
 * processes write, the last one wins, and its text is complete. path is resolved; an existing file
 * must be writable and keeps its permissions. Other files in the folder are left alone; a crash may
 * leave a file named <path>.tmp-??????. */
dp2dp_status dp2dpi_file_publish(const char *path, const char *text, size_t length,
                                 dp2dp_error *error);

#endif
