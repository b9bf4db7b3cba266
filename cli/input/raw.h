/* Raw rows: read through the schema of a model and scored by its classifier. */
#ifndef CLI_RAW_H
#define CLI_RAW_H

#include "input/rows.h"

/* The columns of a table that the classifier of a model reads; parts: dp2dp_part bits beside the
 * features. Groups and classes are those of its schema. ARGUMENT for a model without a classifier,
 * and for groups of a schema that has none. Ownership: cli_columns_free, even after a failure. */
dp2dp_status cli_raw_columns(const cli_args *args, const dp2dp_model *model, const char *path,
                             unsigned parts, cli_columns *out, dp2dp_error *error);

/* Scores every batch and adds it to *rows, then hands it to `use` unless NULL, after which it may
 * go. */
dp2dp_status cli_raw_read(const cli_columns *columns, cli_rows *rows, cli_rows_use use,
                          void *context, dp2dp_error *error);

#endif
