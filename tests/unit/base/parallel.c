/* Every task runs once, on no more threads than requested. */
#define _GNU_SOURCE 1 /* pthread_setattr_default_np */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/parallel.h"

#include "unit/phase2/data.h"

enum {
    TASKS_MAX = 5000
};

static atomic_int runs[TASKS_MAX];
static pthread_t runner[TASKS_MAX];
static int slowly;

static void note(void *context, size_t index) {
    assert_ptr_equal(context, runs);
    atomic_fetch_add(&runs[index], 1);
    runner[index] = pthread_self();
    if (slowly) {
        (void)usleep(2000); /* long enough for every thread to get something to do */
    }
}

static unsigned run(size_t tasks, unsigned threads) {
    unsigned distinct = 0;
    for (size_t i = 0; i < TASKS_MAX; i++) {
        runs[i] = 0;
    }
    dp2dpi_parallel(tasks, threads, note, runs);
    for (size_t i = 0; i < TASKS_MAX; i++) {
        assert_int_equal(runs[i], i < tasks);
        size_t before = 0;
        while (i < tasks && before < i && !pthread_equal(runner[before], runner[i])) {
            before++;
        }
        distinct += i < tasks && before == i;
    }
    return distinct;
}

TEST(every_index_is_run_once) {
    static const size_t tasks[] = {0, 1, 2, 3, 64, TASKS_MAX};
    static const unsigned threads[] = {0, 1, 2, 7, 300, UINT32_MAX};
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            unsigned used = run(tasks[i], threads[j]);
            assert_true(threads[j] == 0 || used <= threads[j]);
            assert_true(used <= tasks[i]);
        }
    }
}

TEST(no_more_threads_work_than_were_asked_for) {
    slowly = 1;
    for (unsigned threads = 1; threads <= 3; threads++) {
        assert_true(run(30, threads) <= threads);
    }
    slowly = 0;
}

TEST(one_thread_is_the_callers) {
    assert_int_equal(run(100, 1), 1);
    assert_true(pthread_equal(runner[99], pthread_self()));
}

/* Each task waits for the other, so two threads must run them. */
static atomic_int arrived;

static void meet(void *context, size_t index) {
    (void)context, (void)index;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 2) {
    }
}

TEST(two_threads_do_run_at_the_same_time) {
    arrived = 0;
    dp2dpi_parallel(2, 2, meet, NULL);
    assert_int_equal(arrived, 2);
}

#ifdef __GLIBC__
TEST(without_threads_the_caller_does_all_the_work) {
    pthread_attr_t usual, impossible;
    assert_int_equal(pthread_getattr_default_np(&usual), 0);
    assert_int_equal(pthread_attr_init(&impossible), 0);
    assert_int_equal(pthread_attr_setstacksize(&impossible, (size_t)1 << 50), 0);
    assert_int_equal(pthread_setattr_default_np(&impossible), 0);
    slowly = 1;
    unsigned used = run(20, 4);
    slowly = 0;
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    assert_int_equal(used, 1);
    pthread_attr_destroy(&usual);
    pthread_attr_destroy(&impossible);
}
#endif
