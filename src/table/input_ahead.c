#include "table/input_ahead.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/thread.h"
#include "table/input.h"

enum {
    BLOCKS = 2,
    ROOM_PART = 8, /* an eighth of a block is left free for the caller's unconsumed bytes */
    WAIT_NANOSECONDS = 100000000
};

/* One block of bytes. While is_ready is 0, only the reading thread uses the block; while is_ready
 * is 1, only the caller uses the block. */
typedef struct block {
    char *bytes;
    size_t start, end;
    int is_ready;
    int is_last;         /* 1: no block follows, because the file ended or reading failed */
    dp2dp_status status; /* failure that ended reading after these bytes, or OK */
    dp2dp_error error;
} block;

struct dp2dpi_ahead {
    dp2dpi_raw *raw;
    dp2dpi_inflate *inflate;
    int (*stop)(void *context); /* the caller's function that cancels reading; called only on the
                                   caller's thread */
    void *stop_context;
    pid_t owner; /* process that started the thread: a fork copies the struct but not the thread */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_int is_stopped;
    size_t at;   /* index of the block that the caller reads */
    size_t size; /* number of bytes in a block */
    block blocks[BLOCKS];
};

static int is_stopped(void *context) {
    dp2dpi_ahead *ahead = context;
    return atomic_load(&ahead->is_stopped);
}

static void fill(dp2dpi_ahead *ahead, block *b) {
    b->start = b->end = ahead->size / ROOM_PART;
    b->status = DP2DP_STATUS_OK;
    while (b->end < ahead->size && !b->is_last) {
        size_t room = ahead->size - b->end, got = 0;
        b->status =
            ahead->inflate
                ? dp2dpi_inflate_read(ahead->inflate, b->bytes + b->end, room, &got, &b->error)
                : dp2dpi_raw_read(ahead->raw, b->bytes + b->end, room, &got, &b->error);
        b->end += got;
        b->is_last = got == 0 || b->status != DP2DP_STATUS_OK;
    }
}

static void set_ready(dp2dpi_ahead *ahead, block *b, int is_ready) {
    (void)pthread_mutex_lock(&ahead->mutex);
    b->is_ready = is_ready;
    (void)pthread_cond_broadcast(&ahead->changed);
    (void)pthread_mutex_unlock(&ahead->mutex);
}

static void *work(void *argument) {
    dp2dpi_ahead *ahead = argument;
    int is_over = 0;
    for (size_t at = 0; !is_over; at = (at + 1) % BLOCKS) {
        block *b = &ahead->blocks[at];
        (void)pthread_mutex_lock(&ahead->mutex);
        while (b->is_ready && !atomic_load(&ahead->is_stopped)) {
            (void)pthread_cond_wait(&ahead->changed, &ahead->mutex);
        }
        (void)pthread_mutex_unlock(&ahead->mutex);
        if (atomic_load(&ahead->is_stopped)) {
            return NULL;
        }
        fill(ahead, b);
        is_over = b->is_last;
        set_ready(ahead, b, 1);
    }
    return NULL;
}

static void free_memory(dp2dpi_ahead *ahead) {
    for (size_t i = 0; i < BLOCKS; i++) {
        dp2dpi_free(ahead->blocks[i].bytes);
    }
    dp2dpi_free(ahead);
}

dp2dp_status dp2dpi_ahead_new(dp2dpi_raw *raw, dp2dpi_inflate *inflate, size_t size,
                              dp2dpi_ahead **out, dp2dp_error *error) {
    dp2dpi_ahead *ahead = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(ahead, 1, "reading ahead", error));
    *ahead = (dp2dpi_ahead) {.raw = raw,
                             .inflate = inflate,
                             .stop = raw->stop,
                             .stop_context = raw->stop_context,
                             .owner = getpid(),
                             .size = size};
    for (size_t i = 0; i < BLOCKS; i++) {
        DP2DPI_TRY_OR_DONE(dp2dpi_alloc_raw("reading ahead", size + DP2DPI_INPUT_SPARE, 1,
                                            &ahead->blocks[i].bytes, error));
    }
    (void)pthread_mutex_init(&ahead->mutex, NULL);
    (void)pthread_cond_init(&ahead->changed, NULL);
    raw->stop = is_stopped;
    raw->stop_context = ahead;
    if (dp2dpi_thread_start(&ahead->thread, work, ahead)) {
        *out = ahead;
        return DP2DP_STATUS_OK;
    }
    raw->stop = ahead->stop;
    raw->stop_context = ahead->stop_context;
done:
    free_memory(ahead);
    return status;
}

void dp2dpi_ahead_free(dp2dpi_ahead *ahead) {
    if (ahead == NULL) {
        return;
    }
    if (ahead->owner == getpid()) {
        atomic_store(&ahead->is_stopped, 1);
        (void)pthread_mutex_lock(&ahead->mutex);
        (void)pthread_cond_broadcast(&ahead->changed);
        (void)pthread_mutex_unlock(&ahead->mutex);
        (void)pthread_join(ahead->thread, NULL);
        (void)pthread_cond_destroy(&ahead->changed);
        (void)pthread_mutex_destroy(&ahead->mutex);
    }
    free_memory(ahead);
}

static int wait_for(dp2dpi_ahead *ahead, const block *b) {
    int goes_on = 1;
    (void)pthread_mutex_lock(&ahead->mutex);
    while (!b->is_ready && goes_on) {
        struct timespec until;
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += WAIT_NANOSECONDS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&ahead->changed, &ahead->mutex, &until) == ETIMEDOUT) {
            goes_on = !(ahead->stop && ahead->stop(ahead->stop_context));
        }
    }
    (void)pthread_mutex_unlock(&ahead->mutex);
    return goes_on;
}

static void give_back(dp2dpi_ahead *ahead, block *b) {
    set_ready(ahead, b, 0);
    ahead->at = (ahead->at + 1) % BLOCKS;
}

/* Waits until the block is ready. Fails with CANCELLED if the caller cancels, and with IO in a
 * forked process. If the block has no bytes left, returns the failure that ended reading, if
 * any. */
static dp2dp_status await(dp2dpi_ahead *ahead, const block *b, dp2dp_error *error) {
    if (ahead->owner != getpid()) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_IO,
            "another process opened this stream; after a fork, open the file again: %s",
            ahead->raw->name);
    }
    if ((ahead->stop && ahead->stop(ahead->stop_context)) || !wait_for(ahead, b)) {
        return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED, "cancelled while reading %s",
                           ahead->raw->name);
    }
    if (b->start == b->end && b->status != DP2DP_STATUS_OK) {
        return dp2dpi_fail_again(error, &b->error);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ahead_exchange(dp2dpi_ahead *ahead, dp2dpi_input *input, int *is_done,
                                   dp2dp_error *error) {
    block *b = &ahead->blocks[ahead->at];
    char *given = input->buffer;
    size_t kept = input->end - input->start;
    *is_done = 0;
    DP2DPI_TRY(await(ahead, b, error));
    if (b->start == b->end || kept > b->start) {
        return DP2DP_STATUS_OK;
    }
    memcpy(b->bytes + b->start - kept, given + input->start, kept);
    input->buffer = b->bytes;
    input->start = b->start - kept;
    input->end = b->end;
    input->at_end = b->is_last && b->status == DP2DP_STATUS_OK;
    b->bytes = given;
    b->start = b->end;
    if (!b->is_last) {
        give_back(ahead, b);
    }
    *is_done = 1;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_ahead_read(dp2dpi_ahead *ahead, void *bytes, size_t size, size_t *got,
                               dp2dp_error *error) {
    block *b = &ahead->blocks[ahead->at];
    *got = 0;
    DP2DPI_TRY(await(ahead, b, error));
    size_t left = b->end - b->start;
    *got = left < size ? left : size;
    memcpy(bytes, b->bytes + b->start, *got);
    b->start += *got;
    if (b->start == b->end && !b->is_last) {
        give_back(ahead, b);
    }
    return DP2DP_STATUS_OK;
}
