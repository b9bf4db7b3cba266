/* Columns of a table that are copied to the output unchanged. */
#ifndef CLI_KEPT_H
#define CLI_KEPT_H

#include "args/args.h"

/* The columns of --keep. They are read row by row, in step with the rows that a verb makes
 * decisions about. */
typedef struct cli_kept {
    cli_list names; /* names of the kept columns; names.count is 0 if no column is kept */
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    size_t row; /* the current row of the batch */
} cli_kept;

/* Opens the table once more and reads the columns of --keep as text. Does nothing without --keep.
 * The table must be a file, because it is read twice. Refuses a column with one of the `count`
 * names in `taken`, which the output has already. Ownership: call cli_kept_close, even after a
 * failure. */
dp2dp_status cli_kept_open(const cli_args *args, const char *path, const char *const *taken,
                           size_t count, cli_kept *out, dp2dp_error *error);
void cli_kept_close(cli_kept *kept);

/* Moves on to the next row, which cli_kept_text then reads. */
dp2dp_status cli_kept_next(cli_kept *kept, dp2dp_error *error);
/* Returns the text of a column, which has *length bytes and no NUL at its end. */
const char *cli_kept_text(const cli_kept *kept, size_t column, size_t *length);

#endif
