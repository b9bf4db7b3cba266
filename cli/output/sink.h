/* Writes a long result to a file, a pipe or a device. A file is first written under another name,
 * and then renamed. So a crash leaves either the old file or the complete new file. An existing
 * file is replaced only with --force. One process at a time can write a file; other processes are
 * refused before they spend any privacy budget. */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include <stdio.h>

#include <dp2dp/table.h>

#include "output/format.h"
#include "output/place.h"

/* What standard output ("-"), a pipe or a device gets if the command fails midway. */
typedef enum cli_sink_way {
    CLI_SINK_WHOLE,   /* nothing: the output waits in a temporary file until it is complete */
    CLI_SINK_STREAMED /* all rows written so far. A table of rows does not wait in a temporary file,
                         because it may be too large */
} cli_sink_way;

typedef struct cli_sink {
    FILE *stream;
    char *path;      /* file to create or replace; NULL if the output goes to `to` */
    char *temporary; /* path of the temporary file; NULL after its rename */
    FILE *parquet;   /* the stream of the file `temporary`, while `stream` collects the rows of a
                        Parquet output in another file; otherwise NULL */
    int to;          /* descriptor of a pipe or device; -1 if the output is a file */
    int direct;      /* 1: the stream writes to `to`; 0: to a temporary file */
    int committed;   /* 1: the output is complete */
    unsigned mode;   /* permissions of the file being replaced; 0 if the file is new */
} cli_sink;

/* Opens the target of --out. Refuses a target that cannot be written, an input of the command, and,
 * without --force, an existing file. Call this before any privacy budget is spent. Ownership: call
 * cli_sink_close, even after a failure. */
dp2dp_status cli_sink_open(const cli_args *args, cli_sink_way way, cli_sink *out,
                           dp2dp_error *error);
/* Opens a sink like cli_sink_open, for a path that another option names. */
dp2dp_status cli_sink_open_path(const cli_args *args, const char *option, const char *path,
                                cli_sink_way way, cli_sink *out, dp2dp_error *error);
/* Reserves room on the disk for a model, so that a full disk is noticed before any privacy budget
 * is spent. `numbers` is the number of offsets and weights. `schema` is the text of the model's
 * schema; it may be NULL. Does nothing for a pipe or device. */
dp2dp_status cli_sink_reserve(cli_sink *sink, size_t numbers, const char *schema,
                              dp2dp_error *error);
/* Returns whether the result goes to standard output, perhaps under another name such as
 * /dev/stdout. */
int cli_sink_is_stdout(const cli_sink *sink);
/* Refuses --json if --out is standard output; `what` names the result in the message. */
dp2dp_status cli_sink_check_json(const cli_args *args, const char *what, dp2dp_error *error);
/* Prints the answer of a verb that has written a file: the formatted text, then ", written to" and
 * the value of --out. */
void cli_sink_report(const cli_args *args, cli_out *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prepares a Parquet file if --out ends in .parquet. From now on `stream` is a nameless temporary
 * file; write the rows to it in the form that dp2dp_table_to_parquet reads. Fails if DuckDB is not
 * installed. */
dp2dp_status cli_sink_begin_parquet(const cli_args *args, cli_sink *sink, dp2dp_error *error);
/* Writes the Parquet file; call this before cli_sink_commit. Does nothing if the output is not
 * Parquet. */
dp2dp_status cli_sink_end_parquet(cli_sink *sink, const dp2dp_table_column *columns, size_t count,
                                  const char *types_from, dp2dp_error *error);
dp2dp_status cli_sink_failure(const cli_sink *sink, dp2dp_error *error);
dp2dp_status cli_sink_commit(cli_sink *sink, dp2dp_error *error);
/* Removes output that was not committed, and frees the sink. */
void cli_sink_close(cli_sink *sink);

enum {
    CLI_CHECKSUM_SIZE = 65 /* 64 digits and a NUL */
};
/* Writes the text of a model or certificate, commits the sink, and copies the checksum at the end
 * of the text to `checksum`. */
dp2dp_status cli_sink_sealed(cli_sink *sink, const char *text, size_t length,
                             char checksum[CLI_CHECKSUM_SIZE], dp2dp_error *error);

#endif
