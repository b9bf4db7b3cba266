/* What Ctrl-C does: it ends the program with the exit code of a cancelled run and leaves no
 * half-written file behind. Neither do SIGTERM and SIGHUP, which end it as they always do. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

/* Leaves an interrupt that the caller's caller ignores (nohup, a background job) ignored. */
void cli_interrupt_install(void);

/* Between hold and release the first interrupt only raises a flag, for work that can be cancelled
 * in an orderly way; the second one ends the program all the same. */
void cli_interrupt_hold(void);
void cli_interrupt_release(void);
int cli_interrupted(void);

/* The one file to remove when an interrupt ends the program; NULL: none. Ownership: borrowed. */
void cli_interrupt_removes(const char *path);

#endif
