/* Reads the rows of a table file, encoded by a schema. */
#ifndef CLI_ENCODED_H
#define CLI_ENCODED_H

#include <stdio.h>

#include "args/args.h"
#include "common/data_sets.h"
#include "common/json.h"
#include "common/out.h"
#include "input/stream.h"

/* Opens a table as cli_table_open does with a schema. If `watch` is not NULL, counts the rows in
 * watch->rows, and stops reading once watch->given_up is set. */
dp2dp_status cli_encoded_open(const cli_args *args, const dp2dp_schema *schema, unsigned parts,
                              const char *path, cli_watch *watch, struct ArrowArrayStream *out,
                              dp2dp_error *error);

/* Labelled rows for `train` and `run`, from TABLE or from the data set of a built-in schema. */
typedef struct cli_labelled {
    dp2dp_schema *schema;
    const dp2dp_schema_info *info;
    struct ArrowArrayStream stream; /* its release is NULL if no rows are open */
    FILE *joined;                   /* the files of a data set, joined into one table, or NULL */
    const cli_data_set *set;        /* the data set that is read; NULL: a TABLE */
    struct ArrowArrayStream
        told; /* after cli_labelled_tell: the original stream, from which `stream` reads */
    dp2dp_error failure; /* the error of `told`; its status is OK if `told` did not fail */
    cli_watch watch;     /* only for a TABLE; counts values outside the schema's bounds and lists */
    uint64_t table_rows; /* number of rows in the data set's files, those with missing values too */
} cli_labelled;

/* Returns whether the schema lists the text as a marker of missing values. */
int cli_is_marker(const dp2dp_schema *schema, const char *text);

/* Loads --schema with the markers of --missing, but opens no rows. The schema must have a label
 * column if `parts` (dp2dp_part bits) has LABEL, and a sensitive column if `parts` has GROUP.
 * Ownership: call cli_labelled_close, even after a failure. */
dp2dp_status cli_labelled_schema(const cli_args *args, unsigned parts, cli_labelled *out,
                                 dp2dp_error *error);
/* Opens the rows, encoded by the schema; `parts` has dp2dp_part bits. In a TABLE, rows that the
 * schema leaves out are counted. In a data set, such rows are skipped, since only complete rows
 * belong to the public data set. */
dp2dp_status cli_labelled_open(const cli_args *args, unsigned parts, cli_labelled *labelled,
                               dp2dp_error *error);
/* Prints a note to stderr if the schema refuses the group in some rows of a table. `train` does not
 * read groups, so without this note the user would learn of these rows only at the fit, when the
 * epsilon of the training is already spent. Prints nothing with --bad-rows ignore. Prints nothing
 * for a pipe or a query either, because they cannot be read twice. */
void cli_groups_tell(const cli_args *args, const dp2dp_schema *schema, const char *path);
/* Makes the stream call cli_outside_tell, which prints cautions, after the last row. `train`
 * charges only after it has read all rows, so the user sees the cautions before the charge.
 * Afterwards *labelled must stay at the same address. */
void cli_labelled_tell(cli_labelled *labelled);
/* Call this with the `status` of a library function that has read the stream. If the stream failed,
 * copies the stream's error to *error and returns the status in that error; otherwise returns
 * `status`. The library itself passes on only the message of the stream's error. */
dp2dp_status cli_labelled_explain(const cli_labelled *labelled, dp2dp_status status,
                                  dp2dp_error *error);
void cli_labelled_close(cli_labelled *labelled);

/* Print that only the complete rows of a data set were read. For a TABLE, the JSON member
 * "data_set" is null, and no text is printed. */
void cli_labelled_json(const cli_labelled *labelled, cli_json *json);
void cli_labelled_text(const cli_labelled *labelled, cli_out *out);

#endif
