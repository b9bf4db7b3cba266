/* Facts about known public data sets: files, checksums and where they come from. */
#ifndef CLI_DATA_SETS_H
#define CLI_DATA_SETS_H

#include <stddef.h>

enum {
    CLI_DATA_FILES_MAX = 3
};

typedef struct cli_data_file {
    const char *path;   /* path relative to the folder of all data sets */
    const char *url;    /* NULL if the archive has the file only in another format */
    int is_table;       /* 1: the lines are rows of the table; 0: the file is documentation */
    int skip;           /* number of lines before the rows */
    const char *sha256; /* hexadecimal */
} cli_data_file;

typedef struct cli_data_set {
    const char *name;
    const char *title;
    const char *schemas[2]; /* built-in schemas, the usual one first; schemas[1] may be NULL */
    const char *page;       /* URL of a page that describes the data set */
    const char *header;     /* names of the columns, as one line of CSV */
    const char *how_to_get; /* how to get a data set that cannot be downloaded; otherwise NULL */
    cli_data_file files[CLI_DATA_FILES_MAX];
    size_t file_count;
} cli_data_set;

extern const cli_data_set cli_data_sets[];
extern const size_t cli_data_set_count;

const cli_data_set *cli_data_set_find(const char *name);
/* Returns the data set that a built-in schema describes; NULL if there is no built-in schema of
 * this name. */
const cli_data_set *cli_data_set_of_schema(const char *schema);

#endif
