/* Charges, then draws noise. This layer is below release.c and is the only caller of noise/.
 *
 * A release is a noisy bounded sum. The caller adds up, exactly, one integer vector per record, and
 * guarantees that event.sensitivity is at least the ℓ₂ sensitivity of this sum. This module first
 * writes the ledger line, then draws the noise, and returns the noisy integers. */
#ifndef DP2DPI_MECHANISM_MECHANISM_H
#define DP2DPI_MECHANISM_MECHANISM_H

#include <dp2dp/ledger.h>

#include "rng/rng.h"

/* The right to `event.count` releases, each of `event.coordinates` integers. This right belongs to
 * the process that made the charge: a forked child has no releases left. */
typedef struct dp2dpi_charge dp2dpi_charge;

/* Makes n charges that allow no release yet. The releases use a grid of spacing 2^-grid_bits: one
 * unit of the sum is 2^grid_bits grid units, with grid_bits in 0..62. Allocates all memory that the
 * releases need.
 *
 * The events must be gaussian or poisson, because this module controls the sampling of only these
 * mechanisms. The scale of the events is ignored on entry. In grid units, the noise has standard
 * deviation s = ⌈σ 2^grid_bits⌉. The ledger line carries s and the rounded σ = s 2^-grid_bits,
 * which is at least event.sigma. The line also carries the exact rate of the mask, ⌈q 2^64⌉ 2^-64,
 * where q is event.rate.
 *
 * Fails with ARGUMENT if s is outside 1..2^50. Ownership: *out borrows rng until freed. */
dp2dp_status dp2dpi_charge_prepare(dp2dpi_rng *rng, const dp2dp_event *events, size_t n,
                                   int grid_bits, dp2dpi_charge **out, dp2dp_error *error);
/* Charges the events of n prepared charges to the ledger, all or none, and then allows their
 * releases. If the ledger refuses, fails with BUDGET before anything is appended. */
dp2dp_status dp2dpi_charge_commit(dp2dp_ledger *ledger, dp2dpi_charge *const *charges, size_t n,
                                  dp2dp_error *error);
/* Prepares and commits n charges. */
dp2dp_status dp2dpi_charge_new(dp2dp_ledger *ledger, dp2dpi_rng *rng, const dp2dp_event *events,
                               size_t n, int grid_bits, dp2dpi_charge **out, dp2dp_error *error);
/* Returns the largest grid_bits, at most 62, at which there is room for sums of at most `most` and
 * for noise of standard deviation sigma: most 2^grid_bits < 2^62 and sigma 2^grid_bits < 2^49. The
 * result is negative if no allowed grid has room. */
int dp2dpi_charge_grid(double most, double sigma);
void dp2dpi_charge_free(dp2dpi_charge *charge);

uint64_t dp2dpi_charge_left(const dp2dpi_charge *charge);
/* Returns the event as charged: σ, scale and rate are rounded up. */
const dp2dp_event *dp2dpi_charge_event(const dp2dpi_charge *charge);

/* Sets released[i] = sum[i] + discrete Gaussian noise of the charged scale, for n =
 * event.coordinates values; sum and released may be the same array. A call that passes the checks
 * uses up one release, even if the call then fails. On failure, all of `released` is set to 0. The
 * caller ensures |sum[i]| ≤ 2^62 from public bounds. Fails with BUDGET if no release is left. */
dp2dp_status dp2dpi_charge_release(dp2dpi_charge *charge, size_t n, const int64_t *sum,
                                   int64_t *released, dp2dp_error *error);

/* Draws the Poisson mask of the next release of a poisson event: mask[i] is 1 if row (or person) i
 * is included. The probability of 1 is exactly the rate that was charged. A poisson release without
 * a mask is refused. The mask may be drawn in parts: each further call before the release draws the
 * mask of the next n rows, so no row gets a second mask. */
dp2dp_status dp2dpi_charge_poisson_mask(dp2dpi_charge *charge, size_t n, uint8_t *mask,
                                        dp2dp_error *error);

#endif
