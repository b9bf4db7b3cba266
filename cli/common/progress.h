/* Long work: the progress bar, and what an interrupt does. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdint.h>

/* Is the descriptor a terminal that understands escape codes? */
int cli_is_terminal(int fd);

typedef struct cli_progress {
    int watched;    /* stderr is a terminal: draw a bar */
    double started; /* seconds on a monotonic clock */
    double drawn;   /* when the bar was last drawn, on the same clock */
} cli_progress;

/* Between begin and end, the first interrupt cancels the work cleanly; the second ends the program
 * at once. */
cli_progress cli_progress_begin(void);
/* A dp2dp_progress callback that draws the bar; its context is a cli_progress, used by one thread
 * at a time. Returns whether the work is cancelled. The numbers of steps are public. */
int cli_progress_step(void *context, uint64_t step, uint64_t total);
void cli_progress_end(const cli_progress *progress);

/* From here on Ctrl-C ends the program with the exit code of a cancelled run, SIGTERM and SIGHUP
 * end it as usual, and all three remove a half-written file. A signal that was already ignored
 * (nohup, a background job) stays ignored. */
void cli_interrupt_install(void);

/* Has an interrupt come between begin and end? */
int cli_interrupted(void);

/* The one file to remove when an interrupt ends the program; NULL: none. Ownership: borrowed. */
void cli_interrupt_removes(const char *path);

#endif
