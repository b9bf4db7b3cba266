/* Where a long result goes: all of it, or nothing.
 *
 * A file is written under another name in the same folder, made durable and renamed, so that a
 * crash leaves the old file or the new one, whole. Standard output ("-"), a pipe or a
 * device gets nothing before everything is there. */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include <stdio.h>

#include "args.h"

typedef struct cli_sink {
    FILE *stream;    /* write here */
    char *path;      /* the file to replace; NULL: what is in the stream is copied to `to` */
    char *temporary; /* its stand-in, NULL once it is renamed */
    int to;          /* where to copy; -1: nowhere */
    unsigned mode;   /* permissions of the file that is replaced; 0: there is none */
} cli_sink;

/* Opens what --out says. Refuses what could not be written later, and to overwrite an operand:
 * call it before anything is spent. Ownership: cli_sink_close, even after a failure. */
dp2dp_status cli_sink_open(const cli_args *args, cli_sink *out, dp2dp_error *error);
/* The same of a path that another option leads to. */
dp2dp_status cli_sink_open_path(const cli_args *args, const char *option, const char *path,
                                cli_sink *out, dp2dp_error *error);
/* Is the result going to standard output? */
int cli_sink_is_stdout(const cli_sink *sink);
/* Everything was written: publishes it. */
dp2dp_status cli_sink_commit(cli_sink *sink, dp2dp_error *error);
/* Writes a model and publishes it. */
dp2dp_status cli_sink_model(cli_sink *sink, const dp2dp_model *model, dp2dp_error *error);
/* Removes what was not committed. */
void cli_sink_close(cli_sink *sink);

#endif
