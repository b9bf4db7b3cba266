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
    TERM_MILLI = 1000, /* time that a command has to end after SIGTERM */
    GRACE_MILLI = 20   /* time that processes started by the command have to end: dp2dp cannot wait
                          for these, only for the command itself */
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

/* Replaces this child process by the command, in a new session. All processes of the command can
 * then be ended together, and ssh fails instead of waiting for a password. dp2dp ignores SIGPIPE
 * and SIGXFSZ; the command gets the default handlers of both signals. */
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
        out->pid = cli_interrupt_fork(slot);
        err = out->pid < 0 ? errno : 0;
    }
    if (err == 0 && out->pid == 0) {
        become(command, questions[0], answers[1]);
    }
    out->pid = err ? 0 : out->pid;
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

/* With WNOWAIT the ended process keeps its id, so no other process can get that id. */
int cli_process_has_ended(const cli_process *process, int *failed) {
    siginfo_t info = {0};
    int lost = waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0;
    *failed = lost || info.si_code != CLD_EXITED || info.si_status != 0;
    return lost || info.si_pid != 0;
}

/* Waits up to `milli` milliseconds until all processes have ended, and returns whether they have.
 */
static int wait_for(cli_process *const *processes, size_t count, int milli) {
    const struct timespec nap = {.tv_nsec = NAP_MILLI * 1000000L};
    size_t ended = 0;
    int failed;
    for (int waited = 0; ended < count; waited += NAP_MILLI) {
        while (ended < count &&
               (processes[ended]->pid == 0 || cli_process_has_ended(processes[ended], &failed))) {
            ended++;
        }
        if (ended < count && waited >= milli) {
            return 0;
        }
        if (ended < count) {
            (void)nanosleep(&nap, NULL);
        }
    }
    return 1;
}

/* Signals all processes of the commands. A command has a process group once it has called setsid;
 * before that, only the command itself is signalled. The process ids stay reserved until dp2dp
 * waits for the commands, so no other process can get the signal. */
static void signal_all(cli_process *const *processes, size_t count, int signal_number) {
    for (size_t i = 0; i < count; i++) {
        pid_t pid = processes[i]->pid;
        if (pid != 0 && kill(-pid, signal_number) != 0) {
            (void)kill(pid, signal_number);
        }
    }
}

void cli_process_stop(cli_process *const *processes, size_t count, int milli) {
    const struct timespec grace = {.tv_nsec = GRACE_MILLI * 1000000L};
    for (size_t i = 0; i < count; i++) {
        cli_process_close(processes[i]);
    }
    int by_itself = wait_for(processes, count, milli);
    signal_all(processes, count, SIGTERM);
    if (!by_itself) {
        (void)wait_for(processes, count, TERM_MILLI);
        (void)nanosleep(&grace, NULL);
    }
    signal_all(processes, count, SIGKILL);
    (void)wait_for(processes, count, TERM_MILLI);
}

int cli_process_end(cli_process *process, int milli) {
    int status = 0;
    cli_process_stop(&process, 1, milli);
    pid_t pid = process->pid;
    process->pid = 0;
    if (pid == 0) {
        return -1;
    }
    cli_interrupt_spares(process->slot);
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return -1;
        }
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
