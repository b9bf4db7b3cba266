/* Tests replace the function of this file to simulate a kernel without randomness. Nothing else
 * belongs in this file. */
#include <errno.h>
#include <sys/random.h>

#include "base/alloc.h"
#include "rng/rng.h"

/* Calls getrandom and not libsodium's randombytes, which ends the process if there is no entropy; a
 * library must not end the process. */
dp2dp_status dp2dpi_entropy(void *buffer, size_t length, dp2dp_error *error) {
    unsigned char *bytes = buffer;
    size_t filled = 0;
    while (filled < length) {
        ssize_t got = getrandom(bytes + filled, length - filled, 0);
        if (got > 0) {
            filled += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            int code = got == 0 ? 0 : errno;
            dp2dpi_wipe(buffer, length);
            return dp2dpi_fail(error, DP2DP_STATUS_ENTROPY,
                               "getrandom returned no random bytes (errno %d)", code);
        }
    }
    return DP2DP_STATUS_OK;
}
