/* Implements the mechanism. docs/proofs/release.md proves that the mechanism is private. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "accountant/event.h"
#include "base/alloc.h"
#include "mechanism/ledger.h"
#include "noise/noise.h"

/* State that a forked child must not inherit: with it, the child could repeat a release that was
 * charged only once, or use the parent's mask again. The struct has a memory page of its own. The
 * kernel zeroes this page in the child, so the child has no releases left. */
typedef struct remaining {
    uint64_t left;
    int masked; /* 1 if a mask was drawn for the next release */
} remaining;

struct dp2dpi_charge {
    dp2dp_event event; /* event as charged; owns its texts */
    dp2dpi_rng *rng;
    uint64_t scale; /* standard deviation of the noise, in grid units */
    remaining *remaining;
    long pid; /* id of the process that charged. A process with another id, such as a forked child,
                 is refused, even if the kernel could not zero the child's copy of the page */
    int64_t *noise; /* the noise of one release, event.coordinates numbers; wiped after each
                       release */
};

enum {
    GRID_BITS_MAX = 62
};
static const int64_t sum_max = (int64_t)1 << 62;

/* Rounds σ up to a whole number s = ⌈σ 2^grid_bits⌉ of grid units. Sets *scale to s and
 * event->sigma to s 2^-grid_bits. Scaling by a power of two is exact. Rounding up a number of at
 * most 2^53 to a whole number is exact, too. */
static dp2dp_status round_sigma_up(dp2dp_event *event, int grid_bits, uint64_t *scale,
                                   dp2dp_error *error) {
    if (!(event->sigma > 0) || !isfinite(event->sigma)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "sigma must be finite and above 0");
    }
    if (grid_bits < 0 || grid_bits > GRID_BITS_MAX) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "grid_bits must be from 0 to %d",
                           (int)GRID_BITS_MAX);
    }
    double s = ceil(ldexp(event->sigma, grid_bits));
    if (!(s <= (double)DP2DPI_NOISE_SCALE_MAX)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "sigma * 2^grid_bits must be at most 2^50");
    }
    *scale = (uint64_t)s;
    event->scale = s;
    event->sigma = ldexp(s, -grid_bits);
    return DP2DP_STATUS_OK;
}

static dp2dp_status prepare_event(const dp2dp_event *event, int grid_bits, dp2dpi_charge *charge,
                                  dp2dp_error *error) {
    if (event->struct_size != sizeof *event) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "event.struct_size must be %zu",
                           sizeof *event);
    }
    /* Accepts only gaussian and poisson. The other mechanisms describe noise drawn elsewhere, or
     * batches of a fixed size, which this module cannot sample. With such a batch, this module
     * would release a sum over all records but charge only for the batch. */
    if (event->mechanism != DP2DP_GAUSSIAN && event->mechanism != DP2DP_POISSON) {
        const char *name = dp2dp_mechanism_name(event->mechanism);
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the mechanism of a release must be gaussian or poisson, not %s",
                           name ? name : "an unknown mechanism");
    }
    if (event->coordinates < 1 || event->coordinates > SIZE_MAX / sizeof(int64_t)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "coordinates must be at least 1 and fit in memory");
    }
    DP2DPI_TRY(dp2dpi_event_copy(event, &charge->event, error));
    if (event->mechanism == DP2DP_POISSON && event->rate > 0 && event->rate <= 1) {
        charge->event.rate = dp2dpi_noise_poisson_rate(event->rate);
    }
    return round_sigma_up(&charge->event, grid_bits, &charge->scale, error);
}

static dp2dp_status map_remaining(dp2dpi_charge *charge, dp2dp_error *error) {
    void *page =
        mmap(NULL, sizeof(remaining), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) {
        return dp2dpi_fail(error, DP2DP_STATUS_MEMORY, "out of memory for a charge");
    }
#ifdef MADV_WIPEONFORK
    (void)madvise(page, sizeof(remaining), MADV_WIPEONFORK);
#endif
    /* The page is all zero, so no release is left until the charge is committed. */
    charge->remaining = page;
    charge->pid = (long)getpid();
    return DP2DP_STATUS_OK;
}

/* Allocates all memory before the charge. Otherwise a charge could be spent on a release that fails
 * for lack of memory. */
static dp2dp_status prepare(dp2dpi_rng *rng, const dp2dp_event *event, int grid_bits,
                            dp2dpi_charge *charge, dp2dp_error *error) {
    DP2DPI_TRY(prepare_event(event, grid_bits, charge, error));
    DP2DPI_TRY(DP2DPI_ALLOC(charge->noise, (size_t)event->coordinates, "noise", error));
    charge->rng = rng;
    return map_remaining(charge, error);
}

static void discard(dp2dpi_charge **charges, size_t n) {
    for (size_t i = 0; i < n; i++) {
        dp2dpi_charge_free(charges[i]);
        charges[i] = NULL;
    }
}

dp2dp_status dp2dpi_charge_prepare(dp2dpi_rng *rng, const dp2dp_event *events, size_t n,
                                   int grid_bits, dp2dpi_charge **out, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    for (size_t i = 0; i < n; i++) {
        out[i] = NULL;
    }
    for (size_t i = 0; i < n; i++) {
        DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(out[i], 1, "a charge", error));
        DP2DPI_TRY_OR_DONE(prepare(rng, &events[i], grid_bits, out[i], error));
    }
    return DP2DP_STATUS_OK;
done:
    discard(out, n);
    return status;
}

dp2dp_status dp2dpi_charge_commit(dp2dp_ledger *ledger, dp2dpi_charge *const *charges, size_t n,
                                  dp2dp_error *error) {
    dp2dp_event *charged = NULL;
    DP2DPI_TRY(DP2DPI_ALLOC(charged, n, "charges", error));
    int insecure = 0;
    for (size_t i = 0; i < n; i++) {
        charged[i] = charges[i]->event;
        insecure |= dp2dpi_rng_is_insecure(charges[i]->rng);
    }
    dp2dp_status status = dp2dpi_ledger_charge_all(
        ledger, charged, n, insecure ? DP2DP_RNG_INSECURE : DP2DP_RNG_SECURE, error);
    for (size_t i = 0; i < n && status == DP2DP_STATUS_OK; i++) {
        charges[i]->remaining->left = charges[i]->event.count;
    }
    dp2dpi_free(charged);
    return status;
}

dp2dp_status dp2dpi_charge_new(dp2dp_ledger *ledger, dp2dpi_rng *rng, const dp2dp_event *events,
                               size_t n, int grid_bits, dp2dpi_charge **out, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_charge_prepare(rng, events, n, grid_bits, out, error));
    dp2dp_status status = dp2dpi_charge_commit(ledger, out, n, error);
    if (status != DP2DP_STATUS_OK) {
        discard(out, n);
    }
    return status;
}

int dp2dpi_charge_grid(double most, double sigma) {
    int exponent_most, exponent_sigma;
    (void)frexp(most, &exponent_most);
    (void)frexp(sigma, &exponent_sigma);
    int bits = 62 - exponent_most;
    bits = bits < 49 - exponent_sigma ? bits : 49 - exponent_sigma;
    return bits < GRID_BITS_MAX ? bits : GRID_BITS_MAX;
}

void dp2dpi_charge_free(dp2dpi_charge *charge) {
    if (charge == NULL) {
        return;
    }
    if (charge->remaining) {
        (void)munmap(charge->remaining, sizeof(remaining));
    }
    dp2dpi_free(charge->noise);
    dp2dpi_event_clear(&charge->event);
    dp2dpi_free(charge);
}

uint64_t dp2dpi_charge_left(const dp2dpi_charge *charge) {
    return charge->pid == (long)getpid() ? charge->remaining->left : 0;
}

const dp2dp_event *dp2dpi_charge_event(const dp2dpi_charge *charge) {
    return &charge->event;
}

static dp2dp_status check_left(const dp2dpi_charge *charge, dp2dp_error *error) {
    if (dp2dpi_charge_left(charge) > 0) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_BUDGET,
                       charge->pid == (long)getpid()
                           ? "this charge has no releases left"
                           : "another process made this charge: after a fork, charge again");
}

/* Checks a release before noise is drawn. The caller has chosen a grid on which the public bound on
 * the sum (N C 2^grid_bits for N records of norm at most C) is at most 2^62. So a sum beyond 2^62
 * is a bug in the caller. */
static dp2dp_status check_release(const dp2dpi_charge *charge, size_t n, const int64_t *sum,
                                  dp2dp_error *error) {
    if (n != charge->event.coordinates) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "n = %zu: it must equal the number of coordinates that were charged, "
                           "%llu",
                           n, (unsigned long long)charge->event.coordinates);
    }
    if (charge->event.mechanism == DP2DP_POISSON && !charge->remaining->masked) {
        return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                           "a poisson release needs a mask; draw the mask first");
    }
    for (size_t i = 0; i < n; i++) {
        if (sum[i] > sum_max || sum[i] < -sum_max) {
            return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                               "a sum is outside its public bound 2^62");
        }
    }
    return check_left(charge, error);
}

static dp2dp_status add_noise(dp2dpi_charge *charge, size_t n, const int64_t *sum,
                              int64_t *released, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_noise_gaussian(charge->rng, charge->scale, n, charge->noise, error));
    for (size_t i = 0; i < n; i++) {
        if (__builtin_add_overflow(sum[i], charge->noise[i], &released[i])) {
            return dp2dpi_fail(error, DP2DP_STATUS_INTERNAL,
                               "a noisy sum does not fit into 64 bits");
        }
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_charge_release(dp2dpi_charge *charge, size_t n, const int64_t *sum,
                                   int64_t *released, dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(check_release(charge, n, sum, error));
    charge->remaining->left--;
    charge->remaining->masked = 0;
    DP2DPI_TRY_OR_DONE(add_noise(charge, n, sum, released, error));
done:
    dp2dpi_wipe(charge->noise, (size_t)charge->event.coordinates * sizeof(int64_t));
    if (status != DP2DP_STATUS_OK && n > 0) {
        memset(released, 0, n * sizeof *released);
    }
    return status;
}

dp2dp_status dp2dpi_charge_poisson_mask(dp2dpi_charge *charge, size_t n, uint8_t *mask,
                                        dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    if (charge->event.mechanism != DP2DP_POISSON) {
        DP2DPI_TRY_OR_DONE(
            dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "only a poisson charge has a mask"));
    }
    DP2DPI_TRY_OR_DONE(check_left(charge, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_noise_poisson_mask(charge->rng, charge->event.rate, n, mask, error));
    charge->remaining->masked = 1;
done:
    if (status != DP2DP_STATUS_OK && n > 0) {
        memset(mask, 0, n);
    }
    return status;
}
