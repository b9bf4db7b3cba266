#include "accountant/pld_pmf.h"

#include <math.h>

#include "base/alloc.h"
#include "num/elementary.h"
#include "num/normal.h"

static const int64_t index_max = (int64_t)1 << 52;

/* Returns the largest power of two that is at most magnitude/resolution; at least 1. */
static int64_t edge_spacing(int64_t magnitude, int64_t resolution) {
    int64_t spacing = 1;
    while (magnitude / spacing >= 2 * resolution) {
        spacing *= 2;
    }
    return spacing;
}

static int64_t next_edge(int64_t i, int64_t resolution) {
    /* Uses the spacing of the cell above edge i. If i is negative, that cell is nearer to 0 than i
     * is: it contains i + 1, whose magnitude is −i − 1. */
    int64_t spacing = edge_spacing(i >= 0 ? i : -i - 1, resolution);
    int64_t floored = i / spacing * spacing;
    if (floored > i) {
        floored -= spacing;
    }
    return floored + spacing;
}

static dp2dp_status reserve(dp2dpi_pld_pmf *pmf, int64_t low, int64_t high, const dp2dpi_grid *grid,
                            dp2dp_error *error) {
    size_t n = 1;
    int64_t centre = grid->centre;
    for (int64_t i = low - centre; i < high - centre; i = next_edge(i, grid->resolution)) {
        n++;
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    *pmf = (dp2dpi_pld_pmf) {.n = n, .step = grid->step};
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(pmf->index, n, "a loss distribution", error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(pmf->mass, n, "a loss distribution", error));
    size_t k = 0;
    for (int64_t i = low - centre; k < n; i = next_edge(i, grid->resolution)) {
        pmf->index[k++] = i + centre < high ? i + centre : high;
    }
    return DP2DP_STATUS_OK;
done:
    dp2dpi_pld_pmf_free(pmf);
    return status;
}

/* Moves the mass of the interval between the grid points k and k+1 to these two points. The mass
 * stays p under P and p − d under Q (docs/proofs/pld.md, section 1). `rounding` bounds the error of
 * the numerator in the formula for the mass that goes to k+1. */
static void split(dp2dpi_pld_pmf *pmf, size_t k, double p, double d, double rounding) {
    double loss = (double)pmf->index[k] * pmf->step;
    double width = (double)(pmf->index[k + 1] - pmf->index[k]) * pmf->step;
    double up = p;
    if (loss < 500.0) {
        double factor = dp2dpi_expm1(loss);
        up = (d - (p - d) * factor + rounding) / -dp2dpi_expm1(-width);
        up = up < 0.0 ? 0.0 : up > p ? p : up;
    }
    pmf->mass[k] += p - up;
    pmf->mass[k + 1] += up;
}

/* Returns the smaller of the two normal tails at x, Φ(−|x|), which has a small relative error. */
static double near_tail(double x) {
    return dp2dpi_normal_upper(fabs(x));
}

static double interval_mass(double a, double tail_a, double b, double tail_b) {
    if (a >= 0.0) {
        return tail_a - tail_b;
    }
    return b <= 0.0 ? tail_b - tail_a : 1.0 - tail_a - tail_b;
}

typedef struct edge {
    double x;
    double tail[3];
} edge;

static edge edge_at(const dp2dpi_loss *loss, const dp2dpi_mixture *mix, double value) {
    edge e = {.x = dp2dpi_loss_inverse(loss, value)};
    for (int c = 0; c < mix->n; c++) {
        e.tail[c] = near_tail(e.x - mix->mean[c]);
    }
    return e;
}

/* One interval of losses: its mass p under P, the difference d between its masses under P and Q,
 * and a bound on the rounding error that `split` makes with p and d. */
typedef struct interval {
    double p, d, rounding;
} interval;

static interval interval_between(const dp2dpi_mixture *mix, const edge *a, const edge *b,
                                 double loss, double shift) {
    interval out = {0};
    double factor = loss < 500.0 ? fabs(dp2dpi_expm1(loss)) : 0.0;
    for (int c = 0; c < mix->n; c++) {
        double mass =
            interval_mass(a->x - mix->mean[c], a->tail[c], b->x - mix->mean[c], b->tail[c]);
        double scale = a->tail[c] > b->tail[c] ? a->tail[c] : b->tail[c];
        mass = mass < 0.0 ? 0.0 : mass;
        out.p += mix->upper[c] * mass;
        out.d += mix->difference[c] * mass;
        out.rounding += scale * (fabs(mix->difference[c]) + mix->upper[c] * factor);
    }
    double condition = isfinite(a->x) ? fabs(a->x) * shift : 0.0;
    out.rounding = 8.0 * DP2DPI_ULP * (out.rounding + out.p * fabs(loss) * (1.0 + condition));
    return out;
}

static double upper_tail(const dp2dpi_mixture *mix, double x) {
    double sum = 0.0;
    for (int c = 0; c < mix->n; c++) {
        sum += mix->upper[c] * dp2dpi_normal_upper(x - mix->mean[c]);
    }
    return sum * (1.0 + 1e-13);
}

/* Puts the rest of P's mass at point k, whose loss is 0. `total` is the mass placed so far; its
 * rounding error is at most one ulp per point. This error is added to the rest, because too much
 * mass is safe, but too little is not. */
static void put_rest(dp2dpi_pld_pmf *pmf, size_t k, double total) {
    double rest = 1.0 - total - pmf->infinity + DP2DPI_ULP * (double)pmf->n * total;
    pmf->mass[k] += rest > 0.0 ? rest : 0.0;
}

static dp2dp_status mixture_pmf(const dp2dpi_loss *loss, const dp2dpi_grid *grid,
                                dp2dpi_pld_pmf *out, dp2dp_error *error) {
    double step = grid->step;
    dp2dpi_mixture mix = dp2dpi_loss_mixture(loss);
    int mirrored = loss->kind == DP2DPI_LOSS_WITHOUT_REPLACEMENT;
    double x_max = mix.mean[mix.n - 1] + dp2dpi_normal_upper_quantile(grid->upper_limit);
    double x_min = (mix.upper[0] > 0.0 ? mix.mean[0] : mix.mean[1]) -
                   dp2dpi_normal_upper_quantile(grid->lower_limit);
    double high_loss = dp2dpi_loss_at(loss, x_max);
    double low_loss = mirrored ? -high_loss : dp2dpi_loss_at(loss, x_min);
    if (!(fabs(high_loss) < (double)index_max * step) ||
        !(fabs(low_loss) < (double)index_max * step)) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "the noise is too small: the privacy loss of one release is too large "
                           "for the accountant pld");
    }
    int64_t low = (int64_t)floor(low_loss / step), high = (int64_t)ceil(high_loss / step);
    high = high > low ? high : low + 1;
    if (mirrored) { /* 0 must be a grid point, and negative grid points must mirror positive ones */
        high = high > 0 ? high : 1;
        low = -high;
    }
    DP2DPI_TRY(reserve(out, low, high, grid, error));
    size_t first = 0;
    while (mirrored && out->index[first] < 0) {
        first++;
    }
    edge a = edge_at(loss, &mix, (double)out->index[first] * step);
    if (!mirrored) {
        for (int c = 0; c < mix.n;
             c++) { /* all mass below the lowest grid point is moved to the lowest grid point */
            out->mass[0] += mix.upper[c] * dp2dpi_normal_upper(mix.mean[c] - a.x);
        }
    }
    double above = 0.0, above_lower = 0.0;
    for (size_t k = first; k + 1 < out->n; k++) {
        edge b = edge_at(loss, &mix, (double)out->index[k + 1] * step);
        interval in = interval_between(&mix, &a, &b, (double)out->index[k] * step, loss->shift);
        split(out, k, in.p, in.d, in.rounding);
        if (mirrored) { /* P has the same mass at the mirrored loss as Q has at this loss */
            size_t mirror = out->n - 2 - k;
            double mirror_loss = (double)out->index[mirror] * step;
            split(out, mirror, in.p - in.d, -in.d,
                  in.rounding + 8.0 * DP2DPI_ULP * in.p * fabs(mirror_loss));
            above += in.p;
            above_lower += in.p - in.d;
        }
        a = b;
    }
    out->infinity = upper_tail(&mix, a.x);
    if (mirrored) {
        put_rest(out, first, above + above_lower);
    }
    return DP2DP_STATUS_OK;
}

/* Makes the pmf of a declared (ε, δ) guarantee: its point masses at ±ε are each split between two
 * grid points. */
static dp2dp_status declared_pmf(const dp2dpi_loss *loss, const dp2dpi_grid *grid,
                                 dp2dpi_pld_pmf *out, dp2dp_error *error) {
    double step = grid->step;
    if (!(loss->epsilon < (double)index_max * step)) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "the declared epsilon is too large for the accountant 'pld'");
    }
    int64_t high = (int64_t)floor(loss->epsilon / step) + 1;
    DP2DPI_TRY(reserve(out, -high, high, grid, error));
    double share = (1.0 - loss->delta) / (1.0 + dp2dpi_exp(-loss->epsilon));
    double other = share * dp2dpi_exp(-loss->epsilon);
    size_t up = out->n - 2, down = 0;
    while (down + 2 < out->n && (double)out->index[down + 1] * step <= -loss->epsilon) {
        down++;
    }
    /* `split` computes the mass of Q as p − d, with an error of an ulp of p, and multiplies
     * this mass by e^loss. */
    double rounding =
        16.0 * DP2DPI_ULP *
        (loss->epsilon + share * (1.0 + (loss->epsilon < 500.0 ? dp2dpi_exp(loss->epsilon) : 0.0)));
    split(out, up, share, share - other, rounding);
    split(out, down, other, other - share, rounding);
    out->infinity = loss->delta;
    return DP2DP_STATUS_OK;
}

/* Sets keep[k] to 1 for the points on the lower convex hull of (alpha[k], delta[k]), by Andrew's
 * monotone chain. delta[k] is an upper bound on δ at e^ε = alpha[k], ε ≥ 0. δ is convex in e^ε, so
 * the hull is still an upper bound on δ, and the hull is a valid privacy curve. */
static void convex_hull(size_t n, const double *alpha, const double *delta, unsigned char *keep,
                        size_t *stack) {
    size_t top = 0;
    for (size_t k = 0; k < n; k++) {
        while (top >= 2) {
            size_t i = stack[top - 2], j = stack[top - 1];
            double left = (delta[j] - delta[i]) * (alpha[k] - alpha[j]);
            double right = (delta[k] - delta[j]) * (alpha[j] - alpha[i]);
            if (left < right) {
                break;
            }
            top--;
        }
        stack[top++] = k;
    }
    for (size_t k = 0; k < top; k++) {
        keep[stack[k]] = 1;
    }
}

/* Sets the masses from the hull, along which δ is a piecewise linear function of α = e^ε. The mass
 * of Q at a hull point is the change of the slope of δ at this point. The mass of P is α times the
 * mass of Q. The rounding errors of the slopes are added to the masses, so rounding can only move
 * mass away from loss 0. */
static void masses_from_hull(dp2dpi_pld_pmf *out, size_t zero, const double *alpha,
                             const double *delta, const unsigned char *keep) {
    size_t n = out->n - zero;
    double total = 0.0, slope_before = 0.0, error_before = 0.0;
    for (size_t k = 0, after; k < n; k = after) {
        double slope = 0.0, error = 0.0;
        for (after = k + 1; after < n && !keep[after]; after++) {
        }
        if (after < n) {
            double gap = (double)(out->index[zero + after] - out->index[zero + k]) * out->step;
            double width = alpha[k] * dp2dpi_expm1(gap);
            slope = (delta[after] - delta[k]) / width;
            error = 4.0 * DP2DPI_ULP * (fabs(slope) + delta[k] / width);
        }
        if (k > 0) {
            double lower = slope - slope_before + error + error_before;
            lower = lower > 0.0 ? lower : 0.0;
            out->mass[zero + k] += alpha[k] * lower;
            out->mass[zero - k] += lower;
            total += alpha[k] * lower + lower;
        }
        slope_before = slope;
        error_before = error;
    }
    out->infinity = delta[n - 1];
    put_rest(out, zero, total);
}

/* Returns an ε at which one release has δ(ε) ≤ limit. This ε is at most 10 % above the smallest
 * such ε. If no such ε is below 650, returns 650 or more. */
static double curve_end(const dp2dpi_loss *loss, const dp2dpi_multiplicity *multiplicity,
                        double limit) {
    double epsilon = 1.0;
    while (dp2dpi_multiplicity_delta(loss, multiplicity, epsilon) <= limit && epsilon > 1e-12) {
        epsilon *= 0.5;
    }
    while (dp2dpi_multiplicity_delta(loss, multiplicity, epsilon) > limit && epsilon < 650.0) {
        epsilon *= 1.1;
    }
    return epsilon;
}

static dp2dp_status curve_pmf(const dp2dpi_loss *loss, const dp2dpi_grid *grid, dp2dpi_pld_pmf *out,
                              dp2dp_error *error) {
    dp2dpi_multiplicity multiplicity;
    double step = grid->step;
    dp2dpi_multiplicity_fill(loss, 0.5 * grid->upper_limit, &multiplicity);
    double loss_max = multiplicity.beyond > 0.5 * grid->upper_limit
                          ? INFINITY
                          : curve_end(loss, &multiplicity, grid->upper_limit);
    if (loss_max >= 650.0 || !(loss_max < (double)index_max * step)) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_NO_BOUND,
            "the noise is too small, or each release has too many draws: the privacy loss of one "
            "release sampled with replacement is too large for the accountant");
    }
    int64_t high = (int64_t)ceil(loss_max / step);
    DP2DPI_TRY(reserve(out, -high, high, grid, error));
    static const char what[] = "a privacy curve";
    dp2dp_status status = DP2DP_STATUS_OK;
    size_t zero = out->n / 2, n = out->n - zero;
    double *alpha = NULL;
    size_t *stack = NULL;
    unsigned char *keep = NULL;
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(alpha, 2 * n, what, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(stack, n, what, error));
    DP2DPI_TRY_OR_DONE(DP2DPI_ALLOC(keep, n, what, error));
    double *delta = alpha + n;
    for (size_t k = 0; k < n; k++) {
        double epsilon = (double)out->index[zero + k] * step;
        alpha[k] = dp2dpi_exp(epsilon);
        delta[k] = dp2dpi_multiplicity_delta(loss, &multiplicity, epsilon) * (1.0 + 1e-14);
    }
    convex_hull(n, alpha, delta, keep, stack);
    masses_from_hull(out, zero, alpha, delta, keep);
done:
    if (status != DP2DP_STATUS_OK) {
        dp2dpi_pld_pmf_free(out);
    }
    dp2dpi_free(alpha);
    dp2dpi_free(stack);
    dp2dpi_free(keep);
    return status;
}

dp2dp_status dp2dpi_pld_pmf_new(const dp2dpi_loss *loss, const dp2dpi_grid *grid,
                                dp2dpi_pld_pmf *out, dp2dp_error *error) {
    *out = (dp2dpi_pld_pmf) {0};
    switch (loss->kind) {
    case DP2DPI_LOSS_WITH_REPLACEMENT:
        return curve_pmf(loss, grid, out, error);
    case DP2DPI_LOSS_DECLARED:
        return declared_pmf(loss, grid, out, error);
    default:
        return mixture_pmf(loss, grid, out, error);
    }
}

void dp2dpi_pld_pmf_free(dp2dpi_pld_pmf *pmf) {
    dp2dpi_free(pmf->index);
    dp2dpi_free(pmf->mass);
    *pmf = (dp2dpi_pld_pmf) {0};
}

double dp2dpi_pld_pmf_cgf(const dp2dpi_pld_pmf *pmf, double lambda) {
    double scale = lambda * pmf->step;
    double low = (double)pmf->index[0] * scale, high = (double)pmf->index[pmf->n - 1] * scale;
    double top = low > high ? low : high;
    double sum = 0.0;
    for (size_t k = 0; k < pmf->n; k++) {
        sum += pmf->mass[k] * dp2dpi_exp_fast((double)pmf->index[k] * scale - top);
    }
    return top + dp2dpi_log(sum);
}
