#include "phase2/covers.h"

#include <string.h>

#include "mechanism/ledger.h"

/* Reasons that take the guarantee from the people of the training, and from those of the pool. */
static const unsigned training_reasons =
    DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE | DP2DP_NOT_PRIVATE_INSECURE_NOISE |
    DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA | DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
static const unsigned pool_reasons = ~(unsigned)DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;

/* The set that an entry of a model's own ledger belongs to; NULL: everybody. */
static const char *set_of(const dp2dp_event *event) {
    return event->set && *event->set ? event->set : event->role;
}

static int has_role(const dp2dp_event *event, const char *role) {
    return event->role && strcmp(event->role, role) == 0;
}

/* The first entry of a role, or NULL. */
static const dp2dp_event *find_role(const dp2dp_ledger *ledger, const char *role) {
    for (size_t i = 0; i < ledger->size; i++) {
        if (has_role(&ledger->entries[i].event, role)) {
            return &ledger->entries[i].event;
        }
    }
    return NULL;
}

/* ε at delta of all entries that count for one set; NAN if there is no bound. */
static dp2dp_status cost_of(const dp2dp_ledger *ledger, const char *set, double delta,
                            double *epsilon, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *epsilon = NAN;
    DP2DPI_TRY(dp2dp_accountant_new(ledger->adjacency, &accountant, error));
    for (size_t i = 0; i < ledger->size; i++) {
        const char *own = set_of(&ledger->entries[i].event);
        if (own == NULL || (set && strcmp(own, set) == 0)) {
            DP2DPI_TRY_OR_DONE(dp2dp_accountant_add(accountant, &ledger->entries[i].event, error));
        }
    }
    status = dp2dp_accountant_epsilon(accountant, delta, DP2DP_BACKEND_AUTO, epsilon, NULL, error);
    if (status == DP2DP_STATUS_NO_BOUND) {
        *epsilon = NAN;
        status = DP2DP_STATUS_OK;
    }
done:
    dp2dp_accountant_free(accountant);
    return status;
}

static dp2dp_status add_cover(dp2dp_model *model, const char *role, uint64_t records,
                              unsigned reasons, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    const dp2dp_event *entry = find_role(model->ledger, role);
    dp2dp_cover *cover = &model->covers[info->cover_count++];
    int named = entry && entry->set && !dp2dpi_is_role(entry->set);
    *cover = (dp2dp_cover) {.role = role,
                            .people = named ? entry->set : NULL,
                            .records = records,
                            .epsilon = NAN,
                            .delta = NAN,
                            .because = info->not_private_because & reasons};
    if (cover->because == 0 && !isnan(info->delta)) {
        cover->delta = info->delta;
        DP2DPI_TRY(cost_of(model->ledger, entry ? set_of(entry) : NULL, info->delta,
                           &cover->epsilon, error));
    }
    if (cover->because == 0 && isnan(cover->epsilon)) {
        cover->because = DP2DP_NOT_PRIVATE_NO_BOUND;
    }
    return DP2DP_STATUS_OK;
}

/* The number of people that the classifiers were trained on; 0 if it is not known. */
static uint64_t trained_records(const dp2dp_model_info *info) {
    uint64_t labels = info->classifier ? info->classifier->records : 0;
    uint64_t groups = info->group_classifier ? info->group_classifier->records : 0;
    return labels > groups ? labels : groups;
}

dp2dp_status dp2dpi_model_cover(dp2dp_model *model, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    int trained = info->classifier != NULL || find_role(model->ledger, DP2DPI_ROLE_TRAIN) ||
                  (info->not_private_because &
                   (DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE | DP2DP_NOT_PRIVATE_SCORES_FROM_POOL));
    info->cover_count = 0;
    info->covers = model->covers;
    info->warnings &= ~(unsigned)DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED;
    if (trained) {
        DP2DPI_TRY(
            add_cover(model, DP2DPI_ROLE_TRAIN, trained_records(info), training_reasons, error));
    } else {
        info->warnings |= DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED;
    }
    return info->strata > 0 ? add_cover(model, DP2DPI_ROLE_POOL, info->records, pool_reasons, error)
                            : DP2DP_STATUS_OK;
}

unsigned dp2dpi_warn_of_budget(double epsilon, double delta, uint64_t records) {
    unsigned warnings = 0;
    if (isnan(epsilon) || isinf(epsilon)) {
        return 0;
    }
    if (delta * (double)records >= 1.0) {
        warnings |= DP2DP_WARNING_DELTA_LARGE;
    }
    if (epsilon > 10.0) {
        warnings |= DP2DP_WARNING_EPSILON_LARGE;
    }
    if (epsilon < delta) {
        warnings |= DP2DP_WARNING_EPSILON_BELOW_DELTA;
    }
    return warnings;
}
