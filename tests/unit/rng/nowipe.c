/* A kernel that cannot zero pages in a forked child. This executable defines a madvise that fails,
 * or succeeds without an effect. */
#include "support.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mechanism/mechanism.h"
#include "rng/rng.h"

DEFINE_HANDLE(dp2dpi_charge)

static int madvise_calls, madvise_answer;

int madvise(void *address, size_t length, int advice) {
    (void)address;
    (void)length;
    (void)advice;
    madvise_calls++;
    errno = EINVAL;
    return madvise_answer;
}

TEST(every_sampling_call_starts_from_a_fresh_key) {
    HANDLE(dp2dpi_rng) *rng = NULL;
    unsigned char key[DP2DPI_RNG_KEY_SIZE];
    madvise_answer = -1;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    assert_true(madvise_calls > 0);
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    memcpy(key, rng->state->stream.key, sizeof key);
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    assert_memory_not_equal(key, rng->state->stream.key, sizeof key);
}

typedef enum process_number {
    NUMBER_ITS_OWN,
    NUMBER_RECYCLED
} process_number;

static void assert_child_differs(process_number number) {
    dp2dpi_rng *rng;
    uint64_t child;
    int ends[2], status;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    (void)dp2dpi_rng_word(rng);
    uint64_t unread = rng->state->stream.words[DP2DPI_RNG_WORDS - rng->state->left];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (number == NUMBER_RECYCLED) {
            rng->pid = (long)getpid();
        }
        int fresh = dp2dpi_rng_begin(rng, NULL) == DP2DP_STATUS_OK;
        child = dp2dpi_rng_word(rng);
        dp2dpi_rng_free(rng);
        _exit(fresh && write(ends[1], &child, sizeof child) == (ssize_t)sizeof child ? 0 : 1);
    }
    assert_int_equal(read(ends[0], &child, sizeof child), sizeof child);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
    assert_true(child != unread);
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    assert_true(child != dp2dpi_rng_word(rng));
    dp2dpi_rng_free(rng);
}

TEST(a_child_with_a_recycled_process_number_differs_from_its_parent) {
    madvise_answer = -1;
    assert_child_differs(NUMBER_RECYCLED);
}

TEST(a_kernel_that_only_pretends_to_wipe_is_caught_by_the_process_number) {
    madvise_answer = 0;
    assert_child_differs(NUMBER_ITS_OWN);
}

TEST(a_charge_stays_with_the_process_number_that_made_it) {
    HANDLE(dp2dp_ledger) *ledger = NULL;
    HANDLE(dp2dpi_rng) *rng = NULL;
    HANDLE(dp2dpi_charge) *charge = NULL;
    int status = 0;
    dp2dp_event event = DP2DP_EVENT_INIT;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = event.sigma = 1;
    event.coordinates = 1;
    madvise_answer = -1;
    assert_ok(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, NULL));
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    assert_ok(dp2dpi_charge_new(ledger, rng, &event, 1, 40, &charge, NULL));
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int64_t value = 0;
        _exit(dp2dpi_charge_release(charge, 1, &value, &value, NULL) == DP2DP_STATUS_BUDGET ? 0
                                                                                            : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_true(dp2dpi_charge_left(charge) == 1);
}
