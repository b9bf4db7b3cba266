#include "output/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/out.h"
#include "common/progress.h"

static const char *name_of(const cli_sink *sink) {
    return sink->path                  ? sink->path
           : sink->to == STDOUT_FILENO ? "standard output"
                                       : "a pipe or device";
}

static dp2dp_status open_temporary(cli_sink *sink, dp2dp_error *error) {
    char folder[PATH_MAX];
    size_t length = cli_place_folder(sink->path, folder), size = strlen(sink->path) + 40;
    char *temporary = malloc(size);
    if (temporary == NULL) {
        return cli_check_memory(temporary, "the output", error);
    }
    snprintf(temporary, size, "%.*s.%s.tmp", (int)length, sink->path, sink->path + length);
    /* Block signals until cli_interrupt_removes knows the new file: an earlier signal would end the
     * program without removing the file. */
    sigset_t signals, before;
    (void)sigfillset(&signals);
    (void)sigprocmask(SIG_BLOCK, &signals, &before);
    int fd = cli_place_open_locked(temporary, 0666);
    if (fd >= 0 && ftruncate(fd, 0) != 0) { /* a killed process may have left text in the file */
        int err = errno;
        close(fd);
        errno = err;
        fd = -1;
    }
    int err = errno;
    if (fd >= 0) {
        cli_interrupt_removes(temporary);
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (fd < 0) {
        free(temporary);
        return err == EWOULDBLOCK
                   ? cli_fail(error, DP2DP_STATUS_IO,
                              "another command is writing this file now: %.200s", sink->path)
                   : cli_place_fail(error, "create", err, sink->path);
    }
    sink->temporary = temporary;
    sink->stream = fdopen(fd, "w+");
    if (sink->stream == NULL) {
        close(fd);
    }
    return cli_check_memory(sink->stream, "the output", error);
}

/* Opens sink->stream for output to a pipe or device. If the output may be streamed, the stream
 * writes to the pipe itself. Otherwise the stream is an unnamed file, which is copied to the pipe
 * at the end. */
static dp2dp_status open_way(cli_sink *sink, cli_sink_way way, dp2dp_error *error) {
    sink->direct = way == CLI_SINK_STREAMED;
    int copy = sink->direct ? fcntl(sink->to, F_DUPFD_CLOEXEC, 3) : -1;
    sink->stream = !sink->direct ? tmpfile() : copy >= 0 ? fdopen(copy, "w") : NULL;
    if (sink->stream) {
        return DP2DP_STATUS_OK;
    }
    int err = errno;
    if (copy >= 0) {
        close(copy);
    }
    return sink->direct ? cli_place_fail(error, "write", err, name_of(sink))
                        : cli_place_fail(error, "create", err, "a temporary file in " P_tmpdir);
}

dp2dp_status cli_sink_open(const cli_args *args, cli_sink_way way, cli_sink *out,
                           dp2dp_error *error) {
    return cli_sink_open_path(args, "out", cli_word(args, "out"), way, out, error);
}

dp2dp_status cli_sink_open_path(const cli_args *args, const char *option, const char *path,
                                cli_sink_way way, cli_sink *out, dp2dp_error *error) {
    struct stat info;
    int exists;
    *out = (cli_sink) {.to = -1};
    if (strcmp(path, "-") == 0) {
        out->to = STDOUT_FILENO;
        return open_way(out, way, error);
    }
    CLI_TRY(cli_place_look(args, option, path, &info, &exists, error));
    if (exists && !S_ISREG(info.st_mode)) {
        out->to = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return out->to < 0 ? cli_place_fail(error, "write", errno, path)
                           : open_way(out, way, error);
    }
    out->path = exists ? realpath(path, NULL) : strdup(path);
    CLI_TRY(cli_check_memory(out->path, "a path", error));
    CLI_TRY(open_temporary(out, error));
    /* Another command may have created the file before this command got the lock, so check again.
     */
    CLI_TRY(cli_place_look(args, option, path, &info, &exists, error));
    out->mode = exists ? info.st_mode & 07777 : 0;
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_sink_reserve(cli_sink *sink, size_t numbers, const char *schema,
                              dp2dp_error *error) {
    enum {
        NUMBER = 40,     /* bytes for a number on a line of its own */
        OTHERS = 1 << 16 /* bytes for everything else in a model */
    };
    size_t bytes = OTHERS + NUMBER * numbers + 3 * (schema ? strlen(schema) : 0);
    int err = sink->path ? posix_fallocate(fileno(sink->stream), 0, (off_t)bytes) : 0;
    /* Some file systems cannot reserve space. */
    return err == 0 || err == EOPNOTSUPP || err == EINVAL
               ? DP2DP_STATUS_OK
               : cli_place_fail(error, "reserve disk space", err, sink->path);
}

static int is_stdout(const struct stat *info) {
    struct stat out;
    return (S_ISFIFO(info->st_mode) || isatty(STDOUT_FILENO)) && fstat(STDOUT_FILENO, &out) == 0 &&
           out.st_dev == info->st_dev && out.st_ino == info->st_ino;
}

int cli_sink_is_stdout(const cli_sink *sink) {
    struct stat info;
    return sink->to == STDOUT_FILENO ||
           (sink->to >= 0 && fstat(sink->to, &info) == 0 && is_stdout(&info));
}

dp2dp_status cli_sink_check_json(const cli_args *args, const char *what, dp2dp_error *error) {
    struct stat info;
    const char *path = cli_word(args, "out");
    int taken = strcmp(path, "-") == 0 || (stat(path, &info) == 0 && is_stdout(&info));
    return taken && cli_given(args, "json")
               ? cli_refuse(error, "--json needs --out FILE: standard output holds the %s", what)
               : DP2DP_STATUS_OK;
}

void cli_sink_report(const cli_args *args, cli_out *out, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vfprintf(out->stream, format, values);
    va_end(values);
    fputs(", written to ", out->stream);
    cli_print_safely(out->stream, cli_word(args, "out"));
    fputc('\n', out->stream);
}

/* Syncs the folder of a path, so that a new name in the folder survives a crash. Some file systems
 * cannot sync a folder (EINVAL). */
static dp2dp_status sync_folder(const char *path, dp2dp_error *error) {
    char folder[PATH_MAX];
    (void)cli_place_folder(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = fd < 0 || (fsync(fd) != 0 && errno != EINVAL);
    int err = errno;
    if (fd >= 0) {
        close(fd);
    }
    return failed ? cli_place_fail(error, "sync the folder", err, path) : DP2DP_STATUS_OK;
}

static dp2dp_status commit_file(cli_sink *sink, dp2dp_error *error) {
    int fd = fileno(sink->stream);
    off_t length = ftello(sink->stream); /* ftruncate cuts off the reserved room after the text */
    if (length < 0 || ftruncate(fd, length) != 0 || (sink->mode && fchmod(fd, sink->mode) != 0) ||
        fsync(fd) != 0 || rename(sink->temporary, sink->path) != 0) {
        return cli_place_fail(error, "write", errno, sink->path);
    }
    cli_interrupt_removes(NULL);
    free(sink->temporary);
    sink->temporary = NULL;
    return sync_folder(sink->path, error);
}

static dp2dp_status commit_spool(cli_sink *sink, dp2dp_error *error) {
    char block[1 << 16];
    size_t length;
    rewind(sink->stream);
    while ((length = fread(block, 1, sizeof block, sink->stream)) > 0) {
        CLI_TRY(cli_write_all(sink->to, block, length, error));
    }
    return ferror(sink->stream)
               ? cli_fail(error, DP2DP_STATUS_IO, "cannot read the temporary file back")
               : DP2DP_STATUS_OK;
}

dp2dp_status cli_sink_failure(const cli_sink *sink, dp2dp_error *error) {
    return sink->direct ? cli_fail_write(error, name_of(sink), errno)
                        : cli_place_fail(error, "write", errno,
                                         sink->path ? sink->path : "a temporary file");
}

dp2dp_status cli_sink_commit(cli_sink *sink, dp2dp_error *error) {
    if (fflush(sink->stream) != 0 || ferror(sink->stream)) {
        return cli_sink_failure(sink, error);
    }
    sink->committed = 1;
    return sink->path     ? commit_file(sink, error)
           : sink->direct ? DP2DP_STATUS_OK
                          : commit_spool(sink, error);
}

void cli_sink_close(cli_sink *sink) {
    if (sink->parquet) {
        fclose(sink->parquet);
    }
    if (sink->stream) {
        if (!sink->committed) {
            __fpurge(sink->stream);
        }
        fclose(sink->stream);
    }
    if (sink->temporary) {
        (void)unlink(sink->temporary);
        cli_interrupt_removes(NULL);
    }
    if (sink->to >= 0 && sink->to != STDOUT_FILENO) {
        close(sink->to);
    }
    free(sink->temporary);
    free(sink->path);
    *sink = (cli_sink) {.to = -1};
}

dp2dp_status cli_sink_sealed(cli_sink *sink, const char *text, size_t length,
                             char checksum[CLI_CHECKSUM_SIZE], dp2dp_error *error) {
    static const char end[] = "\"\n}\n"; /* how a model ends after its checksum */
    size_t after = sizeof end - 1, digits = CLI_CHECKSUM_SIZE - 1;
    snprintf(checksum, CLI_CHECKSUM_SIZE, "%s",
             length > digits + after ? text + length - after - digits : "");
    fwrite(text, 1, length, sink->stream);
    return cli_sink_commit(sink, error);
}
