#include "decide/covers.h"

#include <string.h>

#include "decide/model_noise.h"
#include "mechanism/ledger.h"

/* Reasons why a model may not be private, as bits. With a reason in training_reasons, the guarantee
 * does not cover the people that the model was trained on. With a reason in pool_reasons, it does
 * not cover the people in the pool of the fit. */
static const unsigned training_reasons =
    DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE | DP2DP_NOT_PRIVATE_INSECURE_NOISE |
    DP2DP_NOT_PRIVATE_SCHEMA_FROM_DATA | DP2DP_NOT_PRIVATE_SCORES_FROM_POOL;
static const unsigned pool_reasons = ~(unsigned)DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE;

/* Returns the name of the set of people that an entry in a model's own ledger is about; NULL means
 * everybody. */
static const char *set_of(const dp2dp_event *event) {
    return event->set && *event->set ? event->set : event->role;
}

static int has_role(const dp2dp_event *event, const char *role) {
    return event->role && strcmp(event->role, role) == 0;
}

static const dp2dp_event *find_role(const dp2dp_ledger *ledger, const char *role) {
    for (size_t i = 0; i < ledger->size; i++) {
        if (has_role(&ledger->entries[i].event, role)) {
            return &ledger->entries[i].event;
        }
    }
    return NULL;
}

/* Returns 1 if the entry is about everybody or about the people of the set. set = NULL stands for
 * everybody. */
static int is_about(const dp2dp_event *event, const char *set) {
    const char *own = set_of(event);
    return own == NULL || (set && strcmp(own, set) == 0);
}

/* Returns 1 if the ledger says that data of the people in the set were released without noise. */
static int is_exposed(const dp2dp_ledger *ledger, const char *set) {
    for (size_t i = 0; i < ledger->size; i++) {
        const dp2dp_event *event = &ledger->entries[i].event;
        if (event->mechanism == DP2DP_EXPOSED && is_about(event, set)) {
            return 1;
        }
    }
    return 0;
}

/* Returns 1 if the model was fitted a second time. The charges of a second fit count for everybody,
 * so their ledger entries have no role (training or pool). */
static int is_refit(const dp2dp_ledger *ledger) {
    for (size_t i = 0; i < ledger->size; i++) {
        if (ledger->entries[i].event.role == NULL) {
            return 1;
        }
    }
    return 0;
}

/* Computes the ε, at `delta`, of all entries that are about the people of the set. Sets *epsilon to
 * NAN if ε has no bound. */
static dp2dp_status cost_of(const dp2dp_ledger *ledger, const char *set, double delta,
                            double *epsilon, dp2dp_error *error) {
    dp2dp_accountant *accountant = NULL;
    dp2dp_status status = DP2DP_STATUS_OK;
    *epsilon = NAN;
    DP2DPI_TRY(dp2dp_accountant_new(ledger->adjacency, &accountant, error));
    for (size_t i = 0; i < ledger->size; i++) {
        if (is_about(&ledger->entries[i].event, set)) {
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

/* Returns the promise (the guaranteed ε) to the people of the set. If there is no such promise yet,
 * adds an empty promise and returns it. Returns NULL if there is no room for another promise. */
static dp2dp_promise *promise_to(dp2dp_model *model, const char *set) {
    dp2dp_model_info *info = &model->info;
    for (size_t i = 0; i < info->promise_count; i++) {
        if (strcmp(model->promises[i].people, set) == 0) {
            return &model->promises[i];
        }
    }
    if (info->promise_count == DP2DPI_PROMISES_MAX) {
        return NULL;
    }
    dp2dp_promise *promise = &model->promises[info->promise_count++];
    *promise = (dp2dp_promise) {.people = set, .rows_per_person = 1};
    return promise;
}

/* Makes one promise (a guaranteed ε) for each set of people in the ledger. If the model has a rule,
 * marks one promise as that of the rule: the promise to the people of the last charge, which is the
 * charge for the rule. */
static void find_promises(dp2dp_model *model) {
    const dp2dp_model_info *info = &model->info;
    dp2dp_promise *promise = NULL;
    for (size_t i = 0; i < model->ledger->size; i++) {
        const dp2dp_event *event = &model->ledger->entries[i].event;
        if (event->mechanism == DP2DP_EXPOSED) {
            continue; /* a release without noise promises nothing */
        }
        promise = promise_to(model, set_of(event) ? set_of(event) : "");
        if (promise) {
            promise->declared |= event->mechanism == DP2DP_DECLARED;
            promise->trained |= has_role(event, DP2DPI_ROLE_TRAIN);
            promise->pooled |= has_role(event, DP2DPI_ROLE_POOL);
            promise->rows_per_person = event->rows_per_person > promise->rows_per_person
                                           ? event->rows_per_person
                                           : promise->rows_per_person;
        }
    }
    if (promise && info->strata > 0) {
        promise->of_rule = 1;
        promise->records = info->records;
    }
    for (size_t i = 0; info->classifier && i < info->promise_count; i++) {
        if (model->promises[i].trained) {
            if (info->classifier->records > 0) {
                model->promises[i].records = info->classifier->records;
            }
            break;
        }
    }
}

static dp2dp_status promise(dp2dp_model *model, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    info->promise_count = 0;
    info->promises = model->promises;
    if (!dp2dp_model_has_epsilon(info)) {
        return DP2DP_STATUS_OK;
    }
    find_promises(model);
    for (size_t i = 0; i < info->promise_count; i++) {
        dp2dp_promise *p = &model->promises[i];
        const char *set = *p->people ? p->people : NULL;
        p->epsilon = INFINITY;
        if (!is_exposed(model->ledger, set)) {
            DP2DPI_TRY(cost_of(model->ledger, set, info->delta, &p->epsilon, error));
        }
    }
    return DP2DP_STATUS_OK;
}

/* Sets *epsilon to the ε for the people of the set: the ε that the model promises to these people
 * or, without a promise, the ε that cost_of computes. */
static dp2dp_status find_cost(const dp2dp_model *model, const char *set, double *epsilon,
                              dp2dp_error *error) {
    for (size_t i = 0; i < model->info.promise_count; i++) {
        const dp2dp_promise *p = &model->promises[i];
        if (strcmp(p->people, set) == 0 && isfinite(p->epsilon)) {
            *epsilon = p->epsilon;
            return DP2DP_STATUS_OK;
        }
    }
    return cost_of(model->ledger, set, model->info.delta, epsilon, error);
}

/* Appends a dp2dp_cover, which states the guarantee to one set of people. The people are not
 * covered if `reasons` includes one of the reasons why the model is not private. */
static dp2dp_cover *new_cover(dp2dp_model *model, const char *role, uint64_t records,
                              unsigned reasons) {
    dp2dp_model_info *info = &model->info;
    dp2dp_cover *cover = &model->covers[info->cover_count++];
    *cover = (dp2dp_cover) {.role = role,
                            .records = records,
                            .epsilon = NAN,
                            .delta = NAN,
                            .because = info->not_private_because & reasons};
    if (cover->because == 0) {
        cover->delta = info->delta;
    }
    return cover;
}

static void conclude(dp2dp_cover *cover) {
    if (cover->because == 0 && isnan(cover->epsilon)) {
        cover->because = DP2DP_NOT_PRIVATE_NO_BOUND;
    }
}

/* Adds the dp2dp_cover of the people who have this role (training or pool). The ε of the cover is
 * the total cost of all ledger entries about these people. */
static dp2dp_status cover_role(dp2dp_model *model, const char *role, uint64_t records,
                               unsigned reasons, dp2dp_error *error) {
    const dp2dp_event *entry = find_role(model->ledger, role);
    const char *set = entry ? set_of(entry) : role;
    unsigned exposed = is_exposed(model->ledger, set) ? (unsigned)DP2DP_NOT_PRIVATE_NO_NOISE : 0;
    dp2dp_cover *cover = new_cover(model, role, records, reasons | exposed);
    cover->people = entry && entry->set && !dp2dpi_is_role(entry->set) ? entry->set : NULL;
    if (!isnan(cover->delta)) {
        DP2DPI_TRY(find_cost(model, set, &cover->epsilon, error));
    }
    conclude(cover);
    return DP2DP_STATUS_OK;
}

/* Returns the number of people that the classifiers were trained on; 0 if it is unknown. */
static uint64_t trained_records(const dp2dp_model_info *info) {
    uint64_t labels = info->classifier ? info->classifier->records : 0;
    uint64_t groups = info->group_classifier ? info->group_classifier->records : 0;
    return labels > groups ? labels : groups;
}

/* Adds the dp2dp_cover of the pool of a second fit. Anyone in this pool may also have been in the
 * training or in an earlier pool, so the cover states the ε of the whole ledger. */
static void cover_last_pool(dp2dp_model *model) {
    dp2dp_cover *cover = new_cover(model, DP2DPI_ROLE_POOL, model->info.records, pool_reasons);
    if (!isnan(cover->delta)) {
        cover->epsilon = model->info.epsilon;
    }
    conclude(cover);
}

dp2dp_status dp2dpi_model_cover(dp2dp_model *model, dp2dp_error *error) {
    dp2dp_model_info *info = &model->info;
    int refit = is_refit(model->ledger);
    int trained = info->classifier != NULL || find_role(model->ledger, DP2DPI_ROLE_TRAIN) ||
                  (info->not_private_because &
                   (DP2DP_NOT_PRIVATE_CLASSIFIER_NOT_PRIVATE | DP2DP_NOT_PRIVATE_SCORES_FROM_POOL));
    DP2DPI_TRY(promise(model, error));
    dp2dpi_model_find_noise(model);
    info->cover_count = 0;
    info->covers = model->covers;
    info->warnings &= ~(unsigned)DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED;
    if (trained) {
        DP2DPI_TRY(
            cover_role(model, DP2DPI_ROLE_TRAIN, trained_records(info), training_reasons, error));
    } else {
        info->warnings |= DP2DP_WARNING_SCORES_ORIGIN_NOT_STATED;
    }
    if (info->strata == 0) {
        return DP2DP_STATUS_OK;
    }
    /* After a second fit, the size of the first pool is not known. The cover then has 0 records. */
    DP2DPI_TRY(cover_role(model, DP2DPI_ROLE_POOL, refit ? 0 : info->records, pool_reasons, error));
    if (refit) {
        cover_last_pool(model);
    }
    return DP2DP_STATUS_OK;
}

unsigned dp2dpi_model_inherited(const dp2dp_model *base) {
    const unsigned about_rule =
        DP2DP_WARNING_TIES | DP2DP_WARNING_GROUP_TOO_SMALL | DP2DP_WARNING_OUT_OF_REACH |
        DP2DP_WARNING_CONSTANT_RULE | DP2DP_WARNING_GAP_WITHIN_NOISE | DP2DP_WARNING_NEEDS_DITHER |
        DP2DP_WARNING_GROUP_WEIGHTS | DP2DP_WARNING_MOST_LEFT_OUT | DP2DP_WARNING_RATES_NOISY;
    return base->info.warnings & ~about_rule;
}
