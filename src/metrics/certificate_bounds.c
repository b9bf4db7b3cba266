/* Computes the bounds for each criterion from the released table. */
#include <math.h>

#include "base/alloc.h"
#include "metrics/certificate_bound.h"

static const char what[] = "the rates of a certificate";

unsigned dp2dpi_bound_warn_kept(const dp2dp_certificate *c, const double *table) {
    double kept = 0.0;
    for (size_t i = 0; i < c->strata * c->classes; i++) {
        kept += table[i];
    }
    return c->leaves_out && kept < 0.5 * (double)c->records ? DP2DP_WARNING_MOST_LEFT_OUT : 0U;
}

dp2dp_status dp2dpi_noisy_rates_new(const dp2dp_certificate *c, const double *table,
                                    const dp2dpi_statistics *statistics, dp2dpi_noisy_rates *out,
                                    dp2dp_error *error) {
    size_t n = statistics->count;
    double *totals = NULL;
    *out = (dp2dpi_noisy_rates) {.groups = c->groups,
                                 .count = n,
                                 .classes = c->classes,
                                 .sizes = statistics->sizes,
                                 .sigma = c->sigma,
                                 .rows = (double)c->rows_per_person};
    DP2DPI_TRY(DP2DPI_ALLOC(out->memory, 2 * c->groups * n, what, error));
    double *given = out->memory, *people = out->memory + c->groups * n;
    DP2DPI_TRY(DP2DPI_ALLOC(totals, c->strata, what, error));
    for (size_t i = 0; i < c->strata * c->classes; i++) {
        totals[i / c->classes] += table[i];
    }
    for (size_t g = 0; g < c->groups; g++) {
        for (size_t s = 0; s < n; s++) {
            given[g * n + s] = dp2dpi_statistic_given(statistics, s, g, c->classes, table);
            people[g * n + s] = dp2dpi_statistic_people(statistics, s, g, totals);
        }
    }
    out->given = given;
    out->people = people;
    dp2dpi_free(totals);
    return DP2DP_STATUS_OK;
}

void dp2dpi_noisy_rates_free(dp2dpi_noisy_rates *rates) {
    dp2dpi_free(rates->memory);
    *rates = (dp2dpi_noisy_rates) {0};
}

static dp2dp_status bound(const dp2dp_certificate *c, const double *table,
                          const dp2dpi_criterion *criterion, dp2dp_unfairness_bound *out,
                          dp2dp_error *error) {
    double miss = 1.0 - c->confidence;
    dp2dpi_statistics statistics = {0};
    dp2dpi_noisy_rates rates = {0};
    dp2dp_status status = DP2DP_STATUS_OK;
    DP2DPI_TRY_OR_DONE(dp2dpi_statistics_new(criterion, c->labels, c->classes, &statistics, error));
    DP2DPI_TRY_OR_DONE(dp2dpi_noisy_rates_new(c, table, &statistics, &rates, error));
    out->upper = c->held_out ? dp2dpi_bound_normal(&rates, miss) : NAN;
    out->upper_strict = c->held_out ? dp2dpi_bound_strict(&rates, miss) : NAN;
    out->measured = 1;
    out->group_too_small = dp2dpi_bound_too_small(&rates);
    /* If noise hides the size of a group, the strict bound becomes 1. dp2dpi_bound_strict may prove
     * a smaller bound, which then holds whatever the rates of this group are. But a table that
     * hides a group must not count as evidence that the group is treated fairly. */
    if (c->held_out && out->group_too_small) {
        out->upper_strict = 1.0;
    }
done:
    dp2dpi_noisy_rates_free(&rates);
    dp2dpi_statistics_free(&statistics);
    return status;
}

dp2dp_status dp2dpi_bounds(const dp2dp_certificate *c, const double *table,
                           dp2dp_unfairness_bound *out, dp2dp_error *error) {
    for (size_t i = 0; i < DP2DP_CRITERIA_MAX; i++) {
        int own = i == (size_t)c->criterion;
        dp2dpi_criterion criterion = {.criterion = (dp2dp_criterion)i,
                                      .positive = c->positive,
                                      .custom = own ? c->statistics : NULL,
                                      .custom_count = own ? c->statistic_count : 0};
        dp2dp_error inner = {0};
        out[i] = (dp2dp_unfairness_bound) {.upper = NAN, .upper_strict = NAN};
        dp2dp_status status = bound(c, table, &criterion, &out[i], &inner);
        if (status != DP2DP_STATUS_OK && (own || status != DP2DP_STATUS_ARGUMENT)) {
            return dp2dpi_fail_again(error, &inner);
        }
    }
    return DP2DP_STATUS_OK;
}

/* Fills a table in which everybody gets class 0. `label` is the label of all people, or c->labels
 * if all labels are equally frequent. */
static void fill_fair(const dp2dp_certificate *c, size_t label, double *table) {
    double group = (double)c->records / (double)c->groups;
    for (size_t i = 0; i < c->strata; i++) {
        double people = label == c->labels       ? group / (double)c->labels
                        : i % c->labels == label ? group
                                                 : 0.0;
        for (size_t k = 0; k < c->classes; k++) {
            table[i * c->classes + k] = k == 0 ? people : 0.0;
        }
    }
}

dp2dp_status dp2dpi_bound_least(const dp2dp_certificate *c, double *out, dp2dp_error *error) {
    const dp2dpi_criterion criterion = {.criterion = c->criterion,
                                        .positive = c->positive,
                                        .custom = c->statistics,
                                        .custom_count = c->statistic_count};
    dp2dp_unfairness_bound found = {.upper_strict = 1.0};
    dp2dp_status status = DP2DP_STATUS_OK;
    double *table = NULL;
    *out = 1.0;
    if (!c->held_out) {
        return DP2DP_STATUS_OK;
    }
    DP2DPI_TRY(DP2DPI_ALLOC(table, c->strata * c->classes, what, error));
    for (size_t label = 0; label <= c->labels; label++) {
        fill_fair(c, label, table);
        DP2DPI_TRY_OR_DONE(bound(c, table, &criterion, &found, error));
        *out = found.upper_strict < *out ? found.upper_strict : *out;
    }
done:
    dp2dpi_free(table);
    return status;
}
