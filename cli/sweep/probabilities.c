/* --method probabilities-as-published: adds noise to each probability, as the paper's experiments
 * do. This noise protects nobody (docs/paper-notes/output-perturbation.md). Only sweep has this
 * method, to measure what the noise does. */
#include "sweep/sweep.h"

#include <math.h>

#include "common/random.h"

/* Finds the noise with which the paper would claim (epsilon, delta). The paper counts one Gaussian
 * release of sensitivity 1/n, for n people in the train part, and uses a Renyi accountant. */
static dp2dp_status find_sigma(const cli_pipeline *p, const cli_trial *t, double *sigma,
                               dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event event = DP2DP_EVENT_INIT;
    dp2dp_status status = DP2DP_STATUS_OK;
    event.mechanism = DP2DP_GAUSSIAN;
    event.sensitivity = 1;
    CLI_TRY(dp2dp_accountant_new(DP2DP_ADD_REMOVE, &accountant, error));
    CLI_TRY_OR_DONE(dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_RDP, DP2DP_FIND_SIGMA,
                                               p->fit.epsilon, p->fit.delta, &event, NULL, error));
    *sigma = event.sigma / (double)t->sizes[CLI_PART_TRAIN];
done:
    dp2dp_accountant_free(accountant);
    return status;
}

static void put_score(cli_rows *rows, size_t i, double x) {
    if (rows->type == DP2DP_FLOAT32) {
        ((float *)rows->scores)[i] = (float)x;
    } else {
        ((double *)rows->scores)[i] = x;
    }
}

/* Clips the scores of a noisy row to [0, 1] and divides them by their sum, because a rule needs
 * probabilities. Neither step looks at the data again. */
static void make_probabilities(cli_rows *rows, size_t row) {
    size_t first = row * rows->classes, end = first + rows->classes;
    double sum = 0;
    for (size_t i = first; i < end; i++) {
        put_score(rows, i, fmin(1, fmax(0, cli_rows_score(rows, i))));
        sum += cli_rows_score(rows, i);
    }
    for (size_t i = first; i < end; i++) {
        put_score(rows, i, sum > 0 ? cli_rows_score(rows, i) / sum : 1 / (double)rows->classes);
    }
}

static void perturb(cli_rows *rows, uint64_t seed, double sigma) {
    cli_random random = cli_random_insecure(seed);
    for (size_t row = 0; row < rows->count; row++) {
        for (size_t k = 0; k < rows->classes; k++) {
            size_t i = row * rows->classes + k;
            put_score(rows, i, cli_rows_score(rows, i) + sigma * cli_random_normal(&random));
        }
        make_probabilities(rows, row);
    }
}

dp2dp_status cli_sweep_perturb(const cli_pipeline *p, cli_trial *t, dp2dp_error *error) {
    double sigma = 0;
    if (isinf(p->fit.epsilon)) {
        return DP2DP_STATUS_OK;
    }
    CLI_TRY(find_sigma(p, t, &sigma, error));
    perturb(&t->pool, cli_trial_seed(p, t->index, "noise of pool"), sigma);
    perturb(&t->test, cli_trial_seed(p, t->index, "noise of test"), sigma);
    return DP2DP_STATUS_OK;
}
