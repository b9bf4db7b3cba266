/* Variables that are freed at the end of the block that declares them. A test that fails jumps out
 * of the block and frees nothing. */
#ifndef DP2DP_TESTS_OWNED_H
#define DP2DP_TESTS_OWNED_H

#include <stdlib.h>
#include <string.h>

#include <dp2dp/dp2dp.h>

#include "rng/rng.h"

/* OWNED(people) p; calls people_free(&p). */
#define OWNED(type) __attribute__((cleanup(type##_free))) type

/* HANDLE(dp2dp_model) *model; calls dp2dp_model_free(model). */
#define HANDLE(type) __attribute__((cleanup(free_##type))) type
#define DEFINE_HANDLE(type)                         \
    static inline void free_##type(type **handle) { \
        type##_free(*handle);                       \
    }

DEFINE_HANDLE(dp2dp_accountant)
DEFINE_HANDLE(dp2dp_certificate_file)
DEFINE_HANDLE(dp2dp_evaluation)
DEFINE_HANDLE(dp2dp_ledger)
DEFINE_HANDLE(dp2dp_model)
DEFINE_HANDLE(dp2dp_pool)
DEFINE_HANDLE(dp2dp_schema)
DEFINE_HANDLE(dp2dpi_rng)

/* FREED double *x; calls free(x). TEXT_FREED char *text; calls dp2dp_text_free(text). */
#define FREED __attribute__((cleanup(free_memory)))
#define TEXT_FREED __attribute__((cleanup(free_text)))

static inline void free_memory(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    free(memory);
}

static inline void free_text(char **text) {
    dp2dp_text_free(*text);
}

#endif
