/* A command that runs while dp2dp runs. Pipes connect dp2dp with the command's standard input and
 * standard output; dp2dp and the command write to the same standard error. */
#ifndef CLI_PROCESS_H
#define CLI_PROCESS_H

#include <sys/types.h>

#include "common/error.h"

typedef struct cli_process {
    pid_t pid;   /* 0: not running */
    int to;      /* non-blocking pipe to the command's standard input; -1: closed */
    int from;    /* non-blocking pipe from the command's standard output; -1: closed */
    size_t slot; /* the slot that cli_interrupt_fork got for this process */
} cli_process;

#define CLI_PROCESS_NONE ((cli_process) {.to = -1, .from = -1})

/* Starts `sh -c command`, without a controlling terminal. Ownership: call cli_process_end, even
 * after a failure. */
dp2dp_status cli_process_start(const char *command, size_t slot, cli_process *out,
                               dp2dp_error *error);
/* Returns whether the command has ended. If the command has ended, sets *failed to whether it
 * failed: a signal ended it, or its exit code is not 0. Processes that the command started may
 * still run and keep its pipes open. */
int cli_process_has_ended(const cli_process *process, int *failed);
/* Closes the pipes, which tells the command to end. */
void cli_process_close(cli_process *process);
/* Closes the pipes of all commands, and waits up to `milli` milliseconds until all commands have
 * ended. Then ends the commands that still run, and all processes that the commands started: first
 * with SIGTERM and, up to a second later, with SIGKILL. */
void cli_process_stop(cli_process *const *processes, size_t count, int milli);
/* Stops one command as cli_process_stop does. Returns the exit code of the command, or -1 if a
 * signal ended the command or if it was not running. May be called again. */
int cli_process_end(cli_process *process, int milli);

#endif
