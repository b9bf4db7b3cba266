#include "source/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/progress.h"

enum {
    NAP_MILLI = 5,
    TERM_MILLI = 1000 /* time between SIGTERM and SIGKILL */
};

static dp2dp_status fail(int err, dp2dp_error *error) {
    return cli_fail(error, DP2DP_STATUS_IO, "cannot start a command of --source: %s",
                    strerror(err));
}

static void close_one(int *fd) {
    if (*fd >= 0) {
        (void)close(*fd);
    }
    *fd = -1;
}

/* Makes a pipe that other programs do not inherit. Returns 0 or an errno value. */
static int make_pipe(int ends[2]) {
    if (pipe(ends) != 0) {
        ends[0] = ends[1] = -1;
        return errno;
    }
    for (int i = 0; i < 2; i++) {
        if (fcntl(ends[i], F_SETFD, FD_CLOEXEC) != 0) {
            return errno;
        }
    }
    return 0;
}

/* Becomes the command. It has a session of its own, so that all of its processes can be ended
 * together, and so that ssh fails instead of waiting for a password. The program ignores SIGPIPE
 * and SIGXFSZ; a command must not inherit that. */
static void become(const char *command, int in, int out) {
    (void)setsid();
    (void)signal(SIGPIPE, SIG_DFL);
    (void)signal(SIGXFSZ, SIG_DFL);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0) {
        (void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    }
    _exit(127);
}

dp2dp_status cli_process_start(const char *command, size_t slot, cli_process *out,
                               dp2dp_error *error) {
    int questions[2] = {-1, -1}, answers[2] = {-1, -1};
    *out = CLI_PROCESS_NONE;
    out->slot = slot;
    int err = make_pipe(questions);
    err = err ? err : make_pipe(answers);
    err = err ? err : fcntl(questions[1], F_SETFL, O_NONBLOCK) != 0 ? errno : 0;
    err = err ? err : fcntl(answers[0], F_SETFL, O_NONBLOCK) != 0 ? errno : 0;
    if (err == 0) {
        out->pid = fork();
        err = out->pid < 0 ? errno : 0;
    }
    if (err == 0 && out->pid == 0) {
        become(command, questions[0], answers[1]);
    }
    out->pid = err ? 0 : out->pid;
    cli_interrupt_kills(slot, out->pid);
    out->to = questions[1];
    out->from = answers[0];
    close_one(&questions[0]);
    close_one(&answers[1]);
    return err ? fail(err, error) : DP2DP_STATUS_OK;
}

void cli_process_close(cli_process *process) {
    close_one(&process->to);
    close_one(&process->from);
}

/* Waits up to `milli` milliseconds for the end of the process, and returns whether it has ended. */
static int wait_for(pid_t pid, int milli) {
    const struct timespec nap = {.tv_nsec = NAP_MILLI * 1000000L};
    siginfo_t info = {0};
    for (int waited = 0; waited <= milli; waited += NAP_MILLI) {
        /* WNOWAIT keeps the process number from being used again. */
        if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0) {
            return 1;
        }
        (void)nanosleep(&nap, NULL);
    }
    return 0;
}

/* Signals all processes of the command. The group exists once the command has its session. */
static void signal_all(pid_t pid, int signal_number) {
    if (kill(-pid, signal_number) != 0) {
        (void)kill(pid, signal_number);
    }
}

int cli_process_end(cli_process *process, int milli) {
    int status = 0;
    pid_t pid = process->pid;
    cli_process_close(process);
    process->pid = 0;
    if (pid == 0) {
        return -1;
    }
    (void)wait_for(pid, milli);
    signal_all(pid, SIGTERM);
    if (!wait_for(pid, TERM_MILLI)) {
        signal_all(pid, SIGKILL);
    }
    cli_interrupt_kills(process->slot, 0);
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
