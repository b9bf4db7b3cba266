/* Reads and replaces a file that several processes share.
 *
 * The processes lock a second file, <path>.lock, because a lock on the file itself would stay with
 * the old copy when the file is replaced. After a crash at any point, the file is complete and
 * holds either the old or the new text. Every error message ends with the path of the file, lock
 * file or folder that it is about. */
#ifndef DP2DPI_BASE_FILE_H
#define DP2DPI_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* LOOK is for a file that is only read, REPLACE for a file that is read and then replaced. REPLACE
 * needs a path from dp2dpi_file_resolve and refuses three kinds of files: a file that is not
 * writable; a file with several hard links, because the other links would keep the old text; and a
 * symbolic link, because the file that the link points to would keep the old text. A ledger with
 * the old text would lack the new charges. */
typedef enum dp2dpi_file_use {
    DP2DPI_FILE_LOOK = 0,
    DP2DPI_FILE_REPLACE = 1
} dp2dpi_file_use;

enum {
    DP2DPI_LOCK_MARK_SIZE = 128 /* size of the longest mark of a lock file, in bytes, including the
                                   NUL */
};

typedef struct dp2dpi_file_text {
    char *text; /* followed by a NUL */
    size_t length;
    unsigned mode; /* st_mode, which is never 0 for a file that exists */
    int missing;   /* 1 if the read failed because the file does not exist */
} dp2dpi_file_text;

/* Makes a path absolute and resolves all symbolic links in it. Two names of one file then use the
 * same lock, and a rename replaces the file instead of a link to it. The file may be missing, but
 * its folder must exist. Ownership: free *out with dp2dpi_free. */
dp2dp_status dp2dpi_file_resolve(const char *path, char **out, dp2dp_error *error);

/* Reads a regular file of at most length_max bytes. Ownership: free out->text, which is NULL on
 * failure, with dp2dpi_free. */
dp2dp_status dp2dpi_file_read(const char *path, dp2dpi_file_use use, size_t length_max,
                              dp2dpi_file_text *out, dp2dp_error *error);

/* Checks whether the file at a resolved path could be locked and replaced. A command can then fail
 * before it does work that it could not save. Creates nothing. Does not notice a full disk. */
dp2dp_status dp2dpi_file_check_writable(const char *path, dp2dp_error *error);

/* Creates <path>.lock if needed and waits until this process holds its exclusive lock. Never
 * deletes the lock file. *fd is the open lock file. The lock belongs to the open file *fd, so
 * another thread of this process that calls this function has to wait too. */
dp2dp_status dp2dpi_file_lock(const char *path, int *fd, dp2dp_error *error);
/* Marks the open lock file <path>.lock as a sign that <path> was written. A later process can then
 * notice that <path> is lost. `mark` is a text of fewer than DP2DPI_LOCK_MARK_SIZE bytes that
 * replaces the first bytes of the lock file. If the disk is full, the old mark stays, or the lock
 * file begins with a part of the new mark. */
void dp2dpi_file_mark_lock(int fd, const char *mark);
/* Reads the mark of the lock file of `path`; `path` may be a symbolic link. The mark is empty if
 * `path` or the lock file is missing, or if the lock file cannot be read. */
void dp2dpi_file_read_mark(const char *path, char mark[DP2DPI_LOCK_MARK_SIZE]);
/* Cuts the mark of the open lock file <path>.lock to its first byte, and syncs the lock file to the
 * disk. */
dp2dp_status dp2dpi_file_cut_mark(const char *path, int fd, dp2dp_error *error);
/* Sets *marked to 1 if <path>.lock exists and is marked. */
dp2dp_status dp2dpi_file_is_marked(const char *path, int *marked, dp2dp_error *error);
/* Fails with IO if the lock file was deleted after this process locked it. Another process may then
 * hold the lock of a new lock file with the same name. */
dp2dp_status dp2dpi_file_check_lock(const char *path, int fd, dp2dp_error *error);
void dp2dpi_file_unlock(int fd);

/* Replaces the text of the file at a resolved path. The caller must hold the lock. Writes
 * <path>.tmp, syncs it to the disk, renames it to path and syncs the folder. `mode` is the st_mode
 * that dp2dpi_file_read found. If `mode` is 0, no file may exist at `path`, and the umask decides
 * the permissions of the new file. Sets *replaced to 1 if the file has the new text, even if
 * syncing the folder failed. */
dp2dp_status dp2dpi_file_replace(const char *path, const char *text, size_t length, unsigned mode,
                                 int *replaced, dp2dp_error *error);

/* Replaces a file without a lock. Use this only if the new text does not depend on the old text. If
 * several processes write, the file has the complete text of the last one. path must be resolved;
 * an existing file must be writable and keeps its permissions. Other files in the folder are left
 * alone; a crash may leave a file named <path>.tmp-??????. */
dp2dp_status dp2dpi_file_publish(const char *path, const char *text, size_t length,
                                 dp2dp_error *error);

#endif
