/* Decides for one person, with group and class given by name. */
#include <string.h>

#include <dp2dp/model.h>

#include "base/error.h"

static dp2dp_status find_group(const dp2dp_model_info *info, const char *group, int32_t *code,
                               dp2dp_error *error) {
    for (size_t g = 0; group && g < info->groups; g++) {
        if (strcmp(info->names.groups[g], group) == 0) {
            *code = (int32_t)g;
            return DP2DP_STATUS_OK;
        }
    }
    return dp2dpi_fail_at(error, DP2DP_STATUS_ARGUMENT,
                          &(dp2dpi_place) {.reason = DP2DP_REASON_UNKNOWN_GROUP},
                          "the group is not one of the model's groups");
}

dp2dp_status dp2dp_model_decide(const dp2dp_model *model, const double *scores, const char *group,
                                const char **decision, dp2dp_error *error) {
    if (model == NULL || scores == NULL || decision == NULL) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "model, scores and decision must not be NULL");
    }
    const dp2dp_model_info *info = dp2dp_model_view(model);
    int32_t code = 0, winner = 0;
    *decision = NULL;
    if (info->rule == DP2DP_RULE_WEIGHTED) {
        return dp2dpi_fail(error, DP2DP_STATUS_ARGUMENT,
                           "the model's rule needs weights (the probability of each group) instead "
                           "of a group; call dp2dp_model_predict, which takes weights");
    }
    if (info->strata > 0) {
        DP2DPI_TRY(find_group(info, group, &code, error));
    }
    const dp2dp_matrix row = {.data = scores,
                              .type = DP2DP_FLOAT64,
                              .rows = 1,
                              .columns = info->classes,
                              .row_stride = (ptrdiff_t)(info->classes * sizeof *scores),
                              .column_stride = sizeof *scores};
    const dp2dp_column groups = {.data = &code, .type = DP2DP_INT32, .rows = 1, .stride = 4};
    dp2dp_predict_options options = DP2DP_PREDICT_OPTIONS_INIT;
    options.threads = 1;
    DP2DPI_TRY(dp2dp_model_predict(model, &row, &groups, &options, &winner, error));
    *decision = info->names.classes[winner];
    return DP2DP_STATUS_OK;
}
