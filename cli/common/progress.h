/* The progress bar of long work, and what an interrupt (Ctrl-C) does to the work. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

int cli_is_terminal(int fd);

typedef struct cli_progress {
    int watched;    /* 1: stderr is a terminal, so a bar is drawn */
    double started; /* start of the work, in seconds on a monotonic clock */
    double drawn;   /* when the bar was last drawn, in seconds on a monotonic clock */
} cli_progress;

/* Begins long work. Until cli_progress_end, the first interrupt only makes cli_interrupted true, so
 * that the work can stop cleanly; a second interrupt ends the program at once. */
cli_progress cli_progress_begin(void);
/* A dp2dp_progress callback that draws the bar. Its context is a cli_progress, used by one thread
 * at a time. Returns whether the work is to be cancelled. The step counts are public, so the bar
 * reveals nothing. */
int cli_progress_step(void *context, uint64_t step, uint64_t total);
/* A dp2dp_progress callback that draws nothing, and cancels the work after an interrupt. */
int cli_progress_cancel(void *context, uint64_t step, uint64_t total);
void cli_progress_end(const cli_progress *progress);

/* Installs handlers for SIGINT, SIGTERM and SIGHUP. Before a signal ends the program, its handler
 * removes the file set by cli_interrupt_removes and ends the children of cli_interrupt_fork. SIGINT
 * (Ctrl-C) gives the exit code of a cancelled run and prints a message, as JSON if as_json is 1. A
 * signal that was already ignored (nohup, a background job) stays ignored. */
void cli_interrupt_install(int as_json);

int cli_interrupted(void);

/* Sets the file to remove if a signal ends the program; NULL unsets it. Ownership: the path is
 * borrowed. */
void cli_interrupt_removes(const char *path);

enum {
    CLI_CHILDREN_MAX = 64
};
/* Forks. If a signal ends the program, the child and its group are killed too, even if the signal
 * comes before fork returns. The child has the default signal handlers, but signals that the
 * program ignores stay ignored. Returns what fork returns. `slot` is below CLI_CHILDREN_MAX. */
pid_t cli_interrupt_fork(size_t slot);
/* Forgets the child in a slot. Call this before you wait for the child: afterwards its process id
 * may belong to another process. */
void cli_interrupt_spares(size_t slot);

#endif
