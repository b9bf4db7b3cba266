#include "input/kind.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    START_SIZE = 4096
};

/* Returns whether `format` is the first format that the file names. Models and certificates hold a
 * ledger, whose format comes after their own. Does not open a pipe, since its writer would start
 * and then fail when we close the pipe. */
static int begins_with(const char *path, const char *format) {
    struct stat info;
    char start[START_SIZE];
    ssize_t length = -1;
    int is_regular = stat(path, &info) == 0 && S_ISREG(info.st_mode);
    int fd = is_regular ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd >= 0) {
        length = read(fd, start, START_SIZE - 1);
        close(fd);
    }
    start[length > 0 ? length : 0] = '\0';
    const char *first = strstr(start, "\"dp2dp-");
    return first && strncmp(first, format, strlen(format)) == 0;
}

int cli_kind_is_model(const char *path) {
    return begins_with(path, "\"dp2dp-model\"");
}

int cli_kind_is_ledger(const char *path) {
    return begins_with(path, "\"dp2dp-ledger\"");
}

static dp2dp_status advise(dp2dp_status status, const char *advice, dp2dp_error *error) {
    if (status != DP2DP_STATUS_OK && error->reason == DP2DP_REASON_WRONG_FILE) {
        cli_error_add(error, "; %s", advice);
    }
    return status;
}

dp2dp_status cli_kind_model(const cli_args *args, dp2dp_model **out, dp2dp_error *error) {
    const char *path = args->operands[0];
    *out = NULL;
    if (strcmp(path, "-") == 0) {
        return cli_refuse(error, "MODEL must be a file: standard input is for tables");
    }
    int swapped = args->operand_count > 1 && cli_kind_is_model(args->operands[1]);
    return advise(dp2dp_model_load(path, out, error),
                  swapped ? "the order is MODEL TABLE"
                          : "dp2dp fit and dp2dp train make a model from a table",
                  error);
}

dp2dp_status cli_kind_base(const char *path, dp2dp_model **out, dp2dp_error *error) {
    return advise(dp2dp_model_load(path, out, error), "dp2dp train makes a model", error);
}

dp2dp_status cli_kind_schema(const char *source, dp2dp_schema **out, dp2dp_error *error) {
    return advise(dp2dp_schema_load(source, out, error),
                  "dp2dp schema --columns drafts one; --draft-from TABLE finds bounds and levels",
                  error);
}

dp2dp_status cli_kind_ledger(const char *path, dp2dp_ledger **out, dp2dp_error *error) {
    return advise(dp2dp_ledger_load(path, out, error),
                  "nor is it a model; dp2dp fit and dp2dp train make a model from a table", error);
}
