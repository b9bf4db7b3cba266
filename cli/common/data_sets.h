/* The public data sets that the program knows: which files, their checksums, where they come from.
 */
#ifndef CLI_DATA_SETS_H
#define CLI_DATA_SETS_H

#include <stddef.h>

enum {
    CLI_DATA_FILES_MAX = 3
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

#endif
