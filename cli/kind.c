#include "kind.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out.h"

enum {
    START_SIZE = 4096
};

/* The first bytes of a regular file, NUL-terminated; -1: there is no such file. */
static ssize_t read_start(const char *path, char start[START_SIZE]) {
    struct stat info;
    ssize_t length = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0) {
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
            length = read(fd, start, START_SIZE - 1);
        }
        close(fd);
    }
    start[length > 0 ? length : 0] = '\0';
    return length;
}

int cli_kind_is_model(const char *path) {
    char start[START_SIZE];
    return read_start(path, start) > 0 && strstr(start, "\"dp2dp-model\"") != NULL;
}

dp2dp_status cli_kind_check(const char *path, const char *what, const char *advice,
                            dp2dp_error *error) {
    char start[START_SIZE];
    ssize_t length = read_start(path, start);
    if (length <= 0 || start[strspn(start, " \t\r\n")] == '{') {
        return DP2DP_STATUS_OK;
    }
    return cli_fail(error, DP2DP_STATUS_DATA, "not a %s: the file is no JSON object: %.120s%s%s",
                    what, path, *advice ? "; " : "", advice);
}

dp2dp_status cli_kind_model(const char *path, dp2dp_model **out, dp2dp_error *error) {
    *out = NULL;
    if (strcmp(path, "-") == 0) {
        return cli_fail(error, DP2DP_STATUS_ARGUMENT,
                        "MODEL must be a file: standard input is for tables");
    }
    dp2dp_status status = cli_kind_check(path, "model", "the order is MODEL TABLE", error);
    return status == DP2DP_STATUS_OK ? dp2dp_model_load(path, out, error) : status;
}

/* Is one of the fields a number? Cuts the line up. */
static int holds_number(char *line, char separator) {
    const char between[] = {separator, '\0'};
    char *rest = NULL;
    for (char *field = strtok_r(line, between, &rest); field;
         field = strtok_r(NULL, between, &rest)) {
        char *end;
        field += strspn(field, " \"");
        (void)strtod(field, &end);
        if (end != field && end[strspn(end, " \"")] == '\0') {
            return 1;
        }
    }
    return 0;
}

const char *cli_kind_table_advice(const char *path, char separator, size_t skip_lines,
                                  int *headless) {
    char start[START_SIZE], *line = start;
    *headless = 0;
    if (read_start(path, start) <= 0 || start[0] == '\x93') { /* 93 is how NPY begins */
        return "";
    }
    if (start[strspn(start, " \t\r\n")] == '{') {
        return "; this is JSON, not a table";
    }
    for (; skip_lines > 0 && line; skip_lines--) {
        line = strchr(line, '\n');
        line += line != NULL;
    }
    if (line == NULL) {
        return "";
    }
    line[strcspn(line, "\r\n")] = '\0';
    if (strchr(line, separator) == NULL && strpbrk(line, ",;\t|") != NULL) {
        return separator == ',' ? "; the first line has no comma: see --separator for other tables"
                                : "; the first line does not have the --separator";
    }
    *headless = holds_number(line, separator);
    return *headless ? "; the first line must hold the names of the columns, and has a number: see "
                       "--no-header"
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
