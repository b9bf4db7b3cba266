/* Long work: the progress bar, and what an interrupt does. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

typedef struct cli_progress {
    int watched;
    double started, drawn; /* seconds on a clock; drawn is when the bar was last drawn */
} cli_progress;

/* Between begin and end, the first interrupt cancels the work cleanly; the second ends the program
 * at once. */
cli_progress cli_progress_begin(void);
/* A dp2dp_progress; its context is a cli_progress, used by one thread at a time. The numbers of
 * steps are public. */
int cli_progress_step(void *context, uint64_t step, uint64_t total);
void cli_progress_end(const cli_progress *progress);

/* What Ctrl-C does: it ends the program with the exit code of a cancelled run and leaves no
 * half-written file behind. SIGTERM and SIGHUP leave none either, and end it as usual. */

/* An interrupt that was already ignored (nohup, a background job) stays ignored. */
void cli_interrupt_install(void);

/* Has the first interrupt come? */
int cli_interrupted(void);

/* The one file to remove when an interrupt ends the program; NULL: none. Ownership: borrowed. */
void cli_interrupt_removes(const char *path);

#endif
