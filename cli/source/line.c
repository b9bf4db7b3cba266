#include "source/line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/wipe.h"

enum {
    READ_SIZE = 4096
};

cli_line_state cli_line_look(const cli_line *line) {
    const char *end = line->used > 0 ? memchr(line->text, '\n', line->used) : NULL;
    size_t length = end ? (size_t)(end - line->text) : line->used;
    return length > line->most ? CLI_LINE_TOO_LONG : end ? CLI_LINE_WHOLE : CLI_LINE_PART;
}

/* Makes room for a read. The buffer grows by half each time, so its size is in proportion to the
 * bytes received, even if much longer lines are allowed. */
static int make_room(cli_line *line) {
    if (line->capacity - line->used >= READ_SIZE) {
        return 1;
    }
    size_t capacity = line->used + line->used / 2 + READ_SIZE;
    char *text = malloc(capacity);
    if (text == NULL) {
        return 0;
    }
    if (line->used > 0) {
        memcpy(text, line->text, line->used);
    }
    cli_wipe_and_free(line->text, line->capacity);
    line->text = text;
    line->capacity = capacity;
    return 1;
}

cli_line_state cli_line_read(cli_line *line, int fd) {
    cli_line_state state = cli_line_look(line);
    if (state != CLI_LINE_PART) {
        return state;
    }
    if (!make_room(line)) {
        return CLI_LINE_NO_MEMORY;
    }
    ssize_t got = read(fd, line->text + line->used, line->capacity - line->used);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return CLI_LINE_PART;
    }
    if (got <= 0) {
        return CLI_LINE_END;
    }
    line->used += (size_t)got;
    return cli_line_look(line);
}

size_t cli_line_length(const cli_line *line) {
    return (size_t)((const char *)memchr(line->text, '\n', line->used) - line->text);
}

void cli_line_drop(cli_line *line) {
    size_t taken = cli_line_length(line) + 1;
    line->used -= taken;
    memmove(line->text, line->text + taken, line->used);
}

void cli_line_free(cli_line *line) {
    cli_wipe_and_free(line->text, line->capacity);
    *line = (cli_line) {.most = line->most};
}
