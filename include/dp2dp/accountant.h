/* Privacy accounting: turns a list of events into (ε, δ). It uses no data and no randomness.
 *
 * Symbols: σ is the standard deviation (std) of the noise on the SUM over records; Δ is the ℓ₂
 * sensitivity of that sum under the accountant's adjacency. C bounds one record's norm: Δ = 2C
 * under replace-one unless proven smaller, Δ = C under add/remove; z = σ/C. Every ε and δ returned
 * is rounded up. */
#ifndef DP2DP_ACCOUNTANT_H
#define DP2DP_ACCOUNTANT_H

#include <stddef.h>
#include <stdint.h>

#include <dp2dp/options.h>
#include <dp2dp/status.h>
#include <dp2dp/words.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Which data sets are neighbours. Replace-one: the same public number of records, one of them
 * changed arbitrarily. Add/remove: one record more or less. */
typedef enum dp2dp_adjacency {
    DP2DP_REPLACE_ONE = 1,
    DP2DP_ADD_REMOVE = 2
} dp2dp_adjacency;

/* Exposed: something was released without noise, so no ε bounds what it reveals. */
typedef enum dp2dp_mechanism {
#define DP2DP_MECHANISM(name, value, word) DP2DP_##name = (value),
#include <dp2dp/event.def>
#undef DP2DP_MECHANISM
} dp2dp_mechanism;

/* How a bound is computed. AUTO tries all back-ends that apply and returns the smallest sound
 * bound. */
typedef enum dp2dp_backend {
    DP2DP_BACKEND_AUTO = 0,
    DP2DP_BACKEND_ANALYTIC = 1, /* closed form; Gaussian events only */
    DP2DP_BACKEND_PLD = 2,      /* privacy-loss distribution */
    DP2DP_BACKEND_RDP = 3       /* Rényi divergences */
} dp2dp_backend;

/* Whether Poisson sampling draws rows or persons, if a person has several rows. */
typedef enum dp2dp_sampling_unit {
    DP2DP_SAMPLE_ROWS = 0,
    DP2DP_SAMPLE_PERSONS = 1
} dp2dp_sampling_unit;

/* One release, or `count` identical releases. Start from DP2DP_EVENT_INIT; leave fields that the
 * mechanism does not use at 0. sensitivity is for one ROW; the accountant applies rows_per_person.
 */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of the ledger */
typedef struct dp2dp_event {
    size_t struct_size;
    dp2dp_mechanism mechanism;
    double sensitivity; /* Δ > 0 of the sum; if sampled, 2C (replace-one) or C (add/remove) */
    double sigma;       /* σ > 0, std of the noise on the sum */
    double rate;        /* poisson: sampling rate q in (0,1]; without-replacement: b/n in (0,1] */
    double population;  /* with-replacement: n; a draw picks a given record with probability 1/n */
    uint64_t draws;     /* with-replacement: b, draws per release */
    uint64_t count;     /* T ≥ 1 identical releases */
    uint64_t coordinates;     /* noisy numbers per release; ≥ 1 if scale > 0 */
    uint64_t rows_per_person; /* m ≥ 1: most rows of one person */
    dp2dp_sampling_unit sampling_unit;
    double scale;   /* std of the noise in grid units, a whole number; 0: ideal continuous noise */
    double epsilon; /* declared: ε ≥ 0 of each of the `count` releases */
    double delta;   /* declared: δ in [0,1) of each of these releases */
    const char *label; /* a note for people; may be NULL; the accountant ignores it */
    const char *set;   /* set of people; different sets are disjoint; NULL or "": everybody */
    /* The part that these people had in a model: train, pool or certificate. Used only in a model's
     * own ledger: an event without a set then belongs to the set of its role; NULL: none. */
    const char *role;
    const char *release_id; /* identifies the release that the event is part of; 32 hexadecimal
                               digits; may be NULL; the accountant ignores it */
} dp2dp_event;

DP2DP_DEFINE_DEFAULT(dp2dp_event, DP2DP_STRUCT_EVENT)
#define DP2DP_EVENT_INIT dp2dp_event_default()

typedef struct dp2dp_accountant dp2dp_accountant;

/* Defines dp2dp_mechanism_name (returns a word such as "poisson"), dp2dp_mechanism_parse and so
 * on. */
DP2DP_DEFINE_WORDS(dp2dp_mechanism, DP2DP_WORDS_MECHANISM)
DP2DP_DEFINE_WORDS(dp2dp_adjacency, DP2DP_WORDS_ADJACENCY)
DP2DP_DEFINE_WORDS(dp2dp_backend, DP2DP_WORDS_BACKEND)

/* Checks one event under an adjacency, without composing it. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_event_check(const dp2dp_event *event, dp2dp_adjacency adjacency, dp2dp_error *error);

/* Makes an empty accountant. Ownership: the caller frees it; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_accountant_new(dp2dp_adjacency adjacency, dp2dp_accountant **out, dp2dp_error *error);
DP2DP_API void dp2dp_accountant_free(dp2dp_accountant *accountant);

/* Adds an event. It composes in sequence with events of the same set and of everybody, and in
 * parallel with events of other sets. Ownership: the event and its strings are copied. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_accountant_add(dp2dp_accountant *accountant, const dp2dp_event *event, dp2dp_error *error);

/* Computes the smallest ε that can be certified at delta; the result is never too small. *used
 * (optional) is the back-end that found this ε. An accountant without events gives ε = 0. Fails
 * with NO_BOUND if no ε can be certified. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_epsilon(
    const dp2dp_accountant *accountant, double delta, dp2dp_backend backend, double *epsilon,
    dp2dp_backend *used, dp2dp_error *error);

/* Computes the smallest δ that can be certified at epsilon ≥ 0. *used (optional) is the back-end
 * that found this δ. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_delta(
    const dp2dp_accountant *accountant, double epsilon, dp2dp_backend backend, double *delta,
    dp2dp_backend *used, dp2dp_error *error);

/* Computes the privacy profile at n values of ε: delta[i] ≥ δ(epsilon[i]). */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_curve(
    const dp2dp_accountant *accountant, dp2dp_backend backend, size_t n, const double *epsilon,
    double *delta, dp2dp_error *error);

/* Computes the hypothesis-testing trade-off: a lower bound on the false-negative rate of any test
 * whose false-positive rate is false_positive, in [0,1]. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_tradeoff(
    const dp2dp_accountant *accountant, double false_positive, double *false_negative,
    dp2dp_error *error);

/* Which parameter of an event dp2dp_accountant_calibrate solves for. */
typedef enum dp2dp_unknown {
    DP2DP_FIND_SIGMA = 1, /* smallest noise */
    DP2DP_FIND_RATE = 2,  /* largest sampling rate (poisson, without-replacement) */
    DP2DP_FIND_COUNT = 3  /* largest number of releases */
} dp2dp_unknown;

/* Solves for one parameter of *event so that the event, composed with everything in the accountant,
 * stays within (epsilon, delta). Rounds towards protection: σ up, rate and count down. On success
 * sets the field in *event, and *reached (optional) to the certified ε. Fails with BUDGET if no
 * value meets the target. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_calibrate(
    const dp2dp_accountant *accountant, dp2dp_backend backend, dp2dp_unknown unknown,
    double epsilon, double delta, dp2dp_event *event, double *reached, dp2dp_error *error);

/* Computes an upper bound on the Rényi divergence D_order of all composed events, for order from
 * 1.000001 to 1e9, in the worse of the two directions, for ideal continuous noise (ignores
 * scale). */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_renyi(
    const dp2dp_accountant *accountant, double order, double *divergence, dp2dp_error *error);

/* Privacy of the LAST iterate alone of full-batch noisy projected gradient descent
 * (docs/proofs/last-iterate.md). dp2dp_last_iterate_epsilon checks the premises: full batch, one
 * constant step η ≤ 2 β π_min (convex smooth loss, contraction), no clipping, a domain of bounded
 * diameter, and no earlier iterate ever released. */
typedef struct dp2dp_last_iterate {
    size_t struct_size;
    double sensitivity; /* Δ of the gradient sum */
    double sigma;       /* σ: std of the noise on the sum */
    double population;  /* N: the sum is divided by N before the step */
    double step_size;   /* η */
    double smoothing;   /* β, smoothing of the log-sum-exp */
    double share_min;   /* π_min, smallest group share used as weight, in (0, 1/2] */
    double diameter;    /* D, ℓ₂ diameter of the domain onto which the iterates are projected */
    uint64_t steps;     /* T */
    uint64_t batch;     /* records per step; must equal population: a smaller batch is refused */
    int clipped;        /* 1 if gradients are clipped: refused, clipping breaks convexity */
    int intermediate_released; /* 1 if any earlier iterate is visible: refused */
} dp2dp_last_iterate;

DP2DP_DEFINE_DEFAULT(dp2dp_last_iterate, DP2DP_STRUCT_LAST_ITERATE)
#define DP2DP_LAST_ITERATE_INIT dp2dp_last_iterate_default()

/* Computes the certified ε of the last iterate at delta. Fails with ARGUMENT, naming the premise,
 * if a premise does not hold, and with NO_BOUND if no finite ε can be certified. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_last_iterate_epsilon(
    const dp2dp_last_iterate *run, double delta, double *epsilon, dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
