#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <dp2dp/status.h>

static volatile sig_atomic_t held;
static volatile sig_atomic_t raised;
static _Atomic(const char *) doomed;

static void on_interrupt(int signal_number) {
    static const char message[] = "dp2dp: interrupted\n";
    (void)signal_number;
    if (held && !raised) {
        raised = 1;
        return;
    }
    const char *path = doomed;
    if (path) {
        (void)unlink(path);
    }
    ssize_t ignored = write(STDERR_FILENO, message, sizeof message - 1);
    (void)ignored;
    _exit(dp2dp_status_exit_code(DP2DP_STATUS_CANCELLED));
}

void cli_interrupt_install(void) {
    struct sigaction interrupt = {.sa_handler = on_interrupt};
    struct sigaction previous;
    if (sigaction(SIGINT, NULL, &previous) == 0 && previous.sa_handler != SIG_IGN) {
        sigemptyset(&interrupt.sa_mask);
        sigaction(SIGINT, &interrupt, NULL);
    }
}

void cli_interrupt_hold(void) {
    held = 1;
}

void cli_interrupt_release(void) {
    held = 0;
}

int cli_interrupted(void) {
    return raised;
}

void cli_interrupt_removes(const char *path) {
    doomed = path;
}
