/* Finds and checks the model that computed the weights of a rule that does not see the group. This
 * model is group_base, if the caller gives a group_base. Otherwise it is base, provided that base
 * predicts pairs of group and label or contains a classifier of groups. */
#ifndef DP2DPI_PHASE2_GROUP_BASE_H
#define DP2DPI_PHASE2_GROUP_BASE_H

#include <dp2dp/fit.h>

/* Returns 1 if `given` is NULL or equals the model's own names. */
int dp2dpi_are_alike(const char *const *given, const char *const *own, size_t n);

/* Returns the model (base or group_base) that computed the weights of a rule that does not see the
 * group; NULL if neither model did. */
const dp2dp_model *dp2dpi_weights_behind(const dp2dp_source *source, const dp2dp_fit_options *o);

/* Fails with ARGUMENT if group_base does not match the base, or if the rule's groups differ
 * from those of the model that computed the weights. */
dp2dp_status dp2dpi_group_base_check(const dp2dp_source *source, const dp2dp_fit_options *o,
                                     dp2dp_error *error);

/* Checks the names of a fit against those of base: classes, score columns, and the groups of base's
 * schema. */
dp2dp_status dp2dpi_base_check_names(const dp2dp_source *source, const dp2dp_fit_options *o,
                                     dp2dp_error *error);

#endif
