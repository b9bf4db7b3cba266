#include "input/kind.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/data_sets.h"

/* The first bytes of a regular file, NUL-terminated; -1: there is no such file. A pipe is not even
 * opened: who waits to write to it would start, and find that its reader has gone. */
static ssize_t read_start(const char *path, char start[CLI_START_SIZE]) {
    struct stat info;
    ssize_t length = -1;
    int is_regular = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    int fd = is_regular ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd >= 0) {
        length = read(fd, start, CLI_START_SIZE - 1);
        close(fd);
    }
    start[length > 0 ? length : 0] = '\0';
    return length;
}

int cli_kind_is_model(const char *path) {
    char start[CLI_START_SIZE];
    return read_start(path, start) > 0 && strstr(start, "\"dp2dp-model\"") != NULL;
}

static int begins_json(const char *text) {
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '[';
}

int cli_kind_is_json(const char *path) {
    char start[CLI_START_SIZE];
    return read_start(path, start) > 0 && begins_json(start);
}

dp2dp_status cli_kind_check(const char *path, const char *what, const char *advice,
                            dp2dp_error *error) {
    char start[CLI_START_SIZE];
    ssize_t length = read_start(path, start);
    /* What an empty ledger is, its reader decides. */
    if (length < 0 || (length == 0 && strcmp(what, "ledger") == 0) ||
        start[strspn(start, " \t\r\n")] == '{') {
        return DP2DP_STATUS_OK;
    }
    start[strcspn(start, "\r\n")] = '\0';
    return cli_fail(error, DP2DP_STATUS_DATA, "not a %s: the file %s: %.120s%s%s", what,
                    length == 0               ? "is empty"
                    : strpbrk(start, ",;\t|") ? "looks like a table"
                                              : "is no JSON object",
                    path, *advice ? "; " : "", advice);
}

dp2dp_status cli_kind_model(const cli_args *args, dp2dp_model **out, dp2dp_error *error) {
    const char *path = args->operands[0];
    *out = NULL;
    if (strcmp(path, "-") == 0) {
        return cli_refuse(error, "MODEL must be a file: standard input is for tables");
    }
    int swapped = args->operand_count > 1 && cli_kind_is_model(args->operands[1]);
    CLI_TRY(cli_kind_check(path, "model",
                           swapped ? "the order is MODEL TABLE" : CLI_KIND_MADE_OF_TABLE, error));
    return dp2dp_model_load(path, out, error);
}

dp2dp_status cli_kind_schema(const char *source, dp2dp_schema **out, dp2dp_error *error) {
    *out = NULL;
    if (!cli_data_set_of_schema(source)) {
        CLI_TRY(cli_kind_check(source, "schema",
                               "dp2dp schema --columns makes one, --draft-from out of a table",
                               error));
    }
    return dp2dp_schema_load(source, out, error);
}

/* Without the blanks and quotes around it. */
static char *trimmed(char *field) {
    field += strspn(field, " \"");
    size_t length = strlen(field);
    while (length > 0 && strchr(" \"", field[length - 1])) {
        length--;
    }
    field[length] = '\0';
    return field;
}

/* Cuts the line up. A table is headless if one of its names is a number. */
static void read_names(char *line, char separator, cli_header *header) {
    const char between[] = {separator, '\0'};
    char *rest = NULL, *end;
    for (char *field = strtok_r(line, between, &rest); field && header->count < CLI_HEADER_NAMES;
         field = strtok_r(NULL, between, &rest)) {
        const char *name = header->names[header->count++] = trimmed(field);
        (void)strtod(name, &end);
        header->headless |= end != name && *end == '\0';
    }
}

/* Of a line with no comma in it. */
static const char *other_separator(const char *line) {
    switch (*strpbrk(line, ";\t|")) {
    case ';':
        return "; the first line has no comma but semicolons: --separator ';'";
    case '\t':
        return "; the first line has no comma but tabs: --separator tab";
    default:
        return "; the first line has no comma but bars: --separator '|'";
    }
}

const char *cli_kind_header(const char *path, char separator, size_t skip_lines,
                            cli_header *header) {
    char *line = header->text;
    header->count = 0;
    header->headless = 0;
    ssize_t size = read_start(path, line);
    if (size <= 0 || line[0] == '\x93') { /* 93 is how NPY begins */
        return "";
    }
    if (begins_json(line)) {
        return "; this is JSON, not a table";
    }
    for (; skip_lines > 0 && line; skip_lines--) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    size_t length = line ? strcspn(line, "\r\n") : 0;
    if (length == 0 || (line[length] == '\0' && size == CLI_START_SIZE - 1)) {
        return ""; /* longer than what was read */
    }
    line[length] = '\0';
    for (size_t i = 0; i < length; i++) {
        if ((unsigned char)line[i] < ' ' && line[i] != '\t') {
            return ""; /* compressed, say */
        }
    }
    if (strchr(line, separator) == NULL && strpbrk(line, ",;\t|") != NULL) {
        return separator == ',' ? other_separator(line)
                                : "; the first line does not have the --separator";
    }
    read_names(line, separator, header);
    return header->headless ? "; the first line must hold the names of the columns, and has a "
                              "number: see --no-header"
                            : "";
}

/* The folder of a path, with links resolved; the rest of the path is returned. */
static const char *split(const char *path, char folder[PATH_MAX]) {
    char part[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    snprintf(part, sizeof part, "%.*s", length, path);
    if (realpath(length ? part : ".", folder) == NULL) {
        folder[0] = '\0';
    }
    return slash ? slash + 1 : path;
}

int cli_kind_same(const char *path, const char *other) {
    struct stat info, other_info;
    char folder[PATH_MAX], other_folder[PATH_MAX];
    int exists = stat(path, &info) == 0, other_exists = stat(other, &other_info) == 0;
    if (exists && other_exists) {
        return S_ISREG(info.st_mode) && info.st_dev == other_info.st_dev &&
               info.st_ino == other_info.st_ino;
    }
    return !exists && !other_exists &&
           strcmp(split(path, folder), split(other, other_folder)) == 0 && folder[0] != '\0' &&
           strcmp(folder, other_folder) == 0;
}
