#include "phase2/counts.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/criterion.h"
#include "decide/model.h"
#include "phase2/jumps.h"
#include "phase2/outcome.h"
#include "phase2/rule.h"
#include "phase2/step.h"
#include "pool/pool.h"

/* The solver releases each table at the offsets θ + query_pull (average − θ), where θ is the
 * current iterate and `average` the average of the iterates. Counts are not linear in θ, so noise
 * in θ biases the counts. The average has less noise than θ, so moving the offsets towards the
 * average reduces the bias. */
static const double query_pull = 0.2;

/* The state of the solver. The whole state is post-processing of released tables.
 *
 * A statistic is a rate that must become equal between groups, for example the rate of one class
 * among people with one label (dp2dp/criterion.h). The solver has one offset θ for each group and
 * statistic. For demographic parity there is one statistic for each class, so θ is the table of
 * offsets itself. */
typedef struct solver {
    const dp2dp_fit_options *options;
    const dp2dpi_statistics *statistics;
    dp2dp_rule rule;
    size_t groups, strata, classes;
    int leaves_out;
    int foreign;    /* 1 if the source is not a pool, so that its counts may be wrong */
    double records; /* public number of records, including those left out */
    double kept;    /* estimated number of records that are not left out */
    double *totals; /* best estimates so far of the number of records in each stratum (a group, or a
                       pair of group and label). If records may be left out, the last number
                       estimates how many are left out */
    double totals_precision; /* 1/variance of totals; 0 if there is no noise */
    double left_precision;   /* 1/variance of the last total, the number of records left out */
    double row_precision;    /* 1/variance of the sum of one row of a released table */
    double *sizes;           /* estimated number of records in each stratum, derived from totals */
    double *table;           /* strata × classes, and one more cell if records may be left out */
    double *query;           /* strata × classes: the offsets at which a table is released */
    double *shares; /* groups × statistics: the people of the group whom the statistic is about, as
                       a share of all people */
    double *people; /* groups × statistics: the number of people of the group whom the statistic is
                       about */
    double *reach;  /* groups × statistics: the scheduled step length is multiplied by this
                       factor */
    double *kappas; /* groups × statistics: half the tolerance of each rate */
    double *gradient; /* groups × statistics */
    double *theta;    /* groups × statistics */
    double *trial;    /* groups × statistics: θ after a trial step; later the θ of `query` */
    /* Groups × statistics: average of the iterates, where iterate t has weight t. */
    double *average;
    double *weights;    /* groups × statistics: total weight of the iterates in the average */
    double *lengths;    /* groups × statistics: lengths of the current step */
    dp2dpi_step *steps; /* groups × statistics */
    dp2dpi_outcome outcome;
    int shrunk; /* 1 if the offsets of a group were shrunk because its rates are mostly noise. The
                   released tables then say little about the rule */
    dp2dpi_jumps jumps;
} solver;

static size_t labels_of(const solver *s) {
    return s->statistics->labels;
}

static size_t count_of(const solver *s) {
    return s->statistics->count;
}

/* Returns the Gaussian privacy parameter μ (sensitivity divided by σ) of all releases of the fit
 * together. Returns 0 if the releases have no noise. */
static double total_mu(const solver *s) {
    return sqrt(s->row_precision * (double)s->classes * (double)s->options->steps) *
           DP2DPI_COUNTS_SENSITIVITY / sqrt(1.0 - s->options->share_budget);
}

/* Improves totals[strata], the estimate of how many records are left out. The last cell of the new
 * table is another noisy count of these records. The estimate and this cell are averaged, weighted
 * by precision. With K classes, this cell has K times the precision of a row sum. Then sets
 * s->kept. */
static void refine_kept(solver *s) {
    double *total = &s->totals[s->strata], cell = s->table[s->strata * s->classes];
    double precision = s->row_precision * (double)s->classes;
    if (s->left_precision > 0.0) {
        *total += (cell - *total) * (precision / (s->left_precision + precision));
        s->left_precision += precision;
    }
    s->kept = dp2dpi_rule_kept(s->totals, s->strata, s->records);
}

static double floor_of(const solver *s) {
    return s->options->share_floor / (double)labels_of(s);
}

/* Improves the estimated size of each stratum. The row sums of every table are new estimates of the
 * sizes. They are averaged with the earlier estimates, weighted by precision. */
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
    dp2dpi_rule_shares(s->totals, s->strata, s->kept, floor_of(s), s->sizes);
    for (size_t e = 0; e < s->strata; e++) {
        s->sizes[e] *= s->kept;
    }
    for (size_t g = 0; g < s->groups; g++) {
        for (size_t i = 0; i < count_of(s); i++) {
            s->people[g * count_of(s) + i] = dp2dpi_statistic_people(s->statistics, i, g, s->sizes);
        }
    }
}

/* Divides the released table by the sizes of the strata to get rates. Then shifts the rates of each
 * stratum by a constant so that they sum to 1. */
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

/* Returns the rate of a statistic in group g: the mean rate over the strata of the group whose
 * label belongs to the statistic, weighted by the sizes of these strata. */
static double rate_of(const solver *s, size_t statistic, size_t g) {
    size_t labels = labels_of(s), k = s->statistics->classes[statistic];
    double sum = 0.0;
    for (size_t y = 0; y < labels; y++) {
        if (dp2dpi_statistic_has(s->statistics, statistic, y)) {
            double rate = s->table[(g * labels + y) * s->classes + k];
            if (s->statistics->sizes[statistic] == 1) {
                return rate;
            }
            sum += s->sizes[g * labels + y] * rate;
        }
    }
    return sum / s->people[g * count_of(s) + statistic];
}

/* Writes the gradient. Its entry for a group and a statistic is the rate in this group minus the
 * mean rate over all groups. The mean is weighted by the shares of the groups. */
static void find_gradient(solver *s) {
    size_t n = count_of(s);
    for (size_t i = 0; i < n; i++) {
        double mean = 0.0, whole = 0.0;
        for (size_t g = 0; g < s->groups; g++) {
            s->gradient[g * n + i] = rate_of(s, i, g);
            mean += s->shares[g * n + i] * s->gradient[g * n + i];
            whole += s->shares[g * n + i];
        }
        mean /= labels_of(s) > 1 ? whole : 1.0; /* without labels the shares sum to 1 */
        for (size_t g = 0; g < s->groups; g++) {
            s->gradient[g * n + i] -= mean;
        }
    }
}

/* The length of step t is proportional to t^(−3/4). The first steps are long. The later, short
 * steps average out the noise. */
static double step_length(const solver *s, uint64_t t) {
    double root = sqrt((double)t);
    return s->options->step_size * 2.5 / (root * sqrt(root));
}

/* Computes kappa, half the tolerance of each rate, and returns the largest kappa. Without labels,
 * kappa is ρ/2. With labels, kappa is at least the standard deviation of the noise that the whole
 * fit leaves in the rate. Correcting a gap that is smaller than this noise would enlarge the gap.
 */
static double find_kappas(solver *s) {
    double largest = 0.5 * s->options->rho, mu = total_mu(s);
    double spread = sqrt(1.0 - 1.0 / (double)s->classes);
    for (size_t i = 0; i < s->groups * count_of(s); i++) {
        size_t labels = s->statistics->sizes[i % count_of(s)];
        double noise = labels_of(s) > 1 && mu > 0.0
                           ? spread * sqrt((double)labels) / (mu * s->people[i])
                           : 0.0;
        s->kappas[i] = fmax(0.5 * s->options->rho, noise);
        largest = fmax(largest, s->kappas[i]);
    }
    return largest;
}

/* Returns the largest offset allowed. The limit is twice as large for a rule that does not see the
 * group, because such a rule needs larger offsets for the same effect. */
static double offset_max(const solver *s) {
    return s->options->offset_max * (s->rule == DP2DP_RULE_WEIGHTED ? 2.0 : 1.0);
}

/* Writes to out the offsets θ after one step along the gradient. out may be θ itself. */
static void step(const solver *s, double kappa, double *out) {
    size_t n = count_of(s);
    for (size_t i = 0; i < s->groups * n; i++) {
        out[i] = s->theta[i] + s->lengths[i] * s->gradient[i];
    }
    for (size_t i = 0; i < n; i++) {
        const dp2dpi_rule_class each = {.strata = s->groups,
                                        .stride = n,
                                        .share_stride = n,
                                        .shares = s->shares + i,
                                        .lengths = s->lengths + i,
                                        .kappa = kappa,
                                        .kappas = s->kappas + i,
                                        .offset_max = offset_max(s)};
        dp2dpi_rule_prox(&each, out + i);
    }
}

static void set_lengths(solver *s, double eta) {
    for (size_t i = 0; i < s->groups * count_of(s); i++) {
        s->lengths[i] = dp2dpi_step_length(&s->steps[i], eta * s->reach[i]);
    }
}

/* If an offset overshoots, its earlier iterates count less in the average: their weight is
 * multiplied by this factor. */
static const double overshoot_weight = 0.5;

/* A rule that does not see the group needs very large offsets if the features hardly predict the
 * group. Without noise, such a rule's step lengths therefore grow: each further step in the same
 * direction multiplies the length by reach_growth, up to reach_max times the scheduled length. With
 * noise, the lengths do not grow, because large offsets cost accuracy and cannot remove the gap for
 * new people. */
static const double reach_growth = 1.2, reach_max = 80.0;

static void lengthen(solver *s, size_t i) {
    if (s->rule == DP2DP_RULE_WEIGHTED && s->row_precision <= 0.0) {
        s->reach[i] = fmin(s->reach[i] * reach_growth, reach_max);
    }
}

/* Judges the step of each group for one statistic. `next` holds the offsets after this step.
 * `rate`, despite its name, is the variance of a count.
 *
 * The gap of group g is (next − θ)/η_g, where η_g is the step length. The noise in this gap is the
 * noise in R_g − m. R_g is the rate of group g, and m is the mean of the rates, weighted by share
 * times step length. The noise in R_g has variance `rate`/n_g², where n_g is the number of people
 * that R_g is about. */
static void judge(solver *s, size_t statistic, double rate, const double *next) {
    size_t n = count_of(s);
    double sum = 0.0, mean = 0.0;
    for (size_t g = 0; g < s->groups; g++) {
        sum += s->shares[g * n + statistic] * s->lengths[g * n + statistic];
    }
    for (size_t g = 0; g < s->groups; g++) {
        size_t i = g * n + statistic;
        double w = s->shares[i] * s->lengths[i] / (sum * s->people[i]);
        mean += w * w * rate;
    }
    for (size_t g = 0; g < s->groups; g++) {
        size_t i = g * n + statistic;
        double w = s->shares[i] * s->lengths[i] / sum, own = rate / (s->people[i] * s->people[i]);
        double gap = (next[i] - s->theta[i]) / s->lengths[i], variance = own - 2.0 * w * own + mean;
        dp2dpi_stride stride =
            dp2dpi_step_judge(&s->steps[i], s->lengths[i], gap, variance > 0.0 ? variance : 0.0);
        if (stride == DP2DPI_STRIDE_SHORTER) {
            s->weights[i] *= overshoot_weight;
        } else if (stride == DP2DPI_STRIDE_LONGER) {
            lengthen(s, i);
        }
    }
}

/* Returns the variance of the count behind a rate. The count is the sum of one cell from each of
 * `labels` rows. Each row was shifted so that it sums to the size of its stratum. The variance is
 * at least 1, so that a change by one or two people is insignificant even without noise. */
static double count_variance(const solver *s, size_t labels) {
    double classes = (double)s->classes;
    return 1.0 + (s->row_precision > 0.0
                      ? (double)labels * (classes - 1.0) / (classes * classes * s->row_precision)
                      : 0.0);
}

/* Writes the offsets of the rule to table, which is strata × classes. The offset for group g, label
 * y and class k is the sum of θ_gs over the statistics s that are about class k and label y. */
static void spread(const solver *s, const double *theta, double *table) {
    size_t labels = labels_of(s), n = count_of(s);
    memset(table, 0, s->strata * s->classes * sizeof(double));
    for (size_t e = 0; e < s->strata; e++) {
        for (size_t i = 0; i < n; i++) {
            double *cell = &table[e * s->classes + s->statistics->classes[i]];
            if (dp2dpi_statistic_has(s->statistics, i, e % labels)) {
                double offset = theta[e / labels * n + i];
                *cell = *cell == 0.0 ? offset : *cell + offset; /* an offset of −0.0 stays −0.0 */
            }
        }
    }
}

/* Takes one step along the gradient. First computes a trial step, from which judge() adjusts the
 * step lengths. Then takes the step with the adjusted lengths. From step first_averaged on, adds θ
 * to the average. */
static void advance(solver *s, uint64_t t, uint64_t first_averaged) {
    size_t cells = s->groups * count_of(s);
    double eta = step_length(s, t), kappa = find_kappas(s);
    set_lengths(s, eta);
    step(s, kappa, s->trial);
    for (size_t i = 0; i < count_of(s); i++) {
        judge(s, i, count_variance(s, s->statistics->sizes[i]), s->trial);
    }
    set_lengths(s, eta);
    step(s, kappa, s->theta);
    memcpy(s->trial, s->theta, cells * sizeof(double));
    for (size_t i = 0; i < cells && t >= first_averaged; i++) {
        s->weights[i] += (double)t;
        s->average[i] += (s->theta[i] - s->average[i]) * ((double)t / s->weights[i]);
        s->trial[i] = s->theta[i] + query_pull * (s->average[i] - s->theta[i]);
    }
    spread(s, s->trial, s->query);
}

/* A group's offsets are halved if the noise on its rates, averaged over all tables, has this
 * standard deviation. */
static const double noise_half = 0.12;

/* The fit warns about a group if the noise on its rates, averaged over all tables, has a standard
 * deviation above this limit. The remaining unfairness is then noticeable (docs/fit.md has a
 * table). The limit is for two classes. With K classes the largest gap of any class grows, so the
 * limit is multiplied by √(2/K). */
static const double noise_noticed = 0.08;

/* Returns the variance of the noise in a group's rates, in units of noise_half². The rates are
 * means over all tables. The result is the average over the statistics, weighted by their shares.
 * `variance` is the variance of one count in the mean of all tables. */
static double noise_of(const solver *s, size_t g, double variance) {
    size_t n = count_of(s);
    double first = 0.0, sum = 0.0, weight = 0.0;
    for (size_t i = g * n; i < (g + 1) * n; i++) {
        double labels = (double)s->statistics->sizes[i - g * n];
        double ratio = labels * variance / (s->people[i] * s->people[i] * noise_half * noise_half);
        first = i == g * n ? ratio : first;
        sum += s->shares[i] * (ratio - first);
        weight += s->shares[i];
    }
    return first + sum / weight;
}

/* Returns the mean square of a group's offsets, weighted by the shares of the statistics. */
static double signal_of(const solver *s, size_t g) {
    size_t n = count_of(s);
    double sum = 0.0, weight = 0.0;
    for (size_t i = g * n; i < (g + 1) * n; i++) {
        sum += s->shares[i] * s->average[i] * s->average[i];
        weight += s->shares[i];
    }
    return sum / weight;
}

/* Returns x, where shrink() divides the offsets of the group by 1 + x. With the rule `linear`, x is
 * smaller if the mean square of the offsets exceeds the variance of the noise, because noise alone
 * is unlikely to cause offsets that large. */
static double shrinkage(const solver *s, size_t g, double variance) {
    double ratio = noise_of(s, g, variance), square = ratio * ratio;
    double noise = ratio * noise_half * noise_half, signal = signal_of(s, g);
    if (s->rule == DP2DP_RULE_LINEAR && signal > noise) {
        square *= noise * noise / (signal * signal);
    }
    return square;
}

/* A group counts as hidden by noise if its offsets are divided by more than 1 + shrunk_noticed. */
static const double shrunk_noticed = 0.1;

/* Shrinks the offsets of groups whose counts are small compared with the noise. Such offsets are
 * mostly noise, so decisions are better with smaller offsets. Returns the warnings that follow from
 * the released tables. */
static unsigned shrink(solver *s) {
    unsigned warnings = 0;
    size_t n = count_of(s);
    double limit = noise_noticed * sqrt(2.0 / (double)s->classes);
    for (size_t g = 0; g < s->groups && s->row_precision > 0.0; g++) {
        double variance = 1.0 / (s->row_precision * (double)s->classes * (double)s->options->steps);
        double more = shrinkage(s, g, variance);
        s->shrunk |= more > shrunk_noticed;
        for (size_t i = g * n; i < (g + 1) * n; i++) {
            s->average[i] /= 1.0 + more;
            double labels = (double)s->statistics->sizes[i - g * n];
            if (sqrt(labels * variance) > limit * s->people[i]) {
                warnings |= DP2DP_WARNING_GROUP_TOO_SMALL;
            }
        }
    }
    return warnings;
}

static dp2dp_status iterate(solver *s, dp2dpi_counts_releases *releases, dp2dp_error *error) {
    uint64_t steps = s->options->steps;
    uint64_t averaged = (uint64_t)((double)steps * s->options->tail);
    uint64_t first_averaged = steps - (averaged > 0 ? averaged - 1 : 0);
    for (uint64_t t = 1; t <= steps; t++) {
        /* NULL means that all offsets are 0, as they are in the first step. */
        DP2DPI_TRY(dp2dpi_counts_table(releases, t > 1 ? s->query : NULL, s->table, error));
        refine_sizes(s);
        find_rates(s);
        dp2dpi_jumps_add(&s->jumps, s->query, s->table, s->sizes, count_variance(s, 1));
        find_gradient(s);
        dp2dpi_outcome_add(&s->outcome, t,
                           &(dp2dpi_outcome_table) {.rates = s->table,
                                                    .sizes = s->sizes,
                                                    .centred = s->gradient,
                                                    .people = s->people,
                                                    .offsets = s->trial});
        advance(s, t, first_averaged);
        DP2DPI_TRY(dp2dpi_fit_progress(s->options, t, steps, error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status solver_alloc(solver *s, dp2dp_error *error) {
    size_t cells = s->strata * s->classes, own = s->groups * count_of(s);
    size_t left = s->leaves_out ? 1 : 0;
    DP2DPI_TRY(DP2DPI_ALLOC(s->table,
                            2 * cells + 2 * s->strata + 2 * left + 11 * own + 2 * s->classes,
                            "a solver", error));
    s->query = s->table + cells + left;
    s->totals = s->query + cells;
    s->sizes = s->totals + s->strata + left;
    s->shares = s->sizes + s->strata;
    s->people = s->shares + own;
    s->reach = s->people + own;
    s->kappas = s->reach + own;
    s->gradient = s->kappas + own;
    s->theta = s->gradient + own;
    s->trial = s->theta + own;
    s->average = s->trial + own;
    s->weights = s->average + own;
    s->lengths = s->weights + own;
    s->outcome.gaps = s->lengths + own;
    s->outcome.own = s->outcome.gaps + own;
    s->outcome.ruled = s->outcome.own + s->classes;
    DP2DPI_TRY(DP2DPI_ALLOC(s->outcome.lines, own, "a solver", error));
    DP2DPI_TRY(DP2DPI_ALLOC(s->steps, own, "a solver", error));
    DP2DPI_TRY(dp2dpi_jumps_alloc(&s->jumps, error));
    for (size_t i = 0; i < own; i++) {
        s->steps[i] = dp2dpi_step_first();
    }
    return DP2DP_STATUS_OK;
}

/* Computes the shares of the strata from the first release, and the factors `reach`, by which step
 * lengths are multiplied. The numbers in the formula of `reach` were chosen on several data sets;
 * results depend little on these numbers. */
static void begin(solver *s, double *strata_shares) {
    size_t n = count_of(s), labels = labels_of(s);
    int weighted = s->rule == DP2DP_RULE_WEIGHTED;
    if (s->leaves_out) {
        s->kept = dp2dpi_rule_kept(s->totals, s->strata, s->records);
    }
    dp2dpi_rule_shares(s->totals, s->strata, s->kept, floor_of(s), strata_shares);
    for (size_t g = 0; g < s->groups; g++) {
        double group = 0.0;
        for (size_t y = 0; y < labels; y++) {
            group += strata_shares[g * labels + y];
        }
        for (size_t i = 0; i < n; i++) {
            double share = dp2dpi_statistic_people(s->statistics, i, g, strata_shares);
            s->shares[g * n + i] = share;
            s->reach[g * n + i] = labels > 1 ? (weighted ? 5.0 : 2.5) * sqrt(sqrt(share / group))
                                             : (weighted ? 4.0 : 1.0);
        }
    }
}

static double tolerance_of(const solver *s) {
    size_t n = count_of(s);
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) {
        double first = 0.0, second = 0.0;
        for (size_t g = 0; g < s->groups; g++) {
            double kappa = s->kappas[g * n + i];
            second = fmax(second, fmin(first, kappa));
            first = fmax(first, kappa);
        }
        largest = fmax(largest, first + second);
    }
    return largest;
}

static int is_at_limit(const solver *s) {
    for (size_t i = 0; i < s->groups * count_of(s); i++) {
        if (fabs(s->average[i]) > 0.999 * offset_max(s)) {
            return 1;
        }
    }
    return 0;
}

/* Sets offsets with which the rule gives class_index to everybody, whatever the scores are. Weights
 * sum to 1 and scores are below 2, so an offset of −4 for this class always wins. */
static void decide_for(const solver *s, int32_t class_index, double *offsets) {
    memset(offsets, 0, s->strata * s->classes * sizeof(double));
    for (size_t e = 0; e < s->strata; e++) {
        offsets[e * s->classes + (size_t)class_index] = -4.0;
    }
}

/* Judges the rule by the released tables, and adds warnings to the model. With the rule `offset`, a
 * group that is empty or hidden by noise causes no warning: its offsets reach their limit whatever
 * the data are.
 *
 * If the rule is not of the kind `offset` and a constant rule (one class for everybody) is clearly
 * better (see dp2dpi_outcome_constant), replaces the rule by the constant rule, which has no gap.
 */
static void judge_outcome(solver *s, dp2dp_model *model) {
    int apart = dp2dpi_outcome_is_apart(&s->outcome, s->kappas, s->people);
    int hidden = s->shrunk || dp2dpi_rule_is_floored(s->sizes, s->strata, floor_of(s) * s->kept);
    int missed = s->rule == DP2DP_RULE_OFFSET ? apart && !hidden : apart || is_at_limit(s);
    model->info.warnings |= missed ? (unsigned)DP2DP_WARNING_OUT_OF_REACH : 0;
    model->info.oddities =
        missed && s->foreign ? dp2dpi_outcome_judge_source(&s->outcome, s->people) : 0U;
    if (s->rule == DP2DP_RULE_OFFSET) {
        return;
    }
    int32_t constant = s->shrunk ? -1 : dp2dpi_outcome_constant(&s->outcome, s->sizes);
    model->info.tolerance = tolerance_of(s);
    int within = dp2dpi_outcome_is_within_noise(&s->outcome, s->people);
    model->info.warnings |= within ? (unsigned)DP2DP_WARNING_GAP_WITHIN_NOISE : 0;
    if (constant >= 0) {
        decide_for(s, constant, model->offsets);
        model->info.warnings |= DP2DP_WARNING_CONSTANT_RULE;
    }
}

/* Allocates all memory before the charge, because a failure after the charge would waste budget. */
dp2dp_status dp2dpi_counts_fit(const dp2dp_source *source, const dp2dp_fit_options *options,
                               const dp2dpi_statistics *statistics, dp2dp_model *model,
                               dp2dp_error *error) {
    solver s = {
        .options = options,
        .statistics = statistics,
        .rule = source->rule,
        .groups = source->strata / source->labels,
        .strata = source->strata,
        .classes = source->classes,
        .leaves_out = source->leaves_out,
        .foreign = dp2dpi_source_pool(source) == NULL,
        .records = (double)source->records,
        .kept = (double)source->records,
        .jumps = {.strata = source->strata,
                  .labels = source->labels,
                  .classes = source->classes,
                  .together = source->rule == DP2DP_RULE_WEIGHTED},
        .outcome = {.statistics = statistics,
                    .groups = source->strata / source->labels,
                    .classes = source->classes,
                    .steps = options->steps,
                    .labelled = source->labels > 1 && source->counted == DP2DP_COUNTED_LABELS}};
    dp2dpi_counts_releases releases = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(solver_alloc(&s, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_prepare(source, options, model->ledger, &releases, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_ask_first(&releases, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_charge(&releases, error));
    dp2dpi_counts_precision(&releases, &s.totals_precision, &s.row_precision);
    s.outcome.noise = count_variance(&s, 1);
    DP2DPI_TRY_OR_DONE(dp2dpi_counts_totals(&releases, s.totals, error));
    s.left_precision = s.totals_precision;
    begin(&s, model->shares);
    DP2DPI_TRY_OR_DONE(iterate(&s, &releases, error));
    model->info.warnings |= shrink(&s);
    spread(&s, s.average, model->offsets);
    judge_outcome(&s, model);
    model->info.warnings |= dp2dpi_rule_warn_kept(s.kept, s.records);
    model->info.kept =
        s.leaves_out ? dp2dpi_rule_tell_kept(s.kept, s.records, s.left_precision) : 0;
    /* If most people are left out and noise hides a group, jumps of the rates come from the noise
     * and not from ties (equal scores). */
    int hidden = s.shrunk && (model->info.warnings & DP2DP_WARNING_MOST_LEFT_OUT);
    model->info.warnings |= s.jumps.noticed && !hidden ? (unsigned)DP2DP_WARNING_TIES : 0;
done:
    dp2dpi_counts_releases_free(&releases);
    dp2dpi_jumps_free(&s.jumps);
    dp2dpi_free(s.outcome.lines);
    dp2dpi_free(s.steps);
    dp2dpi_free(s.table);
    return status;
}
