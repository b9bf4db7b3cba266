/* Finds what is probably wrong with a table as a whole, rather than with one of its columns. */
#ifndef CLI_WHOLE_TABLE_H
#define CLI_WHOLE_TABLE_H

#include "input/stream.h"

enum {
    CLI_WHOLE_MOST = 3, /* most cautions about one table */
    CLI_WHOLE_SIZE = 1024
};

typedef struct cli_whole {
    const char *word;   /* the word that JSON uses */
    const char *column; /* the first column that the caution is about; NULL: the whole table */
    char text[CLI_WHOLE_SIZE];
} cli_whole;

/* Writes the cautions about the table that a watch has seen, and returns their number. Returns 0 if
 * `schema` is NULL. */
size_t cli_whole_find(const dp2dp_schema *schema, const cli_watch *watch,
                      cli_whole found[CLI_WHOLE_MOST]);

#endif
