#include <math.h>
#include <string.h>

#include "accountant/accountant_internal.h"
#include "accountant/backend.h"
#include "accountant/event.h"
#include "accountant/renyi.h"
#include "base/alloc.h"
#include "num/elementary.h"

dp2dp_status dp2dp_accountant_new(dp2dp_adjacency adjacency, dp2dp_accountant **out,
                                  dp2dp_error *error) {
    *out = NULL;
    DP2DPI_TRY(dp2dpi_adjacency_check(adjacency, error));
    DP2DPI_TRY(DP2DPI_ALLOC(*out, 1, "an accountant", error));
    (*out)->adjacency = adjacency;
    return DP2DP_STATUS_OK;
}

void dp2dp_accountant_free(dp2dp_accountant *accountant) {
    if (accountant) {
        for (size_t i = 0; i < accountant->n; i++) {
            dp2dpi_event_clear(&accountant->events[i]);
        }
        dp2dpi_free(accountant->events);
        dp2dpi_free(accountant);
    }
}

dp2dp_status dp2dp_accountant_add(dp2dp_accountant *accountant, const dp2dp_event *event,
                                  dp2dp_error *error) {
    dp2dp_event checked;
    DP2DPI_TRY(dp2dpi_event_read(event, accountant->adjacency, &checked, error));
    void *events = accountant->events;
    DP2DPI_TRY(dp2dpi_grow("events", accountant->n, sizeof(dp2dp_event), &events,
                           &accountant->capacity, error));
    accountant->events = events;
    checked.label = checked.release_id = NULL;
    DP2DPI_TRY(dp2dpi_event_copy(&checked, &accountant->events[accountant->n], error));
    accountant->n++;
    return DP2DP_STATUS_OK;
}

static const char *set_of(const dp2dp_event *event) {
    return event->set && *event->set ? event->set : event->role ? event->role : "";
}

static int same_release(const dp2dpi_loss *a, const dp2dpi_loss *b) {
    return a->kind == b->kind && a->shift == b->shift && a->q == b->q && a->draws == b->draws &&
           a->epsilon == b->epsilon && a->delta == b->delta;
}

/* Collects the losses of all events about the set of people named `set`, and of all events that
 * name neither a set nor a role, which are about everybody. Merges all Gaussian losses into one
 * loss, whose μ² is the sum of the μ² of the merged losses (μ = sensitivity/σ). Merges equal
 * releases into one loss with a larger count. */
static dp2dpi_composition gather(const dp2dp_accountant *accountant, const char *set,
                                 dp2dpi_direction direction, dp2dpi_loss *losses) {
    double square = 0.0, slack = 0.0;
    size_t n = 0;
    int exposed = 0;
    for (size_t i = 0; i < accountant->n; i++) {
        const dp2dp_event *event = &accountant->events[i];
        if (set_of(event)[0] && strcmp(set_of(event), set) != 0) {
            continue;
        }
        if (event->mechanism == DP2DP_EXPOSED) {
            exposed = 1;
            continue;
        }
        dp2dpi_loss loss = dp2dpi_event_loss(event, accountant->adjacency, direction);
        slack += dp2dpi_event_slack(event);
        if (loss.kind == DP2DPI_LOSS_GAUSSIAN) {
            square += loss.count * loss.shift * loss.shift;
            continue;
        }
        size_t k = 0;
        while (k < n && !same_release(&losses[k], &loss)) {
            k++;
        }
        if (k < n) {
            losses[k].count += loss.count;
        } else {
            losses[n++] = loss;
        }
    }
    if (square > 0.0) {
        /* The factor makes up for the rounding of `square`, in which each addition may have lost
         * half a unit in the last place. */
        double mu = sqrt(square) * (1.0 + (4.0 + 0.5 * (double)accountant->n) * DP2DPI_ULP);
        losses[n++] = (dp2dpi_loss) {.kind = DP2DPI_LOSS_GAUSSIAN, .shift = mu, .count = 1.0};
    }
    return (dp2dpi_composition) {losses, n, slack, exposed};
}

static int first_of_its_set(const dp2dp_accountant *accountant, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (strcmp(set_of(&accountant->events[k]), set_of(&accountant->events[i])) == 0) {
            return 0;
        }
    }
    return 1;
}

/* Computes one number from a composition: ε at δ = `at`, δ at ε = `at`, or the Rényi divergence of
 * order `at`. */
typedef dp2dp_status (*question)(const dp2dpi_composition *c, dp2dp_backend backend, double at,
                                 dp2dpi_answer *out, dp2dp_error *error);

/* Calls `ask` for every set of people that an event names, or for everybody if no event names a
 * set; under add/remove adjacency, once for each of the two directions (event.h). Sets *worst to
 * the largest answer. */
static dp2dp_status worst_answer(const dp2dp_accountant *accountant, question ask,
                                 dp2dp_backend backend, double at, dp2dpi_answer *worst,
                                 dp2dp_error *error) {
    int directions = accountant->adjacency == DP2DP_ADD_REMOVE ? 2 : 1, answered = 0;
    dp2dpi_loss *losses;
    dp2dp_status status = DP2DP_STATUS_OK;
    if (dp2dp_backend_name(backend) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "accountant = %d: not a known back-end",
                           (int)backend);
    }
    DP2DPI_TRY(DP2DPI_ALLOC(losses, accountant->n + 1, "a composition", error));
    for (size_t i = 0; i <= accountant->n; i++) {
        int last = i == accountant->n;
        if (last ? answered
                 : !set_of(&accountant->events[i])[0] || !first_of_its_set(accountant, i)) {
            continue;
        }
        for (int direction = 0; direction < directions; direction++) {
            dp2dpi_composition c = gather(accountant, last ? "" : set_of(&accountant->events[i]),
                                          (dp2dpi_direction)direction, losses);
            dp2dpi_answer one = {INFINITY, backend};
            if (!c.exposed) {
                DP2DPI_TRY_OR_DONE(ask(&c, backend, at, &one, error));
            }
            if (!answered || one.value > worst->value) {
                *worst = one;
            }
            answered = 1;
        }
    }
done:
    dp2dpi_free(losses);
    return status;
}

dp2dp_status dp2dp_accountant_epsilon(const dp2dp_accountant *accountant, double delta,
                                      dp2dp_backend backend, double *epsilon, dp2dp_backend *used,
                                      dp2dp_error *error) {
    dp2dpi_answer found = {0};
    DP2DPI_TRY(dp2dpi_delta_check(delta, error));
    DP2DPI_TRY(worst_answer(accountant, dp2dpi_backend_epsilon, backend, delta, &found, error));
    if (!isfinite(found.value)) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "no finite epsilon can be certified at delta = %g for these releases",
                           delta);
    }
    *epsilon = found.value;
    if (used) {
        *used = found.used;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_accountant_delta(const dp2dp_accountant *accountant, double epsilon,
                                    dp2dp_backend backend, double *delta, dp2dp_backend *used,
                                    dp2dp_error *error) {
    dp2dpi_answer found = {0};
    DP2DPI_TRY(dp2dpi_require(epsilon >= 0.0 && epsilon < INFINITY, "epsilon", epsilon,
                              "finite and at least 0", error));
    DP2DPI_TRY(worst_answer(accountant, dp2dpi_backend_delta, backend, epsilon, &found, error));
    *delta = found.value < 1.0 ? found.value : 1.0;
    if (used) {
        *used = found.used;
    }
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_accountant_curve(const dp2dp_accountant *accountant, dp2dp_backend backend,
                                    size_t n, const double *epsilon, double *delta,
                                    dp2dp_error *error) {
    for (size_t i = 0; i < n; i++) {
        DP2DPI_TRY(dp2dp_accountant_delta(accountant, epsilon[i], backend, &delta[i], NULL, error));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status renyi_divergence(const dp2dpi_composition *c, dp2dp_backend backend,
                                     double order, dp2dpi_answer *out, dp2dp_error *error) {
    double sum = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double one;
        DP2DPI_TRY(dp2dpi_renyi_cgf(&c->losses[i], order, &one, error));
        sum += c->losses[i].count * one;
    }
    *out = (dp2dpi_answer) {sum / (order - 1.0), backend};
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_accountant_renyi(const dp2dp_accountant *accountant, double order,
                                    double *divergence, dp2dp_error *error) {
    dp2dpi_answer found = {0};
    DP2DPI_TRY(dp2dpi_require(order >= 1.000001 && order <= 1e9, "order", order,
                              "from 1.000001 to 1e9", error));
    DP2DPI_TRY(worst_answer(accountant, renyi_divergence, DP2DP_BACKEND_RDP, order, &found, error));
    *divergence = found.value;
    return DP2DP_STATUS_OK;
}
