/* Long work that people watch and may interrupt. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

typedef struct cli_progress {
    int watched; /* standard error is a terminal */
} cli_progress;

/* From begin to end the first interrupt cancels the work in an orderly way. */
cli_progress cli_progress_begin(void);
/* A dp2dp_progress. The numbers of steps are public. */
int cli_progress_step(void *context, uint64_t step, uint64_t total);
void cli_progress_end(const cli_progress *progress);

#endif
