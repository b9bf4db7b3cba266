/* Random words. Two generators with one interface: the secure one (short name) and the insecure one.
 *
 * Secure: ChaCha20 keyed from the kernel, fast key erasure (each refill replaces the key with its own first
 * output bytes and used words are wiped), re-keyed in a forked child, fails closed without entropy. */
#ifndef DP2DPI_RNG_RNG_H
#define DP2DPI_RNG_RNG_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct dp2dpi_rng dp2dpi_rng;

/* Ownership: freed, and wiped, by dp2dpi_rng_free, which accepts NULL. */
dp2dp_status dp2dpi_rng_new(dp2dpi_rng **out, dp2dp_error *error);
/* NOT PRIVATE: the same seed gives the same words on every machine. For tests and reproductions. */
dp2dp_status dp2dpi_rng_new_insecure(uint64_t seed, dp2dpi_rng **out, dp2dp_error *error);
/* NOT PRIVATE: plays back the caller's words, then fails with ENTROPY. For tests against an independent sampler.
 * Ownership: the tape is borrowed. */
dp2dp_status dp2dpi_rng_new_insecure_tape(const uint64_t *words, size_t count, dp2dpi_rng **out, dp2dp_error *error);
void dp2dpi_rng_free(dp2dpi_rng *rng);

/* 1 for the insecure kinds. */
int dp2dpi_rng_is_insecure(const dp2dpi_rng *rng);

/* Must be called at the start of every sampling call: re-keys after a fork, and reports a generator that has failed. */
dp2dp_status dp2dpi_rng_begin(dp2dpi_rng *rng, dp2dp_error *error);
/* Next word. On failure (no entropy, tape at its end) returns 0 and latches the failure: the caller checks
 * dp2dpi_rng_end, and discards what it made, before anything derived from the words leaves it. */
uint64_t dp2dpi_rng_word(dp2dpi_rng *rng);
/* 1 once any word could not be had. A sampler's rejection loops test it, so that a failed generator ends them. */
int dp2dpi_rng_failed(const dp2dpi_rng *rng);
dp2dp_status dp2dpi_rng_end(const dp2dpi_rng *rng, dp2dp_error *error);

/* Fills buffer from the kernel; ENTROPY if it cannot. In a file of its own (rng/entropy.c) so that tests can replace it. */
dp2dp_status dp2dpi_entropy(void *buffer, size_t length, dp2dp_error *error);

#endif
