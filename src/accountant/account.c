#include "accountant/account.h"

#include <math.h>
#include <string.h>

#include "accountant/backend.h"
#include "accountant/event.h"
#include "accountant/renyi.h"
#include "base/alloc.h"
#include "num/elementary.h"

static const char *set_of(const dp2dp_event *event) {
    return event->set ? event->set : "";
}

static int same_release(const dp2dpi_loss *a, const dp2dpi_loss *b) {
    return a->kind == b->kind && a->shift == b->shift && a->q == b->q && a->draws == b->draws &&
           a->epsilon == b->epsilon && a->delta == b->delta;
}

/* Collects the losses of all events about one set of people; an event without a set is about
 * everybody. Gaussian losses merge into one, because their μ² add up. Equal releases are counted
 * together. */
static void gather(const dp2dpi_account *account, const char *set, dp2dpi_direction direction,
                   dp2dpi_loss *losses, dp2dpi_charged *out) {
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
        /* Each addition may have lost half a unit in the last place of the sum. */
        double mu = sqrt(square) * (1.0 + (4.0 + 0.5 * (double)account->n) * DP2DPI_ULP);
        losses[n++] = (dp2dpi_loss) {.kind = DP2DPI_LOSS_GAUSSIAN, .shift = mu, .count = 1.0};
    }
    *out = (dp2dpi_charged) {{.losses = losses, .n = n}, slack};
}

static int first_of_its_set(const dp2dpi_account *account, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (strcmp(set_of(&account->events[k]), set_of(&account->events[i])) == 0) {
            return 0;
        }
    }
    return 1;
}

/* for_each_composition calls its visitor for every set of people that an event names, or for
 * everybody if no event names a set; for add/remove adjacency, once per direction (event.h). */
typedef dp2dp_status (*visitor)(const dp2dpi_charged *c, void *context, dp2dp_error *error);

static dp2dp_status for_each_composition(const dp2dpi_account *account, visitor visit,
                                         void *context, dp2dp_error *error) {
    int directions = account->adjacency == DP2DP_ADD_REMOVE ? 2 : 1, named = 0;
    dp2dpi_loss *losses;
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY(DP2DPI_ALLOC(losses, account->n + 1, "a composition", error));
    for (size_t i = 0; i <= account->n; i++) {
        int last = i == account->n;
        if (last ? named : !set_of(&account->events[i])[0] || !first_of_its_set(account, i)) {
            continue;
        }
        named = 1;
        for (int direction = 0; direction < directions; direction++) {
            dp2dpi_charged c;
            gather(account, last ? "" : account->events[i].set, (dp2dpi_direction)direction, losses,
                   &c);
            DP2DPI_TRY_OR_DONE(visit(&c, context, error));
        }
    }
done:
    dp2dpi_free(losses);
    return status;
}

typedef dp2dp_status (*asked)(const dp2dpi_charged *c, dp2dp_backend backend, double at,
                              dp2dpi_answer *out, dp2dp_error *error);

typedef struct question {
    asked ask;
    dp2dp_backend backend;
    double at;
    int answered;
    dp2dpi_answer worst;
} question;

static dp2dp_status worst_of(const dp2dpi_charged *c, void *context, dp2dp_error *error) {
    question *q = context;
    dp2dpi_answer one = {INFINITY, q->backend};
    DP2DPI_TRY(q->ask(c, q->backend, q->at, &one, error));
    if (!q->answered || one.value > q->worst.value) {
        q->worst = one;
        q->answered = 1;
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status worst_answer(const dp2dpi_account *account, asked ask, double at,
                                 dp2dpi_answer *out, dp2dp_error *error) {
    question q = {.ask = ask, .backend = account->backend, .at = at};
    if (dp2dp_backend_name(account->backend) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "accountant = %d: not a known back-end",
                           (int)account->backend);
    }
    DP2DPI_TRY(for_each_composition(account, worst_of, &q, error));
    *out = q.worst;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_account_epsilon(const dp2dpi_account *account, double delta, double *epsilon,
                                    dp2dp_backend *used, dp2dp_error *error) {
    dp2dpi_answer found = {0};
    DP2DPI_TRY(dp2dpi_delta_check(delta, error));
    DP2DPI_TRY(worst_answer(account, dp2dpi_backend_epsilon, delta, &found, error));
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

dp2dp_status dp2dpi_account_delta(const dp2dpi_account *account, double epsilon, double *delta,
                                  dp2dp_backend *used, dp2dp_error *error) {
    dp2dpi_answer found = {0};
    if (!(epsilon >= 0.0 && epsilon < INFINITY)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "epsilon = %g: it must be finite and at least 0", epsilon);
    }
    DP2DPI_TRY(worst_answer(account, dp2dpi_backend_delta, epsilon, &found, error));
    *delta = found.value < 1.0 ? found.value : 1.0;
    if (used) {
        *used = found.used;
    }
    return DP2DP_STATUS_OK;
}

typedef struct renyi_question {
    double order, worst;
} renyi_question;

static dp2dp_status worst_renyi(const dp2dpi_charged *charged, void *context, dp2dp_error *error) {
    renyi_question *q = context;
    const dp2dpi_composition *c = &charged->releases;
    double sum = 0.0;
    for (size_t i = 0; i < c->n; i++) {
        double one;
        DP2DPI_TRY(dp2dpi_renyi_cgf(&c->losses[i], q->order, &one, error));
        sum += c->losses[i].count * one;
    }
    sum /= q->order - 1.0;
    q->worst = sum > q->worst ? sum : q->worst;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dpi_account_renyi(const dp2dpi_account *account, double order, double *divergence,
                                  dp2dp_error *error) {
    renyi_question q = {.order = order};
    if (!(order >= 1.000001 && order <= 1e9)) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "order = %g: it must be from 1.000001 to 1e9", order);
    }
    DP2DPI_TRY(for_each_composition(account, worst_renyi, &q, error));
    *divergence = q.worst;
    return DP2DP_STATUS_OK;
}
