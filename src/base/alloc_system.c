/* The fault tests replace these two functions to make allocations fail. Nothing else belongs in
 * this file. */
#include <stdlib.h>

#include "base/alloc.h"

void *dp2dpi_system_alloc(size_t size) {
    return malloc(size);
}

void dp2dpi_system_free(void *memory) {
    free(memory);
}
