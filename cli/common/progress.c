#include "common/progress.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dp2dp/status.h>

static volatile sig_atomic_t held; /* 1: long work is running, so the first interrupt does not end
                                      the program but only cancels the work */
static volatile sig_atomic_t wants_json; /* 1: an interrupt is reported as JSON */
static volatile sig_atomic_t raised;     /* 1: the first interrupt has come */
static _Atomic(const char *) doomed; /* file to remove if a signal ends the program; may be NULL */

static _Atomic(pid_t) children[CLI_CHILDREN_MAX]; /* child processes to end when a signal ends the
                                                     program; 0: no child */

/* Sends the signal to every child process and to its process group. Returns whether there is a
 * child process. */
static int signal_children(int signal_number) {
    int any = 0;
    for (size_t i = 0; i < CLI_CHILDREN_MAX; i++) {
        pid_t child = children[i];
        if (child > 0) {
            any = 1;
            (void)kill(-child, signal_number); /* the child's process group, which exists once the
                                                  child has called setsid */
            (void)kill(child, signal_number);
        }
    }
    return any;
}

static void clean_up(void) {
    const struct timespec grace = {.tv_nsec = 20000000L};
    const char *path = doomed;
    if (path) {
        (void)unlink(path);
    }
    if (signal_children(SIGTERM)) {
        (void)nanosleep(&grace, NULL);
        (void)signal_children(SIGKILL);
    }
}

static void on_interrupt(int signal_number) {
    static const char text[] = "dp2dp: interrupted\n";
    static const char json[] =
        "{\n  \"error\": \"interrupted\",\n  \"status\": \"cancelled\",\n  \"exit\": 130\n}\n";
    (void)signal_number;
    if (held && !raised) {
        raised = 1;
        return;
    }
    clean_up();
    ssize_t ignored = write(STDERR_FILENO, wants_json ? json : text,
                            wants_json ? sizeof json - 1 : sizeof text - 1);
    (void)ignored;
    _exit(dp2dp_status_exit_code(DP2DP_STATUS_CANCELLED));
}

/* Ends the program with the exit status of the signal, as if the signal had not been caught. */
static void on_end(int signal_number) {
    clean_up();
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

void cli_interrupt_install(int as_json) {
    wants_json = as_json;
    install(SIGINT, on_interrupt);
    install(SIGTERM, on_end);
    install(SIGHUP, on_end);
}

pid_t cli_interrupt_fork(size_t slot) {
    sigset_t handled, before;
    sigemptyset(&handled);
    sigaddset(&handled, SIGINT);
    sigaddset(&handled, SIGTERM);
    sigaddset(&handled, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &handled, &before);
    pid_t child = fork();
    int err = errno;
    if (child == 0) {
        install(SIGINT, SIG_DFL);
        install(SIGTERM, SIG_DFL);
        install(SIGHUP, SIG_DFL);
    } else {
        children[slot] = child > 0 ? child : 0;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = err;
    return child;
}

int cli_interrupted(void) {
    return raised;
}

void cli_interrupt_removes(const char *path) {
    doomed = path;
}

void cli_interrupt_spares(size_t slot) {
    children[slot] = 0;
}

enum {
    BAR_WIDTH = 30
};
static const double redraw_seconds = 0.1;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int cli_is_terminal(int fd) {
    const char *terminal = getenv("TERM");
    return isatty(fd) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

cli_progress cli_progress_begin(void) {
    held = 1;
    return (cli_progress) {.watched = cli_is_terminal(STDERR_FILENO), .started = now()};
}

/* Redraws the bar: [##########....................]  33 %, 2 min 5 s left. `part` is the fraction
 * of the work that is done, `left` the number of seconds left. */
static void draw(double part, double left) {
    char bar[BAR_WIDTH + 1], time[40] = "";
    int done = (int)(part * BAR_WIDTH);
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)done);
    bar[BAR_WIDTH] = '\0';
    if (left < 3600 * 100.0) {
        int seconds = (int)left + 1;
        int used = seconds < 60 ? 0 : snprintf(time, sizeof time, ", %d min", seconds / 60);
        snprintf(time + used, sizeof time - (size_t)used, "%s%d s left", used ? " " : ", ",
                 seconds % 60);
    }
    fprintf(stderr, "\r[%s] %3d %%%s\033[K", bar, (int)(part * 100), time);
}

int cli_progress_step(void *context, uint64_t step, uint64_t total) {
    cli_progress *progress = context;
    double time = progress->watched ? now() : 0;
    if (progress->watched && step > 0 && time - progress->drawn >= redraw_seconds) {
        double part = step < total ? (double)step / (double)total : 1;
        progress->drawn = time;
        draw(part, (time - progress->started) * (1 - part) / part);
    }
    return cli_interrupted();
}

int cli_progress_cancel(void *context, uint64_t step, uint64_t total) {
    (void)context;
    (void)step;
    (void)total;
    return cli_interrupted();
}

void cli_progress_end(const cli_progress *progress) {
    held = 0;
    if (progress->watched) {
        fputs("\r\033[K", stderr);
    }
}
