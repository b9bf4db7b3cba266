/* Memory that held exact counts is overwritten before it is freed. */
#ifndef CLI_WIPE_H
#define CLI_WIPE_H

#include <stddef.h>

/* Overwrites the memory with zeros and frees the memory. Does nothing if `memory` is NULL. */
void cli_wipe_and_free(void *memory, size_t length);

#endif
