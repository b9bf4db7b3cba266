/* Drafts a schema from --columns, and from a table if --columns leaves something out. */
#ifndef CLI_DRAFT_H
#define CLI_DRAFT_H

#include "args/args.h"

enum {
    CLI_DRAFT_LEVELS_MAX = 1000, /* the most levels that a column can get from a table */
    CLI_DRAFT_CAUTION_SIZE = 400
};

#define CLI_DRAFT_OPEN "?" /* a word of a skeleton that the user must replace */

typedef struct cli_draft_column {
    char *name;
    dp2dp_role role;
    dp2dp_kind kind; /* 0: not given */
    int log1p;
    dp2dp_policy missing; /* what to do with missing values; 0: not given */
    double bounds[2];     /* lower and upper bound; only the first bound_count are given */
    size_t bound_count;
    double *cuts;
    size_t cut_count;
    char **levels;
    size_t level_count;
    char caution[CLI_DRAFT_CAUTION_SIZE]; /* a caution if the draft may misread the values, for
                                             example dates as levels; "" if nothing is suspicious */
    double centre,
        scale; /* mean and standard deviation of the values; NAN: use the defaults of a schema */
} cli_draft_column;

typedef struct cli_draft {
    const char *name;
    cli_draft_column *columns;
    size_t count;
    cli_list missing;
    int from_data;   /* 1: some bounds or levels come from rows; an empty cell then means a missing
                        value */
    int is_skeleton; /* 1: only the names are known; "?" stands for everything else */
} cli_draft;

/* Reads --missing, --name and --columns. Without --columns, makes a skeleton: reads only the column
 * names, from the header of the table in --draft-from, and no rows. Ownership: call cli_draft_free,
 * even after a failure. */
dp2dp_status cli_draft_read(const cli_args *args, cli_draft *out, dp2dp_error *error);
void cli_draft_free(cli_draft *draft);

/* Makes a skeleton; cli_draft_read calls this. */
dp2dp_status cli_draft_read_names(const cli_args *args, cli_draft *out, dp2dp_error *error);

/* Returns whether a column still needs bounds, levels or cut points. A column with the role ignore
 * needs none. */
int cli_draft_is_open(const cli_draft_column *column);
/* If --columns gives no bounds or levels for a column, finds them in the rows of --draft-from. Sets
 * draft->from_data, because bounds and levels from rows are not private. */
dp2dp_status cli_draft_complete(const cli_args *args, cli_draft *draft, dp2dp_error *error);

/* Writes the schema as JSON text. Ownership: the caller frees *text. */
dp2dp_status cli_draft_write(const cli_draft *draft, char **text, dp2dp_error *error);

#endif
