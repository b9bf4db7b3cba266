#include "table/input.h"

#include <string.h>

#include "base/alloc.h"

static dp2dp_status allocate_buffer(size_t capacity, char **out, dp2dp_error *error) {
    return dp2dpi_alloc_raw("a block of input", capacity + DP2DPI_INPUT_SPARE, 1, out, error);
}

dp2dp_status dp2dpi_input_open(dp2dpi_input *input, const char *path, const char *name,
                               size_t block, dp2dp_error *error) {
    *input = (dp2dpi_input) {.capacity = block, .block = block};
    DP2DPI_TRY(dp2dpi_raw_open(&input->raw, path, name, error));
    input->name = input->raw.name;
    input->can_seek = input->raw.origin >= 0;
    dp2dp_status status = allocate_buffer(block, &input->buffer, error);
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_input_close(input);
    }
    return status;
}

void dp2dpi_input_close(dp2dpi_input *input) {
    dp2dpi_ahead_free(input->ahead);
    dp2dpi_inflate_free(input->inflate);
    dp2dpi_raw_close(&input->raw);
    dp2dpi_free(input->buffer);
    *input = (dp2dpi_input) {.capacity = 0};
}

dp2dp_status dp2dpi_input_peek(dp2dpi_input *input, size_t length, dp2dp_error *error) {
    while (!input->at_end && input->end - input->start < length) {
        DP2DPI_TRY(dp2dpi_input_fill(input, error));
    }
    return DP2DP_STATUS_OK;
}

static void empty(dp2dpi_input *input) {
    input->start = input->end = 0;
    input->at_end = 0;
    input->buffer[0] = '\0';
}

dp2dp_status dp2dpi_input_inflate(dp2dpi_input *input, dp2dpi_inflate_kind kind,
                                  dp2dp_error *error) {
    input->can_seek = 0;
    dp2dp_status status =
        dp2dpi_inflate_new(kind, &input->raw, input->buffer + input->start,
                           input->end - input->start, NULL, &input->inflate, error);
    empty(input);
    return status;
}

dp2dp_status dp2dpi_input_enter(dp2dpi_input *input, dp2dpi_inflate_kind kind, uint64_t position,
                                uint64_t size, const dp2dpi_inflate_promise *promise,
                                dp2dp_error *error) {
    empty(input);
    input->can_seek = kind == DP2DPI_INFLATE_STORED;
    DP2DPI_TRY(dp2dpi_raw_narrow(&input->raw, position, size, error));
    return dp2dpi_inflate_new(kind, &input->raw, "", 0, promise, &input->inflate, error);
}

dp2dp_status dp2dpi_input_read_ahead(dp2dpi_input *input, dp2dp_error *error) {
    return input->at_end || input->ahead
               ? DP2DP_STATUS_OK
               : dp2dpi_ahead_new(&input->raw, input->inflate, input->block, &input->ahead, error);
}

/* Moves the unconsumed bytes to the front of the buffer or, if they fill the buffer, to a new
 * buffer of twice the size. */
static dp2dp_status make_room(dp2dpi_input *input, dp2dp_error *error) {
    size_t kept = input->end - input->start;
    if (kept == input->capacity) {
        char *larger;
        DP2DPI_TRY(allocate_buffer(2 * input->capacity, &larger, error));
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

static dp2dp_status read_plain(dp2dpi_input *input, void *bytes, size_t size, size_t *got,
                               dp2dp_error *error) {
    if (input->ahead) {
        return dp2dpi_ahead_read(input->ahead, bytes, size, got, error);
    }
    return input->inflate ? dp2dpi_inflate_read(input->inflate, bytes, size, got, error)
                          : dp2dpi_raw_read(&input->raw, bytes, size, got, error);
}

/* Fills the whole buffer, even if a pipe gives few bytes at a time. The CSV reader reads an
 * incomplete record again after every fill, so it would be slow with many small fills. */
dp2dp_status dp2dpi_input_fill(dp2dpi_input *input, dp2dp_error *error) {
    int is_done = 0;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (input->ahead && input->capacity == input->block) {
        DP2DPI_TRY_OR_DONE(dp2dpi_ahead_exchange(input->ahead, input, &is_done, error));
    }
    if (is_done) {
        goto done;
    }
    DP2DPI_TRY_OR_DONE(make_room(input, error));
    while (!input->at_end && input->end < input->capacity) {
        size_t got = 0;
        status = read_plain(input, input->buffer + input->end, input->capacity - input->end, &got,
                            error);
        input->end += got;
        if (status != DP2DP_STATUS_OK) {
            break;
        }
        input->at_end = got == 0;
    }
done:
    memset(input->buffer + input->end, 0, DP2DPI_INPUT_SPARE);
    return status;
}
