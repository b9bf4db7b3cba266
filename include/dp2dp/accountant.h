/* Privacy accounting: computes (ε, δ) from a list of events. Uses no data and no randomness.
 *
 * σ is the standard deviation of the noise on the SUM over records. Δ is the ℓ₂ sensitivity of this
 * sum under the accountant's adjacency. If the vector that one record adds to the sum has norm at
 * most C, then Δ = C under add/remove. Under replace-one Δ = 2C, unless a smaller bound is proven.
 * Every ε and δ returned is rounded up. */
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

/* Which data sets are neighbours. Replace-one: both have the same public number of records, and one
 * record differs arbitrarily. Add/remove: one data set has one record more. */
typedef enum dp2dp_adjacency {
    DP2DP_REPLACE_ONE = 1,
    DP2DP_ADD_REMOVE = 2
} dp2dp_adjacency;

/* How a release is protected. EXPOSED means that something was released without noise, so there is
 * no finite ε. */
typedef enum dp2dp_mechanism {
#define DP2DP_MECHANISM(name, value, word, help) DP2DP_##name = (value),
#include <dp2dp/event.def>
#undef DP2DP_MECHANISM
} dp2dp_mechanism;

/* How a bound is computed. AUTO tries all back-ends that apply and returns the smallest sound
 * bound. */
typedef enum dp2dp_backend {
    DP2DP_BACKEND_AUTO = 0,
    DP2DP_BACKEND_ANALYTIC = 1, /* closed form; only for Gaussian events */
    DP2DP_BACKEND_PLD = 2,      /* privacy-loss distribution */
    DP2DP_BACKEND_RDP = 3       /* Rényi divergences */
} dp2dp_backend;

/* What Poisson sampling draws if a person may have several rows: single rows or whole persons. */
typedef enum dp2dp_sampling_unit {
    DP2DP_SAMPLE_ROWS = 0,
    DP2DP_SAMPLE_PERSONS = 1
} dp2dp_sampling_unit;

/* One release, or `count` identical releases. Start from DP2DP_EVENT_INIT. Fields that the
 * mechanism does not use must stay 0. `sensitivity` is the sensitivity to one ROW; the accountant
 * applies rows_per_person. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields in the ledger's order */
typedef struct dp2dp_event {
    size_t struct_size;
    dp2dp_mechanism mechanism;
    double sensitivity; /* ℓ₂ sensitivity of the sum, > 0. For mechanisms with sampling: C under
                           add/remove and 2C under replace-one, where C is the largest norm of the
                           vector that one record can add to the sum */
    double sigma;       /* standard deviation of the noise on the sum, > 0 */
    double rate; /* sampling rate, in (0,1]. poisson: the probability that a given record is in the
                    sample; without-replacement: batch size / population */
    double population;        /* with-replacement: each draw picks a given record with probability
                                 1/population */
    uint64_t draws;           /* with-replacement: number of draws per release, the batch size */
    uint64_t count;           /* number of identical releases, ≥ 1 */
    uint64_t coordinates;     /* how many numbers get noise in each release; ≥ 1 if scale > 0 */
    uint64_t rows_per_person; /* largest number of rows of one person, ≥ 1 */
    dp2dp_sampling_unit sampling_unit;
    double scale; /* for noise on a grid: its standard deviation as a whole number of grid steps. 0:
                     the noise is assumed to be continuous */
    double epsilon;    /* only for declared events: ε ≥ 0 of each of the `count` releases */
    double delta;      /* only for declared events: δ in [0,1) of each of the `count` releases */
    const char *label; /* a note for readers; the accountant ignores it; may be NULL */
    const char *set;   /* the set of people that the event is about; nobody may be in two sets. NULL
                          or "" means everybody */
    /* What the people in `set` were used for in a model: "train", "pool" or "certificate"; may be
     * NULL. In a model's own ledger, an event with an empty `set` belongs to the set named by the
     * role. In other ledgers the role has no effect. */
    const char *role;
    const char *release_id; /* 32 hexadecimal digits that identify the event's release; the
                               accountant ignores them; may be NULL */
} dp2dp_event;

DP2DP_DEFINE_DEFAULT(dp2dp_event, DP2DP_STRUCT_EVENT)
#define DP2DP_EVENT_INIT dp2dp_event_default()

typedef struct dp2dp_accountant dp2dp_accountant;

/* Define dp2dp_mechanism_name, which returns a word such as "poisson", and dp2dp_mechanism_parse,
 * which reads such a word. dp2dp_adjacency and dp2dp_backend get the same two functions. */
DP2DP_DEFINE_WORDS(dp2dp_mechanism, DP2DP_WORDS_MECHANISM)
DP2DP_DEFINE_WORDS(dp2dp_adjacency, DP2DP_WORDS_ADJACENCY)
DP2DP_DEFINE_WORDS(dp2dp_backend, DP2DP_WORDS_BACKEND)

/* Checks an event under an adjacency without adding it to an accountant. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_event_check(const dp2dp_event *event, dp2dp_adjacency adjacency, dp2dp_error *error);

/* Makes an empty accountant. Ownership: the caller frees the accountant; free accepts NULL. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_accountant_new(dp2dp_adjacency adjacency, dp2dp_accountant **out, dp2dp_error *error);
DP2DP_API void dp2dp_accountant_free(dp2dp_accountant *accountant);

/* Adds an event. For one set of people, the costs of all events about this set and about everybody
 * add up (sequential composition). Between different sets, costs do not add up: the largest cost
 * counts (parallel composition). Ownership: the event and its strings are copied. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status
dp2dp_accountant_add(dp2dp_accountant *accountant, const dp2dp_event *event, dp2dp_error *error);

/* Computes the smallest ε that can be certified at delta, rounded up. Sets *used (may be NULL) to
 * the back-end that found this ε. An accountant without events gives ε = 0. Fails with NO_BOUND if
 * no ε can be certified. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_epsilon(
    const dp2dp_accountant *accountant, double delta, dp2dp_backend backend, double *epsilon,
    dp2dp_backend *used, dp2dp_error *error);

/* Computes the smallest δ that can be certified at epsilon ≥ 0. Sets *used (may be NULL) to the
 * back-end that found this δ. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_delta(
    const dp2dp_accountant *accountant, double epsilon, dp2dp_backend backend, double *delta,
    dp2dp_backend *used, dp2dp_error *error);

/* Computes the privacy profile at n values of ε: delta[i] is an upper bound on δ at epsilon[i]. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_curve(
    const dp2dp_accountant *accountant, dp2dp_backend backend, size_t n, const double *epsilon,
    double *delta, dp2dp_error *error);

/* Computes the hypothesis-testing trade-off. Consider all tests that guess from the releases which
 * of two neighbouring data sets was used, and whose false-positive rate is false_positive, in
 * [0,1]. Sets *false_negative to a lower bound on their false-negative rate. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_tradeoff(
    const dp2dp_accountant *accountant, double false_positive, double *false_negative,
    dp2dp_error *error);

/* Which parameter of an event dp2dp_accountant_calibrate solves for. */
typedef enum dp2dp_unknown {
    DP2DP_FIND_SIGMA = 1, /* the smallest noise */
    DP2DP_FIND_RATE = 2,  /* the largest sampling rate (poisson, without-replacement) */
    DP2DP_FIND_COUNT = 3  /* the largest number of releases */
} dp2dp_unknown;

/* Solves for one parameter of *event such that the event, composed with everything in the
 * accountant, stays within (epsilon, delta). Rounds σ up, and rate and count down, so that the
 * privacy is never weaker than promised. On success sets the field in *event, and sets *reached
 * (may be NULL) to the certified ε. Fails with BUDGET if no value meets the target. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_calibrate(
    const dp2dp_accountant *accountant, dp2dp_backend backend, dp2dp_unknown unknown,
    double epsilon, double delta, dp2dp_event *event, double *reached, dp2dp_error *error);

/* Computes an upper bound on the Rényi divergence of all composed events, for an order
 * from 1.000001 to 1e9. The bound holds for D(P‖Q) and for D(Q‖P), where P and Q are the
 * distributions of the releases on two neighbouring data sets. Assumes ideal continuous noise and
 * ignores scale. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_accountant_renyi(
    const dp2dp_accountant *accountant, double order, double *divergence, dp2dp_error *error);

/* Describes a run of full-batch noisy projected gradient descent that releases only its LAST
 * iterate (docs/proofs/last-iterate.md). dp2dp_last_iterate_epsilon checks these premises:
 *
 * - The batch is full.
 * - The step size is constant and at most 2 × smoothing × share_min. Each step on the convex smooth
 *   loss is then a contraction.
 * - Gradients are not clipped.
 * - The domain has a bounded diameter.
 * - No earlier iterate is ever released. */
typedef struct dp2dp_last_iterate {
    size_t struct_size;
    double sensitivity; /* ℓ₂ sensitivity of the sum of gradients */
    double sigma;       /* standard deviation of the noise on the sum */
    double population;  /* number of records, by which the sum is divided before the step */
    double step_size;   /* constant length of each step */
    double smoothing;   /* smoothing parameter β of the log-sum-exp */
    double share_min;   /* smallest group share used as a weight, in (0, 1/2] */
    double diameter;    /* ℓ₂ diameter of the domain onto which the iterates are projected */
    uint64_t steps;
    uint64_t batch; /* records per step; a batch smaller than population is refused */
    int clipped;    /* 1 if gradients are clipped; such a run is refused, because clipping breaks
                       convexity */
    int intermediate_released; /* 1 if an earlier iterate is visible; such a run is refused */
} dp2dp_last_iterate;

DP2DP_DEFINE_DEFAULT(dp2dp_last_iterate, DP2DP_STRUCT_LAST_ITERATE)
#define DP2DP_LAST_ITERATE_INIT dp2dp_last_iterate_default()

/* Computes the certified ε of the last iterate at delta. Fails with ARGUMENT if a premise does not
 * hold; the message names the premise. Fails with NO_BOUND if no finite ε can be certified. */
DP2DP_API DP2DP_MUST_CHECK dp2dp_status dp2dp_last_iterate_epsilon(
    const dp2dp_last_iterate *run, double delta, double *epsilon, dp2dp_error *error);

#ifdef __cplusplus
}
#endif
#endif
