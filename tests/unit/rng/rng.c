/* The random generators: behaviour after a fork, wiping, failure, and tapes. */
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "rng/rng.h"

enum {
    SAMPLE = 16,
    DRAWN = 2000
};

static dp2dpi_rng *secure(void) {
    dp2dpi_rng *rng;
    assert_ok(dp2dpi_rng_new(&rng, NULL));
    return rng;
}

static void take(dp2dpi_rng *rng, uint64_t *words, size_t n) {
    assert_ok(dp2dpi_rng_begin(rng, NULL));
    for (size_t i = 0; i < n; i++) {
        words[i] = dp2dpi_rng_word(rng);
    }
    assert_ok(dp2dpi_rng_end(rng, NULL));
}

/* How a child process gets its first word. */
typedef enum entry {
    ENTRY_BEGIN,        /* as samplers do */
    ENTRY_WORD_ONLY,    /* a caller that forgot begin */
    ENTRY_RECYCLED_PID, /* the process number is the one that keyed the generator */
} entry;

/* In the child: forks `depth` more times; the last descendant draws words and writes them to the
 * pipe. */
static void child_main(dp2dpi_rng *rng, entry how, int depth, int pipe_end) {
    for (; depth > 0; depth--) {
        pid_t pid = fork();
        if (pid != 0) {
            int status = 1;
            dp2dpi_rng_free(rng);
            _exit(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1);
        }
    }
    uint64_t words[SAMPLE];
    if (how == ENTRY_RECYCLED_PID) {
        rng->pid = (long)getpid();
    }
    if (how != ENTRY_WORD_ONLY && dp2dpi_rng_begin(rng, NULL) != DP2DP_STATUS_OK) {
        _exit(2);
    }
    for (size_t i = 0; i < SAMPLE; i++) {
        words[i] = dp2dpi_rng_word(rng);
    }
    dp2dpi_rng_free(rng);
    _exit(write(pipe_end, words, sizeof words) == (ssize_t)sizeof words ? 0 : 1);
}

static void words_of_descendant(dp2dpi_rng *rng, entry how, int depth, uint64_t *words) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        child_main(rng, how, depth, ends[1]);
    }
    assert_int_equal(read(ends[0], words, SAMPLE * sizeof *words), SAMPLE * sizeof *words);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(ends[0]);
    close(ends[1]);
}

static void assert_disjoint(const uint64_t *a, const uint64_t *b, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            assert_true(a[i] != b[j]);
        }
    }
}

TEST(parent_child_and_grandchild_share_no_words) {
    const entry entries[] = {ENTRY_BEGIN, ENTRY_WORD_ONLY, ENTRY_RECYCLED_PID};
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++) {
        uint64_t first[SAMPLE], child[SAMPLE], sibling[SAMPLE], grandchild[SAMPLE], parent[SAMPLE];
        HANDLE(dp2dpi_rng) *rng = secure();
        take(rng, first, SAMPLE);
        words_of_descendant(rng, entries[e], 0, child);
        words_of_descendant(rng, entries[e], 0, sibling);
        words_of_descendant(rng, entries[e], 1, grandchild);
        take(rng, parent, SAMPLE);
        assert_disjoint(parent, child, SAMPLE);
        assert_disjoint(parent, grandchild, SAMPLE);
        assert_disjoint(child, sibling, SAMPLE);
        assert_disjoint(child, grandchild, SAMPLE);
    }
}

TEST(a_fork_leaves_the_seeded_generator_reproducible) {
    uint64_t first[SAMPLE], child[SAMPLE], parent[SAMPLE];
    HANDLE(dp2dpi_rng) *rng = NULL;
    assert_ok(dp2dpi_rng_new_insecure(7, &rng, NULL));
    take(rng, first, SAMPLE);
    words_of_descendant(rng, ENTRY_BEGIN, 0, child);
    take(rng, parent, SAMPLE);
    assert_memory_equal(child, parent, sizeof child);
}

TEST(two_generators_differ) {
    uint64_t a[SAMPLE], b[SAMPLE];
    HANDLE(dp2dpi_rng) *one = secure(), *two = secure();
    take(one, a, SAMPLE);
    take(two, b, SAMPLE);
    assert_disjoint(a, b, SAMPLE);
}

static int holds(const dp2dpi_rng *rng, const void *secret, size_t length) {
    const unsigned char *bytes = (const unsigned char *)rng->state;
    for (size_t i = 0; i + length <= sizeof *rng->state; i++) {
        if (memcmp(bytes + i, secret, length) == 0) {
            return 1;
        }
    }
    return 0;
}

TEST(handed_out_words_leave_the_state) {
    static uint64_t words[DRAWN];
    HANDLE(dp2dpi_rng) *rng = secure();
    take(rng, words, DRAWN);
    for (size_t i = 0; i < DRAWN; i++) {
        assert_false(holds(rng, &words[i], sizeof words[i]));
    }
}

TEST(a_used_key_leaves_the_state) {
    uint64_t word;
    unsigned char key[DP2DPI_RNG_KEY_SIZE];
    HANDLE(dp2dpi_rng) *rng = secure();
    memcpy(key, rng->state->stream.key, sizeof key);
    assert_true(holds(rng, key, 8));
    take(rng, &word, 1);
    for (size_t i = 0; i + 8 <= sizeof key; i++) {
        assert_false(holds(rng, key + i, 8));
    }
}

TEST(each_block_has_its_own_key) {
    static uint64_t words[DP2DPI_RNG_WORDS];
    unsigned char keys[3][DP2DPI_RNG_KEY_SIZE];
    HANDLE(dp2dpi_rng) *rng = secure();
    for (int i = 0; i < 3; i++) {
        take(rng, words, DP2DPI_RNG_WORDS);
        memcpy(keys[i], rng->state->stream.key, sizeof keys[i]);
    }
    assert_memory_not_equal(keys[0], keys[1], sizeof keys[0]);
    assert_memory_not_equal(keys[1], keys[2], sizeof keys[0]);
}

TEST(a_tape_plays_its_words_then_fails_for_good) {
    static uint64_t tape[DRAWN], words[DRAWN];
    HANDLE(dp2dpi_rng) *rng = NULL;
    for (size_t i = 0; i < DRAWN; i++) {
        tape[i] = i + 1;
    }
    assert_ok(dp2dpi_rng_new_insecure_tape(tape, DRAWN, &rng, NULL));
    take(rng, words, DRAWN);
    assert_memory_equal(tape, words, sizeof tape);
    assert_false(dp2dpi_rng_failed(rng));
    assert_true(dp2dpi_rng_word(rng) == 0);
    assert_true(dp2dpi_rng_failed(rng));
    assert_fails(dp2dpi_rng_end(rng, &test_error), ENTROPY, "tape");
    assert_status(dp2dpi_rng_begin(rng, NULL), ENTROPY);
    assert_true(dp2dpi_rng_word(rng) == 0);
}

TEST(only_the_short_name_is_secure) {
    uint64_t tape[1] = {1};
    dp2dpi_rng *rng = secure();
    assert_int_equal(dp2dpi_rng_is_insecure(rng), 0);
    dp2dpi_rng_free(rng);
    assert_ok(dp2dpi_rng_new_insecure(1, &rng, NULL));
    assert_int_equal(dp2dpi_rng_is_insecure(rng), 1);
    dp2dpi_rng_free(rng);
    assert_ok(dp2dpi_rng_new_insecure_tape(tape, 1, &rng, NULL));
    assert_int_equal(dp2dpi_rng_is_insecure(rng), 1);
    dp2dpi_rng_free(rng);
    dp2dpi_rng_free(NULL);
}
