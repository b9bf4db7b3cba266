#include "phase1/descent.h"

#include <math.h>

#include "base/alloc.h"

enum {
    STEPS_DEFAULT = 200,
    GRID_BITS_MIN = 22 /* the proof in docs/proofs/dpgd.md needs at least this many grid bits */
};

/* Describes all releases of a run as one accounting event. The sensitivity and noise of the event
 * are in units of clip, so the charge does not depend on clip. For dpsgd, the rate of the event is
 * the exact rate at which the mask samples records, a multiple of 2^-64. */
static dp2dpi_release_plan describe(const dp2dpi_examples *e, const dp2dp_train_options *options) {
    /* The sensitivity is 2 because the removed record and the added record each have norm at most
     * 1. */
    dp2dpi_release_plan plan = {
        .events = {dp2dpi_release_gaussian(2.0, 2.0, dp2dpi_examples_cells(e), "gradient sums")},
        .n = 1,
        .most = (double)e->records,
        .records = (double)e->records,
        .least_bits = GRID_BITS_MIN};
    dp2dp_event *event = &plan.events[0];
    event->count = options->steps;
    if (options->method == DP2DP_TRAIN_DPSGD) {
        double rate = (double)options->batch / (double)e->records;
        event->mechanism = DP2DP_POISSON;
        event->rate = rate < 1.0 ? ldexp(ceil(ldexp(rate, 64)), -64) : 1.0;
    }
    return plan;
}

dp2dp_status dp2dpi_descent_open(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                 dp2dp_ledger *own, dp2dpi_release *out, dp2dp_error *error) {
    dp2dpi_release_plan plan = describe(e, options);
    dp2dpi_release_terms terms = dp2dpi_train_terms(options, own);
    return dp2dpi_release_new(&terms, &plan, out, error);
}

/* Returns the largest norm that a row can have, including the entry 1 for the bias. Clipping to
 * this norm changes no row. */
static double clip_of_rows(const dp2dpi_examples *e) {
    return sqrt(e->norm * e->norm + 1.0);
}

static dp2dp_gradient_question question_of(const dp2dpi_descent *d, dp2dp_term term, double clip) {
    dp2dp_gradient_question question = DP2DP_GRADIENT_QUESTION_INIT;
    question.term = term;
    question.grid_bits = (unsigned)d->release.grid_bits;
    question.features = d->examples->width;
    question.outputs = d->examples->outputs;
    question.weights = d->applied;
    question.levels = d->levels;
    question.clip = clip;
    return question;
}

/* Prepares the releases, asks the caller's source for the sum of the rows, and checks with this sum
 * how many records the source has. Charges only after this check. */
static dp2dp_status open_with_source(dp2dpi_descent *d, const dp2dp_train_options *options,
                                     dp2dp_ledger *own, dp2dp_error *error) {
    static const char charged[] = "nothing was charged";
    const dp2dpi_examples *e = d->examples;
    const dp2dpi_release_plan plan = describe(e, options);
    const dp2dpi_release_terms terms = dp2dpi_train_terms(options, own);
    DP2DPI_TRY(dp2dpi_release_prepare(&terms, &plan, &d->release, error));
    const dp2dp_gradient_question question = question_of(d, DP2DP_TERM_ROW, clip_of_rows(e));
    int64_t *rows = d->release.sum;
    DP2DPI_TRY(dp2dpi_sums_ask(e->source, &question, rows, charged, error));
    DP2DPI_TRY(dp2dpi_sums_check_records(e->source, &question, rows, charged, error));
    d->has_rows = 1;
    return dp2dpi_release_charge(&d->release, error);
}

dp2dp_status dp2dpi_descent_new(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                dp2dp_ledger *own, dp2dpi_descent *out, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    dp2dp_event event = describe(e, options).events[0];
    *out = (dp2dpi_descent) {.examples = e, .batch = (double)e->records};
    if (e->source == NULL) {
        DP2DPI_TRY(dp2dpi_gradient_new(e, &out->gradient, error));
    }
    if (event.mechanism == DP2DP_POISSON) {
        out->batch *= event.rate;
        DP2DPI_TRY(DP2DPI_ALLOC(out->mask, e->records, "a sampling mask", error));
        out->gradient.mask = out->mask;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(out->levels, e->width + cells, "levels", error));
    for (size_t j = 0; j < e->width; j++) {
        out->levels[j] = 1.0;
    }
    out->applied = out->levels + e->width;
    return e->source ? open_with_source(out, options, own, error)
                     : dp2dpi_descent_open(e, options, own, &out->release, error);
}

void dp2dpi_descent_free(dp2dpi_descent *d) {
    dp2dpi_wipe_and_free(d->mask, d->mask ? d->examples->records : 0);
    dp2dpi_free(d->levels);
    dp2dpi_release_free(&d->release);
    dp2dpi_gradient_free(&d->gradient);
    *d = (dp2dpi_descent) {0};
}

/* Multiplies the weights of feature j by levels[j]. This changes the logits as if feature j of
 * every row were multiplied by levels[j]. */
static void apply_levels(const dp2dpi_descent *d, const double *weights, double *out) {
    const dp2dpi_examples *e = d->examples;
    for (size_t c = 0; c < dp2dpi_examples_cells(e); c++) {
        out[c] = weights[c] * (c < e->width * e->outputs ? d->levels[c / e->outputs] : 1.0);
    }
}

dp2dp_status dp2dpi_descent_release(dp2dpi_descent *d, dp2dp_term term, const double *weights,
                                    double clip, double *out, dp2dp_error *error) {
    const dp2dpi_examples *e = d->examples;
    size_t cells = dp2dpi_examples_cells(e);
    int known = d->has_rows && term == DP2DP_TERM_ROW;
    d->has_rows = 0;
    if (d->mask) {
        DP2DPI_TRY(dp2dpi_release_mask(&d->release, 0, e->records, d->mask, error));
    }
    if (!known) {
        const dp2dp_gradient_question question = question_of(d, term, clip);
        const dp2dp_gradient_source source = e->source ? *e->source : dp2dpi_sums_of(&d->gradient);
        apply_levels(d, weights, d->applied);
        DP2DPI_TRY(dp2dpi_sums_ask(&source, &question, d->release.sum,
                                   "the training was charged, and the charge stays in the ledger",
                                   error));
    }
    DP2DPI_TRY(dp2dpi_release_draw(&d->release, 0, cells, d->release.sum, out, error));
    for (size_t c = 0; c < cells; c++) {
        out[c] *= clip / d->batch;
    }
    return DP2DP_STATUS_OK;
}

/* The state of a training run. `done` counts the releases so far. The vectors `now`, `velocity` and
 * `seen` have one number per cell, that is, per weight (train.h). */
typedef struct run {
    dp2dpi_descent d;
    const dp2dp_train_options *options;
    uint64_t done;
    double *now, *velocity, *seen;
} run;

static dp2dp_status release(run *r, dp2dp_term term, double clip, dp2dp_error *error) {
    const dp2dp_train_options *o = r->options;
    DP2DPI_TRY(dp2dpi_descent_release(&r->d, term, r->now, clip, r->seen, error));
    r->done++;
    if (o->progress && o->progress(o->progress_context, r->done, o->steps) != 0) {
        return dp2dpi_fail(error, DP2DP_STATUS_CANCELLED,
                           "training was cancelled; the charges stay in the ledger");
    }
    return DP2DP_STATUS_OK;
}

/* Learns a factor for each level (a value of a categorical column) from `count` releases. The
 * factor is 1 − f², where f is the share of rows with the level. So a level that nearly all
 * rows have gets a small factor: such a level says little more than the bias but makes every
 * gradient longer. A level that half of the rows have may say much, and keeps three quarters. */
static dp2dp_status learn_levels(run *r, uint64_t count, dp2dp_error *error) {
    const dp2dpi_examples *e = r->d.examples;
    double *share = r->velocity;
    for (uint64_t t = 1; t <= count; t++) {
        DP2DPI_TRY(release(r, DP2DP_TERM_ROW, clip_of_rows(e), error));
        for (size_t j = e->rows->numbers; j < e->width; j++) {
            share[j] += r->seen[j * e->outputs] / (double)count;
        }
    }
    for (size_t j = e->rows->numbers; j < e->width; j++) {
        double f = fmin(fmax(share[j], 0.0), 1.0);
        r->d.levels[j] = rint((1.0 - f * f) * DP2DPI_LEVEL_UNITS) / DP2DPI_LEVEL_UNITS;
        share[j] = 0.0;
    }
    return DP2DP_STATUS_OK;
}

/* Runs gradient descent with heavy-ball momentum: v ← m v + g, w ← w − η v. Writes the unweighted
 * average of the last iterates w. */
static dp2dp_status descend(run *r, uint64_t steps, double *average, dp2dp_error *error) {
    const dp2dp_train_options *o = r->options;
    size_t cells = dp2dpi_examples_cells(r->d.examples);
    uint64_t averaged = (uint64_t)((double)steps * o->tail);
    averaged = averaged < 1 ? 1 : averaged;
    double seen = 0.0;
    for (uint64_t t = 1; t <= steps; t++) {
        DP2DPI_TRY(release(r, DP2DP_TERM_GRADIENT, o->clip, error));
        seen += t > steps - averaged ? 1.0 : 0.0;
        for (size_t c = 0; c < cells; c++) {
            r->velocity[c] = o->momentum * r->velocity[c] + r->seen[c];
            r->now[c] -= o->step_size * r->velocity[c];
            average[c] += seen > 0.0 ? (r->now[c] - average[c]) / seen : 0.0;
        }
    }
    return DP2DP_STATUS_OK;
}

/* Multiplies the weights by one factor, fitted by maximum likelihood with the last releases
 * (temperature scaling). The factor is needed because clipped gradients give logits with the right
 * sign and order but the wrong size. A single factor needs little noise, and the derivative with
 * respect to this factor is clipped far less often than a gradient. */
static dp2dp_status temper(run *r, uint64_t steps, double *weights, dp2dp_error *error) {
    static const double momentum = 0.5, cut = 4.0, factor_min = 0.05;
    const dp2dp_train_options *o = r->options;
    size_t cells = dp2dpi_examples_cells(r->d.examples);
    double factor = 1.0, velocity = 0.0, average = 0.0, ratio = (double)o->steps / (double)steps;
    double step = (1.0 - momentum) / (1.0 - o->momentum) * sqrt(ratio) * o->step_size / (cut * cut);
    uint64_t first = steps / 2;
    step = fmin(step, 0.5);
    for (uint64_t t = 1; t <= steps; t++) {
        for (size_t c = 0; c < cells; c++) {
            r->now[c] = factor * weights[c];
        }
        DP2DPI_TRY(release(r, DP2DP_TERM_SLOPE, cut * factor * o->clip, error));
        velocity = momentum * velocity + r->seen[0] / factor;
        factor = fmax(factor - step * velocity, factor_min);
        average += t > first ? factor / (double)(steps - first) : 0.0;
    }
    for (size_t c = 0; c < cells; c++) {
        weights[c] *= average;
    }
    return DP2DP_STATUS_OK;
}

/* One release in 50 estimates the factors of the levels (learn_levels), if there are categorical
 * columns. One in 25 estimates the factor of the logits (temper). */
enum {
    STEPS_PER_LEVELS = 50,
    STEPS_PER_FACTOR = 25
};

dp2dp_status dp2dpi_descent_train(const dp2dpi_examples *e, const dp2dp_train_options *options,
                                  dp2dp_ledger *own, double *weights, dp2dp_error *error) {
    size_t cells = dp2dpi_examples_cells(e);
    uint64_t levels = e->rows->categories > 0 ? options->steps / STEPS_PER_LEVELS : 0;
    uint64_t factor = options->steps / STEPS_PER_FACTOR;
    run r = {.options = options};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(DP2DPI_ALLOC(r.now, 3 * cells, "gradient descent", error));
    r.velocity = r.now + cells;
    r.seen = r.velocity + cells;
    DP2DPI_TRY_OR_DONE(dp2dpi_descent_new(e, options, own, &r.d, error));
    DP2DPI_TRY_OR_DONE(learn_levels(&r, levels, error));
    DP2DPI_TRY_OR_DONE(descend(&r, options->steps - levels - factor, weights, error));
    if (factor > 0) {
        DP2DPI_TRY_OR_DONE(temper(&r, factor, weights, error));
    }
    apply_levels(&r.d, weights, weights);
done:
    dp2dpi_descent_free(&r.d);
    dp2dpi_free(r.now);
    return status;
}

/* Bounds the default step size η by 2 · travel · (1 − m)/(s T). m is the momentum, T the number of
 * steps and s = 2 clip/(μ n) the standard deviation of the noise on the mean gradient. n is the
 * number of records and μ the Gaussian privacy parameter of (ε, δ).
 *
 * With larger steps, descent would also converge in directions in which the loss has a curvature h
 * far below s. In these directions the noise would leave an error of s/h in the weights, which is
 * larger than typical weights (about 1). */
static const double travel = 0.4;
static const double step_max = 2.0;
static const uint64_t batch_max = 1000000000;

/* Refuses a clip that is larger than any gradient, because the noise grows with the clip. A
 * gradient is (softmax - onehot) ⊗ row; the first factor has norm at most 1 if there is one output,
 * and at most sqrt(2) otherwise. The limit is rounded up, so that the longest gradient is allowed.
 * Uses public numbers only. */
static dp2dp_status check_clip(const dp2dpi_examples *e, const dp2dp_train_options *o,
                               dp2dp_error *error) {
    double longest = clip_of_rows(e) * (e->outputs > 1 ? sqrt(2.0) : 1.0);
    double limit = ceil(longest * 100.0) / 100.0;
    if (isinf(o->epsilon) || o->clip <= limit) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                       "clip = %g: no gradient is longer than %.10g with norm %g, so a larger clip "
                       "only adds noise; use at most %.10g",
                       o->clip, limit, e->norm, limit);
}

dp2dp_status dp2dpi_descent_resolve(const dp2dpi_examples *e, dp2dp_train_options *used,
                                    dp2dp_error *error) {
    double n = (double)e->records, unit = 0.0;
    DP2DPI_TRY(check_clip(e, used, error));
    used->steps = used->steps > 0 ? used->steps : STEPS_DEFAULT;
    if (used->method == DP2DP_TRAIN_DPSGD) {
        used->batch = used->batch > 0 ? used->batch : e->records / 10 + 1;
        used->batch = used->batch < e->records ? used->batch : e->records;
        used->batch = used->batch < batch_max ? used->batch : batch_max;
    } else { /* a model trained by dpgd must not report a batch */
        used->batch = 0;
    }
    if (used->step_size > 0.0) {
        return DP2DP_STATUS_OK;
    }
    used->step_size = fmin(step_max, 32.0 / (e->norm * e->norm + 1.0));
    if (!isinf(used->epsilon)) {
        dp2dpi_release_terms terms = dp2dpi_train_terms(used, NULL);
        DP2DPI_TRY(dp2dpi_release_unit_sigma(&terms, 1, 0.0, &unit, error));
        double length =
            travel * n / (unit * used->clip) * (1.0 - used->momentum) / (double)used->steps;
        used->step_size = fmin(used->step_size, length);
    }
    return DP2DP_STATUS_OK;
}
