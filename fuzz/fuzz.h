/* What every fuzz target begins with. */
#ifndef DP2DP_FUZZ_FUZZ_H
#define DP2DP_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dp2dp/status.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, which the fuzzer reports, unless the condition holds. */
static inline void require(int holds) {
    if (!holds) {
        abort();
    }
}

/* A refused text gives DATA, a message and no object. */
static inline void require_refusal(dp2dp_status status, const void *object,
                                   const dp2dp_error *error) {
    require(status == DP2DP_STATUS_DATA && object == NULL);
    require(error->status == status && error->message[0] != '\0');
}

#endif
