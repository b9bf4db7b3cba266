/* The privacy loss of one release. A pair of distributions (P, Q) dominates the release, and the
 * loss is L = log dP/dQ under P.
 *
 * For all kinds but WITH_REPLACEMENT and DECLARED, P and Q are mixtures of unit-variance normals
 * N(mean) on a line. L increases along the line, and positions x are in standard deviations of the
 * noise. docs/proofs/ shows for each kind that the pair dominates.
 *
 * Let z = σ/C be the noise multiplier, where C is the largest norm that one record adds to the sum.
 * The shift of Poisson sampling is s = 1/z. The shift of batches of a fixed size is μ = 2/z. For
 * the Gaussian kind, μ = sensitivity/σ. */
#ifndef DP2DPI_ACCOUNTANT_LOSS_H
#define DP2DPI_ACCOUNTANT_LOSS_H

#include <stdint.h>

#include "base/error.h"

typedef enum dp2dpi_loss_kind {
    DP2DPI_LOSS_GAUSSIAN,        /* normal against normal: N(+μ/2) and N(−μ/2) */
    DP2DPI_LOSS_POISSON_REPLACE, /* mixtures (1−q) N(0) + q N(s) and (1−q) N(0) + q N(−s) */
    DP2DPI_LOSS_POISSON_REMOVE,  /* mixture (1−q) N(0) + q N(s) against normal N(0) */
    DP2DPI_LOSS_POISSON_ADD,     /* normal N(0) against mixture (1−q) N(0) + q N(−s) */
    DP2DPI_LOSS_WITHOUT_REPLACEMENT, /* pair defined by its symmetrised privacy curve δ(ε) */
    DP2DPI_LOSS_WITH_REPLACEMENT,    /* pair defined by an upper bound on its privacy curve; k
                                        draws of a record change the mean by at most k μ */
    DP2DPI_LOSS_DECLARED             /* the worst pair that satisfies the declared (ε, δ) */
} dp2dpi_loss_kind;

typedef struct dp2dpi_loss {
    dp2dpi_loss_kind kind;
    double shift; /* distance μ or s between the normals, in standard deviations */
    double q; /* sampling rate; for WITH_REPLACEMENT, probability that one draw picks the record */
    double draws;   /* for WITH_REPLACEMENT: the size of a batch */
    double epsilon; /* ε of a declared guarantee */
    double delta;
    double count;
} dp2dpi_loss;

/* A pair (P, Q) as mixtures of at most three normals: P = Σ upper[c] N(mean[c]) and P − Q = Σ
 * difference[c] N(mean[c]). For sampling without replacement, the mixtures describe P and Q only at
 * losses L > 0. At the loss −L, P has the mass that Q has at L. All other mass of P is at loss 0.
 */
typedef struct dp2dpi_mixture {
    int n;
    double mean[3];
    double upper[3];
    double difference[3];
} dp2dpi_mixture;

dp2dpi_mixture dp2dpi_loss_mixture(const dp2dpi_loss *loss);
/* dp2dpi_loss_at returns the loss L at position x. dp2dpi_loss_inverse returns the position at
 * which L is `value`, or ±INFINITY if L never has this value. For sampling without replacement,
 * both functions are defined only for x and L of at least 0. */
double dp2dpi_loss_at(const dp2dpi_loss *loss, double x);
double dp2dpi_loss_inverse(const dp2dpi_loss *loss, double value);

/* Returns δ(ε) of the pair that dominates one release, rounded up, for ε ≥ 0. For WITH_REPLACEMENT
 * only an upper bound on δ(ε) is known. */
double dp2dpi_loss_delta(const dp2dpi_loss *loss, double epsilon);
/* Returns the smallest ε ≥ 0 at which one release has δ(ε) ≤ delta; INFINITY if no such ε exists.
 */
double dp2dpi_loss_epsilon(const dp2dpi_loss *loss, double delta);

/* How often one record is drawn into a batch with replacement: weight[k] is the probability of k
 * draws for k = 0..last; `beyond` is the probability of more than `last` draws. */
enum {
    DP2DPI_MULTIPLICITY_MAX = 512
};
typedef struct dp2dpi_multiplicity {
    int last;
    double weight[DP2DPI_MULTIPLICITY_MAX + 1];
    double beyond;
} dp2dpi_multiplicity;

/* Fills in weight[0], weight[1], … until the probability of more draws is at most beyond_limit or
 * the table is full. */
void dp2dpi_multiplicity_fill(const dp2dpi_loss *loss, double beyond_limit,
                              dp2dpi_multiplicity *multiplicity);
/* Returns an upper bound on δ(ε) of one with-replacement release, for ε ≥ 0: the smaller of the
 * simple and the tight bound of docs/proofs/fixed-size.md, plus the probability `beyond`. */
double dp2dpi_multiplicity_delta(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                                 double epsilon);

#endif
