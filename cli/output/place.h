#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <limits.h>
#include <sys/stat.h>

#include "args/args.h"

/* Checks the path that an option names for output. Refuses a path that cannot be written, an input
 * of the command, a privacy ledger, and, without --force, an existing file. For --out, also refuses
 * a name whose ending stands for a format that the verb does not write. Opens and creates nothing.
 * Accepts NULL and "-". */
dp2dp_status cli_place_check(const cli_args *args, const char *option, const char *path,
                             dp2dp_error *error);
/* Does the checks of cli_place_check, except for the check of the folder. `path` must be a name,
 * not NULL or "-". Sets *exists to whether the file exists and, if it exists, fills *info as stat
 * does. */
dp2dp_status cli_place_look(const cli_args *args, const char *option, const char *path,
                            struct stat *info, int *exists, dp2dp_error *error);
/* Refuses a path whose folder does not exist or is not writable. */
dp2dp_status cli_place_check_folder(const char *path, dp2dp_error *error);

/* Copies the folder part of a path to `folder`, or "." if the path has none. Returns the position
 * in the path at which the file's name begins. */
size_t cli_place_folder(const char *path, char folder[PATH_MAX]);
/* Returns whether two paths lead to the same regular file or, if neither file exists yet, would
 * create the same file. */
int cli_place_same(const char *path, const char *other);
/* Opens a file for reading and writing, and locks it: one process at a time can hold the lock. If
 * the file is missing, creates it with the permissions `mode`. Returns the descriptor; closing the
 * descriptor releases the lock. On failure, returns -1 and sets errno; EWOULDBLOCK means that
 * another process holds the lock. */
int cli_place_open_locked(const char *path, mode_t mode);
/* Fails with IO, because an action, for example "write", failed for the path with the errno value
 * `err`. For some errno values, the message also says what to do. */
dp2dp_status cli_place_fail(dp2dp_error *error, const char *action, int err, const char *path);

#endif
