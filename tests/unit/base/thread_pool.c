/* In every round each task runs once, with the context of its round. */
#include <stdatomic.h>
#include <unistd.h>

#include "base/thread_pool.h"

#include "unit/phase2/data.h"

DEFINE_HANDLE(dp2dpi_thread_pool)

enum {
    ROUNDS = 20000,
    TASKS_MAX = 40
};

typedef struct turn {
    size_t tasks;
    atomic_int runs[TASKS_MAX];
} turn;

static void note(void *context, size_t index) {
    turn *r = context;
    atomic_fetch_add(&r->runs[index], 1);
}

static void expect_once(const turn *r) {
    for (size_t i = 0; i < TASKS_MAX; i++) {
        assert_int_equal(r->runs[i], i < r->tasks);
    }
}

/* Rounds follow each other at once, or after all threads have gone to sleep. A late thread would
 * run a task of a round that is over, whose context is cleared and reused. */
TEST(every_index_of_every_round_is_run_once) {
    static const unsigned threads[] = {0, 1, 2, 3, 8};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        HANDLE(dp2dpi_thread_pool) *pool = NULL;
        static turn rounds[2];
        uint64_t seed = t;
        assert_ok(dp2dpi_thread_pool_new(threads[t], &pool, NULL));
        for (int i = 0; i < ROUNDS; i++) {
            turn *now = &rounds[i % 2];
            memset(now, 0, sizeof *now);
            now->tasks = draw(&seed) % (TASKS_MAX + 1);
            if (draw(&seed) % 400 == 0) {
                (void)usleep(2000);
            }
            dp2dpi_thread_pool_run(pool, now->tasks, note, now);
            expect_once(now);
        }
        expect_once(&rounds[0]);
    }
}

/* Each task waits for the other, so two threads must run them. */
static void meet(void *context, size_t index) {
    atomic_int *arrived = context;
    (void)index;
    atomic_fetch_add(arrived, 1);
    while (atomic_load(arrived) < 2) {
    }
}

TEST(two_threads_do_run_at_the_same_time) {
    HANDLE(dp2dpi_thread_pool) *pool = NULL;
    assert_ok(dp2dpi_thread_pool_new(2, &pool, NULL));
    for (int i = 0; i < 20; i++) {
        atomic_int arrived = 0;
        dp2dpi_thread_pool_run(pool, 2, meet, &arrived);
        assert_int_equal(arrived, 2);
    }
}

TEST(a_thread_pool_without_work_ends) {
    for (int i = 0; i < 200; i++) {
        HANDLE(dp2dpi_thread_pool) *pool = NULL;
        assert_ok(dp2dpi_thread_pool_new(4, &pool, NULL));
        if (i % 20 == 0) {
            (void)usleep(2000);
        }
    }
    dp2dpi_thread_pool_free(NULL);
}
