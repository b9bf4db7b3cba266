#include "accountant/account.h"

#include <math.h>
#include <string.h>

#include "accountant/compose.h"
#include "accountant/event.h"
#include "accountant/gaussian.h"
#include "accountant/renyi.h"
#include "base/alloc.h"
#include "num/elementary.h"

/* What is asked of one composition, and the answer. */
typedef enum quantity {
    EPSILON_AT_DELTA,
    DELTA_AT_EPSILON
} quantity;

typedef struct answer {
    double value;
    dp2dp_backend used;
} answer;

static dp2dp_status analytic(const dp2dpi_composition *c, quantity what, double at, double *value,
                             dp2dp_error *error) {
    if (c->losses[0].kind != DP2DPI_LOSS_GAUSSIAN || c->n != 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "accountant analytic: only Gaussian releases have a closed form");
    }
    double mu = c->losses[0].shift;
    if (what == EPSILON_AT_DELTA) {
        *value = dp2dpi_gaussian_epsilon(mu, at, c->slack);
        if (c->slack > 0.0) {
            double discrete =
                dp2dpi_zcdp_epsilon(0.5 * mu * mu, at); /* holds for the noise on the grid itself */
            *value = discrete < *value ? discrete : *value;
        }
    } else {
        double charged = c->slack > 0.0 ? c->slack * (1.0 + dp2dpi_exp(at)) : 0.0;
        double delta = dp2dpi_gaussian_delta(mu, at) + charged;
        *value = delta < 1.0 ? delta : 1.0;
    }
    return DP2DP_STATUS_OK;
}

/* The exact curve where there is but one release, the convolution otherwise. *settled is 1 where
 * the Rényi bound cannot be lower. */
static dp2dp_status distribution(const dp2dpi_composition *c, quantity what, double at,
                                 double *value, int *settled, dp2dp_error *error) {
    *settled = 0;
    if (c->n == 1 && c->losses[0].count == 1.0 && c->losses[0].kind != DP2DPI_LOSS_GAUSSIAN) {
        if (what == EPSILON_AT_DELTA) {
            *value = dp2dpi_loss_epsilon(&c->losses[0], at, c->slack);
        } else {
            double charged = c->slack > 0.0 ? c->slack * (1.0 + dp2dpi_exp(at)) : 0.0;
            *value = dp2dpi_loss_delta(&c->losses[0], at) + charged;
            *value = *value < 1.0 ? *value : 1.0;
        }
        *settled = 1;
        return DP2DP_STATUS_OK;
    }
    if (what == DELTA_AT_EPSILON) {
        return dp2dpi_pld_delta(c, at, value, error);
    }
    double guess = 0.0;
    dp2dp_status status = dp2dpi_pld_epsilon(c, at, value, &guess, error);
    *settled = status == DP2DP_STATUS_OK &&
               *value < 0.98 * guess; /* the grid costs 1e-4; a Rényi conversion several per cent */
    return status;
}

static dp2dp_status renyi(const dp2dpi_composition *c, quantity what, double at, double *value,
                          dp2dp_error *error) {
    return what == EPSILON_AT_DELTA ? dp2dpi_rdp_epsilon(c, at, value, error)
                                    : dp2dpi_rdp_delta(c, at, value, error);
}

/* A back-end that has no bound leaves the question to the next one; other failures end it. */
static dp2dp_status soften(dp2dp_status status, double *value) {
    if (status == DP2DP_STATUS_NO_BOUND) {
        *value = INFINITY;
        return DP2DP_STATUS_OK;
    }
    return status;
}

/* δ(0) is the total variation distance. It adds up over releases, and KL divergences bound it:
 * where either is below delta, ε = 0 needs no convolution. */
static dp2dp_status certainly_zero(const dp2dpi_composition *c, double delta, int *zero,
                                   dp2dp_error *error) {
    double sum = 2.0 * c->slack, distance = 1.0;
    for (size_t i = 0; i < c->n && sum <= delta; i++) {
        sum += c->losses[i].count * dp2dpi_loss_delta(&c->losses[i], 0.0) * (1.0 + 1e-12);
    }
    dp2dp_status status = DP2DP_STATUS_OK;
    if (sum > delta) {
        status = soften(dp2dpi_rdp_total_variation(c, &distance, error), &distance);
    }
    *zero = sum <= delta || distance + 2.0 * c->slack <= delta;
    return status;
}

static dp2dp_status solve(const dp2dpi_composition *c, dp2dp_backend backend, quantity what,
                          double at, answer *out, dp2dp_error *error) {
    dp2dp_status status;
    double value = INFINITY, other = INFINITY;
    int settled = 0, gaussian = c->n == 1 && c->losses[0].kind == DP2DPI_LOSS_GAUSSIAN;
    if (c->n == 0) {
        *out = (answer) {0.0, backend == DP2DP_BACKEND_AUTO ? DP2DP_BACKEND_ANALYTIC : backend};
        return DP2DP_STATUS_OK;
    }
    if (backend == DP2DP_BACKEND_ANALYTIC || (backend == DP2DP_BACKEND_AUTO && gaussian)) {
        status = analytic(c, what, at, &value, error);
        *out = (answer) {value, DP2DP_BACKEND_ANALYTIC};
        return status;
    }
    if (what == EPSILON_AT_DELTA && backend != DP2DP_BACKEND_RDP) {
        int zero = 0;
        status = certainly_zero(c, at, &zero, error);
        if (status != DP2DP_STATUS_OK || zero) {
            *out = (answer) {0.0, DP2DP_BACKEND_PLD};
            return status;
        }
    }
    if (backend != DP2DP_BACKEND_RDP) {
        status = soften(distribution(c, what, at, &value, &settled, error), &value);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
    }
    if (!settled) {
        status = soften(renyi(c, what, at, &other, error), &other);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
    }
    /* The Rényi bound is a bound on the same distribution: a PLD answer never exceeds it. */
    if (backend == DP2DP_BACKEND_RDP || other < value) {
        *out =
            (answer) {other, backend == DP2DP_BACKEND_PLD ? DP2DP_BACKEND_PLD : DP2DP_BACKEND_RDP};
    } else {
        *out = (answer) {value, DP2DP_BACKEND_PLD};
    }
    return DP2DP_STATUS_OK;
}

static const char *set_of(const dp2dp_event *event) {
    return event->set ? event->set : "";
}

static int same_release(const dp2dpi_loss *a, const dp2dpi_loss *b) {
    return a->kind == b->kind && a->shift == b->shift && a->q == b->q && a->draws == b->draws &&
           a->epsilon == b->epsilon && a->delta == b->delta;
}

/* The losses of all events that touch one set of people. Gaussians become one: μ² adds up. Equal
 * releases are counted together. */
static void gather(const dp2dpi_account *account, const char *set, dp2dpi_direction direction,
                   dp2dpi_loss *losses, dp2dpi_composition *out) {
    double square = 0.0, slack = 0.0;
    size_t n = 0;
    for (size_t i = 0; i < account->n; i++) {
        const dp2dp_event *event = &account->events[i];
        if (set_of(event)[0] && strcmp(set_of(event), set) != 0) {
            continue;
        }
        dp2dpi_loss loss = dp2dpi_event_loss(event, account->adjacency, direction);
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
        double mu = sqrt(square) * (1.0 + 4.0 * DP2DPI_ULP);
        losses[n++] = (dp2dpi_loss) {.kind = DP2DPI_LOSS_GAUSSIAN, .shift = mu, .count = 1.0};
    }
    *out = (dp2dpi_composition) {.losses = losses, .n = n, .slack = slack};
}

static int first_of_its_set(const dp2dpi_account *account, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (strcmp(set_of(&account->events[k]), set_of(&account->events[i])) == 0) {
            return 0;
        }
    }
    return 1;
}

/* Calls visit for every set of people that some event names, or once for everybody where none does,
 * in each direction. */
typedef dp2dp_status (*visitor)(const dp2dpi_composition *c, void *context, dp2dp_error *error);

static dp2dp_status for_each_composition(const dp2dpi_account *account, visitor visit,
                                         void *context, dp2dp_error *error) {
    int directions = account->adjacency == DP2DP_ADD_REMOVE ? 2 : 1, named = 0;
    void *memory;
    dp2dp_status status =
        dp2dpi_alloc_for("a composition", account->n + 1, sizeof(dp2dpi_loss), &memory, error);
    for (size_t i = 0; i <= account->n && status == DP2DP_STATUS_OK; i++) {
        int last = i == account->n;
        if (last ? named : !set_of(&account->events[i])[0] || !first_of_its_set(account, i)) {
            continue;
        }
        named = 1;
        for (int direction = 0; direction < directions && status == DP2DP_STATUS_OK; direction++) {
            dp2dpi_composition c;
            gather(account, last ? "" : account->events[i].set, (dp2dpi_direction)direction, memory,
                   &c);
            status = visit(&c, context, error);
        }
    }
    dp2dpi_free(memory);
    return status;
}

typedef struct question {
    dp2dp_backend backend;
    quantity what;
    double at;
    answer worst;
} question;

static dp2dp_status worst_of(const dp2dpi_composition *c, void *context, dp2dp_error *error) {
    question *q = context;
    answer one;
    dp2dp_status status = solve(c, q->backend, q->what, q->at, &one, error);
    if (status == DP2DP_STATUS_OK &&
        (one.value > q->worst.value || q->worst.used == DP2DP_BACKEND_AUTO)) {
        q->worst = one;
    }
    return status;
}

static dp2dp_status ask(const dp2dpi_account *account, quantity what, double at, answer *out,
                        dp2dp_error *error) {
    question q = {.backend = account->backend, .what = what, .at = at};
    if (account->backend != DP2DP_BACKEND_AUTO && dp2dp_backend_name(account->backend) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "accountant = %d: it is not a known back-end", (int)account->backend);
    }
    dp2dp_status status = for_each_composition(account, worst_of, &q, error);
    *out = q.worst;
    return status;
}

dp2dp_status dp2dpi_account_epsilon(const dp2dpi_account *account, double delta, double *epsilon,
                                    dp2dp_backend *used, dp2dp_error *error) {
    answer found = {0};
    if (!(delta > 0.0 && delta < 1.0)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "delta = %g: it must be above 0 and below 1", delta);
    }
    dp2dp_status status = ask(account, EPSILON_AT_DELTA, delta, &found, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    if (!isfinite(found.value)) {
        return dp2dpi_fail(error, DP2DP_STATUS_NO_BOUND,
                           "no finite epsilon can be certified at delta = %g for these releases",
                           delta);
    }
    *epsilon = found.value;
    if (used) {
        *used = found.used;
    }
    return status;
}

dp2dp_status dp2dpi_account_delta(const dp2dpi_account *account, double epsilon, double *delta,
                                  dp2dp_backend *used, dp2dp_error *error) {
    answer found = {0};
    if (!(epsilon >= 0.0 && epsilon < INFINITY)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "epsilon = %g: it must be finite and at least 0", epsilon);
    }
    dp2dp_status status = ask(account, DELTA_AT_EPSILON, epsilon, &found, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    *delta = found.value < 1.0 ? found.value : 1.0;
    if (used) {
        *used = found.used;
    }
    return status;
}

typedef struct renyi_question {
    double order, worst;
} renyi_question;

static dp2dp_status worst_renyi(const dp2dpi_composition *c, void *context, dp2dp_error *error) {
    renyi_question *q = context;
    double sum = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double one;
        dp2dp_status status = dp2dpi_renyi_cgf(&c->losses[i], q->order, &one, error);
        if (status != DP2DP_STATUS_OK) {
            return status;
        }
        sum += c->losses[i].count * one;
    }
    sum /= q->order - 1.0;
    q->worst = sum > q->worst ? sum : q->worst;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_account_renyi(const dp2dpi_account *account, double order, double *divergence,
                                  dp2dp_error *error) {
    renyi_question q = {.order = order};
    if (!(order > 1.0 && order <= 1e9)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "order = %g: it must be above 1 and at most 1e9", order);
    }
    dp2dp_status status = for_each_composition(account, worst_renyi, &q, error);
    if (status == DP2DP_STATUS_OK) {
        *divergence = q.worst;
    }
    return status;
}
