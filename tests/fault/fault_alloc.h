/* The allocator of the fault tests: it fails on request and counts the blocks that are not freed
 * yet. Include this header in exactly one file of a test program, since it defines the two
 * functions of base/alloc_system.c.
 *
 *     FAIL_EACH_ALLOCATION(20) {
 *         prepare();
 *         FAULTY(dp2dp_x(..., &fault_error));
 *         check what is left when fault_status is not OK, and clean up
 *     }
 *
 * runs the block again and again: the first allocation of the FAULTY call fails, then the second,
 * and so on, until the call finishes without meeting the failure. Then the same once more, with all
 * later allocations failing too. The test fails unless every failed allocation makes the call
 * return MEMORY, every run frees what it allocated, and at least 20 allocations were failed one by
 * one. */
#ifndef DP2DP_TESTS_FAULT_FAULT_ALLOC_H
#define DP2DP_TESTS_FAULT_FAULT_ALLOC_H

#include "support.h"

#include <jansson.h>

#include "base/alloc.h"

typedef enum fault_mode {
    FAULT_ONCE,
    FAULT_FROM_THEN_ON
} fault_mode;

static size_t fault_at = SIZE_MAX; /* the allocation that fails; SIZE_MAX: none */
static fault_mode fault_how = FAULT_ONCE;
static size_t fault_seen = 0; /* allocations since fault_arm */
static int fault_happened = 0;
static long fault_outstanding = 0;          /* blocks allocated and not freed */
static void (*fault_meanwhile)(size_t now); /* called before allocation `now`; may be NULL */
static void (*fault_freeing)(void *memory); /* called before a free; may be NULL */
static dp2dp_error fault_error;             /* for the FAULTY call, to print its message */
static dp2dp_status fault_status;           /* of the FAULTY call */

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
    if (fault_freeing && memory) {
        fault_freeing(memory);
    }
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

/* The current run of a FAIL_EACH_ALLOCATION block. */
static struct {
    int running;
    size_t at;
    fault_mode how;
    size_t failures; /* allocations failed one by one */
    long outstanding_before;
} fault_run;

static inline void fault_start_run(size_t at, fault_mode how) {
    fault_run.running = 1;
    fault_run.at = at;
    fault_run.how = how;
    fault_run.outstanding_before = fault_outstanding;
    fault_status = DP2DP_STATUS_INTERNAL; /* for a run without FAULTY, which then fails */
}

static inline void fault_start(void) {
    fault_run.failures = 0;
    fault_start_run(0, FAULT_ONCE);
}

static inline void fault_next(size_t stride, size_t least) {
    fault_disarm();
    if (fault_status != (fault_happened ? DP2DP_STATUS_MEMORY : DP2DP_STATUS_OK)) {
        fail_msg("allocation %zu %s, and the call returned status %d: %s", fault_run.at,
                 fault_happened ? "failed" : "was not reached", (int)fault_status,
                 fault_error.message);
    }
    if (fault_outstanding != fault_run.outstanding_before) {
        fail_msg("after allocation %zu failed, %ld blocks were not freed", fault_run.at,
                 fault_outstanding - fault_run.outstanding_before);
    }
    fault_run.failures += fault_run.how == FAULT_ONCE && fault_happened;
    if (fault_happened) {
        fault_start_run(fault_run.at + stride, fault_run.how);
    } else if (fault_run.how == FAULT_ONCE) {
        fault_start_run(0, FAULT_FROM_THEN_ON);
    } else {
        fault_run.running = 0;
        assert_true(fault_run.failures >= least);
    }
}

#define FAIL_EACH_ALLOCATION(least) FAIL_EACH_NTH_ALLOCATION(1, least)

/* Fails every stride-th allocation only, for a call that repeats the same allocations many times.
 */
#define FAIL_EACH_NTH_ALLOCATION(stride, least) \
    for (fault_start(); fault_run.running; fault_next(stride, least))

/* From here to the end of the run, or to fault_disarm, the chosen allocation fails. A run that uses
 * this instead of FAULTY sets fault_status itself. */
static inline void fault_arm_run(void) {
    fault_arm(fault_run.at, fault_run.how);
}

#define FAULTY(call)           \
    do {                       \
        fault_arm_run();       \
        fault_status = (call); \
        fault_disarm();        \
    } while (0)

#endif
