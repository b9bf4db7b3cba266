/* Where a long result goes.
 *
 * A file is written under another name in the same folder, made durable and renamed, so that a
 * crash leaves the old file or the new one, whole. A file that is already there is replaced only
 * with --force, which every verb with a sink has. */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include <stdio.h>

#include "output/place.h"

/* What standard output ("-"), a pipe or a device gets if something goes wrong on the way. */
typedef enum cli_sink_way {
    CLI_SINK_WHOLE,   /* nothing: what is not complete waits in a temporary file */
    CLI_SINK_STREAMED /* what there was until then: tables may be longer than any disk */
} cli_sink_way;

typedef struct cli_sink {
    FILE *stream;    /* write here */
    char *path;      /* the file to replace; NULL: what is in the stream goes to `to` */
    char *temporary; /* its stand-in, NULL once it is renamed */
    int to;          /* the descriptor of what is no file; -1: none */
    int direct;      /* the stream leads there by itself */
    int committed;
    unsigned mode; /* permissions of the file that is replaced; 0: there is none */
} cli_sink;

/* Opens what --out says. Refuses what could not be written later, to overwrite an operand, and to
 * replace a file without --force: call it before anything is spent. Ownership: cli_sink_close, even
 * after a failure. */
dp2dp_status cli_sink_open(const cli_args *args, cli_sink_way way, cli_sink *out,
                           dp2dp_error *error);
/* The same of a path that another option leads to. */
dp2dp_status cli_sink_open_path(const cli_args *args, const char *option, const char *path,
                                cli_sink_way way, cli_sink *out, dp2dp_error *error);
/* Is the result going to standard output, be it as /dev/stdout? */
int cli_sink_is_stdout(const cli_sink *sink);
/* Refuses --json where --out leads there; `what` is what is written. */
dp2dp_status cli_sink_check_json(const cli_args *args, const char *what, dp2dp_error *error);
/* The answer of a verb that has written a file: what it is, and the value of --out. */
void cli_sink_report(const cli_args *args, cli_out *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The stream has failed: says so. */
dp2dp_status cli_sink_failure(const cli_sink *sink, dp2dp_error *error);
/* Everything was written: publishes it. */
dp2dp_status cli_sink_commit(cli_sink *sink, dp2dp_error *error);
/* Writes a model and publishes it. */
dp2dp_status cli_sink_model(cli_sink *sink, const dp2dp_model *model, dp2dp_error *error);
/* Removes what was not committed. */
void cli_sink_close(cli_sink *sink);

#endif
