/* Estimates how much noise is in the rates of a rule and in a classifier. */
#ifndef DP2DPI_DECIDE_MODEL_NOISE_H
#define DP2DPI_DECIDE_MODEL_NOISE_H

#include "decide/model.h"

/* Fills in info.rate_noise, info.size_noise and info.classifier_noise, and sets or clears the
 * warning RATES_NOISY. Everything else in the model must already be set. Privacy: uses only numbers
 * that the model publishes anyway. */
void dp2dpi_model_find_noise(dp2dp_model *model);

#endif
