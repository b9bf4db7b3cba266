/* What a file looks like from its first bytes, to say what it is not before a parser quotes it. */
#ifndef CLI_KIND_H
#define CLI_KIND_H

#include "args/args.h"

/* Does the file begin like a model? Only for choosing the reader, which then checks all of it. */
int cli_kind_is_model(const char *path);
/* Does it begin like JSON, which no table does? */
int cli_kind_is_json(const char *path);

/* Refuses a file that is no JSON object, before the JSON parser would print a piece of it, which
 * may be a table of people. `what` is "model" or "ledger". A file that cannot be read passes: its
 * reader says why. */
dp2dp_status cli_kind_check(const char *path, const char *what, const char *advice,
                            dp2dp_error *error);

/* The advice where a file is not a model. */
#define CLI_KIND_MADE_OF_TABLE "dp2dp fit and dp2dp train make a model of a table"

/* The model of the operand MODEL. Ownership: the caller frees it. */
dp2dp_status cli_kind_model(const cli_args *args, dp2dp_model **out, dp2dp_error *error);

/* A schema by its built-in name or its file. Ownership: the caller frees it. */
dp2dp_status cli_kind_schema(const char *source, dp2dp_schema **out, dp2dp_error *error);

enum {
    CLI_START_SIZE = 4096,
    CLI_HEADER_NAMES = 256
};

/* The columns of a CSV table by its first line. */
typedef struct cli_header {
    char text[CLI_START_SIZE];
    const char *names[CLI_HEADER_NAMES];
    size_t count; /* 0: not known */
    int headless; /* a name is a number, so that all may be somebody's values */
} cli_header;

/* Reads the first line after those skipped. Returns why the table may lack a column; "" where that
 * gives no reason. */
const char *cli_kind_header(const char *path, char separator, size_t skip_lines,
                            cli_header *header);

/* Do two paths name one file, or would they once it exists? */
int cli_kind_same(const char *path, const char *other);

#endif
