/* The privacy loss of one release: a pair of distributions (P, Q) that dominates the release, and
 * the loss L = log dP/dQ under P. P-mass is probability under P.
 *
 * All kinds but WITH_REPLACEMENT and DECLARED are mixtures of unit-variance normals on a line on
 * which L is increasing; x below is measured in standard deviations of the noise. z = σ/C is the
 * noise multiplier, C the largest norm of one record. docs/proofs/ shows for each kind that the
 * pair dominates. */
#ifndef DP2DPI_ACCOUNTANT_LOSS_H
#define DP2DPI_ACCOUNTANT_LOSS_H

#include <stdint.h>

#include "base/error.h"

typedef enum dp2dpi_loss_kind {
    DP2DPI_LOSS_GAUSSIAN,            /* N(+μ/2) vs N(−μ/2) */
    DP2DPI_LOSS_POISSON_REPLACE,     /* (1−q)N(0)+qN(s) vs (1−q)N(0)+qN(−s), s = 1/z */
    DP2DPI_LOSS_POISSON_REMOVE,      /* (1−q)N(0)+qN(s) vs N(0) */
    DP2DPI_LOSS_POISSON_ADD,         /* N(0) vs (1−q)N(0)+qN(−s) */
    DP2DPI_LOSS_WITHOUT_REPLACEMENT, /* symmetrised privacy curve δ(ε), μ = 2/z */
    DP2DPI_LOSS_WITH_REPLACEMENT, /* symmetrised privacy curve δ(ε); every draw of the record adds μ
                                     = 2/z; b draws, each of the record with probability p */
    DP2DPI_LOSS_DECLARED          /* the extreme pair of a declared (ε, δ) */
} dp2dpi_loss_kind;

typedef struct dp2dpi_loss {
    dp2dpi_loss_kind kind;
    double shift;   /* μ or s, see above */
    double q;       /* sampling rate; with-replacement: probability p that one draw is the record */
    double draws;   /* with-replacement: b */
    double epsilon; /* declared: ε and δ of the guarantee */
    double delta;
    double count; /* T, the number of releases */
} dp2dpi_loss;

/* P and P − Q as weights on at most three normals: P = Σ upper[c] N(mean[c]), P − Q = Σ
 * difference[c] N(mean[c]). For without-replacement this describes L > 0 only; the rest of P is the
 * mirror image and a point mass at L = 0. */
typedef struct dp2dpi_mixture {
    int n;
    double mean[3];
    double upper[3];
    double difference[3];
} dp2dpi_mixture;

dp2dpi_mixture dp2dpi_loss_mixture(const dp2dpi_loss *loss);
/* Return L at x, and the x at which L takes a value (±INFINITY for a value outside the range of L).
 * Without-replacement: x ≥ 0 and L ≥ 0. */
double dp2dpi_loss_at(const dp2dpi_loss *loss, double x);
double dp2dpi_loss_inverse(const dp2dpi_loss *loss, double value);

/* Returns the exact δ(ε) of ONE release, rounded up; ε ≥ 0. All kinds. */
double dp2dpi_loss_delta(const dp2dpi_loss *loss, double epsilon);
/* Returns the smallest ε ≥ 0 at which one release has δ(ε) ≤ delta; INFINITY if there is none. */
double dp2dpi_loss_epsilon(const dp2dpi_loss *loss, double delta);

/* With-replacement: how often one record is drawn. weight[k] is the probability Bin(b, p) of k
 * draws for k = 0..last; beyond is Pr[k > last]. */
enum {
    DP2DPI_MULTIPLICITY_MAX = 512
};
typedef struct dp2dpi_multiplicity {
    int last;
    double weight[DP2DPI_MULTIPLICITY_MAX + 1];
    double beyond;
} dp2dpi_multiplicity;

/* Fills in k = 0, 1, … until Pr[k > last] ≤ beyond_limit, or the table is full. */
void dp2dpi_multiplicity_fill(const dp2dpi_loss *loss, double beyond_limit,
                              dp2dpi_multiplicity *multiplicity);
/* Returns an upper bound on δ(ε) of one with-replacement release, ε ≥ 0, with Pr[k > last] added:
 * the smaller of the simple and the tight bound of docs/proofs/fixed-size.md. */
double dp2dpi_multiplicity_delta(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                                 double epsilon);

#endif
