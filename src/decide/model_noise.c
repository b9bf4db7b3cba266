#include "decide/model_noise.h"

#include "mechanism/ledger.h"

static const dp2dp_event *last_event(const dp2dp_ledger *ledger) {
    return ledger->size > 0 ? &ledger->entries[ledger->size - 1].event : NULL;
}

/* Returns the standard deviation that the noise of the whole fit adds to the rate of a class among
 * this many people. */
static double noise_of_rate(const dp2dp_model_info *info, const dp2dp_event *event, double people) {
    double mu = sqrt((double)event->count) * event->sensitivity / event->sigma;
    return people > 0 ? sqrt(2 * (1 - 1 / (double)info->classes)) / (mu * people) : NAN;
}

/* Returns the noise relative to its scale. For noisy gradients, divides the noise on the mean
 * gradient, averaged over the steps, by the clip norm. For noisy weights W (method output), divides
 * the noise on W by the radius of the ball in which the penalty Λ keeps W: Λ/2 |W|² ≤ log K, with K
 * outputs. */
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
    for (size_t e = 0; e < info->strata; e++) {
        double people = info->shares[e] * (double)info->records;
        model->rate_noise[e] = counted ? noise_of_rate(info, event, people) : NAN;
    }
    info->classifier_noise =
        c && event && c->method != DP2DP_TRAIN_EXTERNAL && event->mechanism != DP2DP_EXPOSED
            ? noise_of_classifier(c, event)
            : NAN;
}
