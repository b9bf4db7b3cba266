/* The format of an output file, which follows from the ending of its name. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "args/args.h"

typedef enum cli_format {
    CLI_FORMAT_PLAIN, /* what the verb writes, unchanged; also for "-" and devices */
    CLI_FORMAT_GZIP,  /* a name that ends in .csv.gz */
    CLI_FORMAT_PARQUET
} cli_format;

cli_format cli_format_of(const char *path);
/* Refuses a path whose ending stands for a format that the verb does not write, for example a CSV
 * table called x.xlsx. Accepts a name without an ending, "-" and devices. Accepts an unknown ending
 * too, except for a table of decisions. */
dp2dp_status cli_format_check(const cli_args *args, const char *path, dp2dp_error *error);

#endif
