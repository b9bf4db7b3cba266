/* Lines of bounded length from a pipe. */
#ifndef CLI_LINE_H
#define CLI_LINE_H

#include <stddef.h>

typedef struct cli_line {
    char *text;      /* bytes that were read and are not dropped yet; may be NULL */
    size_t used;     /* bytes in text */
    size_t capacity; /* bytes that text has room for */
    size_t most;     /* longest line that is accepted, in bytes, without its newline */
} cli_line;

typedef enum cli_line_state {
    CLI_LINE_PART,     /* the line is not complete yet */
    CLI_LINE_WHOLE,    /* a complete line is there */
    CLI_LINE_END,      /* the pipe has ended, and no complete line is there */
    CLI_LINE_TOO_LONG, /* the line has more than `most` bytes */
    CLI_LINE_NO_MEMORY
} cli_line_state;

/* Returns the state of the bytes that were read so far. Reads nothing. */
cli_line_state cli_line_look(const cli_line *line);
/* If a complete line is there already, reads nothing; otherwise reads once from the descriptor.
 * Returns CLI_LINE_PART also if nothing can be read now, or if a signal interrupted the read. Any
 * other failure to read counts as the end of the pipe. */
cli_line_state cli_line_read(cli_line *line, int fd);
/* Returns the length of the complete line that starts at line->text, without its newline. */
size_t cli_line_length(const cli_line *line);
/* Drops the complete line that starts at line->text. */
void cli_line_drop(cli_line *line);
/* Overwrites and frees the bytes that were read. Keeps line->most. */
void cli_line_free(cli_line *line);

#endif
