#include "input/kind.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/data_sets.h"
#include "common/progress.h"

enum {
    START_SIZE = 4096,
    MODEL_MAX = 1 << 28 /* largest model, in bytes, that is read from standard input */
};

/* Returns whether `format` is the first format name in the file. Later names do not count, because
 * models and certificates also contain a ledger. Does not open a pipe: closing the pipe early would
 * make the process that writes to it fail. */
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

/* Returns which command reads this file, or `otherwise` if that is unknown. */
static const char *reader_of(const char *path, const char *otherwise) {
    static const char *const readers[][2] = {
        {"\"dp2dp-model\"", "dp2dp show explains a model"},
        {"\"dp2dp-ledger\"", "dp2dp account computes the cost of a ledger"},
        {"\"dp2dp-certificate\"", "dp2dp verify checks a certificate, and dp2dp report MODEL "
                                  "--certificate explains it"},
        {"\"dp2dp-schema\"", "dp2dp schema prints a schema"}};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (begins_with(path, readers[i][0])) {
            return readers[i][1];
        }
    }
    return otherwise;
}

dp2dp_status cli_kind_table(dp2dp_status status, const char *path, dp2dp_error *error) {
    return advise(status,
                  begins_with(path, "\"dp2dp-schema\"")
                      ? "this file is a schema: pass it as --schema to dp2dp train, dp2dp run or "
                        "dp2dp sweep"
                  : begins_with(path, "\"dp2dp-model\"")
                      ? "this file is a model: pass it as --model to dp2dp fit, or as the first "
                        "argument to dp2dp predict and dp2dp evaluate"
                      : reader_of(path, "write the rows as CSV"),
                  error);
}

/* Reads standard input to its end, and puts a NUL after it. Ownership: the caller frees *text. */
static dp2dp_status read_input(char **text, size_t *length, dp2dp_error *error) {
    size_t room = 0;
    ssize_t got = 1;
    while (got > 0) {
        if (*length + 1 >= room) {
            room = room ? 2 * room : (size_t)1 << 16;
            char *larger = room <= MODEL_MAX ? realloc(*text, room) : NULL;
            CLI_TRY(cli_check_memory(larger, "a model from standard input", error));
            *text = larger;
        }
        got = read(STDIN_FILENO, *text + *length, room - *length - 1);
        *length += got > 0 ? (size_t)got : 0;
        got = got < 0 && errno == EINTR && !cli_interrupted() ? 1 : got;
    }
    (*text)[*length] = '\0';
    return got == 0 ? DP2DP_STATUS_OK
                    : cli_fail(error, DP2DP_STATUS_IO, "cannot read standard input: %s",
                               strerror(errno));
}

static dp2dp_status load_from_input(dp2dp_model **out, dp2dp_error *error) {
    char *text = NULL;
    size_t length = 0;
    dp2dp_status status = read_input(&text, &length, error);
    /* Parse only a text that begins with {. Any other text may be a table of people, and the
     * message of the parser would quote that text. */
    int is_json = text && length > 0 && text[strspn(text, " \t\r\n")] == '{';
    if (status == DP2DP_STATUS_OK) {
        status = is_json
                     ? dp2dp_model_from_json(text, length, out, error)
                     : cli_fail(error, DP2DP_STATUS_DATA, "this is not a model: standard input");
    }
    if (status == DP2DP_STATUS_DATA) {
        cli_error_add(error, "; standard input must be a model, for example the output of dp2dp "
                             "fit --out -");
    }
    free(text);
    return status;
}

dp2dp_status cli_kind_model(const cli_args *args, dp2dp_model **out, dp2dp_error *error) {
    const char *path = args->operands[0];
    *out = NULL;
    if (strcmp(path, "-") == 0) {
        return args->operand_count > 1 && strcmp(args->operands[1], "-") == 0
                   ? cli_refuse(error, "MODEL and TABLE cannot both be standard input")
                   : load_from_input(out, error);
    }
    int swapped = args->operand_count > 1 && cli_kind_is_model(args->operands[1]);
    return advise(dp2dp_model_load(path, out, error),
                  swapped ? "the order is MODEL TABLE"
                          : reader_of(path, "dp2dp fit and dp2dp train make a model from a table"),
                  error);
}

dp2dp_status cli_kind_base(const char *path, dp2dp_model **out, dp2dp_error *error) {
    return advise(dp2dp_model_load(path, out, error), "dp2dp train makes a model", error);
}

dp2dp_status cli_kind_schema_of_table(const char *source, const char *table, dp2dp_schema **out,
                                      dp2dp_error *error) {
    int swapped = begins_with(table, "\"dp2dp-schema\"") || cli_data_set_of_schema(table);
    return swapped
               ? advise(dp2dp_schema_load(source, out, error), "the order is SCHEMA TABLE", error)
               : cli_kind_schema(source, out, error);
}

dp2dp_status cli_kind_schema_shown(const char *source, dp2dp_schema **out, dp2dp_error *error) {
    const char *reader = reader_of(source, NULL);
    return reader ? advise(dp2dp_schema_load(source, out, error), reader, error)
                  : cli_kind_schema(source, out, error);
}

dp2dp_status cli_kind_schema(const char *source, dp2dp_schema **out, dp2dp_error *error) {
    return advise(
        dp2dp_schema_load(source, out, error),
        "dp2dp schema --columns drafts a schema; --draft-from TABLE finds bounds and levels",
        error);
}

dp2dp_status cli_kind_ledger(const char *path, dp2dp_ledger **out, dp2dp_error *error) {
    return advise(
        dp2dp_ledger_load(path, out, error),
        reader_of(
            path,
            "the file is not a model either; dp2dp fit and dp2dp train make a model from a table"),
        error);
}
