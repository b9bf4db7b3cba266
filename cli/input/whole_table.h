/* Finds what is probably wrong with a table as a whole, rather than with one of its columns. */
#ifndef CLI_WHOLE_TABLE_H
#define CLI_WHOLE_TABLE_H

#include "input/stream.h"

enum {
    CLI_WHOLE_MOST = 1, /* most cautions about one table */
    CLI_WHOLE_SIZE = 1024
};

typedef struct cli_whole {
    const char *word; /* the word that JSON uses */
    char text[CLI_WHOLE_SIZE];
} cli_whole;

/* Writes the cautions about the table that a watch has seen, and returns their number. */
size_t cli_whole_find(const cli_watch *watch, cli_whole found[CLI_WHOLE_MOST]);

#endif
