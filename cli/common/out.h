/* Collects the answer of a command in memory and sends it to stdout in one piece: if the command
 * fails, nothing is printed. */
#ifndef CLI_OUT_H
#define CLI_OUT_H

#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

typedef struct cli_out {
    FILE *stream;
    char *text;
    size_t length;
    int colour;           /* 1: stdout is a terminal that shows colours */
    dp2dp_status verdict; /* status that decides the exit code after the answer was printed: OK, or
                             for example NOT_MET */
} cli_out;

dp2dp_status cli_out_open(cli_out *out, dp2dp_error *error);
/* Writes the text to stdout and closes stdout. Fails with IO if writing or closing fails. */
dp2dp_status cli_out_send(cli_out *out, dp2dp_error *error);
/* Frees the text without printing it. Call this after cli_out_send too. */
void cli_out_drop(cli_out *out);

/* Return the terminal codes for bold, for bold red and for plain text; "" without colour. */
const char *cli_bold(const cli_out *out);
const char *cli_alarm(const cli_out *out);
const char *cli_plain(const cli_out *out);

void cli_out_section(cli_out *out, const char *title);
/* Prints a line of a two-column table: a name and a formatted value. Control characters in the
 * value become '?'. */
void cli_out_row(cli_out *out, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints prose, wrapped and indented by two columns. Control characters become '?'. */
void cli_out_prose(cli_out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A table of numbers with row and column names. A name too long for its cell is cut; NaN is printed
 * as "-". A table with more than CLI_TABLE_COLUMNS columns is replaced by a line that refers to
 * --json. */
enum {
    CLI_TABLE_COLUMNS = 8
};
typedef struct cli_table {
    size_t rows, columns;
    const char *const *row_names;
    const char *const *column_names;
    const double *values; /* rows × columns numbers, row by row */
    int decimals;
} cli_table;
void cli_out_table(cli_out *out, const cli_table *table);
/* Prints four values as a table: the error before and after the fair rule, then the unfairness
 * before and after the rule. */
void cli_out_before_after(cli_out *out, const double values[4]);

/* Prints text wrapped to 80 columns, each line after `indent` spaces, with a newline at the end.
 * The caller has already written `column` columns of the first line. */
void cli_wrap(FILE *stream, int indent, int column, const char *text);

/* Writes the names to `text`, as "a, b or c" if `last` is " or ". If there is no room for all
 * names, "..." stands for the rest. Returns text. */
const char *cli_listed(const char *const *names, size_t count, const char *last, char *text,
                       size_t size);

/* Makes text from a file or the command line safe for a terminal: control characters become '?'. */
void cli_make_safe(char *text);
void cli_print_safely(FILE *stream, const char *text);

void cli_csv_cell(FILE *stream, const char *text);
/* Writes a text in quotes, even if CSV does not need quotes for this text. */
void cli_csv_quoted(FILE *stream, const char *text);

dp2dp_status cli_write_all(int fd, const char *text, size_t length, dp2dp_error *error);

const char *cli_noun(uint64_t count, const char *one, const char *many);

#endif
