/* Reading an Arrow stream while allocations fail. */
#ifndef DP2DP_TESTS_FAULT_FAULT_STREAM_H
#define DP2DP_TESTS_FAULT_FAULT_STREAM_H

#include "fault/fault_alloc.h"

#include <errno.h>

#include <dp2dp/arrow.h>

/* Reads the whole stream that a call with status fault_status opened, and releases it. fault_status
 * becomes MEMORY if reading failed with ENOMEM and a message that says so. */
static inline void fault_read_all(struct ArrowArrayStream *stream) {
    struct ArrowSchema schema;
    struct ArrowArray batch;
    assert_int_equal(stream->release == NULL, fault_status != OK);
    if (fault_status != OK) {
        return;
    }
    int code = stream->get_schema(stream, &schema);
    assert_int_equal(schema.release == NULL, code != 0);
    if (code == 0) {
        schema.release(&schema);
        while ((code = stream->get_next(stream, &batch)) == 0 && batch.release) {
            batch.release(&batch);
        }
    }
    if (code != 0) {
        assert_non_null(stream->get_last_error(stream));
        assert_says(stream->get_last_error(stream), "memory");
    }
    stream->release(stream);
    fault_status = code == 0 ? OK : code == ENOMEM ? DP2DP_STATUS_MEMORY : DP2DP_STATUS_IO;
}

#endif
