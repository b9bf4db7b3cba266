/* Checks whether a file may be written where an option says. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <limits.h>
#include <sys/stat.h>

#include "args/args.h"

/* Refuses a path that cannot be written, an input of the command, and an existing file unless
 * --force is given. Opens and creates nothing. Accepts NULL and "-". */
dp2dp_status cli_place_check(const cli_args *args, const char *option, const char *path,
                             dp2dp_error *error);
/* The same without checking the folder. If the file exists, *info describes it. */
dp2dp_status cli_place_look(const cli_args *args, const char *option, const char *path,
                            struct stat *info, int *exists, dp2dp_error *error);
/* Refuses a path whose folder does not exist or is not writable. */
dp2dp_status cli_place_check_folder(const char *path, dp2dp_error *error);

/* Copies the folder of a path, "." if it has none. Returns where the file's name begins. */
size_t cli_place_folder(const char *path, char folder[PATH_MAX]);
/* Do two paths lead to the same file or, if neither exists yet, would they? */
int cli_place_same(const char *path, const char *other);
/* IO: says that the action on a path failed with the errno `err`, and what would help. */
dp2dp_status cli_place_fail(dp2dp_error *error, const char *action, int err, const char *path);

#endif
