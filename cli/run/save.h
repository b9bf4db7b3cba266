/* --save: one CSV table for each run. */
#ifndef CLI_RUN_SAVE_H
#define CLI_RUN_SAVE_H

#include "run/pipeline.h"

typedef struct cli_save {
    const char *folder; /* NULL: nothing is saved */
    int created;        /* by us */
} cli_save;

/* Refuses a folder that cannot be made or written to, files that are already there without --force,
 * and inputs. Call it before the work. */
dp2dp_status cli_save_check(const cli_args *args, dp2dp_error *error);
/* Makes the folder if it is not there. */
dp2dp_status cli_save_begin(const cli_args *args, cli_save *out, dp2dp_error *error);
/* Each file is replaced all at once. Privacy: none, these are the records' own labels and groups.
 */
dp2dp_status cli_save_runs(const cli_args *args, const cli_save *save, const cli_pipeline *pipeline,
                           const cli_run *runs, size_t count, dp2dp_error *error);
/* Removes a folder that was made for nothing. */
void cli_save_end(const cli_save *save, dp2dp_status status);

#endif
