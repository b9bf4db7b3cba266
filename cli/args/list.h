/* Names separated by commas, as in "p0,p1,p2". A name that has a comma or a quote is
 * written as in CSV: between double quotes, inner quotes doubled. */
#ifndef CLI_LIST_H
#define CLI_LIST_H

#include "args/args.h"

typedef struct cli_list {
    char **items;
    size_t count;
} cli_list;

/* The value of the option `name`, which has one. Refuses empty names, names given twice and
 * unfinished quotes. Ownership: the caller frees it, even after a failure. */
dp2dp_status cli_list_read(const cli_args *args, const char *name, cli_list *out,
                           dp2dp_error *error);
/* The same of a list of any texts: an item may be empty, and is then written "". */
dp2dp_status cli_list_read_texts(const cli_args *args, const char *name, cli_list *out,
                                 dp2dp_error *error);
void cli_list_free(cli_list *list);

#endif
