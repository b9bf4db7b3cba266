#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

#include <sodium.h>

void *dp2dpi_alloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        return NULL;
    }
    void *memory = dp2dpi_system_alloc(bytes > 0 ? bytes : 1);
    if (memory) {
        memset(memory, 0, bytes);
    }
    return memory;
}

static dp2dp_status out_of_memory(const char *what, size_t count, size_t size, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %s (%zu x %zu bytes)", what,
                       count, size);
}

dp2dp_status dp2dpi_alloc_for(const char *what, size_t count, size_t size, void **out,
                              dp2dp_error *error) {
    *out = dp2dpi_alloc(count, size);
    return *out ? DP2DP_STATUS_OK : out_of_memory(what, count, size, error);
}

/* All pointers to objects have one representation on the systems this library runs on. */
dp2dp_status dp2dpi_alloc_into(const char *what, size_t count, size_t size, void *array,
                               dp2dp_error *error) {
    void *memory = NULL;
    dp2dp_status status = dp2dpi_alloc_for(what, count, size, &memory, error);
    memcpy(array, &memory, sizeof memory);
    return status;
}

dp2dp_status dp2dpi_alloc_raw(const char *what, size_t count, size_t size, void *array,
                              dp2dp_error *error) {
    size_t bytes;
    void *memory = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) && bytes <= PTRDIFF_MAX) {
        memory = dp2dpi_system_alloc(bytes > 0 ? bytes : 1);
    }
    memcpy(array, &memory, sizeof memory);
    return memory ? DP2DP_STATUS_OK : out_of_memory(what, count, size, error);
}

dp2dp_status dp2dpi_strdup(const char *text, char **out, dp2dp_error *error) {
    *out = NULL;
    if (text == NULL) {
        return DP2DP_STATUS_OK;
    }
    size_t length = strlen(text) + 1;
    DP2DPI_TRY(DP2DPI_NEW("a string", length, out, error));
    memcpy(*out, text, length);
    return DP2DP_STATUS_OK;
}

void dp2dpi_free(void *memory) {
    dp2dpi_system_free(memory);
}

void dp2dpi_wipe(void *memory, size_t length) {
    sodium_memzero(memory, length);
}

void dp2dpi_wipe_and_free(void *memory, size_t length) {
    if (memory) {
        dp2dpi_wipe(memory, length);
    }
    dp2dpi_free(memory);
}
