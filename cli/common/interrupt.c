#include "common/interrupt.h"

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

/* Whoever sent it sees the program end of the signal, as if it had not been caught. */
static void on_end(int signal_number) {
    const char *path = doomed;
    if (path) {
        (void)unlink(path);
    }
    (void)signal(signal_number, SIG_DFL);
    (void)raise(signal_number);
}

static void install(int signal_number, void (*handler)(int)) {
    struct sigaction action = {.sa_handler = handler};
    struct sigaction previous;
    if (sigaction(signal_number, NULL, &previous) == 0 && previous.sa_handler != SIG_IGN) {
        sigemptyset(&action.sa_mask);
        sigaction(signal_number, &action, NULL);
    }
}

void cli_interrupt_install(void) {
    install(SIGINT, on_interrupt);
    install(SIGTERM, on_end);
    install(SIGHUP, on_end);
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
