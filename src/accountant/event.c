#include "accountant/event.h"

#include <math.h>

#include "base/alloc.h"
#include "base/options.h"
#include "num/elementary.h"

static const uint64_t count_max = (uint64_t)1
                                  << 53; /* 2^53: a double holds every smaller integer exactly */

dp2dp_status dp2dpi_require(int holds, const char *name, double value, const char *bound,
                            dp2dp_error *error) {
    if (holds) {
        return DP2DP_STATUS_OK;
    }
    return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "%s = %g: it must be %s", name, value, bound);
}

dp2dp_status dp2dpi_adjacency_check(dp2dp_adjacency adjacency, dp2dp_error *error) {
    return dp2dpi_require(dp2dp_adjacency_name(adjacency) != NULL, "adjacency", (double)adjacency,
                          "replace-one or add-remove", error);
}

dp2dp_status dp2dpi_delta_check(double delta, dp2dp_error *error) {
    return dp2dpi_require(delta > 0.0 && delta < 1.0, "delta", delta, "above 0 and below 1", error);
}

static dp2dp_status check_counts(const dp2dp_event *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_require(e->count >= 1 && e->count <= count_max, "count", (double)e->count,
                              "a whole number from 1 to 2^53", error));
    DP2DPI_TRY(dp2dpi_require(e->rows_per_person >= 1 && e->rows_per_person <= 1000000,
                              "rows_per_person", (double)e->rows_per_person,
                              "a whole number from 1 to 1000000", error));
    DP2DPI_TRY(dp2dpi_require(e->sampling_unit == DP2DP_SAMPLE_ROWS ||
                                  e->sampling_unit == DP2DP_SAMPLE_PERSONS,
                              "sampling_unit", (double)e->sampling_unit, "rows or persons", error));
    return dp2dpi_require(e->coordinates <= count_max, "coordinates", (double)e->coordinates,
                          "at most 2^53", error);
}

static dp2dp_status check_noise(const dp2dp_event *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_require(isfinite(e->sensitivity) && e->sensitivity > 0.0, "sensitivity",
                              e->sensitivity, "a finite number above 0", error));
    DP2DPI_TRY(dp2dpi_require(isfinite(e->sigma) && e->sigma > 0.0, "sigma", e->sigma,
                              "a finite number above 0", error));
    double ratio = e->sigma / e->sensitivity;
    DP2DPI_TRY(dp2dpi_require(ratio >= 1e-6 && ratio <= 1e15, "sigma / sensitivity", ratio,
                              "between 1e-6 and 1e15", error));
    DP2DPI_TRY(dp2dpi_require(
        e->scale == 0.0 || (e->scale >= 1.0 && e->scale <= 0x1p50 && e->scale == floor(e->scale)),
        "scale", e->scale, "0, or a whole number from 1 to 2^50", error));
    return dp2dpi_require(e->scale <= 0.0 || e->coordinates >= 1, "coordinates",
                          (double)e->coordinates, "at least 1, because scale is given", error);
}

static dp2dp_status check_sampling(const dp2dp_event *e, dp2dp_adjacency adjacency,
                                   dp2dp_error *error) {
    if (e->mechanism == DP2DP_POISSON || e->mechanism == DP2DP_WITHOUT_REPLACEMENT) {
        DP2DPI_TRY(dp2dpi_require(e->rate > 0.0 && e->rate <= 1.0, "rate", e->rate,
                                  "above 0 and at most 1", error));
    } else if (e->mechanism == DP2DP_WITH_REPLACEMENT) {
        DP2DPI_TRY(dp2dpi_require(e->population >= 2.0 && e->population <= (double)count_max,
                                  "population", e->population, "from 2 to 2^53", error));
        DP2DPI_TRY(dp2dpi_require(e->draws >= 1 && e->draws <= count_max, "draws", (double)e->draws,
                                  "from 1 to 2^53", error));
    }
    int fixed_size =
        e->mechanism == DP2DP_WITHOUT_REPLACEMENT || e->mechanism == DP2DP_WITH_REPLACEMENT;
    if (fixed_size && adjacency != DP2DP_REPLACE_ONE) {
        return dp2dpi_fail(
            error, DP2DP_STATUS_ARGUMENT,
            "the mechanism '%s' has batches of a fixed size, so it needs the adjacency replace-one",
            dp2dp_mechanism_name(e->mechanism));
    }
    if (fixed_size && e->rows_per_person > 1) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "rows_per_person = %llu: it must be 1 for the mechanism '%s', because "
                           "no bound for several rows per person is known",
                           (unsigned long long)e->rows_per_person,
                           dp2dp_mechanism_name(e->mechanism));
    }
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_exposed(const dp2dp_event *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_require(e->count == 1, "count", (double)e->count,
                              "1 for data released without noise", error));
    return dp2dpi_require(e->rows_per_person == 1, "rows_per_person", (double)e->rows_per_person,
                          "1 for data released without noise", error);
}

static dp2dp_status check_declared(const dp2dp_event *e, dp2dp_error *error) {
    DP2DPI_TRY(dp2dpi_require(e->epsilon >= 0.0 && e->epsilon <= 1e6, "declared epsilon",
                              e->epsilon, "from 0 to 1e6", error));
    DP2DPI_TRY(dp2dpi_require(e->delta >= 0.0 && e->delta < 1.0, "declared delta", e->delta,
                              "at least 0 and below 1", error));
    return dp2dpi_require(e->rows_per_person == 1, "rows_per_person", (double)e->rows_per_person,
                          "1 for a declared guarantee, which is stated per person", error);
}

dp2dp_status dp2dpi_event_read(const dp2dp_event *event, dp2dp_adjacency adjacency,
                               dp2dp_event *out, dp2dp_error *error) {
    dp2dp_event e;
    DP2DPI_TRY(dp2dpi_struct_read(DP2DP_STRUCT_EVENT, event, &e, error));
    DP2DPI_TRY(dp2dpi_adjacency_check(adjacency, error));
    if (dp2dp_mechanism_name(e.mechanism) == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT, "mechanism = %d: not a known mechanism",
                           (int)e.mechanism);
    }
    DP2DPI_TRY(check_counts(&e, error));
    if (e.mechanism == DP2DP_DECLARED) {
        DP2DPI_TRY(check_declared(&e, error));
    } else if (e.mechanism == DP2DP_EXPOSED) {
        DP2DPI_TRY(check_exposed(&e, error));
    } else {
        DP2DPI_TRY(check_noise(&e, error));
        DP2DPI_TRY(check_sampling(&e, adjacency, error));
    }
    *out = e;
    return DP2DP_STATUS_OK;
}

dp2dp_status dp2dp_event_check(const dp2dp_event *event, dp2dp_adjacency adjacency,
                               dp2dp_error *error) {
    dp2dp_event ignored;
    return dp2dpi_event_read(event, adjacency, &ignored, error);
}

dp2dp_status dp2dpi_event_copy(const dp2dp_event *event, dp2dp_event *out, dp2dp_error *error) {
    const char *const from[] = {event->label, event->set, event->role, event->release_id};
    const char **const to[] = {&out->label, &out->set, &out->role, &out->release_id};
    dp2dp_status status = DP2DP_STATUS_OK;
    *out = *event;
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        *to[i] = NULL;
    }
    for (size_t i = 0; i < sizeof to / sizeof to[0]; i++) {
        char *copy = NULL;
        DP2DPI_TRY_OR_DONE(dp2dpi_strdup(from[i], &copy, error));
        *to[i] = copy;
    }
    return DP2DP_STATUS_OK;
done:
    dp2dpi_event_clear(out);
    return status;
}

void dp2dpi_event_clear(dp2dp_event *event) {
    dp2dpi_free((char *)event->label);
    dp2dpi_free((char *)event->set);
    dp2dpi_free((char *)event->role);
    dp2dpi_free((char *)event->release_id);
    event->label = event->set = event->role = event->release_id = NULL;
}

/* Returns the loss for all m rows of one person together. If rows are sampled at rate q, the batch
 * has at least one of the person's rows with probability 1 − (1−q)^m, which becomes the rate. The m
 * rows change the sum by at most m times the sensitivity. */
static dp2dpi_loss poisson_loss(const dp2dp_event *e, dp2dp_adjacency adjacency,
                                dp2dpi_direction direction) {
    double rows = (double)e->rows_per_person, q = e->rate;
    double norm = (adjacency == DP2DP_REPLACE_ONE ? 0.5 : 1.0) * e->sensitivity * rows;
    if (rows > 1.0 && e->sampling_unit == DP2DP_SAMPLE_ROWS && q < 1.0) {
        q = dp2dpi_round_up(-dp2dpi_expm1(rows * dp2dpi_log1p(-q)), 8);
    }
    if (q >= 1.0) {
        return (dp2dpi_loss) {.kind = DP2DPI_LOSS_GAUSSIAN,
                              .shift = e->sensitivity * rows / e->sigma,
                              .count = (double)e->count};
    }
    dp2dpi_loss_kind kind = adjacency == DP2DP_REPLACE_ONE ? DP2DPI_LOSS_POISSON_REPLACE
                            : direction == DP2DPI_REMOVE   ? DP2DPI_LOSS_POISSON_REMOVE
                                                           : DP2DPI_LOSS_POISSON_ADD;
    return (dp2dpi_loss) {.kind = kind,
                          .shift = dp2dpi_round_up(norm / e->sigma, 2),
                          .q = q,
                          .count = (double)e->count};
}

dp2dpi_loss dp2dpi_event_loss(const dp2dp_event *e, dp2dp_adjacency adjacency,
                              dp2dpi_direction direction) {
    double mu = e->sensitivity * (double)e->rows_per_person / e->sigma, count = (double)e->count;
    /* Gaussian losses use mu without rounding, because accountant.c adds up the squares of mu and
     * rounds the sum up. */
    double mu_up = dp2dpi_round_up(mu, 2);
    switch (e->mechanism) {
    case DP2DP_POISSON:
        return poisson_loss(e, adjacency, direction);
    case DP2DP_WITHOUT_REPLACEMENT:
        if (e->rate < 1.0) {
            return (dp2dpi_loss) {.kind = DP2DPI_LOSS_WITHOUT_REPLACEMENT,
                                  .shift = mu_up,
                                  .q = e->rate,
                                  .count = count};
        }
        break;
    case DP2DP_WITH_REPLACEMENT:
        return (dp2dpi_loss) {.kind = DP2DPI_LOSS_WITH_REPLACEMENT,
                              .shift = mu_up,
                              .q = dp2dpi_round_up(1.0 / e->population, 1),
                              .draws = (double)e->draws,
                              .count = count};
    case DP2DP_DECLARED:
        return (dp2dpi_loss) {
            .kind = DP2DPI_LOSS_DECLARED, .epsilon = e->epsilon, .delta = e->delta, .count = count};
    case DP2DP_GAUSSIAN:
    case DP2DP_EXPOSED: /* not reached: accountant.c treats exposed events before it asks for a loss
                         */
        break;
    }
    return (dp2dpi_loss) {.kind = DP2DPI_LOSS_GAUSSIAN, .shift = mu, .count = count};
}

double dp2dpi_event_slack(const dp2dp_event *e) {
    if (e->mechanism == DP2DP_DECLARED || e->scale <= 0.0) {
        return 0.0;
    }
    return (double)e->count * (double)e->coordinates * 0.0203 / (e->scale * e->scale);
}
