#include "input/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

dp2dp_status cli_stream_type(struct ArrowArrayStream *stream, dp2dp_type *out, dp2dp_error *error) {
    struct ArrowSchema schema = {.release = NULL};
    if (stream->get_schema(stream, &schema) != 0) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_INTERNAL,
                        "the Arrow stream of the table has no schema");
    }
    *out = strcmp(schema.children[0]->format, "f") == 0 ? DP2DP_FLOAT32 : DP2DP_FLOAT64;
    schema.release(&schema);
    return DP2DP_STATUS_OK;
}

dp2dp_status cli_stream_each(struct ArrowArrayStream *stream, cli_batch_use use, void *context,
                             dp2dp_error *error) {
    struct ArrowArray batch;
    dp2dp_status status = DP2DP_STATUS_OK;
    while (status == DP2DP_STATUS_OK) {
        CLI_TRY_OR_DONE(dp2dp_stream_next(stream, &batch, error));
        if (batch.release == NULL) {
            break;
        }
        status = use(context, &batch, error);
        batch.release(&batch);
    }
done:
    stream->release(stream);
    return status;
}

int cli_watch_given_up(void *context) {
    cli_watch *watch = context;
    return atomic_load(&watch->given_up);
}

struct cli_ahead {
    struct ArrowArrayStream stream; /* belongs to the thread, once there is one */
    cli_watch *watch;
    int has_thread;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    int is_full;    /* a batch, or the end of the stream, is waiting */
    int is_stopped; /* the consumer wants no more */
    struct ArrowArray batch;
    dp2dp_status status; /* instead of a batch */
    dp2dp_error error;
};

/* Hands over a batch once there is room. Returns 0 if no more is wanted. */
static int put_down(cli_ahead *a, struct ArrowArray *batch, dp2dp_status status,
                    const dp2dp_error *error) {
    int is_end = status != DP2DP_STATUS_OK || batch->release == NULL;
    (void)pthread_mutex_lock(&a->lock);
    while (a->is_full && !a->is_stopped) {
        (void)pthread_cond_wait(&a->changed, &a->lock);
    }
    int is_stopped = a->is_stopped;
    if (!is_stopped) {
        a->batch = *batch;
        a->status = status;
        a->error = *error;
        a->is_full = 1;
        (void)pthread_cond_signal(&a->changed);
    }
    (void)pthread_mutex_unlock(&a->lock);
    if (is_stopped && batch->release) {
        batch->release(batch);
    }
    return !is_end && !is_stopped;
}

static void *work(void *argument) {
    cli_ahead *a = argument;
    struct ArrowArray batch;
    dp2dp_error error = {0};
    dp2dp_status status;
    do {
        status = dp2dp_stream_next(&a->stream, &batch, &error);
    } while (put_down(a, &batch, status, &error));
    return NULL;
}

dp2dp_status cli_ahead_start(struct ArrowArrayStream *stream, cli_watch *watch, cli_ahead **out,
                             dp2dp_error *error) {
    cli_ahead *a = *out = calloc(1, sizeof *a);
    if (a == NULL) {
        stream->release(stream);
        return cli_fail(error, DP2DP_STATUS_MEMORY, "out of memory for reading ahead");
    }
    a->stream = *stream;
    a->watch = watch;
    stream->release = NULL;
    (void)pthread_mutex_init(&a->lock, NULL);
    (void)pthread_cond_init(&a->changed, NULL);
    a->has_thread = pthread_create(&a->thread, NULL, work, a) == 0;
    return DP2DP_STATUS_OK;
}

void cli_ahead_stop(cli_ahead *ahead) {
    if (ahead == NULL) {
        return;
    }
    if (ahead->has_thread) {
        atomic_store(&ahead->watch->given_up, 1);
        (void)pthread_mutex_lock(&ahead->lock);
        ahead->is_stopped = 1;
        (void)pthread_cond_signal(&ahead->changed);
        (void)pthread_mutex_unlock(&ahead->lock);
        (void)pthread_join(ahead->thread, NULL);
    }
    if (ahead->is_full && ahead->batch.release) {
        ahead->batch.release(&ahead->batch);
    }
    ahead->stream.release(&ahead->stream);
    (void)pthread_cond_destroy(&ahead->changed);
    (void)pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}

dp2dp_status cli_ahead_next(cli_ahead *ahead, struct ArrowArray *out, dp2dp_error *error) {
    if (!ahead->has_thread) {
        return dp2dp_stream_next(&ahead->stream, out, error);
    }
    (void)pthread_mutex_lock(&ahead->lock);
    while (!ahead->is_full) {
        (void)pthread_cond_wait(&ahead->changed, &ahead->lock);
    }
    *out = ahead->batch;
    dp2dp_status status = ahead->status;
    if (status != DP2DP_STATUS_OK) {
        *error = ahead->error;
    } else if (out->release) {
        ahead->is_full = 0;
        (void)pthread_cond_signal(&ahead->changed);
    }
    (void)pthread_mutex_unlock(&ahead->lock);
    return status;
}
