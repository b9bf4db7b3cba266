/* The names of a table of scores: its columns, groups and classes, as options give them. */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include "input/criterion.h"
#include "input/scores.h"

/* Ownership: call cli_names_free, even after a failure. */
typedef struct cli_names {
    cli_list scores;    /* --scores; empty if not given, which is allowed with fit --source */
    cli_list groups;    /* --groups */
    cli_list classes;   /* --classes; empty if not given */
    size_t class_count; /* number of classes */
    cli_list weights;   /* --group-scores; empty if not given */
    char (
        *numbers)[CLI_NAME_SIZE]; /* the class names 0, 1, ..., which are used without --classes */
    const char **numbered;        /* pointers to the names in `numbers` */
} cli_names;

/* Reads the options. Refuses lists whose lengths do not fit each other, --group-scores without
 * --unaware, and --unaware without --group-scores. If labelled is 1, --group-scores may have
 * one column for each pair of group and label instead of one for each group. */
dp2dp_status cli_names_read(const cli_args *args, int unaware, int labelled, cli_names *out,
                            dp2dp_error *error);
void cli_names_free(cli_names *names);
/* Refuses a label column that is also in --scores, --group-scores or --sensitive, and a sensitive
 * column that is also in --scores. */
dp2dp_status cli_names_check(const cli_args *args, const cli_names *names, dp2dp_error *error);
/* Refuses score columns whose names show that they are in the wrong order, such as p_yes,p_no for
 * the classes no,yes. Call this only where the library does not see the names of the columns: for a
 * fit, the library checks the order itself. */
dp2dp_status cli_names_check_order(const cli_columns *columns, dp2dp_error *error);
/* Prints a note on stderr if the names are probably a mistake: groups and classes have the same
 * names, or the scores of class 1 come before those of class 0. */
void cli_names_tell(const cli_args *args, const cli_names *names);
/* Returns the columns to read from the table in the first operand. Does not set the label column,
 * which is up to the caller. The result borrows from *names. */
cli_columns cli_names_columns(const cli_args *args, const cli_names *names);

#endif
