/* Whether a file may be written where an option says. */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include <limits.h>
#include <sys/stat.h>

#include "args/args.h"

/* Refuses a path that cannot be written, an input, and an existing file unless --force is given.
 * Nothing is opened or created. NULL and "-" pass. */
dp2dp_status cli_place_check(const cli_args *args, const char *option, const char *path,
                             dp2dp_error *error);
/* The same without checking the folder; if *exists, *info is about the file. */
dp2dp_status cli_place_look(const cli_args *args, const char *option, const char *path,
                            struct stat *info, int *exists, dp2dp_error *error);
/* Refuses a path whose folder does not exist or is not writable. */
dp2dp_status cli_place_check_folder(const char *path, dp2dp_error *error);

/* The folder of a path. Returns the position of the file's name in the path. */
size_t cli_place_folder(const char *path, char folder[PATH_MAX]);
/* Do two paths name one file, or would they once it exists? */
int cli_place_same(const char *path, const char *other);
/* IO: what cannot be done with a path, by its errno, and what would help. */
dp2dp_status cli_place_fail(dp2dp_error *error, const char *action, int err, const char *path);

#endif
