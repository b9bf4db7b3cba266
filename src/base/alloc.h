/* Allocation with overflow checks. The library takes all its memory from dp2dpi_system_alloc and
 * returns it to dp2dpi_system_free (base/alloc_system.c), the two symbols that the fault tests
 * replace at link time. */
#ifndef DP2DPI_BASE_ALLOC_H
#define DP2DPI_BASE_ALLOC_H

#include <stddef.h>

#include "base/error.h"

/* Returns a zero-filled array of `count` elements of `size` bytes; NULL if count * size overflows
 * or memory runs out. count = 0 gives a valid pointer. */
void *dp2dpi_alloc(size_t count, size_t size);
/* Allocates like dp2dpi_alloc, but writes the array to *out and returns a status. If memory runs
 * out, the status is MEMORY and the message names `what`, the purpose of the memory. */
dp2dp_status dp2dpi_alloc_for(const char *what, size_t count, size_t size, void **out,
                              dp2dp_error *error);
/* Allocates like dp2dpi_alloc_for and stores the array in `pointer`, a pointer of any object type.
 * The value of the macro is the status. */
#define DP2DPI_ALLOC(pointer, count, what, error)                   \
    (((pointer) = dp2dpi_alloc((count), sizeof *(pointer))) != NULL \
         ? DP2DP_STATUS_OK                                          \
         : dp2dpi_alloc_fail((what), (count), sizeof *(pointer), (error)))
dp2dp_status dp2dpi_alloc_fail(const char *what, size_t count, size_t size, dp2dp_error *error);
/* Tells the clang analyzer that dp2dpi_alloc_fail never returns OK. */
#ifdef __clang_analyzer__
#define dp2dpi_alloc_fail(...) (dp2dpi_alloc_fail(__VA_ARGS__), DP2DP_STATUS_MEMORY)
#endif
/* Enlarges *array if n, the number of elements in use, has reached *capacity. */
dp2dp_status dp2dpi_grow(const char *what, size_t n, size_t size, void **array, size_t *capacity,
                         dp2dp_error *error);
/* dp2dpi_alloc_into and dp2dpi_alloc_raw allocate like dp2dpi_alloc_for, but `array` is the address
 * of a pointer of any type. dp2dpi_alloc_raw does not clear the memory, so pages that are never
 * written cost nothing. */
dp2dp_status dp2dpi_alloc_into(const char *what, size_t count, size_t size, void *array,
                               dp2dp_error *error);
dp2dp_status dp2dpi_alloc_raw(const char *what, size_t count, size_t size, void *array,
                              dp2dp_error *error);
/* Copies `text` to *out; sets *out to NULL if `text` is NULL. */
dp2dp_status dp2dpi_strdup(const char *text, char **out, dp2dp_error *error);
void dp2dpi_free(void *memory);

/* Overwrites memory with zeros in a way that the compiler cannot optimise away. */
void dp2dpi_wipe(void *memory, size_t length);
/* Overwrites the memory with zeros and frees it; accepts NULL. */
void dp2dpi_wipe_and_free(void *memory, size_t length);

void *dp2dpi_system_alloc(size_t size);
void dp2dpi_system_free(void *memory);

#endif
