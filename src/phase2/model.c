#include "phase2/model.h"

#include "base/alloc.h"
#include "base/error.h"
#include "phase2/view.h"

void dp2dp_model_free(dp2dp_model *model) {
    if (model) {
        dp2dp_ledger_free(model->ledger);
        dp2dpi_free(model->offsets);
        dp2dpi_free(model);
    }
}

size_t dp2dp_model_events(const dp2dp_model *model) {
    return model->events;
}

size_t dp2dp_model_classes(const dp2dp_model *model) {
    return model->classes;
}

const double *dp2dp_model_offsets(const dp2dp_model *model) {
    return model->offsets;
}

const double *dp2dp_model_shares(const dp2dp_model *model) {
    return model->shares;
}

const dp2dp_ledger *dp2dp_model_ledger(const dp2dp_model *model) {
    return model->ledger;
}

int dp2dp_model_is_private(const dp2dp_model *model) {
    return model->is_private;
}

dp2dp_status dp2dp_model_optimality(const dp2dp_model *model, dp2dp_optimality *out,
                                    dp2dp_error *error) {
    if (model->solver != DP2DP_SOLVER_EXACT) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "only solver exact proves how good its rule is");
    }
    *out = model->optimality;
    return DP2DP_STATUS_OK;
}

static dp2dp_status check_views(const dp2dp_model *model, const dp2dp_matrix *scores,
                                const dp2dp_column *events, dp2dp_error *error) {
    dp2dp_status status = dp2dpi_view_check(scores, events, error);
    if (status == DP2DP_STATUS_OK && scores->columns != model->classes) {
        status = dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                             "scores have %zu columns but the model %zu classes", scores->columns,
                             model->classes);
    }
    return status;
}

/* In float32, as the pool counts: a decision here is a count there. −1 for a score that is no
 * number. */
static int32_t decide(const dp2dp_model *model, const dp2dp_matrix *scores, size_t row,
                      size_t event) {
    const double *offsets = model->offsets + event * model->classes;
    float best = 0.0F;
    int32_t which = 0;
    for (size_t k = 0; k < model->classes; k++) {
        float value = (float)dp2dpi_view_score(scores, row, k) - (float)offsets[k];
        if (value != value) {
            return -1;
        }
        if (k == 0 || value > best) {
            best = value;
            which = (int32_t)k;
        }
    }
    return which;
}

dp2dp_status dp2dp_model_predict(const dp2dp_model *model, const dp2dp_matrix *scores,
                                 const dp2dp_column *events, int32_t *out, dp2dp_error *error) {
    dp2dp_status status = check_views(model, scores, events, error);
    if (status != DP2DP_STATUS_OK) {
        return status;
    }
    for (size_t row = 0; row < scores->rows; row++) {
        int32_t event = dp2dpi_view_code(events, row);
        if (event < 0 || (size_t)event >= model->events) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA,
                               "row %zu: the group is not one the model knows", row + 1);
        }
        out[row] = decide(model, scores, row, (size_t)event);
        if (out[row] < 0) {
            return dp2dpi_fail(error, DP2DP_STATUS_DATA, "row %zu: a score is not a number",
                               row + 1);
        }
    }
    return DP2DP_STATUS_OK;
}
