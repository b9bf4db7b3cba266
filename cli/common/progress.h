/* Long work that people watch and may interrupt: a bar on standard error with the time that is
 * left, if that is a terminal that can redraw a line, and nothing anywhere else. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

typedef struct cli_progress {
    int watched;
    double started, drawn; /* seconds on a clock; drawn is when the bar was last drawn */
} cli_progress;

/* From begin to end the first interrupt cancels the work in an orderly way. */
cli_progress cli_progress_begin(void);
/* A dp2dp_progress; its context is a cli_progress, by one thread at a time. The numbers of steps
 * are public. */
int cli_progress_step(void *context, uint64_t step, uint64_t total);
void cli_progress_end(const cli_progress *progress);

#endif
