#include "rng/rng.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sodium.h>

#include "base/alloc.h"

_Static_assert(DP2DPI_RNG_KEY_SIZE == crypto_stream_chacha20_KEYBYTES,
               "the key must have the size of a ChaCha20 key");
_Static_assert(sizeof(((dp2dpi_rng_state *)0)->stream) ==
                   DP2DPI_RNG_KEY_SIZE + 8 * DP2DPI_RNG_WORDS,
               "there must be no padding between key and words");

static void forget(dp2dpi_rng_state *state) {
    dp2dpi_wipe(state, sizeof *state);
}

static int fail_closed(dp2dpi_rng *rng) {
    forget(rng->state);
    rng->failed = 1;
    return 0;
}

static dp2dp_status key_from_kernel(dp2dpi_rng *rng, dp2dp_error *error) {
    dp2dpi_rng_state *state = rng->state;
    forget(state);
    dp2dp_status status = dp2dpi_entropy(state->stream.key, sizeof state->stream.key, error);
    if (status != DP2DP_STATUS_OK) {
        fail_closed(rng);
        return status;
    }
    state->keyed = 1;
    rng->pid = (long)getpid();
    return DP2DP_STATUS_OK;
}

/* Sets the key to the BLAKE2b-256 hash of a fixed text followed by the eight bytes of the seed. The
 * lowest byte of the seed comes first, so the key is the same on every machine. */
static void key_from_seed(dp2dpi_rng_state *state, uint64_t seed) {
    static const char domain[] = "dp2dp insecure seed";
    unsigned char text[sizeof domain - 1 + 8];
    memcpy(text, domain, sizeof domain - 1);
    for (int i = 0; i < 8; i++) {
        text[sizeof domain - 1 + (size_t)i] = (unsigned char)(seed >> (8 * i));
    }
    (void)crypto_generichash(state->stream.key, sizeof state->stream.key, text, sizeof text, NULL,
                             0);
    state->keyed = 1;
}

/* Computes the next block of random words. The block overwrites the key from which it was computed,
 * so nobody can recover that key from memory later (fast key erasure). The nonce may be constant
 * because no key is used twice. */
static void next_block(dp2dpi_rng_state *state) {
    static const unsigned char nonce[crypto_stream_chacha20_NONCEBYTES] = {0};
    unsigned char key[DP2DPI_RNG_KEY_SIZE];
    memcpy(key, state->stream.key, sizeof key);
    (void)crypto_stream_chacha20((unsigned char *)&state->stream, sizeof state->stream, nonce, key);
    dp2dpi_wipe(key, sizeof key);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (size_t i = 0; i < DP2DPI_RNG_WORDS; i++) {
        state->stream.words[i] = __builtin_bswap64(state->stream.words[i]);
    }
#endif
    state->left = DP2DPI_RNG_WORDS;
}

static int next_tape_words(dp2dpi_rng *rng) {
    size_t count = rng->tape_left < DP2DPI_RNG_WORDS ? rng->tape_left : DP2DPI_RNG_WORDS;
    if (count == 0) {
        return fail_closed(rng);
    }
    memcpy(rng->state->stream.words + (DP2DPI_RNG_WORDS - count), rng->tape,
           count * sizeof *rng->tape);
    rng->tape += count;
    rng->tape_left -= count;
    rng->state->left = count;
    return 1;
}

int dp2dpi_rng_refill(dp2dpi_rng *rng) {
    if (rng->failed) {
        return 0;
    }
    if (rng->source == DP2DPI_RNG_SOURCE_TAPE) {
        return next_tape_words(rng);
    }
    if (!rng->state->keyed && key_from_kernel(rng, NULL) != DP2DP_STATUS_OK) {
        return 0;
    }
    next_block(rng->state);
    return 1;
}

/* Lets libsodium pick its fastest code for this processor. sodium_init ends the process if there is
 * no entropy, so this function asks the kernel for entropy first. */
static dp2dp_status start_sodium(dp2dp_error *error) {
    unsigned char probe[1];
    DP2DPI_TRY(dp2dpi_entropy(probe, sizeof probe, error));
    if (sodium_init() < 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_ENTROPY, "libsodium failed to initialise");
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status new_generator(dp2dpi_rng_source source, dp2dpi_rng **out, dp2dp_error *error) {
    dp2dpi_rng *rng;
    *out = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(rng, 1, "a random generator", error));
    void *pages = mmap(NULL, sizeof(dp2dpi_rng_state), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) {
        dp2dpi_free(rng);
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY,
                           "out of memory for a random generator (%zu bytes)",
                           sizeof(dp2dpi_rng_state));
    }
    rng->state = pages;
    rng->source = source;
    *out = rng;
    return DP2DP_STATUS_OK;
}

/* Protects the pages that hold the key and the words. A forked child must not share these pages. If
 * the kernel cannot zero them in the child, every call of dp2dpi_rng_begin takes a new key. A core
 * file should not contain the pages either, but a failure to ensure this is ignored. */
static void guard_pages(dp2dpi_rng *rng) {
#ifdef MADV_WIPEONFORK
    rng->wiped_on_fork = madvise(rng->state, sizeof *rng->state, MADV_WIPEONFORK) == 0;
#endif
#ifdef MADV_DONTDUMP
    (void)madvise(rng->state, sizeof *rng->state, MADV_DONTDUMP);
#endif
}

dp2dp_status dp2dpi_rng_new(dp2dpi_rng **out, dp2dp_error *error) {
    dp2dpi_rng *rng;
    *out = NULL;
    DP2DPI_TRY(new_generator(DP2DPI_RNG_SOURCE_KERNEL, &rng, error));
    guard_pages(rng);
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(start_sodium(error));
    DP2DPI_TRY_OR_DONE(key_from_kernel(rng, error));
    *out = rng;
    rng = NULL;
done:
    dp2dpi_rng_free(rng);
    return status;
}

dp2dp_status dp2dpi_rng_new_insecure(uint64_t seed, dp2dpi_rng **out, dp2dp_error *error) {
    DP2DPI_TRY(new_generator(DP2DPI_RNG_SOURCE_SEED, out, error));
    (void)start_sodium(NULL); /* a failure is harmless: libsodium then uses its portable code, which
                                 gives the same words */
    key_from_seed((*out)->state, seed);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_rng_new_insecure_tape(const uint64_t *words, size_t count, dp2dpi_rng **out,
                                          dp2dp_error *error) {
    DP2DPI_TRY(new_generator(DP2DPI_RNG_SOURCE_TAPE, out, error));
    (*out)->tape = words;
    (*out)->tape_left = count;
    return DP2DP_STATUS_OK;
}

void dp2dpi_rng_free(dp2dpi_rng *rng) {
    if (rng == NULL) {
        return;
    }
    forget(rng->state);
    (void)munmap(rng->state, sizeof *rng->state);
    dp2dpi_wipe(rng, sizeof *rng);
    dp2dpi_free(rng);
}

int dp2dpi_rng_is_insecure(const dp2dpi_rng *rng) {
    return rng->source != DP2DPI_RNG_SOURCE_KERNEL;
}

dp2dp_status dp2dpi_rng_begin(dp2dpi_rng *rng, dp2dp_error *error) {
    if (rng->failed) {
        return dp2dpi_rng_end(rng, error);
    }
    if (rng->source != DP2DPI_RNG_SOURCE_KERNEL) {
        return DP2DP_STATUS_OK;
    }
    /* The kernel zeroes the state in a forked child. The process id is only an additional check: it
     * does not reveal every fork, because a grandchild can get the process id of its grandparent.
     * If the kernel cannot zero the state, every call of this function takes a new key. */
    if (!rng->state->keyed || !rng->wiped_on_fork || rng->pid != (long)getpid()) {
        return key_from_kernel(rng, error);
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_rng_end(const dp2dpi_rng *rng, dp2dp_error *error) {
    if (!rng->failed) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ENTROPY, "%s",
                       rng->source == DP2DPI_RNG_SOURCE_TAPE
                           ? "the tape of random words has run out"
                           : "the random generator has failed and cannot be used again");
}
