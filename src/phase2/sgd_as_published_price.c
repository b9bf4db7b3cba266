#include "phase2/sgd_as_published_price.h"

#include <math.h>

#include "num/elementary.h"
#include "phase2/sgd_release.h"

static const double four_root_two = 5.65685424949238058190; /* 4√2, rounded up */
static const double count_delta = 0.01; /* fraction of δ that the check of the noisy counts uses */

static dp2dp_event claimed_sums(const dp2dp_fit_options *options, uint64_t records, double sigma) {
    dp2dp_event event = dp2dpi_release_gaussian(4.0, sigma, 0, NULL);
    event.mechanism = DP2DP_POISSON;
    event.rate = (double)options->batch / (double)records;
    event.count = options->steps;
    return event;
}

/* Makes an accountant with the paper's assumptions, and adds the release of the group counts. */
static dp2dp_status claim_new(const dp2dpi_published_claim *claim, dp2dp_accountant **out,
                              dp2dp_error *error) {
    dp2dp_event totals = dp2dpi_release_gaussian(1.0, claim->sigma_totals, 0, NULL);
    DP2DPI_TRY(dp2dp_accountant_new(DP2DP_ADD_REMOVE, out, error));
    return dp2dp_accountant_add(*out, &totals, error);
}

dp2dp_status dp2dpi_published_calibrate(const dp2dp_fit_options *options, uint64_t records,
                                        dp2dpi_published_claim *claim, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event sums = claimed_sums(options, records, 0.0);
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dpi_sgd_totals_sigma(options, &claim->sigma_totals, error));
    DP2DPI_TRY_OR_DONE(claim_new(claim, &accountant, error));
    DP2DPI_TRY_OR_DONE(dp2dp_accountant_calibrate(accountant, DP2DP_BACKEND_RDP, DP2DP_FIND_SIGMA,
                                                  options->epsilon, options->delta, &sums,
                                                  &claim->epsilon, error));
    claim->sigma_sums = sums.sigma;
done:
    dp2dp_accountant_free(accountant);
    return status;
}

dp2dp_status dp2dpi_published_claimed(const dp2dp_fit_options *options, uint64_t records,
                                      dp2dpi_published_claim *claim, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_event sums = claimed_sums(options, records, claim->sigma_sums);
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(claim_new(claim, &accountant, error));
    DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &sums, error));
    DP2DPI_TRY_OR_DONE(dp2dp_accountant_epsilon(accountant, options->delta, DP2DP_BACKEND_RDP,
                                                &claim->epsilon, NULL, error));
done:
    dp2dp_accountant_free(accountant);
    return status;
}

/* Computes the ε of the entries in *price at this delta. Sets *epsilon to INFINITY if no bound is
 * certified. */
static dp2dp_status epsilon_of(const dp2dpi_published_price *price, double delta, double *epsilon,
                               dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(dp2dp_accountant_new(DP2DP_REPLACE_ONE, &accountant, error));
    for (size_t i = 0; i < price->size; i++) {
        DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &price->entries[i], error));
    }
    status = dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, epsilon, NULL, error);
    if (status == DP2DP_STATUS_NO_BOUND) {
        *epsilon = INFINITY;
        status = DP2DP_STATUS_OK;
    }
done:
    dp2dp_accountant_free(accountant);
    return status;
}

/* Completes and prices a copy of *with. The caller has put the event of the gradient sums after the
 * last entry of *with. In the copy, this event becomes an entry, with this population and this
 * sensitivity. If the ε of the copy is the smallest so far, writes the copy to *out. */
static dp2dp_status consider(const dp2dpi_published_price *with, double population,
                             double sensitivity, double delta, double *epsilon_min,
                             dp2dpi_published_price *out, dp2dp_error *error) {
    dp2dpi_published_price variant = *with;
    double epsilon = INFINITY;
    dp2dp_event *sums = &variant.entries[variant.size++];
    sums->mechanism = DP2DP_WITH_REPLACEMENT;
    sums->population = floor(population);
    sums->sensitivity = sensitivity;
    if (sums->population >= 2.0) {
        DP2DPI_TRY(epsilon_of(&variant, delta, &epsilon, error));
    }
    if (epsilon < *epsilon_min) {
        *epsilon_min = epsilon;
        *out = variant;
    }
    return DP2DP_STATUS_OK;
}

/* Computes the cost under this assumption: if a group has fewer than n_min people, the check of the
 * noisy counts stops the fit. The assumption holds with probability at least 1 − δ₀, where δ₀ =
 * count_delta × δ. The check requires a noisy count of at least n_min + t, so a smaller group
 * passes the check only if the noise of its count exceeds t. Discrete Gaussian noise of scale σ
 * reaches t with probability at most exp(−t²/2σ²), which is at most δ₀. */
static dp2dp_status price_with_group_min(const dp2dp_fit_options *options, uint64_t records,
                                         const dp2dp_event *sums, dp2dpi_published_price *out,
                                         dp2dp_error *error) {
    double n_min = (double)options->group_least, others = (double)records - n_min + 1.0;
    double delta = count_delta * options->delta, epsilon_min = INFINITY;
    double t = out->entries[0].sigma * sqrt(-2.0 * dp2dpi_log(delta)) * (1.0 + 1e-12);
    dp2dpi_published_price with = *out;
    dp2dp_event check = DP2DP_EVENT_INIT;
    check.mechanism = DP2DP_DECLARED;
    check.delta = delta;
    check.label = "group sizes checked on the noisy counts";
    check.set = sums->set;
    check.role = sums->role;
    check.release_id = sums->release_id;
    with.entries[with.size++] = check;
    with.entries[with.size] = *sums;
    with.entries[with.size].draws = options->batch;
    with.count_least = n_min + t;
    with.bounded = 1;
    double population = 2.0 / (1.0 / n_min + 1.0 / others) * (1.0 - 1e-15);
    DP2DPI_TRY(
        consider(&with, population, four_root_two, options->delta, &epsilon_min, out, error));
    return consider(&with, n_min, 4.0, options->delta, &epsilon_min, out, error);
}

dp2dp_status dp2dpi_published_price_of(const dp2dp_fit_options *options, uint64_t records,
                                       const dp2dp_event *totals, const dp2dp_event *sums,
                                       dp2dpi_published_price *out, dp2dp_error *error) {
    *out = (dp2dpi_published_price) {.size = 1, .count_least = -INFINITY};
    out->entries[0] = *totals;
    out->entries[0].sensitivity = DP2DPI_COUNTS_SENSITIVITY;
    if (options->group_least > 0) {
        DP2DPI_TRY(price_with_group_min(options, records, sums, out, error));
    }
    if (!out->bounded) { /* replacing a person changes each of the draws by at most 4√2 */
        out->entries[1] = *sums;
        out->entries[1].sensitivity = four_root_two * (double)options->batch * (1.0 + 1e-15);
        out->size = 2;
    }
    return DP2DP_STATUS_OK;
}
