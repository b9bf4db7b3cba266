/* Errors of other producers' streams: the status for their errno value, and their message. */
#include "support.h"

#include <errno.h>

#include <dp2dp/table.h>

typedef struct broken {
    int err;
    const char *message;
} broken;

static int fail_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    const broken *b = stream->private_data;
    memset(out, 0xFF, sizeof *out); /* after a failure the contents of *out are undefined */
    return b->err;
}

static const char *message_of(struct ArrowArrayStream *stream) {
    return ((const broken *)stream->private_data)->message;
}

static void release(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

TEST(a_failure_of_another_stream_has_a_status_and_its_words) {
    static const struct {
        broken broken;
        dp2dp_status status;
        const char *words;
    } cases[] = {
        {{EINVAL, "no good"}, DP2DP_STATUS_DATA, "no good"},
        {{EIO, "gone"}, DP2DP_STATUS_IO, "gone"},
        {{ENOMEM, "full"}, DP2DP_STATUS_MEMORY, "full"},
        {{ECANCELED, "enough"}, DP2DP_STATUS_CANCELLED, "enough"},
        {{EINVAL, NULL}, DP2DP_STATUS_DATA, "the stream failed with error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        broken b = cases[i].broken;
        struct ArrowArrayStream stream = {.get_next = fail_next,
                                          .get_last_error = message_of,
                                          .release = release,
                                          .private_data = &b};
        struct ArrowArray batch;
        dp2dp_error error;
        memset(&error, 0xFF, sizeof error);
        assert_int_equal(dp2dp_stream_next(&stream, &batch, &error), cases[i].status);
        assert_null(batch.release);
        assert_int_equal(error.status, cases[i].status);
        assert_int_equal(error.reason, DP2DP_REASON_NONE);
        assert_true(error.row == 0 && error.line == 0 && error.column[0] == '\0');
        assert_says(error.message, cases[i].words);
        assert_int_equal(dp2dp_stream_next(&stream, &batch, NULL), cases[i].status);
    }
}

TEST(there_must_be_a_stream_and_room_for_a_batch) {
    struct ArrowArrayStream released = {.release = NULL};
    struct ArrowArray batch;
    dp2dp_error error;
    assert_int_equal(dp2dp_stream_next(NULL, &batch, &error), DP2DP_STATUS_ARGUMENT);
    assert_int_equal(dp2dp_stream_next(&released, &batch, &error), DP2DP_STATUS_ARGUMENT);
}
