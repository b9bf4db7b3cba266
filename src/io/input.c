#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

static dp2dp_status io_fail(dp2dp_error *error, const char *action, int number, const char *name) {
    char reason[96];
    if (strerror_r(number, reason, sizeof reason) != 0) {
        (void)snprintf(reason, sizeof reason, "error %d", number);
    }
    return dp2dpi_fail(error, DP2DP_STATUS_IO, "cannot %s: %s: %s", action, reason, name);
}

static dp2dp_status allocate_buffer(size_t capacity, char **out, dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status =
        dp2dpi_alloc_for("a block of input", capacity + DP2DPI_INPUT_SPARE, 1, &memory, error);
    *out = memory;
    return status;
}

dp2dp_status dp2dpi_input_open(dp2dpi_input *input, const char *path, size_t block,
                               dp2dp_error *error) {
    int is_standard = strcmp(path, "-") == 0;
    const char *name = is_standard ? "standard input" : path;
    memset(input, 0, sizeof *input);
    input->fd = is_standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                            : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (input->fd < 0) {
        return io_fail(error, "open", errno, name);
    }
    input->origin = lseek(input->fd, 0, SEEK_CUR);
    dp2dp_status status = dp2dpi_strdup(name, &input->name, error);
    if (status == DP2DP_STATUS_OK) {
        input->capacity = block;
        status = allocate_buffer(block, &input->buffer, error);
    }
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_input_close(input);
    }
    return status;
}

void dp2dpi_input_close(dp2dpi_input *input) {
    (void)close(input->fd);
    dp2dpi_free(input->name);
    dp2dpi_free(input->buffer);
    memset(input, 0, sizeof *input);
    input->fd = -1;
}

/* read, or pread where position ≥ 0. 0 bytes: the end. */
static dp2dp_status read_some(const dp2dpi_input *input, int64_t position, void *bytes, size_t size,
                              size_t *got, dp2dp_error *error) {
    for (;;) {
        if (input->cancel && input->cancel(input->cancel_context)) {
            return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED, "cancelled while reading %s",
                               input->name);
        }
        ssize_t n =
            position < 0 ? read(input->fd, bytes, size) : pread(input->fd, bytes, size, position);
        if (n >= 0) {
            *got = (size_t)n;
            return DP2DP_STATUS_OK;
        }
        if (errno == EAGAIN || errno == EWOULDBLOCK) {
            /* Somebody made our standard input non-blocking. */
            struct pollfd wait = {.fd = input->fd, .events = POLLIN};
            (void)poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return io_fail(error, "read", errno, input->name);
        }
    }
}

/* Unconsumed bytes go to the front of the buffer, or of one twice the size if they fill it. */
static dp2dp_status make_room(dp2dpi_input *input, dp2dp_error *error) {
    size_t kept = input->end - input->start;
    if (kept == input->capacity) {
        char *larger;
        dp2dp_status status = allocate_buffer(2 * input->capacity, &larger, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        memcpy(larger, input->buffer + input->start, kept);
        dp2dpi_free(input->buffer);
        input->buffer = larger;
        input->capacity *= 2;
    } else {
        memmove(input->buffer, input->buffer + input->start, kept);
    }
    input->start = 0;
    input->end = kept;
    return DP2DP_STATUS_OK;
}

/* Until the buffer is full: a reader that starts its record again after every fill then reads each
 * byte a bounded number of times, however little a pipe gives at a time. */
dp2dp_status dp2dpi_input_fill(dp2dpi_input *input, dp2dp_error *error) {
    dp2dp_status status = make_room(input, error);
    while (status == DP2DP_STATUS_OK && !input->at_end && input->end < input->capacity) {
        size_t got = 0;
        status = read_some(input, -1, input->buffer + input->end, input->capacity - input->end,
                           &got, error);
        input->end += got;
        input->at_end = status == DP2DP_STATUS_OK && got == 0;
    }
    input->buffer[input->end] = '\0';
    return status;
}

dp2dp_status dp2dpi_input_read_at(const dp2dpi_input *input, uint64_t position, void *bytes,
                                  size_t size, size_t *got, dp2dp_error *error) {
    *got = 0;
    while (*got < size) {
        size_t more = 0;
        dp2dp_status status = read_some(input, input->origin + (int64_t)(position + *got),
                                        (char *)bytes + *got, size - *got, &more, error);
        if (status != DP2DP_STATUS_OK || more == 0) {
            return status;
        }
        *got += more;
    }
    return DP2DP_STATUS_OK;
}
