/* Random words, from secure or insecure generators with one interface. The secure generator has the
 * short name, dp2dpi_rng_new.
 *
 * The secure generator is ChaCha20 with a key from the kernel, and with fast key erasure: the first
 * bytes that a key produces replace that key, and used words are wiped. In a forked child the
 * generator takes a new key from the kernel. The generator fails if there is no entropy.
 * docs/proofs/rng.md explains why this is secure. One thread at a time may use a generator. */
#ifndef DP2DPI_RNG_RNG_H
#define DP2DPI_RNG_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dp2dpi_rng dp2dpi_rng;

/* Makes a secure generator. Ownership: dp2dpi_rng_free wipes and frees it, and accepts NULL. */
dp2dp_status dp2dpi_rng_new(dp2dpi_rng **out, dp2dp_error *error);
/* NOT PRIVATE: makes a generator that gives the same words for the same seed on every machine. Use
 * it only for tests and to reproduce results. */
dp2dp_status dp2dpi_rng_new_insecure(uint64_t seed, dp2dpi_rng **out, dp2dp_error *error);
/* NOT PRIVATE: makes a generator that returns the caller's words one after another, then fails with
 * ENTROPY. Used by tests that compare the samplers with an independent implementation. Ownership:
 * the words are borrowed. */
dp2dp_status dp2dpi_rng_new_insecure_tape(const uint64_t *words, size_t count, dp2dpi_rng **out,
                                          dp2dp_error *error);
void dp2dpi_rng_free(dp2dpi_rng *rng);

int dp2dpi_rng_is_insecure(const dp2dpi_rng *rng);

/* Takes a new key after a fork, and reports a failed generator. Every function that samples must
 * call this first. */
dp2dp_status dp2dpi_rng_begin(dp2dpi_rng *rng, dp2dp_error *error);
/* Returns the next word. On failure (no entropy, tape exhausted) returns 0, and the generator stays
 * failed. The caller must call dp2dpi_rng_end before it hands out anything derived from the words,
 * and must discard all results if dp2dpi_rng_end fails. */
static inline uint64_t dp2dpi_rng_word(dp2dpi_rng *rng);
/* Returns 1 if the generator has failed, which means that it could not produce a word. The
 * rejection loops of the samplers check this, because without random words a loop might never end.
 */
static inline int dp2dpi_rng_failed(const dp2dpi_rng *rng);
dp2dp_status dp2dpi_rng_end(const dp2dpi_rng *rng, dp2dp_error *error);

/* Fills the buffer with random bytes from the kernel. If that fails, returns ENTROPY and zeroes the
 * buffer. The function has its own file (rng/entropy.c) so that tests can replace it. */
dp2dp_status dp2dpi_entropy(void *buffer, size_t length, dp2dp_error *error);

/* The declarations from here on are internal to rng.c. They are in this header only so that
 * dp2dpi_rng_word can be inlined, because drawing one noise value takes about sixteen words. */

enum {
    DP2DPI_RNG_KEY_SIZE = 32,
    DP2DPI_RNG_WORDS = 508
};

/* The state has its own memory pages, which the kernel fills with zeros in a forked child. A state
 * of all zeros therefore makes the child ask the kernel for a new key before it gives the next
 * word: left = 0 forces a refill and keyed = 0 forces a new key. */
typedef struct dp2dpi_rng_state {
    uint64_t left;  /* number of words not yet handed out, which are at the end of stream.words */
    uint64_t keyed; /* 1 if stream.key is valid */
    struct {
        uint8_t key[DP2DPI_RNG_KEY_SIZE];
        uint64_t words[DP2DPI_RNG_WORDS];
    } stream; /* one block of ChaCha20 output: the next key, then words */
} dp2dpi_rng_state;

typedef enum dp2dpi_rng_source {
    DP2DPI_RNG_SOURCE_KERNEL = 1,
    DP2DPI_RNG_SOURCE_SEED = 2,
    DP2DPI_RNG_SOURCE_TAPE = 3
} dp2dpi_rng_source;

struct dp2dpi_rng {
    dp2dpi_rng_state *state;
    dp2dpi_rng_source source;
    int failed;
    int wiped_on_fork; /* 1 if the kernel zeroes the state in a forked child; if 0, every call of
                          dp2dpi_rng_begin takes a new key */
    long pid; /* id of the process that set the key; used as an additional check for a fork */
    const uint64_t *tape;
    size_t tape_left;
};

/* Produces more words. Returns 1 if words are available; otherwise returns 0, and the generator
 * stays failed. */
int dp2dpi_rng_refill(dp2dpi_rng *rng);

static inline uint64_t dp2dpi_rng_word(dp2dpi_rng *rng) {
    dp2dpi_rng_state *state = rng->state;
    if (__builtin_expect(state->left == 0, 0) && !dp2dpi_rng_refill(rng)) {
        return 0;
    }
    uint64_t *word = &state->stream.words[DP2DPI_RNG_WORDS - state->left];
    uint64_t value = *word;
    *word = 0;
    state->left--;
    return value;
}

static inline int dp2dpi_rng_failed(const dp2dpi_rng *rng) {
    return rng->failed;
}

#endif
