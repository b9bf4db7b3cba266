#include "common/wipe.h"

#include <stdlib.h>
#include <string.h>

/* A compiler may leave out a memset whose result is never read, but not a call through a volatile
 * function pointer. */
static void *(*const volatile fill)(void *, int, size_t) = memset;

void cli_wipe_and_free(void *memory, size_t length) {
    if (memory) {
        (void)fill(memory, 0, length);
    }
    free(memory);
}
