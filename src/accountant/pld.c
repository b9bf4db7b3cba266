/* The PLD (privacy-loss distribution) back-end: discretises, tilts and convolves losses by FFT,
 * removes the tilt and reads off δ(ε) (docs/proofs/pld.md).
 *
 * The loss distribution of every release is tilted by e^{λL} before the convolution and untilted
 * afterwards. λ is chosen so that the centre of the tilted sum is near the ε in question. Round-off
 * is then small relative to δ, and a window of losses a few standard deviations wide is enough. No
 * mass is negative, so mass that the cyclic convolution moves into the window from outside can only
 * raise δ(ε). The result includes a Chernoff bound on the mass above the window, and a bound on the
 * round-off of the transform. */
#include <math.h>
#include <stdint.h>

#include "accountant/cgf.h"
#include "accountant/compose.h"
#include "accountant/convolve.h"
#include "accountant/pld_pmf.h"
#include "base/alloc.h"
#include "num/elementary.h"

static const double step_max = 1e-3;
static const double accuracy = 1e-4; /* relative error of ε that the grid may cause */
static const double outside =
    1e-6; /* mass allowed outside the window, relative to δ (both tilted by e^{λL}) */
static const double noise_floor =
    1.5e-14; /* round-off that a convolution is expected to make for each release */
static const double error_allowed = 1e-5; /* allowed round-off of a convolution, relative to δ */
static const double length_min = 1024;
static const double length_max = 0x1p22;

static const double order_max = 1e12;

/* Returns how much probability the discretisation may move to infinite losses, summed over all
 * releases. */
static double upper_limit(double delta) {
    return outside * delta > 1e-280 ? outside * delta : 1e-280;
}

/* Where the answer is expected: the point (ε, δ) and the slope −d log δ/dε at this point. */
typedef struct target {
    double epsilon, log_delta, slope;
} target;

typedef struct plan {
    double lambda;
    double lambda_top; /* order of the Chernoff bound on the mass above the window */
    double bottom, top;
    double step;
    size_t n;
    int64_t first; /* index of the lowest loss in the window */
} plan;

/* The privacy curve of the composition at the grid losses of the window, tilted by λ. At the grid
 * loss ℓ_j = (first + j) step, δ is e^{k − λ ℓ_j} d_j + charge. The array d holds d_j at index
 * (first + j) modulo n, where the transform has put d_j. */
typedef struct profile {
    plan p;
    double k; /* cumulant generating function of the composition at λ */
    double *d;
    double charge; /* bound on the probability of losses above the window, infinite ones included */
} profile;

static size_t place_of(const plan *p, size_t j) {
    return (size_t)(p->first + (int64_t)j) & (p->n - 1);
}

/* Context of top_objective and bottom_objective: the tilt λ, the cumulant generating function at λ,
 * and the logarithm of the mass allowed outside the window. */
typedef struct tilt_bound {
    double lambda, k, log_outside;
} tilt_bound;

/* Returns the upper end of the window: the point above which the tilted mass is at most
 * e^log_outside, by the Chernoff bound of order λ₂. */
static double top_objective(const dp2dpi_cgf *cgf, double lambda2, const void *context) {
    const tilt_bound *b = context;
    return (dp2dpi_cgf_at(cgf, lambda2) - b->k - b->log_outside) / (lambda2 - b->lambda);
}

/* Returns an x for which the tilted mass below −x is at most e^log_outside, by the Chernoff bound
 * of order λ − y. */
static double bottom_objective(const dp2dpi_cgf *cgf, double y, const void *context) {
    const tilt_bound *b = context;
    return (dp2dpi_cgf_at(cgf, b->lambda - y) - b->k - b->log_outside) / y;
}

/* Returns a grid step h that is fine enough for the allowed error of ε, `accuracy`. Discretising
 * moves the mass of a bin of width h to the two ends of the bin. This adds V to the variance of the
 * loss and V/2 to the mean of the loss. V is at most h²/6 on average, or h E|L| if the loss is much
 * narrower than h. A privacy curve of slope s = −d log δ/dε is shifted by V (s + 1)/2 if s h is
 * small. */
static double choose_step(const dp2dpi_cgf *cgf, double lambda, const target *t) {
    double releases = 0.0, magnitude = 0.0, total = 0.0;
    for (size_t i = 0; i < cgf->n; i++) {
        double count = cgf->nodes[i].loss.count;
        dp2dpi_cumulants one = dp2dpi_nodes_cumulants(&cgf->nodes[i], lambda);
        releases += count;
        magnitude += count * one.magnitude;
        total += count * one.variance;
    }
    double shift = t->epsilon > 1.0 / t->slope ? t->epsilon : 1.0 / t->slope;
    double variance = 2.0 * accuracy * shift / (t->slope + 1.0);
    variance = variance < 4.0 * accuracy * total ? variance : 4.0 * accuracy * total;
    double wide = sqrt(6.0 * variance / releases), narrow = variance / magnitude;
    double step = wide > narrow ? wide : narrow, limit = 0.25 / (t->slope + 1.0);
    step = step < limit ? step : limit;
    limit = t->epsilon > 100.0 ? step_max * t->epsilon / 100.0 : step_max;
    return step < limit ? step : limit;
}

/* Plans the window for one tilt λ, so that the tilted mass outside the window is small compared
 * with the tilted δ. */
static plan plan_at(const dp2dpi_cgf *cgf, double lambda, const target *t) {
    plan p = {.lambda = lambda};
    dp2dpi_cumulants tilted = dp2dpi_cgf_cumulants(cgf, lambda);
    tilt_bound bound = {lambda, tilted.k, 0.0};
    double log_d = t->log_delta + lambda * t->epsilon - bound.k;
    bound.log_outside = dp2dpi_log(outside) + (log_d < 0.0 ? log_d : 0.0);
    /* For tails of a few standard deviations, the best orders of the Chernoff bound differ from λ
     * by a few inverse standard deviations. */
    double y_max = lambda + 1.0, deviation = sqrt(tilted.variance > 0.0 ? tilted.variance : 0.0);
    double scale = deviation * y_max > 0.01 ? 1.0 / deviation : 100.0 * y_max;
    double y_min = 0.01 * scale < 0.1 * y_max ? 0.01 * scale : 0.1 * y_max;
    dp2dpi_range up = {lambda, 0.01 * scale, 1e4 * scale, 1e-2}, down = {0.0, y_min, y_max, 1e-2};
    p.lambda_top = dp2dpi_cgf_minimise(cgf, up, top_objective, &bound);
    p.top = top_objective(cgf, p.lambda_top, &bound);
    p.bottom =
        -bottom_objective(cgf, dp2dpi_cgf_minimise(cgf, down, bottom_objective, &bound), &bound);
    p.step = choose_step(cgf, lambda, t);
    return p;
}

/* Returns the expected round-off relative to the tilted δ. In a convolution of T releases, every
 * mass has an error of about T noise_floor times the mean modulus of the spectrum. This modulus is
 * the larger of two numbers: one step divided by the standard deviation of the tilted loss, and the
 * mass at loss 0 after all releases. δ is a sum of the masses above ε, with weights that fall like
 * e^{−λL}. */
static double expected_error(const dp2dpi_cgf *cgf, const plan *p, const target *t) {
    dp2dpi_cumulants tilted = dp2dpi_cgf_cumulants(cgf, p->lambda);
    double releases = 10.0, log_at_zero = 0.0;
    for (size_t i = 0; i < cgf->n; i++) {
        const dp2dpi_nodes *nodes = &cgf->nodes[i];
        double log_zero = -INFINITY;
        for (size_t k = 0; k < nodes->n; k++) {
            log_zero = nodes->value[k] == 0.0 ? nodes->log_weight[k] : log_zero;
        }
        releases += nodes->loss.count;
        log_at_zero += nodes->loss.count * (log_zero - dp2dpi_nodes_cgf(nodes, p->lambda));
    }
    double above = p->top - t->epsilon, fade = 1.0 / p->lambda;
    double masses = (above < fade ? above : fade) / p->step;
    double bump = p->step / sqrt(tilted.variance + p->step * p->step);
    double modulus = dp2dpi_exp(log_at_zero) > bump ? dp2dpi_exp(log_at_zero) : bump;
    double log_d = t->log_delta + p->lambda * t->epsilon - tilted.k;
    return noise_floor * releases * masses * modulus / dp2dpi_exp(log_d);
}

/* Rounds x up to twelve significant bits. A step with so few bits makes index × step exact. */
static double short_mantissa(double x) {
    int exponent;
    double mantissa = frexp(x, &exponent);
    return ldexp(ceil(mantissa * 4096.0) / 4096.0, exponent);
}

/* Chooses the tilt and the window. The λ of the best Rényi bound would centre the window on the
 * answer. But if a release has a very large loss with a small probability, a tilt by this λ makes
 * the large loss likely, and the window must be wide. So this function tries smaller values of λ as
 * long as they make the transform shorter. */
static plan make_plan(const dp2dpi_cgf *cgf, double lambda, const target *t) {
    plan best = plan_at(cgf, lambda, t);
    double best_error = expected_error(cgf, &best, t);
    for (int halvings = 0; halvings < 16; halvings++) {
        lambda *= 0.5;
        plan p = plan_at(cgf, lambda, t);
        double error = expected_error(cgf, &p, t);
        int shorter = (p.top - p.bottom) / p.step < 0.95 * (best.top - best.bottom) / best.step;
        if (!shorter || error > (best_error > error_allowed ? best_error : error_allowed)) {
            break;
        }
        best = p;
        best_error = error;
    }
    double width = best.top - best.bottom, length = length_min;
    while (length < width / best.step + 8.0 && length < length_max) {
        length *= 2.0;
    }
    best.n = (size_t)length;
    best.step =
        short_mantissa(width / (length - 8.0)); /* the finest step that `length` points allow */
    best.first = (int64_t)floor(best.bottom / best.step) - 1;
    return best;
}

/* Writes the tilted masses to x, each raised by its largest possible rounding error. This error is
 * 3 y × 2^−53 for an exponent of absolute value y, plus some ulp for the mass itself, one
 * exponential and two products. */
static void fill_masses(const dp2dpi_pld_pmf *pmf, double k, const plan *p, double *x) {
    int64_t mask = (int64_t)p->n - 1;
    for (size_t j = 0; j < p->n; j++) {
        x[j] = 0.0;
    }
    for (size_t j = 0; j < pmf->n; j++) {
        double tilt = p->lambda * (double)pmf->index[j] * p->step;
        double mass = pmf->mass[j] * dp2dpi_exp_fast(tilt - k);
        mass *= tilt - k > 700.0 ? dp2dpi_exp(tilt - k - 700.0)
                                 : 1.0; /* dp2dpi_exp_fast clamps its argument at 700 */
        double *cell = &x[pmf->index[j] & mask];
        mass *= 1.0 + DP2DPI_ULP * (16.0 + 2.0 * (fabs(tilt) + fabs(k)));
        *cell = *cell > 0.0 ? (*cell + mass) * (1.0 + DP2DPI_ULP) : mass;
    }
}

/* Replaces the masses at the grid losses by the tilted privacy curve. Works from the largest loss
 * down and adds only positive terms (docs/proofs/pld.md, section 2). `error` is added to every
 * mass. */
static void masses_to_profile(double *masses, const plan *p, double error) {
    double fade = dp2dpi_exp(-p->step), tilt_fade = dp2dpi_exp(-p->lambda * p->step),
           rise = -dp2dpi_expm1(-p->step);
    double c = 0.0, d = 0.0;
    for (size_t j = p->n; j-- > 0;) {
        double *mass = &masses[place_of(p, j)];
        double m = (*mass > 0.0 ? *mass : 0.0) + error;
        d = tilt_fade * (d + rise * c);
        *mass = d;
        c = m + fade * tilt_fade * c;
    }
}

static void profile_free(profile *f) {
    dp2dpi_free(f->d);
    *f = (profile) {0};
}

/* Number of orders at which a Chernoff bound on the mass above the window is computed. The first
 * order is plan.lambda_top. The others are smaller and give better bounds for losses whose grid
 * ends just above the window. */
enum {
    TOP_ORDERS = 4
};

static double top_order(const plan *p, int o) {
    static const double shares[TOP_ORDERS] = {1.0, 0.3, 0.1, 0.03};
    return p->lambda + shares[o] * (p->lambda_top - p->lambda);
}

/* Returns the smallest Chernoff bound on the probability of a loss of at least `beyond`, over the
 * orders of top_order. k has the cumulant generating function at these orders. */
static double top_charge(const plan *p, const double *k, double beyond) {
    double lowest = 0.0;
    for (int o = 0; o < TOP_ORDERS; o++) {
        double exponent = k[o] - top_order(p, o) * beyond;
        lowest = exponent < lowest ? exponent : lowest;
    }
    return dp2dpi_exp(lowest);
}

/* Returns log E e^{λL} of a pmf, raised by the largest rounding error of the exponents and of the
 * sum. */
static double cgf_upper(const dp2dpi_pld_pmf *pmf, double lambda) {
    double low = fabs((double)pmf->index[0]), high = fabs((double)pmf->index[pmf->n - 1]);
    double tilt = lambda * (low > high ? low : high) * pmf->step;
    double k = dp2dpi_pld_pmf_cgf(pmf, lambda);
    return k + DP2DPI_ULP * ((double)pmf->n + 16.0 + 4.0 * (tilt + fabs(k)));
}

/* Adds `count` equal releases to four sums over all releases: the cumulant generating function at λ
 * (out->k) and at the orders of top_order (k_top), the probability of an infinite loss
 * (out->charge), and the largest finite loss (*highest). The caller convolves the masses. */
static void add_loss(const dp2dpi_pld_pmf *pmf, double count, double k, double *k_top,
                     double *highest, profile *out) {
    const plan *p = &out->p;
    out->k += count * k + 2.0 * DP2DPI_ULP * fabs(count * k);
    out->charge += count * pmf->infinity;
    *highest += count * (double)pmf->index[pmf->n - 1] * p->step;
    for (int o = 0; o < TOP_ORDERS; o++) {
        k_top[o] += count * cgf_upper(pmf, top_order(p, o));
    }
}

static dp2dp_status profile_new(const dp2dpi_composition *c, const plan *p, double delta,
                                profile *out, dp2dp_error *error) {
    dp2dpi_convolution conv;
    double k_top[TOP_ORDERS] = {0}, highest = 0.0;
    *out = (profile) {.p = *p};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_convolution_new(p->n, c->n, &conv, error));
    for (size_t i = 0; i < c->n; i++) {
        double count = c->losses[i].count;
        dp2dpi_pld_pmf pmf;
        dp2dpi_grid grid = {.step = p->step,
                            .resolution = 512,
                            .upper_limit = upper_limit(delta) / (count * (double)c->n),
                            .lower_limit = 1e-12 / count};
        if (c->losses[i].kind ==
            DP2DPI_LOSS_GAUSSIAN) { /* the tilted mean of the Gaussian loss is (λ + ½) μ² */
            double mean = (p->lambda + 0.5) * c->losses[i].shift * c->losses[i].shift;
            grid.centre = (int64_t)fmin(mean / p->step, 0x1p50);
        }
        DP2DPI_TRY_OR_DONE(dp2dpi_pld_pmf_new(&c->losses[i], &grid, &pmf, error));
        double k = dp2dpi_pld_pmf_cgf(&pmf, p->lambda);
        fill_masses(&pmf, k, p, conv.data);
        dp2dpi_convolution_take(&conv, count);
        add_loss(&pmf, count, k, k_top, &highest, out);
        dp2dpi_pld_pmf_free(&pmf);
    }
    double beyond = (double)(p->first + (int64_t)p->n) * p->step;
    out->charge += highest < beyond ? 0.0 : top_charge(p, k_top, beyond);
    out->charge *= 1.0 + 1e-6;
    dp2dpi_convolution_finish(&conv);
    masses_to_profile(conv.data, p, conv.error);
    /* Raises k by the rounding error of masses_to_profile, which takes n steps. Each step has an
     * error of up to 11 × 2^−53, plus the rounding error of λ × step. */
    out->k += DP2DPI_ULP * (double)p->n * (16.0 + p->lambda * p->step);
    out->d = conv.data;
    conv.data = NULL;
done:
    dp2dpi_convolution_free(&conv);
    return status;
}

/* Returns δ at grid point j, raised by the rounding errors of the exponent and of this
 * computation. */
static double profile_at(const profile *f, size_t j) {
    double d = f->d[place_of(&f->p, j)];
    double tilt = f->p.lambda * (double)(f->p.first + (int64_t)j) * f->p.step;
    double exponent = f->k - tilt + DP2DPI_ULP * (8.0 + 2.0 * (fabs(f->k) + fabs(tilt)));
    if (exponent > 600.0) {
        return d > 0.0 ? 1.0 : f->charge;
    }
    double delta = dp2dpi_exp(exponent) * d + f->charge;
    return delta < 1.0 ? delta : 1.0;
}

/* Returns δ at t->epsilon, and stores log δ and the slope of the curve in *t. Between grid points
 * the curve is linear in e^ε. */
static double read_delta(const profile *f, target *t) {
    double floored = floor(t->epsilon / f->p.step);
    floored -= floored * f->p.step > t->epsilon; /* corrects a quotient that was rounded up */
    double position = floored - (double)f->p.first;
    if (position < 0.0) {
        return 1.0;
    }
    if (position >= (double)(f->p.n - 1)) {
        return f->charge;
    }
    size_t j = (size_t)position;
    double low = (double)(f->p.first + (int64_t)j) * f->p.step;
    double share = dp2dpi_expm1(t->epsilon - low) / dp2dpi_expm1(f->p.step);
    double a = profile_at(f, j), b = profile_at(f, j + 1);
    share = share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share;
    double value = a + share * (b - a);
    if (a > b && b > 0.0) {
        t->slope = dp2dpi_log(a / b) / f->p.step;
    }
    t->log_delta = value > 1e-290 ? dp2dpi_log(value) : -667.0;
    return value;
}

typedef enum found {
    FOUND,
    BELOW_WINDOW,
    ABOVE_WINDOW
} found;

/* Finds the ε at which the curve f has δ(ε) = delta, and stores this ε and the slope at this ε in
 * *t. */
static found find_epsilon(const profile *f, double delta, target *t) {
    size_t low = 0, high = f->p.n - 2;
    if (profile_at(f, high) > delta) {
        return ABOVE_WINDOW;
    }
    if (profile_at(f, 0) <= delta) {
        t->epsilon = 0.0;
        return f->p.first <= 0 ? FOUND : BELOW_WINDOW;
    }
    while (high - low > 1) { /* δ(low) > delta ≥ δ(high) */
        size_t middle = low + (high - low) / 2;
        if (profile_at(f, middle) <= delta) {
            high = middle;
        } else {
            low = middle;
        }
    }
    double a = profile_at(f, low), b = profile_at(f, high),
           start = (double)(f->p.first + (int64_t)low) * f->p.step;
    double share = a > b ? (a - delta) / (a - b) : 1.0;
    double value = start + dp2dpi_log1p(share * dp2dpi_expm1(f->p.step)) * (1.0 + 1e-12);
    t->epsilon = value > 0.0 ? value + 4.0 * DP2DPI_ULP * value : 0.0;
    if (a > b && b > 0.0) {
        t->slope = dp2dpi_log(a / b) / f->p.step;
    }
    return FOUND;
}

/* Returns the largest tilt that keeps every e^{λL} within the range of a double. */
static double tilt_limit(const dp2dpi_cgf *cgf) {
    double limit = 0.1 * order_max;
    for (size_t i = 0; i < cgf->n; i++) {
        for (size_t k = 0; k < cgf->nodes[i].n; k++) {
            double value = fabs(cgf->nodes[i].value[k]);
            limit = limit * value > 600.0 ? 600.0 / value : limit;
        }
    }
    return limit;
}

/* Builds the cgf of the composition and finds the λ of the best Rényi bound. This λ is the first
 * guess for the tilt. The cgf leaves out the same largest losses as dp2dpi_pld_pmf_new does. */
static dp2dp_status start(const dp2dpi_composition *c, dp2dpi_objective objective, const double *at,
                          double delta, dp2dpi_cgf *cgf, double *lambda, dp2dp_error *error) {
    double releases = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        releases += c->losses[i].count;
    }
    if (releases > DP2DPI_CONVOLUTION_COUNT_MAX) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_NO_BOUND,
            "there are more than %g releases, which is too many for the accountant 'pld'",
            DP2DPI_CONVOLUTION_COUNT_MAX);
    }
    DP2DPI_TRY(dp2dpi_cgf_new(c, order_max, upper_limit(delta), cgf, error));
    dp2dpi_range range = {0.0, 1e-7, tilt_limit(cgf), 1e-3};
    *lambda = dp2dpi_cgf_minimise(cgf, range, objective, at);
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_pld_epsilon(const dp2dpi_composition *c, double delta, double *epsilon,
                                double *renyi, dp2dp_error *error) {
    dp2dpi_cgf cgf;
    double lambda, log_delta = dp2dpi_log(delta);
    *epsilon = *renyi = INFINITY;
    DP2DPI_TRY(start(c, dp2dpi_objective_epsilon, &log_delta, delta, &cgf, &lambda, error));
    dp2dp_status status = DP2DP_STATUS_OK;
    double guess = dp2dpi_objective_epsilon(&cgf, lambda, &log_delta);
    target t = {.epsilon = guess > 0.0 ? guess : 0.0, .log_delta = log_delta, .slope = lambda};
    *renyi = t.epsilon;
    for (int pass = 0; pass < 8; pass++) {
        profile f;
        plan p = make_plan(&cgf, lambda, &t);
        DP2DPI_TRY_OR_DONE(profile_new(c, &p, delta, &f, error));
        found result = find_epsilon(&f, delta, &t);
        profile_free(&f);
        if (result == ABOVE_WINDOW) {
            break;
        }
        if (result == FOUND) {
            *epsilon = t.epsilon < *epsilon ? t.epsilon : *epsilon;
            /* Ends the search if the grid is fine enough for the ε found. A second pass is needed
             * only if this ε needs a clearly finer grid than the guessed ε. */
            if (t.epsilon == 0.0 || p.n >= (size_t)length_max ||
                choose_step(&cgf, p.lambda, &t) > 0.7 * p.step) {
                break;
            }
        } else {
            lambda *= 0.5;
        }
    }
done:
    dp2dpi_cgf_free(&cgf);
    return status;
}

/* Builds a cgf that leaves out the largest losses; the expected δ in *t decides how many. If the
 * cgf predicts a much smaller δ, lowers the δ in *t and builds the cgf again. */
static dp2dp_status start_delta(const dp2dpi_composition *c, double epsilon, dp2dpi_cgf *cgf,
                                double *lambda, target *t, dp2dp_error *error) {
    for (;;) {
        DP2DPI_TRY(start(c, dp2dpi_objective_log_delta, &epsilon, dp2dpi_exp(t->log_delta), cgf,
                         lambda, error));
        double guess = dp2dpi_objective_log_delta(cgf, *lambda, &epsilon);
        guess = guess < 0.0 ? guess : 0.0;
        if (guess > t->log_delta - 5.0 || t->log_delta < -600.0) {
            return DP2DP_STATUS_OK;
        }
        t->log_delta = guess < 2.0 * t->log_delta ? 2.0 * t->log_delta : guess;
        t->slope = *lambda;
        dp2dpi_cgf_free(cgf);
    }
}

dp2dp_status dp2dpi_pld_delta(const dp2dpi_composition *c, double epsilon, double *delta,
                              dp2dp_error *error) {
    target t = {.epsilon = epsilon, .log_delta = dp2dpi_log(1e-10), .slope = 1.0};
    *delta = 1.0;
    for (int pass = 0; pass < 8; pass++) {
        dp2dpi_cgf cgf;
        profile f;
        double lambda;
        /* How much mass may be left out depends on δ, which is not known yet, so each pass uses the
         * δ of the previous pass. */
        dp2dp_status status = start_delta(c, epsilon, &cgf, &lambda, &t, error);
        if (status == DP2DP_STATUS_NO_BOUND && pass > 0) {
            break; /* no finer grid is possible; the δ of the previous pass is valid */
        }
        DP2DPI_TRY(status);
        double believed = dp2dpi_exp(t.log_delta);
        t.slope = pass == 0 ? lambda : t.slope;
        plan p = make_plan(&cgf, lambda, &t);
        status = profile_new(c, &p, believed, &f, error);
        if (status != DP2DP_STATUS_OK) {
            dp2dpi_cgf_free(&cgf);
            return status;
        }
        double value = read_delta(&f, &t);
        profile_free(&f);
        *delta = value < *delta ? value : *delta;
        int coarse = choose_step(&cgf, p.lambda, &t) < 0.7 * p.step && p.n < (size_t)length_max;
        dp2dpi_cgf_free(&cgf);
        if ((value > 0.1 * believed && !coarse) || value < 1e-270) {
            break;
        }
    }
    *delta = *delta < 1.0 ? dp2dpi_round_up(*delta, 4) : 1.0;
    return DP2DP_STATUS_OK;
}
