#include "decide/model_noise.h"

#include "mechanism/ledger.h"

static const dp2dp_event *last_event(const dp2dp_ledger *ledger) {
    return ledger->size > 0 ? &ledger->entries[ledger->size - 1].event : NULL;
}

/* Returns the standard deviation of the noise that the whole fit adds to the rate of a class among
 * this many people. */
static double noise_of_rate(const dp2dp_model_info *info, const dp2dp_event *event, double people) {
    double mu = sqrt((double)event->count) * event->sensitivity / event->sigma;
    return people > 0 ? sqrt(2 * (1 - 1 / (double)info->classes)) / (mu * people) : NAN;
}

/* Returns the standard deviation of the noise in the number of people of a stratum. `event` has the
 * noise of the tables of counts. These tables spend the fraction 1 − share_budget of the privacy
 * budget (μ² of Gaussian DP), and the numbers of people spend the fraction share_budget. */
static double noise_of_size(const dp2dp_model_info *info, const dp2dp_event *event) {
    double share = info->options->share_budget;
    double mu = sqrt((double)event->count) * event->sensitivity / event->sigma;
    return event->sensitivity / (mu * sqrt(share / (1 - share)));
}

/* The rates of a group count as noisy if the standard deviation of their noise is above this limit.
 * Above the limit, noise alone can make the rates of two groups differ by several hundredths. */
static const double noise_noticed = 0.025;

/* Returns 1 if the rates of some group are noisy. Always returns 0 if the rule has labels, because
 * the fit of such a rule does not correct gaps that are within their noise.
 *
 * The share of a group comes from a noisy count. If the share is too large, the noise in the rates
 * of the group looks too small. So the test first subtracts two standard deviations of the noisy
 * count from the size of each group. */
static int is_noisy(const dp2dp_model_info *info, const dp2dp_event *event) {
    for (size_t e = 0; e < info->strata && info->labels == 1; e++) {
        double people = fmax(info->shares[e] * dp2dpi_model_kept(info) - 2 * info->size_noise, 1);
        if (noise_of_rate(info, event, people) > noise_noticed) {
            return 1;
        }
    }
    return 0;
}

/* Returns the norm of the noise in a classifier, divided by a bound on the norm without noise.
 *
 * - Noisy gradients: the noise is averaged over all steps, and the bound is the clip norm, which no
 *   gradient exceeds.
 * - Noisy weights W (training method `output`): the bound is √(2 log K / Λ), where Λ is the penalty
 *   and K the number of outputs. It follows from Λ/2 |W|² ≤ log K. */
static double noise_of_classifier(const dp2dp_classifier *c, const dp2dp_event *event) {
    double norm = event->sigma * sqrt((double)event->coordinates);
    if (c->method == DP2DP_TRAIN_OUTPUT) {
        return norm / sqrt(2 * log((double)c->outputs) / c->options->penalty);
    }
    double rate = event->rate > 0 ? event->rate : 1;
    return norm / (rate * (double)c->records * sqrt((double)event->count));
}

void dp2dpi_model_find_noise(dp2dp_model *model) {
    dp2dp_model_info *info = &model->info;
    const dp2dp_event *event = last_event(model->ledger);
    const dp2dp_classifier *c = info->strata == 0 ? info->classifier : NULL;
    int counted = event && info->solver == DP2DP_SOLVER_COUNTS && !isinf(info->options->epsilon);
    info->size_noise = counted ? noise_of_size(info, event) : NAN;
    for (size_t e = 0; e < info->strata; e++) {
        double people = info->shares[e] * dp2dpi_model_kept(info);
        model->rate_noise[e] = counted ? noise_of_rate(info, event, people) : NAN;
    }
    info->warnings &= ~(unsigned)DP2DP_WARNING_RATES_NOISY;
    /* The warning GROUP_TOO_SMALL is stronger and makes RATES_NOISY superfluous. */
    if (counted && !(info->warnings & DP2DP_WARNING_GROUP_TOO_SMALL) && is_noisy(info, event)) {
        info->warnings |= DP2DP_WARNING_RATES_NOISY;
    }
    info->classifier_noise =
        c && event && c->method != DP2DP_TRAIN_EXTERNAL && event->mechanism != DP2DP_EXPOSED
            ? noise_of_classifier(c, event)
            : NAN;
}
