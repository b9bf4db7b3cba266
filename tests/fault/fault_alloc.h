/* The allocator of the fault tests: fails on request and counts what is outstanding. Include it in
 * exactly one file of a test: it defines the two symbols that base/alloc_system.c has otherwise.
 *
 * A test runs its operation again and again, failing the first allocation, then the second, and so
 * on, until the operation gets through without meeting the failure. Each run is made twice: with
 * that one allocation failing, and with it and all later ones failing. */
#ifndef DP2DP_TESTS_FAULT_FAULT_ALLOC_H
#define DP2DP_TESTS_FAULT_FAULT_ALLOC_H

#include "support.h"

#include <jansson.h>

#include "base/alloc.h"

typedef enum fault_mode {
    FAULT_ONCE,
    FAULT_FROM_THEN_ON
} fault_mode;

static size_t fault_at = SIZE_MAX; /* SIZE_MAX: never */
static fault_mode fault_how = FAULT_ONCE;
static size_t fault_seen = 0; /* allocations since fault_arm */
static int fault_happened = 0;
static long fault_outstanding = 0;
static void (*fault_meanwhile)(size_t now); /* what others do before an allocation; may be NULL */
static dp2dp_error fault_error; /* for a run to pass on, so that its message can be shown */

void *dp2dpi_system_alloc(size_t size) {
    size_t now = fault_seen++;
    if (fault_meanwhile) {
        fault_meanwhile(now);
    }
    if (now == fault_at || (now > fault_at && fault_how == FAULT_FROM_THEN_ON)) {
        fault_happened = 1;
        return NULL;
    }
    void *memory = malloc(size);
    fault_outstanding += memory != NULL;
    return memory;
}

void dp2dpi_system_free(void *memory) {
    fault_outstanding -= memory != NULL;
    free(memory);
}

static inline void fault_arm(size_t at, fault_mode how) {
    fault_at = at;
    fault_how = how;
    fault_seen = 0;
    fault_happened = 0;
    fault_error.message[0] = '\0';
}

static inline void fault_disarm(void) {
    fault_at = SIZE_MAX;
}

/* The JSON library allocates through the same two functions, so its allocations fail too. */
FIXTURE(fault_include_json) {
    json_set_alloc_funcs(dp2dpi_system_alloc, dp2dpi_system_free);
    return 0;
}

/* A run prepares, arms, acts, checks and cleans up; it returns the status of what it tries. This
 * fails the test unless every failed allocation gives MEMORY and every run leaves as many blocks as
 * it found. stride > 1 leaves out some of the allocations of an operation that repeats the same
 * ones many times. Returns the number of allocations that were failed one by one. */
static inline size_t fault_every_nth_allocation(size_t stride,
                                                dp2dp_status (*run)(size_t at, fault_mode how)) {
    size_t failures = 0;
    for (int how = FAULT_ONCE; how <= FAULT_FROM_THEN_ON; how++) {
        size_t at = 0;
        do {
            long before = fault_outstanding;
            dp2dp_status status = run(at, (fault_mode)how);
            fault_disarm();
            if (status != (fault_happened ? DP2DP_STATUS_MEMORY : DP2DP_STATUS_OK)) {
                fail_msg("allocation %zu failed: %d, status %d: %s", at, fault_happened,
                         (int)status, fault_error.message);
            }
            if (fault_outstanding != before) {
                fail_msg("allocation %zu: %ld blocks leaked", at, fault_outstanding - before);
            }
            failures += how == FAULT_ONCE && fault_happened;
            at += stride;
        } while (fault_happened);
    }
    return failures;
}

static inline size_t fault_every_allocation(dp2dp_status (*run)(size_t at, fault_mode how)) {
    return fault_every_nth_allocation(1, run);
}

#endif
