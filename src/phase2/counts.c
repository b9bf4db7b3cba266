#include "phase2/counts.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "phase2/model.h"
#include "phase2/rule.h"
#include "phase2/step.h"

/* The next table is queried at θ + query_pull (average − θ). Counts are not linear in θ, and the
 * average of the iterates has less noise, which distorts the counts less. */
static const double query_pull = 0.2;

/* The state of the solver. Everything in it is post-processing of released tables. */
typedef struct solver {
    const dp2dp_fit_options *options;
    size_t strata, classes;
    int leaves_out;
    double records; /* N */
    double kept;    /* estimate of the records that are not left out; N if none can be */
    const double *shares;
    double *totals; /* J: best estimate so far of the number of records in each stratum; then, if
                       records may be left out, of their number */
    double totals_precision; /* 1/variance of totals; 0 without noise, when totals is exact */
    double left_precision;   /* 1/variance of totals[J] */
    double row_precision;    /* 1/variance of the sum of one row of a released table */
    double *sizes;           /* J: N π̂_g, from totals */
    double *theta;           /* J × K */
    double *query;           /* J × K */
    double *table;           /* J × K, and one more cell if records may be left out */
    double *average;         /* J × K, average of the iterates, iterate t with weight t */
    double *weights;         /* J × K, total weight in the average */
    double *lengths;         /* J × K, of the current step */
    double *asked;           /* J × K: the offsets that the previous table was released for */
    double *rates;           /* J × K: the rates in the previous table */
    int tied;                /* 1: a rate jumped as it does where many scores are equal */
    dp2dpi_step *steps;      /* J × K */
} solver;

/* Averages the last cell of a table, the records that are left out, with totals[J]. Its precision
 * is K times that of a row sum. Then estimates how many are kept. */
static void refine_kept(solver *s) {
    double *total = &s->totals[s->strata], cell = s->table[s->strata * s->classes];
    double precision = s->row_precision * (double)s->classes;
    if (s->left_precision > 0.0) {
        *total += (cell - *total) * (precision / (s->left_precision + precision));
        s->left_precision += precision;
    }
    s->kept = dp2dpi_rule_kept(s->totals, s->strata, s->records);
}

/* Every table estimates the size of a stratum again: the row sums of all tables are averaged with
 * the released totals, weighted by precision. */
static void refine_sizes(solver *s) {
    for (size_t e = 0; e < s->strata && s->totals_precision > 0.0; e++) {
        double sum = 0.0;
        for (size_t k = 0; k < s->classes; k++) {
            sum += s->table[e * s->classes + k];
        }
        s->totals[e] +=
            (sum - s->totals[e]) * (s->row_precision / (s->totals_precision + s->row_precision));
    }
    s->totals_precision += s->totals_precision > 0.0 ? s->row_precision : 0.0;
    if (s->leaves_out) {
        refine_kept(s);
    }
    dp2dpi_rule_shares(s->totals, s->strata, s->kept, s->options->share_floor, s->sizes);
    for (size_t e = 0; e < s->strata; e++) {
        s->sizes[e] *= s->kept;
    }
}

/* Replaces the released table C̃ by the rates R_gk = C̃_gk/(N π̂_g), with each row shifted by a
 * constant so that it sums to 1. */
static void find_rates(solver *s) {
    size_t classes = s->classes;
    for (size_t e = 0; e < s->strata; e++) {
        double *row = s->table + e * classes, sum = 0.0;
        for (size_t k = 0; k < classes; k++) {
            row[k] /= s->sizes[e];
            sum += row[k];
        }
        double excess = (sum - 1.0) / (double)classes;
        for (size_t k = 0; k < classes; k++) {
            row[k] -= excess;
        }
    }
}

/* Replaces the rates R by the gradient R − m: m_k = Σ_g π̄_g R_gk is the mean rate of class k, and
 * π̄ are the shares. */
static void gradient(solver *s) {
    size_t classes = s->classes;
    for (size_t k = 0; k < classes; k++) {
        double mean = 0.0;
        for (size_t e = 0; e < s->strata; e++) {
            mean += s->shares[e] * s->table[e * classes + k];
        }
        for (size_t e = 0; e < s->strata; e++) {
            s->table[e * classes + k] -= mean;
        }
    }
}

/* η_t = 2.5 t^(−3/4): long steps first, then short ones, which average out the noise. */
static double step_length(const solver *s, uint64_t t) {
    double root = sqrt((double)t);
    return s->options->step_size * 2.5 / (root * sqrt(root));
}

/* Writes to out θ after a step along the gradient in table; out may be θ itself. */
static void step(const solver *s, double *out) {
    for (size_t i = 0; i < s->strata * s->classes; i++) {
        out[i] = s->theta[i] + s->lengths[i] * s->table[i];
    }
    for (size_t k = 0; k < s->classes; k++) {
        const dp2dpi_rule_class each = {.strata = s->strata,
                                        .stride = s->classes,
                                        .shares = s->shares,
                                        .lengths = s->lengths + k,
                                        .kappa = 0.5 * s->options->rho,
                                        .offset_max = s->options->offset_max};
        dp2dpi_rule_prox(&each, out + k);
    }
}

static void set_lengths(solver *s, double eta) {
    for (size_t i = 0; i < s->strata * s->classes; i++) {
        s->lengths[i] = dp2dpi_step_length(&s->steps[i], eta);
    }
}

/* When an offset overshoots, its earlier iterates keep this fraction of their weight in its
 * average. */
static const double overshoot_weight = 0.5;

/* Judges the steps of class k. The gap of group g is (next − θ)/η_g, where η_g is its step length;
 * the penalty is included. Its noise is that of R_g − m, with m the mean of all R weighted by w = π
 * η / Σ π η. The noise of R_g has variance rate/n_g², where rate is the variance of one
 * table cell and n_g the size of the group. */
static void judge(solver *s, size_t k, double rate, const double *next) {
    double sum = 0.0, mean = 0.0;
    for (size_t e = 0; e < s->strata; e++) {
        sum += s->shares[e] * s->lengths[e * s->classes + k];
    }
    for (size_t e = 0; e < s->strata; e++) {
        double w = s->shares[e] * s->lengths[e * s->classes + k] / (sum * s->sizes[e]);
        mean += w * w * rate;
    }
    for (size_t e = 0; e < s->strata; e++) {
        size_t i = e * s->classes + k;
        double w = s->shares[e] * s->lengths[i] / sum, own = rate / (s->sizes[e] * s->sizes[e]);
        double gap = (next[i] - s->theta[i]) / s->lengths[i], variance = own - 2.0 * w * own + mean;
        if (dp2dpi_step_judge(&s->steps[i], s->lengths[i], gap, variance > 0.0 ? variance : 0.0) ==
            DP2DPI_STRIDE_SHORTER) {
            s->weights[i] *= overshoot_weight;
        }
    }
}

/* Returns the variance of a table cell after its row is shifted to the right sum. The first term,
 * 1, makes a change by one or two people insignificant even without noise, since some score is
 * always close to a threshold. */
static double cell_variance(const solver *s) {
    double classes = (double)s->classes;
    return 1.0 + (s->row_precision > 0.0 ? (classes - 1.0) / (classes * classes * s->row_precision)
                                         : 0.0);
}

/* A rate that changes by this much more than noise explains, and by more than this multiple of the
 * change of its offsets, moved with people whose scores are equal. Continuous scores are less
 * dense, even those of confident classifiers. */
static const double jump_noticed = 0.02, density_max = 300.0;

/* Standard deviations of the noise: by noise alone, a fit of 80 steps with 10 rates in the table
 * sets `tied` with probability below 1e-3. */
static const double jump_significant = 5.0;

/* Compares the rates in table, released for the offsets in query, with the rates before. */
static void note_jumps(solver *s, uint64_t t) {
    double noise = jump_significant * sqrt(2.0 * cell_variance(s));
    for (size_t e = 0; e < s->strata; e++) {
        double moved = 0.0, jump = 0.0;
        for (size_t i = e * s->classes; i < (e + 1) * s->classes; i++) {
            moved = fmax(moved, fabs(s->query[i] - s->asked[i]));
            jump = fmax(jump, fabs(s->table[i] - s->rates[i]));
            s->asked[i] = s->query[i];
            s->rates[i] = s->table[i];
        }
        s->tied |= t > 1 && jump - noise / s->sizes[e] > fmax(jump_noticed, density_max * moved);
    }
}

/* Takes one step along the gradient in table: tries the step, judges it by where it would lead, and
 * takes it with the new lengths. From step first_averaged on, adds θ to the average. */
static void advance(solver *s, uint64_t t, uint64_t first_averaged) {
    size_t cells = s->strata * s->classes;
    double eta = step_length(s, t), rate = cell_variance(s);
    set_lengths(s, eta);
    step(s, s->query);
    for (size_t k = 0; k < s->classes; k++) {
        judge(s, k, rate, s->query);
    }
    set_lengths(s, eta);
    step(s, s->theta);
    if (t < first_averaged) {
        memcpy(s->query, s->theta, cells * sizeof(double));
        return;
    }
    for (size_t i = 0; i < cells; i++) {
        s->weights[i] += (double)t;
        s->average[i] += (s->theta[i] - s->average[i]) * ((double)t / s->weights[i]);
        s->query[i] = s->theta[i] + query_pull * (s->average[i] - s->theta[i]);
    }
}

/* Standard deviation of the noise on a group's rates, over all tables, at which its offsets are
 * halved. */
static const double noise_half = 0.12;

/* With two classes, a group whose rates are noisier than this (standard deviation over all tables)
 * keeps an unfairness that people notice: docs/fit.md has a table of what to expect. With K classes
 * the largest gap of any class grows, and the limit falls like √(2/K). */
static const double noise_noticed = 0.08;

/* Shrinks the offsets of groups whose counts are small compared with the noise. Such offsets are
 * mostly noise, and the plain argmax is better. Returns the warnings that the released tables give
 * rise to. */
static unsigned shrink(solver *s) {
    unsigned warnings = 0;
    double limit = noise_noticed * sqrt(2.0 / (double)s->classes);
    for (size_t e = 0; e < s->strata && s->row_precision > 0.0; e++) {
        double variance = 1.0 / (s->row_precision * (double)s->classes * (double)s->options->steps);
        double ratio = variance / (s->sizes[e] * s->sizes[e] * noise_half * noise_half);
        for (size_t k = 0; k < s->classes; k++) {
            s->average[e * s->classes + k] /= 1.0 + ratio * ratio;
        }
        if (sqrt(variance) > limit * s->sizes[e]) {
            warnings |= DP2DP_WARNING_GROUP_TOO_SMALL;
        }
    }
    return warnings;
}

static dp2dp_status iterate(solver *s, dp2dpi_counts_releases *releases, dp2dp_error *error) {
    uint64_t steps = s->options->steps;
    uint64_t averaged = (uint64_t)((double)steps * s->options->tail);
    uint64_t first_averaged = steps - (averaged > 0 ? averaged - 1 : 0);
    for (uint64_t t = 1; t <= steps; t++) {
        DP2DPI_TRY(dp2dpi_counts_table(releases, s->query, s->table, error));
        refine_sizes(s);
        find_rates(s);
        note_jumps(s, t);
        gradient(s);
        advance(s, t, first_averaged);
        DP2DPI_TRY(dp2dpi_fit_progress(s->options, t, steps, error));
    }
    return DP2DP_STATUS_OK;
}

/* Allocates everything but the shares and the average, which belong to the model. */
static dp2dp_status solver_alloc(solver *s, dp2dp_error *error) {
    size_t cells = s->strata * s->classes;
    size_t left = s->leaves_out ? 1 : 0;
    DP2DPI_TRY(DP2DPI_ALLOC(s->theta, 7 * cells + 2 * s->strata + 2 * left, "a solver", error));
    s->query = s->theta + cells;
    s->table = s->query + cells;
    s->weights = s->table + cells + left;
    s->lengths = s->weights + cells;
    s->asked = s->lengths + cells;
    s->rates = s->asked + cells;
    s->totals = s->rates + cells;
    s->sizes = s->totals + s->strata + left;
    DP2DPI_TRY(DP2DPI_ALLOC(s->steps, cells, "a solver", error));
    for (size_t i = 0; i < cells; i++) {
        s->steps[i] = dp2dpi_step_first();
    }
    return DP2DP_STATUS_OK;
}

/* Allocates all memory first: a failure after the charge would waste the budget. */
dp2dp_status dp2dpi_counts_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                               dp2dp_model *model, dp2dp_error *error) {
    solver s = {.options = options,
                .strata = source->strata,
                .classes = source->classes,
                .leaves_out = source->leaves_out,
                .records = (double)source->records,
                .kept = (double)source->records,
                .shares = model->shares,
                .average = model->offsets};
    dp2dpi_counts_releases releases = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(solver_alloc(&s, error));
    DP2DPI_TRY_OR_DONE(
        dp2dpi_counts_releases_new(source, options, model->ledger, &releases, error));
    dp2dpi_counts_precision(&releases, &s.totals_precision, &s.row_precision);
    memset(s.average, 0, s.strata * s.classes * sizeof(double));
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_totals(&releases, s.totals, error));
    s.left_precision = s.totals_precision;
    if (s.leaves_out) {
        s.kept = dp2dpi_rule_kept(s.totals, s.strata, s.records);
    }
    dp2dpi_rule_shares(s.totals, s.strata, s.kept, options->share_floor, model->shares);
    DP2DPI_TRY_OR_DONE(iterate(&s, &releases, error));
    model->info.warnings |= shrink(&s);
    model->info.warnings |= s.tied ? (unsigned)DP2DP_WARNING_TIES : 0;
done:
    dp2dpi_counts_releases_free(&releases);
    dp2dpi_free(s.steps);
    dp2dpi_free(s.theta);
    return status;
}
