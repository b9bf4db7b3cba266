/* The public data sets that the program knows: which files, their checksums, where they come from.
 */
#ifndef CLI_DATA_SETS_H
#define CLI_DATA_SETS_H

#include <stdint.h>
#include <stdio.h>

#include "args.h"

enum {
    CLI_DATA_FILES_MAX = 3,
    CLI_DATA_PATH_SIZE = 32,
    CLI_SHA256_SIZE = 65 /* hexadecimal, with its NUL */
};

typedef struct cli_data_file {
    const char *path;   /* below the folder of all sets */
    const char *sha256; /* hexadecimal */
    const char *url;    /* NULL: the archive has it in another form */
    int is_table;       /* its lines are rows */
    int skip;           /* lines before the rows */
} cli_data_file;

typedef struct cli_data_set {
    const char *name;
    const char *title;
    const char *schemas[2]; /* built-in ones, the first being the usual one; NULL: no second */
    const char *page;       /* where it is described */
    const char *header;     /* the names of the columns, as a CSV line */
    const char *how_to_get; /* where it cannot be downloaded; else NULL */
    cli_data_file files[CLI_DATA_FILES_MAX];
    size_t file_count;
} cli_data_set;

extern const cli_data_set cli_data_sets[];
extern const size_t cli_data_set_count;

/* NULL: no such set. */
const cli_data_set *cli_data_set_find(const char *name);
/* The set that a built-in schema describes; NULL: there is no such schema. */
const cli_data_set *cli_data_set_of_schema(const char *schema);

/* Where the files are, by --data-dir or else the environment. ARGUMENT if nobody said. */
dp2dp_status cli_data_folder(const cli_args *args, const char **out, dp2dp_error *error);

typedef enum cli_data_state {
    CLI_DATA_GOOD,
    CLI_DATA_ABSENT,
    CLI_DATA_WRONG /* another checksum */
} cli_data_state;

/* The path of a file of a set. */
dp2dp_status cli_data_path(const char *folder, const cli_data_file *file, char **out,
                           dp2dp_error *error);
/* Compares the checksum of whatever is at path. */
dp2dp_status cli_data_check(const char *path, const cli_data_file *file, cli_data_state *state,
                            dp2dp_error *error);

/* Writes the header and the rows of all tables of the set. Each file is read once: what is written
 * is what was checked. DATA for a wrong checksum, IO for a file that is not there. */
dp2dp_status cli_data_join(const char *folder, const cli_data_set *set, FILE *to, uint64_t *rows,
                           dp2dp_error *error);

/* The same as a table that can be opened by its path and has no name to remove. Ownership: the
 * caller closes *table, NULL after a failure, once the path is not read any more. */
dp2dp_status cli_data_table(const char *folder, const cli_data_set *set,
                            char path[CLI_DATA_PATH_SIZE], FILE **table, uint64_t *rows,
                            dp2dp_error *error);

#endif
