#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

#include <sodium.h>

/* Returns NULL if count * size overflows or memory runs out. The memory is not cleared. */
static void *allocate(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        return NULL;
    }
    return dp2dpi_system_alloc(bytes > 0 ? bytes : 1);
}

void *dp2dpi_alloc(size_t count, size_t size) {
    void *memory = allocate(count, size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

dp2dp_status(dp2dpi_alloc_fail)(const char *what, size_t count, size_t size, dp2dp_error *error) {
    return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory for %s (%zu x %zu bytes)", what,
                       count, size);
}

dp2dp_status dp2dpi_alloc_for(const char *what, size_t count, size_t size, void **out,
                              dp2dp_error *error) {
    *out = dp2dpi_alloc(count, size);
    return *out ? DP2DP_STATUS_OK : dp2dpi_alloc_fail(what, count, size, error);
}

/* Copies the pointer with memcpy, because `array` points to a pointer of any type. This is safe
 * because all pointers to objects have the same representation on the systems that this library
 * supports. */
dp2dp_status dp2dpi_alloc_into(const char *what, size_t count, size_t size, void *array,
                               dp2dp_error *error) {
    void *memory = dp2dpi_alloc(count, size);
    memcpy(array, &memory, sizeof memory);
    return memory ? DP2DP_STATUS_OK : dp2dpi_alloc_fail(what, count, size, error);
}

dp2dp_status dp2dpi_alloc_raw(const char *what, size_t count, size_t size, void *array,
                              dp2dp_error *error) {
    void *memory = allocate(count, size);
    memcpy(array, &memory, sizeof memory);
    return memory ? DP2DP_STATUS_OK : dp2dpi_alloc_fail(what, count, size, error);
}

dp2dp_status dp2dpi_grow(const char *what, size_t n, size_t size, void **array, size_t *capacity,
                         dp2dp_error *error) {
    if (n < *capacity) {
        return DP2DP_STATUS_OK;
    }
    size_t larger = *capacity ? 2 * *capacity : 8;
    void *memory;
    DP2DPI_TRY(dp2dpi_alloc_for(what, larger, size, &memory, error));
    if (n > 0) {
        memcpy(memory, *array, n * size);
    }
    dp2dpi_free(*array);
    *array = memory;
    *capacity = larger;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_strdup(const char *text, char **out, dp2dp_error *error) {
    *out = NULL;
    if (text == NULL) {
        return DP2DP_STATUS_OK;
    }
    size_t length = strlen(text) + 1;
    void *copy;
    DP2DPI_TRY(dp2dpi_alloc_for("a string", length, 1, &copy, error));
    *out = memcpy(copy, text, length);
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
