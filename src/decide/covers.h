/* Finds which people the privacy guarantee of a model covers, which ε the model promises to these
 * people, and whether to warn that the origin of the scores is not stated. */
#ifndef DP2DPI_DECIDE_COVERS_H
#define DP2DPI_DECIDE_COVERS_H

#include "decide/model.h"

/* Fills in info.promises, info.covers, info.rate_noise and info.classifier_noise. Sets or clears
 * the warnings SCORES_ORIGIN_NOT_STATED and RATES_NOISY. Everything else in the model must already
 * be set. Privacy: uses only numbers that the model publishes anyway. */
dp2dp_status dp2dpi_model_cover(dp2dp_model *model, dp2dp_error *error);

/* Returns the warnings of a base model that still hold for a model with a new rule. */
unsigned dp2dpi_model_inherited(const dp2dp_model *base);

#endif
