#include "input/stream.h"

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

int cli_watch_given_up(void *context) {
    cli_watch *watch = context;
    return atomic_load(&watch->given_up);
}

static void *read_ahead(void *argument) {
    cli_ahead *h = argument;
    for (int more = 1; more;) {
        struct ArrowArray batch;
        dp2dp_error error = {0};
        dp2dp_status status = dp2dp_stream_next(h->stream, &batch, &error);
        (void)pthread_mutex_lock(&h->lock);
        while (h->is_full && !h->is_stopped) {
            (void)pthread_cond_wait(&h->changed, &h->lock);
        }
        more = status == DP2DP_STATUS_OK && batch.release && !h->is_stopped;
        if (!h->is_stopped) {
            h->batch = batch;
            h->status = status;
            h->error = error;
            h->is_full = 1;
            (void)pthread_cond_signal(&h->changed);
        } else if (batch.release) {
            batch.release(&batch);
        }
        (void)pthread_mutex_unlock(&h->lock);
    }
    return NULL;
}

dp2dp_status cli_ahead_next(cli_ahead *h, struct ArrowArray *out, dp2dp_error *error) {
    if (!h->has_reader) {
        return dp2dp_stream_next(h->stream, out, error);
    }
    (void)pthread_mutex_lock(&h->lock);
    while (!h->is_full) {
        (void)pthread_cond_wait(&h->changed, &h->lock);
    }
    *out = h->batch;
    dp2dp_status status = h->status;
    if (status != DP2DP_STATUS_OK) {
        *error = h->error;
    } else if (out->release) {
        h->is_full = 0;
        (void)pthread_cond_signal(&h->changed);
    }
    (void)pthread_mutex_unlock(&h->lock);
    return status;
}

void cli_ahead_start(cli_ahead *h, struct ArrowArrayStream *stream, cli_watch *watch) {
    *h = (cli_ahead) {.stream = stream, .watch = watch};
    (void)pthread_mutex_init(&h->lock, NULL);
    (void)pthread_cond_init(&h->changed, NULL);
    h->has_reader = pthread_create(&h->reader, NULL, read_ahead, h) == 0;
}

void cli_ahead_stop(cli_ahead *h) {
    if (h->has_reader) {
        atomic_store(&h->watch->given_up, 1);
        (void)pthread_mutex_lock(&h->lock);
        h->is_stopped = 1;
        (void)pthread_cond_signal(&h->changed);
        (void)pthread_mutex_unlock(&h->lock);
        (void)pthread_join(h->reader, NULL);
    }
    if (h->is_full && h->batch.release) {
        h->batch.release(&h->batch);
    }
    h->stream->release(h->stream);
    (void)pthread_cond_destroy(&h->changed);
    (void)pthread_mutex_destroy(&h->lock);
}

/* Passes every batch to `use`. The batches come from `ahead`; if `ahead` is NULL, they come from
 * the stream itself. */
static dp2dp_status each(struct ArrowArrayStream *stream, cli_ahead *ahead, cli_batch_use use,
                         void *context, dp2dp_error *error) {
    struct ArrowArray batch;
    dp2dp_status status = DP2DP_STATUS_OK;
    while (status == DP2DP_STATUS_OK) {
        CLI_TRY(ahead ? cli_ahead_next(ahead, &batch, error)
                      : dp2dp_stream_next(stream, &batch, error));
        if (batch.release == NULL) {
            break;
        }
        status = use(context, &batch, error);
        batch.release(&batch);
    }
    return status;
}

dp2dp_status cli_stream_each(struct ArrowArrayStream *stream, cli_batch_use use, void *context,
                             dp2dp_error *error) {
    dp2dp_status status = each(stream, NULL, use, context, error);
    stream->release(stream);
    return status;
}

dp2dp_status cli_stream_each_ahead(struct ArrowArrayStream *stream, cli_watch *watch,
                                   cli_batch_use use, void *context, dp2dp_error *error) {
    cli_ahead ahead;
    cli_ahead_start(&ahead, stream, watch);
    dp2dp_status status = each(stream, &ahead, use, context, error);
    cli_ahead_stop(&ahead);
    return status;
}
