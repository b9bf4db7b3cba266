/* Explains the rules that multiply offsets by probabilities. */
#ifndef CLI_CHANGES_H
#define CLI_CHANGES_H

#include <dp2dp/dp2dp.h>

#include "common/out.h"

/* For whom which class becomes easier, and by how much at typical scores. */
void cli_changes_text(const dp2dp_model_info *info, cli_out *out);

/* Returns the standard deviation that the noise of the whole fit gives the rate of a class in a
 * stratum, about; NAN: no such noise. */
double cli_rate_noise(const dp2dp_model_info *info, size_t stratum);
/* The people and the noise of each stratum, and which rho they allow. */
void cli_noise_text(const dp2dp_model_info *info, cli_out *out);

#endif
