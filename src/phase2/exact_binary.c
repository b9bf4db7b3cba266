/* Solves the dual for two classes and two groups by sorting. The dual then has only one variable.
 *
 * p_ik is the score of record i for class k, θ_gk the offset of group g for class k, π_g the share
 * of group g among the N records, n_g the number of records of group g, and ρ the tolerance on
 * unfairness. The rule depends only on t_g = θ_g1 − θ_g0. The constraint on the offsets makes π_0
 * t_0 = −π_1 t_1. With u = π_0 t_0 and d_i = p_i1 − p_i0, the dual is
 *     f(u) = (1/N) Σ_i p_i0 + Σ_{i in 0} max(0, d_i − u/π_0)/N + Σ_{i in 1} max(0, d_i + u/π_1)/N
 *            + ρ|u|.
 *
 * The dual is convex, and linear between the breakpoints π_0 d_i, −π_1 d_i and 0. Without the
 * penalty ρ|u|, its slope starts at −1 and grows by 1/n_g at every breakpoint of group g. If this
 * slope passes −ρ at a point above 0, the minimum is at this point. If this slope passes ρ at a
 * point below 0, the minimum is at this point. Otherwise the minimum is at 0.
 *
 * A record is tied between the two classes if its breakpoint equals the minimum u. A randomised
 * rule gives class 1 to the fraction 1 − mix of the tied records of group 0, and to the fraction
 * mix of the tied records of group 1. The larger mix is, the smaller is the rate of class 1 in
 * group 0 minus the rate in group 1. If u > 0, some mix makes this difference equal to ρ; if u < 0,
 * equal to −ρ. With this mix, primal and dual have the same value. */
#include "phase2/exact.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "decide/model.h"

enum {
    GROUPS = 2,
    DIGITS = 256, /* values of one byte */
    STEPS = 2     /* number of progress reports: one after sorting and one after solving */
};

/* Without the penalty, every slope of the dual is i/n_0 + j/n_1 − 1 with whole numbers i and j,
 * where n_g is the size of group g. Differences below slope_noise are rounding errors. */
static const double slope_noise = 1e-12;

typedef struct group {
    const float *zero, *one; /* scores of the two classes */
    size_t size;
    double scale; /* the breakpoint of a record is scale times its score difference d */
    double *at;
    double *scratch;  /* one number per breakpoint */
    double shift;     /* offset of class 1 minus offset of class 0 */
    float offsets[2]; /* offsets rounded to float, as predict uses them */
    double best; /* Σ_i max(p_i0, p_i1 − t), where p_ik is the score of record i for class k and t
                    is `shift` */
    double accuracy;  /* sum of the chosen scores if ties get class 0 */
    double tied_gain; /* sum over the tied records of the score of class 1 minus that of class 0 */
    size_t ones, tied;
    double rule_accuracy; /* sum of the scores that the rule chooses in float32 */
    size_t rule_ones;
} group;

typedef struct solver {
    group groups[GROUPS];
    double minimum; /* the variable u that minimises the dual */
} solver;

static double gain(const group *g, size_t i) {
    return (double)g->one[i] - (double)g->zero[i];
}

/* Returns an integer key for x. The keys sort in the same order as the numbers. */
static uint64_t key_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

/* Sorts by one byte, which is one pass of a radix sort. Returns 0 and moves nothing if this byte is
 * the same in all keys. */
static int sort_by_byte(const double *from, double *to, size_t n, unsigned shift) {
    size_t place[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        place[key_of(from[i]) >> shift & (DIGITS - 1)]++;
    }
    if (n > 0 && place[key_of(from[0]) >> shift & (DIGITS - 1)] == n) {
        return 0;
    }
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t count = place[digit];
        place[digit] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++) {
        to[place[key_of(from[i]) >> shift & (DIGITS - 1)]++] = from[i];
    }
    return 1;
}

static void sort_group(void *context, size_t index) {
    group *g = &((solver *)context)->groups[index];
    for (size_t i = 0; i < g->size; i++) {
        g->at[i] = g->scale * gain(g, i);
    }
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (sort_by_byte(g->at, g->scratch, g->size, shift)) {
            double *sorted = g->scratch;
            g->scratch = g->at;
            g->at = sorted;
        }
    }
}

/* Finds where the slope of the dual, without its penalty ρ|u|, reaches `level`. If the slope equals
 * `level` on an interval, sets *from and *to to the ends of this interval. Otherwise sets *from and
 * *to to the breakpoint where the slope jumps past `level`. */
static void crossing(const solver *s, double level, double *from, double *to) {
    const group *a = &s->groups[0], *b = &s->groups[1];
    size_t i = 0, j = 0;
    double here = -INFINITY, slope = -1.0;
    while (slope < level - slope_noise) {
        here = j == b->size || (i < a->size && a->at[i] <= b->at[j]) ? a->at[i] : b->at[j];
        while (i < a->size && a->at[i] == here) {
            i++;
        }
        while (j < b->size && b->at[j] == here) {
            j++;
        }
        slope = (double)i / (double)a->size + (double)j / (double)b->size - 1.0;
    }
    double next = i < a->size ? a->at[i] : INFINITY;
    next = j < b->size && b->at[j] < next ? b->at[j] : next;
    *from = here;
    *to = slope <= level + slope_noise ? next : here;
}

/* Returns the u that minimises the dual. If there are several such u and 0 is one of them, returns
 * 0, because with u = 0 the rule changes no decision. */
static double minimum(const solver *s, double rho) {
    double from, to;
    crossing(s, -rho, &from, &to);
    if (from > 0.0) {
        return 0.5 * (from + to);
    }
    crossing(s, rho, &from, &to);
    return to < 0.0 ? 0.5 * (from + to) : 0.0;
}

static void sum_group(void *context, size_t index) {
    const solver *s = context;
    group *g = &((solver *)context)->groups[index];
    for (size_t i = 0; i < g->size; i++) {
        double zero = (double)g->zero[i], one = (double)g->one[i], at = g->scale * (one - zero);
        int is_one = g->scale > 0.0 ? at > s->minimum : at < s->minimum;
        int rule_is_one = g->one[i] - g->offsets[1] > g->zero[i] - g->offsets[0];
        g->best += one - g->shift > zero ? one - g->shift : zero;
        g->accuracy += is_one ? one : zero;
        g->ones += (size_t)is_one;
        if (at == s->minimum) {
            g->tied++;
            g->tied_gain += one - zero;
        }
        g->rule_accuracy += rule_is_one ? one : zero;
        g->rule_ones += (size_t)rule_is_one;
    }
}

static double part(size_t count, const group *g) {
    return g->size > 0 ? (double)count / (double)g->size : 0.0;
}

/* Returns the accuracy of the randomised rule, summed over the records. The rule gives class 1 to
 * the fraction `mix` of the tied records of group 1, and to the fraction 1 − mix of the tied
 * records of group 0.
 *
 * Rounding may make the two groups' rates of class 1 differ by more than ρ. In this case, the
 * function subtracts an upper bound on the accuracy that is lost by making the difference equal to
 * ρ: 1 for each record whose class must change. */
static double primal_sum(const solver *s, double rho) {
    const group *a = &s->groups[0], *b = &s->groups[1];
    double high = part(a->ones + a->tied, a) - part(b->ones, b);
    double low = part(a->ones, a) - part(b->ones + b->tied, b);
    double wanted = s->minimum > 0.0 ? rho : s->minimum < 0.0 ? -rho : 0.5 * (high + low);
    wanted = wanted > rho ? rho : wanted < -rho ? -rho : wanted;
    double mix = high > low ? (high - wanted) / (high - low) : 0.0;
    mix = mix < 0.0 ? 0.0 : mix > 1.0 ? 1.0 : mix;
    double above = fabs(high - mix * (high - low)) - rho;
    int binding = a->size > 0 && b->size > 0 && above > 0.0;
    return a->accuracy + (1.0 - mix) * a->tied_gain + b->accuracy + mix * b->tied_gain -
           (binding ? above * (double)(a->size + b->size) : 0.0);
}

static void describe(const solver *s, double rho, dp2dp_optimality *proof) {
    const group *a = &s->groups[0], *b = &s->groups[1];
    double records = (double)(a->size + b->size);
    int both = a->size > 0 && b->size > 0;
    proof->dual = (a->best + b->best) / records + rho * fabs(s->minimum);
    proof->primal = primal_sum(s, rho) / records;
    proof->rule = (a->rule_accuracy + b->rule_accuracy) / records;
    proof->unfairness = both ? fabs(part(a->rule_ones, a) - part(b->rule_ones, b)) : 0.0;
}

/* Chooses u and the offsets. Beyond the last breakpoint of a small group, a larger u changes no
 * decision, so the minima of the dual may form a long interval. This function clamps u, which keeps
 * |t_g| at most 4. The clamped u is still a minimum: where the interval of minima begins, |t_g| is
 * at most 1 (at most 2 with the widest dither), so the clamp does not cut off the whole interval.
 */
static void place_offsets(solver *s, const double *shares, double rho, double *offsets) {
    double share_min = shares[0] < shares[1] ? shares[0] : shares[1], bound = 4.0 * share_min;
    s->minimum = share_min > 0.0 ? minimum(s, rho) : 0.0;
    s->minimum = fmax(-bound, fmin(bound, s->minimum));
    for (size_t e = 0; e < GROUPS; e++) {
        group *g = &s->groups[e];
        g->shift = share_min > 0.0 ? s->minimum / g->scale : 0.0;
        for (int k = 0; k < 2; k++) {
            g->offsets[k] = (float)((k ? 0.5 : -0.5) * g->shift);
            offsets[2 * e + (size_t)k] = (double)g->offsets[k];
        }
    }
}

dp2dp_status dp2dpi_exact_binary(const dp2dp_pool *pool, const dp2dp_fit_options *options,
                                 const double *shares, double *offsets, dp2dp_optimality *proof,
                                 dp2dp_error *error) {
    dp2dp_status status = DP2DP_STATUS_OK;
    double *numbers;
    solver s = {.minimum = 0.0};
    DP2DPI_TRY(DP2DPI_ALLOC(numbers, 2 * pool->records, "sorting", error));
    for (size_t e = 0; e < GROUPS; e++) {
        size_t begin = pool->begin[e], size = pool->begin[e + 1] - begin;
        const float *values = pool->values + 2 * begin;
        s.groups[e] = (group) {.zero = values,
                               .one = values + size,
                               .size = size,
                               .scale = e == 0 ? shares[0] : -shares[1],
                               .at = numbers + 2 * begin,
                               .scratch = numbers + 2 * begin + size};
    }
    dp2dpi_parallel(GROUPS, pool->threads, sort_group, &s);
    DP2DPI_TRY_OR_DONE(dp2dpi_fit_progress(options, 1, STEPS, error));
    place_offsets(&s, shares, options->rho, offsets);
    dp2dpi_parallel(GROUPS, pool->threads, sum_group, &s);
    describe(&s, options->rho, proof);
    DP2DPI_TRY_OR_DONE(dp2dpi_fit_progress(options, STEPS, STEPS, error));
done:
    dp2dpi_wipe_and_free(numbers, 2 * pool->records * sizeof(double));
    return status;
}
