#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <limits.h>
#include <sys/stat.h>

#include "args/args.h"

/* Checks the path that an option names for output. Refuses a path that cannot be written, one whose
 * ending means a format that the verb does not write, an input of the command, a privacy ledger,
 * and, without --force, an existing file. Opens and creates nothing. Accepts NULL and "-". */
dp2dp_status cli_place_check(const cli_args *args, const char *option, const char *path,
                             dp2dp_error *error);
/* Checks a path like cli_place_check, but not its folder. Sets *exists and, if the file exists,
 * *info. */
dp2dp_status cli_place_look(const cli_args *args, const char *option, const char *path,
                            struct stat *info, int *exists, dp2dp_error *error);
/* Refuses a path whose folder does not exist or is not writable. */
dp2dp_status cli_place_check_folder(const char *path, dp2dp_error *error);

/* Copies the folder part of a path to `folder`, or "." if the path has none. Returns the position
 * in the path at which the file's name begins. */
size_t cli_place_folder(const char *path, char folder[PATH_MAX]);
/* Returns whether two paths lead to the same file or, if no file exists yet, would do so. */
int cli_place_same(const char *path, const char *other);
/* Opens a file for reading and writing, creates it with these permissions if it is missing, and
 * locks it: one process at a time can hold it. Makes sure that the locked file still has this name.
 * Returns the descriptor, which keeps the lock until it is closed; or -1 and sets errno:
 * EWOULDBLOCK if another process holds the file. */
int cli_place_open_locked(const char *path, mode_t mode);
/* Fails with IO, because an action, for example "write", failed for the path with the errno value
 * `err`. The message adds advice, if there is any. */
dp2dp_status cli_place_fail(dp2dp_error *error, const char *action, int err, const char *path);

#endif
