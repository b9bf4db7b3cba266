/* Rows that carry their scores: columns of probabilities, one of groups, maybe one of labels. */
#ifndef CLI_SCORED_H
#define CLI_SCORED_H

#include "input/rows.h"

/* Adds every batch to *rows, then hands it to `use` unless NULL, after which it may go. */
dp2dp_status cli_scored_read(const cli_columns *columns, cli_rows *rows, cli_rows_use use,
                             void *context, dp2dp_error *error);

#endif
