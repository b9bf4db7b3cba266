/* Finds, checks, joins and downloads the files of the public data sets. */
#ifndef CLI_DATA_FILES_H
#define CLI_DATA_FILES_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>

#include "args/args.h"
#include "common/data_sets.h"

enum {
    CLI_DATA_PATH_SIZE = 32
};

/* Finds the folder of the data sets, from --data-dir or the environment variable DP2DP_DATA. Fails
 * with ARGUMENT if neither is set. */
dp2dp_status cli_data_folder(const cli_args *args, const char **out, dp2dp_error *error);

typedef enum cli_data_state {
    CLI_DATA_GOOD,
    CLI_DATA_ABSENT,
    CLI_DATA_WRONG /* wrong checksum */
} cli_data_state;

dp2dp_status cli_data_path(const char *folder, const cli_data_file *file, char path[PATH_MAX],
                           dp2dp_error *error);
/* Sets *state to say whether the file at `path` exists and has the checksum of `file`. */
dp2dp_status cli_data_check(const char *path, const cli_data_file *file, cli_data_state *state,
                            dp2dp_error *error);

/* Writes the data set as one CSV table: the header, then the rows of all table files of the set.
 * Sets *rows to the number of rows. Reads each file only once, so the checksum is about the same
 * bytes that are written. Fails with DATA if a checksum is wrong, and with IO if a file is missing.
 */
dp2dp_status cli_data_join(const char *folder, const cli_data_set *set, FILE *to, uint64_t *rows,
                           dp2dp_error *error);

/* Does the same as cli_data_join, but writes to an unnamed temporary file, *table. Until *table is
 * closed, `path` opens the same file. Ownership: the caller closes *table (NULL after a failure).
 */
dp2dp_status cli_data_table(const char *folder, const cli_data_set *set,
                            char path[CLI_DATA_PATH_SIZE], FILE **table, uint64_t *rows,
                            dp2dp_error *error);

/* Creates the folder of `path` and downloads a file to `path`, with curl or, if there is no curl,
 * with wget. Keeps the file only if its checksum is right. */
dp2dp_status cli_download(const cli_data_file *file, const char *path, dp2dp_error *error);

#endif
