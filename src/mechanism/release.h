/* The only way to release: plan the noise, charge the ledgers, then draw. Everything that a model
 * or a certificate learns about people comes from here, as noisy bounded sums.
 *
 * A new kind of release supplies a list of events, a public bound on its sums, and the sums. */
#ifndef DP2DPI_MECHANISM_RELEASE_H
#define DP2DPI_MECHANISM_RELEASE_H

#include <dp2dp/ledger.h>
#include <dp2dp/model.h>

#include "mechanism/ledger.h"
#include "rng/rng.h"

/* √2, rounded up: the ℓ₂ sensitivity of a table of counts. Replacing a record takes 1 from one cell
 * and adds 1 to another, however many cells there are. */
#define DP2DPI_COUNTS_SENSITIVITY 1.41421356237309514547

/* The bits of dp2dp_not_private for a model that used data of some of its people without noise.
 * These people have no guarantee. */
#define DP2DPI_NOT_PRIVATE_EXPOSED                                                     \
    ((unsigned)DP2DP_NOT_PRIVATE_NO_NOISE | DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE | \
     DP2DP_NOT_PRIVATE_SCORES_FROM_POOL)

enum {
    DP2DPI_RELEASE_EVENTS_MAX = 4
};

typedef struct dp2dpi_release_terms {
    /* If epsilon is INFINITY, no noise is drawn, and the ledger records this. */
    double epsilon, delta;
    uint64_t rows_per_person;
    const char *people;  /* what the user calls these people; NULL: everybody in the ledger */
    const char *role;    /* role of these people, for the model's own ledger; a constant or NULL */
    const char *own_set; /* name of these people in the model's own ledger; NULL: their role */
    const char *verb;    /* name of the call that charges, for the ledger's entries; a constant */
    const char *subject; /* distinguishes releases with equal events and equal insecure seeds; a
                            constant or NULL */
    dp2dp_rng_kind rng;
    uint64_t insecure_seed;
    dp2dp_ledger *ledger; /* the user's ledger, charged first because it may refuse; may be NULL */
    dp2dp_ledger *own;    /* the model's own ledger; may be NULL */
} dp2dpi_release_terms;

/* Fails with ARGUMENT if rng is not a known kind, or if the ledger does not use replace-one
 * adjacency. ledger may be NULL. */
dp2dp_status dp2dpi_release_check(dp2dp_rng_kind rng, const dp2dp_ledger *ledger,
                                  dp2dp_error *error);

typedef enum dp2dpi_epsilon_limit {
    DP2DPI_EPSILON_FINITE,
    DP2DPI_EPSILON_MAY_BE_INFINITE /* if epsilon is INFINITY, delta is not used or checked */
} dp2dpi_epsilon_limit;

/* Fails with ARGUMENT if epsilon or delta is out of range, or NAN, which means that the caller has
 * not chosen a value. If delta is out of range and epsilon is below delta and below 1, the message
 * asks whether epsilon and delta were swapped. */
dp2dp_status dp2dpi_release_check_budget(double epsilon, double delta, dp2dpi_epsilon_limit limit,
                                         dp2dp_error *error);

/* Adds an entry to the user's ledger (terms->ledger): data are released without noise. Fails with
 * BUDGET if this ledger has a budget. Adds the entry to the model's own ledger (terms->own) only if
 * terms->own_set names the people, or if terms->role is NULL, as in the second fit of a model.
 * Otherwise the model's not_private_because reports the release; it cannot say whose data were
 * released. Both ledgers may be NULL. */
dp2dp_status dp2dpi_release_expose(const dp2dpi_release_terms *terms, dp2dp_error *error);

/* Computes the σ at which one Gaussian release of sensitivity 1 is (ε, δ)-DP. In terms of Gaussian
 * DP, σ is 1/μ. If scale is 0, the noise is continuous. If scale is above 0, the noise of
 * `coordinates` values is drawn on a grid with `scale` grid units per σ. Noise on a grid costs
 * slightly more privacy, and σ is large enough to cover this cost. */
dp2dp_status dp2dpi_release_unit_sigma(const dp2dpi_release_terms *terms, uint64_t coordinates,
                                       double scale, double *sigma, dp2dp_error *error);

/* Returns the event of one Gaussian release. For several releases, set its count. */
dp2dp_event dp2dpi_release_gaussian(double sensitivity, double sigma, uint64_t coordinates,
                                    const char *label);

/* Sets σ of all events of a plan. The scale of the events is already set. */
typedef dp2dp_status (*dp2dpi_release_calibrate)(const void *context,
                                                 const dp2dpi_release_terms *terms,
                                                 dp2dp_event *events, dp2dp_error *error);
/* Lists the entries that the ledgers get for the events in `drawn`. In these events, σ and scale
 * are rounded up to the grid. Ownership: *entries belongs to the context. */
typedef dp2dp_status (*dp2dpi_release_price)(void *context, const dp2dp_event *drawn,
                                             const dp2dp_event **entries, size_t *size,
                                             dp2dp_error *error);

/* What to release. dp2dpi_release_prepare fills in rows_per_person, role, set, release_id and scale
 * of the events. If ε is INFINITY, σ only determines the grid. */
typedef struct dp2dpi_release_plan {
    dp2dp_event events[DP2DPI_RELEASE_EVENTS_MAX]; /* each is gaussian or poisson */
    size_t n;
    double most;    /* public bound on the absolute value of every number in a sum */
    double records; /* public number of records, for error messages; `most` is proportional to this
                       number */
    int least_bits; /* smallest grid_bits that the plan allows; the grid has spacing 2^-grid_bits */
    dp2dpi_release_calibrate calibrate; /* NULL: solve for σ of the last event only */
    dp2dpi_release_price price;         /* NULL: charge the events as drawn */
    void *context;
} dp2dpi_release_plan;

typedef struct dp2dpi_release {
    char id[DP2DPI_RELEASE_ID_DIGITS + 1]; /* release_id of all entries; empty without noise */
    dp2dpi_rng *rng;
    /* Temporary ledger, used if there is no noise or if plan->price is set, otherwise NULL. It is
     * charged before the other ledgers, for the noise as drawn: with σ and scale rounded up to the
     * grid. */
    dp2dp_ledger *scratch;
    struct dp2dpi_charge *charges[DP2DPI_RELEASE_EVENTS_MAX];
    int64_t *sum; /* room for the sums of the largest event, which the caller fills in; wiped when
                     freed */
    size_t length;
    int grid_bits; /* one unit of a sum is 2^grid_bits grid units */
    int noisy;
    dp2dpi_release_terms
        terms; /* copy of the caller's terms; the texts and ledgers are borrowed until the charge */
    dp2dp_event entries[DP2DPI_RELEASE_EVENTS_MAX]; /* what is charged to the user's ledger */
    size_t size;                                    /* number of entries */
    size_t n;                                       /* number of charges */
    const dp2dpi_line *waiting; /* lines that the user's ledger is to charge together with the
                                   entries; borrowed until the charge */
    size_t waiting_count;
    int charged; /* 1 once all ledgers are charged; nothing can be drawn before */
} dp2dpi_release;

/* Calibrates all events together, finds the grid and allocates the memory for the draws. Charges
 * nothing, and allows no draw. Reads no records. After a failure *out is empty.
 *
 * Fails with ARGUMENT if no grid has room for the sums over all records and their noise. Fails with
 * BUDGET if no grid has room even for one record, or if terms->ledger would refuse the charge now.
 *
 * Lines may be waiting for the next charge of terms->ledger (dp2dpi_ledger_charge_with_next). These
 * lines are charged together with this release, even if something else is charged to the ledger
 * earlier. Ownership: the caller frees *out with dp2dpi_release_free. *out borrows the ledgers, and
 * until the charge also the texts of terms and plan. */
dp2dp_status dp2dpi_release_prepare(const dp2dpi_release_terms *terms,
                                    const dp2dpi_release_plan *plan, dp2dpi_release *out,
                                    dp2dp_error *error);
/* Charges all entries of a prepared release: first to terms->ledger, which may refuse with BUDGET
 * before anything is charged, then to terms->own. Noise can be drawn only after this call has
 * succeeded. After a failure *release is empty. */
dp2dp_status dp2dpi_release_charge(dp2dpi_release *release, dp2dp_error *error);
/* Prepares and charges in one step. Unlike dp2dpi_release_prepare, does not check terms->ledger
 * first, because the charge itself checks it. */
dp2dp_status dp2dpi_release_new(const dp2dpi_release_terms *terms, const dp2dpi_release_plan *plan,
                                dp2dpi_release *out, dp2dp_error *error);
void dp2dpi_release_free(dp2dpi_release *release);

const dp2dp_event *dp2dpi_release_event(const dp2dpi_release *release, size_t i);

/* Draws the Poisson mask of the next release of event i: which of the n records the release
 * includes. The mask is also drawn if ε is INFINITY. */
dp2dp_status dp2dpi_release_mask(dp2dpi_release *release, size_t i, size_t n, uint8_t *mask,
                                 dp2dp_error *error);
/* Adds the noise of event i to the n = event.coordinates grid values in sum, in place, and writes
 * the result to out in units of the sum. Uses up one of the event's releases. */
dp2dp_status dp2dpi_release_draw(dp2dpi_release *release, size_t i, size_t n, int64_t *sum,
                                 double *out, dp2dp_error *error);
/* Adds noise to the n counts in release->sum as dp2dpi_release_draw does, but scales the counts to
 * the grid first. On entry the counts are in units of 2^-unit_bits, where unit_bits is at most the
 * plan's least_bits. Clips each count to 0..records, which never increases the distance between two
 * tables. Callers have checked the counts (dp2dpi_source_ask) or counted them themselves. */
dp2dp_status dp2dpi_release_draw_counts(dp2dpi_release *release, size_t i, size_t n,
                                        uint64_t records, unsigned unit_bits, double *out,
                                        dp2dp_error *error);

/* Planning a run charges what the run would charge, but reads no records and draws no noise.
 *
 * dp2dpi_plan_begin replaces *scratch by a new scratch ledger, which the planned run charges. On
 * entry *scratch is the ledger in the user's options, which must differ from `ledger`. Entries of
 * the scratch ledger are marked as insecure, so that planning uses no entropy.
 *
 * dp2dpi_plan_end frees the scratch ledger. If status is OK, it first charges the entries of the
 * scratch ledger to `ledger`, all or none, marked with rng. */
dp2dp_status dp2dpi_plan_begin(const dp2dp_ledger *ledger, dp2dp_ledger **scratch,
                               dp2dp_error *error);
dp2dp_status dp2dpi_plan_end(dp2dp_status status, dp2dp_ledger *scratch, dp2dp_ledger *ledger,
                             dp2dp_rng_kind rng, dp2dp_error *error);

#endif
