#include "phase2/remaining.h"

#include <math.h>

#include "base/error.h"
#include "decide/model.h"
#include "mechanism/release.h"

enum {
    HALVINGS = 7, /* the search may halve epsilon this many times. With an epsilon below a hundredth
                     of the total, the fit would be only noise */
    TRIALS = 60
};

/* The search may leave this share of the total unspent. */
static const double unspent = 1e-6;

static int is_exposed(const dp2dp_ledger *plan) {
    for (size_t i = 0; i < plan->size; i++) {
        if (plan->entries[i].event.mechanism == DP2DP_EXPOSED) {
            return 1;
        }
    }
    return 0;
}

unsigned dp2dpi_reasons_behind(const dp2dp_fit_options *o) {
    return (o->base ? o->base->info.not_private_because : 0) |
           (o->group_base ? o->group_base->info.not_private_because : 0) |
           (o->base_plan && is_exposed(o->base_plan)
                ? (unsigned)DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE
                : 0);
}

dp2dp_status dp2dpi_remaining_begin(dp2dp_fit_options *o, dp2dp_error *error) {
    if (o->base_plan && (o->base || !isnan(o->scores_epsilon))) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "give only one of base_plan, base and scores_epsilon");
    }
    if (o->total_epsilon == 0.0) {
        return DP2DP_STATUS_OK;
    }
    if (!(o->total_epsilon > 0.0) || !isnan(o->epsilon)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "total_epsilon = %g: it must be above 0, and epsilon must not be given "
                           "with it",
                           o->total_epsilon);
    }
    if (o->people != DP2DP_PEOPLE_SAME) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "total_epsilon is only for the scores of a model that was trained on "
                           "the people of the pool. If yours was, set same_people; if not, give "
                           "epsilon instead of total_epsilon");
    }
    if (o->solver == DP2DP_SOLVER_SGD_AS_PUBLISHED) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "total_epsilon cannot be used with solver sgd-as-published, because the epsilon of "
            "this solver is not a sound guarantee; use solver counts or sgd");
    }
    o->epsilon = o->total_epsilon;
    return DP2DP_STATUS_OK;
}

/* Computes what the scores and a fit with this `epsilon` together cost the people of the pool.
 * *cost is this cost as an ε at options->delta, or INFINITY if there is no bound. */
static dp2dp_status cost_at(const dp2dp_source *source, const dp2dp_fit_options *options,
                            double epsilon, double *cost, dp2dp_error *error) {
    dp2dp_fit_options trial = *options;
    dp2dp_ledger *ledger = NULL;
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    trial.epsilon = epsilon;
    trial.total_epsilon = 0.0;
    trial.ledger = NULL;
    DP2DPI_TRY(dp2dp_ledger_new(DP2DP_REPLACE_ONE, &ledger, error));
    DP2DPI_TRY_OR_DONE(dp2dp_fit_plan(source, &trial, ledger, error));
    DP2DPI_TRY_OR_DONE(dp2dp_ledger_account(ledger, &accountant, error));
    status =
        dp2dp_accountant_epsilon(accountant, trial.delta, DP2DP_BACKEND_AUTO, cost, NULL, error);
    if (status == DP2DP_STATUS_NO_BOUND) {
        *cost = INFINITY;
        status = DP2DP_STATUS_OK;
    }
done:
    dp2dp_accountant_free(accountant);
    dp2dp_ledger_free(ledger);
    return status;
}

/* One end of the interval that is searched: an epsilon of the fit, and the total cost of scores and
 * fit with this epsilon. */
typedef struct end {
    double epsilon, cost;
} end;

/* Returns the epsilon to try next, which is between good->epsilon and bad->epsilon. The square of
 * the cost is nearly linear in the square of epsilon, so the function interpolates between the
 * squares. Every third trial bisects instead. */
static double next_trial(const end *good, const end *bad, double total, int trial) {
    double share = 0.5, aim = total * (1.0 - 0.3 * unspent);
    if (trial % 3 != 2 && isfinite(bad->cost) && good->cost < aim) {
        share = (aim * aim - good->cost * good->cost) /
                (bad->cost * bad->cost - good->cost * good->cost);
    }
    double low = good->epsilon * good->epsilon, high = bad->epsilon * bad->epsilon;
    return sqrt(low + share * (high - low));
}

/* Halves epsilon until the cost is at most the total. Sets *good to this epsilon, and *bad to twice
 * this epsilon. */
static dp2dp_status find_good(const dp2dp_source *source, const dp2dp_fit_options *options,
                              end *good, end *bad, dp2dp_error *error) {
    double total = options->total_epsilon;
    for (int i = 0; i < HALVINGS; i++) {
        good->epsilon = bad->epsilon / 2.0;
        DP2DPI_TRY(cost_at(source, options, good->epsilon, &good->cost, error));
        if (good->cost <= total) {
            return DP2DP_STATUS_OK;
        }
        *bad = *good;
    }
    return dp2dpi_fail(
        error, DP2DP_STATUS_BUDGET,
        "total_epsilon = %g: the model behind the scores already costs these people about as much, "
        "so too little is left for the fit; train that model with a smaller epsilon",
        total);
}

dp2dp_status dp2dpi_remaining_find(const dp2dp_source *source, dp2dp_fit_options *options,
                                   dp2dp_error *error) {
    double total = options->total_epsilon;
    unsigned behind = options->not_private_because | dp2dpi_reasons_behind(options);
    if (total == 0.0 || isinf(total) || options->solver == DP2DP_SOLVER_EXACT) {
        return DP2DP_STATUS_OK;
    }
    if (behind & DP2DPI_NOT_PRIVATE_EXPOSED) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "total_epsilon: the model behind the scores was trained on these people without noise, "
            "so no total can be guaranteed; give epsilon instead, which counts only the fit");
    }
    end good, bad = {.epsilon = total, .cost = INFINITY};
    DP2DPI_TRY(find_good(source, options, &good, &bad, error));
    for (int i = 0; i < TRIALS && good.cost < total * (1.0 - unspent) &&
                    bad.epsilon - good.epsilon > unspent * good.epsilon;
         i++) {
        end trial = {.epsilon = next_trial(&good, &bad, total, i)};
        DP2DPI_TRY(cost_at(source, options, trial.epsilon, &trial.cost, error));
        *(trial.cost <= total ? &good : &bad) = trial;
    }
    options->epsilon = good.epsilon;
    options->total_epsilon = 0.0;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_remaining_refuse_plan(const dp2dp_fit_options *options, dp2dp_error *error) {
    return options->base_plan
               ? dp2dpi_fail(
                     error, DP2DP_STATUS_ARGUMENT,
                     "base_plan is only for dp2dp_fit_plan; to run the fit, give base instead")
               : DP2DP_STATUS_OK;
}
